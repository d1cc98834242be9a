"""A JSON Schema -> a small value that is valid under it, or breaks it in one way; the same every time."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from evalkit.model import Json
from evalkit.sampling._patterns import matching
from evalkit.schemas import SchemaError, compile_schema
from evalkit.values import same

Break: TypeAlias = Literal["missing", "extra", "mistyped"]
BREAKS: Final[tuple[Break, ...]] = ("missing", "extra", "mistyped")

DEEPEST: Final = 12
"""Levels of a value; a schema that needs more of itself has no small value."""

MOST_TRIED: Final = 64
"""Values that are tried for one schema, the smallest first."""

UNKNOWN: Final = "evalkitUnknownArgument"

FORMATS: Final[Mapping[str, str]] = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT1S",
    "email": "someone@example.org",
    "idn-email": "someone@example.org",
    "hostname": "example.org",
    "idn-hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.org/",
    "uri-reference": "/",
    "iri": "https://example.org/",
    "iri-reference": "/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "json-pointer": "",
    "relative-json-pointer": "0",
    "regex": "a",
    "byte": "YQ==",
}

_EXAMPLE: Final = re.compile(
    r"(?:\be\.g\.|\bfor instance|\bexamples?|\bsuch as)[^\w'\"`]{0,9}"
    r"(?P<quote>['\"`])(?P<text>[^'\"`\n]{1,80})(?P=quote)",
    re.IGNORECASE,
)
LONGEST_TOLD: Final = 4000
"""Characters of a description in which an example in quotes is looked for."""

_OF_ALL_TYPES: Final = ("object", "string", "integer", "boolean", "array", "number", "null")
_OTHER_TYPES: Final[tuple[Json, ...]] = ({UNKNOWN: [1]}, [{}], "1", 12_345, True, None)
_WORDS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "contains", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


class CannotSample(ValueError):
    """Why no such value can be drawn."""


def sample(schema: Json, seed: int = 0) -> Json:
    """A valid value, the smallest that is found; another seed chooses otherwise where there is a choice.

    Raises CannotSample where the schema is none, has no value, or none that is found.
    """
    try:
        compiled = compile_schema(schema)
    except SchemaError as problem:
        raise CannotSample(f"the schema is none: {problem.message}") from None
    for value in itertools.islice(_Drawing(schema, seed).values(schema, 0), MOST_TRIED):
        if compiled.holds(value):
            return value
    raise CannotSample("no small value was found that is valid under the schema")


def broken(schema: Json, how: Break, seed: int = 0) -> Json:
    """A value that would be valid but for one thing: a name that is missing, unknown, or of another type.

    With the seed 0 that type is one that nobody can take for the right one, with 2 one that many readers do.

    Raises CannotSample where the schema forbids no such thing.
    """
    value = sample(schema, seed)
    if not isinstance(value, dict):
        raise CannotSample("the schema is not of an object")
    compiled = compile_schema(schema)
    ways = {"missing": _without_one, "extra": _with_another, "mistyped": _with_other_types}
    for candidate in ways[how](value, _properties(schema), seed):
        if not compiled.holds(candidate):
            return candidate
    reasons = {"missing": "requires nothing", "extra": "admits unknown names", "mistyped": "admits any type"}
    raise CannotSample(f"the schema {reasons[how]}")


def _without_one(value: Mapping[str, Json], _known: Mapping[str, Json], _seed: int) -> Iterator[Json]:
    for name in value:
        yield {other: inner for other, inner in value.items() if other != name}


def _with_another(value: Mapping[str, Json], _known: Mapping[str, Json], _seed: int) -> Iterator[Json]:
    yield {**value, UNKNOWN: "x"}


def _with_other_types(value: Mapping[str, Json], known: Mapping[str, Json], seed: int) -> Iterator[Json]:
    first = seed % len(_OTHER_TYPES)
    for name in dict.fromkeys((*value, *known)):
        for other in (*_OTHER_TYPES[first:], *_OTHER_TYPES[:first]):
            yield {**value, name: other}


def _properties(schema: Json) -> Mapping[str, Json]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


class _Drawing:
    """Values of the parts of one document, smallest first; the whole is judged by whoever asks."""

    def __init__(self, document: Json, seed: int) -> None:
        self._document, self._seed = document, seed

    def values(self, schema: Json, depth: int) -> Iterator[Json]:
        """Values that may be valid under a part of the document."""
        schema = self._followed(schema)
        if depth > DEEPEST or schema is False:
            return
        if not isinstance(schema, dict):
            yield from ("a", 0, True, None, [], {})
            return
        if "const" in schema:
            yield schema["const"]
            return
        if isinstance(schema.get("enum"), list):
            yield from self._turned(schema["enum"])
            return
        yield from self._told(schema)
        if isinstance(schema.get("allOf"), list):
            yield from self.values(_merged(schema, "allOf", *map(self._followed, schema["allOf"])), depth)
            return
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list):
                for branch in self._turned(schema[word]):
                    yield from self.values(_merged(schema, word, self._followed(branch)), depth)
                return
        for kind in _types(schema):
            yield from _DRAWERS[kind](self, schema, depth)

    def _told(self, schema: Mapping[str, Json]) -> Iterator[Json]:
        """What the schema itself gives as a value, and last what its words give as an example."""
        examples = schema.get("examples")
        if isinstance(examples, list):
            yield from examples
        for word in ("default", "example"):
            if schema.get(word) is not None:
                yield schema[word]
        if isinstance(told := schema.get("description"), str) and "string" in _types(schema):
            yield from (found["text"] for found in _EXAMPLE.finditer(told[:LONGEST_TOLD]))

    def _turned(self, choices: list[Json]) -> list[Json]:
        at = self._seed % len(choices) if choices else 0
        return choices[at:] + choices[:at]

    def _followed(self, schema: Json) -> Json:
        for _ in range(DEEPEST):
            reference = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(reference, str) or not reference.startswith("#"):
                return schema
            found = self._document
            for part in reference[1:].split("/")[1:]:
                key = part.replace("~1", "/").replace("~0", "~")
                found = found.get(key) if isinstance(found, dict) else None
            schema = _merged(schema, "$ref", found)
        return False

    def objects(self, schema: Mapping[str, Json], depth: int) -> Iterator[Json]:
        """With the required names, then with all."""
        known = _properties(schema)
        required = schema.get("required")
        names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        for chosen in (names, dict.fromkeys((*names, *known))):
            columns = [self._inner(known.get(name, {}), depth) for name in chosen]
            if all(columns):
                for row in _diagonal(columns):
                    yield dict(zip(chosen, row, strict=True))

    def arrays(self, schema: Mapping[str, Json], depth: int) -> Iterator[Json]:
        """As many items as there must be, then one more."""
        least = schema.get("minItems", 0)
        first = schema.get("prefixItems")
        first = first if isinstance(first, list) else []
        count = max(least if isinstance(least, int) else 0, len(first))
        rest = schema.get("items", {}) if not isinstance(schema.get("items"), list) else {}
        wanted = schema.get("contains", rest)
        for size in (count, count + 1):
            if size > 1000:
                return
            columns = [self._inner(first[at] if at < len(first) else rest, depth) for at in range(size)]
            if not all(columns):
                continue
            if schema.get("uniqueItems") is True:
                columns = [
                    column[at % len(column) :] + column[: at % len(column)]
                    for at, column in enumerate(columns)
                ]
            yield [column[0] for column in columns]
            held = self._inner(wanted, depth)
            if held:
                yield [held[0], *(column[0] for column in columns[1:])]

    def texts(self, schema: Mapping[str, Json], _depth: int) -> Iterator[Json]:
        """The text of its format, one that its pattern makes, or a few letters."""
        least = schema.get("minLength", 0)
        least = least if isinstance(least, int) and 0 <= least <= 1_000_000 else 0
        if schema.get("format") in FORMATS:
            yield FORMATS[schema["format"]]
        if isinstance(schema.get("pattern"), str):
            yield from matching(schema["pattern"], least)
        letter = "abcdefghijklmnopqrstuvwxyz"[self._seed % 26]
        yield letter * max(least, 1)
        yield from (other * max(least, 1) for other in "bcdefgh")
        yield ""

    def integers(self, schema: Mapping[str, Json], _depth: int) -> Iterator[Json]:
        """1, 0, the bounds and what is beside them, and multiples."""
        step = schema.get("multipleOf", 1)
        step = step if _is_number(step) and step > 0 else 1
        near = [1 + self._seed % 3, 1, 0]
        for word in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
            bound = schema.get(word)
            if bound is not None and _is_number(bound):
                near += [bound, bound + 1, bound - 1, -(-bound // step) * step, bound // step * step]
        whole = _types(schema) == ["integer"]
        for value in [*near, step, 2 * step, *range(2, 8)]:
            yield int(value) if value == int(value) else value if not whole else int(value)

    def numbers(self, schema: Mapping[str, Json], depth: int) -> Iterator[Json]:
        """Whole ones, then halves of the bounds."""
        yield from self.integers(schema, depth)
        low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
        if _is_number(low) and _is_number(high):
            yield (low + high) / 2
        yield 0.5

    def booleans(self, _schema: Mapping[str, Json], _depth: int) -> Iterator[Json]:
        """The quieter one first."""
        yield from (False, True)

    def nulls(self, _schema: Mapping[str, Json], _depth: int) -> Iterator[Json]:
        """There is one."""
        yield None

    def _inner(self, schema: Json, depth: int) -> list[Json]:
        """A few values of a part, valid ones where that can be told of it alone."""
        drawn = list(itertools.islice(self.values(schema, depth + 1), 24))
        part = self._alone(schema)
        try:
            compiled = compile_schema(part)
        except SchemaError:
            return drawn[:4]
        valid = [value for value in drawn if compiled.holds(value)]
        return [value for at, value in enumerate(valid) if not any(same(value, one) for one in valid[:at])][
            :8
        ]

    def _alone(self, schema: Json) -> Json:
        """The part with the definitions that it may refer to."""
        if not isinstance(schema, dict) or not isinstance(self._document, dict):
            return schema
        kept = {
            word: self._document[word]
            for word in ("$schema", "$defs", "definitions")
            if word in self._document
        }
        return {**kept, **schema}


_DRAWERS: Final[Mapping[str, Any]] = {
    "object": _Drawing.objects,
    "array": _Drawing.arrays,
    "string": _Drawing.texts,
    "integer": _Drawing.integers,
    "number": _Drawing.numbers,
    "boolean": _Drawing.booleans,
    "null": _Drawing.nulls,
}


def _diagonal(columns: list[list[Json]]) -> Iterator[list[Json]]:
    """The first of each, then others of each in turn."""
    for at in range(max(map(len, columns), default=1)):
        yield [column[min(at, len(column) - 1)] for column in columns]


def _types(schema: Mapping[str, Json]) -> list[str]:
    """The types to try, `null` last; where none is said, those whose words are there, or all."""
    said = schema.get("type")
    if isinstance(said, str):
        return [said] if said in _DRAWERS else []
    if isinstance(said, list):
        return sorted((one for one in said if one in _DRAWERS), key=lambda one: one == "null")
    meant = [kind for kind, words in _WORDS_OF.items() if any(word in schema for word in words)]
    return meant or list(_OF_ALL_TYPES)


def _merged(schema: Mapping[str, Json], without: str, *others: Json) -> Json:
    """The schema without a word, with what the others say; properties and required names together."""
    made = {word: value for word, value in schema.items() if word != without}
    for other in others:
        if other is False or other is None:
            return False
        if not isinstance(other, dict):
            continue
        for word, value in other.items():
            if word == "properties" and isinstance(value, dict):
                made[word] = {**_properties(made), **value}
            elif word == "required" and isinstance(value, list):
                made[word] = list(dict.fromkeys((*made.get(word, ()), *value)))
            elif word not in made or word not in ("title", "description"):
                made[word] = value
    return made


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
