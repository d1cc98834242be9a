"""What the words about the wire share: one number or several, and an answer that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Finding, Json
from evalkit.values import find, same

HTTP: Final = frozenset({"http", "sse", "rpc"})
RESPONSE_CODES: Final[Mapping[str, str]] = {
    "response-missing": "No HTTP response came back, so there is nothing to judge.",
}


def one_or_several(number: Json, description: str) -> Json:
    """The schema of a number, or of a list of allowed ones."""
    several = {"type": "array", "minItems": 1, "items": number}
    return {"description": description, "anyOf": [number, several]}


def is_one_of(value: Json, wanted: Json) -> bool:
    """Whether a value is the wanted one, or one of the wanted ones."""
    return any(same(value, each) for each in (wanted if isinstance(wanted, list) else (wanted,)))


def response_part(evidence: Evidence, path: str) -> Json:
    """What stands at a path of the HTTP response; ABSENT where it does not.

    Raises CapabilityMissing for a message that went over standard streams: nothing there has a response.
    """
    roots = evidence.observation.roots
    if evidence.call.operation == "rpc" and "response" not in roots:
        raise CapabilityMissing(f"standard streams carry no HTTP, so there is no `{path}`")
    return find(roots, path)


def none_there(code: str, path: str) -> Finding:
    """The finding for an answer that did not come."""
    return Finding(code, f"there is no {path}", path)
