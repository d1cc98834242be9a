"""One failure as a block of lines, as compilers show theirs, and all blocks of one case."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Container, Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from evalkit.model import Json, Report
from evalkit.reporters import _excerpt
from evalkit.reporters._differences import comparable, differences, lines, part
from evalkit.reporters._shown import LIMIT, Span, amount, look_alike, pair, plain, value
from evalkit.reporters._verdict import suites

_MOST: Final = 5
_SHORT: Final = 40
_EQUAL: Final = ("-differs", "-differ", "-changed")
"""How the codes end whose findings ask for equality, so that a difference can be shown by path."""

_PARTIAL: Final = "part-"
"""How the codes begin whose findings ask that objects hold at least what is wanted."""

_HOW_OFTEN: Final = re.compile(r"\bfound (once|in [0-9]+ places)\b")
_SUITE_FILES: Final = ("suite.yaml", "suite.yml", "suite.json")


def of_case(case: Mapping[str, Json], rerun: str) -> Iterator[Span]:
    """The error, the first findings, and how to see them again; `rerun` is what `commands` gives."""
    if "error" in case:
        yield from _of_error(case)
    findings = case["findings"]
    for finding in findings[:_MOST]:
        yield from _of_finding(finding, case)
    if len(findings) > _MOST:
        yield "", f"… and {amount(len(findings) - _MOST, 'more finding')}\n\n"
    yield from _fact("call   ", _call(case))
    if "note" in case:
        yield from _fact("note   ", plain(case["note"]))
    yield from _fact("rerun  ", rerun)


def of_mistake(mistake: Mapping[str, Json]) -> Iterator[Span]:
    """What is wrong in a suite, where, and what to write instead."""
    yield from _headline(mistake["code"], mistake["message"])
    line, column = mistake["line"], mistake["column"]
    yield from _excerpt.spans(mistake["file"], line, column, mistake.get("excerpt", ""), "")
    yield from _note(" " * len(str(line)), "help", plain(mistake["remedy"]))
    yield "", "\n"


def commands(report: Report) -> Callable[[Mapping[str, Json]], str]:
    """What gives for a case the command that runs it alone, to be pasted into a shell."""
    read = {entry["file"] for entry in report["inputs"]}
    words = {name: suite["rerun"] for name, suite in suites(report).items() if "rerun" in suite}

    def command(case: Mapping[str, Json]) -> str:
        again = words.get(case["suite"]) or ["run", _suite_path(case["file"], read)]
        return " ".join(map(_quote, ["evalkit", *again, "--case", case["id"]]))

    return command


def _of_error(case: Mapping[str, Json]) -> Iterator[Span]:
    first, *more = case["error"].splitlines() or [""]
    yield from _headline(case["errorCode"], first)
    for line in more:
        yield "", f"  {plain(line)}\n"
    yield from _excerpt.spans(case["file"], case["line"], 0, "", "")
    yield "", "\n"


def _of_finding(finding: Mapping[str, Json], case: Mapping[str, Json]) -> Iterator[Span]:
    severity = finding.get("severity", case["severity"])
    more = "" if severity == case["severity"] else f" ({severity})"
    yield from _headline(finding["code"], finding["message"], more)
    line, column, excerpt = finding["line"], finding["column"], finding["excerpt"]
    indent = " " * len(str(line))
    label, notes = _evidence(finding, _excerpt.points_at(excerpt, column), indent)
    yield from _excerpt.spans(finding.get("file", case["file"]), line, column, excerpt, label)
    yield from notes
    if "origin" in finding:
        yield from _note(indent, "came from", _origin(finding["origin"]))
    yield "", "\n"


def _evidence(finding: Mapping[str, Json], token: str, indent: str) -> tuple[str, Iterator[Span]]:
    """What stands beside the caret, and the lines below it; what the token says is not said again."""
    path, equal = finding.get("path", ""), finding["code"].endswith(_EQUAL)
    expected, actual = finding.get("expected", ...), finding.get("actual", ...)
    said = expected is ... or _says(token, expected)
    word = plain(finding["expectation"]) or "expected"
    if actual is ...:
        return "", _at(path, "" if said else f"{word}: {value(expected)}", indent)
    if equal and comparable(expected, actual):
        judged = part(expected, actual) if finding["code"].startswith(_PARTIAL) else actual
        found = list(differences(expected, judged, path))
        return amount(len(found), "difference"), chain(_at(path, "", indent), lines(found, f"{indent} "))
    shown = value(actual)
    if not equal and isinstance(actual, str) and (times := actual.count(_unquoted(token) or "\0")):
        return _how_often(times, finding["message"]), _at(path, shown, indent)
    if expected is ... or (said and not look_alike(expected, actual)):
        short = bool(token) and len(shown) <= _SHORT
        return f"found {shown}" if short else "", _at(path, "" if short else shown, indent)
    return "", chain(_at(path, "", indent), _both(word, expected, actual, indent))


def _how_often(times: int, message: str) -> str:
    """What the message says of it, so that the two never disagree; else how often it is in what is shown."""
    said = _HOW_OFTEN.search(message)
    if said:
        return said[0]
    return "found once" if times == 1 else f"found {times} times"


def _at(path: str, shown: str, indent: str) -> Iterator[Span]:
    name, text = ("at", f"{plain(path)}   {shown}".rstrip()) if path else ("found", shown)
    yield from _note(indent, name, text)


def _both(word: str, expected: Json, actual: Json, indent: str) -> Iterator[Span]:
    width = max(len(word), len("actual"))
    for name, shown in zip((word, "actual"), pair(expected, actual), strict=True):
        yield from _note(indent, name, f"{' ' * (width - len(name))}{shown}")


def _says(token: str, expected: Json) -> bool:
    return bool(token) and _unquoted(token) == (expected if isinstance(expected, str) else value(expected))


def _unquoted(token: str) -> str:
    return token[1:-1] if len(token) > 1 and token[0] in "\"'" and token[-1] == token[0] else token


def _origin(origin: Mapping[str, Json]) -> str:
    place = plain(origin.get("file", ""))
    if place and origin.get("line"):
        place += f":{origin['line']}"
    return f"{plain(origin['path'])}   {place}".rstrip()


def _call(case: Mapping[str, Json]) -> str:
    call = plain(case.get("call", ""))
    parts = [call if len(call) <= LIMIT else f"{call[:LIMIT]}…"]
    parts += [f"{key} {plain(case[key])}" for key in ("fixture", "over") if case.get(key)]
    return "   ".join(filter(None, parts))


def _suite_path(file: str, read: Container[str]) -> str:
    """The folder where its suite.yaml was read too, else the file."""
    folder = PurePosixPath(file).parent
    return str(folder) if any(str(folder / name) in read for name in _SUITE_FILES) else file


def _quote(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    escaped = plain(word.replace("\\", "\\\\").replace("'", "\\'"))
    return f"$'{escaped}'"


def _headline(code: str, message: str, more: str = "") -> Iterator[Span]:
    yield "bold red", f"error[{plain(code)}]"
    yield "bold", f": {plain(message)}{more}\n"


def _note(indent: str, name: str, text: str) -> Iterator[Span]:
    if text:
        yield "bold blue", f"{indent} = "
        yield "", f"{name}: {text}\n"


def _fact(name: str, text: str) -> Iterator[Span]:
    if text:
        yield "dim", f"  {name} "
        yield "", f"{text}\n"
