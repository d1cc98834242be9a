"""What of a step goes into a request, and that nothing of it is changed on the way."""

from __future__ import annotations

import pytest

from evalkit.drivers._exchange import Headers, Request, completed, headers_of, target_of
from evalkit.errors import CaseError
from evalkit.model import Json


@pytest.mark.parametrize(
    "path", ["/API/x", "//x", "/a//b", "/%2e%2E/x", "/a/../b", "/x?y=1&y=2", "/x#y", "*", "/a%2", '/[x]|"<>']
)
def test_a_path_goes_out_as_it_is_written(path: str) -> None:
    assert target_of(path) == path.encode()


@pytest.mark.parametrize(
    ("path", "target"),
    [("/a b", b"/a%20b"), ("/é", b"/%C3%A9"), ("/a\r\nX: y", b"/a%0D%0AX:%20y"), ("/\x7f", b"/%7F")],
)
def test_what_no_request_line_can_hold_is_percent_encoded(path: str, target: bytes) -> None:
    assert target_of(path) == target


@pytest.mark.parametrize(
    ("query", "target"),
    [
        ({}, b"/x"),
        ({"q": "a b&c=d/é"}, b"/x?q=a%20b%26c%3Dd%2F%C3%A9"),
        ({"a": 1, "b": True, "c": None, "d": 1.5}, b"/x?a=1&b=true&c=&d=1.5"),
        ({"a": ["x", 2], "b": []}, b"/x?a=x&a=2"),
        ({"a": {"b": 1}}, b"/x?a=%7B%22b%22%3A1%7D"),
    ],
)
def test_a_query_is_written_behind_the_path(query: Json, target: bytes) -> None:
    assert target_of("/x", query) == target


def test_a_query_is_added_to_one_that_the_path_has() -> None:
    assert target_of("/x?y", {"z": "1"}) == b"/x?y&z=1"


DEFAULTS: Headers = ((b"accept", b"a"), (b"content-type", b"b"))


def test_a_header_that_a_step_says_takes_the_place_of_the_default_in_any_case() -> None:
    assert headers_of(DEFAULTS, None) == DEFAULTS
    assert headers_of(DEFAULTS, {"ACCEPT": ""}) == ((b"content-type", b"b"), (b"ACCEPT", b""))
    said = {"Origin": "é", "origin": "x"}
    assert headers_of(DEFAULTS, said) == (*DEFAULTS, (b"Origin", "é".encode()), (b"origin", b"x"))


@pytest.mark.parametrize("said", [{"a": "b\nc"}, {"a": "b\r"}, {"a": "\0"}, {"a\n": "b"}])
def test_a_line_break_in_a_header_is_refused_before_anything_is_sent(said: dict[str, str]) -> None:
    with pytest.raises(CaseError, match="line break") as problem:
        headers_of((), said)
    assert problem.value.code == "unsendable"


@pytest.mark.parametrize(
    ("request_", "added"),
    [
        (Request("GET", b"/"), [b"host"]),
        (Request("POST", b"/"), [b"host", b"content-length"]),
        (Request("DELETE", b"/", (), b"x"), [b"host", b"content-length"]),
        (Request("POST", b"/", ((b"Host", b""),)), [b"content-length"]),
        (Request("POST", b"/", ((b"Content-Length", b"9"),), b"x"), [b"host"]),
        (Request("POST", b"/", ((b"transfer-encoding", b"chunked"),), b"x"), [b"host"]),
    ],
)
def test_only_what_http_needs_is_added(request_: Request, added: list[bytes]) -> None:
    names = [name for name, _ in completed(request_, b"here")]
    assert [name for name in names if name not in dict(request_.headers)] == added
