"""Two values compared but for the paths that a suite ignores."""

from __future__ import annotations

from typing import Final

from evalkit.frozen import thaw
from evalkit.model import Json
from evalkit.values import ABSENT, select

IGNORING: Final[Json] = {
    "description": "Paths of this step at which the values may differ.",
    "type": "array",
    "items": {"type": "string", "minLength": 1},
}


def without(value: Json, place: str, ignoring: tuple[str, ...]) -> Json:
    """A copy of the value that stands at a dotted place, without what the ignored paths lead to.

    An ignored key is taken away; an ignored item of an array becomes null, so that none moves.
    """
    if not ignoring or value is ABSENT:
        return value
    tree = thaw(value)
    for part in reversed(place.split(".")):
        tree = {part: tree}
    for path in ignoring:
        for where, _ in select(tree, path):
            _take_away(tree, where.split("."))
    for part in place.split("."):
        tree = tree.get(part, ABSENT) if tree is not ABSENT else ABSENT
    return tree


def _take_away(tree: Json, parts: list[str]) -> None:
    *way, last = parts
    for part in way:
        tree = tree[int(part)] if isinstance(tree, list) else tree.get(part)
        if not isinstance(tree, (dict, list)):
            return
    if isinstance(tree, dict):
        tree.pop(last, None)
    elif last.isdecimal():
        tree[int(last)] = None
