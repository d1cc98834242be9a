"""Tests for `sharing`: what browsers are told (spec B.1)."""

from __future__ import annotations

from evalkit.contracts.agent_context.boundary.sharing import preflight_headers, sharing_headers
from evalkit.contracts.agent_context.exchange import Head


def asking(**headers: str) -> Head:
    return Head("OPTIONS", "/", "", {name.replace("_", "-"): value for name, value in headers.items()}, "")


def test_the_origin_is_told_back() -> None:
    assert sharing_headers(asking(origin="https://evil.example")) == (
        ("access-control-allow-origin", "https://evil.example"),
        ("vary", "Origin"),
        ("access-control-allow-credentials", "true"),
    )


def test_without_an_origin_it_is_everyone() -> None:
    assert sharing_headers(asking())[0] == ("access-control-allow-origin", "*")
    assert sharing_headers(asking(origin=""))[0] == ("access-control-allow-origin", "*")


def test_a_preflight_is_told_methods_and_the_headers_that_it_asks_for() -> None:
    methods = ("access-control-allow-methods", "GET,HEAD,PUT,PATCH,POST,DELETE")
    assert preflight_headers(asking()) == (methods,)
    assert preflight_headers(asking(access_control_request_headers="idempotency-key")) == (
        methods,
        ("access-control-allow-headers", "idempotency-key"),
    )
