"""Views of a text, and how claims on a view come back to the text."""

from __future__ import annotations

import re

import pytest

from evalkit.contracts.agent_context.shadow import (
    BLANK,
    DEGREE,
    FOLDED,
    LETTER,
    OTHER,
    PLAIN,
    Claim,
    View,
    blank,
    found,
)


def test_ascii_is_seen_as_it_is() -> None:
    everything = "".join(map(chr, range(128)))
    assert FOLDED.of(everything) == everything
    assert PLAIN.of(everything) == everything


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("\uff41\uff20\uff11", "a@1"),
        ("\u0661\u06f2\u0967", "121"),
        ("\u2010\u2011\u2013\u2014\u2212\ufe63", "------"),
        ("\u201ca\u201d \u2018b\u2019", "\"a\" 'b'"),
        ("\u2044\u2215\uff0f", "///"),
        ("a\u200b\u200d\u2060\ufeff\u00ad\ufe0fb", "ab"),
        ("\u00e9\u044f\u6f22\u0301", LETTER * 4),
        ("\U0001f600\u20ac", OTHER * 2),
        ("37\u00b0 37\u00ba", f"37{DEGREE} 37{DEGREE}"),
        ("\u017f\u212a\ufb01", "sKfi"),
        ("a\u00a0b\u2028c", "a b\nc"),
        (BLANK + LETTER + OTHER, OTHER + LETTER + OTHER),
        ("\ud800", OTHER),
    ],
)
def test_text_is_folded_to_what_it_is_meant_as(text: str, meant: str) -> None:
    assert FOLDED.of(text) == meant


def test_the_plain_view_has_one_character_for_each() -> None:
    assert PLAIN.of("a\uff41\u0661\u200b\u201c\u00b0 \u2003") == f"a{LETTER}{LETTER}{OTHER}{OTHER}{DEGREE}  "


def test_blanks_keep_every_place() -> None:
    assert blank("abcdef", [Claim(1, 3, "x"), Claim(4, 5, None)]) == f"a{BLANK}{BLANK}d{BLANK}f"


def test_found_claims_the_group() -> None:
    assert found(re.compile("a(b)"), "ab-ab", "x", 1) == [Claim(1, 2, "x"), Claim(4, 5, "x")]


def test_claims_are_carried_out_and_the_rest_is_untouched() -> None:
    assert PLAIN.carry_out("one two three", [Claim(8, 13, "3"), Claim(0, 3, "1")]) == "1 two 3"


def test_a_claim_without_a_marker_keeps_the_text() -> None:
    assert PLAIN.carry_out("one two", [Claim(0, 3, None), Claim(4, 7, "2")]) == "one 2"


def test_a_claim_inside_a_larger_one_is_lost_in_it() -> None:
    assert PLAIN.carry_out("one two three", [Claim(4, 7, "2"), Claim(0, 13, "all")]) == "all"


def test_claims_on_a_fold_come_back_to_the_characters_that_gave_it() -> None:
    # The fold is `fi ab`: the ligature gives two characters, the zero-width space none.
    text = "\ufb01 a\u200bb\u200b"
    assert FOLDED.of(text) == "fi ab"
    assert FOLDED.carry_out(text, [Claim(3, 5, "x")]) == "\ufb01 x\u200b"
    assert FOLDED.carry_out(text, [Claim(1, 2, "x")]) == "x a\u200bb\u200b"


def test_more_characters_than_are_remembered_are_still_seen() -> None:
    view = View(lambda character: character * 2)
    for start in range(0x4E00, 0x4E00 + 30_000, 1_000):
        text = "".join(map(chr, range(start, start + 1_000)))
        assert view.of(text) == "".join(character * 2 for character in text)
    assert len(view._seen) <= 21_000
