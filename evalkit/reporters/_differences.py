"""Where two structures differ: one line a path, bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from evalkit.model import Json
from evalkit.reporters._shown import Span, columns, pair, plain, value

_MOST: Final = 12
_STYLES: Final = {"~": "yellow", "+": "green", "-": "red"}
_Mark: TypeAlias = Literal["~", "+", "-"]


class Difference(NamedTuple):
    """`~` changed, `+` unexpected, `-` missing. The side that is not there is None."""

    mark: _Mark
    path: str
    expected: Json
    actual: Json


def comparable(expected: Json, actual: Json) -> bool:
    """Whether both are objects or both are arrays: then a difference by path says more than two values."""
    return any(isinstance(expected, form) and isinstance(actual, form) for form in (dict, list))


def differences(expected: Json, actual: Json, path: str) -> Iterator[Difference]:
    """Each place where the two part, in the order of the expected value, below `path`."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _in_objects(expected, actual, path)
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _in_arrays(expected, actual, path)
    elif not _same(expected, actual):
        yield Difference("~", path, expected, actual)


def part(expected: Json, actual: Json) -> Json:
    """What of the actual value stands where the expected one says something."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {key: part(wanted, actual[key]) for key, wanted in expected.items() if key in actual}
    if isinstance(expected, list) and isinstance(actual, list):
        return [*map(part, expected, actual), *actual[len(expected) :]]
    return actual


def lines(found: list[Difference], indent: str) -> Iterator[Span]:
    """The first of them, a line each, and how many more there are."""
    shown = [(each, plain(each.path)) for each in found[:_MOST]]
    width = max((columns(path) for _, path in shown), default=0)
    for each, path in shown:
        yield _STYLES[each.mark], f"{indent}{each.mark} {path}{' ' * (width - columns(path))}   "
        yield "", f"{_sides(each)}\n"
    if len(found) > _MOST:
        yield "", f"{indent}… and {len(found) - _MOST} more\n"


def _sides(each: Difference) -> str:
    if each.mark == "~":
        expected, actual = pair(each.expected, each.actual)
        return f"expected {expected}   actual {actual}"
    return f"unexpected {value(each.actual)}" if each.mark == "+" else f"missing {value(each.expected)}"


def _in_objects(expected: dict[str, Json], actual: dict[str, Json], path: str) -> Iterator[Difference]:
    for key, wanted in expected.items():
        if key in actual:
            yield from differences(wanted, actual[key], _below(path, key))
        else:
            yield Difference("-", _below(path, key), wanted, None)
    for key, found in actual.items():
        if key not in expected:
            yield Difference("+", _below(path, key), None, found)


def _in_arrays(expected: list[Json], actual: list[Json], path: str) -> Iterator[Difference]:
    """What both end with is left out, so that one item too many is one line."""
    shorter = min(len(expected), len(actual))
    tail = 0
    while tail < shorter and _same(expected[-1 - tail], actual[-1 - tail]):
        tail += 1
    both = shorter - tail
    for index in range(both):
        yield from differences(expected[index], actual[index], _below(path, index))
    for index in range(both, len(expected) - tail):
        yield Difference("-", _below(path, index), expected[index], None)
    for index in range(both, len(actual) - tail):
        yield Difference("+", _below(path, index), None, actual[index])


def _same(left: Json, right: Json) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _below(path: str, part: str | int) -> str:
    return f"{path}.{part}" if path else str(part)
