"""The report as JUnit XML: one testsuite a suite, and one more where the run as a whole is at fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Json, Report
from evalkit.reporters import _blocks, _verdict
from evalkit.reporters._shown import amount, plain, text_of

_SPECIAL: Final = re.compile('[<>&"\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]')
_NAMED: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;"}
_COUNTED: Final = {"failures": "fail", "errors": "error", "skipped": "skip"}
_RUN: Final = {"classname": "evalkit", "name": "run"}


def render(report: Report) -> str:
    """XML 1.0; what it cannot hold is written as an escape. Counts are those of the elements below."""
    parts = _mistakes(report) if "errors" in report else _suites(report)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{"".join(parts)}</testsuites>\n'


def _suites(report: Report) -> Iterator[str]:
    command = _blocks.commands(report)
    for name, suite in _verdict.suites(report).items():
        facts = {key: str(suite[key]) for key in ("version", "contract", "target")}
        cases = [case for case in report["cases"] if case["suite"] == name]
        rows = [_case(case, command(case), report) for case in cases]
        yield _suite(name, [case["status"] for case in cases], rows, facts)
    # A run that is no success though no case says so must not look green.
    if not report["passed"] and (not report["complete"] or not _verdict.failing(report)):
        reasons = "\n".join(filter(None, [_verdict.shortfall(report), *_verdict.broken(report)]))
        problem = _problem("error", report["exit"]["name"], _verdict.ending(report), reasons)
        yield _suite("evalkit", ["error"], [_element("testcase", _RUN, problem)], {})


def _mistakes(report: Report) -> Iterator[str]:
    whole = _element("testcase", _RUN, _problem("error", _verdict.name(report), report["error"], ""))
    rows = [_mistake(mistake) for mistake in report["errors"]] or [whole]
    yield _suite("evalkit", ["error"] * len(rows), rows, {})


def _mistake(mistake: Mapping[str, Json]) -> str:
    file, line = mistake["file"], str(mistake["line"])
    name = f"{file}:{line}:{mistake['column']}"
    problem = _problem("error", mistake["code"], mistake["message"], text_of(_blocks.of_mistake(mistake)))
    return _element("testcase", {"classname": "evalkit", "name": name, "file": file, "line": line}, problem)


def _suite(name: str, statuses: list[str], rows: list[str], facts: Mapping[str, str]) -> str:
    counts = {word: str(statuses.count(status)) for word, status in _COUNTED.items()}
    properties = "".join(_element("property", {"name": key, "value": facts[key]}, "") for key in facts)
    inside = "\n".join(["", _element("properties", {}, properties), *rows, ""])
    return _element("testsuite", {"name": name, "tests": str(len(rows)), **counts}, inside) + "\n"


def _case(case: Mapping[str, Json], command: str, report: Report) -> str:
    places = {"classname": case["suite"], "name": case["id"], "file": case["file"], "line": str(case["line"])}
    if (time := _verdict.milliseconds(report, case)) is not None:
        places["time"] = f"{time / 1000:.3f}"
    words = "\n".join(f"{key}: {case[key]}" for key in ("title", "severity", "source"))
    return _element("testcase", places, _outcome(case, command) + _element("system-out", {}, _escaped(words)))


def _outcome(case: Mapping[str, Json], command: str) -> str:
    if case["status"] == "pass":
        return ""
    if case["status"] == "skip":
        return _problem("skipped", case["skipKind"], case["reason"], "")
    blocks = text_of(_blocks.of_case(case, command))
    if case["status"] == "error":
        return _problem("error", case["errorCode"], case["error"], blocks)
    first, more = case["findings"][0], len(case["findings"]) - 1
    message = first["message"] + (f" (and {amount(more, 'more finding')})" if more else "")
    return _problem("failure", first["code"], message, blocks)


def _problem(name: str, code: str, message: str, details: str) -> str:
    return _element(name, {"type": code, "message": message}, _escaped(details))


def _element(name: str, attributes: Mapping[str, str], inside: str) -> str:
    words = "".join(f' {key}="{_escaped(plain(text))}"' for key, text in attributes.items())
    return f"<{name}{words}>{inside}</{name}>"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _NAMED.get(match[0]) or f"\\u{ord(match[0]):04x}", text)
