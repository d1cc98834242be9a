"""Tool results as MCP shapes them: the result, its output, its texts, and findings for odd ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Evidence, Finding, Json
from evalkit.values import ABSENT

TOOL: Final = frozenset({"tool"})
OUTPUTS: Final = frozenset({"tool", "resource", "prompt", "complete"})
RESULT_CODES: Final[Mapping[str, str]] = {
    "result-missing": "No tool result came back, so there is nothing to judge.",
    "result-malformed": "The tool result is no object, its `isError` no boolean, or its `content` no blocks.",
}
OUTPUT_CODES: Final[Mapping[str, str]] = {
    "tool-failed": "The tool answered with an error, so there is no output to judge.",
    "output-missing": "The answer has no structured output, so there is nothing to judge.",
}
_LONGEST_TEXT: Final = 500


def tool_result(evidence: Evidence) -> dict[str, Json] | Finding:
    """The tool result, or the finding that there is none of that shape."""
    result = evidence.observation.roots.get("toolResult", ABSENT)
    if result is ABSENT:
        message, actual = "no tool result came back", _rpc_error(evidence)
        return Finding("result-missing", message, "toolResult", actual=actual)
    if not isinstance(result, dict):
        return Finding("result-malformed", "the tool result is no object", "toolResult", actual=result)
    if not isinstance(result.get("isError", False), bool):
        path, flag = "toolResult.isError", result["isError"]
        return Finding("result-malformed", "the tool result's isError is no boolean", path, actual=flag)
    return result


def no_output(evidence: Evidence) -> Finding:
    """The finding for an answer without structured output; with the error's text where it is one."""
    if failed(evidence):
        return tool_failed(evidence, "the tool failed")
    message = "the answer has no structured output"
    return Finding("output-missing", message, "output", actual=_rpc_error(evidence))


def failed(evidence: Evidence) -> bool:
    """Whether the answer is a tool result that says that it is an error."""
    result = evidence.observation.roots.get("toolResult")
    return isinstance(result, dict) and result.get("isError") is True


def tool_failed(
    evidence: Evidence, message: str, code: str = "tool-failed", expected: Json = ABSENT
) -> Finding:
    """A finding about an error result; its text is `actual`, and in the message too where it is short."""
    text = "\n".join(texts(evidence.observation.roots["toolResult"]).values())
    said = f"{message}: {text}" if 0 < len(text) <= _LONGEST_TEXT else message
    return Finding(code, said, "toolResult", expected, text)


def texts(result: Mapping[str, Json]) -> dict[str, str]:
    """Path → text of each well-formed text block of a tool result."""
    content = result.get("content")
    return {
        f"toolResult.content.{index}.text": block["text"]
        for index, block in enumerate(content if isinstance(content, list) else ())
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    }


def odd_content(result: Mapping[str, Json]) -> Iterator[Finding]:
    """Findings for content that is no array, and for each block in it that no client can read."""
    content, path = result.get("content", []), "toolResult.content"
    if not isinstance(content, list):
        yield Finding("result-malformed", "the tool result's content is no array", path, actual=content)
        return
    for index, block in enumerate(content):
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str) or (kind == "text" and not isinstance(block.get("text"), str)):
            what = "a text without `text`" if kind == "text" else "no object with a `type`"
            at = f"{path}.{index}"
            yield Finding("result-malformed", f"{at} is {what}", at, actual=block)


def _rpc_error(evidence: Evidence) -> Json:
    answer = evidence.observation.roots.get("rpc")
    return answer.get("error", ABSENT) if isinstance(answer, dict) else ABSENT
