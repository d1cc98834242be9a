"""Run cases in this process, one after the other: for live targets and for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evalkit.engine import Work
from evalkit.model import CaseResult


def run_here(work: Work, indices: Iterable[int]) -> Iterator[tuple[int, CaseResult]]:
    """Yield each index with its result, in order. A case that hangs or exits takes this process with it."""
    try:
        for index in indices:
            yield index, work(index)
    finally:
        work.end()
