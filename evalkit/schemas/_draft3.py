"""The engine for draft 3, which jsonschema-rs does not read: the reference implementation in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

import jsonschema_rs as rs
from jsonschema import Draft3Validator, FormatChecker
from jsonschema import SchemaError as Refusal
from jsonschema import ValidationError as Complaint
from jsonschema.validators import extend
from referencing import Registry

from evalkit.schemas._dialects import Dialect
from evalkit.schemas._doubts import weighed
from evalkit.schemas._references import Document
from evalkit.schemas._words import UNCHECKABLE, Json, Path, SchemaError, Violation, cut, shown, uncheckable

_LATER_NAMES: Final = {"host-name": "hostname", "ip-address": "ipv4"}
_LONGEST_MESSAGE: Final = 200
_Doubt: TypeAlias = Callable[[str], Iterator[Complaint]]
"""What to do about a pattern that cannot be judged."""


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
        self._strict, self._lenient = (judge(schema, registry=Registry()) for judge in (_STRICT, _LENIENT))

    def holds(self, instance: Json) -> bool:
        """Whether the instance is valid, whatever the patterns that cannot be judged would say."""
        return bool(self._strict.is_valid(instance) and self._lenient.is_valid(instance))

    def violations(self, instance: Json) -> list[Violation]:
        """Every violation, in no particular order."""
        strict, lenient = (
            list(map(_violation, judge.iter_errors(instance))) for judge in (self._strict, self._lenient)
        )
        return weighed(strict, lenient)


def _violation(complaint: Complaint) -> Violation:
    where = tuple(complaint.absolute_schema_path)
    keyword = str(complaint.validator)
    message = complaint.message.replace(repr(complaint.instance), shown(complaint.instance), 1)
    if len(message) > _LONGEST_MESSAGE and not message.startswith(UNCHECKABLE):
        message = f"{shown(complaint.instance)} breaks `{keyword}`"
    return Violation(tuple(complaint.absolute_path), keyword, where, message)


def _complain(pattern: str) -> Iterator[Complaint]:
    yield Complaint(uncheckable(pattern))


def _let_pass(pattern: str) -> Iterator[Complaint]:
    yield from ()


def _pattern(
    doubt: _Doubt, validator: Any, pattern: str, instance: Json, schema: Json
) -> Iterator[Complaint]:
    if isinstance(instance, str):
        judge = _judge_of("pattern", pattern)
        if judge is None:
            yield from doubt(pattern)
        elif not judge.is_valid(instance):
            yield Complaint(f"{shown(instance)} does not match {shown(pattern)}")


def _pattern_properties(
    doubt: _Doubt, validator: Any, patterns: Json, instance: Json, schema: Json
) -> Iterator[Complaint]:
    for pattern, inner in patterns.items() if isinstance(instance, dict) and instance else ():
        judge = _judge_of("pattern", pattern)
        if judge is None:
            yield from doubt(pattern)
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


def _judging(doubt: _Doubt) -> Any:
    """The reference implementation with our own patterns and formats."""
    keywords = {
        "pattern": partial(_pattern, doubt),
        "patternProperties": partial(_pattern_properties, doubt),
        "format": _format,
    }
    return extend(Draft3Validator, keywords)  # type: ignore[no-untyped-call]


_STRICT: Final = _judging(_complain)
_LENIENT: Final = _judging(_let_pass)
