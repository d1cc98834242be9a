"""What a request selects: a profile by its query, a cursor by its query or its header (spec 6.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .nouns import Head, Refusal

_CURSOR_HEADER: Final = b"last-event-id"
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})?")
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_PADDED: Final = re.compile(rf"\A[{_SPACE}]|[{_SPACE}]\Z")


def profile_of(head: Head) -> str | None:
    """The profile that is asked for; None means the default. Raises Refusal `invalid_profile`."""
    values = []
    for pair in _pairs(head.query):
        if pair is None:
            raise Refusal("invalid_profile")
        if pair[0] == "profile":
            values.append(pair[1])
    return _only(values, "invalid_profile")


def cursor_of(head: Head) -> str | None:
    """The cursor to continue after; None means from now on. Its grammar is not looked at here.

    Raises Refusal `invalid_cursor` or `cursor_disagreement`. Parts of the query that cannot be read are
    passed over: they are the profile's to refuse, which is checked next.
    """
    in_header = [_text(value) for name, value in head.headers if name == _CURSOR_HEADER]
    in_query = [pair[1] for pair in _pairs(head.query) if pair is not None and pair[0] == "cursor"]
    by_header, by_query = _only(in_header, "invalid_cursor"), _only(in_query, "invalid_cursor")
    if by_header is not None and by_query is not None and by_header != by_query:
        raise Refusal("cursor_disagreement")
    return by_query if by_header is None else by_header


def _only(values: list[str], code: str) -> str | None:
    if not values:
        return None
    if len(values) > 1 or not values[0] or _PADDED.search(values[0]):
        raise Refusal(code)
    return values[0]


def _pairs(query: bytes) -> Iterator[tuple[str, str] | None]:
    """Names and values in order, without escapes; None for each part that is malformed."""
    for part in query.split(b"&"):
        if not part:
            continue
        name, _, value = part.partition(b"=")
        if b";" in part or not (_is_escaped_well(name) and _is_escaped_well(value)):
            yield None
        else:
            yield _unescaped(name), _unescaped(value)


def _is_escaped_well(raw: bytes) -> bool:
    return all(escape[1] is not None for escape in _ESCAPE.finditer(raw))


def _unescaped(raw: bytes) -> str:
    return _text(_ESCAPE.sub(lambda escape: bytes((int(escape[1], 16),)), raw.replace(b"+", b" ")))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
