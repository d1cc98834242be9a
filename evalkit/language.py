"""The words of a suite as one JSON Schema, generated from the tables of operations and expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from evalkit import expectations
from evalkit.model import SEVERITIES, Json

VERSION: Final = 1
_CAME_BACK: Final = ("output", "toolResult", "response", "rpc", "notifications", "events", "process")
PROVIDED: Final = "^[A-Za-z][A-Za-z0-9._-]*$"
"""What a target says that it can do: `fixtures`, `clock`, `source-log`, or a word of the suite's own."""
ROOTS: Final = frozenset(("manifest", *_CAME_BACK, "steps", "sources", "effects"))

_TEXT: Final[Json] = {"type": "string"}
_OBJECT: Final[Json] = {"type": "object"}
_HEADERS: Final[Json] = {"type": "object", "additionalProperties": _TEXT}
_CLIENT: Final[Json] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"roots": {"type": "array"}, "sampling": {}, "elicitation": {}},
}


class Operation(NamedTuple):
    """One thing that a step can ask: its keys (JSON Schema of each), which are needed, what they fill."""

    summary: str
    keys: Mapping[str, Json] = {}
    required: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()


_HTTP_KEYS: Final[Mapping[str, Json]] = {
    "method": _TEXT,
    "path": {"type": "string", "minLength": 1},
    "headers": _HEADERS,
    "query": _OBJECT,
    "json": {},
    "body": _TEXT,
    "bytes": _TEXT,
    "client": _TEXT,
}

OPERATIONS: Final[Mapping[str, Operation]] = {
    "manifest": Operation(
        "read the contract's own description",
        {"client": _CLIENT, "partial": {"type": "boolean"}},
        fills=("manifest",),
    ),
    "session": Operation(
        "begin a session of its own and end it", {"client": _CLIENT}, fills=("manifest", "process")
    ),
    "tool": Operation(
        "call a tool",
        {
            "tool": {"type": "string", "minLength": 1},
            "args": {},
            "headers": _HEADERS,
            "meta": _OBJECT,
            "client": _CLIENT,
        },
        ("tool",),
        ("toolResult", "output", "manifest"),
    ),
    "resource": Operation("read a resource", {"uri": _TEXT, "client": _CLIENT}, ("uri",), ("rpc", "output")),
    "prompt": Operation(
        "get a prompt", {"name": _TEXT, "args": {}, "client": _CLIENT}, ("name",), ("rpc", "output")
    ),
    "complete": Operation(
        "ask for completions",
        {"ref": _OBJECT, "argument": _OBJECT, "client": _CLIENT},
        ("ref", "argument"),
        ("rpc", "output"),
    ),
    "rpc": Operation(
        "send one JSON-RPC message as it is",
        {
            "message": {"type": ["object", "string"]},
            "headers": _HEADERS,
            "client": _CLIENT,
            "session": {"type": "boolean"},
        },
        ("message",),
        ("response", "rpc"),
    ),
    "http": Operation("send one HTTP request", _HTTP_KEYS, ("path",), ("response",)),
    "sse": Operation(
        "read an event stream",
        {
            **_HTTP_KEYS,
            "until": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "events": {"type": "integer", "minimum": 0},
                    "within": {"type": "number", "exclusiveMinimum": 0},
                },
            },
            "lastEventId": _TEXT,
        },
        ("path",),
        ("events", "response"),
    ),
    "cli": Operation(
        "run a command",
        {"argv": {"type": "array", "items": _TEXT}, "stdin": _TEXT, "env": _HEADERS},
        ("argv",),
        ("process",),
    ),
    "world": Operation(
        "change what stands in for the sources, the settings, or the time",
        {"patch": _OBJECT, "settings": {}, "advance": {"type": "number", "exclusiveMinimum": 0}},
    ),
}

_STEP_WORDS: Final = ("operation", "expect", "capture", "over")
_ALL_KEYS: Final = {key: schema for row in OPERATIONS.values() for key, schema in row.keys.items()}
ALLOWED: Final = {name: frozenset((*row.keys, *_STEP_WORDS, "id")) for name, row in OPERATIONS.items()}
STEP_KEYS: Final = frozenset((*_ALL_KEYS, *_STEP_WORDS))
_SURFACE: Final[Json] = {"enum": ["direct", "mcp", "http", "cli"]}
_SECONDS: Final[Json] = {"type": "number", "exclusiveMinimum": 0}
_WORD: Final[Json] = {"type": "string", "minLength": 1}
_WORDS: Final[Json] = {"type": "array", "items": _WORD}
_COUNT: Final[Json] = {"type": "integer", "minimum": 0}


RUN_CODES: Final[Mapping[str, str]] = {
    "secret-leaked": "A value that the suite marks as secret came back; no threshold forgives it.",
    "noise": "Something came beside the answers that is none, such as a log line among messages on stdout.",
    "baseline-stale": "The baseline knows a finding that does not occur any more, so it allows too much.",
    "unexpected-outcome": "A case with `expectedFailure` passed, or failed with other codes than it names.",
}


def finding_codes() -> Mapping[str, str]:
    """Every code that a finding can have, and what it means."""
    return {**expectation_codes(), **RUN_CODES}


def expectation_codes() -> Mapping[str, str]:
    """The codes that an expectation can give; only these can be expected of a failure."""
    return {code: told for word in expectations.WORDS for code, told in expectations.find(word).CODES.items()}


def suite_schema(words: Iterable[str] = tuple(expectations.WORDS)) -> Json:
    """The JSON Schema of a suite file; only the given expectation words are described (and allowed)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"evalkit suite, language version {VERSION}",
        **_closed(
            {
                "name": _line(120),
                "version": {"type": "integer", "minimum": 1},
                "title": {"type": "string", "pattern": "^[^\\n\\r]*$"},
                "contract": {"type": "string", "minLength": 1},
                "target": _target(),
                "defaults": {"$ref": "#/$defs/defaults"},
                "fixtures": {"type": "object", "additionalProperties": {"$ref": "#/$defs/fixture"}},
                "cases": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/case"}},
                "gate": _gate(),
            },
        ),
        "$defs": _definitions(words),
    }


def _definitions(words: Iterable[str]) -> Json:
    expect = _closed({word: _unless_null(expectations.find(word).SCHEMA) for word in words})
    step = {**_ALL_KEYS, "client": {**_CLIENT, "type": ["string", "object"]}, **_step_words()}
    return {
        "fixture": {**_fixture_use(), "type": "object"},
        "expect": expect,
        "defaults": _closed(
            {
                "fixture": _fixture_use(),
                "settings": {},
                "over": _over(),
                "severity": {"enum": list(SEVERITIES)},
                "timeout": _SECONDS,
                "tags": _WORDS,
                "expect": {"$ref": "#/$defs/expect"},
            }
        ),
        "step": {
            **_closed({"id": _line(120), **step, "over": _SURFACE}, ("operation",)),
            "allOf": _needs(),
        },
        "case": {
            **_closed({**_case_words(), **step}, ("id", "title")),
            "allOf": _needs(),
        },
    }


def _step_words() -> dict[str, Json]:
    return {
        "operation": {"enum": list(OPERATIONS)},
        "expect": {"$ref": "#/$defs/expect"},
        "capture": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        "over": _over(),
    }


def _case_words() -> dict[str, Json]:
    return {
        "id": _line(120),
        "title": _line(240),
        "severity": {"enum": list(SEVERITIES)},
        "source": _line(500),
        "tags": _WORDS,
        "fixture": _fixture_use(),
        "settings": {},
        "matrix": _OBJECT,
        "requires": _WORDS,
        "skip": {
            "type": ["string", "object"],
            "minLength": 1,
            "additionalProperties": False,
            "required": ["reason"],
            "properties": {
                "reason": _line(500),
                "until": {"type": "string", "format": "date"},
            },
        },
        "expectedFailure": _closed(
            {"reason": _line(500), "findings": {**_WORDS, "minItems": 1}}, ("reason", "findings")
        ),
        "mayReveal": _WORDS,
        "timeout": _SECONDS,
        "fresh": {"type": "boolean"},
        "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}},
    }


def _needs() -> list[Json]:
    return [
        {
            "if": {"properties": {"operation": {"const": name}}, "required": ["operation"]},
            "then": {"required": list(row.required)},
        }
        for name, row in OPERATIONS.items()
        if row.required
    ]


def _target() -> Json:
    """A text, or a mapping with one way to reach it (`http`; the others are known, and not reached yet)."""
    path = _closed(dict.fromkeys(("http", "env", "argument"), _WORD))
    shape = _closed(
        {
            "http": _closed({"url": _WORD, "headers": _HEADERS}, ("url",)),
            "stdio": _OBJECT,
            "unix": _OBJECT,
            "cli": _OBJECT,
            "provides": {"type": "array", "items": {"type": "string", "pattern": PROVIDED}},
            "manifest": _closed({"http": _WORD}, ("http",)),
            "fixtureVia": path,
            "share": {"type": "boolean"},
        }
    )
    return {**shape, "type": ["string", "object"], "minLength": 1}


def _gate() -> Json:
    severities = _closed(dict.fromkeys(SEVERITIES, _COUNT))
    return _closed({"maxFailures": _COUNT, "maxSkips": _COUNT, "minExecuted": _COUNT, "severity": severities})


def _fixture_use() -> Json:
    return {"type": ["string", "object"], "minLength": 1, "properties": {"use": {**_TEXT, "minLength": 1}}}


def _over() -> Json:
    several = {"minItems": 1, "uniqueItems": True, "items": _SURFACE}
    return {"if": {"type": "array"}, "then": several, "else": _SURFACE}


def _unless_null(schema: Json) -> Json:
    return {"if": {"type": "null"}, "then": True, "else": schema}


def _line(most: int) -> Json:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _closed(properties: Mapping[str, Json], required: tuple[str, ...] = ()) -> dict[str, Json]:
    schema: dict[str, Json] = {
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
    }
    return {**schema, "required": list(required)} if required else schema
