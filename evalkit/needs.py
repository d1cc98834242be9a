"""What a case needs of its target, read from the case: nobody has to declare it, and nothing is probed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from evalkit import expectations
from evalkit.model import Case, Evidence, Json, Rerun, Step
from evalkit.schemas import compile_schema
from evalkit.stage import way_in
from evalkit.values import encode, holds_names, root_of

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


def reads_manifest(steps: Sequence[Step]) -> bool:
    """Whether anything that these steps expect or capture looks at the manifest beside a tool's answer."""
    return any(map(_reads_manifest, steps))


def _reads_manifest(step: Step) -> bool:
    """Whether a word does so always, or a path may lead there, also of an earlier step."""
    if any(getattr(expectations.find(word), "READS_MANIFEST", False) for word in step.expect):
        return True
    said = encode([dict(step.expect), dict(step.capture)])
    return "manifest" in said or '"$' in said


def unfilled(word: str, wanted: Json, evidence: Evidence) -> str:
    """Why a word cannot be asked of a `session` in which no program was started; empty where it can."""
    if evidence.call.operation != "session" or "process" in evidence.observation.roots:
        return ""
    paths = getattr(expectations.find(word), "paths", None)
    if not any(root_of(path) == "process" for path in (paths(wanted) if paths else ())):
        return ""
    return "the target is no program that was started for this step, so there is no `process`"


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
