"""The work of each semantic tool, by the tool's id (spec C.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..nouns import Adapter
from . import agents, brain, calendar, catalog, feeds, goals, health, journal, processes, time, weather

ADAPTERS: Final[Mapping[str, Adapter]] = {
    "brain.capture": brain.capture,
    "brain.search": brain.search,
    "brain.recent": brain.recent,
    "health.log.drink": health.log_drink,
    "health.log.nicotine": health.log_nicotine,
    "health.today": health.today,
    "health.log.weight": health.log_weight,
    "health.log.workout": health.log_workout,
    "goals.list": goals.list_goals,
    "goals.update-progress": goals.update_progress,
    "goals.log-note": goals.log_note,
    "system.processes.status": processes.status,
    "feeds.digest": feeds.digest,
    "feeds.mark-read": feeds.mark_read,
    "journal.append": journal.append,
    "journal.read": journal.read,
    "time.now": time.now,
    "calendar.today": calendar.today,
    "calendar.next": calendar.next_event,
    "weather.now": weather.now,
    "cos.agents.status": agents.status,
    "catalog.search": catalog.search,
}
