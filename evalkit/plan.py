"""Suites -> the ordered cases of one run: which are chosen, in which order they run, and a digest of that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalkit.errors import UsageError, nearest
from evalkit.model import SEVERITIES, Case, Severity, Suite


class Selection(NamedTuple):
    """Which cases to run; every kind of filter that is given has to let a case through.

    `ids` holds full ids, ids without their row (`name` of `name[x=1]`), or `suite::id`.
    `severity` chooses that level and the levels above it. `text` is sought in id, title and source.
    `failed` holds (suite, id) pairs of an earlier report, or None.
    """

    ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    severity: Severity | None = None
    text: str = ""
    failed: frozenset[tuple[str, str]] | None = None


class Planned(NamedTuple):
    """One case of the run, and the index of its suite."""

    suite: int
    case: Case


class Plan(NamedTuple):
    """The cases of a run in plan order: suite by suite, file by file, as written."""

    suites: tuple[Suite, ...]
    cases: tuple[Planned, ...]
    total: int
    digest: str

    def order(self, seed: int | None) -> Sequence[int]:
        """The indices of `cases` in the order in which to run them; a seed shuffles them."""
        indices = list(range(len(self.cases)))
        if seed is not None:
            from random import Random  # start-up: only --shuffle asks

            Random(seed).shuffle(indices)  # noqa: S311  an order, no secret
        return indices


def make_plan(suites: Sequence[Suite], selection: Selection) -> Plan:
    """Choose the cases. Raises UsageError where --case names a case that no suite has."""
    every = [Planned(index, case) for index, suite in enumerate(suites) for case in suite.cases]
    _check_ids(every, selection.ids)
    chosen = tuple(one for one in every if _is_chosen(one.case, selection))
    return Plan(tuple(suites), chosen, len(every), _digest(chosen))


def _is_chosen(case: Case, selection: Selection) -> bool:
    if selection.ids and not any(name in selection.ids for name in _names(case)):
        return False
    if selection.tags and not set(selection.tags) & set(case.tags):
        return False
    if selection.severity and SEVERITIES.index(case.severity) > SEVERITIES.index(selection.severity):
        return False
    if selection.text and not any(selection.text in text for text in (case.id, case.title, case.source)):
        return False
    return selection.failed is None or (case.suite, case.id) in selection.failed


def _names(case: Case) -> Iterator[str]:
    written = case.id.partition("[")[0]
    yield from (case.id, written, f"{case.suite}::{case.id}", f"{case.suite}::{written}")


def _check_ids(every: Sequence[Planned], ids: tuple[str, ...]) -> None:
    if not ids:
        return
    known = {name for one in every for name in _names(one.case)}
    for name in ids:
        if name not in known:
            raise UsageError(f"--case: no case is called {name!r}; {nearest(name, known)}")


def _digest(chosen: Sequence[Planned]) -> str:
    text = "\n".join(f"{one.case.suite}\t{one.case.id}\t{one.case.source}" for one in chosen)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
