"""What the rules of messages read: the message that a step sent, and the answer that came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.model import Evidence, Json

RPC: Final = frozenset({"rpc"})


def message_of(evidence: Evidence) -> Mapping[str, Json]:
    """The message, where it was an object."""
    message = evidence.call.words.get("message")
    return message if isinstance(message, Mapping) else {}


def params_of(evidence: Evidence) -> Mapping[str, Json]:
    """Its params."""
    params = message_of(evidence).get("params")
    return params if isinstance(params, Mapping) else {}


def answer_of(evidence: Evidence) -> Mapping[str, Json]:
    """The answer; empty where none came."""
    answer = evidence.observation.roots.get("rpc")
    return answer if isinstance(answer, dict) else {}


def result_of(evidence: Evidence) -> Mapping[str, Json]:
    """The result in the answer; empty where there is none."""
    result = answer_of(evidence).get("result")
    return result if isinstance(result, dict) else {}


def error_of(evidence: Evidence) -> Mapping[str, Json] | None:
    """The error in the answer, where it is one."""
    error = answer_of(evidence).get("error")
    return error if isinstance(error, dict) else None
