"""Many byte patterns looked for at once: in a loop while that is cheap, then by an automaton."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

AUTOMATON_PAYS: Final = 500_000
"""Patterns times bytes looked at in a loop, by which time building an automaton would have been cheaper."""


class Patterns:
    """Byte patterns, each with the number of the needle that it is a spelling of."""

    def __init__(self, patterns: Iterable[tuple[bytes, int]]) -> None:
        """Take the patterns; empty ones are left out."""
        self._owners: dict[bytes, set[int]] = {}
        for pattern, owner in patterns:
            if pattern:
                self._owners.setdefault(pattern, set()).add(owner)
        self._list = list(self._owners)
        self._looked_at = 0
        self._any: Any = None
        self._all: Any = None

    def __bool__(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._owners)

    def found_in(self, data: bytes) -> set[int]:
        """The owners of all patterns that stand somewhere in the data."""
        if self._any is None:
            self._looked_at += len(data) * len(self._list)
            if self._looked_at < AUTOMATON_PAYS or not self._build():
                return self._owners_of([pattern for pattern in self._list if pattern in data])
        if not self._any.find_matches_as_indexes(data):
            return set()
        if self._all is None:
            self._all = _ahocorasick().BytesAhoCorasick(self._list)
        matches = self._all.find_matches_as_indexes(data, overlapping=True)
        return self._owners_of([self._list[at] for at in {match[0] for match in matches}])

    def _owners_of(self, patterns: Iterable[bytes]) -> set[int]:
        found: set[int] = set()
        for pattern in patterns:
            found |= self._owners[pattern]
        return found

    def _build(self) -> bool:
        """Make the automaton that says 'any?', if that can be; one that says 'which?' is made when asked."""
        library = _ahocorasick()
        if library is None:
            return False
        self._any = library.BytesAhoCorasick(self._list, matchkind=library.MatchKind.LeftmostFirst)
        return True


@lru_cache(maxsize=1)
def _ahocorasick() -> Any:
    # An optional extra without wheels for every system, and not needed for a few small searches.
    try:
        import ahocorasick_rs
    except ImportError:
        return None
    return ahocorasick_rs
