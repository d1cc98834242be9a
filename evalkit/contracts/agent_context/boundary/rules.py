"""The boundary as one value: every rule under its name, each replaceable on its own (spec B)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from ..exchange import Head
from ..vocabulary import Json
from . import (
    bodies,
    contents,
    envelopes,
    negotiation,
    origins,
    parameters,
    paths,
    peers,
    sharing,
)
from .nouns import Announced, Envelope, Headers, Parse, Receive


class BoundaryRules(NamedTuple):
    """Every rule; `policy` knows their order."""

    # what is asked for
    normalise: Callable[[str], str] = paths.normalise

    # who asks
    caller: Callable[[Head], str] = peers.caller
    is_loopback: Callable[[str], bool] = peers.is_loopback
    is_loopback_origin: Callable[[str, Callable[[str], bool]], bool] = origins.is_loopback_origin

    # what is read of it
    max_body: int = bodies.MAX_BODY
    announced: Callable[[str, Mapping[str, str]], Announced | None] = bodies.announced
    check_announced: Callable[[Announced, int], None] = bodies.check_announced
    read_body: Callable[[Receive, int], Awaitable[bytes]] = bodies.collect
    read_content: Callable[[Announced, bytes, int, Parse], Json] = contents.read_content
    parsers: Mapping[str, Parse] = contents.PARSERS

    # whether client and server speak of the same thing
    accepts: Callable[[str], bool] = negotiation.accepts
    is_supported_version: Callable[[str], bool] = negotiation.is_supported_version
    negotiate_version: Callable[[str], str] = negotiation.negotiate_version

    # what a message may hold
    classify: Callable[[Json], Envelope | None] = envelopes.classify
    params_of: Mapping[str, Callable[[Json], bool]] = parameters.PARAMS

    # what browsers are told
    sharing_headers: Callable[[Head], Headers] = sharing.sharing_headers
    preflight_headers: Callable[[Head], Headers] = sharing.preflight_headers
