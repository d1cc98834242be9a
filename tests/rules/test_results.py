"""The shape of a tool result, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.rules import table
from evalkit.rules.results import SINCE
from tests.rules.calls import called, refused, result, text
from tests.rules.judging import broken, is_judged

RESULT = "toolResult"
FIRST = f"{RESULT}.content.0"
PNG = {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
SOUND = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
NOTE = {"uri": "file:///notes.txt", "text": "Rain."}
EMBEDDED = {"type": "resource", "resource": NOTE}
LINK = {"type": "resource_link", "uri": "file:///notes.txt", "name": "notes"}


@pytest.mark.parametrize(
    ("found", "paths"),
    [
        (None, [RESULT]),
        ("Rain.", [RESULT]),
        ([text("Rain.")], [RESULT]),
        ({}, [f"{RESULT}.content"]),
        (result(content=None), [f"{RESULT}.content"]),
        (result(content="Rain."), [f"{RESULT}.content"]),
        (result(content=text("Rain.")), [f"{RESULT}.content"]),
        (result(content=..., structuredContent={"rain": True}), [f"{RESULT}.content"]),
        (result(), []),
        (result(content=[]), []),
        (result(content=[], isError=True), []),
        (result(ownField=1), []),
    ],
)
def test_a_result_is_an_object_with_an_array(found: Any, paths: list[str]) -> None:
    assert broken("result-content", called(found)) == paths


@pytest.mark.parametrize(
    ("content", "paths"),
    [
        (["Rain."], [FIRST]),
        ([None, text("Rain."), 7], [FIRST, f"{RESULT}.content.2"]),
        ([{"text": "Rain."}], [f"{FIRST}.type"]),
        ([{"type": "json", "json": {}}], [f"{FIRST}.type"]),
        ([{"type": "Text", "text": "Rain."}], [f"{FIRST}.type"]),
        ([{"type": ["text"], "text": "Rain."}], [f"{FIRST}.type"]),
        ([text("Rain."), PNG, SOUND, EMBEDDED, LINK], []),
        ([{"type": kind} for kind in SINCE], []),
        ("Rain.", []),
        ([], []),
    ],
)
def test_a_block_is_of_a_kind_that_is_known(content: Any, paths: list[str]) -> None:
    assert broken("content-known", called(result(content=content))) == paths


@pytest.mark.parametrize(
    ("block", "revision", "paths"),
    [
        (SOUND, "2024-11-05", [f"{FIRST}.type"]),
        (LINK, "2024-11-05", [f"{FIRST}.type"]),
        (LINK, "2025-03-26", [f"{FIRST}.type"]),
        (SOUND, "2025-03-26", []),
        (LINK, "2025-06-18", []),
        (PNG, "2024-11-05", []),
        (EMBEDDED, "2024-11-05", []),
        ({"type": "json"}, "2024-11-05", []),
        (LINK, "", []),
    ],
)
def test_a_kind_of_content_is_known_since_a_revision(block: Any, revision: str, paths: list[str]) -> None:
    seen = called(result(block), protocolVersion=revision)
    assert broken("content-of-revision", seen) == paths


def without(block: dict[str, Any], *names: str, **changed: Any) -> dict[str, Any]:
    """A block without some of its fields, or with others."""
    return {**{name: value for name, value in block.items() if name not in names}, **changed}


@pytest.mark.parametrize(
    ("block", "paths"),
    [
        ({"type": "text"}, [f"{FIRST}.text"]),
        (text(None), [f"{FIRST}.text"]),
        (text({"rain": True}), [f"{FIRST}.text"]),
        (text(7), [f"{FIRST}.text"]),
        (without(PNG, "mimeType"), [f"{FIRST}.mimeType"]),
        (without(PNG, "data", url="x"), [f"{FIRST}.data"]),
        (without(SOUND, data=[0, 1], mimeType=None), [f"{FIRST}.data", f"{FIRST}.mimeType"]),
        (without(EMBEDDED, resource=NOTE["uri"]), [f"{FIRST}.resource"]),
        ({"type": "resource", **NOTE}, [f"{FIRST}.resource"]),
        (without(EMBEDDED, resource={"text": ""}), [f"{FIRST}.resource.uri"]),
        (without(EMBEDDED, resource={"uri": "a:b"}), [f"{FIRST}.resource"]),
        (without(EMBEDDED, resource={"uri": "a:b", "text": None, "blob": 1}), [f"{FIRST}.resource"]),
        (without(LINK, "name"), [f"{FIRST}.name"]),
        (without(LINK, uri=None), [f"{FIRST}.uri"]),
        (text(""), []),
        (text("Rain.", mood="grey"), []),
        (PNG, []),
        (SOUND, []),
        (EMBEDDED, []),
        (without(EMBEDDED, resource={"uri": "a:b", "blob": ""}), []),
        (LINK, []),
        ({"type": "json"}, []),
    ],
)
def test_a_block_has_the_fields_of_its_kind(block: Any, paths: list[str]) -> None:
    assert broken("content-fields", called(result(block))) == paths


@pytest.mark.parametrize(
    ("block", "tails"),
    [
        (text("Rain.", annotations=None), [".annotations"]),
        (text("Rain.", _meta=[]), ["._meta"]),
        (text("Rain.", annotations={"audience": "user"}), [".annotations.audience"]),
        (text("Rain.", annotations={"audience": ["user", "model"]}), [".annotations.audience"]),
        (text("Rain.", annotations={"priority": "high"}), [".annotations.priority"]),
        (text("Rain.", annotations={"priority": 1.5}), [".annotations.priority"]),
        (text("Rain.", annotations={"priority": -1}), [".annotations.priority"]),
        (text("Rain.", annotations={"lastModified": 0}), [".annotations.lastModified"]),
        (without(LINK, size="12", title=None), [".title", ".size"]),
        (without(LINK, mimeType=None, description=7), [".description", ".mimeType"]),
        (without(EMBEDDED, resource={**NOTE, "mimeType": None}), [".resource.mimeType"]),
        (without(EMBEDDED, resource={**NOTE, "_meta": ""}), [".resource._meta"]),
        (text("Rain."), []),
        (text("Rain.", annotations={}, _meta={}), []),
        (text("Rain.", annotations={"audience": [], "priority": 0, "lastModified": ""}), []),
        (text("Rain.", annotations={"audience": ["user", "assistant"], "priority": 1.0}), []),
        (without(LINK, size=12, title="Notes", description="", mimeType="text/plain"), []),
        (without(EMBEDDED, resource={**NOTE, "mimeType": "text/plain"}), []),
        (text("Rain.", title=None), []),
    ],
)
def test_an_optional_field_has_its_type(block: Any, tails: list[str]) -> None:
    paths = [f"{FIRST}{tail}" for tail in tails]
    assert broken("content-optional-fields", called(result(block))) == paths


def test_what_a_result_says_beside_its_content_has_its_type() -> None:
    assert broken("content-optional-fields", called(result(_meta=None))) == [f"{RESULT}._meta"]
    assert broken("content-optional-fields", called(result(_meta={"a": 1}))) == []
    assert broken("content-optional-fields", called("Rain.")) == []


IN_IMAGE, IN_RESOURCE = f"{FIRST}.data", f"{FIRST}.resource.blob"


@pytest.mark.parametrize(
    ("data", "is_any", "is_strict"),
    [
        ("iVBORw==", True, True),
        ("", True, True),
        ("AAAA", True, True),
        ("+/+/", True, True),
        ("iVBORw", True, False),
        ("iVBO\r\nRw==", True, False),
        ("iVBORw==\n", True, False),
        ("iVBORw=", True, False),
        ("data:image/png;base64,iVBORw==", False, True),
        ("iVBOR", False, True),
        ("-_-_", False, True),
        ("iVB=ORw=", False, True),
        ("<svg/>", False, True),
        ("é" * 4, False, True),
    ],
)
def test_binary_content_is_base64(data: str, is_any: bool, is_strict: bool) -> None:
    blob = without(EMBEDDED, resource={"uri": "a:b", "blob": data})
    for block, path in ((without(PNG, data=data), IN_IMAGE), (blob, IN_RESOURCE)):
        seen = called(result(block))
        assert broken("content-base64", seen) == ([] if is_any else [path])
        assert broken("content-base64-strict", seen) == ([] if is_strict else [path])


def test_what_is_no_binary_content_need_not_be_base64() -> None:
    for block in (text("<svg/>"), text("", data="<svg/>"), EMBEDDED, without(PNG, data=7)):
        assert broken("content-base64", called(result(block))) == []
        assert broken("content-base64-strict", called(result(block))) == []


@pytest.mark.parametrize(
    ("uri", "is_uri"),
    [
        ("notes.txt", False),
        ("/srv/notes.txt", False),
        ("//host/notes", False),
        ("", False),
        (":notes", False),
        ("file:///notes.txt", True),
        ("urn:isbn:0451450523", True),
        ("demo://notes/1?day=monday#rain", True),
        ("git+https://example.org/a", True),
    ],
)
def test_a_resource_is_named_by_a_uri(uri: str, is_uri: bool) -> None:
    embedded = without(EMBEDDED, resource={**NOTE, "uri": uri})
    for block, path in ((without(LINK, uri=uri), f"{FIRST}.uri"), (embedded, f"{FIRST}.resource.uri")):
        assert broken("content-uri", called(result(block))) == ([] if is_uri else [path])
    assert broken("content-uri", called(result(without(LINK, uri=None)))) == []
    assert broken("content-uri", called(result(text("", uri=uri)))) == []


@pytest.mark.parametrize("flag", [None, "false", "true", 0, 1, [], {}])
def test_a_flag_that_is_no_boolean(flag: Any) -> None:
    assert broken("error-flag", called(result(isError=flag))) == [f"{RESULT}.isError"]


def test_a_flag_that_is_one_or_is_left_out() -> None:
    for found in (result(), result(isError=False), result(isError=True), "Rain."):
        assert broken("error-flag", called(found)) == []


@pytest.mark.parametrize(
    ("found", "paths"),
    [
        (result(content=[], isError=True), [f"{RESULT}.content"]),
        (result(content=..., isError=True), [f"{RESULT}.content"]),
        (result(text(" \n"), isError=True), [f"{RESULT}.content"]),
        (result(PNG, isError=True), [f"{RESULT}.content"]),
        (result(text("No day 7."), isError=True), []),
        (result(text(""), text("No day 7."), isError=True), []),
        (result(content=[]), []),
        (result(content=[], isError="true"), []),
    ],
)
def test_a_tool_that_fails_says_why(found: Any, paths: list[str]) -> None:
    assert broken("error-told", called(found)) == paths


PYTHON = 'Traceback (most recent call last):\n  File "/srv/app.py", line 3, in <module>\nKeyError: 7'
NODE = "Error: no day\n    at readDay (/srv/app.js:12:7)\n    at process (node:internal/a:1:2)"
MODULE = "Error: no day\n    at file:///srv/app.mjs:12:7"
WINDOWS = "Error: no day\n    at readDay (C:\\app\\day.js:12:7)"


@pytest.mark.parametrize("stack", [PYTHON, NODE, MODULE, WINDOWS])
def test_a_stack_in_an_error(stack: str) -> None:
    assert broken("error-without-stack", called(result(text(stack), isError=True))) == [f"{FIRST}.text"]
    failed = refused({"code": -32603, "message": stack, "data": stack})
    assert broken("error-without-stack", failed) == ["rpc.error.message", "rpc.error.data"]
    assert broken("error-without-stack", called(result(text(stack)))) == []


@pytest.mark.parametrize(
    "told",
    [
        "No note has the id 7",
        "KeyError: 7",
        "The traceback is in the log.",
        "Look at /srv/app.js:12:7",
        "  at noon, and at /srv",
        "",
    ],
)
def test_an_error_without_a_stack(told: str) -> None:
    assert broken("error-without-stack", called(result(text(told), isError=True))) == []
    assert (
        broken("error-without-stack", refused({"code": -32603, "message": told, "data": {"a": told}})) == []
    )
    assert broken("error-without-stack", refused(told)) == []


def test_blank_lines_without_end_are_searched_for_a_stack_in_no_time() -> None:
    assert broken("error-without-stack", called(result(text("\n" * 200_000), isError=True))) == []


@pytest.mark.parametrize("told", [..., None, 7, ["complete"]])
def test_a_result_that_does_not_say_its_type(told: Any) -> None:
    seen = called(result(resultType=told), protocolVersion="2026-07-28")
    assert broken("result-type", seen) == [f"{RESULT}.resultType"]


def test_a_result_that_says_its_type() -> None:
    seen = called(result(resultType="complete"), protocolVersion="2026-07-28")
    assert broken("result-type", seen) == []
    assert not table()["result-type"].holds_for("2025-11-25")


RULES = [rule.id for rule in table().values() if rule.judge.__module__ == "evalkit.rules.results"]


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_of_results_judges_where_there_is_none(rule: str) -> None:
    asks = called(result(resultType="input_required", content=...))
    assert not is_judged(rule, asks)
    if rule != "error-without-stack":
        assert not is_judged(rule, refused({"code": -32602, "message": "Unknown tool"}))


VIRTUOUS: dict[str, Any] = {
    "a text": result(),
    "nothing": result(content=[]),
    "an empty text": result(text("")),
    "an error": result(text("No day 7."), isError=True),
    "a success that speaks of errors": result(text("Error: none was found.")),
    "a success that says that it is one": result(isError=False),
    "one block of each kind": result(text("Rain."), PNG, SOUND, EMBEDDED, LINK),
    "a binary resource": result(without(EMBEDDED, resource={"uri": "a:b", "blob": "AAAA"})),
    "notes for the reader": result(text("Rain.", annotations={"audience": ["user"], "priority": 0.5})),
    "words of its own": result(text("Rain.", _meta={"a": 1}), _meta={"b": None}, own=True),
    "a program's text": result(text(PYTHON)),
    "half an emoji's name": result(text("\\ud83d is a surrogate")),
    "a result that says its type": result(resultType="complete"),
}


@pytest.mark.parametrize("name", VIRTUOUS)
def test_a_result_in_order_breaks_no_rule(name: str) -> None:
    seen = called(VIRTUOUS[name])
    assert {rule: found for rule in RULES if rule != "result-type" and (found := broken(rule, seen))} == {}
