"""The four hints of a tool's annotations, with what the protocol says of absent ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Finding, Json

DEFAULTS: Final[Mapping[str, bool]] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
READ_ONLY: Final[Mapping[str, bool]] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
HINT_CODES: Final[Mapping[str, str]] = {
    "hint-differs": "A tool's hint is not as the suite wants; an absent one has the protocol's default.",
}


def differing(tool: Mapping[str, Json], index: int, wanted: Mapping[str, bool]) -> Iterator[Finding]:
    """One finding for each hint of the tool at this place of the manifest that is not the wanted one."""
    stated = tool.get("annotations")
    hints = {**DEFAULTS, **(stated if isinstance(stated, dict) else {})}
    for hint, value in wanted.items():
        if hints[hint] is not value:
            path = f"manifest.tools.{index}.annotations.{hint}"
            by_default = "" if isinstance(stated, dict) and hint in stated else " by default"
            message = (
                f"{hint} of {tool['name']} is {_word(hints[hint])}{by_default}, and {_word(value)} is wanted"
            )
            yield Finding("hint-differs", message, path, expected=value, actual=hints[hint])


def _word(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else "no boolean"
