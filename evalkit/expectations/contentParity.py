"""Each text of the tool result, parsed as JSON, equals the structured output; `false`: at least one does not.

expect:
  contentParity: true
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.expectations._plain import require_more
from evalkit.expectations._results import (
    OUTPUT_CODES,
    RESULT_CODES,
    TOOL,
    no_output,
    texts,
    tool_result,
)
from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT, parse_json, quick_json, same

OPERATIONS: Final = TOOL
SCHEMA: Final[Json] = {
    "type": "boolean",
    "description": "Whether the text content, parsed, must equal the structured output or differ from it.",
}
CODES: Final[Mapping[str, str]] = {
    "content-differs": "A text of the tool result is JSON, but another value than the structured output.",
    "content-not-json": "A text of the tool result is no JSON, though it must equal the structured output.",
    "content-equal": "Every text of the tool result equals the output, and the suite wants them to differ.",
    "content-missing": "The tool result holds no text to compare with the structured output.",
    **OUTPUT_CODES,
    **RESULT_CODES,
}


def conflicts(expect: Mapping[str, Json]) -> Iterator[str]:
    """Yield why the word cannot stand beside others: an error carries no structured output."""
    if expect.get("isError") is True:
        yield "contentParity compares with the structured output, and an error (isError: true) has none"


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each text that differs from the output, or that says nothing can be compared."""
    require_more(evidence, "content")
    result = tool_result(evidence)
    if isinstance(result, Finding):
        yield result
        return
    output = evidence.observation.roots.get("output", ABSENT)
    if output is ABSENT:
        yield no_output(evidence)
        return
    found = texts(result)
    if not found:
        content = result.get("content", ABSENT)
        yield Finding("content-missing", "there is no text content", "toolResult.content", output, content)
        return
    differing = [finding for path, text in found.items() if (finding := _difference(path, text, output))]
    if wanted:
        yield from differing
    elif not differing:
        message = "the text content equals the structured output, and must differ"
        yield Finding("content-equal", message, next(iter(found)), actual=output)


def _difference(path: str, text: str, output: Json) -> Finding | None:
    if text.encode(errors="surrogatepass") == quick_json(output):
        return None
    try:
        value = parse_json(text)
    except ValueError as problem:
        message = f"{path} is no JSON: {_in_short(problem)}"
        return Finding("content-not-json", message, path, output, text)
    if same(value, output):
        return None
    return Finding("content-differs", f"{path} is another value than the output", path, output, value)


def _in_short(problem: ValueError) -> str:
    """Why, without the text itself, which may hold a secret."""
    where = f" at character {problem.pos}" if isinstance(problem, json.JSONDecodeError) else ""
    return f"{getattr(problem, 'msg', problem)}{where}"
