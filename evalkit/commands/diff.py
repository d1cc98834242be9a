"""`evalkit diff`: what changed between two manifests, recordings or reports, and what of it is breaking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from evalkit import changes
from evalkit.changes import LEVELS, Change
from evalkit.commands import _output, _saved, _targets
from evalkit.commands._arguments import Arguments, one_of
from evalkit.commands._probing import advertised
from evalkit.errors import UsageError
from evalkit.model import Json
from evalkit.values import encode, parse_json

_REPORT: Final = "evalkit-report"
_LIVE: Final = ("stdio:", "http:", "https:", "unix:")
_SHOWN: Final = 200
_VALUES: Final = ("old", "new")


class _Side(NamedTuple):
    """One of the two sides: a report, or a manifest."""

    is_report: bool
    held: Json


def parser() -> Arguments:
    """The flags."""
    told = "Show what changed between two manifests, two recordings or two reports, the worst first."
    made = Arguments("diff", "evalkit diff old.json new.json --fail-on breaking", told)
    for name in _VALUES:
        what = "a manifest, a recording or a report in a file, or the target of a server that is asked now"
        made.add_argument(name, metavar=name.upper(), help=what)
    made.add_argument(
        "--fail-on",
        metavar="LEVEL",
        type=one_of(LEVELS),
        help=f"exit 1 where there is a change of this level or a worse one: {', '.join(LEVELS)}",
    )
    made.add_argument("--format", type=one_of(("text", "json")), default="text", help="text, json")
    return made


def main(argv: list[str]) -> int:
    """Print the changes, and give the exit code."""
    given = parser().parse(argv)
    old, new = _read(given.old), _read(given.new)
    if old.is_report != new.is_report:
        raise UsageError("a report is compared with a report, and a manifest or recording with such a one")
    between = changes.between_reports if old.is_report else changes.between_manifests
    found = sorted(between(old.held, new.held), key=lambda change: LEVELS.index(change.level))
    _output.to_stdout(_as_json(found) if given.format == "json" else _as_text(found))
    worst = LEVELS[: LEVELS.index(given.fail_on) + 1] if given.fail_on else ()
    return int(any(change.level in worst for change in found))


def _read(word: str) -> _Side:
    if word.startswith(_LIVE):
        return _Side(False, advertised("", _targets.named(word, {}), None, None))
    try:
        held = parse_json(Path(word).read_bytes())
    except (OSError, ValueError) as problem:
        told = getattr(problem, "strerror", None) or f"this is no JSON ({problem})"
        raise UsageError(f"{word}: {told}; name a file, or a target such as stdio:COMMAND") from None
    if isinstance(held, dict) and held.get("kind") == _REPORT:
        report = _saved.read(word)
        if "cases" not in report:
            raise UsageError(f"{word}: it tells of a run that was refused, so there is nothing to compare")
        return _Side(True, report)
    return _Side(False, _manifest_of(held, word))


def _manifest_of(held: Json, word: str) -> Json:
    """The manifest in a file: a document with `tools`, the result of `tools/list`, or beside `initialize`."""
    if isinstance(held, dict):
        inner = held.get("manifest", held.get("result", held))
        about = held.get("initialize")
        if isinstance(inner, dict) and isinstance(inner.get("tools"), list):
            return {**(about if isinstance(about, dict) else {}), **inner}
    raise UsageError(f"{word}: it holds no manifest, no recording and no report; a manifest has `tools`")


def _as_json(found: Sequence[Change]) -> str:
    counts = {level: sum(change.level == level for change in found) for level in LEVELS}
    rows = [{name: value for name, value in one._asdict().items() if value is not ...} for one in found]
    return encode({"kind": "evalkit-diff", "counts": counts, "changes": rows}) + "\n"


def _as_text(found: Sequence[Change]) -> str:
    lines = [line for change in found for line in _lines(change)]
    counts = ", ".join(f"{sum(one.level == level for one in found)} {level}" for level in LEVELS)
    return "".join(f"{line}\n" for line in (*lines, counts))


def _lines(change: Change) -> list[str]:
    head = f"{change.level:<9} {change.code:<22} {change.path}: {change.message}"
    values = [(name, getattr(change, name)) for name in _VALUES if getattr(change, name) is not ...]
    return [head, *(f"          {name}: {_short(encode(value))}" for name, value in values)]


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
