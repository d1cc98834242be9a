"""What a case needs of its target, read from the case: nobody has to declare it, and nothing is probed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit import expectations
from evalkit.model import Case, Json, Rerun
from evalkit.schemas import compile_schema
from evalkit.stage import way_in
from evalkit.values import holds_names, root_of

FIXTURES: Final = "fixtures"
CLOCK: Final = "clock"
SOURCE_LOG: Final = "source-log"

_LOGGED: Final = frozenset({"sources", "effects"})


def needs_of_case(case: Case) -> Iterator[str]:
    """Words that a target provides, and ways in, before the first step is sent (suite-language 8)."""
    if case.fixture is not None or case.settings is not None:
        yield FIXTURES
    for step in case.steps:
        words = step.call.words
        if step.call.operation != "world":
            yield way_in(step.call, step.over or "direct")
        elif not words.keys().isdisjoint(("patch", "settings")):
            yield FIXTURES
        if step.call.operation == "world" and "advance" in words:
            yield CLOCK
        if any(root_of(path) in _LOGGED for path in step.capture.values()):
            yield SOURCE_LOG
        yield from needs_of_words(step.expect)


def needs_of_words(expect: Mapping[str, Json]) -> Iterator[str]:
    """What the expectations of one step need, as far as is known what they want."""
    for word, wanted in expect.items():
        module = expectations.find(word)
        if holds_names(wanted) and not compile_schema(module.SCHEMA).holds(wanted):
            continue  # an earlier step says what is wanted
        needs, paths, extras = (getattr(module, hook, None) for hook in ("needs", "paths", "extras"))
        yield from needs(wanted) if needs else ()
        if any(root_of(path) in _LOGGED for path in (paths(wanted) if paths else ())):
            yield SOURCE_LOG
        for extra in extras(wanted) if extras else ():
            if isinstance(extra, Rerun):
                yield FIXTURES
                yield from () if extra.over is None else (extra.over,)
