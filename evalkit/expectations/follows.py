"""The answer follows each of these rules, as far as they belong to the revision that was negotiated.

A finding has the rule's id as its code; `evalkit explain ID` tells the rule.

expect:
  follows: [tool-name-characters, tool-names-unique]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Finding, Json, Path
from evalkit.rules import Rule, revision_of, table

READS_MANIFEST: Final = True
SCHEMA: Final[Json] = {
    "description": "Ids of rules: `evalkit list rules` names them.",
    "type": "array",
    "minItems": 1,
    "uniqueItems": True,
    "items": {"type": "string", "minLength": 1},
}
CODES: Final[Mapping[str, str]] = {
    **{rule.id: rule.sentence for rule in table().values()},
    "rule-not-judged": "A rule judges the answers of another operation than the one that was sent.",
}


def check(wanted: Json) -> Iterator[tuple[Path, str]]:
    """Yield each id that is no rule's."""
    for index, name in enumerate(wanted):
        if name not in table():
            near = get_close_matches(name, table(), 1)
            yield (index,), f"there is no rule {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def findings(evidence: Evidence, wanted: Json) -> Iterator[Finding]:
    """Yield one finding for each breach. A rule that cannot judge this operation is told, not passed over.

    Raises CapabilityMissing where none of the rules is one of the revision that was negotiated, and where one
    could not be judged and no other is broken.
    """
    revision = revision_of(evidence)
    if not any(table()[name].holds_for(revision) for name in wanted):
        raise CapabilityMissing(f"the revision {revision} has none of these rules: {', '.join(wanted)}")
    unjudged: CapabilityMissing | None = None
    is_broken = False
    for index, name in enumerate(wanted):
        try:
            for finding in _broken(table()[name], revision, evidence, index):
                is_broken = True
                yield finding
        except CapabilityMissing as problem:
            unjudged = unjudged or problem
    if unjudged is not None and not is_broken:
        raise unjudged


def _broken(rule: Rule, revision: str, evidence: Evidence, index: int) -> Iterator[Finding]:
    operation = evidence.call.operation
    if operation not in rule.operations:
        told = f"`{rule.id}` judges {', '.join(sorted(rule.operations))}, and this is {operation}"
        yield Finding("rule-not-judged", told, at=(index,))
    elif rule.holds_for(revision):
        for fault in rule.judge(evidence):
            shown = (fault.path, fault.expected, fault.actual)
            yield Finding(rule.id, fault.message, *shown, at=(index,), severity=rule.severity)
