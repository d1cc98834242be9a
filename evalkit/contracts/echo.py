"""The smallest contract: one tool that answers with what was said. Copy it to start your own."""

from __future__ import annotations

import json
from typing import Final

from evalkit.model import Json, Subject, World

_TEXT: Final[Json] = {"type": "string", "minLength": 1, "maxLength": 200}
_TOOL: Final[Json] = {
    "name": "echo",
    "title": "Echo",
    "description": "Say something back in one of the voices.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": _TEXT, "voice": _TEXT},
        "required": ["text"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"said": {"type": "string"}, "at": {"type": "integer"}},
        "required": ["said", "at"],
        "additionalProperties": False,
    },
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}


class Echo:
    """The way in called `direct`."""

    def __init__(self, world: World) -> None:
        """Keep the World: it holds the only source, the voices."""
        self._world = world
        world.log.declare("voices")

    def manifest(self) -> Json:
        """What the contract says of itself."""
        return {"kind": "echo", "tools": [_TOOL]}

    def call_tool(self, name: str, args: Json) -> Json:
        """Answer one call as an MCP tool result."""
        if name != "echo":
            return _refusal(f"Unknown tool: {name}")
        if not isinstance(args, dict) or not args.keys() <= {"text", "voice"}:
            return _refusal("Invalid input: there are a text and a voice")
        text, voice = args.get("text"), args.get("voice", "plain")
        if not _is_text(text) or not _is_text(voice):
            return _refusal("Invalid input: text and voice have 1 to 200 characters")
        self._world.log.read("voices")
        voices = {"plain": "{}", **self._world.fixture.get("voices", {})}
        if voice not in voices:
            return _refusal(f"Unknown voice: {voice}")
        output = {"said": voices[voice].replace("{}", text), "at": int(self._world.now())}
        return {"content": [{"type": "text", "text": json.dumps(output)}], "structuredContent": output}


def open_subject(world: World) -> Subject:
    """Build the contract from its World, fresh for each case."""
    return Subject({"direct": Echo(world)}, snapshot=lambda: {"voices": world.fixture.get("voices", {})})


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 200


def _refusal(text: str) -> Json:
    return {"isError": True, "content": [{"type": "text", "text": text}]}
