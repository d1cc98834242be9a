"""The engine for drafts 4 to 2020-12: jsonschema-rs, never online, with every pattern bounded in time."""

from __future__ import annotations

import copy
from typing import Any, Final

import jsonschema_rs as rs
from jsonschema_rs import ValidationErrorKind as Kind

from evalkit.schemas._dialects import Dialect
from evalkit.schemas._doubts import weighed
from evalkit.schemas._fast_messages import MASK, masked, violation_of
from evalkit.schemas._places import subschemas
from evalkit.schemas._references import Document
from evalkit.schemas._words import Json, Path, SchemaError, Violation, cut, uncheckable, value_at

# Plain patterns run in linear time; look-arounds and back-references may step back, but only so often.
_OPTIONS: Final[dict[str, Any]] = {
    "offline": True,
    "validate_formats": True,
    "mask": MASK,
    "pattern_options": rs.FancyRegexOptions(backtrack_limit=100_000),
}
_PATTERN: Final = "evalkit:pattern"
_PATTERN_PROPERTIES: Final = "evalkit:patternProperties"


class FastEngine:
    """A compiled schema.

    A pattern that cannot be compiled is set aside: once it fails on each value that it would judge, and once
    it holds for each, so that no verdict hangs on it in silence (under `not`, failing would mean passing).
    """

    def __init__(self, schema: Json, dialect: Dialect) -> None:
        """Compile a schema that is plain JSON. Raises SchemaError."""
        compiler = getattr(rs, dialect.validator)
        self.unchecked: dict[Path, str] = {}
        self._schema = schema
        self._lenient: rs.Validator | None = None
        while True:
            keywords = _FAILING if self.unchecked else None
            try:
                self._validator: rs.Validator = compiler(schema, keywords=keywords, **_OPTIONS)
                break
            except rs.ValidationError as error:
                schema = self._without_pattern(schema, error, dialect)
            except RecursionError:
                raise SchemaError("schema-too-deep", "nested too deep to be compiled") from None
            except ValueError as error:
                code = "schema-too-deep" if "Recursion" in str(error) else "schema-not-json"
                raise SchemaError(code, cut(str(error))) from None
        if self.unchecked:
            self._lenient = compiler(schema, keywords=_PASSING, **_OPTIONS)

    def holds(self, instance: Json) -> bool:
        """Whether the instance is valid, whatever the unchecked patterns would say."""
        return self._validator.is_valid(instance) and (
            self._lenient is None or self._lenient.is_valid(instance)
        )

    def violations(self, instance: Json) -> list[Violation]:
        """Every violation, in no particular order."""
        strict = self._found_by(self._validator, instance)
        return strict if self._lenient is None else weighed(strict, self._found_by(self._lenient, instance))

    def _found_by(self, validator: rs.Validator, instance: Json) -> list[Violation]:
        return [violation_of(error, instance, self._schema) for error in validator.iter_errors(instance)]

    def _without_pattern(self, schema: Json, error: rs.ValidationError, dialect: Dialect) -> Json:
        """The schema without the pattern that an error complains of; other errors are raised."""
        path = tuple(error.instance_path)
        if not isinstance(error.kind, Kind.Format) or error.kind.format != "regex":
            raise _schema_error(error, self._schema, dialect)
        # Up to draft 7 the complaint is about the whole of `patternProperties`.
        tail, word = (path[:-1], path[-1]) if path[-1] in _SET_ASIDE else (path[:-2], path[-2])
        pattern = str(error.instance)
        holder = _holder(schema, tail, word, pattern)
        if holder is None:
            raise _schema_error(error, self._schema, dialect)
        rest = copy.deepcopy(schema)
        _SET_ASIDE[word](value_at(rest, holder), pattern)
        self.unchecked[(*holder, word)] = pattern
        return rest


def _holder(root: Json, tail: Path, word: str | int, pattern: str) -> Path | None:
    """Where the schema stands that has this pattern: a path may begin at a schema with an id of its own."""
    for place, _ in subschemas(root):
        found = value_at(root, (*place, *tail))
        held = found.get(word) if isinstance(found, dict) else None
        if held == pattern or (isinstance(held, dict) and pattern in held):
            return (*place, *tail)
    return None


class _FailsOnText:
    def __init__(self, parent_schema: dict[str, Json], value: Json, schema_path: list[str | int]) -> None:
        self._message = uncheckable(value)

    def validate(self, instance: Json) -> None:
        if isinstance(instance, str):
            raise ValueError(self._message)


class _FailsOnMembers:
    def __init__(self, parent_schema: dict[str, Json], value: Json, schema_path: list[str | int]) -> None:
        self._message = uncheckable(value[0])

    def validate(self, instance: Json) -> None:
        if isinstance(instance, dict) and instance:
            raise ValueError(self._message)


class _Passes:
    def __init__(self, parent_schema: dict[str, Json], value: Json, schema_path: list[str | int]) -> None: ...

    def validate(self, instance: Json) -> None: ...


_FAILING: Final[dict[str, Any]] = {_PATTERN: _FailsOnText, _PATTERN_PROPERTIES: _FailsOnMembers}
_PASSING: Final[dict[str, Any]] = {_PATTERN: _Passes, _PATTERN_PROPERTIES: _Passes}


def _set_pattern_aside(holder: dict[str, Json], pattern: str) -> None:
    del holder["pattern"]
    holder[_PATTERN] = pattern


def _set_pattern_property_aside(holder: dict[str, Json], pattern: str) -> None:
    # The empty pattern matches every name, so that `additionalProperties` makes no claim it cannot know.
    del holder["patternProperties"][pattern]
    holder["patternProperties"].setdefault("", {})
    holder.setdefault(_PATTERN_PROPERTIES, []).append(pattern)


_SET_ASIDE: Final[dict[Any, Any]] = {
    "pattern": _set_pattern_aside,
    "patternProperties": _set_pattern_property_aside,
}


def _schema_error(error: rs.ValidationError, schema: Json, dialect: Dialect) -> SchemaError:
    path = tuple(error.instance_path)
    if isinstance(error.kind, Kind.Referencing):
        named = Document(schema, dialect).first_unresolved()
        return named or SchemaError("ref-unresolvable", cut(error.message), path)
    return SchemaError("schema-invalid", masked(error, value_at(schema, path)), path)
