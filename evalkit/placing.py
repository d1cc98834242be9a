"""Where things stand: a finding in its suite, and a leaked or actual text in the fixture it came from."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.model import Case, CaseResult, Finding, Json, Path, Step, Suite
from evalkit.values import dotted


def place_of(suite: Suite, case: Case, step: Step, finding: Finding) -> tuple[str, int, int, str]:
    """Where the suite says what was not met: the case, else its file's defaults, else the suite's."""
    word = finding.expectation
    ways: list[tuple[int, Path]] = [(case.document, step.place)]
    if word in step.expect:
        defaults = ("defaults", "expect", word)
        ways = [(case.document, (*step.place, "expect", word)), (case.document, defaults), (0, defaults)]
    index, path = next((way for way in ways if _exists(suite.documents[way[0]].data, way[1])), ways[0])
    document = suite.documents[index]
    line, column = document.place((*path, *finding.at) if word in step.expect else path)
    return document.file, line, column, document.excerpt(line)


def _exists(data: Json, path: Path) -> bool:
    for part in path:
        is_there = (
            part in data if isinstance(data, dict) else isinstance(data, list) and part in range(len(data))
        )
        if not is_there:
            return False
        data = data[part]
    return True


def origin_of(suite: Suite, case: Case, finding: Finding) -> dict[str, Json] | None:
    """The fixture record that the secret, the forbidden or the actual text of a finding came from."""
    if finding.code == CaseResult.LEAK:
        placeholder = str(finding.actual).removeprefix("<secret ").removesuffix(">")
        return _fixture_place(suite, case, placeholder) if placeholder.startswith("fixture") else None
    prefix = f"fixtures.{case.fixture_name}" if case.fixture_name in suite.origins else "fixture"
    for text in (finding.expected, finding.actual):
        if isinstance(text, str) and len(text) >= 4:
            for path, value in _texts(case.fixture, ()):
                if text in value:
                    return _fixture_place(suite, case, dotted((prefix, *path)))
    return None


def _fixture_place(suite: Suite, case: Case, placeholder: str) -> dict[str, Json]:
    origin: dict[str, Json] = {"path": placeholder}
    name = next((one for one in suite.origins if placeholder.startswith(f"fixtures.{one}.")), None)
    inside = placeholder.removeprefix(f"fixtures.{name}." if name else "fixture.")
    ways = suite.origins[name] if name else ((case.document, (*case.place, "fixture")),)
    for index, start in ways:
        document = suite.documents[index]
        path = (*start, *(int(part) if part.isdigit() else part for part in inside.split(".")))
        if _exists(document.data, path):
            return {**origin, "file": document.file, "line": document.place(path)[0]}
    index, start = ways[0]
    return {**origin, "file": suite.documents[index].file, "line": suite.documents[index].place(start)[0]}


def _texts(value: Json, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
