"""Which roots of an observation came back from the subject, and which are the harness's own notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.model import Json, Observation

NOTHING: Final[Mapping[str, str]] = {
    "nothing-to-compare": "The step gave no answer that could be compared.",
}
_OURS: Final = frozenset({"sources", "effects", "steps"})


def came_back(observation: Observation) -> dict[str, Json]:
    """The roots that the subject answered with."""
    return {root: value for root, value in observation.roots.items() if root not in _OURS}
