"""Twins of the plain HTTP pages under `/api/cos`: what they take, whom they trust, what they answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import partial

from evalkit.contracts.agent_context.adapter import Issue, etag_of, query_issues, status_of
from evalkit.contracts.agent_context.semantic import envelopes
from evalkit.contracts.agent_context.semantic.envelopes import envelope_issues, read_envelope
from evalkit.contracts.agent_context.semantic.nouns import Authority, Json
from tests.twins.twin import altered, twin_of

_twin = partial(twin_of, "adapter")

_FIELDS = envelopes._FIELDS

_numbers = itertools.count()

QUERY_TWINS = (
    _twin("any query taken", "i-http-query", query_issues=lambda query: []),
    *(
        _twin(
            f"a query whose {path} is not looked at",
            f"i-http-query[{row}]",
            query_issues=lambda query, path=path: [
                issue for issue in query_issues(query) if issue[0] != path
            ],
        )
        for row, path in (("scope", "scope"), ("format", "format"), ("other", "other"), ("intent", "intent"))
    ),
    _twin(
        "no intent taken",
        "i-http-anywhere",
        query_issues=lambda query: [
            *query_issues(query),
            *(("intent", "is not allowed") for name in query if name == "intent"),
        ],
    ),
)


def _judged_by(pattern: str) -> Callable[[Json], list[Issue]]:
    """Issues of a call whose request id may be another than it may."""
    is_request_id = altered(envelopes._is_request_id, _REQUEST_ID=re.compile(pattern))
    fields = {**_FIELDS, "requestId": (is_request_id, "must be an id")}
    return altered(envelope_issues, _FIELDS=fields)


CALL_TWINS = (
    _twin("any request taken", "i-http-shape", "i-http-no-authority", call_issues=lambda body: []),
    *(
        _twin(
            f"the {field} of a request is not looked at",
            f"i-http-shape[{row}]",
            call_issues=lambda body, field=field: [
                issue for issue in envelope_issues(body) if issue[0] != field
            ],
        )
        for row, field in (
            ("no-id", "requestId"),
            ("no-name", "name"),
            ("version", "version"),
            ("type", "type"),
            ("arguments", "arguments"),
        )
    ),
    _twin(
        "what a request may not hold is ignored",
        "i-http-no-authority",
        call_issues=lambda body: [issue for issue in envelope_issues(body) if issue[0] in _FIELDS],
    ),
    _twin(
        "what is wrong with a request is not named",
        "i-http-shape",
        call_issues=lambda body: [("", issue) for _, issue in envelope_issues(body)],
    ),
    _twin(
        "arguments of a request lost",
        "i-http-failed",
        "h-auth-write",
        read_call=lambda body: read_envelope(body)._replace(arguments={}),
    ),
    _twin(
        "another request id than was sent",
        "i-http-match",
        "i-http-stored",
        "i-cross-scope",
        read_call=lambda body: read_envelope(body)._replace(request_id=f"r-{next(_numbers)}"),
    ),
    _twin(
        "a request is not remembered",
        "i-http-stored",
        "i-cross-scope",
        read_call=lambda body: read_envelope(body)._replace(request_id=None),
    ),
    _twin(
        "request ids of any length",
        "i-http-shape[id-201]",
        call_issues=_judged_by(r"[A-Za-z0-9._:-]+"),
    ),
    _twin(
        "request ids of any letters",
        "i-http-shape[id-charset]",
        call_issues=_judged_by(r"[A-Za-z0-9._: -]{1,200}"),
    ),
    _twin("any key in the header taken", "i-http-mismatch", is_key_of=lambda key, request_id: True),
    _twin("no key in the header taken", "i-http-match", is_key_of=lambda key, request_id: not key),
    _twin(
        "a key in the header demanded", "i-http-ui-read", is_key_of=lambda key, request_id: key == request_id
    ),
    _twin(
        "whoever comes is the owner",
        "i-http-ui-write",
        "i-http-refused[nobody]",
        authority_of=lambda identity: Authority("ui", frozenset(), True),
    ),
    _twin(
        "the owner is nobody",
        "h-auth-write",
        authority_of=lambda identity: Authority("ui", frozenset(), False),
    ),
    _twin(
        "whoever comes is an agent that may do all",
        "i-http-ui-write",
        "i-cross-scope",
        authority_of=lambda identity: Authority("agent", frozenset({"readPortos", "writePortos"})),
    ),
    _twin(
        "whoever comes is an agent",
        "i-http-ui-read",
        "i-http-match",
        authority_of=lambda identity: Authority("agent", frozenset()),
    ),
)

ANSWER_TWINS = (
    _twin("a page of another site answered", "i-http-foreign", is_foreign=lambda headers: False),
    _twin(
        "a name that somebody made to lead here believed",
        "i-http-foreign[rebound]",
        is_foreign=lambda headers: "origin" in headers,
    ),
    _twin("nobody answered without a password", "i-http-ui-read", is_foreign=lambda headers: True),
    _twin("every catalogue has one tag", "i-http-etag", etag_of=lambda document: '"' + "A" * 43 + '"'),
    _twin(
        "every catalogue has another tag", "i-http-etag", etag_of=lambda document: f'"{next(_numbers):043d}"'
    ),
    _twin("a weak tag", "i-http-etag", etag_of=lambda document: f"W/{etag_of(document)}"),
    _twin("the catalogue sent again and again", "i-http-etag", is_current=lambda if_none_match, etag: False),
    _twin("any tag is current", "i-http-etag", is_current=lambda if_none_match, etag: bool(if_none_match)),
    _twin("what failed answered with 200", "i-http-failed", status_of=lambda result: 200),
    _twin(
        "what was carried out answered with 201",
        "i-http-match",
        "i-http-ui-read",
        "i-http-stored",
        "h-auth-write",
        status_of=lambda result: 201 if status_of(result) == 200 else 422,
    ),
)

TWINS = (*QUERY_TWINS, *CALL_TWINS, *ANSWER_TWINS)
