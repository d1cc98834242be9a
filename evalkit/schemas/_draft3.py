"""The engine for draft 3, which jsonschema-rs does not read: the reference implementation in Python."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs as rs
from jsonschema import Draft3Validator, FormatChecker
from jsonschema import SchemaError as Refusal
from jsonschema import ValidationError as Complaint
from jsonschema.validators import extend
from referencing import Registry

from evalkit.schemas._dialects import Dialect
from evalkit.schemas._references import Document
from evalkit.schemas._words import Json, Path, SchemaError, Violation, cut, shown, uncheckable

_LATER_NAMES: Final = {"host-name": "hostname", "ip-address": "ipv4"}
_LONGEST_MESSAGE: Final = 200


class Draft3Engine:
    """A compiled draft 3 schema; its patterns and formats are judged by jsonschema-rs, as everywhere else."""

    def __init__(self, schema: Json, dialect: Dialect) -> None:
        """Take a schema that is plain JSON. Raises SchemaError."""
        self.unchecked: dict[Path, str] = {}
        try:
            Draft3Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
        except Refusal as refusal:
            path = tuple(refusal.absolute_path)
            raise SchemaError("schema-invalid", cut(refusal.message), path) from None
        unresolved = Document(schema, dialect).first_unresolved()
        if unresolved is not None:
            raise unresolved
        # An empty registry: the library's own default would fetch what it does not know.
        self._validator = _JUDGE(schema, registry=Registry(), format_checker=FormatChecker(formats=()))

    def holds(self, instance: Json) -> bool:
        """Whether the instance is valid."""
        return bool(self._validator.is_valid(instance))

    def violations(self, instance: Json) -> list[Violation]:
        """Every violation, in no particular order."""
        return [_violation(complaint) for complaint in self._validator.iter_errors(instance)]


def _violation(complaint: Complaint) -> Violation:
    where = tuple(complaint.absolute_schema_path)
    keyword = str(complaint.validator)
    message = complaint.message.replace(repr(complaint.instance), shown(complaint.instance), 1)
    if len(message) > _LONGEST_MESSAGE:
        message = f"{shown(complaint.instance)} breaks `{keyword}`"
    return Violation(tuple(complaint.absolute_path), keyword, where, message)


def _pattern(validator: Any, pattern: str, instance: Json, schema: Json) -> Iterator[Complaint]:
    if isinstance(instance, str):
        judge = _judge_of("pattern", pattern)
        if judge is None:
            yield Complaint(uncheckable(pattern))
        elif not judge.is_valid(instance):
            yield Complaint(f"{shown(instance)} does not match {shown(pattern)}")


def _pattern_properties(validator: Any, patterns: Json, instance: Json, schema: Json) -> Iterator[Complaint]:
    for pattern, inner in patterns.items() if isinstance(instance, dict) else ():
        judge = _judge_of("pattern", pattern)
        if judge is None:
            yield Complaint(uncheckable(pattern))
            continue
        for name, value in instance.items():
            if judge.is_valid(name):
                yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _format(validator: Any, name: str, instance: Json, schema: Json) -> Iterator[Complaint]:
    judge = _judge_of("format", _LATER_NAMES.get(name, name))
    if isinstance(instance, str) and judge is not None and not judge.is_valid(instance):
        yield Complaint(f"{shown(instance)} is not a {shown(name)}")


@lru_cache(maxsize=512)
def _judge_of(keyword: str, value: str) -> rs.Validator | None:
    options = rs.FancyRegexOptions(backtrack_limit=100_000)
    try:
        return rs.Draft7Validator(
            {keyword: value}, offline=True, validate_formats=True, pattern_options=options
        )
    except ValueError:
        return None


_JUDGE: Final = extend(  # type: ignore[no-untyped-call]
    Draft3Validator,
    {"pattern": _pattern, "patternProperties": _pattern_properties, "format": _format},
)
