"""A case's `matrix` becomes rows: axes multiply, `include` adds, `exclude` removes."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from evalkit.literals import LiteralError, Scope, evaluate
from evalkit.model import Json
from evalkit.values import encode, find, same

MAX_ROWS: Final = 10_000

_RESERVED: Final = frozenset({"include", "exclude", "max"})
_AXIS: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SHORT: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")

Advertised = Callable[[str], Json]


class NothingAdvertised(LiteralError):
    """A list that the target was to give is there, and empty."""


class Row(NamedTuple):
    """One row: what it adds to the case's id (`x=1,y=two`), and its values by axis."""

    label: str
    values: Mapping[str, Json]


def asks_target(matrix: Json) -> bool:
    """Whether an axis takes its values from what the target advertises (`each`)."""
    return isinstance(matrix, dict) and any(
        isinstance(axis, dict) and "each" in axis for name, axis in matrix.items() if name not in _RESERVED
    )


def rows(matrix: Mapping[str, Json], scope: Scope, advertised: Advertised | None = None) -> list[Row]:
    """The rows in order. Raises LiteralError with the path, from the matrix, of what is wrong.

    `advertised` gives the value at a path of the target (`manifest.tools`).
    """
    keys = {name: axis["key"] for name, axis in matrix.items() if isinstance(axis, dict) and "key" in axis}
    axes = {
        name: _axis(name, axis, scope, advertised) for name, axis in matrix.items() if name not in _RESERVED
    }
    extra = _extra_rows(matrix, "include", scope)
    _check_count(matrix, math.prod(map(len, axes.values())) * bool(axes) + len(extra))
    products = itertools.product(*axes.values()) if axes else ()
    found = [*(dict(zip(axes, values, strict=True)) for values in products), *extra]
    for index, removed in enumerate(_extra_rows(matrix, "exclude", scope)):
        kept = [row for row in found if not _covers(removed, row)]
        if len(kept) == len(found):
            raise LiteralError(
                ("exclude", index),
                "exclude-removes-nothing",
                f"`exclude` {encode(removed)} removes no row",
                "write the values of an existing row, or delete this line",
            )
        found = kept
    if not found:
        raise LiteralError((), "matrix-empty", "the matrix has no row, so nothing would run", "add a row")
    return [_row(number, values, keys, scope) for number, values in enumerate(found, 1)]


def _axis(name: str, axis: Json, scope: Scope, advertised: Advertised | None) -> list[Json]:
    if not _AXIS.fullmatch(name):
        raise LiteralError(
            (name,), "matrix-shape", f"{name!r} cannot name an axis", "use letters, digits, `_` and `-`"
        )
    if name == "id":
        message = "`id` is no axis: it names one row"
        raise LiteralError(
            (name,), "matrix-shape", message, "call the axis otherwise, or name a row in `include`"
        )
    if isinstance(axis, dict) and axis.keys() <= {"each", "key"} and isinstance(axis.get("each"), str):
        return _advertised_values(name, axis["each"], advertised)
    values = evaluate(axis, scope, (name,))
    if isinstance(values, list) and values:
        return values
    raise LiteralError(
        (name,),
        "matrix-shape",
        f"the axis `{name}` wants a list of at least one value, or {{each: PATH, key: NAME}}",
        f"write {name}: [first, second]",
    )


def _advertised_values(name: str, path: str, advertised: Advertised | None) -> list[Json]:
    values = advertised(path) if advertised else []
    if advertised and values == []:
        message = f"the target advertises nothing at `{path}`"
        raise NothingAdvertised((name, "each"), "matrix-empty", message, "")
    if advertised and not (isinstance(values, list) and values):
        message = f"the target advertises no list of values at `{path}`, so nothing would run"
        raise LiteralError((name, "each"), "matrix-empty", message, "write a path such as manifest.tools")
    return values


def _extra_rows(matrix: Mapping[str, Json], word: str, scope: Scope) -> list[dict[str, Json]]:
    made = evaluate(matrix.get(word, []), scope, (word,))
    if not isinstance(made, list) or not all(isinstance(row, dict) and row for row in made):
        raise LiteralError(
            (word,), "matrix-shape", f"`{word}` wants a list of rows", f"write {word}: [{{profile: summary}}]"
        )
    for index, row in enumerate(made):
        if "id" in row and not (isinstance(row["id"], str) and row["id"]):
            message = "a row's `id` is what it adds to the id of its case: a text of its own"
            raise LiteralError((word, index, "id"), "matrix-shape", message, 'write id: "name"')
    return made


def _check_count(matrix: Mapping[str, Json], count: int) -> None:
    most = matrix.get("max", MAX_ROWS)
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise LiteralError(
            ("max",), "matrix-shape", "`max` wants an integer of at least 1", "write max: 20000"
        )
    if count > most:
        raise LiteralError(
            (),
            "matrix-too-large",
            f"the matrix has {count:,} rows, more than {most:,}",
            "leave rows out, or say that so many are meant with `max`",
        )


def _covers(wanted: Mapping[str, Json], row: Mapping[str, Json]) -> bool:
    return all(name in row and same(value, row[name]) for name, value in wanted.items())


def _row(number: int, values: dict[str, Json], keys: Mapping[str, str], scope: Scope) -> Row:
    if "id" in values:
        own = values["id"] if not _shows_secret(values["id"], scope) else f"#{number}"
        return Row(own, {name: value for name, value in values.items() if name != "id"})
    shown = {
        name: find({"it": value}, f"it.{keys[name]}") if name in keys else value
        for name, value in values.items()
    }
    label = ",".join(f"{name}={_short(value, number, scope)}" for name, value in shown.items())
    return Row(label, values)


def _short(value: Json, number: int, scope: Scope) -> str:
    """A value stands in an id if it is short, plain and no secret; else the number of its row."""
    text = (
        value
        if isinstance(value, str)
        else ""
        if isinstance(value, (dict, list)) or value is ...
        else encode(value)
    )
    return text if _SHORT.fullmatch(text) and not _shows_secret(text, scope) else f"#{number}"


def _shows_secret(text: str, scope: Scope) -> bool:
    return any(secret in text for secret in scope.secrets.values())
