"""Tells what kind of JSON-RPC message a value is; the envelopes are closed (spec B.4)."""

from __future__ import annotations

import math
from typing import Final

from ..javascript import utf16_length
from ..vocabulary import Json
from .nouns import Envelope

_CALL_KEYS: Final = frozenset(("jsonrpc", "id", "method", "params"))
_RESPONSE_KEYS: Final = frozenset(("jsonrpc", "id", "result", "error"))
_MAX_ID_CHARS: Final = 200
_MAX_METHOD_CHARS: Final = 120


def classify(message: Json) -> Envelope | None:
    """What a message is; None for anything that is not exactly one (a batch too). `...` is no message."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    if "method" in message:
        return _call(message)
    answered = "result" in message or "error" in message
    closed = message.keys() <= _RESPONSE_KEYS
    return Envelope("response") if answered and closed and _is_id(message.get("id")) else None


def _call(message: Json) -> Envelope | None:
    method, params = message["method"], message.get("params")
    if not message.keys() <= _CALL_KEYS or not _is_method(method):
        return None
    if "params" in message and not isinstance(params, dict):
        return None
    if "id" not in message:
        return Envelope("notification", None, method, params)
    number = message["id"]
    return Envelope("request", number, method, params) if _is_id(number) else None


def _is_method(method: Json) -> bool:
    return isinstance(method, str) and 1 <= utf16_length(method) <= _MAX_METHOD_CHARS


def _is_id(value: Json) -> bool:
    if isinstance(value, str):
        return utf16_length(value) <= _MAX_ID_CHARS
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an int that no double holds
        return False
