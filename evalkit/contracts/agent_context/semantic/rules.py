"""The policy of the semantic tools as one value: every rule under its name, each replaceable on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .. import faults, redaction, results
from ..store import Records, Remembered
from ..vocabulary import Settings
from . import (
    arguments,
    authority,
    bounds,
    catalogue,
    envelopes,
    fingerprints,
    formats,
    moments,
    outcomes,
    replays,
    scrubbing,
)
from .adapters import ADAPTERS
from .nouns import Adapter, Authority, Json, Moment, Refused, SemanticTool, ToolCall
from .outcomes import Outcome
from .replays import Memory, Verdict


class Question(NamedTuple):
    """One call with the tool that was found for it, None for an unknown name."""

    call: ToolCall
    tool: SemanticTool | None
    authority: Authority


class SemanticRules(NamedTuple):
    """Every rule. `gate` holds the refusals in order: each gives why a call is refused, or None."""

    gate: tuple[Callable[[SemanticRules, Question], Refused | None], ...]

    # what there is, and what is said of it
    tools: tuple[SemanticTool, ...] = catalogue.TOOLS
    find: Callable[[str], SemanticTool | None] = catalogue.find
    input_schema: Callable[[SemanticTool], Json] = catalogue.input_schema
    output_schema: Callable[[SemanticTool], Json] = catalogue.output_schema
    entry: Callable[[SemanticTool, Json, Json], Json] = formats.entry
    seen_from: Callable[[Json, str, bool | None], Json] = formats.seen_from
    document: Callable[[str, Sequence[Json], str], Json] = formats.document
    describe: Callable[[Json], Json] = formats.mcp

    # who may call, and what
    grants: Callable[[Settings], frozenset[str]] = authority.grants
    granted: Callable[[SemanticTool, str, frozenset[str]], bool | None] = authority.granted
    unknown_tool: Callable[[str], Refused] = authority.unknown_tool
    authority_refusal: Callable[[SemanticTool, Authority], Refused | None] = authority.authority_refusal
    arguments_refusal: Callable[[SemanticTool, Json], Refused | None] = arguments.arguments_refusal
    settle: Callable[[Json], Json] = arguments.settle

    # what is asked again
    key_request_id: Callable[[str | None], str | None] = envelopes.key_request_id
    fresh_request_id: Callable[[str], str] = envelopes.fresh_request_id
    fingerprint: Callable[[str, Json, str], str] = fingerprints.fingerprint
    memory: Memory = Memory()
    verdict: Callable[[Remembered | None, str, float], Verdict] = replays.verdict
    repeat: Callable[[Verdict, Remembered], Json | Refused] = replays.repeat

    # what is done
    adapters: Mapping[str, Adapter] = ADAPTERS
    moment: Callable[[Records, float], Moment] = moments.moment
    caught: Callable[[Callable[[], Json]], Json | Exception] = faults.caught
    of_answer: Callable[[Json], Outcome] = outcomes.of_answer
    of_fault: Callable[[Exception], Outcome] = outcomes.of_fault
    keeps_effects: Callable[[Outcome], bool] = outcomes.keeps_effects

    # what is told of it
    normalise: Callable[[str, str, Outcome], Json] = outcomes.normalise
    scrub: Callable[[Json], Json] = redaction.scrub
    scrubbed: Callable[[Json, Callable[[Json], Json]], Json] = scrubbing.scrubbed
    bound: Callable[[Json], Json] = bounds.bound
    success: Callable[[Json], Json] = results.success
    failure: Callable[[str], Json] = results.failure
