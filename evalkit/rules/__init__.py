"""What every MCP server owes, one rule a row: its severity, its revisions, the section, and who judges it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from evalkit.model import Evidence, Json, Severity

FIRST: Final = "2024-11-05"
"""The first published revision of the protocol; revisions are dates, and compare as texts."""

FAMILIES: Final = (
    *("listing", "naming", "schemas", "hints"),
    *("results", "outputs", "texts", "refusing", "repeating"),
    *("negotiation", "messages", "living", "streamable"),
)
"""Files of this folder that each hold `RULES`, a tuple of the rules of one family."""


class Fault(NamedTuple):
    """One breach of a rule: what is wrong, where (a path of the language), what was wanted and what came."""

    message: str
    path: str = ""
    expected: Json = ...
    actual: Json = ...


Judge: TypeAlias = Callable[[Evidence], Iterator[Fault]]
"""Yields what breaks a rule. Silence is success, so it never is silent about what it could not look at."""


class Rule(NamedTuple):
    """One rule. `low` is for what the specification permits, but some clients cannot take.

    `operations` are those whose observation it judges. It holds from the revision `since` up to `until`, both
    included; empty means for ever. `section` names the place in the specification, or whose limit it is.
    `example` is a page of an answer that breaks it, and of one that keeps it, for `evalkit explain`.
    """

    id: str
    severity: Severity
    sentence: str
    section: str
    example: str
    operations: frozenset[str]
    judge: Judge
    since: str = FIRST
    until: str = ""

    def holds_for(self, revision: str) -> bool:
        """Whether the rule is one of a revision; of an unknown one, every rule is."""
        return not revision or (self.since <= revision and (not self.until or revision <= self.until))


@cache
def table() -> Mapping[str, Rule]:
    """Every rule by its id, family by family."""
    families = (importlib.import_module(f"{__name__}.{family}") for family in FAMILIES)
    return {rule.id: rule for family in families for rule in family.RULES}


def revision_of(evidence: Evidence) -> str:
    """The negotiated revision, as the manifest of this step or of an earlier one tells it; else empty."""
    seen = (evidence.observation, *reversed([*evidence.earlier.values()]))
    for observation in seen:
        manifest = observation.roots.get("manifest")
        if isinstance(manifest, dict) and isinstance(manifest.get("protocolVersion"), str):
            return str(manifest["protocolVersion"])
    return ""
