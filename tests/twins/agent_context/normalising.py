"""Twins that judge the arguments of a semantic tool wrongly, or tell too much of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from evalkit.contracts.agent_context import results
from evalkit.contracts.agent_context.redaction import SECRET_RULES, scrubber
from evalkit.contracts.agent_context.semantic import arguments as judging
from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.semantic.arguments import argument_issues, arguments_refusal
from evalkit.contracts.agent_context.semantic.bounds import bound
from evalkit.contracts.agent_context.semantic.moments import moment
from evalkit.contracts.agent_context.semantic.nouns import Json, Moment, Refused, SemanticTool
from evalkit.contracts.agent_context.semantic.outcomes import (
    FAILED,
    Outcome,
    normalise,
    of_answer,
)
from evalkit.contracts.agent_context.semantic.scrubbing import scrubbed
from evalkit.contracts.agent_context.store import Ledger
from tests.twins.twin import altered, twin_of

_twin = partial(twin_of, "semantic")

Judge = Callable[[SemanticTool, Json], Refused | None]


def _forgiving(mend: Callable[[SemanticTool, Json], Json]) -> Judge:
    """Judges other arguments than those that were given."""
    return lambda tool, arguments: arguments_refusal(tool, mend(tool, arguments))


def _checking(kind: str, check: Callable[[Json], bool]) -> Judge:
    """Another idea of what is of a kind."""
    issue = altered(judging._issue, _CHECKS={**judging._CHECKS, kind: check})
    return altered(arguments_refusal, argument_issues=altered(argument_issues, _issue=issue))


ARGUMENT_TWINS = (
    _twin(
        "arguments that no schema knows dropped",
        "s-bad-arg[extra]",
        arguments_refusal=_forgiving(
            lambda tool, given: {name: given[name] for name in given if name in tool.properties}
        ),
    ),
    _twin(
        "an argument that is missing is a blank",
        "s-bad-arg[missing]",
        arguments_refusal=_forgiving(lambda tool, given: {**dict.fromkeys(tool.required, ""), **given}),
    ),
    _twin(
        "an argument that is null is missing",
        "s-bad-arg[null]",
        arguments_refusal=_forgiving(
            lambda tool, given: {name: said for name, said in given.items() if said is not None}
        ),
    ),
    _twin(
        "any argument is a text",
        "s-bad-arg[type]",
        "i-validation-first",
        "i-http-refused[arguments]",
        arguments_refusal=_checking("string", lambda value: True),
    ),
    _twin(
        "true is a number",
        "s-bad-arg[bool]",
        arguments_refusal=_checking("integer", lambda value: isinstance(value, int)),
    ),
    _twin(
        "a fraction is an integer",
        "s-bad-arg[fraction]",
        arguments_refusal=_checking("integer", lambda value: type(value) in (int, float)),
    ),
    _twin(
        "any word is allowed",
        "s-enum",
        arguments_refusal=_forgiving(
            lambda tool, given: {**given, "unit": "lb"} if "unit" in given else given
        ),
    ),
    _twin(
        "bad arguments refused without a word",
        "s-bad-arg",
        "s-enum",
        "i-validation-first",
        arguments_refusal=lambda tool, given: (
            Refused("TOOL_VALIDATION_ERROR", "Invalid") if argument_issues(tool, given) else None
        ),
    ),
    _twin(
        "bad arguments refused by another code",
        "s-bad-arg",
        "i-http-refused[arguments]",
        arguments_refusal=lambda tool, given: (
            Refused("VALIDATION_ERROR", str(refused)) if (refused := arguments_refusal(tool, given)) else None
        ),
    ),
    _twin("a whole number told as a fraction", "s-goal-progress", settle=lambda arguments: arguments),
    _twin(
        "arguments lost",
        "s-search",
        "s-journal",
        settle=lambda arguments: {**arguments, "query": "", "text": ""},
    ),
)


def _answered(change: Callable[[Json], Json]) -> Callable[[Json], Outcome]:
    """Outcomes of answers that were changed first."""
    return lambda answer: of_answer(change(answer))


def _normal(change: Callable[[Json], Mapping[str, Json]]) -> Callable[..., Json]:
    """Normalised results of which something is changed."""

    def changed(*parts: Any) -> Json:
        told = normalise(*parts)
        return {**told, **change(told)}

    return changed


def _saying(key: str, said: Json) -> Callable[[Json], Mapping[str, Json]]:
    return lambda told: {key: said}


def _swallowed(work: Callable[[], Json]) -> Json:
    """What went wrong told as done."""
    try:
        return work()
    except Exception:
        return {"ok": True, "summary": "Done."}


def _named(work: Callable[[], Json]) -> Json:
    """What went wrong, with the kind of it."""
    try:
        return work()
    except Exception as problem:
        return RuntimeError(repr(problem))


def _write_first(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Write, and look only then at what was written."""
    ledger.append(
        "brainInbox", {"id": "n", "capturedAt": "2026-01-01T00:00:00Z", "capturedText": args["text"]}
    )
    return ADAPTERS["brain.capture"](ledger, args, moment)


OUTCOME_TWINS = (
    _twin(
        "whatever a tool gives is a result",
        "s-adapter-nonobject",
        of_answer=lambda answer: (
            of_answer(answer) if isinstance(answer, dict) else Outcome(None, {"value": answer})
        ),
    ),
    _twin(
        "a tool that gives nothing is done",
        "s-adapter-nonobject[null]",
        of_answer=_answered(lambda answer: {} if answer is None else answer),
    ),
    _twin(
        "a tool that says that it failed is done",
        "s-adapter-failure",
        "s-goal-miss",
        "s-search-blank",
        "s-range",
        "s-mark-read-noargs",
        "i-http-failed",
        of_answer=lambda answer: Outcome(None, answer) if isinstance(answer, dict) else of_answer(answer),
    ),
    _twin(
        "a state that is failed is done",
        "s-adapter-failure[state]",
        of_answer=lambda answer: (
            Outcome(None, answer) if isinstance(answer, dict) and "ok" not in answer else of_answer(answer)
        ),
    ),
    _twin(
        "a failure told by its summary first",
        "s-adapter-failure[error]",
        of_answer=lambda answer: (
            Outcome(answer["summary"], answer)
            if of_answer(answer).error and isinstance(answer, dict) and "summary" in answer
            else of_answer(answer)
        ),
    ),
    _twin(
        "a failure not told by its summary",
        "s-adapter-failure[summary]",
        "s-goal-miss",
        of_answer=lambda answer: (
            Outcome(answer.get("error", FAILED), answer)
            if of_answer(answer).error and isinstance(answer, dict)
            else of_answer(answer)
        ),
    ),
    _twin(
        "a failure without a word",
        "s-adapter-failure[neither]",
        of_answer=altered(of_answer, FAILED=""),
    ),
    _twin(
        "what a tool said of its failure is lost",
        "s-adapter-failure",
        "s-goal-miss",
        of_answer=lambda answer: Outcome(found.error) if (found := of_answer(answer)).error else found,
    ),
    _twin("a store that breaks is well", "s-adapter-throws", "i-failed-cached", caught=_swallowed),
    _twin("the kind of a fault told", "s-adapter-throws", caught=_named),
    _twin(
        "a fault with a result",
        "s-adapter-throws",
        "i-failed-cached",
        of_fault=lambda problem: Outcome(str(problem), {"ok": False}),
    ),
    _twin("a fault not told", "s-adapter-throws", of_fault=lambda problem: Outcome(FAILED)),
    _twin(
        "what is written is lost",
        "s-capture",
        "i-replay",
        "s-grant-at-once",
        keeps_effects=lambda outcome: False,
    ),
    _twin(
        "what a call that failed has written stays",
        "s-search-blank[capture]",
        keeps_effects=lambda outcome: True,
        adapters={**ADAPTERS, "brain.capture": _write_first},
    ),
    _twin(
        "every clock shows UTC",
        "s-time-zone",
        moment=lambda records, now: Moment(now, "UTC"),
    ),
    _twin(
        "the time stands still",
        "s-content-parity",
        "s-calendar-next",
        "s-health-today",
        moment=lambda records, now: moment(records, 1_767_225_600),
    ),
)


def _cut_silently(told: Json) -> Json:
    short = bound(told)
    if "result" not in short:
        return short
    return {**short, "result": {key: said for key, said in short["result"].items() if key != "truncated"}}


_NORMAL: Mapping[str, tuple[Json, tuple[str, ...]]] = {
    "type": ("tool_result", ("s-search", "i-http-ui-read")),
    "version": ("1", ("s-search", "i-http-ui-read")),
    "requestId": ("agent-mcp:1", ("i-replay", "i-key-190", "i-http-match")),
    "duplicate": (True, ("s-search", "i-replay", "i-http-match")),
    "state": ("completed", ("s-adapter-failure", "s-adapter-throws", "s-range", "i-http-failed")),
    "name": ("brain_search", ("s-alias", "s-search", "i-replay")),
}

RESULT_TWINS = (
    *(
        _twin(
            f"every result says another {key}",
            *cases,
            normalise=_normal(_saying(key, said)),
        )
        for key, (said, cases) in _NORMAL.items()
    ),
    _twin(
        "an error in every result",
        "s-search",
        normalise=_normal(lambda told: {"error": told.get("error", "")}),
    ),
    _twin(
        "secrets told as they are",
        "s-redacts-secrets",
        "s-redacts-echo",
        "s-adapter-throws",
        scrub=lambda value: value,
    ),
    *(
        _twin(
            f"semantic tools tell what the rule {rule} finds",
            case,
            scrub=scrubber([other for other in SECRET_RULES if other.name != rule]),
        )
        for rule, case in (
            ("private-key", "s-redacts-secrets[recent]"),
            ("github-token", "s-redacts-secrets[journal]"),
            ("quoted-value", "s-redacts-secrets[catalog]"),
        )
    ),
    _twin(
        "secrets told in errors",
        "s-adapter-throws",
        scrubbed=lambda told, scrub: {
            **scrubbed(told, scrub),
            **({"error": told["error"]} if "error" in told else {}),
        },
    ),
    _twin(
        "secrets told in results",
        "s-redacts-secrets",
        "s-redacts-echo",
        scrubbed=lambda told, scrub: {
            **scrubbed(told, scrub),
            **({"result": told["result"]} if "result" in told else {}),
        },
    ),
    _twin(
        "secrets told in lists",
        "s-redacts-secrets[recent]",
        "s-redacts-secrets[catalog]",
        scrubbed=lambda told, scrub: {
            **told,
            "result": {key: scrub(said) for key, said in told.get("result", {}).items()},
        },
    ),
    _twin(
        "a request id that is like a secret is changed",
        "i-key-190[long]",
        scrubbed=lambda told, scrub: {**scrubbed(told, scrub), "requestId": scrub(told["requestId"])},
    ),
    _twin("results unbounded", "s-bounded", "s-adapter-throws", bound=lambda told: told),
    _twin("an error told whole", "s-adapter-throws", bound=altered(bound, _ERROR_CHARS=20_000)),
    _twin("a result cut too late", "s-bounded[text]", bound=altered(bound, _BUDGET=20_100)),
    _twin("a result cut too early", "s-bounded-not", bound=altered(bound, _BUDGET=19_000)),
    _twin(
        "a result cut without a word",
        "s-bounded",
        bound=_cut_silently,
    ),
    _twin(
        "every result said to be cut",
        "s-search",
        "s-bounded-not",
        bound=lambda told: {**bound(told), "result": {**bound(told).get("result", {}), "truncated": True}},
    ),
    _twin(
        "a semantic result as text alone",
        "s-search",
        "i-replay",
        success=lambda output: {"content": results.success(output)["content"]},
    ),
    _twin(
        "a semantic result as data alone",
        "s-search",
        "s-content-parity",
        success=lambda output: {"content": [], "structuredContent": output},
    ),
    _twin(
        "a semantic result whose text is its summary",
        "s-content-parity",
        success=lambda output: {
            "content": [{"type": "text", "text": output.get("result", {}).get("summary", "")}],
            "structuredContent": output,
        },
    ),
    _twin(
        "a semantic refusal is no error",
        "s-bad-arg",
        "i-conflict-args",
        "i-key-charset",
        failure=lambda text: {"content": [{"type": "text", "text": text}]},
    ),
    _twin(
        "a semantic refusal with data",
        "s-bad-arg",
        "i-conflict-args",
        "i-key-charset",
        failure=lambda text: {**results.failure(text), "structuredContent": {"error": text}},
    ),
)


TWINS = (*ARGUMENT_TWINS, *OUTCOME_TWINS, *RESULT_TWINS)
