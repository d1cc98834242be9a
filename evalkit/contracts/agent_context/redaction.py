"""Redaction: the one order in which the rules look at a text, and the cut that follows them (spec A.10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from . import address_rules, assignment_rules, phone_rules, place_rules, token_rules
from .javascript import cut, fold_whitespace, to_string, trim
from .shadow import FOLDED, PLAIN, Claim, View, blank, found

Json = Any

SUMMARY_LIMIT = 320
"""UTF-16 code units of a redacted text, unless the caller has a smaller limit (spec A.1)."""


class RedactionRule(NamedTuple):
    """A name, and what finds in a shadow the places to redact: in order, none overlapping."""

    name: str
    find: Callable[[str], list[Claim]]


class Redact(Protocol):
    """What `redactor` makes."""

    def __call__(self, value: Json, limit: int = SUMMARY_LIMIT) -> str: ...


SECRET_RULES: tuple[RedactionRule, ...] = (
    RedactionRule("private-key", token_rules.private_keys),
    RedactionRule("quoted-value", assignment_rules.quoted_values),
    RedactionRule("signed-token", token_rules.signed_tokens),
    RedactionRule("openai-key", token_rules.openai_keys),
    RedactionRule("short-openai-key", token_rules.short_openai_keys),
    RedactionRule("github-token", token_rules.github_tokens),
    RedactionRule("aws-key-id", token_rules.aws_key_ids),
    RedactionRule("slack-token", token_rules.slack_tokens),
    RedactionRule("vendor-key", token_rules.vendor_keys),
    RedactionRule("webhook", token_rules.webhooks),
    RedactionRule("bearer", token_rules.bearer_credentials),
    RedactionRule("basic", token_rules.basic_credentials),
    RedactionRule("connection-password", assignment_rules.connection_passwords),
    RedactionRule("query-value", assignment_rules.query_values),
    RedactionRule("bare-value", assignment_rules.bare_values),
    RedactionRule("aws-secret", token_rules.aws_secrets),
)
"""What is secret anywhere: rules 1 to 7 of spec A.10 and what they miss."""

RULES: tuple[RedactionRule, ...] = (
    *SECRET_RULES,
    RedactionRule("email", address_rules.emails),
    RedactionRule("tailscale-host", address_rules.tailscale_hosts),
    RedactionRule("mac", address_rules.macs),
    RedactionRule("ipv6", address_rules.ipv6s),
    RedactionRule("ipv4", address_rules.ipv4s),
    RedactionRule("home", place_rules.homes),
    RedactionRule("root-home", place_rules.root_homes),
    RedactionRule("degrees", place_rules.degrees),
    RedactionRule("quoted-coordinate", place_rules.quoted_coordinates),
    RedactionRule("latitude", place_rules.latitudes),
    RedactionRule("longitude", place_rules.longitudes),
    RedactionRule("coordinate-pair", place_rules.coordinate_pairs),
    RedactionRule("phone", phone_rules.phones),
)
"""All rules: each sees what the ones before it left, so what would be eaten by another stands before it."""


def redactor(rules: Sequence[RedactionRule] = RULES) -> Redact:
    """A `redact` that keeps only `rules`, such as the twin that lacks one."""

    def redact(value: Json, limit: int = SUMMARY_LIMIT) -> str:
        text = "" if value is None or value is ... else fold_whitespace(to_string(value))
        # A cut, or a neighbour's marker, can bring out a new match: the answer is what another pass leaves.
        for _ in range(max(limit, 0) + 1):
            before, text = text, _shortened(_once(rules, text), limit)
            if text == before:
                break
        return text

    return redact


def scrubber(rules: Sequence[RedactionRule] = SECRET_RULES) -> Callable[[Json], Json]:
    """A `scrub` that keeps only `rules`."""

    def scrub(value: Json) -> Json:
        if not isinstance(value, str) or not value:
            return value
        text = value
        for _ in range(_MOST_PASSES):
            before, text = text, _once(rules, text)
            if text == before:
                break
        return text

    return scrub


redact: Redact = redactor()
"""Spec A.10: `String(value)` with nothing private, of at most `limit` UTF-16 units; twice is as once."""

scrub: Callable[[Json], Json] = scrubber()
"""Secrets only, with whitespace and length as they are; what is no text is given back as it is."""


def _once(rules: Sequence[RedactionRule], text: str) -> str:
    """A pass over the text as it is meant, and one as it stands: a fold can make two words grow together."""
    text = _pass(rules, text, FOLDED)
    return text if FOLDED.of(text) == PLAIN.of(text) else _pass(rules, text, PLAIN)


def _pass(rules: Sequence[RedactionRule], text: str, view: View) -> str:
    """The rules' claims on a view of `text`, carried out; markers that stand there already are blank."""
    seen = view.of(text)
    claims = found(_MARKER, seen, None) if "[REDACTED" in seen else []
    if claims:
        seen = blank(seen, claims)
    for rule in rules:
        new = rule.find(seen)
        if new:
            claims += new
            seen = blank(seen, new)
    return view.carry_out(text, claims) if claims else text


def _shortened(text: str, limit: int) -> str:
    """Cut to `limit` UTF-16 units, before a marker that does not fit whole."""
    kept = cut(text, limit)
    if len(kept) == len(text):
        return text
    for marker in _MARKER.finditer(text, max(0, len(kept) - _LONGEST_MARKER)):
        if marker.start() < len(kept) < marker.end():
            return trim(text[: marker.start()])
    return trim(kept)


_MARKER = re.compile(r"\[REDACTED(?: (?:EMAIL|HOST|IP|MAC|PHONE|PRIVATE KEY))?\]")
_LONGEST_MARKER = len("[REDACTED PRIVATE KEY]")
_MOST_PASSES = 4
