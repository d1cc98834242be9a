"""Twins that carry out again what was asked before, or answer it with what they must not."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256

from evalkit.contracts.agent_context.semantic import envelopes, replays
from evalkit.contracts.agent_context.semantic.authority import granted
from evalkit.contracts.agent_context.semantic.envelopes import key_request_id
from evalkit.contracts.agent_context.semantic.fingerprints import fingerprint
from evalkit.contracts.agent_context.semantic.nouns import Refused
from evalkit.contracts.agent_context.semantic.replays import Memory, Verdict, repeat, verdict
from evalkit.contracts.agent_context.store import Remembered
from evalkit.model import Json
from tests.twins.agent_context.direct import refusing_first
from tests.twins.twin import altered, around, twin_of

_twin = partial(twin_of, "semantic")


_numbers = itertools.count()


def _judged(**others: Verdict) -> Callable[..., Verdict]:
    """What a request is, but that some verdicts are turned into others."""

    def judge(known: Remembered | None, mark: str, before: float) -> Verdict:
        found = verdict(known, mark, before)
        return others.get(found, found)

    return judge


def _old(known: Remembered | None, mark: str, before: float) -> Verdict:
    """A result that is old is forgotten like a fingerprint."""
    return "new" if known is not None and known.at < before else verdict(known, mark, before)


def _unsorted(tool_id: str, arguments: Json, scope: str) -> str:
    return sha256(json.dumps([tool_id, arguments, scope]).encode()).hexdigest()


def _repeated(change: Callable[[Json, Remembered], Json]) -> Callable[..., Json]:
    """Replayed results of which something is changed."""

    def again(found: Verdict, known: Remembered) -> Json:
        answer = repeat(found, known)
        return answer if isinstance(answer, Refused) else change(answer, known)

    return again


REPLAY_TWINS = (
    _twin(
        "replay runs again",
        "i-replay",
        "i-replay-read",
        "i-alias-same",
        "i-key-order",
        "i-key-190",
        "i-failed-cached",
        "i-still-known",
        verdict=_judged(replay="new"),
    ),
    _twin(
        "key reused with other arguments executes",
        "i-conflict-args",
        "i-conflict-tool",
        "i-cross-scope",
        verdict=_judged(conflict="new"),
    ),
    _twin(
        "key reused with other arguments is answered with the first result",
        "i-conflict-args",
        "i-conflict-tool",
        "i-cross-scope",
        verdict=_judged(conflict="replay"),
    ),
    _twin("a repeated call refused", "i-replay", "i-failed-cached", verdict=_judged(replay="expired")),
    _twin("an old answer forgotten", "i-still-known", verdict=_old),
    _twin(
        "only what succeeded is remembered",
        "i-failed-cached",
        verdict=lambda known, mark, before: (
            "new" if known is not None and known.result["state"] == "failed" else verdict(known, mark, before)
        ),
    ),
    _twin(
        "write applied twice, since the memory of it is lost",
        "i-replay",
        "i-key-190",
        "i-still-known",
        memory=Memory(results=0, fingerprints=0),
    ),
    _twin("results forgotten at once", "i-replay", "i-replay-read", memory=Memory(results=0)),
    _twin(
        "conflict leaks the first result",
        "i-conflict-args",
        repeat=lambda found, known: (
            Refused("TOOL_IDEMPOTENCY_CONFLICT", f"{replays.CONFLICT}: {known.result['result']}")
            if found == "conflict"
            else repeat(found, known)
        ),
    ),
    _twin(
        "conflict answers with the first result",
        "i-conflict-args",
        "i-conflict-tool",
        "i-cross-scope",
        repeat=lambda found, known: repeat("replay", known),
    ),
    _twin(
        "conflict by another code",
        "i-conflict-args",
        "i-cross-scope",
        repeat=lambda found, known: (
            Refused("VALIDATION_ERROR", replays.CONFLICT) if found == "conflict" else repeat(found, known)
        ),
    ),
    _twin(
        "a repeated answer not marked",
        "i-replay",
        "i-replay-read",
        "i-failed-cached",
        repeat=_repeated(lambda answer, known: known.result),
    ),
    _twin(
        "a repeated answer without its result",
        "i-replay",
        "i-replay-read",
        repeat=_repeated(lambda answer, known: {**answer, "result": {}}),
    ),
    _twin(
        "a failure repeated as a success",
        "i-failed-cached",
        repeat=_repeated(lambda answer, known: {**answer, "state": "completed"}),
    ),
    _twin(
        "the grant not asked for again",
        "i-revoked",
        granted=lambda tool, scope, capabilities: (
            True if capabilities == {"readPortos"} else granted(tool, scope, capabilities)
        ),
        authority_refusal=lambda tool, authority: None,
    ),
)

FINGERPRINT_TWINS = (
    _twin("fingerprint depends on key order", "i-key-order", fingerprint=_unsorted),
    _twin(
        "fingerprint without the arguments",
        "i-conflict-args",
        fingerprint=lambda tool_id, arguments, scope: fingerprint(tool_id, {}, scope),
    ),
    _twin(
        "fingerprint without the tool",
        "i-conflict-tool",
        fingerprint=lambda tool_id, arguments, scope: fingerprint("", arguments, scope),
    ),
    _twin(
        "fingerprint without the scope",
        "i-cross-scope",
        fingerprint=lambda tool_id, arguments, scope: fingerprint(tool_id, arguments, "agent"),
    ),
    _twin(
        "every fingerprint another",
        "i-replay",
        "i-alias-same",
        fingerprint=lambda tool_id, arguments, scope: f"{next(_numbers):064x}",
    ),
)


def _known_by(pattern: str, longest: int = 190) -> Callable[[str | None], str | None]:
    """Request ids of other keys than those that can be one."""
    return altered(key_request_id, _KEY=re.compile(pattern), _KEY_CHARS=longest)


KEY_TWINS = (
    _twin("a key may hold spaces", "i-key-charset[space]", key_request_id=_known_by(r"[A-Za-z0-9._: -]+")),
    _twin("a key may hold any letter", "i-key-charset[accent]", key_request_id=_known_by(r"[\w.:-]+")),
    _twin("a key may hold slashes", "i-key-charset[slash]", key_request_id=_known_by(r"[A-Za-z0-9._:/-]+")),
    _twin("a key may be longer", "i-key-charset[long]", key_request_id=_known_by(r"[A-Za-z0-9._:-]+", 191)),
    _twin("a key must be shorter", "i-key-190[long]", key_request_id=_known_by(r"[A-Za-z0-9._:-]+", 189)),
    _twin("a key may hold fewer characters", "i-key-190[all]", key_request_id=_known_by(r"[A-Za-z0-9_:-]+")),
    _twin(
        "a bad key refused without naming it",
        "i-key-charset",
        key_request_id=altered(
            key_request_id, _bad_key=lambda issue: Refused("VALIDATION_ERROR", "Invalid call")
        ),
    ),
    _twin(
        "a bad key ignored",
        "i-key-charset",
        key_request_id=lambda key: (
            None if key and not re.fullmatch(r"[\w.:-]{1,190}", key, re.A) else key_request_id(key)
        ),
    ),
    _twin(
        "an empty key is a key",
        "i-empty-key",
        key_request_id=lambda key: "agent-mcp:" if key == "" else key_request_id(key),
    ),
    _twin("every key ignored", "i-replay", "i-conflict-args", key_request_id=lambda key: None),
    _twin(
        "a key without its prefix",
        "i-replay",
        "i-key-190",
        "i-cross-scope",
        key_request_id=altered(key_request_id, _PREFIX=""),
    ),
    _twin(
        "a key in any case",
        "i-key-190[all]",
        key_request_id=lambda key: key and (key_request_id(key) or "").lower(),
    ),
    _twin(
        "calls without a key share one id",
        "i-no-key",
        fresh_request_id=lambda identifier: envelopes.fresh_request_id("0"),
    ),
    _twin("a fresh id without its prefix", "i-no-key", fresh_request_id=lambda identifier: identifier),
    _twin(
        "calls without a key are remembered",
        "i-no-key",
        "i-empty-key",
        key_request_id=lambda key: key_request_id(key) or "agent-mcp:none",
    ),
)


def _bad_key(name: str, args: Json, headers: Mapping[str, str]) -> Refused | None:
    """Why a key is refused, whatever the tool."""
    try:
        key_request_id(headers.get("Idempotency-Key"))
    except Refused as refused:
        return refused
    return None


TWINS = (
    *REPLAY_TWINS,
    *FINGERPRINT_TWINS,
    *KEY_TWINS,
    around(refusing_first(_bad_key), "context tools look at the key", "i-context-tool"),
)
