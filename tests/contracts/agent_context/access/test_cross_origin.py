"""Tests for `cross_origin`: which pages a browser may have sent a request from."""

from __future__ import annotations

import pytest

from evalkit.contracts.agent_context.access.cross_origin import is_cross_origin

HOST = "127.0.0.1:5555"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HOST},
        {"host": HOST, "origin": ""},
        {"host": HOST, "origin": "null"},
        {"host": HOST, "origin": "NULL"},
        {"origin": "https://evil.example"},
        {"host": "", "origin": "https://evil.example"},
        {},
    ],
)
def test_without_an_origin_or_a_host_it_is_the_same(headers: dict[str, str]) -> None:
    assert not is_cross_origin(headers)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://box.example:5555", "box.example:5555"),
        ("https://BOX.example:5555", "box.EXAMPLE:5555"),
        ("http://box.example", "box.example"),
        ("http://127.9.9.9:5555", "127.9.9.9:5555"),
        ("http://[2001:db8::1]:5555", "[2001:db8::1]:5555"),
        ("chrome-extension://abcdef", "abcdef"),
    ],
)
def test_the_same_host_and_port_is_the_same_in_any_case_and_scheme(origin: str, host: str) -> None:
    assert not is_cross_origin({"origin": origin, "host": host})


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
@pytest.mark.parametrize("port", ["", ":1", ":5555", ":65535"])
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:5555", "[::1]:80", "LocalHost:5555"])
def test_the_names_of_this_machine_are_one_place_at_any_port(name: str, port: str, host: str) -> None:
    assert not is_cross_origin({"origin": f"http://{name}{port}", "host": host})


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example:5555",
        "http://sub.localhost",
        "http://evil.example:5555",
        "http://127.9.9.9",
        "http://127.9.9.9:5555",
        "http://0.0.0.0:5555",
        "http://[::ffff:127.0.0.1]:5555",
    ],
)
def test_another_host_is_another_place(origin: str) -> None:
    assert is_cross_origin({"origin": origin, "host": HOST})


def test_another_port_is_another_place_where_the_host_is_not_this_machine() -> None:
    assert is_cross_origin({"origin": "http://box.example:1", "host": "box.example:2"})
    assert is_cross_origin({"origin": "http://box.example", "host": "box.example:2"})


def test_this_machine_is_another_place_for_a_foreign_host() -> None:
    assert is_cross_origin({"origin": "http://localhost:5555", "host": "box.example:5555"})


@pytest.mark.parametrize(
    "origin",
    [
        "notaurl",
        "localhost",
        "127.0.0.1:5555",
        "://localhost",
        "1http://localhost",
        "ht tp://localhost",
        "http:/localhost",
        "http://",
        "file://",
        "http://localhost:",
        "http://localhost:evil",
        "http://localhost:65536",
        "http://localhost:5555:5555",
        "http://localhost/page",
        "http://user@localhost",
        "http://user@localhost@evil.example",
        "http://localhost, http://evil.example",
        "http://[::1",
        "http://[::1]x",
        "http://:5555",
        "http://localhost:٥",
        "null, null",
    ],
)
def test_what_no_browser_writes_is_another_place(origin: str) -> None:
    assert is_cross_origin({"origin": origin, "host": HOST})
    assert is_cross_origin({"origin": origin, "host": "localhost"})
