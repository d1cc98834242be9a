"""Tests for `inputs`: exact issue paths, and one truth for the check and the advertised schema."""

from __future__ import annotations

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalkit.contracts.agent_context.inputs import input_issues, input_schema
from evalkit.contracts.agent_context.tools import TOOLS
from evalkit.model import Json

ALL = ["navigation", "workspaces", "brain", "identity"]


@pytest.mark.parametrize(
    ("args", "issues"),
    [
        ({"query": "a"}, []),
        ({}, ["query"]),
        ({"query": None}, ["query"]),
        ({"query": "   "}, ["query"]),
        ({"query": "\ufeff\u3000"}, ["query"]),
        ({"query": "q" * 200}, []),
        ({"query": "q" * 201}, ["query"]),
        ({"query": " " * 300 + "a"}, ["query"]),
        ({"query": 5}, ["query"]),
        ({"query": []}, ["query", "query"]),
        ({"query": "", "limit": 26, "zzz": 1}, ["query", "limit", "input"]),
        ({"zzz": 1, "yyy": 2, "limit": 0, "query": 1}, ["query", "limit", "input"]),
        ({"query": "a", "scopes": ALL}, []),
        ({"query": "a", "scopes": "brain"}, ["scopes", "scopes"]),
        ({"query": "a", "scopes": "abcd"}, ["scopes"]),
        ({"query": "a", "scopes": 5}, ["scopes"]),
        ({"query": "a", "scopes": None}, ["scopes"]),
        ({"query": "a", "scopes": {}}, ["scopes"]),
        ({"query": "a", "scopes": []}, ["scopes"]),
        ({"query": "a", "scopes": ["vault"]}, ["scopes.0"]),
        ({"query": "a", "scopes": ["brain", "vault", 7, ["brain"]]}, ["scopes.1", "scopes.2", "scopes.3"]),
        ({"query": "a", "scopes": ["brain", "brain"]}, ["scopes"]),
        ({"query": "a", "scopes": [*ALL, "brain"]}, ["scopes", "scopes"]),
        ({"query": "a", "scopes": [*ALL, "vault"]}, ["scopes.4", "scopes"]),
        ([], ["input"]),
        ("text", ["input"]),
        (5, ["input"]),
    ],
)
def test_search_names_each_issue_by_its_path(args: Json, issues: list[str]) -> None:
    assert input_issues("search_context", args) == issues


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        (1, 0),
        (25, 0),
        (25.0, 0),
        (0, 1),
        (26, 1),
        (1.5, 1),
        (30.5, 1),
        ("5", 1),
        (None, 1),
        (True, 1),
        (2**53, 2),
        (-(2**53), 2),
        (float("inf"), 1),
        (float("nan"), 1),
    ],
)
def test_a_limit_is_a_whole_number_from_1_to_25(limit: Json, count: int) -> None:
    assert input_issues("list_context", {"scope": "brain", "limit": limit}) == ["limit"] * count


@pytest.mark.parametrize(
    ("cursor", "count"),
    [(0, 0), (2**53 - 1, 0), (3.0, 0), (-1, 1), (1.5, 1), (2**53, 1), (-(2**53), 2), (False, 1), ("0", 1)],
)
def test_a_cursor_is_a_whole_number_that_a_double_can_hold(cursor: Json, count: int) -> None:
    assert input_issues("list_context", {"scope": "brain", "cursor": cursor}) == ["cursor"] * count


def test_issues_stand_in_the_order_of_the_schema_whatever_the_order_of_the_arguments() -> None:
    args = {"limit": 0, "zzz": 1, "cursor": -1, "scope": "vault"}
    assert input_issues("list_context", args) == ["scope", "cursor", "limit", "input"]


@pytest.mark.parametrize(("length", "issues"), [(180, []), (181, ["ref"])])
def test_a_reference_has_at_most_180_characters(length: int, issues: list[str]) -> None:
    assert input_issues("get_context", {"ref": "r" * length}) == issues


def test_the_profile_takes_no_arguments() -> None:
    assert input_issues("context_profile", {}) == []
    assert input_issues("context_profile", {"x": 1}) == ["input"]


def test_lengths_count_code_points_as_json_schema_does() -> None:
    assert input_issues("search_context", {"query": "😀" * 200}) == []
    assert input_issues("search_context", {"query": "😀" * 201}) == ["query"]


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**54), 2**54)
    | st.integers(-2, 30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        [*ALL, "vault", "", " ", "\u00a0", "\u0085", "\ufeff", "a", " a ", "q" * 181, "q" * 201]
    )
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.lists(st.sampled_from(ALL), max_size=6),
    max_leaves=6,
)
_ARGS = st.dictionaries(st.sampled_from(["query", "scopes", "limit", "ref", "scope", "cursor", "x"]), _VALUES)


@settings(derandomize=True, deadline=None)
@given(tool=st.sampled_from([tool.name for tool in TOOLS]), args=_ARGS)
@example(tool="search_context", args={"query": " \ufeff\u3000\u2028"})
@example(tool="search_context", args={"query": "\u0085"})
@example(tool="search_context", args={"query": " " * 300 + "a"})
@example(tool="search_context", args={"query": "a", "scopes": ["brain", "brain"]})
@example(tool="list_context", args={"scope": "brain", "cursor": 2**53, "limit": 25.0})
def test_the_advertised_schema_says_all_that_is_enforced(tool: str, args: Json) -> None:
    accepted = not input_issues(tool, args)
    schema = input_schema(tool)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(args) is accepted
    assert jsonschema.Draft202012Validator(schema).is_valid(args) is accepted
