"""The values that pass between the rules of the semantic tools (spec C)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..store import Ledger, Store

Json: TypeAlias = Any

Effect: TypeAlias = Literal["read", "write"]
AuthorityScope: TypeAlias = Literal["agent", "mind", "ui", "voice"]

STATUSES: Final[Mapping[str, int]] = {
    "TOOL_NOT_FOUND": 404,
    "TOOL_SCOPE_DENIED": 403,
    "TOOL_CAPABILITY_DENIED": 403,
    "TOOL_AUTH_REQUIRED": 403,
    "TOOL_VALIDATION_ERROR": 400,
    "TOOL_IDEMPOTENCY_CONFLICT": 409,
    "TOOL_IDEMPOTENCY_EXPIRED": 409,
    "TOOL_IDEMPOTENCY_MISMATCH": 400,
    "TOOL_CALL_NOT_FOUND": 404,
    "VALIDATION_ERROR": 400,
}
"""Each code that a call can be refused with, and its HTTP status (spec C.5)."""


class Refused(Exception):
    """A call that was not carried out: `code` is a key of STATUSES, the text says what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class SemanticTool(NamedTuple):
    """One row of the catalogue (spec C.1, C.2). `aliases` are legacy names; the MCP name is `id` with `_`."""

    id: str
    description: str
    effect: Effect
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] = {}
    required: tuple[str, ...] = ()


class ToolCall(NamedTuple):
    """What is asked for. `request_id` is None where the caller gave no key: it is not remembered then."""

    name: str
    arguments: Json
    request_id: str | None


class Authority(NamedTuple):
    """In whose name a call is made: `capabilities` holds what is granted (`readPortos`, `writePortos`)."""

    scope: AuthorityScope
    capabilities: frozenset[str]
    authenticated: bool = False


class Moment(NamedTuple):
    """What an adapter may know of time: seconds since the Unix epoch, and the zone to tell it in."""

    seconds: float
    timezone: str


Adapter: TypeAlias = Callable[[Ledger, Json, Moment], Json]
"""The work of one tool: its store, its validated arguments and the time → `{ok, summary, …}`.

A reading adapter only calls `rows`. It raises, or gives `ok: false`, where the call fails.
"""


class Surroundings(NamedTuple):
    """What the tools work with: `next_id` gives a fresh UUID each time."""

    store: Store
    now: Callable[[], float]
    next_id: Callable[[], str]
