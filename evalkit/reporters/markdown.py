"""The report as a job summary: the verdict, counts by severity, and every failing case to unfold."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from evalkit.model import STATUSES, Json, Report
from evalkit.reporters import _blocks, _verdict
from evalkit.reporters._shown import plain, text_of

_LIMIT: Final = 900_000
"""Bytes; GitHub refuses a job summary of more than 1 MiB."""

_ROWS: Final = 20
_PUNCTUATION: Final = re.compile(r"[\\`*_{}\[\]()#+!|~$]")


def render(report: Report) -> str:
    """Markdown as GitHub reads it, at most _LIMIT bytes; failing cases beyond that are counted."""
    if "errors" in report:
        return _within_limit(_usage_verdict(report), map(_mistake, report["errors"]), len(report["errors"]))
    failing = _verdict.failing(report)
    command = _blocks.commands(report)
    return _within_limit(_overview(report), (_case(case, command(case)) for case in failing), len(failing))


def _within_limit(head: Iterable[str], details: Iterable[str], number: int) -> str:
    parts = list(head)
    room = _LIMIT - sum(map(_size, parts))
    for shown, detail in enumerate(details):
        room -= _size(detail)
        if room < 0:
            parts.append(f"\n… and {number - shown} more, which the JSON report has.\n")
            break
        parts.append(detail)
    return "".join(parts)


def _overview(report: Report) -> Iterator[str]:
    found = list(_verdict.suites(report).values())
    names = [f"{suite['name']} {suite['version']} ({suite['target']})" for suite in found]
    yield _heading(report, ", ".join([*names[:_ROWS], *(["…"] if len(names) > _ROWS else [])]))
    faults = [f"incomplete: {missing}" for missing in [_verdict.shortfall(report)] if missing]
    yield from _items("", faults + [f"broken: {line}" for line in _verdict.broken(report)])
    yield f"\n| |{'|'.join(STATUSES)}|\n|---|{'--:|' * len(STATUSES)}\n"
    for name, counts in [*_verdict.by_severity(report), ("all", report["counts"])]:
        yield f"|{name}|{'|'.join(str(counts[status]) for status in STATUSES)}|\n"
    rows = [f"{number} × {kind}: {reason}" for number, kind, reason in _verdict.skips(report)]
    yield from _items("Skipped", rows)
    yield from _items("Notes", _verdict.remarks(report))


def _usage_verdict(report: Report) -> Iterator[str]:
    yield _heading(report, report["error"])


def _heading(report: Report, subject: str) -> str:
    verdict = "passed" if report["passed"] else "not passed"
    return f"## evalkit: {verdict}\n\n{_inline(subject)}\n\n**{_inline(_verdict.ending(report))}**\n"


def _items(title: str, rows: Sequence[str]) -> Iterator[str]:
    if not rows:
        return
    yield f"\n**{title}**\n\n" if title else "\n"
    yield from (f"- {_inline(row)}\n" for row in rows[:_ROWS])
    if len(rows) > _ROWS:
        yield f"- … and {len(rows) - _ROWS} more\n"


def _case(case: Mapping[str, Json], command: str) -> str:
    name = f"<code>{_escaped(case['suite'])}::{_escaped(case['id'])}</code>"
    title = f"{case['status']} {case['severity']} {name} {_escaped(case['title'])}"
    return _unfolding(title, text_of(_blocks.of_case(case, command)))


def _mistake(mistake: Mapping[str, Json]) -> str:
    title = f"<code>{_escaped(mistake['file'])}</code> {_escaped(mistake['message'])}"
    return _unfolding(title, text_of(_blocks.of_mistake(mistake)))


def _unfolding(title: str, text: str) -> str:
    """In `<pre>` nothing but HTML has a meaning, so no text can end it."""
    body = html.escape(text.rstrip("\n"), quote=False)
    return f"\n<details><summary>{title}</summary>\n\n<pre>\n{body}\n</pre>\n\n</details>\n"


def _inline(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\g<0>", _escaped(text))


def _escaped(text: str) -> str:
    return html.escape(plain(text), quote=False)


def _size(text: str) -> int:
    return len(text.encode())
