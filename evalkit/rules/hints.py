"""Rules of a tool's annotations: hints are booleans, are stated, and do not contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evalkit.model import Json
from evalkit.rules import Fault, Rule
from evalkit.rules._listed import MANIFEST, Listed, over_tools
from evalkit.values import kind_of

HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")

_SINCE: Final = "2025-03-26"


def _hints_typed(listed: Listed) -> Iterator[Fault]:
    stated = _stated(listed)
    for hint, wanted in (*((hint, "boolean") for hint in HINTS), ("title", "string")):
        kind = kind_of(stated.get(hint, ...))
        if kind not in (wanted, "nothing"):
            told = f"`{hint}` of {listed.name} is of the kind {kind}, not {wanted}"
            yield Fault(told, listed.path("annotations", hint), actual=stated[hint])


def _hints_agree(listed: Listed) -> Iterator[Fault]:
    stated = _stated(listed)
    if stated.get("readOnlyHint") is True and stated.get("destructiveHint") is True:
        told = f"{listed.name} says that it only reads, and that it may destroy"
        yield Fault(told, listed.path("annotations", "destructiveHint"), False, True)


def _hints_said(listed: Listed) -> Iterator[Fault]:
    stated = _stated(listed)
    if "readOnlyHint" not in stated and "destructiveHint" not in stated:
        told = f"{listed.name} does not say whether it only reads or destroys, and so counts as destructive"
        yield Fault(told, listed.path("annotations"), actual=listed.tool.get("annotations", ...))


def _stated(listed: Listed) -> dict[str, Json]:
    """What the annotations say in so many words; what they leave out is no statement."""
    stated = listed.tool.get("annotations")
    return stated if isinstance(stated, dict) else {}


RULES: Final = (
    Rule(
        "hints-typed",
        "high",
        "A hint is true or false, and the title of the annotations is a text.",
        "2025-03-26, schema, ToolAnnotations: strict clients refuse the whole listing",
        'breaks: {"readOnlyHint": "true"}\nkeeps:  {"readOnlyHint": true}',
        MANIFEST,
        over_tools(_hints_typed),
        since=_SINCE,
    ),
    Rule(
        "hints-agree",
        "medium",
        "A tool that says that it only reads does not say that it is destructive.",
        "2025-03-26, schema, ToolAnnotations",
        'breaks: {"readOnlyHint": true, "destructiveHint": true}\n'
        'keeps:  {"readOnlyHint": true}, though the default of `destructiveHint` is true',
        MANIFEST,
        over_tools(_hints_agree),
        since=_SINCE,
    ),
    Rule(
        "hints-said",
        "low",
        "A tool says whether it only reads or destroys; of one that says nothing clients assume the worst.",
        "2025-03-26, schema, ToolAnnotations: the defaults; the specification permits it",
        'breaks: {"annotations": {"title": "Search"}}\nkeeps:  {"annotations": {"readOnlyHint": true}}',
        MANIFEST,
        over_tools(_hints_said),
        since=_SINCE,
    ),
)
