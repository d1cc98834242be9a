"""Addresses of people and machines: mail, Tailscale hosts, MAC, IPv6 and IPv4."""

from __future__ import annotations

import re
import string

from .shadow import BLANK, LETTER, Claim, found

_EMAIL = "[REDACTED EMAIL]"
_HOST = "[REDACTED HOST]"
_IP = "[REDACTED IP]"
_MAC = "[REDACTED MAC]"


def emails(text: str) -> list[Claim]:
    """Spec A.10 rule 8, and letters of any script, quoted local parts, and an `@` that is written encoded."""
    claims: list[Claim] = []
    for domain in _MAIL_DOMAIN.finditer(text):
        start = _local_start(text, claims[-1].end if claims else 0, domain.start())
        if start < domain.start():
            claims.append(Claim(start, domain.end(), _EMAIL))
    return claims


def tailscale_hosts(text: str) -> list[Claim]:
    """Spec A.10 rule 9, with underscores in a label too."""
    claims: list[Claim] = []
    floor = 0
    for suffix in _TAILSCALE.finditer(text):
        start = _run_start(text, floor, suffix.start(), _LABELS)
        empty_label = text.rfind("..", start, suffix.start() + 1)
        start = _skip(text, max(start, empty_label), suffix.start(), ".-")
        if start < suffix.start():
            claims.append(Claim(start, suffix.end(), _HOST))
        # Without a claim, the `ts.net` of this suffix may still be the labels of the next.
        floor = max(suffix.start() + 1, claims[-1].end if claims else 0)
    return claims


def macs(text: str) -> list[Claim]:
    """Spec A.10 rule 12 before the IPv6 rule can eat it: six or eight pairs, or three dotted groups."""
    if text.count(":") < 5 and text.count("-") < 5 and text.count(".") < 2:
        return []
    return found(_MAC_FORMS, text, _MAC)


def ipv6s(text: str) -> list[Claim]:
    """Spec A.10 rule 11 without times and ratios, and every compressed, mapped or scoped address whole."""
    if text.count(":") < 2:
        return []
    return [Claim(*match.span(), _IP) for match in _IPV6_FORM.finditer(text) if _is_ipv6(match)]


def ipv4s(text: str) -> list[Claim]:
    """Spec A.10 rule 10; four-part versions stay addresses."""
    return found(_IPV4, text, _IP) if text.count(".") > 2 else []


def _local_start(text: str, floor: int, end: int) -> int:
    if text[end - 1 : end] == '"':
        quoted = _QUOTED_LOCAL.search(text, max(floor, end - 66), end)
        if quoted:
            return quoted.start()
    return _skip(text, _run_start(text, floor, end, _LOCAL), end, ".%+-")


def _run_start(text: str, floor: int, end: int, allowed: frozenset[str]) -> int:
    start = end
    while start > floor and text[start - 1] in allowed:
        start -= 1
    return start


def _skip(text: str, start: int, end: int, characters: str) -> int:
    while start < end and text[start] in characters:
        start += 1
    return start


def _is_ipv6(match: re.Match[str]) -> bool:
    """Eight groups; four or more with a letter, so no time or ratio; fewer round one `::`, with a digit."""
    form = match["form"]
    groups = sum(map(bool, form.split(":")))
    if groups + bool(match["tail"]) >= 8:
        return True
    if groups >= 4 and _HEX_LETTER.search(form):
        return True
    # Without a digit, a short form is more often a name in code: `abc::def`.
    return form.count("::") == 1 and _DIGIT.search(form) is not None


_WORD = "[0-9A-Za-z_]"
_LOCAL = frozenset(string.ascii_letters + string.digits + "._%+-" + LETTER + BLANK)
_LABELS = frozenset(string.ascii_letters + string.digits + "._-" + BLANK)
_MAIL_DOMAIN = re.compile(
    r"(?:@|%(?:25)?40|&#(?:64|x40);|\\u0040)"
    rf"[A-Za-z0-9.{LETTER}-]+\.(?:xn--[A-Za-z0-9-]+|[A-Za-z]{{2,}}+(?![0-9])|{LETTER}{{2,}}+(?![0-9A-Za-z]))"
)
_QUOTED_LOCAL = re.compile(r'"[^":,\s][^"]{0,62}"\Z')
_TAILSCALE = re.compile(rf"\.ts\.net(?!{_WORD})", re.IGNORECASE)
_HEX = "[0-9A-Fa-f]"
_MAC_FORMS = re.compile(
    rf"(?<!{_WORD})(?<!(?<!{_WORD}){_HEX}{{2}}[:-])"
    rf"{_HEX}{{2}}([:-]){_HEX}{{2}}(?:\1{_HEX}{{2}}){{4}}(?:(?:\1{_HEX}{{2}}){{2}})?"
    rf"(?!{_WORD})(?![:-]{_HEX}{{2}}(?!{_WORD}))"
    rf"|(?<![0-9A-Za-z_.])(?=[0-9.]{{0,13}}[A-Fa-f])(?=[A-Fa-f.]{{0,13}}[0-9])"
    rf"{_HEX}{{4}}\.{_HEX}{{4}}\.{_HEX}{{4}}(?!{_WORD}|\.[0-9A-Za-z])"
)
_IPV6_FORM = re.compile(
    rf"(?<!{_WORD})(?<![0-9]\.)(?P<form>(?:{_HEX}{{1,4}}(?=:)|(?=::{_HEX}))"
    rf"(?:(?:::?{_HEX}{{1,4}}(?!{_WORD}))++(?:::(?!{_WORD}|:))?|::(?!{_WORD}|:)))"
    rf"(?P<tail>(?<=[0-9])(?:\.[0-9]{{1,3}}){{3}}(?!{_WORD}))?(?:%[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*)?"
)
_DIGIT = re.compile("[0-9]")
_HEX_LETTER = re.compile("[A-Fa-f]")
_IPV4 = re.compile(r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b", re.ASCII)
