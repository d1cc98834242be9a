"""Where the secrets of a case stand in what came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Observation
from evalkit.spellings import Hit, needles_for
from evalkit.stage import known_as
from evalkit.values import ABSENT

_OURS: Final = frozenset({"sources", "effects"})


def leaks_in(observation: Observation, secrets: Mapping[str, str]) -> Iterator[Hit]:
    """Every place of a secret in what came back, but not twice: `output` is a part of `toolResult`.

    `response.bytes` is the body again, which is searched as it came.
    """
    came_back = {root: value for root, value in observation.roots.items() if root not in _OURS}
    if "toolResult" in came_back:
        came_back.pop("output", None)
    if observation.raw and isinstance(response := came_back.get("response"), dict):
        came_back["response"] = {key: value for key, value in response.items() if key != "bytes"}
    manifest = came_back.pop("manifest", ABSENT)
    needles = needles_for(secrets)
    yield from needles.search(came_back)
    if manifest is not ABSENT:
        yield from needles.search_known(manifest, known_as(manifest), "manifest")
    for at, piece in enumerate(observation.raw):
        yield from needles.search(piece, f"raw.{at}")
