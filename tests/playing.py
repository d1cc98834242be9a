"""What tests of the street share: a suite that is written in place is loaded, played here, and reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest

from evalkit.errors import Mistake, SuiteError
from evalkit.gate import judge
from evalkit.loader import Options, load
from evalkit.model import CaseResult, Json, OpenSubject, Report, Subject, Suite, World
from evalkit.plan import Selection, make_plan
from evalkit.report import Outcome, make_report, schema_text, tally
from evalkit.runner import open_contract, run_case

MARK: Final = "▲"
REPORT_SCHEMA: Final = jsonschema_rs.Draft202012Validator(json.loads(schema_text()))
FREE: Final = "python:tests.playing:open_nothing"
"""A contract without a fixture schema, for suites whose subject a test puts in place."""


def suite_file(folder: Path, text: str, name: str = "suite.yaml") -> Path:
    """Write a suite file and give its path."""
    path = folder / name
    path.write_text(text.replace(MARK, ""), encoding="utf-8")
    return path


def loaded(path: Path, **options: Any) -> Suite:
    """The suite of a file or folder, whose files are called by their bare names."""
    return load(path, lambda file: file.name, Options(**options))


def refused(path: Path, **options: Any) -> tuple[Mistake, ...]:
    """The mistakes for which a suite does not load."""
    with pytest.raises(SuiteError) as problem:
        loaded(path, **options)
    return problem.value.mistakes


def marked(text: str) -> tuple[int, int]:
    """Line and column, from 1, of the mark in a text."""
    before = text[: text.index(MARK)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def played(
    suite: Suite, open_subject: OpenSubject | None = None, *, today: str = "", **choice: Any
) -> dict[str, CaseResult]:
    """The result of each chosen case by its id, played in this process."""
    opened = open_subject or open_contract(suite.contract)
    plan = make_plan([suite], Selection(**choice))
    return {one.case.id: run_case(one.case, opened, suite.facts, today) for one in plan.cases}


def reported(*suites: Suite, open_subject: OpenSubject | None = None, today: str = "") -> Report:
    """The report of a run of suites in this process; it is valid by the report's schema."""
    plan = make_plan(suites, Selection())
    results = {}
    for index, one in enumerate(plan.cases):
        suite = plan.suites[one.suite]
        opened = open_subject or open_contract(suite.contract)
        results[index] = run_case(one.case, opened, suite.facts, today)
    return report_of(Outcome(plan, results), today=today)


def report_of(outcome: Outcome, *, today: str = "") -> Report:
    """The report of an outcome; it is strict JSON and valid by the report's schema."""
    verdict = judge(tally(outcome), None, outcome.stop)
    reruns = [["run", suite.path] for suite in outcome.plan.suites]
    report = make_report(outcome, verdict, reruns=reruns, today=today)
    json.dumps(report, allow_nan=False)
    assert [str(error) for error in REPORT_SCHEMA.iter_errors(report)] == []
    return report


@dataclass
class Puppet:
    """A contract whose answers a test writes: `answer(world, name, args)`, and a manifest.

    `opened` counts how often a subject was built, `closed` how often one was closed.
    """

    answer: Callable[[World, str, Json], Json] = lambda world, name, args: said({})
    manifest: Callable[[World], Json] = lambda world: {"tools": [{"name": "ask", "inputSchema": {}}]}
    snapshot: Callable[[World], Mapping[str, Json]] | None = None
    close: Callable[[], None] = lambda: None
    asked: list[tuple[str, Json, Mapping[str, Json]]] = field(default_factory=list)
    opened: int = 0
    closed: int = 0

    def __call__(self, world: World) -> Subject:
        """Open a subject."""
        self.opened += 1
        snapshot = self.snapshot
        return Subject(
            {"direct": _Strings(self, world)},
            snapshot=(lambda: snapshot(world)) if snapshot else None,
            close=self._close,
        )

    def _close(self) -> None:
        self.closed += 1
        self.close()


class _Strings:
    def __init__(self, puppet: Puppet, world: World) -> None:
        self._puppet, self._world = puppet, world

    def manifest(self) -> Json:
        return self._puppet.manifest(self._world)

    def call_tool(self, name: str, args: Json, **more: Json) -> Json:
        self._puppet.asked.append((name, args, more))
        return self._puppet.answer(self._world, name, args)


def said(output: Json) -> Json:
    """A tool result that holds this output as structure and as text."""
    return {"content": [{"type": "text", "text": json.dumps(output)}], "structuredContent": output}


def open_nothing(world: World) -> Subject:
    """A subject that answers every tool with an empty output."""
    return Puppet()(world)
