"""Finds the host in a URL as browsers do, by the WHATWG URL standard (spec B.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_AROUND: Final = "".join(map(chr, range(0x21)))
_DROPPED: Final = str.maketrans("", "", "\t\n\r")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SPECIAL: Final = frozenset(("http", "https", "ws", "wss", "ftp"))
_AFTER_SPECIAL: Final = re.compile(r"[/\\?#]")
_AFTER_OTHER: Final = re.compile(r"[/?#]")
_PORT: Final = re.compile(r"(?::0*([0-9]{0,5}))?")
_DRIVE: Final = re.compile(r"[A-Za-z][:|]")
_ESCAPED: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_NOT_IN_HOST: Final = re.compile(r"[\0\t\n\r #/:<>?@\[\\\]^|]")
_NOT_IN_DOMAIN: Final = re.compile(r"[\0-\x20#/:<>?@\[\\\]^|%\x7f]")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_OCTAL: Final = re.compile(r"0[0-7]+")
_OCTET: Final = re.compile(r"0|[1-9][0-9]{0,2}")
_GROUP: Final = re.compile(r"[0-9A-Fa-f]{1,4}")
_LOOPBACK: Final = [0, 0, 0, 0, 0, 0, 0, 1]


def host_of(text: str) -> str | None:
    """The host of an absolute URL; empty where it has none, None for what is no URL.

    An IPv4 address comes in its dotted form, however it was written. An IPv6 address comes in brackets,
    `[::1]` in this form and every other one in full. IDNA is not applied: what is not ASCII stays as it is.
    """
    url = text.strip(_AROUND).translate(_DROPPED)
    scheme = _SCHEME.match(url)
    if scheme is None:
        return None
    name, rest = scheme[1].lower(), url[scheme.end() :]
    if name == "file":
        return _file_host(rest)
    if name in _SPECIAL:
        return _authority_host(_AFTER_SPECIAL.split(rest.lstrip("/\\"), maxsplit=1)[0], _domain)
    authority = _AFTER_OTHER.split(rest[2:], maxsplit=1)[0] if rest.startswith("//") else ""
    return _authority_host(authority, _opaque) if authority else ""


def _file_host(rest: str) -> str | None:
    if not (rest[:1] in ("/", "\\") and rest[1:2] in ("/", "\\")):
        return ""
    host = _AFTER_SPECIAL.split(rest[2:], maxsplit=1)[0]
    if not host or _DRIVE.fullmatch(host):
        return ""
    found = _bracketed(host) if host.startswith("[") else _domain(host)
    return "" if found == "localhost" else found


def _authority_host(authority: str, parse: Callable[[str], str | None]) -> str | None:
    """The host between what is before the last `@` and the port."""
    place = authority.rpartition("@")[2]
    end = place.find("]") + 1 if place.startswith("[") else place.find(":")
    host, port = (place, "") if end < 0 else (place[:end], place[end:])
    digits = _PORT.fullmatch(port)
    if not host or digits is None or int(digits[1] or 0) > 65535:
        return None
    return _bracketed(host) if host.startswith("[") else parse(host)


def _domain(host: str) -> str | None:
    """A host of the schemes that the web knows: a name, or an IPv4 address in any of its spellings."""
    name = host
    if "%" in host:
        try:
            name = _ESCAPED.sub(lambda code: bytes((int(code[1], 16),)), host.encode()).decode()
        except UnicodeError:
            return None
    name = name.lower()
    if _NOT_IN_DOMAIN.search(name):
        return None
    labels = name.removesuffix(".").split(".")
    return _ipv4(labels) if _NUMBER.fullmatch(labels[-1]) else name


def _opaque(host: str) -> str | None:
    """A host of any other scheme: it means what that scheme says."""
    return None if _NOT_IN_HOST.search(host) else host


def _ipv4(labels: list[str]) -> str | None:
    """One to four numbers, decimal, octal or hexadecimal; the last one fills all bytes that are left."""
    numbers = [_number(label) for label in labels]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or len(numbers) > 4 or any(number > 255 for number in known[:-1]):
        return None
    if known[-1] >= 256 ** (5 - len(known)):
        return None
    value = known[-1] + sum(number << 8 * (3 - index) for index, number in enumerate(known[:-1]))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _number(label: str) -> int | None:
    if len(label) > 40 or not _NUMBER.fullmatch(label):
        return None
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    if label[0] == "0" and len(label) > 1:
        return int(label, 8) if _OCTAL.fullmatch(label) else None
    return int(label)


def _bracketed(host: str) -> str | None:
    """An IPv6 address between brackets; its last two groups may be written as an IPv4 address."""
    inner = host[1:-1]
    before, _, tail = inner.rpartition(":")
    if "." in tail:
        inner = f"{before}:{_as_groups(tail)}"
    halves = inner.split("::")
    groups = [half.split(":") if half else [] for half in halves]
    if not host.endswith("]") or not all(_GROUP.fullmatch(group) for half in groups for group in half):
        return None
    missing = 8 - sum(map(len, groups))
    if len(halves) > 2 or (missing < 1 if len(halves) == 2 else missing != 0):
        return None
    return _ipv6_text([*groups[0], *["0"] * missing, *groups[1]] if missing else groups[0])


def _as_groups(dotted: str) -> str:
    """An IPv4 address as two groups; what is none stays as it is, which is no group either."""
    octets = dotted.split(".")
    if len(octets) != 4 or not all(_OCTET.fullmatch(octet) and int(octet) < 256 for octet in octets):
        return dotted
    a, b, c, d = map(int, octets)
    return f"{a << 8 | b:x}:{c << 8 | d:x}"


def _ipv6_text(groups: list[str]) -> str:
    numbers = [int(group, 16) for group in groups]
    return "[::1]" if numbers == _LOOPBACK else f"[{':'.join(f'{number:x}' for number in numbers)}]"
