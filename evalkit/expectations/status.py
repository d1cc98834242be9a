"""The HTTP status of the answer is this, or one of these.

expect:
  status: 200

expect:
  status: [403, 421]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._wire import (
    HTTP,
    RESPONSE_CODES,
    is_one_of,
    none_there,
    one_or_several,
    response_part,
)
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT

OPERATIONS: Final = HTTP
SCHEMA: Final[Json] = one_or_several(
    {"type": "integer", "minimum": 100, "maximum": 599}, "The HTTP status, or the statuses that are allowed."
)
CODES: Final[Mapping[str, str]] = {
    "status-differs": "The HTTP status of the answer is another one than the suite wants.",
    **RESPONSE_CODES,
}


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding where the status is none of the wanted ones."""
    status = response_part(evidence, "response.status")
    if status is ABSENT:
        yield none_there("response-missing", "response.status")
    elif not is_one_of(status, wanted):
        message = "the status is another one than is wanted"
        yield Finding("status-differs", message, "response.status", wanted, status)
