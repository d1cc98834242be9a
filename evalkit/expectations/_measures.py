"""How large an answer is: characters as JavaScript counts, bytes, tokens by the quarter rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Finding, Json, Path
from evalkit.values import quick_json

CHARS_A_TOKEN: Final = 4
BUDGET_CODES: Final[Mapping[str, str]] = {
    "budget-exceeded": "The answer is larger, or took more source calls, than the limit allows.",
}


def tokens(chars: int) -> int:
    """The approximate number of tokens of that many characters, rounded up."""
    return -(-chars // CHARS_A_TOKEN)


def exceeded(measure: str, actual: int, limit: float, path: str, at: Path = ()) -> Iterator[Finding]:
    """A finding where the measure is past its limit."""
    if actual > limit:
        message = f"{path} has {actual} {measure}, and {limit} are allowed"
        yield Finding("budget-exceeded", message, path, expected=limit, actual=actual, at=at)


def surely_within(value: Json, chars: float) -> bool:
    """Whether the JSON text is so short that its characters need not be counted."""
    return 2 * len(quick_json(value)) <= chars
