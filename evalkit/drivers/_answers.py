"""What an HTTP answer becomes for a suite: the root `response`, the bytes beside it, and its strict JSON."""

from __future__ import annotations

from binascii import b2a_base64
from typing import Any, Final

import msgspec

from evalkit.drivers._exchange import LARGEST, Headers, header
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.values import ABSENT, encode, parse_json

SHOWN: Final = 400
"""Characters of a body that a message shows, whole; a longer one is told by its size, never cut.

Half a secret could not be found, so that no report could mask it.
"""

_COOKIE: Final = "set-cookie"
_ENCODED: Final = ("gzip", "x-gzip", "deflate")
_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


def told_of(status: int, headers: Headers, body: bytes) -> tuple[dict[str, Json], tuple[bytes, ...]]:
    """The root `response`, and everything that came as bytes: the search for secrets looks there too.

    `bytes` is the body as it came; `body` and `json` are it without its compression.
    `headers` has lower-case names and texts, several of one name joined by `, `; but `set-cookie` is a list.
    `json` is there where the body is strict JSON. `redirects` holds where the answer points: nothing is
    followed.
    """
    told = _headers_root(headers)
    plain = _unpacked(body, told["content-encoding"]) if "content-encoding" in told else body
    root: dict[str, Json] = {
        "status": status,
        "headers": told,
        "body": plain.decode(errors="replace"),
        "bytes": b2a_base64(body, newline=False).decode(),
        "redirects": [told["location"]] if 300 <= status < 400 and "location" in told else [],
    }
    value = strict_json(plain)
    if value is not ABSENT:
        root["json"] = value
    raw = raw_of(headers, body)
    return root, raw if plain is body else (*raw, plain)


def raw_of(headers: Headers, body: bytes) -> tuple[bytes, ...]:
    """The head and the body as they came."""
    return b"\r\n".join([name + b": " + value for name, value in headers]), body


def strict_json(body: bytes) -> Json:
    """The value of a body that is strict JSON in UTF-8; else ABSENT."""
    try:
        return read_json(body)
    except ValueError:
        return ABSENT


def read_json(body: bytes) -> Json:
    """Strict JSON in UTF-8 → value. Raises ValueError, which says why it is none."""
    try:
        value = _decode(body)
        if _encode(value) == body:  # what is written back alike held no repeated key and no big number
            return value
    except (ValueError, RecursionError):
        pass  # the slow reading says why, or reads what this one cannot
    return parse_json(body.decode())


def in_words(status: int, headers: Headers, body: bytes) -> str:
    """An answer in one line, for a message: its status, and its body where that is short."""
    kind = header(headers, b"content-type") or "no content type"
    text = body.decode(errors="replace")
    if 300 <= status < 400:
        return f"status {status}, which points to {header(headers, b'location') or 'nowhere'}"
    if not text:
        return f"status {status} with an empty body"
    shown = f": {encode(text)}" if len(text) <= SHOWN else ""
    return f"status {status} with {len(body)} bytes of {kind}{shown}"


def _unpacked(body: bytes, coding: str) -> bytes:
    """The body without gzip or deflate; as it is where it has neither, or is no whole body of these."""
    coding = coding.strip().lower()
    if coding not in _ENCODED:
        return body
    import zlib  # only where a step asks for compression

    unpacker: Any = zlib.decompressobj(wbits=47 if "gzip" in coding else 15)
    try:
        plain: bytes = unpacker.decompress(body, LARGEST)
    except zlib.error:
        return body
    if unpacker.unconsumed_tail:
        raise CaseError("protocol", f"the answer's body unpacks to more than {LARGEST} bytes")
    return plain if unpacker.eof and not unpacker.unused_data else body


def _headers_root(headers: Headers) -> dict[str, Json]:
    told: dict[str, Json] = {}
    for name_bytes, value_bytes in headers:
        name, value = name_bytes.lower().decode("latin-1"), value_bytes.decode("latin-1")
        if name == _COOKIE:
            told.setdefault(name, []).append(value)
        else:
            told[name] = f"{told[name]}, {value}" if name in told else value
    return told
