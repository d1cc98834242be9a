"""Rules of each input and output schema: usable in its own dialect, and taken by every client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from evalkit.model import Json, Path
from evalkit.rules import Fault, Rule
from evalkit.rules._compiled import Usable, compiled, part
from evalkit.rules._listed import MANIFEST, SCHEMAS, Advertised, Listed, over_schemas, over_tools
from evalkit.schemas import UNCHECKABLE, SchemaError, subschemas
from evalkit.values import kind_of

_INVALID: Final = ("schema-invalid", "schema-not-json", "schema-too-deep")


def _input_present(listed: Listed) -> Iterator[Fault]:
    if "inputSchema" not in listed.tool:
        yield Fault(f"{listed.name} has no `inputSchema`", listed.path("inputSchema"))


def _schema_object(listed: Listed) -> Iterator[Fault]:
    for key in SCHEMAS:
        found = listed.tool.get(key, {})
        if not isinstance(found, dict):
            told = f"`{key}` of {listed.name} is of the kind {kind_of(found)}, and no JSON Schema object"
            yield Fault(told, listed.path(key), actual=found)


def _unusable(*codes: str) -> Callable[[Advertised], Iterator[Fault]]:
    """The fault of a schema that cannot be used for one of these reasons."""

    def judged(advertised: Advertised) -> Iterator[Fault]:
        problem = compiled(advertised)
        if isinstance(problem, SchemaError) and problem.code in codes:
            yield advertised.fault(problem.message, problem.path)

    return judged


def _patterns_checkable(advertised: Advertised) -> Iterator[Fault]:
    usable = compiled(advertised)
    if isinstance(usable, SchemaError):
        return
    for place, pattern in usable.schema.unchecked.items():
        told = "this pattern is none that every engine reads, so it was not checked"
        yield advertised.fault(told, place, actual=pattern)


def _input_root(advertised: Advertised) -> Iterator[Fault]:
    if advertised.key == "inputSchema":
        yield from _root_object(advertised)


def _output_root(advertised: Advertised) -> Iterator[Fault]:
    if advertised.key == "outputSchema":
        yield from _root_object(advertised)


def _root_object(advertised: Advertised) -> Iterator[Fault]:
    kind = advertised.schema.get("type", ...)
    if kind != "object":
        yield advertised.fault('the root does not say `"type": "object"`', ("type",), "object", kind)


def _input_plain(advertised: Advertised) -> Iterator[Fault]:
    for word in ("anyOf", "oneOf", "allOf"):
        if advertised.key == "inputSchema" and word in advertised.schema:
            told = f"some model interfaces refuse every tool where one has `{word}` at the root"
            yield advertised.fault(told, (word,))


def _null_said(advertised: Advertised) -> Iterator[Fault]:
    for place, schema in subschemas(advertised.schema):
        if schema.get("nullable") is True and not _takes_null(schema):
            told = '`nullable` is OpenAPI and no JSON Schema, so null is refused; write `"type": […, "null"]`'
            yield advertised.fault(told, (*place, "nullable"), actual=True)


def _takes_null(schema: Mapping[str, Json]) -> bool:
    kind = schema.get("type")
    return kind is None or kind == "null" or (isinstance(kind, list) and "null" in kind)


def _required_possible(advertised: Advertised) -> Iterator[Fault]:
    for place, schema in subschemas(advertised.schema):
        closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
        required, known = schema.get("required"), schema.get("properties", {})
        if not closed or "not" in place or not isinstance(required, list) or not isinstance(known, dict):
            continue
        for name in required:
            if isinstance(name, str) and name not in known:
                told = f"{name!r} is required, but the object is closed and has no such property"
                yield advertised.fault(told, (*place, "required"), sorted(known), name)


def _defaults_valid(advertised: Advertised) -> Iterator[Fault]:
    for place, schema, judge in _parts(advertised, "default"):
        yield from _sample(advertised, judge, (*place, "default"), schema["default"])


def _examples_valid(advertised: Advertised) -> Iterator[Fault]:
    for place, schema, judge in _parts(advertised, "examples"):
        examples = schema["examples"]
        for at, example in enumerate(examples if isinstance(examples, list) else []):
            yield from _sample(advertised, judge, (*place, "examples", at), example)


def _parts(advertised: Advertised, word: str) -> Iterator[tuple[Path, Json, Usable | SchemaError]]:
    """Each schema that has a word, its place and what judges by it; of a schema that can be used at all."""
    usable = compiled(advertised)
    if isinstance(usable, SchemaError):
        return
    for place, schema in subschemas(advertised.schema):
        if word in schema:
            yield place, schema, part(advertised.schema, place, schema, usable.dialect)


def _sample(advertised: Advertised, judge: Usable | SchemaError, place: Path, value: Json) -> Iterator[Fault]:
    if isinstance(judge, SchemaError):
        yield advertised.fault(f"this could not be judged: {judge.message}", place, actual=value)
        return
    for broken in judge.schema.violations(value):
        if not broken.message.startswith(UNCHECKABLE):
            told = f"it breaks the schema that it stands in: {broken.message}"
            yield advertised.fault(told, place, actual=value)
            return


_USAGE: Final = "2025-11-25, basic, JSON Schema Usage"
_TOOL: Final = "2024-11-05, server/tools, Tool"

RULES: Final = (
    Rule(
        "input-schema-present",
        "high",
        "Each tool has an input schema.",
        _TOOL,
        'breaks: {"name": "now"}\nkeeps:  {"name": "now", "inputSchema": {"type": "object"}}',
        MANIFEST,
        over_tools(_input_present),
    ),
    Rule(
        "schema-object",
        "high",
        "What stands for a schema is a JSON Schema object: no null, text, array or boolean.",
        "2025-11-25, server/tools, Tool: not `null`",
        'breaks: {"outputSchema": null}\nkeeps:  no `outputSchema`',
        MANIFEST,
        over_tools(_schema_object),
    ),
    Rule(
        "schema-valid",
        "high",
        "A schema is valid in the dialect that it names, which is 2020-12 where it names none.",
        "2025-11-25, basic, JSON Schema Usage, Schema Validation",
        'breaks: {"type": "object", "properties": {"day": "string"}}\n'
        'keeps:  {"type": "object", "properties": {"day": {"type": "string"}}}',
        MANIFEST,
        over_schemas(_unusable(*_INVALID)),
    ),
    Rule(
        "schema-dialect-known",
        "low",
        "The dialect that a schema names is a published one, so that it can be judged.",
        "2025-11-25, basic, JSON Schema Usage, Schema Dialect; the specification permits any",
        'breaks: {"$schema": "https://example.org/my-dialect"}\n'
        'keeps:  {"$schema": "http://json-schema.org/draft-07/schema#"}',
        MANIFEST,
        over_schemas(_unusable("schema-unknown-dialect")),
    ),
    Rule(
        "references-resolve",
        "high",
        "A reference inside of a schema leads to something.",
        _USAGE,
        'breaks: {"$ref": "#/$defs/day"} without `$defs`\nkeeps:  the same with {"$defs": {"day": {…}}}',
        MANIFEST,
        over_schemas(_unusable("ref-unresolvable")),
    ),
    Rule(
        "references-local",
        "medium",
        "A schema holds all that it refers to: no client may fetch another document unasked.",
        "2026-07-28, basic, JSON Schema Usage, $ref Resolution",
        'breaks: {"$ref": "https://example.org/day.json"}\nkeeps:  {"$ref": "#/$defs/day"}',
        MANIFEST,
        over_schemas(_unusable("ref-remote")),
    ),
    Rule(
        "references-end",
        "high",
        "References come to an end: none leads back to itself without entering a property or an item.",
        _USAGE,
        'breaks: {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}\n'
        "keeps:  a tree, whose `children` are trees",
        MANIFEST,
        over_schemas(_unusable("ref-loop")),
    ),
    Rule(
        "patterns-checkable",
        "low",
        "A pattern is one that engines other than ECMAScript's read, too.",
        "JSON Schema 2020-12, core, 6.4: a SHOULD",
        'breaks: {"pattern": "(?<y>\\\\d+)-\\\\k<y>"}\nkeeps:  {"pattern": "^\\\\d+-\\\\d+$"}',
        MANIFEST,
        over_schemas(_patterns_checkable),
    ),
    Rule(
        "input-root-object",
        "high",
        "The root of an input schema says that the arguments are an object.",
        "2024-11-05, schema, Tool",
        'breaks: {"properties": {"day": {"type": "string"}}}\nkeeps:  {"type": "object", "properties": {…}}',
        MANIFEST,
        over_schemas(_input_root),
    ),
    Rule(
        "output-root-object",
        "high",
        "The root of an output schema says that the structured content is an object.",
        "2025-11-25, schema, Tool; from 2026-07-28 on it may be anything",
        'breaks: {"type": "array"}\nkeeps:  {"type": "object", "properties": {"items": {"type": "array"}}}',
        MANIFEST,
        over_schemas(_output_root),
        since="2025-06-18",
        until="2025-11-25",
    ),
    Rule(
        "input-root-plain",
        "low",
        "The root of an input schema has no anyOf, oneOf or allOf.",
        "a limit of some model interfaces; the specification permits them",
        'breaks: {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}\n'
        "keeps:  unions inside of a property",
        MANIFEST,
        over_schemas(_input_plain),
    ),
    Rule(
        "null-said",
        "low",
        "Where null is meant, JSON Schema's words say so, not OpenAPI's `nullable`.",
        "OpenAPI 3.0, Schema Object; to JSON Schema it is no word",
        'breaks: {"type": "string", "nullable": true}\nkeeps:  {"type": ["string", "null"]}',
        MANIFEST,
        over_schemas(_null_said),
    ),
    Rule(
        "required-possible",
        "medium",
        "What a closed object requires is one of its properties, or no value at all is valid.",
        "JSON Schema 2020-12, validation, 6.5.3",
        'breaks: {"properties": {"a": {}}, "required": ["b"], "additionalProperties": false}\n'
        'keeps:  the same with {"required": ["a"]}',
        MANIFEST,
        over_schemas(_required_possible),
    ),
    Rule(
        "defaults-valid",
        "low",
        "A default is valid in the schema that it stands in.",
        "JSON Schema 2020-12, validation, 9.2: RECOMMENDED",
        'breaks: {"type": "string", "default": null}\nkeeps:  {"type": ["string", "null"], "default": null}',
        MANIFEST,
        over_schemas(_defaults_valid),
    ),
    Rule(
        "examples-valid",
        "low",
        "An example is valid in the schema that it stands in.",
        "JSON Schema 2020-12, validation, 9.5: RECOMMENDED",
        'breaks: {"type": "integer", "examples": ["3"]}\nkeeps:  {"type": "integer", "examples": [3]}',
        MANIFEST,
        over_schemas(_examples_valid),
    ),
)
