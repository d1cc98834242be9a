"""JSON data that refuses change: a suite's data is shared by all its cases and never copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = Any


class FrozenDict(dict[str, Json]):
    """A dict that refuses change."""

    __slots__ = ()

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("this data belongs to the suite and refuses change; copy it first")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Callable[[Json], Json], tuple[dict[str, Json]]]:
        return (FrozenDict, (dict(self),))

    def __copy__(self) -> dict[str, Json]:
        return dict(self)

    def __deepcopy__(self, memo: object) -> Json:
        return thaw(self)


class FrozenList(list[Json]):
    """A list that refuses change."""

    __slots__ = ()

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("this data belongs to the suite and refuses change; copy it first")

    __setitem__ = __delitem__ = append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __iadd__ = __imul__ = _refuse

    def __reduce__(self) -> tuple[Callable[[Json], Json], tuple[list[Json]]]:
        return (FrozenList, (list(self),))

    def __copy__(self) -> list[Json]:
        return list(self)

    def __deepcopy__(self, memo: object) -> Json:
        return thaw(self)


def freeze(value: Json) -> Json:
    """The same data, deeply immutable; what is frozen already is shared."""
    if isinstance(value, (FrozenDict, FrozenList)):
        return value
    if isinstance(value, dict):
        return FrozenDict({key: freeze(inner) for key, inner in value.items()})
    if isinstance(value, list):
        return FrozenList(map(freeze, value))
    return value


def thaw(value: Json) -> Json:
    """A plain, changeable copy."""
    if isinstance(value, dict):
        return {key: thaw(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(thaw, value))
    return value
