"""Python values as plain JSON: what no JSON text can say is replaced, and told."""

from __future__ import annotations

import math
import re
from typing import Final, TypeAlias

from evalkit.schemas._words import Json, Path

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST_INTEGER: Final = 14_000
"""In bits; beyond about 4,300 digits Python refuses to write an integer and jsonschema-rs lets it pass."""

TOO_DEEP: Final = "nested too deep to be judged"

Flaw: TypeAlias = tuple[Path, str]
"""Where a value is not JSON, and why."""


def plain(value: Json) -> tuple[Json, list[Flaw]]:
    """A copy of builtin types only (so subclasses are welcome), and every place that is not JSON.

    Such places hold null or U+FFFD in the copy. A value that is nested too deep gives null and one flaw.
    """
    flaws: list[Flaw] = []
    try:
        return _copied(value, (), flaws), flaws
    except RecursionError:
        return None, [((), TOO_DEEP)]


def _copied(value: Json, path: Path, flaws: list[Flaw]) -> Json:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value, path, flaws)
    if isinstance(value, int):
        return _integer(int(value), path, flaws)
    if isinstance(value, float):
        return _fraction(float(value), path, flaws)
    if isinstance(value, dict):
        return _object(value, path, flaws)
    if isinstance(value, (list, tuple)):
        return [_copied(item, (*path, at), flaws) for at, item in enumerate(value)]
    return _refused(f"a Python {type(value).__name__} is no JSON", path, flaws)


def _object(value: dict[Json, Json], path: Path, flaws: list[Flaw]) -> Json:
    copy = {}
    for key, item in value.items():
        if isinstance(key, str):
            inner = (*path, str.__str__(key))
            copy[_text(key, inner, flaws)] = _copied(item, inner, flaws)
        else:
            _refused(f"a key that is a Python {type(key).__name__}, no text", (*path, str(key)), flaws)
    return copy


def _text(value: str, path: Path, flaws: list[Flaw]) -> str:
    text = str.__str__(value)
    if not text.isascii() and _LONE_SURROGATE.search(text):
        flaws.append((path, "ill-formed Unicode: a lone surrogate"))
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def _integer(value: int, path: Path, flaws: list[Flaw]) -> Json:
    if value.bit_length() > _LONGEST_INTEGER:
        return _refused("an integer that is too long to be judged", path, flaws)
    return value


def _fraction(value: float, path: Path, flaws: list[Flaw]) -> Json:
    if not math.isfinite(value):
        return _refused(f"{value} is no JSON number", path, flaws)
    return value


def _refused(reason: str, path: Path, flaws: list[Flaw]) -> None:
    flaws.append((path, reason))
