"""`evalkit schema`: the JSON Schema of a suite or of a report, for editors and other tools."""

from __future__ import annotations

import json
from typing import Final

from evalkit.commands import _output
from evalkit.commands._arguments import Arguments, one_of
from evalkit.language import suite_schema
from evalkit.literals import LITERALS
from evalkit.model import Json
from evalkit.report import schema_text


def parser() -> Arguments:
    """The flags."""
    made = Arguments("schema", "evalkit schema suite > suite.schema.json", "Print a JSON Schema.")
    made.add_argument("what", type=one_of(("suite", "report")), help="suite or report")
    return made


def main(argv: list[str]) -> int:
    """Print the schema, and give the exit code."""
    what = parser().parse(argv).what
    _output.to_stdout(suite_text() if what == "suite" else schema_text())
    return 0


def suite_text() -> str:
    """The suite language, generated from the tables of operations and expectations."""
    return json.dumps(_with_filling(suite_schema()), indent=2, ensure_ascii=False) + "\n"


def _with_filling(schema: Json) -> Json:
    """The schema as a suite is written: any value of a case or default may be a literal or a `${{ … }}`."""
    parts = schema["$defs"]
    for part in ("defaults", "case", "step", "expect"):
        rows = parts[part]["properties"]
        parts[part] = {
            **parts[part],
            "properties": {name: row if name in _STRUCTURE else _loose(row) for name, row in rows.items()},
        }
    return {**schema, "$defs": {**parts, "filling": _FILLING}}


def _loose(schema: Json) -> Json:
    """What the schema allows, or what is filled in."""
    if not isinstance(schema, dict) or not schema:
        return schema
    return {"if": {"$ref": "#/$defs/filling"}, "then": True, "else": _inside(schema)}


def _inside(schema: Json) -> Json:
    found = dict(schema)
    for word in ("items", "additionalProperties", "else"):
        if word in found:
            found[word] = _loose(found[word])
    if "properties" in found:
        found["properties"] = {name: _loose(row) for name, row in found["properties"].items()}
    if "anyOf" in found:
        found["anyOf"] = [_inside(way) for way in found["anyOf"]]
    return found


_STRUCTURE: Final = frozenset({"steps", "expect", "matrix", "fixture"})
"""Keys that hold what they hold as it is written."""

_FILLING: Final[Json] = {
    "anyOf": [
        {"type": "string", "pattern": "\\$\\{\\{"},
        {"type": "object", "minProperties": 1, "maxProperties": 1, "propertyNames": {"enum": list(LITERALS)}},
    ]
}
