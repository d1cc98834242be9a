"""Rules of calls that must be refused: a tool that is not there, and arguments that its schema forbids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Rule
from evalkit.rules._arguments import Breach, breaches_of, can_be_read_as
from evalkit.rules._calls import RESULT, TOOL, error_of, has_failed, listing_of, result_of, texts_of, tool_of
from evalkit.values import ABSENT, kind_of, parse_json

INVALID_PARAMS: Final = -32602

_ERROR_WORDS: Final = re.compile(
    r"[\W_]*(?:(?:mcp )?\w*error|\w*exception|traceback|fail(?:ed|ure)|invalid|validation|missing|unknown"
    r"|unrecogni[sz]ed|unsupported|unexpected|cannot|can't|could not|unable|bad request|required|no such"
    r"|\d+ validation errors?|tool \S+ (?:was )?not found"
    r"|(?:\S+ ){1,4}(?:is|are) (?:required|missing|invalid|not allowed))\b",
    re.IGNORECASE,
)
_DATA: Final = re.compile(r"\s*(?:\{|\[\s*[\[{\"\]])")
"""How a text begins that means to be JSON, whose first name says nothing yet."""
_HEAD: Final = 200
"""Characters of a text in which it says what it is about."""
_FAILED: Final = ("error", "failed", "failure", "fail")


def _unknown_refused(evidence: Evidence) -> Iterator[Fault]:
    _require_unknown(evidence)
    if _is_accepted(evidence):
        told = "a tool that is not listed was called, and the answer is a success"
        yield Fault(told, RESULT, INVALID_PARAMS, evidence.observation.roots[RESULT])


def _unknown_code(evidence: Evidence) -> Iterator[Fault]:
    _require_unknown(evidence)
    yield from _coded(evidence, "an unknown tool")


def _required_checked(evidence: Evidence) -> Iterator[Fault]:
    missing = _broken(evidence, "missing")
    if all("default" in breach.schema for breach in missing):
        raise CapabilityMissing("the argument that is missing has a default, which may stand for it")
    yield from _accepted(evidence, missing, "is required, and the call without it is a success")


def _unknown_checked(evidence: Evidence) -> Iterator[Fault]:
    extra = _broken(evidence, "extra")
    yield from _accepted(evidence, extra, "is not allowed by the schema, and the call with it is a success")


def _types_checked(evidence: Evidence) -> Iterator[Fault]:
    wrong = [one for one in _broken(evidence, "mistyped") if not can_be_read_as(one.value, one.kinds)]
    yield from _accepted(evidence, wrong, "is of a type that cannot be meant, and the call is a success")


def _types_strict(evidence: Evidence) -> Iterator[Fault]:
    near = [one for one in _broken(evidence, "mistyped") if can_be_read_as(one.value, one.kinds)]
    yield from _accepted(evidence, near, "is of another type than the schema's, and the call is a success")


def _told_as_error(evidence: Evidence) -> Iterator[Fault]:
    if not breaches_of(evidence):
        raise CapabilityMissing("the arguments are valid, so the call need not fail")
    result = evidence.observation.roots.get(RESULT)
    if _is_accepted(evidence) and reads_as_error(result):
        told = "the arguments are refused in words, and isError does not say so"
        yield Fault(told, f"{RESULT}.isError", True, result.get("isError", ABSENT))  # type: ignore[union-attr]


def _arguments_code(evidence: Evidence) -> Iterator[Fault]:
    if not breaches_of(evidence):
        raise CapabilityMissing("the arguments are valid, so the call need not fail")
    yield from _coded(evidence, "a call whose arguments are invalid")


def _error_shape(evidence: Evidence) -> Iterator[Fault]:
    error = error_of(evidence)
    if error is ABSENT:
        return
    if not isinstance(error, dict):
        yield Fault("the error is no object", "rpc.error", actual=error)
        return
    for word, kind in (("code", "integer"), ("message", "string")):
        if kind_of(error.get(word, ABSENT)) != kind:
            yield Fault(
                f"the error's {word} is no {kind}", f"rpc.error.{word}", actual=error.get(word, ABSENT)
            )


def reads_as_error(result: Json) -> bool:
    """Whether a result that must be an error says so in its texts or its output."""
    if not isinstance(result, dict):
        return False
    text = next((text for _, text in texts_of(result)), "")
    is_said = not _DATA.match(text[:_HEAD]) and _ERROR_WORDS.match(text[:_HEAD])
    return bool(is_said) or _names_error(_json(text)) or _names_error(_inner(result))


def _inner(result: Mapping[str, Json]) -> Json:
    """The structured output; what it wraps, where that is all it holds."""
    output = result.get("structuredContent")
    wrapped = output.get("result") if isinstance(output, dict) and len(output) == 1 else None
    return wrapped if isinstance(wrapped, dict) else output


def _names_error(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    is_said = any(value.get(word) for word in ("error", "errors", "isError"))
    return (
        is_said or value.get("success") is False or value.get("ok") is False or value.get("status") in _FAILED
    )


def _json(text: str) -> Json:
    try:
        return parse_json(text) if text.lstrip().startswith("{") else None
    except ValueError:
        return None


def _require_unknown(evidence: Evidence) -> None:
    listing_of(evidence)
    manifest = evidence.observation.roots["manifest"]
    if "incomplete" in manifest:
        raise CapabilityMissing("the listing broke off, so the tool may be one of those that were not read")
    if tool_of(evidence) is not None:
        raise CapabilityMissing("the tool is listed, so the call need not fail")


def _broken(evidence: Evidence, how: str) -> list[Breach]:
    """What is wrong in one way with the arguments. Raises CapabilityMissing where nothing is."""
    found = [breach for breach in breaches_of(evidence) if breach.how == how]
    if not found:
        raise CapabilityMissing(f"no argument is {how}, so there is nothing to refuse for that")
    return found


def _accepted(evidence: Evidence, breaches: list[Breach], told: str) -> Iterator[Fault]:
    """A fault for each breach that was let pass; one that was told in words is another rule's."""
    if _is_accepted(evidence) and not reads_as_error(evidence.observation.roots[RESULT]):
        for breach in breaches:
            yield Fault(
                f"`{breach.name}` {told}", RESULT, {"isError": True}, evidence.observation.roots[RESULT]
            )


def _is_accepted(evidence: Evidence) -> bool:
    return error_of(evidence) is ABSENT and not has_failed(result_of(evidence))


def _coded(evidence: Evidence, what: str) -> Iterator[Fault]:
    error = error_of(evidence)
    code = error.get("code", ABSENT) if isinstance(error, dict) else INVALID_PARAMS
    if code != INVALID_PARAMS:
        told = f"{what} was refused with another code than the specification's"
        yield Fault(told, "rpc.error.code", INVALID_PARAMS, code)


_ERRORS: Final = "2025-11-25, server/tools, Error Handling"
_VALIDATE: Final = "2025-11-25, server/tools, Security Considerations"

RULES: Final = (
    Rule(
        "unknown-tool-refused",
        "high",
        "A call of a tool that is not listed is refused.",
        _ERRORS,
        'breaks: {"content": [{"type": "text", "text": "Error: no such tool"}]}\n'
        "keeps:  error -32602, or a result with isError true",
        TOOL,
        _unknown_refused,
    ),
    Rule(
        "unknown-tool-code",
        "low",
        "Where a call of a tool that is not listed gets an error, that is -32602.",
        _ERRORS,
        'breaks: {"error": {"code": -32603}}\nkeeps:  {"error": {"code": -32602}}, or isError true',
        TOOL,
        _unknown_code,
    ),
    Rule(
        "required-arguments-checked",
        "medium",
        "A call without a required argument is refused.",
        _VALIDATE,
        'breaks: a success for {} under {"required": ["id"]}\nkeeps:  isError true, or error -32602',
        TOOL,
        _required_checked,
    ),
    Rule(
        "closed-arguments-checked",
        "medium",
        "A call with an argument that the schema does not allow is refused.",
        _VALIDATE,
        'breaks: a success for {"idd": 1} under {"additionalProperties": false}\n'
        "keeps:  isError true, or a schema that is open",
        TOOL,
        _unknown_checked,
    ),
    Rule(
        "argument-types-checked",
        "medium",
        "A call with an argument of a wrong type, which nobody can read as the right one, is refused.",
        _VALIDATE,
        'breaks: a success for {"id": {}} under {"id": {"type": "string"}}\nkeeps:  isError true',
        TOOL,
        _types_checked,
    ),
    Rule(
        "argument-types-strict",
        "low",
        "A call with an argument of another type is refused, even if it can be read as the right one.",
        _VALIDATE,
        'breaks: a success for {"id": "1"} under {"id": {"type": "integer"}}\nkeeps:  isError true',
        TOOL,
        _types_strict,
    ),
    Rule(
        "errors-not-told-as-success",
        "medium",
        "A call that is refused in words is an error: isError says so.",
        _ERRORS,
        'breaks: {"content": [{"type": "text", "text": "Error: id is required"}]}\n'
        "keeps:  the same with isError true",
        TOOL,
        _told_as_error,
    ),
    Rule(
        "invalid-arguments-code",
        "low",
        "Where invalid arguments get an error, that is -32602.",
        _ERRORS,
        'breaks: {"error": {"code": -32603}}\nkeeps:  isError true, or {"error": {"code": -32602}}',
        TOOL,
        _arguments_code,
    ),
    Rule(
        "call-error-shape",
        "medium",
        "The error to a call has an integer as its code, and a message.",
        "JSON-RPC 2.0, 5.1",
        'breaks: {"error": "no such tool"}\nkeeps:  {"error": {"code": -32602, "message": "no such tool"}}',
        TOOL,
        _error_shape,
    ),
)
