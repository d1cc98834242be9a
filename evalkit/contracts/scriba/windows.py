"""Which quota window a label names, how long it lasts, and the order of windows (spec 1.4, 1.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final

from .budget_nouns import WindowReading
from .durations import HOUR, MILLISECOND


def key_of(provider: str, label: str) -> str | None:
    """The key of the window that a label names, without regard to case or padding; None if it names none."""
    return _KEYS.get((_plain(provider), _plain(label)))


def fallback_period_ms(provider: str, key: str) -> int | None:
    """How long a window lasts, in milliseconds, when nothing stored says so: known of claude's alone."""
    return _CLAUDE_PERIODS.get(key) if _plain(provider) == "claude" else None


def in_order(readings: Iterable[WindowReading]) -> tuple[WindowReading, ...]:
    """Windows as a document shows them: by key, then by label."""
    return tuple(sorted(readings, key=_PLACE))


_PLACE: Final = attrgetter("key", "label")

_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    "codex": {
        "5h limit": "primary.five_hour",
        "weekly limit": "primary.weekly",
        "spark 5h": "spark.five_hour",
        "spark weekly": "spark.weekly",
        "review 5h": "review.five_hour",
        "review weekly": "review.weekly",
    },
    "claude": {
        "5h limit": "primary.five_hour",
        "weekly limit": "primary.weekly",
        "oauth apps": "oauth_apps.weekly",
        "sonnet": "sonnet.weekly",
        "claude design": "design.weekly",
        "claude routines": "routines.weekly",
        "extra claude window": "extra.current",
    },
}
_KEYS: Final = {
    (provider, label): key for provider, labels in _LABELS.items() for label, key in labels.items()
}

_WEEK: Final = 168 * HOUR // MILLISECOND
_CLAUDE_PERIODS: Final = dict.fromkeys(_LABELS["claude"].values(), _WEEK) | {
    "primary.five_hour": 5 * HOUR // MILLISECOND
}


def _plain(text: str) -> str:
    return text.strip().lower()
