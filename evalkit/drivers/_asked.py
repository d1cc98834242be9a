"""What the harness answers when a server asks it something: what the step's `client` says, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.model import Json
from evalkit.values import ABSENT

NOT_FOUND: Final = {"code": -32601, "message": "Method not found"}

_WORD_OF: Final = {
    "roots/list": "roots",
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
}


def capabilities_of(client: Mapping[str, Json]) -> dict[str, Json]:
    """What a client that has these answers says it can do."""
    return {word: {} for word in _WORD_OF.values() if word in client}


def result_for(method: Json, client: Mapping[str, Json]) -> Json:
    """The result of a request, or ABSENT where the step has none. The value of `client` is the result itself;
    of `roots` it is the list in it."""
    if method == "ping":
        return {}
    word = _WORD_OF.get(method) if isinstance(method, str) else None
    if word is None or word not in client:
        return ABSENT
    return {"roots": client["roots"]} if word == "roots" else client[word]


def inputs_for(requests: Json, client: Mapping[str, Json]) -> Json:
    """The results that a `input_required` asks for, by its keys; ABSENT where one cannot be given."""
    if not isinstance(requests, dict):
        return ABSENT
    results = {
        key: result_for(request.get("method") if isinstance(request, dict) else None, client)
        for key, request in requests.items()
    }
    return ABSENT if any(result is ABSENT for result in results.values()) else results
