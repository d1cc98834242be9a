"""Rules of the structured output of a tool: its schema, and the text that stands beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.model import Evidence, Json, Path
from evalkit.rules import Fault, Rule
from evalkit.rules._calls import RESULT, TOOL, compiled_or_skip, nodes_of, schema_of, success_of, texts_of
from evalkit.rules._compiled import compiled
from evalkit.rules._listed import Advertised
from evalkit.schemas import UNCHECKABLE, Schema, SchemaError, Violation
from evalkit.values import ABSENT, dotted, kind_of, parse_json, same

OUTPUT: Final = "structuredContent"
MOST_EXACT: Final = 2**53 - 1
"""The largest integer that a reader with binary fractions alone keeps apart from its neighbours."""

_SINCE: Final = "2025-06-18"
_LAST_OBJECT: Final = "2025-11-25"
_MOST_FAULTS: Final = 20
_NESTED: Final = frozenset({dict, list})
_DATA_WORDS: Final = ("const", "enum", "default", "example", "examples")
"""Words of a schema beneath which values stand, and no schemas."""
_NAMED: Final = (
    "properties",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "$defs",
    "definitions",
)
"""Words beneath which schemas stand by names, which may be called like any word."""


def _output_object(evidence: Evidence) -> Iterator[Fault]:
    output = _output(evidence)
    if output is not ABSENT and not isinstance(output, dict):
        told = f"the structured output is no object, but {kind_of(output)}"
        yield Fault(told, f"{RESULT}.{OUTPUT}", actual=output)


def _output_present(evidence: Evidence) -> Iterator[Fault]:
    if _output(evidence) is ABSENT and schema_of(evidence, "outputSchema"):
        told = f"{evidence.call.words['tool']} advertises an output schema and gives no structured output"
        yield Fault(told, f"{RESULT}.{OUTPUT}")


def _output_valid(evidence: Evidence) -> Iterator[Fault]:
    for output, advertised in _judged(evidence):
        schema = _without_formats(advertised)
        for violation in schema.violations(output)[:_MOST_FAULTS]:
            if not violation.message.startswith(UNCHECKABLE):
                yield _fault(violation, output, _hint(violation, advertised.schema, output))


def _output_formats(evidence: Evidence) -> Iterator[Fault]:
    for output, advertised in _judged(evidence):
        whole = compiled_or_skip(advertised)
        if not whole.holds(output) and _without_formats(advertised).holds(output):
            for violation in whole.violations(output)[:_MOST_FAULTS]:
                yield _fault(violation, output)


def _output_checkable(evidence: Evidence) -> Iterator[Fault]:
    for output, advertised in _judged(evidence):
        for violation in compiled_or_skip(advertised).violations(output)[:_MOST_FAULTS]:
            if violation.message.startswith(UNCHECKABLE):
                yield _fault(violation, output)


def _output_in_text(evidence: Evidence) -> Iterator[Fault]:
    result = success_of(evidence)
    if OUTPUT in result and not any(True for _ in texts_of(result)):
        yield Fault("no text stands beside the structured output", f"{RESULT}.content")


def _text_filled(evidence: Evidence) -> Iterator[Fault]:
    for path, told, output in _told_twice(evidence):
        if told == {} and output and not any(same(inner, {}) for inner in output.values()):
            yield Fault("the text is an empty object beside a filled structured output", path, output, told)


def _text_agrees(evidence: Evidence) -> Iterator[Fault]:
    for path, told, output in _told_twice(evidence):
        if isinstance(told, dict) and (told.keys() <= output.keys() or output.keys() <= told.keys()):
            for place, said, given in _differences(told, output):
                where = dotted((RESULT, OUTPUT, *place))
                message = f"the text says another value at {dotted(place)} than the structured output"
                yield Fault(f"{message} ({path})", where, said, given)


def _integers_safe(evidence: Evidence) -> Iterator[Fault]:
    for place, value in nodes_of(_output(evidence), (RESULT, OUTPUT)):
        if type(value) is int and abs(value) > MOST_EXACT:
            yield Fault("JavaScript clients round an integer this large", dotted(place), actual=value)


def _output(evidence: Evidence) -> Json:
    return success_of(evidence).get(OUTPUT, ABSENT)


def _judged(evidence: Evidence) -> Iterator[tuple[Json, Advertised]]:
    """The output and the schema that it is to be valid under, where there are both."""
    output, advertised = _output(evidence), schema_of(evidence, "outputSchema")
    if output is ABSENT or advertised is None:
        return
    if isinstance(output, dict) or advertised.of.revision > _LAST_OBJECT:
        yield output, advertised


def _without_formats(advertised: Advertised) -> Schema:
    """The schema as one reads it who checks no formats, which it may."""
    bare = compiled(advertised._replace(schema=_bare(advertised.schema)))
    return compiled_or_skip(advertised) if isinstance(bare, SchemaError) else bare.schema


def _bare(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_bare(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        word: _named_bare(value) if word in _NAMED else value if word in _DATA_WORDS else _bare(value)
        for word, value in schema.items()
        if word != "format"
    }


def _named_bare(schemas: Json) -> Json:
    is_named = isinstance(schemas, dict)
    return {name: _bare(schema) for name, schema in schemas.items()} if is_named else schemas


def _fault(violation: Violation, output: Json, hint: str = "") -> Fault:
    where = dotted((RESULT, OUTPUT, *violation.path))
    return Fault(f"{where}: {violation.message}{hint}", where, actual=_at(output, violation.path))


def _hint(violation: Violation, schema: Json, output: Json) -> str:
    around = _at(schema, violation.schema_path[:-1])
    is_meant = isinstance(around, dict) and around.get("nullable") is True
    if is_meant and _at(output, violation.path) is None:
        return "; `nullable` is a word of OpenAPI, and JSON Schema does not know it"
    return ""


def _at(document: Json, path: Path) -> Json:
    for part in path:
        try:
            document = document[part]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return document


def _told_twice(evidence: Evidence) -> Iterator[tuple[str, Json, Mapping[str, Json]]]:
    """Path and value of the one text, where it is JSON, and the output beside it, where it is an object."""
    result = success_of(evidence)
    output, texts = result.get(OUTPUT), list(texts_of(result))
    if not isinstance(output, dict) or len(texts) != 1:
        return
    (path, text), *_ = texts
    try:
        yield path, parse_json(text), output
    except ValueError:
        return  # prose beside an output is as good


def _differences(told: Json, output: Json) -> Iterator[tuple[Path, Json, Json]]:
    """Where both say one thing that is neither object nor array, and not the same."""
    pairs: list[tuple[Path, Json, Json]] = [((), told, output)]
    for place, said, given in pairs:  # grows while it is read
        if isinstance(said, dict) and isinstance(given, dict):
            pairs += [((*place, key), said[key], given[key]) for key in said if key in given]
        elif isinstance(said, list) and isinstance(given, list):
            both = enumerate(zip(said, given, strict=True)) if len(said) == len(given) else ()
            pairs += [((*place, index), *pair) for index, pair in both]
        elif not _NESTED & {type(said), type(given)} and not same(said, given):
            yield place, said, given


_STRUCTURED: Final = "2025-11-25, server/tools, Structured Content"
_SCHEMA: Final = "2025-11-25, server/tools, Output Schema"

RULES: Final = (
    Rule(
        "output-object",
        "high",
        "The structured output is an object.",
        "2025-11-25, schema, CallToolResult",
        'breaks: {"structuredContent": [1]}\nkeeps:  {"structuredContent": {"items": [1]}}',
        TOOL,
        _output_object,
        since=_SINCE,
        until=_LAST_OBJECT,
    ),
    Rule(
        "output-present",
        "high",
        "A tool that advertises an output schema gives structured output, unless it fails.",
        _SCHEMA,
        'breaks: {"content": [{"type": "text", "text": "{\\"a\\": 1}"}]}\n'
        'keeps:  the same with {"structuredContent": {"a": 1}}',
        TOOL,
        _output_present,
        since=_SINCE,
    ),
    Rule(
        "output-follows-schema",
        "high",
        "The structured output is valid under the output schema that the tool advertises.",
        _SCHEMA,
        'breaks: {"count": "3"} under {"properties": {"count": {"type": "integer"}}}\nkeeps:  {"count": 3}',
        TOOL,
        _output_valid,
        since=_SINCE,
    ),
    Rule(
        "output-formats",
        "low",
        "The structured output has the formats that its schema names, which some clients check.",
        "JSON Schema 2020-12, validation, 7.2.1",
        'breaks: "2026-09-01T16:56:29" under {"format": "date-time"}\nkeeps:  "2026-09-01T16:56:29Z"',
        TOOL,
        _output_formats,
        since=_SINCE,
    ),
    Rule(
        "output-checkable",
        "low",
        "What the output schema asks of this output can be checked.",
        "JSON Schema 2020-12, core, 6.4",
        'breaks: a text under {"pattern": "(?<y>a)\\\\k<y>"}\nkeeps:  a text under {"pattern": "^b"}',
        TOOL,
        _output_checkable,
        since=_SINCE,
    ),
    Rule(
        "output-in-text",
        "low",
        "Structured output has a text beside it, for clients that read texts only.",
        _STRUCTURED,
        'breaks: {"content": [], "structuredContent": {"a": 1}}\nkeeps:  the same with a block of text',
        TOOL,
        _output_in_text,
        since=_SINCE,
    ),
    Rule(
        "text-filled",
        "medium",
        "The text beside a filled structured output is no empty object.",
        _STRUCTURED,
        'breaks: the text {} beside {"a": 1}\nkeeps:  the text {"a": 1}, or prose',
        TOOL,
        _text_filled,
        since=_SINCE,
    ),
    Rule(
        "text-agrees",
        "medium",
        "A text that is JSON does not contradict the structured output beside it.",
        _STRUCTURED,
        'breaks: the text {"id": 9007199254740993} beside {"id": 9007199254740992}\n'
        "keeps:  the same integer in both, a part of the output, or prose",
        TOOL,
        _text_agrees,
        since=_SINCE,
    ),
    Rule(
        "integers-safe",
        "low",
        "Integers of the structured output are at most 2^53 - 1, or are texts.",
        "RFC 8259, 6",
        'breaks: {"id": 9007199254740993}\nkeeps:  {"id": "9007199254740993"}',
        TOOL,
        _integers_safe,
        since=_SINCE,
    ),
)
