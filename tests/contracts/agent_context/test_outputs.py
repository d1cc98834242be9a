"""Tests for `outputs`: closed schemas, and no answer that breaks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jsonschema
import pytest

from evalkit.contracts.agent_context.inputs import input_schema
from evalkit.contracts.agent_context.outputs import is_valid, output_schema
from evalkit.contracts.agent_context.tools import TOOLS
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

UNAVAILABLE = "Context source unavailable for this request."
ITEM = {"ref": "r", "scope": "brain", "kind": "k", "title": "t", "summary": "s"}


def _objects(schema: Json) -> Iterator[Json]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from _objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _objects(inner)


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_every_object_of_every_schema_is_closed(tool: str) -> None:
    for schema in (input_schema(tool), output_schema(tool)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert "$schema" not in schema
        assert all(found["additionalProperties"] is False for found in _objects(schema))


def test_every_key_of_an_output_is_required_but_an_items_path() -> None:
    for tool in TOOLS:
        for found in _objects(output_schema(tool.name)):
            optional = set(found["properties"]) - set(found["required"])
            assert optional == ({"path"} if "ref" in found["properties"] else set())


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"path": "p" * 300}, True),
        ({"ref": "r" * 180, "kind": "k" * 80, "title": "t" * 160, "summary": "s" * 320}, True),
        ({"ref": "r" * 181}, False),
        ({"kind": "k" * 81}, False),
        ({"title": "t" * 161}, False),
        ({"summary": "s" * 321}, False),
        ({"path": "p" * 301}, False),
        ({"path": None}, False),
        ({"scope": "vault"}, False),
        ({"repoPath": "/x"}, False),
    ],
)
def test_an_item_keeps_its_shape(change: Json, valid: bool) -> None:
    output = {"item": {**ITEM, **change}, "sourceTruncated": False, "sourceStatus": "fresh"}
    assert is_valid("get_context", output) is valid


def test_at_most_25_items_and_a_cursor_or_null() -> None:
    page = {
        "items": [ITEM] * 25,
        "total": 25,
        "nextCursor": None,
        "truncated": False,
        "sourceTruncated": False,
        "sourceStatus": "stale",
    }
    assert is_valid("list_context", page)
    assert is_valid("list_context", {**page, "nextCursor": 25})
    assert not is_valid("list_context", {**page, "items": [ITEM] * 26})
    assert not is_valid("list_context", {**page, "nextCursor": -1})
    assert not is_valid("list_context", {**page, "total": -1})
    assert not is_valid("list_context", {**page, "sourceStatus": "STALE"})
    assert not is_valid("list_context", {**page, "truncated": None})


def test_a_reference_too_long_fails_the_call(opened: Open) -> None:
    contract = opened({"navigation": [{"id": "n" * 200, "label": "L"}]})
    assert contract.refusal("list_context", {"scope": "navigation"}) == UNAVAILABLE


@pytest.mark.parametrize("length", [80, 81])
def test_a_brain_type_of_81_characters_fails_the_call(opened: Open, length: int) -> None:
    contract = opened({"brain": {"t" * length: [{"id": 1}]}})
    result = contract.call("list_context", {"scope": "brain"})
    assert result.get("isError", False) is (length == 81)
