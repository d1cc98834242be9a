"""How a session begins, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.judging import broken, evidence

INITIALIZE = {"message": {"method": "initialize", "params": {"protocolVersion": "1999-01-01"}}}
PROMPTS = {"message": {"method": "prompts/list", "params": {}}}
MANIFEST: dict[str, Any] = {"capabilities": {"prompts": {}}}

REFUSED: dict[str, Any] = {"rpc": {"id": 1, "error": {"code": -32602, "message": "Unsupported"}}}


def agreed(version: Any) -> dict[str, Any]:
    return {"rpc": {"id": 1, "result": {"protocolVersion": version}}}


@pytest.mark.parametrize(
    ("rule", "roots", "paths"),
    [
        ("version-not-echoed", agreed("1999-01-01"), ["rpc.result.protocolVersion"]),
        ("version-not-echoed", agreed("2025-11-25"), []),
        ("version-not-echoed", REFUSED, []),
        ("version-published", agreed("%version%"), ["rpc.result.protocolVersion"]),
        ("version-published", agreed(20251125), ["rpc.result.protocolVersion"]),
        ("version-published", agreed("2024-11-05"), []),
        ("version-published", REFUSED, []),
        ("initialize-answered", {}, ["rpc"]),
        ("initialize-answered", {"rpc": {"id": 1}}, ["rpc"]),
        ("initialize-answered", REFUSED, []),
        ("initialize-answered", agreed("2025-11-25"), []),
    ],
)
def test_a_revision_that_does_not_exist(rule: str, roots: dict[str, Any], paths: list[str]) -> None:
    assert broken(rule, evidence("rpc", INITIALIZE, roots)) == paths


@pytest.mark.parametrize(
    ("roots", "paths"),
    [
        ({"rpc": {"result": {}}}, ["rpc"]),
        ({}, ["rpc"]),
        (REFUSED, ["rpc.error.code"]),
        ({"rpc": {"error": {"code": -32022, "message": "no", "data": {"supported": []}}}}, []),
    ],
)
def test_a_revision_in_meta_that_does_not_exist(roots: dict[str, Any], paths: list[str]) -> None:
    assert broken("version-refused", evidence("rpc", {"message": {}}, roots)) == paths


@pytest.mark.parametrize(
    ("result", "paths"),
    [
        ({}, ["rpc.result.supportedVersions"]),
        ({"supportedVersions": []}, ["rpc.result.supportedVersions"]),
        ({"supportedVersions": [20260728]}, ["rpc.result.supportedVersions"]),
        ({"supportedVersions": ["2026-07-28"]}, []),
    ],
)
def test_what_discovery_names(result: Any, paths: list[str]) -> None:
    seen = evidence("rpc", {"message": {}}, {"rpc": {"result": result}})
    assert broken("discover-names-versions", seen) == paths


def test_a_server_of_an_earlier_revision_need_not_be_discovered() -> None:
    assert broken("discover-names-versions", evidence("rpc", {"message": {}}, REFUSED)) == []


@pytest.mark.parametrize(
    ("rule", "manifest", "rpc", "paths"),
    [
        ("capability-works", MANIFEST, REFUSED["rpc"], ["rpc.error"]),
        ("capability-works", MANIFEST, {"result": {"prompts": []}}, []),
        ("capability-works", {"capabilities": {}}, REFUSED["rpc"], []),
        ("capability-lists", MANIFEST, {"result": {"prompts": None}}, ["rpc.result.prompts"]),
        ("capability-lists", MANIFEST, {"result": {}}, ["rpc.result.prompts"]),
        ("capability-lists", MANIFEST, {"result": {"prompts": []}}, []),
        ("capability-lists", MANIFEST, REFUSED["rpc"], []),
        ("capability-said", {"capabilities": {}}, {"result": {"prompts": [{}]}}, ["manifest.capabilities"]),
        ("capability-said", {"capabilities": {}}, {"result": {"prompts": []}}, []),
        ("capability-said", MANIFEST, {"result": {"prompts": [{}]}}, []),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_what_a_capability_promises(
    rule: str, manifest: Any, rpc: Any, paths: list[str], before: bool
) -> None:
    roots = {"rpc": rpc} if before else {"rpc": rpc, "manifest": manifest}
    seen = evidence("rpc", PROMPTS, roots, {"first": {"manifest": manifest}} if before else None)
    assert broken(rule, seen) == paths
