"""Regular expressions as suites write them: Python's, with `$` at the very end only."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Final

_PIECE: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$|.", re.DOTALL)


class PatternError(ValueError):
    """A regular expression that cannot be read."""


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    r"""The pattern, with each `$` read as `\Z` unless `(?m)` says otherwise. Raises PatternError."""
    expression = _compile(pattern)
    if "$" not in pattern or expression.flags & re.MULTILINE:
        return expression
    return _compile("".join(r"\Z" if piece == "$" else piece for piece in _PIECE.findall(pattern)))


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(pattern)
    except (re.error, Warning, OverflowError, RecursionError) as problem:
        raise PatternError(f"the regular expression cannot be read: {problem}{_cure(pattern)}") from None


def _cure(pattern: str) -> str:
    if re.search(r"\(\?<[A-Za-z]", pattern):
        return "; Python names a group (?P<name>…)"
    if r"\p{" in pattern:
        return r"; Python has no \p{…}: write a set such as [^\W\d_] for letters"
    return ""
