"""How a conversation over MCP begins: with a handshake, with nothing, or with whichever the server speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from evalkit.drivers._answers import SHOWN
from evalkit.drivers._eras import (
    CLIENT,
    HANDSHAKE,
    STATELESS,
    UNSUPPORTED,
    Era,
    Handshake,
    Stateless,
    session_of,
)
from evalkit.drivers._messages import Answer
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.values import ABSENT, encode

Ask: TypeAlias = Callable[[Era, str, dict[str, Json]], Answer]
Tell: TypeAlias = Callable[[Era, str], None]

NO_ANSWER: Final = frozenset({"protocol", "not-json"})
"""The errors of a case in which something came back, but no answer."""


def begin(
    way: Literal["auto", "handshake", "stateless"], ask: Ask, tell: Tell, capabilities: Mapping[str, Json]
) -> Era:
    """The era to go on with. Raises CaseError where the server speaks none that is known here.

    `auto` does as the official clients do: `server/discover` at 2026-07-28 is asked first, and whatever is
    no answer of that era leads to a handshake. A server that was too slow for that question says so then.
    """
    if way == "stateless":
        return Stateless()
    if way == "auto" and (found := _discover(ask)):
        return found
    params = {"protocolVersion": HANDSHAKE[0], "capabilities": capabilities, "clientInfo": CLIENT}
    answer = ask(Handshake(), "initialize", params)
    if way == "auto" and STATELESS in _spoken(answer.message.get("error")):
        return _discover(ask) or Stateless()
    return _agreed(answer, tell)


def _discover(ask: Ask) -> Stateless | None:
    """The stateless era where the server speaks it. One that says so and refuses is asked once more."""
    refused = False
    while True:
        try:
            message = ask(Stateless(), "server/discover", {}).message
        except CaseError as problem:
            if problem.code in NO_ANSWER:
                return None
            raise
        result, spoken = message.get("result"), _spoken(message.get("error"))
        if isinstance(result, dict) and STATELESS in _texts(result.get("supportedVersions")):
            return Stateless(told=result)
        if refused or STATELESS not in spoken:
            break
        refused = True
    if spoken and not spoken & {*HANDSHAKE}:
        told = ", ".join(sorted(spoken))
        raise CaseError("protocol", f"the server speaks no revision that is known here, but {told}")
    return None


def _agreed(answer: Answer, tell: Tell) -> Handshake:
    """What an answer to `initialize` comes to."""
    result = answer.message.get("result")
    if not isinstance(result, dict):
        raise CaseError("protocol", f"the server began no session, but answered {_short(answer.message)}")
    version = result.get("protocolVersion")
    if version not in HANDSHAKE:
        known = ", ".join(HANDSHAKE)
        raise CaseError(
            "protocol", f"the server chose the revision {_short(version)}, which is none of {known}"
        )
    era = Handshake(version, session_of(answer.headers), result)
    tell(era, "notifications/initialized")
    return era


def _spoken(error: Json) -> set[str]:
    """The revisions that an error names as those which the server speaks."""
    if not isinstance(error, dict) or error.get("code") != UNSUPPORTED:
        return set()
    data = error.get("data")
    return _texts(data.get("supported")) if isinstance(data, dict) else set()


def _texts(value: Json) -> set[str]:
    return {one for one in value if isinstance(one, str)} if isinstance(value, list) else set()


def _short(value: Json) -> str:
    """A value as JSON where it is short; never half of it."""
    text = encode(None if value is ABSENT else value)
    return text if len(text) <= SHOWN else f"{len(text)} characters of JSON"
