"""Lets a request in or refuses it by its head alone; the order of the decisions is the policy (spec B.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from ..exchange import Head, Reply
from .configuration import DAMAGED
from .nouns import AccessState, Configuration, Identity
from .rules import AccessRules, Asked, Json

Trial: TypeAlias = Literal["right", "wrong", "limited"]


def admit(
    rules: AccessRules, state: AccessState, head: Head, settings: Json, now: Callable[[], float]
) -> Reply | Identity:
    """Who asks, or what they are answered instead. `settings` is the whole document, as it is now.

    `now` gives seconds since the epoch. What no decision lets in is refused.
    """
    asked = Asked(head, state, configuration_of(rules, settings), now())
    for decide in rules.gate:
        decision = decide(rules, asked)
        if decision is not None:
            return decision
    return rules.refuse_unauthenticated(head.path, asked.now)


def configuration_of(rules: AccessRules, settings: Json) -> Configuration:
    """What is in force. A hash that cannot be read is damage too: it lets not even the old sessions in."""
    configuration = rules.read_configuration(settings)
    if configuration.enabled and not rules.is_hash(configuration.password_hash):
        return DAMAGED
    return configuration


def try_password(rules: AccessRules, asked: Asked, password: str) -> Trial:
    """Whether a password is right. A peer that was wrong too often is not told, however right it is now."""
    if asked.configuration.damaged:
        return "wrong"
    with asked.state.turn:
        return _try_in_turn(rules, asked, password)


def _try_in_turn(rules: AccessRules, asked: Asked, password: str) -> Trial:
    state, configuration, now = asked.state, asked.configuration, asked.now
    if rules.is_limited(state.failures, asked.head.peer, now):
        return "limited"
    if rules.is_proven(state.proof, configuration, password, now):
        return "right"
    if not rules.is_password(password, configuration.password_hash, configuration.salt):
        rules.note_failure(state.failures, asked.head.peer, now)
        return "wrong"
    state.proof = rules.prove(configuration, password, now)
    return "right"


def admit_when_off(rules: AccessRules, asked: Asked) -> Identity | None:
    """Without a password there is no gate, and nobody is anybody."""
    return None if asked.configuration.enabled else Identity()


def refuse_cross_origin(rules: AccessRules, asked: Asked) -> Reply | None:
    """Another site's page, even where the path is public and the credential right."""
    return rules.refuse_cross_origin(asked.now) if rules.is_cross_origin(asked.head.headers) else None


def admit_exempt(rules: AccessRules, asked: Asked) -> Identity | None:
    """A path that needs no credential; who brings a right one is known there all the same."""
    if not rules.is_exempt(asked.head.path):
        return None
    known = admit_session(rules, asked) or admit_basic(rules, asked)
    return known if isinstance(known, Identity) else Identity(enabled=True)


def admit_session(rules: AccessRules, asked: Asked) -> Identity | None:
    """The token of a session that has not ended."""
    token = rules.presented_token(asked.head.headers)
    if token is None or asked.configuration.damaged:
        return None
    expires_at = asked.state.sessions.expiry(rules.hash_token(token))
    return Identity(True, True, "session") if rules.is_live(expires_at, asked.now) else None


def admit_basic(rules: AccessRules, asked: Asked) -> Reply | Identity | None:
    """The password itself. It is throttled as the login is, or guesses would go round that by this way."""
    password = rules.basic_password(asked.head.headers.get("authorization", ""))
    if password is None:
        return None
    trial = try_password(rules, asked, password)
    if trial == "limited":
        return rules.refuse_limited(asked.now)
    return Identity(True, True, "basic") if trial == "right" else None


GATE: Final = (admit_when_off, refuse_cross_origin, admit_exempt, admit_session, admit_basic)
ACCESS: Final = AccessRules(gate=GATE)
