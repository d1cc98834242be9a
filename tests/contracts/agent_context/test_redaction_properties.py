"""What holds of the redaction for any text: it settles, splits nothing, hides all, and in linear time."""

from __future__ import annotations

import re
import string
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalkit.contracts.agent_context.javascript import utf16_length
from evalkit.contracts.agent_context.redaction import redact, scrub

Json = Any

BEGIN = "-----BEGIN RSA " + "PRIVATE KEY-----"
MARKER = re.compile(r"\[REDACTED(?: (?:EMAIL|HOST|IP|MAC|PHONE|PRIVATE KEY))?\]")
FRAGMENTS = [
    *" .,:;=@/\\-+()[]{}'\"`~%&?#<>_|",
    *(
        "a",
        "b1",
        "12",
        "1",
        "555",
        "4567",
        "::",
        "://",
        "\n",
        "é",
        "\u200b",
        "\U0001f600",
        "１",
        "٣",
        "ﬁ",
        "°",
    ),
    *(
        "sk-",
        "ghp_",
        "AKIA",
        "eyJ",
        "Bearer ",
        "basic ",
        "password",
        "token",
        "secret",
        "api_key",
        "lat",
        "lon",
    ),
    *(
        "/home/",
        "/Users/",
        "C:\\Users\\",
        "/root",
        ".ts.net",
        "@x.io",
        "%40",
        "[REDACTED",
        "[REDACTED EMAIL]",
    ),
    *(
        "John Smith",
        "2026-11-30",
        "1764514249000",
        "10.0.0.1",
        "aa:bb:cc:dd:ee:ff",
        "fe80::1",
        "37.77,-122.41",
    ),
    *("x" * 20, "1" * 16, "A" * 16, "aB3" * 13 + "x", "?token=", BEGIN, "“", "‑", "\ud800"),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=14).map("".join)
AROUND = st.text(max_size=20)
LIMITS = st.sampled_from([320, 160, 40, 20])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def some(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least)


ALNUM = string.ascii_letters + string.digits
OCTETS = st.integers(0, 255).map(str)
HEX = some("0123456789abcdef", 1, 4)
SECRETS: dict[str, st.SearchStrategy[tuple[str, str]]] = {
    "openai": some(ALNUM, 20, 40).map(lambda key: (f"sk-{key}", key)),
    "github": some(ALNUM, 36).map(lambda key: (f"ghp_{key}", key)),
    "aws": some(string.ascii_uppercase + string.digits, 16).map(lambda key: (f"AKIA{key}", key)),
    "slack": some(ALNUM, 12, 30).map(lambda key: (f"xoxb-{key}", key)),
    "bearer": some(ALNUM + "/+", 24, 40).map(lambda key: (f"bearer {key}a", key)),
    "jwt": some(ALNUM, 12, 30).map(lambda key: ("eyJ" + f"hbGciOiJ9.eyJ{key}.{key}", key)),
    "pem": some(ALNUM + "+/", 40, 80).map(
        lambda key: (f"{BEGIN}\n{key}\n{BEGIN.replace('BEGIN', 'END')}", key)
    ),
    "quoted": some(ALNUM + " !$", 9, 30).map(lambda key: (f'password = "{key}"', key)),
    "bare": some(ALNUM, 9, 30).map(lambda key: (f"password={key}", key)),
    "query": some(ALNUM, 8, 30).map(lambda key: (f"https://x.io/?access_token={key}", key)),
    "connection": some(ALNUM, 8, 20).map(lambda key: (f"redis://user:{key}@cache/0", key)),
}
PRIVATE: dict[str, st.SearchStrategy[tuple[str, str]]] = {
    "email": some(string.ascii_letters + "é", 4, 12).map(lambda name: (f"{name}@example.com", f"{name}@")),
    "host": some(string.ascii_lowercase, 6, 12).map(lambda name: (f"{name}.tail1.ts.net", f"{name}.tail1")),
    "ipv4": st.tuples(OCTETS, OCTETS, OCTETS, OCTETS).map(".".join).map(lambda ip: (ip, ip)),
    "ipv6": st.lists(HEX, min_size=2, max_size=5)
    .map(":".join)
    .map(lambda ip: (f"2001::{ip}", f"2001::{ip}")),
    "mac": st.lists(some("0123456789abcdef", 2), min_size=6, max_size=6)
    .map("-".join)
    .map(lambda mac: (mac, mac)),
    "home": some(string.ascii_lowercase, 6, 12).map(lambda name: (f"/home/{name}/x", f"/{name}/")),
    "phone": some("23456789", 10).map(lambda n: (f"({n[:3]}) {n[3:6]}-{n[6:]}", f"{n[3:6]}-{n[6:]}")),
    "latitude": some("123456789", 6).map(lambda digits: (f"lat: 37.{digits}", digits)),
}
ALL = SECRETS | PRIVATE


@given(TEXTS, LIMITS)
def test_what_was_redacted_is_redacted_again_unchanged(text: str, limit: int) -> None:
    once = redact(text, limit)
    assert redact(once, limit) == once


@given(TEXTS)
def test_what_was_scrubbed_is_scrubbed_again_unchanged(text: str) -> None:
    once = scrub(text)
    assert scrub(once) == once


@given(VALUES, LIMITS)
def test_no_value_is_refused_and_none_comes_out_too_long(value: Json, limit: int) -> None:
    assert utf16_length(redact(value, limit)) <= limit
    scrub(value)


@given(st.lists(st.sampled_from(FRAGMENTS[:-1]) | st.text(max_size=4), max_size=14).map("".join), LIMITS)
def test_no_half_of_a_character_is_made(text: str, limit: int) -> None:
    redact(text, limit).encode("utf-8")


@given(TEXTS.filter(lambda text: "[REDACTED" not in text), LIMITS)
def test_no_part_of_a_marker_is_left(text: str, limit: int) -> None:
    assert "[REDACTED" not in MARKER.sub("", redact(text, limit))


@pytest.mark.parametrize("kind", ALL)
@given(data=st.data(), before=AROUND, after=AROUND)
def test_a_planted_secret_is_gone(kind: str, data: st.DataObject, before: str, after: str) -> None:
    planted, secret = data.draw(ALL[kind])
    assume(secret not in before + after)
    assert secret not in redact(f"{before} {planted} {after}", 1000)


@pytest.mark.parametrize("kind", SECRETS)
@given(data=st.data(), before=AROUND, after=AROUND)
def test_a_planted_secret_is_scrubbed(kind: str, data: st.DataObject, before: str, after: str) -> None:
    planted, secret = data.draw(SECRETS[kind])
    assume(secret not in before + after)
    assert secret not in scrub(f"{before}\n{planted}\n{after}")


HOSTILE = [
    *(
        "1",
        ":",
        ".",
        "@",
        "-",
        "/",
        "\\",
        "(",
        '"',
        " a",
        "a",
        "A",
        "1-1-1-",
        "a.a.a.",
        "a-a-..ts.ne",
        "a..ts.net.",
    ),
    *(
        BEGIN + "\n",
        "1:",
        "1::",
        "aa-",
        "a@",
        "a@a.",
        "a%40",
        "a.ts.net",
        "1 ",
        "1.",
        "sk-",
        "eyJ-",
        "eyJa.",
        "xoxb-",
    ),
    *(
        "password=",
        'password="',
        "token='",
        'token=\\"',
        "secret='x",
        "token:a,",
        "a://",
        "a://a:",
        "?token=a",
        "%2F",
    ),
    *(
        "/home/",
        "/home/a B c ",
        "lat:",
        "1°",
        "1.11,",
        "Bearer " + "." * 20,
        "[REDACTED",
        "\u0661",
        "\u200b1",
        "é@",
    ),
]


def seconds(work: Callable[[str], Json], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("work", [redact, scrub], ids=["redact", "scrub"])
@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_as_the_text_does(unit: str, work: Callable[[str], Json]) -> None:
    def grown(size: int) -> float:
        return min(seconds(work, unit * (size // len(unit))) for _ in range(2))

    assert grown(400_000) <= 9 * grown(100_000) + 0.1  # a quadratic rule takes 16 times as long


@pytest.mark.parametrize(
    "unit", ["1", ":", ".", "@", "1-1-1-", "a.a.a.", "a-a-..ts.ne", BEGIN + "\n", "a@", "fe80::1 "]
)
def test_redos_guard(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert min(seconds(redact, text) for _ in range(2)) < 4  # a quadratic rule took 10 s and more
