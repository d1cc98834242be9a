"""Tests for `references`: stable, opaque, and never a raw id of a private record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.references import is_same, reference
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

# The first 20 hex digits of what `printf %s … | sha256sum` gives.
OF_A = "ca978112ca1bbdcafac2"
OF_1 = "6b86b273ff34fce19d6b"
OF_NULL = "74234e98afe7498fb5da"
OF_UNDEFINED = "eb045d78d273107348b0"


def _plain(value: Json, limit: int) -> str:
    return str(value)


def _redacted(value: Json, limit: int) -> str:
    return "[REDACTED]"


@pytest.mark.parametrize(
    ("record", "digest"),
    [({"id": "a"}, OF_A), ({"id": 1}, OF_1), ({"id": "1"}, OF_1), ({"id": 1.0}, OF_1)],
)
def test_ids_are_hashed_as_text(record: Json, digest: str) -> None:
    assert reference("brain", "ideas", record, _plain) == f"brain:ideas:{digest}"
    workspace = {"appId": record["id"]}
    assert reference("workspaces", "", workspace, _plain) == f"workspaces:workspace:{digest}"


def test_a_missing_id_and_a_null_id_differ() -> None:
    assert reference("brain", "ideas", {}, _plain) == f"brain:ideas:{OF_UNDEFINED}"
    assert reference("brain", "ideas", {"id": None}, _plain) == f"brain:ideas:{OF_NULL}"


def test_page_ids_and_section_keys_stand_in_the_open() -> None:
    assert reference("navigation", "", {"id": "nav.goals"}, _plain) == "navigation:nav.goals"
    assert reference("navigation", "", {"id": 7}, _plain) == "navigation:7"
    assert reference("navigation", "", {}, _plain) == "navigation:undefined"
    assert reference("identity", "music", {}, _plain) == "identity:section:music"


def test_a_name_that_redaction_would_touch_is_hashed() -> None:
    assert reference("identity", "a", {}, _redacted) == f"identity:section:{OF_A}"
    assert reference("navigation", "", {"id": "a"}, _redacted) == f"navigation:{OF_A}"


def test_a_reference_does_not_depend_on_name_or_profile(opened: Open) -> None:
    one = opened({"workspaces": [{"appId": "a", "appName": "n"}]}, "metadata").items("workspaces")
    other = opened({"workspaces": [{"appId": "a", "appName": "other"}]}, "summary").items("workspaces")
    assert one[0]["ref"] == other[0]["ref"] == f"workspaces:workspace:{OF_A}"


def test_references_are_compared_to_the_letter() -> None:
    assert is_same("navigation:n", "navigation:n")
    assert not is_same("navigation:n", "NAVIGATION:n")
    assert not is_same("navigation:nav", "navigation:n")
