"""Calls of tools that a test writes by hand: a result in order, of which it changes one thing."""

from __future__ import annotations

from typing import Any

from evalkit.model import Evidence
from tests.rules.judging import evidence
from tests.rules.manifests import manifest, tool


def result(*content: Any, **changed: Any) -> dict[str, Any]:
    """A result in order with these blocks, or with one of text; `...` takes a key away."""
    whole = {"content": list(content) if content else [text("Rain.")], **changed}
    return {key: value for key, value in whole.items() if value is not ...}


def text(told: Any, **changed: Any) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": told, **changed}


def called(
    found: Any, args: Any = None, listed: Any = ..., name: str = "read_day", **around: Any
) -> Evidence:
    """What a step saw that called a tool and got a result; `listed` is the tool as it is advertised.

    `around` changes the manifest.
    """
    return _step({"toolResult": found}, args, listed, name, around)


def refused(
    error: Any, args: Any = None, listed: Any = ..., name: str = "read_day", **around: Any
) -> Evidence:
    """What a step saw that called a tool and got an error of the protocol."""
    return _step({"rpc": {"jsonrpc": "2.0", "id": 1, "error": error}}, args, listed, name, around)


def _step(roots: dict[str, Any], args: Any, listed: Any, name: str, around: dict[str, Any]) -> Evidence:
    words = {"tool": name, "args": {"day": "monday"} if args is None else args}
    whole = manifest(tool() if listed is ... else listed, **around)
    return evidence("tool", words, {**roots, "manifest": whole})
