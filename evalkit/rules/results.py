"""Rules of the shape of a tool result: its content, each block of that, and how it tells an error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Rule, revision_of
from evalkit.rules._calls import (
    COMPLETE,
    RESULT,
    TOOL,
    blocks_of,
    error_of,
    has_failed,
    result_of,
    texts_of,
)
from evalkit.values import ABSENT, kind_of

SINCE: Final[Mapping[str, str]] = {
    "text": "2024-11-05",
    "image": "2024-11-05",
    "resource": "2024-11-05",
    "audio": "2025-03-26",
    "resource_link": "2025-06-18",
}
"""The kinds of content, and the first revision that knows each."""

_REQUIRED: Final[Mapping[str, Mapping[str, str]]] = {
    "text": {"text": "string"},
    "image": {"data": "string", "mimeType": "string"},
    "audio": {"data": "string", "mimeType": "string"},
    "resource": {"resource": "object"},
    "resource_link": {"uri": "string", "name": "string"},
}
_EVERYWHERE: Final = {"annotations": "object", "_meta": "object"}
_LINK: Final = {"title": "string", "description": "string", "mimeType": "string", "size": "number"}
_OPTIONAL: Final[Mapping[str, Mapping[str, str]]] = dict.fromkeys(_REQUIRED, _EVERYWHERE) | {
    "resource_link": {**_EVERYWHERE, **_LINK}
}

_ALPHABET: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_SPACE: Final = re.compile(r"[ \t\r\n]+")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TRACEBACK: Final = re.compile(
    r"Traceback \(most recent call last\):|^[ \t]+at .{0,300}\(?(?:file://|/|[A-Za-z]:\\).{0,300}:\d+:\d+\)?$",
    re.MULTILINE,
)


def _content_list(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    if not isinstance(result, dict):
        yield Fault("the result of the call is no object", RESULT, actual=result)
    elif not isinstance(result.get("content"), list):
        told, content = "the result's content is no array", result.get("content", ABSENT)
        yield Fault(told, f"{RESULT}.content", [], content)


def _content_known(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    content = result.get("content") if isinstance(result, dict) else None
    for index, block in enumerate(content if isinstance(content, list) else ()):
        path = f"{RESULT}.content.{index}"
        if not isinstance(block, dict):
            yield Fault("a block of the content is no object", path, actual=block)
        elif not isinstance(block.get("type"), str) or block["type"] not in SINCE:
            told = "a block of the content is of no kind that any revision knows"
            yield Fault(told, f"{path}.type", list(SINCE), block.get("type", ABSENT))


def _content_of_revision(evidence: Evidence) -> Iterator[Fault]:
    revision = revision_of(evidence)
    for path, kind, _ in _known(evidence):
        if "" < revision < SINCE[kind]:
            told = f"content of the kind `{kind}` is known since {SINCE[kind]}, and {revision} is spoken"
            yield Fault(told, f"{path}.type", actual=kind)


def _content_fields(evidence: Evidence) -> Iterator[Fault]:
    for path, kind, block in _known(evidence):
        yield from _mistyped(path, block, _REQUIRED[kind])
        resource = block.get("resource")
        if kind != "resource" or not isinstance(resource, dict):
            continue
        yield from _mistyped(f"{path}.resource", resource, {"uri": "string"})
        if not any(isinstance(resource.get(word), str) for word in ("text", "blob")):
            yield Fault("an embedded resource has neither `text` nor `blob`", f"{path}.resource")


def _optional_fields(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    if isinstance(result, dict):
        yield from _mistyped(RESULT, result, {"_meta": "object"}, may_lack=True)
    for path, kind, block in _known(evidence):
        yield from _mistyped(path, block, _OPTIONAL[kind], may_lack=True)
        notes, resource = block.get("annotations"), block.get("resource")
        if isinstance(notes, dict):
            yield from _annotations(f"{path}.annotations", notes)
        if kind == "resource" and isinstance(resource, dict):
            inner = {"mimeType": "string", "_meta": "object"}
            yield from _mistyped(f"{path}.resource", resource, inner, may_lack=True)


def _annotations(path: str, notes: Mapping[str, Json]) -> Iterator[Fault]:
    wanted = {"audience": "array", "priority": "number", "lastModified": "string"}
    yield from _mistyped(path, notes, wanted, may_lack=True)
    audience, priority = notes.get("audience"), notes.get("priority")
    for role in audience if isinstance(audience, list) else ():
        if role not in ("user", "assistant"):
            yield Fault("content is for the user or the assistant", f"{path}.audience", actual=role)
    if kind_of(priority) in ("integer", "number") and not 0 <= notes["priority"] <= 1:
        yield Fault("a priority is between 0 and 1", f"{path}.priority", actual=priority)


def _base64(evidence: Evidence) -> Iterator[Fault]:
    for path, text in _binary(evidence):
        bare = _SPACE.sub("", text)
        if not _ALPHABET.fullmatch(bare) or len(bare.rstrip("=")) % 4 == 1:
            yield Fault("the data is no base64", path)


def _base64_strict(evidence: Evidence) -> Iterator[Fault]:
    for path, text in _binary(evidence):
        bare = _SPACE.sub("", text)
        is_base64 = _ALPHABET.fullmatch(bare) and len(bare.rstrip("=")) % 4 != 1
        if is_base64 and (bare != text or len(bare) % 4):
            yield Fault("the data is base64 with white space in it, or without its padding", path)


def _uris(evidence: Evidence) -> Iterator[Fault]:
    for path, kind, block in _known(evidence):
        place, holder = (f"{path}.resource", block.get("resource")) if kind == "resource" else (path, block)
        uri = holder.get("uri") if isinstance(holder, dict) and kind.startswith("resource") else None
        if isinstance(uri, str) and not _SCHEME.match(uri):
            yield Fault("a resource is named by a URI, with its scheme", f"{place}.uri", actual=uri)


def _error_flag(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    if isinstance(result, dict) and not isinstance(result.get("isError", False), bool):
        yield Fault("isError is no boolean", f"{RESULT}.isError", actual=result["isError"])


def _error_told(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    if has_failed(result) and not any(text.strip() for _, text in texts_of(result)):
        yield Fault("the tool failed and no text says why", f"{RESULT}.content")


def _no_traceback(evidence: Evidence) -> Iterator[Fault]:
    for path, text in _told_of_failure(evidence):
        if isinstance(text, str) and _TRACEBACK.search(text):
            yield Fault("an error shows the program's stack, with its files", path)


def _told_of_failure(evidence: Evidence) -> Iterator[tuple[str, Json]]:
    error = error_of(evidence)
    if isinstance(error, dict):
        yield from ((f"rpc.error.{word}", error.get(word)) for word in ("message", "data"))
    elif error is not ABSENT:
        yield "rpc.error", error
    elif has_failed(result := result_of(evidence)):
        yield from texts_of(result)


def _result_type(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    if isinstance(result, dict) and not isinstance(result.get("resultType"), str):
        given = result.get("resultType", ABSENT)
        yield Fault("the result does not say its type", f"{RESULT}.resultType", COMPLETE, given)


def _known(evidence: Evidence) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    """Path, kind and content of each block of a known kind."""
    for path, block in blocks_of(result_of(evidence)):
        if isinstance(block.get("type"), str) and block["type"] in SINCE:
            yield path, block["type"], block


def _binary(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Path and text of everything that is to be base64."""
    for path, kind, block in _known(evidence):
        if kind in ("image", "audio") and isinstance(block.get("data"), str):
            yield f"{path}.data", block["data"]
        resource = block.get("resource") if kind == "resource" else None
        if isinstance(resource, dict) and isinstance(resource.get("blob"), str):
            yield f"{path}.resource.blob", resource["blob"]


def _mistyped(
    path: str, holder: Mapping[str, Json], wanted: Mapping[str, str], *, may_lack: bool = False
) -> Iterator[Fault]:
    for word, kind in wanted.items():
        found = kind_of(holder.get(word, ABSENT))
        is_right = found == kind or (kind == "number" and found == "integer")
        if not is_right and not (may_lack and word not in holder):
            told = f"`{word}` is to be of the type {kind}, and there is {found}"
            yield Fault(told, f"{path}.{word}", actual=holder.get(word, ABSENT))


_TOOLS: Final = "2025-11-25, server/tools, Tool Result"
_SCHEMA: Final = "2025-11-25, schema, CallToolResult"

RULES: Final = (
    Rule(
        "result-content",
        "high",
        "The result of a call is an object, and its content an array.",
        _SCHEMA,
        'breaks: {"content": "Hello"}\nkeeps:  {"content": []}',
        TOOL,
        _content_list,
    ),
    Rule(
        "content-known",
        "high",
        "Each block of the content is of a kind that the protocol knows.",
        _TOOLS,
        'breaks: {"type": "json", "json": {}}\nkeeps:  {"type": "text", "text": "{}"}',
        TOOL,
        _content_known,
    ),
    Rule(
        "content-of-revision",
        "medium",
        "Each block of the content is of a kind that the negotiated revision knows.",
        _TOOLS,
        'breaks: {"type": "resource_link", …} where 2024-11-05 is spoken\nkeeps:  the same in 2025-06-18',
        TOOL,
        _content_of_revision,
        until="2025-03-26",
    ),
    Rule(
        "content-fields",
        "high",
        "Each block of the content has the fields of its kind, and of their types.",
        _TOOLS,
        'breaks: {"type": "text"}\nkeeps:  {"type": "text", "text": ""}',
        TOOL,
        _content_fields,
    ),
    Rule(
        "content-optional-fields",
        "medium",
        "An optional field of the result is left out, or has its type; null is none.",
        "2025-11-25, schema, ContentBlock, Annotations",
        'breaks: {"type": "text", "text": "a", "annotations": null}\nkeeps:  {"type": "text", "text": "a"}',
        TOOL,
        _optional_fields,
    ),
    Rule(
        "content-base64",
        "medium",
        "Images, sounds and binary resources are base64.",
        _TOOLS,
        'breaks: {"data": "data:image/png;base64,iVBORw=="}\nkeeps:  {"data": "iVBORw=="}',
        TOOL,
        _base64,
    ),
    Rule(
        "content-base64-strict",
        "low",
        "Base64 is written without white space and with its padding, as strict readers want it.",
        "RFC 4648, 3.1 and 3.2",
        'breaks: {"data": "iVBORw"}\nkeeps:  {"data": "iVBORw=="}',
        TOOL,
        _base64_strict,
    ),
    Rule(
        "content-uri",
        "medium",
        "A resource in the content is named by a URI.",
        "2025-11-25, schema, ResourceLink, ResourceContents",
        'breaks: {"uri": "notes.txt"}\nkeeps:  {"uri": "file:///notes.txt"}',
        TOOL,
        _uris,
    ),
    Rule(
        "error-flag",
        "high",
        "`isError` is a boolean, or is left out.",
        _SCHEMA,
        'breaks: {"isError": "false"}, {"isError": null}\nkeeps:  {"isError": false}',
        TOOL,
        _error_flag,
    ),
    Rule(
        "error-told",
        "low",
        "A result that is an error says in a text what went wrong.",
        "2025-11-25, server/tools, Error Handling",
        'breaks: {"isError": true, "content": []}\nkeeps:  the same with a block of text',
        TOOL,
        _error_told,
    ),
    Rule(
        "error-without-stack",
        "low",
        "An error does not show the program's stack.",
        "2025-11-25, server/tools, Security Considerations",
        "breaks: Traceback (most recent call last): …\nkeeps:  No note has the id 7",
        TOOL,
        _no_traceback,
    ),
    Rule(
        "result-type",
        "medium",
        "A result says its type.",
        "2026-07-28, schema, Result",
        'breaks: {"content": []}\nkeeps:  {"resultType": "complete", "content": []}',
        TOOL,
        _result_type,
        since="2026-07-28",
    ),
)
