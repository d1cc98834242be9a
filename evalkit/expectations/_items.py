"""The values of an array's items that `unique` and `sorted` judge: the items, or what `by` leads to."""

from __future__ import annotations

from typing import Final

from evalkit.expectations._paths import Fault
from evalkit.model import Json
from evalkit.values import ABSENT, find

BY: Final[Json] = {"type": "string", "minLength": 1, "pattern": "^[^$]"}


def picked(items: list[Json], how: Json) -> list[Json] | Fault:
    """The items, or with `{by: path}` the value there in each; a Fault where an item has none."""
    if not isinstance(how, dict) or "by" not in how:
        return items
    values = [find({"item": item}, f"item.{how['by']}") for item in items]
    if ABSENT in values:
        return Fault("wrong-type", f"has no `{how['by']}` in item {values.index(ABSENT)} (from 0)")
    return values
