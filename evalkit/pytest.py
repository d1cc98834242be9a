"""A pytest plugin, off unless asked for: `pytest -p evalkit.pytest suites/` collects suites as tests.

Collected are suite files and folders that are named on the command line, or lie below a folder `suites`;
the cases of one suite become one file of tests. A case is played in a process of its own, as `evalkit run`
does; a skip is a skip, and whatever fails or has an error fails, with the block that `evalkit run` shows.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from evalkit import targets
from evalkit.commands import _suites, _targets
from evalkit.commands._arguments import environment
from evalkit.commands._collect import Work
from evalkit.commands._probing import advertised
from evalkit.engine.workers import run_in_workers
from evalkit.errors import HarnessError, SuiteError, UsageError
from evalkit.gate import judge
from evalkit.loader import ENDINGS, HEAD, Options, load
from evalkit.model import CaseResult, Target
from evalkit.plan import Plan, Planned, Selection, make_plan
from evalkit.report import Outcome, make_report, tally
from evalkit.reporters import text
from evalkit.reporters._shown import text_of

SUITES: Final = "suites"
"""The folder below which every suite is collected."""

_FLAGS: Final[Mapping[str, tuple[str, str]]] = {
    "--evalkit-contract": ("NAME", "the contract, where a suite names none"),
    "--evalkit-target": ("SPEC", "drive the server at this target"),
    "--evalkit-over": ("SURFACE", "the way in where a case states none"),
}
_LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "--evalkit-provides": ("WORD", "what a live target can do beside"),
    "--evalkit-env": ("NAME", "an environment variable that suites may use"),
}


class CaseFailed(Exception):
    """A case that did not pass; its text is what `evalkit run` shows of it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flags, in a group of their own."""
    group = parser.getgroup("evalkit")
    for flag, (metavar, told) in _FLAGS.items():
        group.addoption(flag, metavar=metavar, help=told)
    for flag, (metavar, told) in _LISTS.items():
        group.addoption(flag, metavar=metavar, action="append", default=[], help=told)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """A suite, where this file is one, or the head of a folder that is one."""
    if file_path.suffix not in ENDINGS or not _is_meant(file_path, parent.config):
        return None
    if file_path.name != HEAD and (file_path.parent / HEAD).is_file():
        return None  # a part of the suite that its folder is
    file: SuiteFile = SuiteFile.from_parent(parent, path=file_path)
    return file


class SuiteFile(pytest.File):
    """The cases of one suite."""

    def collect(self) -> Iterable[CaseItem]:
        """Load the suite; its mistakes are the error of collecting it."""
        path = self.path.parent if self.path.name == HEAD else self.path
        try:
            suite = load(path, _suites.name_of, _options(self.config))
        except SuiteError as problem:
            told = "\n".join(f"{one.file}:{one.line}:{one.column}: {one.message}" for one in problem.mistakes)
            raise self.CollectError(told) from None
        except (UsageError, HarnessError) as problem:
            raise self.CollectError(str(problem)) from None
        plan = make_plan([suite], Selection())
        for index, planned in enumerate(plan.cases):
            yield CaseItem.from_parent(
                self, name=planned.case.id, planned=planned, work=_work(plan), index=index
            )


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, planned: Planned, work: Work, index: int, **words: Any) -> None:
        """Take what plays it; `-k` finds it by its tags and severity too."""
        super().__init__(**words)
        self._planned, self._work, self._index = planned, work, index
        self.extra_keyword_matches |= {*planned.case.tags, planned.case.severity}

    def runtest(self) -> None:
        """Play it, and raise what it came to."""
        results = run_in_workers(self._work, [self._index], workers=1)
        with contextlib.closing(results):
            _, result = next(results)
        if result.skip is not None:
            pytest.skip(f"{result.skip[0]}: {result.skip[1]}")
        if result.status != "pass":
            raise CaseFailed(self._told(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The block of the case, without Python's frames."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """File, line, and the promise."""
        return self.path, 0, f"{self.name}: {self._planned.case.title}"

    def _told(self, result: CaseResult) -> str:
        plan = self._work.plan
        alone = plan._replace(cases=(self._planned,), total=1)
        outcome = Outcome(alone, {0: result})
        verdict = judge(tally(outcome), None, outcome.stop)
        report = make_report(outcome, verdict, reruns=[["run", _suites.name_of(self.path)]])
        return text_of(text.failures(report))


def _is_meant(path: Path, config: pytest.Config) -> bool:
    if SUITES in path.parent.parts:
        return True
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else ()
    given = (Path(word.partition("::")[0]).absolute() for word in named)
    return any(one in (path, path.parent) for one in given)


def _options(config: pytest.Config) -> Options:
    said = {flag: config.getoption(flag) for flag in (*_FLAGS, *_LISTS)}
    provides = tuple(said["--evalkit-provides"])
    env = environment(said["--evalkit-env"])
    return Options(
        contract=said["--evalkit-contract"],
        over=said["--evalkit-over"],
        env=env,
        advertised=advertised,
        target=_target(said["--evalkit-target"], env, provides),
        provides=provides,
    )


def _target(written: str | None, env: Mapping[str, str], provides: Iterable[str]) -> Target | None:
    if written is None:
        return None
    try:
        return targets.providing(_targets.named(written, env, "--evalkit-target"), provides)
    except targets.TargetError as problem:
        raise UsageError(f"--evalkit-target: {problem}") from None


def _work(plan: Plan) -> Work:
    return Work(plan, time.strftime("%Y-%m-%d"))
