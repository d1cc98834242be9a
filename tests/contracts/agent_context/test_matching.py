"""Tests for `matching`: literal, case-insensitive, on raw text, within its first 2,000 characters."""

from __future__ import annotations

from functools import partial
from timeit import repeat
from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.matching import matcher, search_text
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open


@pytest.mark.parametrize(
    ("scope", "name", "record", "searched"),
    [
        (
            "navigation",
            "",
            {
                "id": "i",
                "path": "/p",
                "label": "L",
                "section": "S",
                "aliases": ["a", None],
                "keywords": ["k", 7],
            },
            "L S a k 7",
        ),
        ("navigation", "", {"aliases": "", "keywords": None}, ""),
        ("workspaces", "", {"appName": "N", "appId": "id"}, "N workspace app id"),
        ("brain", "ideas", {"title": "T", "content": "C", "tags": ["x"], "status": "s"}, "ideas T C"),
        ("identity", "k", {"label": "L", "present": True}, "k L identity export present"),
        ("identity", "k", {"present": 0}, "k k identity export absent"),
    ],
)
def test_each_scope_has_its_own_searchable_text(scope: str, name: str, record: Json, searched: str) -> None:
    assert search_text(scope, name, record) == searched


def test_whitespace_is_folded_as_javascript_folds_it() -> None:
    record = {"content": " two\n\n\u00a0 words\ufeff\u0085end "}
    assert search_text("brain", "ideas", record) == "ideas two words \u0085end"


def test_only_the_first_2000_characters_can_be_found() -> None:
    record = {"content": "a" * 1993 + " needle"}
    assert search_text("brain", "ideas", record) == "ideas " + "a" * 1993 + " "
    assert len(search_text("brain", "ideas", {"content": "a" * 1994})) == 2000


def test_the_searchable_text_is_counted_in_utf16_units() -> None:
    assert search_text("brain", "ideas", {"content": "😀" * 1000}) == "ideas " + "😀" * 997


@pytest.mark.parametrize(
    ("query", "searched", "found"),
    [
        ("ALPHA", "an alpha", True),
        ("a.b", "axb", False),
        ("a.b", "xa.by", True),
        ("[", "a[0]", True),
        ("two  words", "two words", False),
        ("caf\u0065\u0301", "caf\u00e9", False),
        ("STRASSE", "stra\u00dfe", False),
    ],
)
def test_a_query_is_a_literal_piece_in_any_case(query: str, searched: str, found: bool) -> None:
    assert matcher(query)(searched) is found


@pytest.mark.parametrize(
    "scope_order", [["identity", "brain", "workspaces", "navigation"], ["brain", "identity"]]
)
def test_results_stand_in_the_order_of_the_scopes_asked_for(opened: Open, scope_order: list[str]) -> None:
    fixture = {
        "navigation": [{"id": "n", "label": "alpha"}],
        "workspaces": [{"appId": "a", "appName": "alpha"}],
        "brain": {"ideas": [{"id": "1", "title": "alpha"}]},
        "identity": {"k": {"label": "alpha"}},
    }
    output = opened(fixture).output("search_context", {"query": "  ALPHA ", "scopes": scope_order})
    assert [item["scope"] for item in output["items"]] == scope_order
    configured = opened(fixture, scopes=scope_order).output("search_context", {"query": "alpha"})
    assert [item["scope"] for item in configured["items"]] == scope_order


def test_raw_text_is_matched_and_redacted_text_is_not(opened: Open) -> None:
    key = "sk-" + "1234567890" * 2
    contract = opened({"brain": {"ideas": [{"id": 1, "content": f"key {key}"}]}})
    output = contract.output("search_context", {"query": "sk-1234", "scopes": ["brain"]})
    assert (output["total"], output["items"][0]["summary"]) == (1, "key [REDACTED]")
    assert contract.output("search_context", {"query": "[redacted"})["total"] == 0


def test_metadata_can_be_asked_whether_a_text_is_there(opened: Open) -> None:
    contract = opened({"brain": {"ideas": [{"id": 1, "title": "Secret"}]}}, "metadata")
    output = contract.output("search_context", {"query": "secret"})
    assert output["total"] == 1
    assert output["items"][0]["title"] == "ideas record"


def test_the_time_of_a_search_grows_no_faster_than_its_rows(opened: Open) -> None:
    def seconds(rows: int) -> float:
        ideas = [{"id": index, "title": "some words", "content": "c" * 300} for index in range(rows)]
        apps = [{"appId": index, "appName": "some words"} for index in range(rows)]
        contract = opened({"brain": {"ideas": ideas}, "workspaces": apps})
        call = partial(contract.output, "search_context", {"query": "nowhere"})
        return min(repeat(call, number=1, repeat=5))

    assert seconds(1000) < 5 * 4 * seconds(200)
