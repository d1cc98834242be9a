"""Turns a raw record into what a profile lets be shown; a field not named here is private (spec A.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from .javascript import cut, to_number, to_string
from .records import brain_label, brain_text, identity_label, is_truthy
from .vocabulary import MAX_PATH_CHARS, MAX_SUMMARY_CHARS, MAX_TITLE_CHARS, Json, Redact


def project(scope: str, name: str, record: Json, profile: str, redact: Redact) -> Json:
    """Kind, title, summary and path of a record; every text from the record is redacted and within its cap.

    The profile `metadata` shows no text of a workspace or brain record. A kind is a name: it is not cut.
    """
    return _PROJECTIONS[scope](name, record, profile, redact)


def _navigation(name: str, record: Json, profile: str, redact: Redact) -> Json:
    item = {
        "kind": "page",
        "title": redact(record.get("label"), MAX_TITLE_CHARS),
        "summary": redact(record.get("section"), MAX_SUMMARY_CHARS - len(_PAGE)) + _PAGE,
    }
    path = record.get("path")
    return item if path is None else {**item, "path": cut(to_string(path), MAX_PATH_CHARS)}


def _workspace(name: str, record: Json, profile: str, redact: Redact) -> Json:
    return {
        "kind": "workspace",
        "title": redact(record.get("appName"), MAX_TITLE_CHARS) if profile == "summary" else "Workspace",
        "summary": f"Active workspace with {_task_count(record.get('taskCount'))} task(s).",
        "path": "/apps",
    }


def _brain(name: str, record: Json, profile: str, redact: Redact) -> Json:
    title, summary = f"{name} record", f"Read-only {name} record metadata."
    if profile == "summary":
        label = brain_label(record)
        title = title if label is None else redact(label, MAX_TITLE_CHARS)
        summary = redact(brain_text(record), MAX_SUMMARY_CHARS) or f"Read-only {name} record."
    return {"kind": name, "title": title, "summary": summary, "path": f"/brain/{name}"}


def _identity(name: str, record: Json, profile: str, redact: Redact) -> Json:
    return {
        "kind": "identity-export-section",
        "title": redact(identity_label(name, record), MAX_TITLE_CHARS),
        "summary": _PRESENT if is_truthy(record.get("present")) else _ABSENT,
        "path": "/digital-twin/time-capsule",
    }


def _task_count(value: Json) -> str:
    count = to_number(value)
    return "0" if math.isnan(count) else to_string(count)


_PAGE: Final = " page in PortOS."
_PRESENT: Final = "Present in the local identity export; raw records are excluded."
_ABSENT: Final = "No local identity-export data is present for this section."

_PROJECTIONS: Final[Mapping[str, Callable[[str, Json, str, Redact], Json]]] = {
    "navigation": _navigation,
    "workspaces": _workspace,
    "brain": _brain,
    "identity": _identity,
}
