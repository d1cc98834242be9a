"""The gate's policy as one value: every rule of access under its name, each replaceable on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ..exchange import Head, Reply
from . import (
    basic,
    configuration,
    cross_origin,
    exemptions,
    passwords,
    proofs,
    refusals,
    throttling,
    tokens,
)
from .nouns import AccessState, Configuration, Identity, Proof

Json: TypeAlias = Any


class Asked(NamedTuple):
    """One request at the gate, with everything that was settled when it came; `now` in seconds."""

    head: Head
    state: AccessState
    configuration: Configuration
    now: float


class AccessRules(NamedTuple):
    """Every rule. `gate` holds the decisions in order: each lets in, refuses, or leaves it to the next."""

    gate: tuple[Callable[[AccessRules, Asked], Reply | Identity | None], ...]

    # whether there is a gate at all, and where
    read_configuration: Callable[[Json], Configuration] = configuration.read_configuration
    is_cross_origin: Callable[[Mapping[str, str]], bool] = cross_origin.is_cross_origin
    is_exempt: Callable[[str], bool] = exemptions.is_exempt

    # sessions
    presented_token: Callable[[Mapping[str, str]], str | None] = tokens.presented_token
    hash_token: Callable[[str], str] = tokens.hash_token
    is_live: Callable[[float | None, float], bool] = tokens.is_live
    lifetime: float = tokens.LIFETIME_SECONDS
    session_cookie: Callable[[str], str] = tokens.session_cookie
    ended_cookie: Callable[[], str] = tokens.ended_cookie

    # passwords
    basic_password: Callable[[str], str | None] = basic.basic_password
    is_hash: Callable[[str], bool] = passwords.is_hash
    is_password: Callable[[str, str, str], bool] = passwords.is_password
    prove: Callable[[Configuration, str, float], Proof] = proofs.prove
    is_proven: Callable[[Proof | None, Configuration, str, float], bool] = proofs.is_proven
    is_limited: Callable[[Mapping[str, tuple[float, ...]], str, float], bool] = throttling.is_limited
    note_failure: Callable[[dict[str, tuple[float, ...]], str, float], None] = throttling.note_failure

    # how it is refused
    refuse_cross_origin: Callable[[float], Reply] = refusals.cross_origin
    refuse_unauthenticated: Callable[[str, float], Reply] = refusals.unauthenticated
    refuse_limited: Callable[[float], Reply] = refusals.rate_limited
