"""The dialects of JSON Schema that can be judged, and the words that each of them knows."""

from __future__ import annotations

from typing import Final, NamedTuple

from evalkit.schemas._words import Json, SchemaError, shown, word_set


class Dialect(NamedTuple):
    """One published draft. `validator` names its class in jsonschema-rs; draft 3 has none.

    `ref_stands_alone`: keywords beside a `$ref` are ignored, as it was up to draft 7.
    """

    validator: str
    keywords: frozenset[str]
    formats: frozenset[str]
    id_word: str = "$id"
    ref_stands_alone: bool = False


def dialect_of(schema: Json, default: str) -> Dialect:
    """The dialect that `$schema` names, else the default. Raises SchemaError for one that nobody knows."""
    if not isinstance(schema, (dict, bool)):
        raise SchemaError("schema-invalid", f"a schema is an object or a boolean, not {shown(schema)}")
    uri = schema.get("$schema", default) if isinstance(schema, dict) else default
    if not isinstance(uri, str):
        raise SchemaError("schema-invalid", f"`$schema` is a URI, not {shown(uri)}", ("$schema",))
    dialect = _DIALECTS.get(uri.removeprefix("http://").removeprefix("https://").rstrip("#"))
    if dialect is None:
        raise SchemaError("schema-unknown-dialect", f"no dialect is called {shown(uri)}", ("$schema",))
    return dialect


_EVERY = word_set(
    "$ref $schema additionalProperties default description enum exclusiveMaximum exclusiveMinimum format"
    " items maxItems maxLength maximum minItems minLength minimum pattern patternProperties properties"
    " required title type uniqueItems"
)
_FROM_4 = _EVERY | word_set("allOf anyOf maxProperties minProperties multipleOf not oneOf")
_FROM_6 = _FROM_4 | word_set("$id const contains examples propertyNames")
_FROM_7 = _FROM_6 | word_set("$comment contentEncoding contentMediaType else if readOnly then writeOnly")
_FROM_2019 = _FROM_7 | word_set(
    "$anchor $defs $vocabulary contentSchema definitions dependentRequired dependentSchemas deprecated"
    " maxContains minContains unevaluatedItems unevaluatedProperties"
)
_UP_TO_7 = word_set("additionalItems definitions dependencies")

_FORMATS_3 = word_set("date-time date time email host-name ip-address ipv6 regex uri")
_FORMATS_4 = word_set("date-time date time email hostname ipv4 ipv6 regex uri")
_FORMATS_6 = _FORMATS_4 | word_set("json-pointer uri-reference uri-template idn-email")
_FORMATS_7 = _FORMATS_6 | word_set("idn-hostname iri iri-reference relative-json-pointer")
_FORMATS_2019 = _FORMATS_7 | word_set("duration uuid")

_DRAFT_3 = Dialect(
    "",
    _EVERY | _UP_TO_7 | word_set("$id id extends disallow divisibleBy"),
    _FORMATS_3,
    "id",
    ref_stands_alone=True,
)
_DRAFT_4 = Dialect("Draft4Validator", _FROM_4 | _UP_TO_7 | {"id"}, _FORMATS_4, "id", ref_stands_alone=True)
_DRAFT_6 = Dialect("Draft6Validator", _FROM_6 | _UP_TO_7, _FORMATS_6, ref_stands_alone=True)
_DRAFT_7 = Dialect("Draft7Validator", _FROM_7 | _UP_TO_7, _FORMATS_7, ref_stands_alone=True)
_DRAFT_2019 = Dialect(
    "Draft201909Validator",
    _FROM_2019 | word_set("$recursiveAnchor $recursiveRef additionalItems"),
    _FORMATS_2019,
)
_DRAFT_2020 = Dialect(
    "Draft202012Validator", _FROM_2019 | word_set("$dynamicAnchor $dynamicRef prefixItems"), _FORMATS_2019
)

_DIALECTS: Final = {
    "json-schema.org/draft-03/schema": _DRAFT_3,
    "json-schema.org/draft-04/schema": _DRAFT_4,
    "json-schema.org/draft-06/schema": _DRAFT_6,
    "json-schema.org/draft-07/schema": _DRAFT_7,
    "json-schema.org/draft/2019-09/schema": _DRAFT_2019,
    "json-schema.org/draft/2020-12/schema": _DRAFT_2020,
    "json-schema.org/schema": _DRAFT_2020,
}
