"""Tests for `passwords`: scrypt at the cost that the hash carries, and no cost that hurts the server."""

from __future__ import annotations

import time

import pytest

from evalkit.contracts.agent_context.access import passwords
from evalkit.contracts.agent_context.access.passwords import (
    FULL_COST,
    Cost,
    hash_password,
    is_hash,
    is_password,
)

CHEAP = Cost(2, 1, 1)
SALT = "00ff" * 8
WORD = "pass" + "word"
# RFC 7914, section 12: the password above, the salt NaCl, N 1024, r 8, p 16, 64 bytes.
RFC_DIGEST = (
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
    "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
)
# The same section: the empty password, the empty salt, N 16, r 1, p 1.
RFC_EMPTY = (
    "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
    "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
)


def test_a_hash_is_what_the_rfc_says_and_carries_its_cost() -> None:
    assert hash_password(WORD, "NaCl", Cost(1024, 8, 16)) == f"scrypt:1024:8:16:{RFC_DIGEST}"


def test_a_hash_made_elsewhere_is_recognised_in_either_case_of_its_digits() -> None:
    assert is_password(WORD, f"scrypt:1024:8:16:{RFC_DIGEST}", "NaCl")
    assert is_password(WORD, f"scrypt:1024:8:16:{RFC_DIGEST.upper()}", "NaCl")


def test_a_bare_hash_has_the_full_cost() -> None:
    """The one test that pays it: 128 MiB and 0.3 s, twice."""
    assert FULL_COST == (131_072, 8, 1)
    prefix, bare = hash_password(WORD, SALT).split("scrypt:131072:8:1:")
    assert prefix == ""
    assert len(bare) == 128
    assert is_password(WORD, bare, SALT)


@pytest.mark.parametrize("word", ["x", "with:colon", "é€😀", " space ", "\ud800", "a" * 1024])
def test_any_text_can_be_a_password_and_only_itself_matches(word: str) -> None:
    stored = hash_password(word, SALT, CHEAP)
    assert is_password(word, stored, SALT)
    for other in (word + "x", word[:-1], word.swapcase() + "!", f" {word}"):
        assert not is_password(other, stored, SALT)


def test_the_salt_is_used_as_it_is_written() -> None:
    stored = hash_password(WORD, "abcd", CHEAP)
    assert is_password(WORD, stored, "abcd")
    assert not is_password(WORD, stored, "ABCD")


def test_empty_and_endless_passwords_match_nothing() -> None:
    stored = hash_password(WORD, SALT, CHEAP)
    assert not is_password("", stored, SALT)
    assert not is_password("", f"scrypt:16:1:1:{RFC_EMPTY}", "")
    assert not is_password("a" * 1025, stored, SALT)


@pytest.mark.parametrize(
    ("word", "salt", "cost", "said"),
    [
        ("", SALT, CHEAP, "1 to 1024 characters"),
        ("a" * 1025, SALT, CHEAP, "1 to 1024 characters"),
        (WORD, "", CHEAP, "salt is empty"),
        (WORD, SALT, Cost(3, 1, 1), "the cost 3:1:1"),
        (WORD, SALT, Cost(2**21, 8, 1), "the cost 2097152:8:1"),
    ],
)
def test_what_cannot_be_hashed_is_refused_without_being_told(
    word: str, salt: str, cost: Cost, said: str
) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        hash_password(word, salt, cost)
    assert "aaa" not in str(caught.value)


D = "ab" * 64


@pytest.mark.parametrize("stored", [D, f"scrypt:2:1:1:{D}", f"scrypt:131072:8:4:{D}", f"scrypt:0002:1:1:{D}"])
def test_a_hash_can_be_read(stored: str) -> None:
    assert is_hash(stored)


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "zz" * 64,
        D[:-2],
        D + "ab",
        D[:-1] + " ",
        " " + D,
        f"scrypt:2:1:{D}",
        f"scrypt:2:1:1:1:{D}",
        f"bcrypt:2:1:1:{D}",
        f"SCRYPT:2:1:1:{D}",
        "scrypt:2:1:1:",
        f"scrypt:2:1:1:{D[:64]}",
        f"scrypt:-2:1:1:{D}",
        f"scrypt:+2:1:1:{D}",
        f"scrypt:2.0:1:1:{D}",
        f"scrypt: 2:1:1:{D}",
        f"scrypt:٢:1:1:{D}",
        f"scrypt::1:1:{D}",
        f"scrypt:0:1:1:{D}",
        f"scrypt:1:1:1:{D}",
        f"scrypt:3:1:1:{D}",
        f"scrypt:2:0:1:{D}",
        f"scrypt:2:1:0:{D}",
        f"scrypt:65536:1:1:{D}",
        f"scrypt:{'9' * 5000}:1:1:{D}",
        f"scrypt:1073741824:8:1:{D}",
        f"scrypt:262144:8:1:{D}",
        f"scrypt:2:999999999:1:{D}",
        f"scrypt:2:1:999999999:{D}",
        f"scrypt:131072:8:5:{D}",
    ],
)
def test_a_hash_of_another_form_or_an_absurd_cost_matches_nothing_at_once(stored: str) -> None:
    started = time.perf_counter()
    assert not is_hash(stored)
    assert not is_password(WORD, stored, SALT)
    assert time.perf_counter() - started < 0.2


@pytest.mark.parametrize("cost", [Cost(2, 1, 2**21 - 4), Cost(32768, 1, 127), Cost(2, 2**18, 2)])
def test_every_cost_that_is_borne_is_one_that_scrypt_takes(
    cost: Cost, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, int] = {}

    def note(password: bytes, **numbers: int) -> bytes:
        asked.update(numbers)
        return b"\0" * 64

    monkeypatch.setattr("hashlib.scrypt", note)
    hash_password(WORD, SALT, cost)
    assert asked["maxmem"] >= 128 * cost.r * cost.p + 128 * cost.r * (cost.n + 2)
    assert asked["maxmem"] <= 256 * 2**20


def test_a_wrong_password_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = hash_password(WORD, SALT, CHEAP)
    compared: list[tuple[int, int]] = []

    def note(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return False

    monkeypatch.setattr(passwords, "compare_digest", note)
    assert not is_password(WORD, stored, SALT)
    assert compared == [(64, 64)]
