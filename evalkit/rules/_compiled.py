"""An advertised schema as the rules judge it: compiled in its dialect, or a part of it compiled by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote

from evalkit.model import Json, Path
from evalkit.rules._listed import Advertised
from evalkit.schemas import DRAFT_2020_12, Schema, SchemaError, compile_schema, subschemas

_DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"
_DIALECT_SINCE: Final = "2025-11-25"
"""Before this revision nobody said which dialect a schema without `$schema` has, and most were draft 7."""

_WHOLE: Final = "urn:evalkit:advertised"
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_OLD: Final = re.compile("draft-0[34]")
"""The drafts in which `id` has no `$`."""


class Usable(NamedTuple):
    """A schema that can be used, whole and compiled, and the dialect in which it can."""

    schema: Schema
    dialect: str


def compiled(advertised: Advertised) -> Usable | SchemaError:
    """The schema, or why it cannot be used."""
    first = _compiled(advertised.schema, DRAFT_2020_12)
    if isinstance(first, Usable) or not "" < advertised.of.revision < _DIALECT_SINCE:
        return first
    second = _compiled(advertised.schema, _DRAFT_7)
    return second if isinstance(second, Usable) else first


def part(whole: Mapping[str, Json], place: Path, here: Json, dialect: str) -> Usable | SchemaError:
    """The schema `here`, at a place of the whole, with all that its references lead to."""
    if not any(word in each for _, each in subschemas(here) for word in _REFERENCES):
        return _compiled({**here, "$schema": dialect}, dialect)
    name = "id" if _OLD.search(dialect) else "$id"
    known = whole.get(name)
    own = known.rstrip("#") if isinstance(known, str) and ":" in known else _WHOLE
    pointer = "".join("/" + _escaped(str(step)) for step in place)
    around = {"$ref": f"{own}#{pointer}", "definitions": {"whole": {**whole, name: own}}}
    return _compiled({**around, "$schema": dialect}, dialect)


def _compiled(schema: Mapping[str, Json], dialect: str) -> Usable | SchemaError:
    try:
        return Usable(compile_schema(schema, default_dialect=dialect), str(schema.get("$schema", dialect)))
    except SchemaError as problem:
        return problem


def _escaped(step: str) -> str:
    return quote(step.replace("~", "~0").replace("/", "~1"), safe="~")
