"""Phone, card and identity numbers, told from dates, time stamps and UUIDs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .shadow import Claim, blank, found

_PHONE = "[REDACTED PHONE]"
_FEWEST_DIGITS = 7
_SHORTEST_RUN = 10


def phones(text: str) -> list[Claim]:
    """Spec A.10 rule 14 without dates, stamps and UUIDs; with its plus and bracket; short and slashed too."""
    if _CANDIDATE.search(text) is None:
        return []
    seen = blank(text, found(_INNOCENT, text, None))
    slashed = found(_SLASHED, seen, _PHONE)
    seen = blank(seen, slashed)
    runs = list(_runs(seen))
    return sorted(slashed + runs + found(_SHORT, blank(seen, runs), _PHONE))


def _runs(text: str) -> Iterator[Claim]:
    """The runs of rule 14: ten characters or more, from digit to digit; here seven digits or more."""
    for run in _RUN.finditer(text):
        number = run["number"]
        if len(number) >= _SHORTEST_RUN and sum(map(str.isdigit, number)) >= _FEWEST_DIGITS:
            yield Claim(run.start("number") - len(_opening(run["opening"], number)), run.end(), _PHONE)


def _opening(before: str, number: str) -> str:
    """What of the plus and brackets before a number goes with it: a bracket only if it closes inside."""
    if ")" in number.partition("(")[0]:
        return before
    return "+" if before.endswith("+") else ""


_CANDIDATE = re.compile(r"[0-9](?:[0-9 ().-]{6,}[0-9]|[0-9]*+/[0-9])")
_RUN = re.compile(r"(?P<opening>[+(]{0,2})(?<!\w)(?P<number>[0-9][0-9 ().-]*[0-9])(?!\w)", re.ASCII)
_SLASHED = re.compile(
    r"(?<![\w./-])(?:[0-9]{3}/[0-9]{3}[/-][0-9]{4}|0[0-9]{2,4}/[0-9]{5,9})(?![\w/-])", re.ASCII
)
_SHORT = re.compile(
    r"(?<![\w.+-])[0-9]{3}-[0-9]{4}(?![\w-])(?!\.[0-9])|(?<![\w.-])\+?[0-9]{9}(?!\w)(?![.-][0-9])", re.ASCII
)
_UUID = r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
_HOUR = "(?:[01][0-9]|2[0-3])"
_MINUTE = "[0-5][0-9]"
_DAY = "(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = rf"[-_]{_HOUR}[-_.]?{_MINUTE}(?:[-_.]?{_MINUTE})?"
_DATE = rf"(?<![\w+])(?<![0-9][.-]){_DAY}(?:-{_DAY}|{_CLOCK})?(?![0-9])(?!-[0-9])"
_TIME = rf"(?<![\w:]){_HOUR}:{_MINUTE}:{_MINUTE}(?:[.,][0-9]{{1,9}})?(?![\w:])(?!-[0-9])"
_MILLISECONDS = r"(?<![\w+])1[0-9]{12}(?!\w)"
_INNOCENT = re.compile(f"{_UUID}|{_DATE}|{_TIME}|{_MILLISECONDS}", re.ASCII)
