"""A forbidden text is found however it is spelled, its neighbour is not, and a mask leaves none of it."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from evalkit.spellings import Hit, Needles, _patterns, mask, strings_of, without_half
from evalkit.spellings._codings import fold
from evalkit.spellings._views import views_of

TOKEN = 'Zq7/x"Wm~é k'
"""Holds what each encoding treats in its own way: a slash, a quote, a tilde, an accent, a space."""

PHONE = "+49 (151) 2345-678"


def every_unit_escaped(text: str) -> str:
    units = text.encode("utf-16-be").hex()
    return re.sub("(....)", r"\\u\1", units)


def every_byte_quoted(text: str) -> str:
    return re.sub("(..)", r"%\1", text.encode().hex())


def lower_quoted(text: str) -> str:
    return re.sub("%..", lambda match: match[0].lower(), quote(text, safe=""))


def in_base64(shift: int, encode: Callable[[bytes], bytes]) -> Callable[[str], str]:
    return lambda text: encode(b"\xfb\xef\xbe"[:shift] + text.encode() + b"\xff").decode()


ENCODED: dict[str, tuple[str, Callable[[str], str]]] = {
    "JSON": ("json", lambda text: json.dumps(text)[1:-1]),
    "JSON without ASCII escapes": ("json", lambda text: json.dumps(text, ensure_ascii=False)[1:-1]),
    "JSON as PHP writes it": ("json", lambda text: json.dumps(text)[1:-1].replace("/", "\\/")),
    "JSON in JSON": ("json", lambda text: json.dumps(json.dumps(text))),
    "JSON, escaped throughout": ("json", every_unit_escaped),
    "URL": ("url", lambda text: quote(text, safe="")),
    "URL in lower case": ("url", lower_quoted),
    "URL, quoted throughout": ("url", every_byte_quoted),
    "URL in a URL": ("url", lambda text: quote(quote(text, safe=""), safe="")),
    "form": ("url", quote_plus),
    "URL in JSON": ("url", lambda text: json.dumps("http://x/" + quote(text, safe=""))[1:-1]),
    "hex": ("hex", lambda text: text.encode().hex()),
    "hex in upper case": ("hex", lambda text: text.encode().hex().upper()),
    "hex with colons": ("hex", lambda text: text.encode().hex(":")),
    "hex with spaces": ("hex", lambda text: text.encode().hex(" ")),
    "hex as C writes it": ("hex", lambda text: re.sub("(..)", r"\\x\1", text.encode().hex())),
    **{f"base64 at {shift}": ("base64", in_base64(shift, base64.b64encode)) for shift in range(3)},
    **{f"base64url at {shift}": ("base64", in_base64(shift, base64.urlsafe_b64encode)) for shift in range(3)},
}
DISGUISED: dict[str, tuple[str, Callable[[str], str]]] = {
    "as it is": ("plain", str),
    "other case": ("folded", str.swapcase),
    "full width": (
        "folded",
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    ),
    "zero width inside": ("folded", "\u200b".join),
    "soft hyphens inside": ("folded", "\xad".join),
    "word joiners inside": ("folded", "\u2060".join),
}
SPELLINGS = ENCODED | DISGUISED


def found(needles: Needles, haystack: Any) -> list[tuple[str, str, str]]:
    return [(hit.name, hit.spelling, hit.path) for hit in needles.search(haystack)]


# One text, each spelling


@pytest.mark.parametrize("label", SPELLINGS)
def test_a_text_is_found_in_each_spelling(label: str) -> None:
    spelling, spelled = SPELLINGS[label]
    value = {"a": ["x", f"before {spelled(TOKEN)} after"]}
    assert found(Needles({"token": TOKEN}), value) == [("token", spelling, "a.1")]


@pytest.mark.parametrize("label", SPELLINGS)
@pytest.mark.parametrize("at", range(len(TOKEN)))
def test_a_text_that_differs_in_one_character_is_not_found(label: str, at: int) -> None:
    _, spelled = SPELLINGS[label]
    neighbour = TOKEN[:at] + ("j" if TOKEN[at] != "j" else "k") + TOKEN[at + 1 :]
    assert found(Needles({"token": TOKEN}), {"a": f"before {spelled(neighbour)} after"}) == []


@pytest.mark.parametrize("label", SPELLINGS)
def test_a_raw_body_is_searched_like_data(label: str) -> None:
    _, spelled = SPELLINGS[label]
    body = json.dumps({"a": spelled(TOKEN)})
    needles = Needles({"token": TOKEN})
    for haystack in (
        body,
        body.encode(),
        bytearray(body.encode()),
        json.dumps({"a": spelled(TOKEN)}, indent=1),
    ):
        assert [(hit.name, hit.path) for hit in needles.search(haystack)] == [("token", "")]


@pytest.mark.parametrize(
    "spelled",
    [
        "491512345678",
        "+49-151-2345678",
        "0049 151 2345 678",
        "49.151.234.56.78",
        "(49)151/2345678",
        "49\u2011151\xa02345\u2013678",
        "49\n151\t2345678",
        "tel:%2B49%20151%202345678",
        "４９１５１２３４５６７８",
        491512345678,
        49151234567890,
    ],
)
def test_a_number_is_found_whatever_separates_its_digits(spelled: Any) -> None:
    assert found(Needles({"phone": PHONE}), {"n": [spelled]}) == [("phone", "digits", "n.0")]
    body = json.dumps([spelled])
    assert [hit.name for hit in Needles({"phone": PHONE}).search(body)] == ["phone"]


@pytest.mark.parametrize(
    "spelled", ["491512345679", "49151234567", "49x1512345678", 491512345679, [491512, 345678]]
)
def test_another_number_is_not_found(spelled: Any) -> None:
    assert found(Needles({"phone": PHONE}), {"n": spelled}) == []


def test_separators_count_in_texts_of_fewer_than_seven_digits() -> None:
    assert found(Needles({"pin": "12-34-56"}), ["123456"]) == []
    assert found(Needles({"pin": "12-34-567"}), ["1234567"]) == [("pin", "digits", "0")]


def test_letters_between_the_digits_still_count() -> None:
    iban = "DE89 3704 0044 0532 0130 00"
    assert found(Needles({"iban": iban}), ["de89370400440532013000"]) == [("iban", "digits", "0")]
    assert found(Needles({"iban": iban}), ["fr89370400440532013000"]) == []


def test_base64_is_compared_with_its_case_and_from_six_characters_on() -> None:
    spelled = base64.b64encode(b"hunter").decode()
    assert found(Needles({"six": "hunter"}), [spelled]) == [("six", "base64", "0")]
    assert found(Needles({"six": "hunter"}), [spelled.swapcase()]) == []
    assert found(Needles({"five": "hunte"}), [base64.b64encode(b"hunte").decode()]) == []


def test_a_very_short_text_is_not_looked_for_in_hex() -> None:
    assert found(Needles({"id": "abc"}), [b"abc".hex()]) == []
    assert found(Needles({"id": "abcd"}), [b"abcd".hex()]) == [("id", "hex", "0")]


def test_an_accent_that_follows_hides_nothing() -> None:
    needles = Needles({"word": "cafe"})
    assert found(needles, ["caf\xe9"]) == []
    assert found(needles, ["cafe\u0301"]) == [("word", "plain", "0")]
    assert found(Needles({"word": "caf\xe9"}), ["cafe\u0301"]) == [("word", "folded", "0")]


def test_a_text_of_invisible_characters_can_be_forbidden() -> None:
    needles = Needles({"zero width": "\u200b"})
    assert found(needles, ["a\u200bb"]) == [("zero width", "plain", "0")]
    assert found(needles, ["ab"]) == []


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        Needles({"nothing": ""})


def test_no_texts_are_found_nowhere() -> None:
    assert Needles({}).search({"a": 1}) == []
    assert Needles({}).mask("a") == "a"


def test_json_in_json_in_json_is_read() -> None:
    spelled = json.dumps(json.dumps(json.dumps(TOKEN)))
    assert found(Needles({"token": TOKEN}), [spelled]) == [("token", "json", "0")]


def test_a_plus_may_be_a_space() -> None:
    assert found(Needles({"k": "blue key"}), ["a=blue+key"]) == [("k", "url", "0")]
    assert found(Needles({"k": "blue+key"}), ["a=blue key"]) == []


def test_an_escaped_slash_hides_nothing() -> None:
    assert found(Needles({"path": "blue/key"}), ["blue\\/key"]) == [("path", "json", "0")]
    spelled = base64.b64encode(b"key???").decode()
    assert "/" in spelled
    assert found(Needles({"k": "key???"}), [spelled.replace("/", "\\/")]) == [("k", "base64", "0")]


@pytest.mark.parametrize(
    ("text", "came_back"),
    [
        ("caf\xe9", "cafe\u0301"),
        ("\uac01", "\u1100\u1161\u11a8"),
        ("blue", "𝐛𝐥𝐮𝐞"),
        ("blue", "bl\u200bue"),
        ("fine", "ﬁne"),
    ],
)
def test_escapes_of_another_form_of_a_letter_hide_nothing(text: str, came_back: str) -> None:
    once = json.dumps(came_back)
    for spelled in (came_back, once, json.dumps(once), quote(came_back)):
        assert [hit.name for hit in Needles({"k": text}).search({"a": spelled})] == ["k"]
        assert [hit.name for hit in Needles({"k": text}).search(spelled.encode())] == ["k"]


# Places


def test_a_hit_names_the_place_of_a_value_of_a_key_and_of_a_number() -> None:
    value = {"output": {"items": [{"summary": "the blue key"}, {"blue": 1}], "n": 5550100}}
    assert found(Needles({"b": "blue", "n": "555-0100"}), value) == [
        ("b", "plain", "output.items.0.summary"),
        ("b", "plain", "output.items.1.<secret b>"),
        ("n", "digits", "output.n"),
    ]


def test_a_path_begins_with_what_the_caller_says() -> None:
    needles = Needles({"b": "blue"})
    assert [hit.path for hit in needles.search("blue", at="response.body")] == ["response.body"]
    assert [hit.path for hit in needles.search(["blue"], at="output")] == ["output.0"]


def test_two_neighbouring_strings_are_not_read_as_one() -> None:
    for value in (["abcd", "efgh"], {"abcd": "efgh"}, [1234, 5678], {"a": "abcd", "efgh": 1}):
        assert Needles({"text": "abcdefgh", "number": "1234-5678"}).search(value) == []


def test_a_text_that_looks_like_json_is_not_found_in_the_structure() -> None:
    assert Needles({"text": '":"', "more": '","'}).search({"a": "b", "c": "d"}) == []
    assert Needles({"text": "null"}).search({"a": None}) == []


def test_every_string_key_and_number_is_given_with_its_path() -> None:
    value = {"a": [True, None, 7, 1.5, "x"], "b": ("y",)}
    assert list(strings_of(value)) == [
        (("a",), "a"),
        (("a", 2), "7"),
        (("a", 3), "1.5"),
        (("a", 4), "x"),
        (("b",), "b"),
        (("b", 0), "y"),
    ]


@pytest.mark.parametrize(
    "odd", ["\ud83d", 10**30, 10**5000, float("nan"), {1: "x"}, {"x"}, object(), b"\xff"], ids=range(8)
)
def test_what_is_no_json_beside_a_text_does_not_hide_it(odd: Any) -> None:
    assert found(Needles({"b": "blue"}), [odd, "a Blue key"]) == [("b", "folded", "1")]


def test_bytes_that_are_no_utf8_do_not_hide_a_text() -> None:
    assert found(Needles({"b": "blue"}), b"\xff\xfe a blue key \x80") == [("b", "plain", "")]


def test_no_hit_shows_a_text() -> None:
    texts = {"a": "first-secret", "b": "second-secret"}
    value = {"x" * 300 + "FIRST-secret" + "y" * 300: "zz second-secret first-secret" + "w" * 300}
    hits = Needles(texts).search(value)
    assert [hit.name for hit in hits] == ["a", "a", "b"]
    assert all("-secret" not in hit.excerpt.lower() + hit.path.lower() for hit in hits)
    assert all(len(hit.excerpt) < 120 for hit in hits)
    assert hits[2] == Hit("b", "plain", hits[1].path, "zz <secret b> <secret a>" + "w" * 29 + "…")


# Masks


@pytest.mark.parametrize("label", [label for label, (kind, _) in SPELLINGS.items() if kind != "base64"])
def test_masking_replaces_each_spelling_and_nothing_beside_it(label: str) -> None:
    _, spelled = SPELLINGS[label]
    assert mask(f"before {spelled(TOKEN)}; after", {"token": TOKEN}) in (
        "before <secret token>; after",
        'before "\\"<secret token>\\""; after',
        "before http://x/<secret token>; after",
        "before \\x<secret token>; after",
    )


def test_masking_base64_takes_the_characters_that_it_shares_with_its_neighbours() -> None:
    spelled = base64.b64encode(b"a" + b"blue-key" + b"z").decode()
    assert mask(spelled, {"k": "blue-key"}) == spelled[0] + "<secret k>" + spelled[12:]


def test_masking_leaves_a_text_without_secrets_as_it_is() -> None:
    text = "Ａ é\u200b %41 \\u0041 \ud83d"
    assert mask(text, {"token": TOKEN}) == text


def test_texts_that_overlap_are_masked_together() -> None:
    assert mask("abcdefgh", {"one": "abcde", "two": "defgh"}) == "<secret one>"
    assert mask("abcdeabcde", {"one": "abcde"}) == "<secret one><secret one>"
    assert mask("aaaaaa", {"one": "aaaa"}) == "<secret one>"
    assert mask("abcdefghij", {"one": "abcdefghij", "two": "cdef"}) == "<secret one>"


def test_an_accent_is_masked_with_its_letter_and_nothing_else() -> None:
    assert mask("x CAFE\u0301 \xe9", {"k": "caf\xe9"}) == "x <secret k> \xe9"
    assert mask("\u1112\u1161\u11ab \u1100\u1161\u11a8.", {"k": "\uac01"}) == "\u1112\u1161\u11ab <secret k>."


def test_a_mark_never_holds_a_text() -> None:
    assert mask("a token here", {"token": "token"}) == "a <secret> here"
    assert mask("a secret here", {"x": "secret"}) == "a *** here"
    assert mask("a *** here", {"x": "***"}) == "a <secret x> here"


# Any text, in any spelling, at any place

TEXTS = st.text(min_size=4, max_size=12) | st.text(
    "aZ0/+%\\\"' \n\u0301\xe9\u200b1234567-", min_size=4, max_size=12
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)
PLACES: list[Callable[[str, Any], Any]] = [
    lambda text, data: text,
    lambda text, data: text.encode(),
    lambda text, data: {"a": data, "b": text},
    lambda text, data: [data, {"k": [text, data]}],
    lambda text, data: {text: data},
    lambda text, data: json.dumps([data, text]),
    lambda text, data: json.dumps({"b": data, text: 1}, ensure_ascii=False).encode(),
]


def assert_found_and_masked(text: str, spelled: str, data: Any, place: int) -> None:
    needles = Needles({"other": "zzzz-other-zzzz", "secret": text})
    assert "secret" in {hit.name for hit in needles.search(PLACES[place](spelled, data))}
    masked = needles.mask(spelled)
    assert needles.search(masked) == []
    assert text not in masked


@given(
    TEXTS, st.text(max_size=4), st.text(max_size=4), st.sampled_from(list(ENCODED)), DATA, st.integers(0, 6)
)
@settings(max_examples=400, deadline=None)
@example('a\\b"', "\\", "\\", "JSON in JSON", None, 2)
@example("0000/", "%", "%", "URL in a URL", None, 5)
def test_any_text_is_found_in_any_encoding(
    text: str, before: str, after: str, label: str, data: Any, place: int
) -> None:
    spelling, spelled = ENCODED[label]
    assume(len(text) >= 6 or spelling != "base64")
    whole = before + text + after if spelling in ("json", "url", "base64") else text
    assert_found_and_masked(text, spelled(whole), data, place)


@given(
    TEXTS, st.text(max_size=4), st.text(max_size=4), st.sampled_from(list(DISGUISED)), DATA, st.integers(0, 6)
)
@settings(max_examples=400, deadline=None)
def test_any_text_is_found_in_any_disguise(
    text: str, before: str, after: str, label: str, data: Any, place: int
) -> None:
    disguised = DISGUISED[label][1](text)
    # What folding changes beyond recognition, or melts into its neighbours, is another text.
    assume(label == "as it is" or (fold(text) and fold(text) == fold(disguised)))
    assume(label == "as it is" or fold(text) in fold(before + disguised + after))
    assert_found_and_masked(text, before + disguised + after, data, place)


@given(st.text("0123456789abc", min_size=7, max_size=14), st.data())
@settings(max_examples=200, deadline=None)
def test_any_long_number_is_found_with_any_separators(text: str, data: st.DataObject) -> None:
    assume(sum(map(str.isdigit, text)) >= 7)
    gaps = [data.draw(st.text(" -./()\n\t\xa0\u2013", max_size=2)) for _ in text]
    spelled = "".join(map(str.__add__, text, gaps))
    assert_found_and_masked(text, spelled, data.draw(DATA), data.draw(st.integers(0, 6)))


@given(st.dictionaries(st.text("abcdef", min_size=1), TEXTS, max_size=4), DATA, st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_nothing_is_found_in_what_was_masked(texts: dict[str, str], data: Any, text: str) -> None:
    needles = Needles(texts)
    assert needles.search(needles.mask(text + "".join(texts.values()) + text)) == []


ODD_LETTERS = (
    "aA\xe9\xad \u0301\u0323\u0334\u200b\u212a\uff9e\u304b"
    "\u1100\u1161\u11a8\uac00\u0130\ufb01\u09c7\u09be\u0345\u0390"
)


@given(st.text(ODD_LETTERS, max_size=8) | st.text(max_size=8))
@settings(max_examples=500, deadline=None)
def test_folding_with_places_is_folding(text: str) -> None:
    view = views_of(text, ())[0].folded
    assert view.text == fold(text)
    assert len(view.starts) == len(view.ends) == len(view.text)


# Two ways to look


def test_the_automaton_finds_texts_that_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_patterns, "AUTOMATON_PAYS", 0)
    needles = Needles({"one": "abcdef", "two": "cdefgh", "three": "cde"})
    assert {hit.name for hit in needles.search(["abcdefgh"])} == {"one", "two", "three"}


@given(st.lists(TEXTS, min_size=1, max_size=4, unique=True), DATA, st.sampled_from(list(SPELLINGS)))
@settings(max_examples=100, deadline=None)
def test_the_automaton_and_the_loop_find_the_same(texts: list[str], data: Any, label: str) -> None:
    named = {str(at): text for at, text in enumerate(texts)}
    value = [data, texts[0], *(SPELLINGS[label][1](text) for text in texts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_patterns, "AUTOMATON_PAYS", 0)
        by_automaton = Needles(named).search(value)
        patch.setattr(_patterns, "_ahocorasick", lambda: None)
        by_loop = Needles(named).search(value)
    assert by_automaton == by_loop
    assert by_loop


def test_a_thousand_texts_are_found_in_a_megabyte() -> None:
    texts = {f"n{at}": f"secret-{at:04d}-{at * 7919 % 10007:05d}-x" for at in range(1000)}
    value = {"items": [{"id": at, "text": "nothing to see here, move along " * 3} for at in range(8000)]}
    needles = Needles(texts)
    assert needles.search(value) == []
    value["items"][7000]["text"] = texts["n500"].upper()
    assert found(needles, value) == [("n500", "folded", "items.7000.text")]


def test_importing_the_module_loads_no_automaton() -> None:
    code = "import sys, evalkit.spellings; print('ahocorasick_rs' in sys.modules)"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a hidden-te", "a "),
        ("a hidden-text", "a "),
        ("a hid", "a "),
        ("a hi", "a hi"),
        ("a hidden-tex b", "a hidden-tex b"),
    ],
)
def test_a_text_that_was_cut_loses_the_half_of_a_secret_at_its_end(text: str, left: str) -> None:
    assert without_half(text, ["other-one", "hidden-text"]) == left
