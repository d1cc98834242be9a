"""What is wrong with the arguments of a call, under the schema that its tool advertises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json
from evalkit.rules._calls import compiled_or_skip, schema_of
from evalkit.schemas import UNCHECKABLE, Schema
from evalkit.values import ABSENT, kind_of, parse_json

_CLOSING: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
_HOPS: Final = 16
_TRUTHS: Final = ("true", "false", "yes", "no", "on", "off", "0", "1", "")
_NUMBER: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


class Breach(NamedTuple):
    """One argument that breaks the schema: how, its name, its value, and the types that it may have.

    `other` is everything that is neither a name that is missing or not allowed, nor a wrong type.
    `schema` is what the schema says of this name.
    """

    how: Literal["missing", "extra", "mistyped", "other"]
    name: str
    value: Json = ABSENT
    kinds: frozenset[str] = frozenset()
    schema: Mapping[str, Json] = {}


def breaches_of(evidence: Evidence) -> list[Breach]:
    """What is wrong with the arguments; empty where they are valid, or nobody can tell.

    Raises CapabilityMissing where the tool advertises no schema that can be judged by.
    """
    advertised = schema_of(evidence, "inputSchema")
    if advertised is None:
        raise CapabilityMissing("no input schema says which arguments are to be refused")
    given = evidence.call.words.get("args", {})
    schema = compiled_or_skip(advertised)
    told = schema.violations(given)
    violations = [each for each in told if not each.message.startswith(UNCHECKABLE)]
    if not violations or not isinstance(given, dict):
        return [Breach("other", "arguments", given)] if violations else []
    document = advertised.schema
    known = _properties(document)
    words = {each.keyword for each in violations if not each.path}
    found = list(_mistyped(document, given, {str(each.path[0]) for each in violations if each.path}))
    if "required" in words:
        names = document.get("required")
        absent = [name for name in names if name not in given] if isinstance(names, list) else []
        found += [Breach("missing", name, schema=_follow(document, known.get(name))) for name in absent]
    if words & _CLOSING:
        found += [Breach("extra", name, given[name]) for name in given if _is_closed_to(schema, name, given)]
    return found or [Breach("other", "arguments", given)]


def can_be_read_as(value: Json, kinds: frozenset[str]) -> bool:
    """Whether a lenient reader may take a value for one of these types: "1" for 1, 1 for [1], any null."""
    return value is None or any(_reads(value, kind) for kind in kinds)


def _reads(value: Json, kind: str) -> bool:
    given = kind_of(value)
    if kind == "array" and given not in ("object", "array"):
        return True
    if given == "string":
        return _text_reads(value, kind)
    if kind in ("string", "boolean", "integer", "number"):
        return given in ("boolean", "integer", "number")
    return False


def _text_reads(text: str, kind: str) -> bool:
    if kind in ("integer", "number"):
        return bool(_NUMBER.fullmatch(text))
    if kind == "boolean":
        return text.strip().lower() in _TRUTHS
    try:
        return kind == "object" and isinstance(parse_json(text), dict)
    except ValueError:
        return False


def _is_closed_to(schema: Schema, name: str, given: Mapping[str, Json]) -> bool:
    """Whether a name is not allowed, also beside patterns and parts that allow others."""
    told = schema.violations({name: given[name]})
    return any(each.keyword in _CLOSING and not each.path for each in told)


def _mistyped(document: Mapping[str, Json], given: Mapping[str, Json], wrong: set[str]) -> Iterator[Breach]:
    for name, schema in _properties(document).items():
        if name not in given or name not in wrong:
            continue
        kinds, kind = _kinds(document, schema, _HOPS), _kind(given[name])
        if kinds and kind not in kinds and not (kind == "integer" and "number" in kinds):
            yield Breach("mistyped", name, given[name], kinds)


def _kind(value: Json) -> str:
    """The type; a number without a fraction is an integer, however it is written."""
    is_whole = isinstance(value, float) and value.is_integer()
    return "integer" if is_whole else kind_of(value)


def _kinds(document: Mapping[str, Json], schema: Json, hops: int) -> frozenset[str]:
    """The types that a value may have; empty where any may be."""
    schema = _follow(document, schema)
    said = schema.get("type")
    if isinstance(said, (str, list)):
        return frozenset([said] if isinstance(said, str) else [one for one in said if isinstance(one, str)])
    if isinstance(schema.get("enum"), list):
        return frozenset(map(kind_of, schema["enum"]))
    if "const" in schema:
        return frozenset({kind_of(schema["const"])})
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and hops:
            each = [_kinds(document, branch, hops - 1) for branch in branches]
            return frozenset().union(*each) if all(each) else frozenset()
    whole = schema.get("allOf")
    each = [_kinds(document, part, hops - 1) for part in whole] if isinstance(whole, list) and hops else []
    return next((kinds for kinds in each if kinds), frozenset())


def _follow(document: Mapping[str, Json], schema: Json) -> Mapping[str, Json]:
    """The schema that a local reference leads to, and what stands beside it; empty where it leads nowhere."""
    for _ in range(_HOPS):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        beside = {word: value for word, value in schema.items() if word != "$ref"}
        found: Json = document
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, dict) else None
        schema = {**found, **beside} if isinstance(found, dict) else beside
    return schema if isinstance(schema, dict) else {}


def _properties(document: Mapping[str, Json]) -> Mapping[str, Json]:
    known = document.get("properties")
    return known if isinstance(known, dict) else {}
