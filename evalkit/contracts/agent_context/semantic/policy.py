"""Carries out a semantic tool call or refuses it; what happens in which order is the policy (spec C.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, cast

from ..store import Ledger, Records, Remembered
from ..vocabulary import Settings
from .nouns import Authority, Json, Refused, SemanticTool, Surroundings, ToolCall
from .outcomes import Outcome
from .rules import Question, SemanticRules


def execute(rules: SemanticRules, surroundings: Surroundings, call: ToolCall, authority: Authority) -> Json:
    """The normalised result of a call, completed or failed. Raises Refused for one that is not carried out.

    A call with a request id is carried out once: its effect and the memory of its result are kept together,
    or neither is. A call without one is not remembered.
    """
    tool = rules.find(call.name)
    question = Question(call, tool, authority)
    for refuse in rules.gate:
        refusal = refuse(rules, question)
        if refusal is not None:
            raise refusal
    if tool is None:
        raise LookupError(call.name)
    request_id = call.request_id
    if request_id is None:
        request_id = rules.fresh_request_id(surroundings.next_id())
    job = _Job(rules, surroundings, tool, rules.settle(call.arguments), request_id)
    answer = rules.caught(_way(job, call, authority))
    if isinstance(answer, Refused):
        raise answer
    return _told(job, rules.of_fault(answer)) if isinstance(answer, Exception) else answer


def stored(rules: SemanticRules, surroundings: Surroundings, request_id: str) -> Json:
    """The result that is remembered for a request id (spec C.5). Raises Refused where none is."""
    with surroundings.store.transaction() as ledger:
        known = ledger.recall(request_id)
    if known is None or known.result is None:
        raise Refused("TOOL_CALL_NOT_FOUND", "No result is stored for this requestId")
    return known.result


def over_mcp(
    rules: SemanticRules,
    surroundings: Surroundings,
    settings: Settings,
    name: str,
    args: Json,
    key: str | None,
) -> Json | None:
    """A tool result as MCP shapes it; None for a name that is unknown or not granted, which look the same.

    `key` is the Idempotency-Key. A refusal is one sentence, with its code in `_meta`.
    """
    authority = Authority("agent", rules.grants(settings))
    tool = rules.find(name)
    if tool is None or not rules.granted(tool, authority.scope, authority.capabilities):
        return None
    try:
        call = ToolCall(name, {} if args is None else args, rules.key_request_id(key))
        result = execute(rules, surroundings, call, authority)
    except Refused as refused:
        return {**rules.failure(str(refused)), "_meta": {"code": refused.code}}
    shown = rules.success(result)
    return {"isError": True, **shown} if result["state"] == "failed" else shown


def granted_tools(rules: SemanticRules, settings: Settings) -> list[Json]:
    """The tools that the settings grant to an agent, as MCP lists them."""
    capabilities = rules.grants(settings)
    return [
        rules.describe(_entry(rules, tool))
        for tool in rules.tools
        if rules.granted(tool, "agent", capabilities)
    ]


def view_catalogue(rules: SemanticRules, scope: str, capabilities: frozenset[str], form: str) -> Json:
    """The catalogue document that a scope (agent, mind, ui, voice or all) sees, in a form of spec C.1."""
    entries = [
        rules.seen_from(_entry(rules, tool), scope, rules.granted(tool, scope, capabilities))
        for tool in rules.tools
    ]
    return rules.document(scope, entries, form)


def refuse_unknown_tool(rules: SemanticRules, question: Question) -> Refused | None:
    """A name that is no tool's."""
    return None if question.tool else rules.unknown_tool(question.call.name)


def refuse_authority(rules: SemanticRules, question: Question) -> Refused | None:
    """A tool that may not be called in this name, whatever its arguments and whatever was called before."""
    return rules.authority_refusal(question.tool, question.authority) if question.tool else None


def refuse_arguments(rules: SemanticRules, question: Question) -> Refused | None:
    """Arguments that the schema does not allow, whatever was called before."""
    return rules.arguments_refusal(question.tool, question.call.arguments) if question.tool else None


class _Job(NamedTuple):
    """A call that has passed the gate."""

    rules: SemanticRules
    surroundings: Surroundings
    tool: SemanticTool
    arguments: Json
    request_id: str


class _Undo(Exception):
    """Ends an attempt of which no effect is to stay."""


def _way(job: _Job, call: ToolCall, authority: Authority) -> Callable[[], Json | Refused]:
    """How a call is carried out: what is remembered or written needs a transaction, a reading does not."""
    if call.request_id is not None:
        fingerprint = job.rules.fingerprint(job.tool.id, job.arguments, authority.scope)
        return lambda: _once(job, fingerprint)
    return (lambda: _read(job)) if job.tool.effect == "read" else (lambda: _write(job))


def _once(job: _Job, fingerprint: str) -> Json | Refused:
    rules = job.rules
    with job.surroundings.store.transaction() as ledger:
        now = job.surroundings.now()
        before = now - rules.memory.seconds
        known = ledger.recall(job.request_id)
        verdict = rules.verdict(known, fingerprint, before)
        if known is not None and verdict != "new":
            return rules.repeat(verdict, known)
        result = _told(job, _attempt(job, ledger, now))
        ledger.remember(Remembered(job.request_id, fingerprint, result, now))
        ledger.forget(results=rules.memory.results, fingerprints=rules.memory.fingerprints, before=before)
        return result


def _write(job: _Job) -> Json:
    with job.surroundings.store.transaction() as ledger:
        return _told(job, _attempt(job, ledger, job.surroundings.now()))


def _read(job: _Job) -> Json:
    with job.surroundings.store.view() as records:
        return _told(job, _asked(job, records, job.surroundings.now()))


def _attempt(job: _Job, ledger: Ledger, now: float) -> Outcome:
    """What the adapter did; nothing of it stays where it failed."""
    try:
        with ledger.attempt():
            outcome = _asked(job, ledger, now)
            if not job.rules.keeps_effects(outcome):
                raise _Undo
    except _Undo:
        pass
    return outcome


def _asked(job: _Job, records: Records, now: float) -> Outcome:
    rules = job.rules
    adapter = rules.adapters[job.tool.id]
    ledger = cast("Ledger", records)  # A reading adapter takes a ledger, too, and only calls `rows`.
    answer = rules.caught(lambda: adapter(ledger, job.arguments, rules.moment(records, now)))
    return rules.of_fault(answer) if isinstance(answer, Exception) else rules.of_answer(answer)


def _told(job: _Job, outcome: Outcome) -> Json:
    rules = job.rules
    normalised = rules.normalise(job.tool.id, job.request_id, outcome)
    return rules.bound(rules.scrubbed(normalised, rules.scrub))


def _entry(rules: SemanticRules, tool: SemanticTool) -> Json:
    return rules.entry(tool, rules.input_schema(tool), rules.output_schema(tool))


GATE: Final = (refuse_unknown_tool, refuse_authority, refuse_arguments)
SEMANTIC: Final = SemanticRules(gate=GATE)
