"""The owner's goals: list them, say how far one has come, note what was done for it (spec C.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...javascript import to_string, trim
from ...store import Ledger, StoredRow
from ..nouns import Json, Moment
from .bounds import blank, limit, not_positive, outside
from .closest import closest
from .local_time import stamp
from .outcomes import counted, done, failed

_SHOWN: Final = 10
_MOST: Final = 20


def list_goals(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """The most urgent first → `count`, `goals`."""
    goals = [_shown(row.body) for row in _by_urgency(ledger)[: limit(args, _SHOWN, _MOST)]]
    return done(f"{counted(len(goals), 'goal')}, the most urgent first.", count=len(goals), goals=goals)


def update_progress(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Say how far a goal has come → `title`, `previous`, `current`, `alternatives` (other titles)."""
    query, progress = args["goalQuery"], args["progress"]
    if fault := blank("goalQuery", query) or outside("progress", progress, 0, 100):
        return failed(fault)
    found = _meant(ledger, query)
    if not found:
        return failed(_no_match(query))
    goal, *others = found
    title, previous = goal.body["title"], goal.body.get("progress", 0)
    ledger.replace("goals", goal.number, {**goal.body, "progress": progress})
    return done(
        f"{title}: {to_string(previous)}% → {to_string(progress)}%.",
        title=title,
        previous=previous,
        current=progress,
        alternatives=[other.body["title"] for other in others],
    )


def log_note(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Add a note to a goal → `title`."""
    query, note, minutes = args["goalQuery"], trim(args["note"]), args.get("durationMinutes")
    fault = blank("goalQuery", query) or blank("note", note) or not_positive("durationMinutes", minutes, 1440)
    if fault:
        return failed(fault)
    found = _meant(ledger, query)
    if not found:
        return failed(_no_match(query))
    goal = found[0]
    said = {} if minutes is None else {"durationMinutes": minutes}
    notes = [*goal.body.get("notes", ()), {"at": stamp(moment), "note": note, **said}]
    ledger.replace("goals", goal.number, {**goal.body, "notes": notes})
    return done(f"Noted for {goal.body['title']}: {note}", title=goal.body["title"])


def _by_urgency(ledger: Ledger) -> Sequence[StoredRow]:
    return sorted(ledger.rows("goals"), key=lambda row: -row.body.get("urgency", 0))


def _meant(ledger: Ledger, query: str) -> Sequence[StoredRow]:
    return closest(query, _by_urgency(ledger), lambda row: row.body["title"])


def _no_match(query: str) -> str:
    return f'No goal matches "{trim(query)}".'


def _shown(goal: Json) -> Json:
    fields = {"title": goal["title"], "horizon": goal.get("horizon"), "category": goal.get("category")}
    return {**fields, "progress": goal.get("progress", 0)}
