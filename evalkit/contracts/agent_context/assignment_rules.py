"""Secrets that are known by the name before them: assignments, query parameters, connection strings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .shadow import BLANK, OTHER, Claim, found

_VALUE = "[REDACTED]"
_SHORTEST = 6
_LONGEST_NAME = 40


def quoted_values(text: str) -> list[Claim]:
    """Spec A.10 rule 7, with more names and quotes, escaped quotes, and the other quote inside the value."""
    lowered = _with_names(text)
    return list(_quoted(text, lowered)) if lowered else []


def bare_values(text: str) -> list[Claim]:
    """`password: x` without quotes; after other names only what looks like no word of prose."""
    lowered = _with_names(text)
    return list(_bare(text, lowered)) if lowered else []


def query_values(text: str) -> list[Claim]:
    """Credentials among the parameters of an address; the name stays."""
    return _undone(text, found(_QUERY, text, _VALUE, "value")) if "=" in text else []


def connection_passwords(text: str) -> list[Claim]:
    """The password in `scheme://user:password@host`; it ends at the last `@` before the path."""
    return _undone(text, found(_CONNECTION, text, _VALUE, "value")) if "://" in text else []


def _quoted(text: str, lowered: str) -> Iterator[Claim]:
    done = 0
    for name in _QUOTED_NAME.finditer(lowered):
        start = name.end()
        if name.start() < done:
            continue
        end = _closing(text, start, name["quote"])
        if end - start >= _SHORTEST and not _is_done(text[start:end]):
            yield Claim(start, end, _VALUE)
            done = end


def _closing(text: str, start: int, quote: str) -> int:
    """Where the quoted value ends; one that is not closed on its line ends at the next whitespace."""
    end = text.find(quote, start)
    while len(quote) == 1 and end > start and _is_escaped(text, end):
        end = text.find(quote, end + 1)
    if end >= 0 and "\n" not in text[start:end]:
        return end
    word = _WORD.match(text, start)
    return word.end() if word else start


def _is_escaped(text: str, index: int) -> bool:
    before = text[max(0, index - 8) : index]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _bare(text: str, lowered: str) -> Iterator[Claim]:
    match = _BARE.search(lowered)
    while match:
        start, end = match.span("value")
        # A value may end in the name of the next one, or be nothing but that.
        name = _LAST_NAME.search(lowered, max(start, end - _LONGEST_NAME), end)
        end = start + len(text[start : name.start() if name else end].rstrip(",;.)]}>"))
        if _is_secret(text[start:end], match["strong"]):
            yield Claim(start, end, _VALUE)
        else:
            end = max(start, end - _LONGEST_NAME)
        match = _BARE.search(lowered, end)


def _is_secret(value: str, strong_name: str | None) -> bool:
    if len(value) < _SHORTEST or _is_done(value):
        return False
    return strong_name is not None or _NO_PROSE.search(value) is not None


def _with_names(text: str) -> str:
    """`text` in small letters if it may hold an assignment of a secret, else nothing: a quick no for most."""
    if ":" not in text and "=" not in text:
        return ""
    lowered = text.lower()
    return lowered if any(part in lowered for part in _NAME_PARTS) else ""


def _undone(text: str, claims: list[Claim]) -> list[Claim]:
    return [claim for claim in claims if not _is_done(text[claim.start : claim.end])]


def _is_done(value: str) -> bool:
    """Whether nothing but typographic quotes stands round what is redacted already."""
    return BLANK in value and not value.strip(BLANK + OTHER)


_NAME_PARTS = ("pass", "pwd", "secret", "token", "key")
# After a strong name any word is taken for a secret, after a weak one only what looks like none of prose.
_STRONG_NAME = r"password|passwd|passphrase|pwd(?<![a-z]pwd)|pass(?<=_pass)"
_WEAK_NAME = (
    r"secret(?:[_-]?access)?(?:[_-]?key)?|token|api[_-]?key"
    r"|(?:access|account|private|auth|encryption)[_-]?key"
)
_SEPARATOR = r"\s*(?::=|=>|[:=])\s*"
_HEAD = rf"(?:\\{{0,3}}[\"'`])?\]?{_SEPARATOR}"
# In Markdown, a back-tick behind a name ends a piece of code more often than it begins a value.
_OPENING = r"(?P<quote>\\{0,3}[\"']|`(?=[^\s,.;:)]))"
_QUOTED_NAME = re.compile(rf"(?:{_STRONG_NAME}|{_WEAK_NAME}){_HEAD}{_OPENING}", re.ASCII)
_BARE = re.compile(
    rf"(?:(?P<strong>{_STRONG_NAME})|{_WEAK_NAME}){_HEAD}"
    r"(?P<value>[^\s\"'`\\/~](?:[^\s\"'`,;&]++|[,;&](?!\s?\w{1,40}[\"']?\s?[:=]))*+)",
    re.ASCII,
)
_LAST_NAME = re.compile(rf"(?:{_STRONG_NAME}|{_WEAK_NAME})\W{{0,3}}[:=]\Z", re.ASCII)
_NO_PROSE = re.compile(r"[0-9]|[A-Za-z0-9+/_-]{20}")
_WORD = re.compile(r"[^\s\"'`]*")
_QUERY = re.compile(
    r"[?&#;](?:(?:[\w.-]{0,40}?(?:token|api_?key|secret|passw(?:or)?d|signature|credential)|sig|pwd)="
    r"|(?:key|code|auth|sid|session(?:_?id)?)=(?=[\w.~%+/-]{16}))(?P<value>[^\s&#\"'<>]{6,})",
    re.ASCII | re.IGNORECASE,
)
_CONNECTION = re.compile(
    r"://(?<=\w://)[^\s/?#\"'<>:@]*:(?P<value>[^\s/?#\"'<>]+|(?!\d{1,5}[/?#])[^\s\"'<>]{1,80}?)@", re.ASCII
)
