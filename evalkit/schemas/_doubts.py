"""Which violations are certain, and which hang on a pattern that cannot be judged here."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.schemas._words import UNCHECKABLE, Path, Violation


def weighed(strict: Sequence[Violation], lenient: Sequence[Violation]) -> list[Violation]:
    """All violations, those in doubt marked as such.

    `strict`: what is found when patterns that cannot be judged always fail; `lenient`: when they always hold.
    Under `not` the second finds more. What only one of them finds is in doubt.
    """
    failing, holding = set(map(_place, strict)), set(map(_place, lenient))
    found = [*strict, *(each for each in lenient if _place(each) not in failing)]
    return [each if _place(each) in failing & holding else _in_doubt(each) for each in found]


def _place(violation: Violation) -> tuple[Path, Path]:
    return violation.path, violation.schema_path


def _in_doubt(violation: Violation) -> Violation:
    if violation.message.startswith(UNCHECKABLE):
        return violation
    message = f"{UNCHECKABLE}: it hangs on a pattern that cannot be judged here whether {violation.message}"
    return violation._replace(message=message)
