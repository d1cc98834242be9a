"""The processes that keep the owner's applications running (spec C.2)."""

from __future__ import annotations

from ...store import Ledger
from ..nouns import Json, Moment
from .outcomes import done


def status(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """→ `total`, `online`, `unhealthy`, `desktopExited` (names of desktop apps that somebody closed)."""
    processes = [row.body for row in ledger.rows("processes")]
    online = sum(process["status"] == "online" for process in processes)
    unhealthy = [
        {"name": process["name"], "status": process["status"], "restarts": process.get("restarts", 0)}
        for process in processes
        if process["status"] != "online" and not _is_closed(process)
    ]
    return done(
        f"{online} of {len(processes)} processes online, {len(unhealthy)} unhealthy.",
        total=len(processes),
        online=online,
        unhealthy=unhealthy,
        desktopExited=[process["name"] for process in processes if _is_closed(process)],
    )


def _is_closed(process: Json) -> bool:
    """A desktop app that has stopped was closed by its user: nothing is wrong with it."""
    return bool(process.get("desktop")) and process["status"] == "stopped"
