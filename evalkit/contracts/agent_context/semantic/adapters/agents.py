"""The coding agents that are at work now (spec C.2)."""

from __future__ import annotations

from ...store import Ledger
from ..nouns import Json, Moment
from .local_time import parse
from .outcomes import counted, done


def status(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """→ `count`, `agents`, with `elapsedMs` since each began."""
    running = [row.body for row in ledger.rows("agents") if row.body.get("status", "running") == "running"]
    agents = [_shown(agent, moment) for agent in running]
    return done(f"{counted(len(agents), 'agent')} running.", count=len(agents), agents=agents)


def _shown(agent: Json, moment: Moment) -> Json:
    begun = parse(agent["startedAt"], moment.timezone).timestamp()
    return {
        "taskId": agent["taskId"],
        "agentId": agent["agentId"],
        "description": agent["description"],
        "phase": agent["phase"],
        "app": agent.get("app"),
        "elapsedMs": max(0, round((moment.seconds - begun) * 1000)),
    }
