"""Where things stand: a finding in its suite, and a leaked or actual text in the fixture it came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evalkit.model import LEAK, Case, Finding, Json, Path, Step, Suite
from evalkit.values import ABSENT, dotted

SHORTEST: Final = 4
"""A text of fewer characters would be found in the fixture by accident."""


def place_of(suite: Suite, case: Case, step: Step, finding: Finding) -> tuple[str, int, int, str]:
    """Where the suite says what was not met: the case, else its file's defaults, else the suite's."""
    word = finding.expectation
    at, ways = finding.at, [(case.document, (*step.place, "expect", word)), *_defaults(case, "expect", word)]
    if word not in step.expect:
        at, ways = (), [(case.document, (*case.place, word)), (case.document, step.place)]
    index, path = _first(suite, ways)
    document = suite.documents[index]
    line, column = document.place((*path, *at))
    return document.file, line, column, document.excerpt(line)


def origin_of(suite: Suite, case: Case, finding: Finding) -> dict[str, Json] | None:
    """The fixture record that the secret, the actual or the forbidden text of a finding came from."""
    if finding.code == LEAK:
        placeholder = str(finding.actual).removeprefix("<secret ").removesuffix(">")
        return _fixture_place(suite, case, placeholder) if placeholder.startswith("fixture") else None
    prefix = f"fixtures.{case.fixture_name}" if case.fixture_name in suite.origins else "fixture"
    for text in _sought(case, finding):
        for path, value in _texts(case.fixture, ()):
            if text in value:
                return _fixture_place(suite, case, dotted((prefix, *path)))
    return None


def _sought(case: Case, finding: Finding) -> Iterator[str]:
    """The text that came back; then the part of it that the suite speaks of."""
    actual = finding.actual
    if not isinstance(actual, str):
        return
    wanted = _at(case.steps[finding.step].expect, (finding.expectation, *finding.at))
    for text in (actual, wanted, finding.expected):
        if isinstance(text, str) and len(text) >= SHORTEST and text in actual:
            yield text


def _fixture_place(suite: Suite, case: Case, placeholder: str) -> dict[str, Json]:
    """File and line of a part of a fixture: in its own text or in what it uses, wherever more is written."""
    named = [name for name in suite.origins if placeholder.startswith(f"fixtures.{name}.")]
    name = max(named, key=len, default="")
    parts = placeholder.removeprefix(f"fixtures.{name}." if name else "fixture.").split(".")
    ways = suite.origins[name] if name else _in_place(suite, case)
    index, path = max((_followed(suite, *way, parts) for way in ways), key=lambda way: len(way[1]))
    document = suite.documents[index]
    return {"path": placeholder, "file": document.file, "line": document.place(path)[0]}


def _in_place(suite: Suite, case: Case) -> Sequence[tuple[int, Path]]:
    """Where a fixture without a name is written, then what it uses."""
    own = _first(suite, [(case.document, (*case.place, "fixture")), *_defaults(case, "fixture")])
    written = _at(suite.documents[own[0]].data, own[1])
    used = written.get("use") if isinstance(written, dict) else None
    return [own, *suite.origins.get(str(used), ())]


def _followed(suite: Suite, index: int, start: Path, parts: Sequence[str]) -> tuple[int, Path]:
    """A place, and as much of a dotted path below it as is written there."""
    path = start
    for part in parts:
        node = _at(suite.documents[index].data, path)
        inner: Path = (*path, int(part) if isinstance(node, list) and part.isdecimal() else part)
        if _at(suite.documents[index].data, inner) is ABSENT:
            break
        path = inner
    return index, path


def _defaults(case: Case, *path: str) -> list[tuple[int, Path]]:
    return [(case.document, ("defaults", *path)), (0, ("defaults", *path))]


def _first(suite: Suite, ways: Sequence[tuple[int, Path]]) -> tuple[int, Path]:
    """The first place that is written; else the first, whose nearest ancestor then counts."""
    return next((way for way in ways if _at(suite.documents[way[0]].data, way[1]) is not ABSENT), ways[0])


def _at(data: Json, path: Path) -> Json:
    for part in path:
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and part in range(len(data)):
            data = data[int(part)]
        else:
            return ABSENT
    return data


def _texts(value: Json, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
