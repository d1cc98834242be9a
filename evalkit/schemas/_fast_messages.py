"""What jsonschema-rs found, in words that never quote a long value of the instance."""

from __future__ import annotations

from typing import Final

import jsonschema_rs as rs
from jsonschema_rs import ValidationErrorKind as Kind

from evalkit.schemas._places import HOLDS_MAP
from evalkit.schemas._words import Json, Path, Violation, cut, shown, shown_names, uncheckable, value_at

MASK: Final = "\x00"
"""Stands for the instance in jsonschema-rs' messages; JSON text never holds it bare."""

_SET_ASIDE: Final = "evalkit:"
_NULLABLE: Final = '; `nullable` is OpenAPI and means nothing here: write "type": ["…", "null"]'
_CLOSING: Final = ("additionalProperties", "additionalItems", "items")


def violation_of(error: rs.ValidationError, instance: Json, schema: Json) -> Violation:
    """One finding of jsonschema-rs about an instance of a schema."""
    path = tuple(error.instance_path)
    where = tuple(
        part.removeprefix(_SET_ASIDE) if isinstance(part, str) else part for part in error.schema_path
    )
    value = value_at(instance, path)
    message = _message(error, where, value, instance, schema)
    holder = value_at(schema, where[:-1])
    if value is None and isinstance(holder, dict) and holder.get("nullable") is True:
        message += _NULLABLE
    return Violation(path, _keyword(error, where), where, message)


def masked(error: rs.ValidationError, value: Json) -> str:
    """jsonschema-rs' own words, with the value named by us."""
    return cut(error.message).replace(MASK, shown(value))


def _keyword(error: rs.ValidationError, where: Path) -> str:
    match error.kind:
        case Kind.FalseSchema():
            return _closing(where) or "falseSchema"
        case Kind.PropertyNames():
            return "propertyNames"
        case Kind.BacktrackLimitExceeded() | Kind.RegexEngineFailure() if where[-1] != "pattern":
            return "patternProperties"
        case _:
            return str(where[-1])


def _closing(where: Path) -> str | None:
    """The keyword whose value is `false`, when it is one that closes an object or an array."""
    if not where or where[-1] not in _CLOSING or (len(where) > 1 and where[-2] in HOLDS_MAP):
        return None
    return str(where[-1])


def _message(error: rs.ValidationError, where: Path, value: Json, instance: Json, schema: Json) -> str:
    match error.kind:
        case Kind.AdditionalProperties(names) | Kind.UnevaluatedProperties(names):
            return f"{error.kind.name} allows no {shown_names(names)}"
        case Kind.FalseSchema() if _closing(where) == "additionalProperties" and isinstance(value, dict):
            return f"additionalProperties allows no {shown_names(list(value))}"
        case Kind.FalseSchema():
            return f"nothing is allowed here, but there is {shown(value)}"
        case Kind.PropertyNames(inner):
            name = inner.instance
            return f"the property name {shown(name)} is not allowed: {masked(inner, name)}"
        case Kind.Contains():
            return _count_of_matches(where, schema)
        case Kind.Constant():
            return f"{shown(value)} is not the constant {cut(error.message.removesuffix(' was expected'))}"
        case Kind.Not():
            return f"{shown(value)} is what `not` forbids"
        case Kind.AnyOf(branches) | Kind.OneOfNotValid(branches):
            return masked(error, value) + _deepest_cause(branches, tuple(error.instance_path), instance)
        case Kind.BacktrackLimitExceeded() | Kind.RegexEngineFailure():
            return uncheckable(str(where[-1] if where[-1] != "pattern" else value_at(schema, where)))
        case _:
            return masked(error, value)


def _count_of_matches(where: Path, schema: Json) -> str:
    limit = value_at(schema, where)
    if where[-1] == "maxContains":
        return f"more than {limit} items match `contains`"
    return (
        f"fewer than {limit} items match `contains`"
        if where[-1] == "minContains"
        else "no item matches `contains`"
    )


def _deepest_cause(branches: list[list[rs.ValidationError]], around: Path, instance: Json) -> str:
    """Of all that the branches complain of, what lies deepest: most likely the branch that was meant."""
    causes = [error for branch in branches for error in branch]
    deepest = max(causes, key=lambda error: len(error.instance_path), default=None)
    if deepest is None:
        return ""
    path = tuple(deepest.instance_path)
    inner = ".".join(map(str, path[len(around) :]))
    at = f", at {inner}" if inner else ""
    return f"; the nearest{at}: {masked(deepest, value_at(instance, path))}"
