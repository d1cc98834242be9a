"""The store made from the section `semantic` of a suite's fixture, for runs in memory (spec C.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from threading import Lock
from typing import Final, NamedTuple, overload

from ..fakes import SourceFailure
from ..semantic.nouns import Adapter, Moment
from . import COLLECTIONS, Json, Ledger, Records, Remembered, StoredRow

_EMPTY: Final[Mapping[str, Json]] = {}


class FixtureStore:
    """A `Store` in memory. What is written lies over the rows of the fixture, which may change in between.

    `fixture` gives the whole fixture and is asked anew for each view and transaction.
    `note_read` is told the collection each time that rows are asked for.
    `note_effect` is told of each write `{collection, change: append | replace, row}`, once it is kept.
    """

    def __init__(
        self,
        fixture: Callable[[], Json],
        note_read: Callable[[str], None],
        note_effect: Callable[[Json], None],
    ) -> None:
        self._fixture = fixture
        self._note_read = note_read
        self._note_effect = note_effect
        self._written = _Written()
        self._turn = Lock()

    @contextmanager
    def view(self) -> Iterator[Records]:
        """What is kept now. Raises SourceFailure for a collection that the fixture says is broken."""
        yield _View(_section(self._fixture()), self._written, self._note_read)

    @contextmanager
    def transaction(self) -> Iterator[Ledger]:
        """One after the other, over all threads; never one within another of the same thread."""
        with self._turn:
            ledger = _Transaction(_section(self._fixture()), self._written, self._note_read)
            yield ledger
            effects = ledger.written.effects
            self._written = ledger.written._replace(effects=())
            for effect in effects:
                self._note_effect(effect)

    def snapshot(self) -> Mapping[str, Json]:
        """The rows of every collection now, broken or not. It is not noted as a read."""
        held, written = collections(self._fixture()), self._written
        return {name: written.over(name, rows) for name, rows in held.items()}


def collections(fixture: Json) -> Mapping[str, Sequence[Json]]:
    """The rows of every collection as a fixture writes them; a single object is one row."""
    section = _section(fixture)
    return {name: _rows(section, name) for name in COLLECTIONS}


def adapters_with_results(
    adapters: Mapping[str, Adapter], fixture: Callable[[], Json]
) -> Mapping[str, Adapter]:
    """The adapters, each of which gives what the fixture's `results` says of it, where it says something."""
    return _Staged(adapters, fixture)


class _Staged(Mapping[str, Adapter]):
    """Adapters that are staged when they are asked for: most cases ask for one of 22, or for none."""

    def __init__(self, adapters: Mapping[str, Adapter], fixture: Callable[[], Json]) -> None:
        self._adapters, self._fixture = adapters, fixture

    def __getitem__(self, tool: str) -> Adapter:
        adapter, fixture = self._adapters[tool], self._fixture

        def give(ledger: Ledger, args: Json, moment: Moment) -> Json:
            results = _section(fixture()).get("results", _EMPTY)
            return results[tool] if tool in results else adapter(ledger, args, moment)

        return give

    def __iter__(self) -> Iterator[str]:
        return iter(self._adapters)

    def __len__(self) -> int:
        return len(self._adapters)


def _section(fixture: Json) -> Mapping[str, Json]:
    section: Mapping[str, Json] = (fixture or _EMPTY).get("semantic") or _EMPTY
    return section


def _rows(section: Mapping[str, Json], collection: str) -> Sequence[Json]:
    held: Json = section.get(collection) or []
    return [held] if isinstance(held, Mapping) else held


class _Replays(NamedTuple):
    """Requests in the order in which they were remembered; a new value for each change.

    `answered` holds the ids of those that still have a result, in the same order.
    `oldest` is no later than the `at` of any that has none: it saves looking at each of them.
    """

    known: Mapping[str, Remembered] = {}
    answered: Mapping[str, None] = {}
    oldest: float = inf

    def remember(self, remembered: Remembered) -> _Replays:
        known = {**self.known}
        known.pop(remembered.request_id, None)
        known[remembered.request_id] = remembered
        answered = {**self.answered}
        answered.pop(remembered.request_id, None)
        if remembered.result is None:
            return _Replays(known, answered, min(self.oldest, remembered.at))
        return _Replays(known, {**answered, remembered.request_id: None}, self.oldest)

    def forget(self, results: int, fingerprints: int, before: float) -> _Replays:
        return self._without_results(results)._without_old(before)._without_many(fingerprints)

    def _without_results(self, kept: int) -> _Replays:
        surplus = list(self.answered)[: max(0, len(self.answered) - kept)]
        if not surplus:
            return self
        gone = {name: self.known[name]._replace(result=None) for name in surplus}
        answered = {name: None for name in self.answered if name not in gone}
        oldest = min(self.oldest, *(remembered.at for remembered in gone.values()))
        return _Replays({**self.known, **gone}, answered, oldest)

    def _without_old(self, before: float) -> _Replays:
        if self.oldest >= before:
            return self
        known = {
            name: remembered
            for name, remembered in self.known.items()
            if name in self.answered or remembered.at >= before
        }
        waiting = (remembered.at for name, remembered in known.items() if name not in self.answered)
        return _Replays(known, self.answered, min(waiting, default=inf))

    def _without_many(self, kept: int) -> _Replays:
        surplus = len(self.known) - len(self.answered) - kept
        if surplus <= 0:
            return self
        known = {**self.known}
        # The oldest come first, so that few are passed over.
        for name in self.known:
            if name not in self.answered:
                del known[name]
                surplus -= 1
                if not surplus:
                    break
        return _Replays(known, self.answered, self.oldest)


class _Written(NamedTuple):
    """All that was written; a new value for each change. `replaced` holds rows of the fixture, by index."""

    appended: Mapping[str, tuple[Json, ...]] = {}
    replaced: Mapping[str, Mapping[int, Json]] = {}
    replays: _Replays = _Replays()
    effects: tuple[Json, ...] = ()

    def over(self, collection: str, rows: Sequence[Json]) -> list[Json]:
        """The rows that there are now, given those of the fixture."""
        merged = [*rows, *self.appended.get(collection, ())]
        for index, body in self.replaced.get(collection, {}).items():
            if index < len(rows):
                merged[index] = body
        return merged

    def append(self, collection: str, body: Json) -> _Written:
        appended = (*self.appended.get(collection, ()), body)
        changed = self._replace(appended={**self.appended, collection: appended})
        return changed._note(collection, "append", body)

    def replace(self, collection: str, index: int, body: Json) -> _Written:
        """Another body for a row of the fixture."""
        replaced = {**self.replaced.get(collection, {}), index: body}
        changed = self._replace(replaced={**self.replaced, collection: replaced})
        return changed._note(collection, "replace", body)

    def replace_appended(self, collection: str, index: int, body: Json) -> _Written:
        """Another body for a row that was appended."""
        appended = [*self.appended[collection]]
        appended[index] = body
        changed = self._replace(appended={**self.appended, collection: tuple(appended)})
        return changed._note(collection, "replace", body)

    def _note(self, collection: str, change: str, body: Json) -> _Written:
        effect = {"collection": collection, "change": change, "row": body}
        return self._replace(effects=(*self.effects, effect))


class _Numbered(Sequence[StoredRow]):
    """Rows that get their number when they are looked at: most of many rows never are."""

    def __init__(self, bodies: Sequence[Json]) -> None:
        self._bodies = bodies

    def __len__(self) -> int:
        return len(self._bodies)

    @overload
    def __getitem__(self, index: int) -> StoredRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[StoredRow]: ...
    def __getitem__(self, index: int | slice) -> StoredRow | Sequence[StoredRow]:
        places = range(1, len(self._bodies) + 1)[index]
        if isinstance(places, int):
            return StoredRow(places, self._bodies[places - 1])
        return [StoredRow(number, self._bodies[number - 1]) for number in places]

    def __iter__(self) -> Iterator[StoredRow]:
        return map(StoredRow, range(1, len(self._bodies) + 1), self._bodies)


class _View:
    """Satisfies `Records`: the fixture and what was written, as they were when it was opened."""

    def __init__(
        self, section: Mapping[str, Json], written: _Written, note_read: Callable[[str], None]
    ) -> None:
        self.written = written
        self._section = section
        self._note_read = note_read

    def rows(self, collection: str) -> Sequence[StoredRow]:
        self._note_read(collection)
        return _Numbered(self.written.over(collection, self._held(collection)))

    def _held(self, collection: str) -> Sequence[Json]:
        if collection not in COLLECTIONS:
            raise LookupError(f"a store holds no collection called {collection}")
        if collection in self._section.get("errors", ()):
            text = f"the fixture says that {collection} is broken"
            raise SourceFailure(self._section.get("errorText", text))
        return _rows(self._section, collection)


class _Transaction(_View):
    """Satisfies `Ledger`: each write makes a new value, so that going back is keeping the old one."""

    def append(self, collection: str, body: Json) -> None:
        self._held(collection)
        self.written = self.written.append(collection, body)

    def replace(self, collection: str, number: int, body: Json) -> None:
        ours = len(self._held(collection))
        if 1 <= number <= ours:
            self.written = self.written.replace(collection, number - 1, body)
        elif ours < number <= ours + len(self.written.appended.get(collection, ())):
            self.written = self.written.replace_appended(collection, number - 1 - ours, body)
        else:
            raise LookupError(f"{collection} has no row {number}")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        before, kept = self.written, False
        try:
            yield
            kept = True
        finally:
            if not kept:
                self.written = before

    def recall(self, request_id: str) -> Remembered | None:
        return self.written.replays.known.get(request_id)

    def remember(self, remembered: Remembered) -> None:
        self._keep(self.written.replays.remember(remembered))

    def forget(self, *, results: int, fingerprints: int, before: float) -> None:
        self._keep(self.written.replays.forget(results, fingerprints, before))

    def _keep(self, replays: _Replays) -> None:
        self.written = self.written._replace(replays=replays)
