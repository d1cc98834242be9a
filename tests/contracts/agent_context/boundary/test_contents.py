"""Tests for `contents`: unpacked within the limit, decoded, and by the letter of JSON (spec B.4)."""

from __future__ import annotations

import gzip
import math
import zlib
from typing import Final

import pytest

from evalkit.contracts.agent_context.boundary.contents import (
    MAX_DEPTH,
    MAX_PARTS,
    PARSERS,
    parse_form,
    parse_json,
    read_content,
)
from evalkit.contracts.agent_context.boundary.nouns import Announced, Unreadable
from evalkit.contracts.agent_context.vocabulary import Json

PLAIN: Final = Announced("application/json", "utf-8", "identity", None)
LIMIT: Final = 1000
SYNTAX: Final = {"originalError": "SyntaxError"}


def read(raw: bytes, body: Announced = PLAIN, limit: int = LIMIT) -> Json:
    return read_content(body, raw, limit, parse_json)


def refusal(raw: bytes, body: Announced = PLAIN, limit: int = LIMIT) -> Unreadable:
    with pytest.raises(Unreadable) as found:
        read(raw, body, limit)
    return found.value


def bad_request(raw: bytes, body: Announced = PLAIN) -> str:
    """The text with which a body is refused as no JSON."""
    found = refusal(raw, body)
    assert (found.status, found.code, found.context, found.closes) == (400, "BAD_REQUEST", SYNTAX, False)
    return str(found)


@pytest.mark.parametrize("raw", [b"{}", b" {} ", b"\t\r\n{}\n", b"[]", '{"a":"é😀"}'.encode()])
def test_objects_and_arrays_are_read(raw: bytes) -> None:
    assert read(raw) == {b"[]": [], '{"a":"é😀"}'.encode(): {"a": "é😀"}}.get(raw, {})


@pytest.mark.parametrize("raw", [b"null", b"5", b'"x"', b"true", b" 1 "])
def test_a_primitive_is_no_body(raw: bytes) -> None:
    assert bad_request(raw) == "Expecting an object or an array: line 1 column 1 (char 0)"


def test_a_mistake_is_told_with_its_place() -> None:
    assert bad_request(b"{bad") == (
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    )


@pytest.mark.parametrize(
    "raw",
    [
        *(
            b" ",
            b"{",
            b"[1,]",
            b'{"a":1,}',
            b"{'a':1}",
            b"{}{}",
            b"[01]",
            b"[1.]",
            b"[.5]",
            b"[+1]",
            b"[0x1]",
        ),
        *(b'["\t"]', b'["\\x"]', b"// x\n{}", b"[tru]", b"\x00{}", b"\xc2\xa0{}", b'{"a"}', b"[1 2]"),
    ],
)
def test_json_is_taken_by_the_letter(raw: bytes) -> None:
    assert bad_request(raw)


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_what_is_only_a_number_in_python_is_none(name: str) -> None:
    assert bad_request(f'{{"a":{name}}}'.encode()) == f"{name} is not JSON"
    assert bad_request(name.encode()) == f"{name} is not JSON"


def test_an_error_tells_nothing_of_the_body() -> None:
    assert "hidden" not in bad_request(b'{"hidden":hidden')


def test_no_bytes_are_no_body() -> None:
    assert read(b"") is ...
    assert read(b"", PLAIN._replace(length=0, encoding="gzip")) is ...


@pytest.mark.parametrize("length", [1, 3])
def test_a_body_has_the_length_that_it_said(length: int) -> None:
    found = refusal(b"{}", PLAIN._replace(length=length))
    assert (found.status, found.code) == (400, "BAD_REQUEST")
    assert str(found) == "request size did not match content length"
    assert read(b"{}", PLAIN._replace(length=2)) == {}


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read(b"\xef\xbb\xbf{}") == {}
    assert read(b"\xff\xfe{\0}\0", PLAIN._replace(charset="utf-16le")) == {}


def test_only_one_byte_order_mark_is() -> None:
    assert bad_request(b"\xef\xbb\xbf\xef\xbb\xbf{}")


def test_utf_16_is_read_as_it_says() -> None:
    assert read('{"a":"é😀"}'.encode("utf-16-le"), PLAIN._replace(charset="utf-16le")) == {"a": "é😀"}


@pytest.mark.parametrize("text", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80"])
def test_bytes_that_are_no_utf_8_are_refused(text: bytes) -> None:
    assert bad_request(b'{"a":"' + text + b'"}').startswith("the body is not valid utf-8: ")


@pytest.mark.parametrize("raw", [b"{\0}", b"\x00\xd8{\0}\0"])
def test_bytes_that_are_no_utf_16_are_refused(raw: bytes) -> None:
    assert bad_request(raw, PLAIN._replace(charset="utf-16le")).startswith("the body is not valid utf-16le: ")


def test_half_a_surrogate_pair_is_json() -> None:
    assert read(b'["\\ud83d"]') == ["\ud83d"]


def test_whole_numbers_are_exact() -> None:
    assert read(b"[9007199254740993, 1.0, -0, 18446744073709551616]") == [
        9007199254740993,
        1.0,
        0,
        18446744073709551616,
    ]


def test_a_number_that_no_double_holds_is_infinite() -> None:
    assert read(b"[1e400]") == [math.inf]
    assert read(b"[" + b"9" * 5000 + b",-" + b"9" * 5000 + b",7]", limit=20_000) == [math.inf, -math.inf, 7]
    assert bad_request(b"[" + b"9" * 5000) == "Expecting ',' delimiter: line 1 column 5002 (char 5001)"
    assert bad_request(b"[" + b"9" * 5000 + b",NaN]") == "NaN is not JSON"


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 100_000])
def test_a_body_is_not_nested_too_deep(opening: bytes, depth: int) -> None:
    closing = b"1" + (b"]" if opening == b"[" else b"}") * depth
    assert bad_request(opening * depth + closing) == "nested deeper than 100 levels"


def test_a_body_may_be_nested_as_deep_as_that() -> None:
    value = read(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    for _ in range(MAX_DEPTH - 1):
        (value,) = value
    assert value == []


def test_a_body_of_very_many_values_is_refused_before_it_is_read() -> None:
    text = b"[" + b"[]," * (MAX_PARTS // 2) + b"[]]"
    assert refusal(text, PLAIN, limit=len(text)).status == 413
    assert len(read(b"[" + b"1," * 1000 + b"1]", limit=3000)) == 1001


def test_many_brackets_are_not_deep() -> None:
    assert read(b"[" + b"[]," * 500 + b'"[[[[{{{{"]') == [[]] * 500 + ["[[[[{{{{"]


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("gzip", gzip.compress(b'{"a":1}', mtime=0)), ("deflate", zlib.compress(b'{"a":1}'))],
)
def test_a_packed_body_is_unpacked(encoding: str, packed: bytes) -> None:
    assert read(packed, PLAIN._replace(encoding=encoding, length=len(packed))) == {"a": 1}


@pytest.mark.parametrize(
    "packed",
    [
        b"{}",
        gzip.compress(b"{}", mtime=0)[:-1],
        gzip.compress(b"{}", mtime=0)[:5],
        gzip.compress(b"{}", mtime=0) + b"more",
        gzip.compress(b"{}", mtime=0) * 2,
        zlib.compress(b"{}"),
        gzip.compress(b"{}", mtime=0)[:-8] + b"\0" * 8,
    ],
)
def test_a_packed_body_that_is_damaged_is_refused(packed: bytes) -> None:
    found = refusal(packed, PLAIN._replace(encoding="gzip"))
    assert (found.status, found.code, found.closes) == (400, "Z_DATA_ERROR", False)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_is_given_up_at_the_limit(encoding: str) -> None:
    bomb = (gzip.compress if encoding == "gzip" else zlib.compress)(b'"' + b" " * 10_000_000)
    assert len(bomb) < 10_000
    found = refusal(bomb, PLAIN._replace(encoding=encoding), 10_000)
    assert (found.status, found.code) == (413, "PAYLOAD_TOO_LARGE")


def test_a_packed_body_may_be_as_long_as_the_limit() -> None:
    text = b"[" + b" " * (LIMIT - 2) + b"]"
    assert read(gzip.compress(text, mtime=0), PLAIN._replace(encoding="gzip")) == []
    assert refusal(gzip.compress(text + b" ", mtime=0), PLAIN._replace(encoding="gzip")).status == 413


def test_a_form_is_read_as_texts() -> None:
    assert parse_form("jsonrpc=2.0&id=1&method=tools%2Flist") == {
        "jsonrpc": "2.0",
        "id": "1",
        "method": "tools/list",
    }
    assert parse_form("a=1&a=+2&b=&c[d]=%C3%A9") == {"a": ["1", " 2"], "b": "", "c[d]": "é"}


def test_a_form_of_too_many_fields_is_refused() -> None:
    with pytest.raises(Unreadable) as found:
        parse_form("&".join(["a=1"] * 1001))
    assert (found.value.status, found.value.code) == (413, "PAYLOAD_TOO_LARGE")
    assert len(parse_form("&".join(["a=1"] * 1000))["a"]) == 1000


def test_two_media_types_are_read() -> None:
    assert list(PARSERS.items()) == [
        ("application/json", parse_json),
        ("application/x-www-form-urlencoded", parse_form),
    ]
