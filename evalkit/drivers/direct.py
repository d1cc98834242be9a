"""Drives a contract by plain Python calls, with nothing between."""

from __future__ import annotations

from typing import Final, cast

from evalkit.errors import CapabilityMissing
from evalkit.model import Call, DirectSurface, Json, Observation, Session

OPERATIONS: Final = frozenset({"manifest", "tool"})


def open(surface: object) -> Session:  # noqa: A001  every driver opens
    """Open a DirectSurface."""
    return _DirectSession(cast("DirectSurface", surface))


class _DirectSession:
    def __init__(self, surface: DirectSurface) -> None:
        self._surface = surface

    def send(self, call: Call) -> Observation:
        """Ask for the manifest, and for a tool's answer where the call names a tool."""
        if "client" in call.words:
            raise CapabilityMissing(
                "plain Python calls ask nothing back, so `client` cannot be said over `direct`"
            )
        if call.operation == "manifest":
            return Observation({"manifest": self._surface.manifest()})
        result = self._call_tool(call)
        roots = {"manifest": self._surface.manifest(), "toolResult": result}
        if isinstance(result, dict) and "structuredContent" in result:
            roots["output"] = result["structuredContent"]
        return Observation(roots)

    def close(self) -> None:
        """Nothing was opened."""

    def _call_tool(self, call: Call) -> Json:
        words = call.words
        extra = {key: words[key] for key in ("headers", "meta") if key in words}
        return self._surface.call_tool(words["tool"], words.get("args"), **extra)
