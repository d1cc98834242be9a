"""Tests for `app` in memory: which requests are taken, in which order they are judged, and how refused."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from evalkit.contracts.scriba.documents import schema
from evalkit.contracts.scriba.localapi.app import make_app
from evalkit.contracts.scriba.localapi.nouns import Limits, Work
from evalkit.contracts.scriba.localapi.routes import STATUSES
from evalkit.contracts.scriba.localapi.rules import API
from evalkit.contracts.scriba.nouns import PageUnavailable, ProfileUnavailable
from tests.contracts.scriba.localapi.calling import CODES, Answer, Exchange, ask, code_of
from tests.contracts.scriba.localapi.tiny_ledger import TinyLedger, cursor

HEALTH = (
    b'{"schemaVersion":"scriba.local.health.v1","status":"ok",'
    b'"contextVersion":"scriba.context.v1","eventVersion":"scriba.events.v1"}\n'
)
FULL = Limits(streams=0)
ROUTES = ("/v1/health", "/v1/context", "/v1/events")


def refused(target: str, *headers: tuple[str, str], method: str = "GET", **more: Any) -> tuple[int, str]:
    answer = ask(make_app(TinyLedger("p1"), **more), target, *headers, method=method)
    return answer.status, code_of(answer)


def test_health_is_these_bytes_and_touches_no_data() -> None:
    """HT01."""
    ledger = TinyLedger()
    ledger.failure = RuntimeError()
    answer = ask(make_app(ledger), "/v1/health")
    assert answer == Answer(200, {"content-type": "application/json", "content-length": "128"}, HEALTH)
    jsonschema.validate(json.loads(answer.body), schema("local-health"))
    assert (ledger.contexts, ledger.asked) == (0, [])


def test_health_ignores_its_query() -> None:
    """HT08."""
    assert ask(make_app(TinyLedger()), "/v1/health?profile=a&profile=b;").body == HEALTH


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "get"])
@pytest.mark.parametrize("path", ROUTES)
def test_only_get_is_allowed(path: str, method: str) -> None:
    """HT02."""
    exchange = Exchange(make_app(TinyLedger()), path, method=method)
    body = b"".join(exchange.rest())
    assert exchange.status == 405
    assert exchange.headers["allow"] == "GET"
    assert exchange.headers["content-length"] == "40"
    assert body == (b"" if method == "HEAD" else b'{"error":{"code":"method_not_allowed"}}\n')


@pytest.mark.parametrize(
    "header",
    [
        ("content-length", "1"),
        ("content-length", "10"),
        ("Content-Length", "1"),
        ("content-length", "-0"),
        ("transfer-encoding", "chunked"),
        ("transfer-encoding", "identity"),
    ],
)
@pytest.mark.parametrize("path", ROUTES)
def test_a_body_is_refused_before_it_is_read(path: str, header: tuple[str, str]) -> None:
    """HT03; `Exchange` fails where a body is asked for."""
    assert refused(path, header) == (400, "request_body_not_allowed")


def test_a_body_of_no_length_is_none() -> None:
    assert ask(make_app(TinyLedger()), "/v1/health", ("content-length", "0")).status == 200


def test_the_method_is_judged_before_the_body() -> None:
    assert refused("/v1/context", ("content-length", "3"), method="POST") == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("target", "method"), [("/v1/nope", "GET"), ("/x", "POST"), ("/v1/health/", "GET"), ("/", "HEAD")]
)
def test_an_unknown_path_is_not_found_by_any_method(target: str, method: str) -> None:
    """HT04."""
    answer = ask(make_app(TinyLedger()), target, ("content-length", "3"), method=method)
    assert answer.status == 404
    assert answer.body == (b"" if method == "HEAD" else b'{"error":{"code":"not_found"}}\n')


@pytest.mark.parametrize(
    ("target", "profile"), [("/v1/context", "personal"), ("/v1/context?profile=work&x=1&x=2", "work")]
)
def test_a_context_is_the_services_in_compact_json_with_a_newline(target: str, profile: str) -> None:
    """HT05."""
    answer = ask(make_app(TinyLedger()), target)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.body == b'{"schemaVersion":"scriba.context.v1","profile":"%s"}\n' % profile.encode()


@pytest.mark.parametrize("path", ["/v1/context", "/v1/events"])
@pytest.mark.parametrize(
    "query", ["profile=", "profile=%20work", "profile=a&profile=b", "profile=work;bad=x"]
)
def test_a_malformed_profile_is_refused_on_both_routes(path: str, query: str) -> None:
    """HT06."""
    assert refused(f"{path}?{query}") == (400, "invalid_profile")


@pytest.mark.parametrize("path", ["/v1/context", "/v1/events"])
@pytest.mark.parametrize("profile", ["unknown", "UPPER", "old", "%FF"])
def test_an_unknown_profile_is_not_there_on_both_routes(path: str, profile: str) -> None:
    """HT07."""
    assert refused(f"{path}?profile={profile}") == (404, "profile_unavailable")


@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ("cursor=a", [("last-event-id", "b")], (400, "cursor_disagreement")),
        ("cursor=a&cursor=a", [], (400, "invalid_cursor")),
        ("", [("last-event-id", "a"), ("Last-Event-ID", "a")], (400, "invalid_cursor")),
        ("cursor=", [], (400, "invalid_cursor")),
        ("cursor=%20" + cursor(0), [], (400, "invalid_cursor")),
        ("cursor=v1.01", [], (400, "invalid_cursor")),  # HT11
        ("cursor=v1.7fffffffffffffff", [], (400, "cursor_future")),  # HT12
    ],
)
def test_a_cursor_that_cannot_be_followed_is_refused_in_json(
    query: str, headers: list[tuple[str, str]], expected: tuple[int, str]
) -> None:
    """HT09 to HT12."""
    assert refused(f"/v1/events?{query}", *headers) == expected


def test_an_expired_cursor_is_gone_before_any_header_of_a_stream() -> None:
    """HT13."""
    ledger = TinyLedger("p1", "p2")
    ledger.floor = 2
    exchange = Exchange(make_app(ledger), f"/v1/events?cursor={cursor(1)}")
    assert exchange.status == 410
    assert exchange.headers == {"content-type": "application/json", "content-length": "36"}
    assert exchange.rest() == [b'{"error":{"code":"cursor_expired"}}\n']


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (PageUnavailable("read_error"), "read_error"),
        (PageUnavailable("events_unavailable"), "events_unavailable"),
        (PageUnavailable("invalid_limit"), "events_unavailable"),
        (PageUnavailable("/home/somebody/store.sqlite"), "events_unavailable"),
        (OSError("/home/somebody/store.sqlite: disk I/O error"), "events_unavailable"),
    ],
)
def test_what_stands_behind_the_first_page_fails_by_a_code_alone(problem: Exception, code: str) -> None:
    """HT14, HT23."""
    ledger = TinyLedger()
    ledger.failure = problem
    answer = ask(make_app(ledger), "/v1/events")
    assert (answer.status, code_of(answer)) == (503, code)


def test_a_context_that_cannot_be_made_is_unavailable_and_says_no_more() -> None:
    """HT23."""
    ledger = TinyLedger()
    ledger.failure = OSError("/home/somebody/store.sqlite: disk I/O error")
    answer = ask(make_app(ledger), "/v1/context")
    assert (answer.status, code_of(answer)) == (503, "context_unavailable")


def test_a_context_that_cannot_be_written_is_unavailable() -> None:
    class Strange(TinyLedger):
        def context(self, profile: str | None) -> Any:
            return {"profile": object()}

    answer = ask(make_app(Strange()), "/v1/context")
    assert (answer.status, code_of(answer)) == (503, "context_unavailable")


@pytest.mark.parametrize(
    ("target", "code"), [("/v1/context", "context_unavailable"), ("/v1/events", "events_unavailable")]
)
def test_a_read_that_takes_too_long_is_unavailable(target: str, code: str) -> None:
    given: list[float] = []

    async def late(work: Work, seconds: float) -> Any:
        given.append(seconds)
        raise TimeoutError

    assert refused(target, run=late, limits=Limits(read_seconds=0.25)) == (503, code)
    assert given == [0.25]


def test_a_stream_is_judged_in_the_order_of_the_specification() -> None:
    """Cursor transport, profile transport, slot, then what only the service can tell (spec 6.5)."""
    assert refused("/v1/events?cursor=&profile=", limits=FULL) == (400, "invalid_cursor")
    assert refused("/v1/events?cursor=v1.01&profile=", limits=FULL) == (400, "invalid_profile")
    assert refused("/v1/events?cursor=v1.01&profile=unknown", limits=FULL) == (503, "stream_limit_reached")
    assert refused("/v1/events?cursor=v1.01&profile=unknown") == (400, "invalid_cursor")


def test_a_request_without_a_slot_asks_the_service_nothing() -> None:
    ledger = TinyLedger("p1")
    assert ask(make_app(ledger, limits=FULL), "/v1/events").status == 503
    assert ledger.asked == []


def test_the_ninth_stream_is_refused_until_one_is_over() -> None:
    """HT19."""
    app = make_app(TinyLedger("p1"))
    streams = [Exchange(app, "/v1/events") for _ in range(8)]
    assert {stream.status for stream in streams} == {200}
    ninth = ask(app, "/v1/events")
    assert (ninth.status, code_of(ninth)) == (503, "stream_limit_reached")
    streams.pop().hang_up()
    streams.append(Exchange(app, "/v1/events"))
    assert streams[-1].status == 200
    streams[0].rest()
    assert ask(app, "/v1/events").status == 200
    for stream in streams:
        stream.hang_up()


@pytest.mark.parametrize("target", ["/v1/events?cursor=v1.01", "/v1/events?profile=unknown"])
def test_a_refused_stream_keeps_no_slot(target: str) -> None:
    app = make_app(TinyLedger("p1"), limits=Limits(streams=1))
    assert ask(app, target).status in (400, 404)
    assert ask(app, "/v1/events").status == 200


def test_every_code_has_a_status_and_the_published_schema_allows_no_other() -> None:
    """HT23."""
    assert sorted(STATUSES) == sorted(CODES)
    for code in CODES:
        jsonschema.validate(json.loads(API.error_body(code)), schema("local-error"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"error": {"code": "other"}}, schema("local-error"))


def test_an_unavailable_profile_is_told_by_its_kind() -> None:
    assert API.context_code(ProfileUnavailable()) == "profile_unavailable"
    assert API.events_code(PageUnavailable("cursor_expired")) == "cursor_expired"
