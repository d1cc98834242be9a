"""The report as workflow commands of GitHub Actions: annotations at the lines of the suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Final

from evalkit.model import Json, Report
from evalkit.reporters import _verdict
from evalkit.reporters._shown import amount, plain

MOST: Final = 10
"""Annotations of one kind that GitHub shows of a step; what comes later is lost there without a word."""

_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(report: Report) -> str:
    """At most MOST errors, then how many more there are, then the verdict: one command a line."""
    found = list(chain.from_iterable(_of_case(case) for case in _failing(report)))
    found += [_of_mistake(mistake) for mistake in report.get("errors", ())]
    shown = list(islice(found, MOST - 1 if len(found) > MOST else MOST))
    if len(found) > len(shown):
        told = f"{amount(len(found) - len(shown), 'more finding')} in the report"
        shown.append(_command("error", {"title": "evalkit"}, told))
    return "".join(f"{line}\n" for line in (*shown, _ending(report)))


def _failing(report: Report) -> list[Mapping[str, Json]]:
    return [] if "errors" in report else _verdict.failing(report)


def _of_case(case: Mapping[str, Json]) -> Iterator[str]:
    name = f"{case['suite']}::{case['id']}"
    if "error" in case:
        place = {"file": case["file"], "line": case["line"]}
        yield _command("error", {**place, "title": f"{case['errorCode']}: {name}"}, case["error"])
    for finding in case["findings"]:
        place = {"file": finding.get("file", case["file"]), "line": finding["line"], "col": finding["column"]}
        yield _command("error", {**place, "title": f"{finding['code']}: {name}"}, _told(finding))


def _told(finding: Mapping[str, Json]) -> str:
    where = f" (at {finding['path']})" if "path" in finding else ""
    return f"{finding['message']}{where}"


def _of_mistake(mistake: Mapping[str, Json]) -> str:
    place = {"file": mistake["file"], "line": mistake["line"], "col": mistake["column"]}
    told = f"{mistake['message']}; {mistake['remedy']}"
    return _command("error", {**place, "title": mistake["code"]}, told)


def _ending(report: Report) -> str:
    kind = "notice" if report["passed"] else "error"
    lines = [] if "errors" in report else [_verdict.shortfall(report), *_verdict.broken(report)]
    told = report["error"] if "errors" in report else "\n".join(filter(None, lines))
    title = _verdict.ending(report)
    return _command(kind, {"title": f"evalkit {title}"}, told or _counts(report))


def _counts(report: Report) -> str:
    return ", ".join(f"{number} {status}" for status, number in report["counts"].items())


def _command(kind: str, properties: Mapping[str, Json], told: str) -> str:
    said = ",".join(f"{name}={plain(str(value)).translate(_PROPERTY)}" for name, value in properties.items())
    lines = "\n".join(map(plain, told.splitlines()))
    return f"::{kind} {said}::{lines.translate(_DATA)}"
