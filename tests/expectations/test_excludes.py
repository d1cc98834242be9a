"""Texts that must not come back, wherever and however they are spelled."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import pytest

from evalkit import expectations
from evalkit.model import Finding, Json

Judge = Callable[..., list[Finding]]

TEXT: Final = "alice@example.com"
WINDOWS: Final = 'C:\\Users\\bob\\"x"\n'


def everywhere(text: str) -> dict[str, Json]:
    """Roots that hold the text in their output and nowhere else."""
    output = {"items": [{"title": "Workspace", "summary": text}]}
    return {"manifest": {"tools": []}, "toolResult": {"structuredContent": output}, "output": output}


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        (f"mail {TEXT}.", TEXT),
        (TEXT.upper(), TEXT),
        (quote(TEXT, safe=""), TEXT),
        (TEXT.encode().hex(), TEXT),
        (base64.b64encode(b"x" + TEXT.encode()).decode(), TEXT),
        (WINDOWS, WINDOWS),
        (json.dumps(WINDOWS), WINDOWS),
        ("call 555-123-4567", "5551234567"),
    ],
)
def test_a_text_is_found_in_every_spelling(judge: Judge, spelled: str, text: str) -> None:
    (finding,) = judge("excludes", [text], everywhere(spelled))
    assert (finding.code, finding.path, finding.at) == ("text-found", "output.items.0.summary", (0,))
    assert "once" in finding.message


@pytest.mark.parametrize(
    "roots",
    [
        {"manifest": {"tools": [{"description": TEXT}]}},
        {"output": {TEXT: 1}},
        {"toolResult": {"content": [{"type": "text", "text": TEXT}]}},
        {"toolResult": {"isError": True, "_meta": {"trace": [TEXT]}}},
        {"response": {"headers": {"x-user": TEXT}}},
        {"rpc": {"error": {"data": TEXT}}},
        {"notifications": [{"params": {"data": TEXT}}]},
        {"events": [{"data": TEXT}]},
        {"process": {"stderr": TEXT}},
        {"a root of tomorrow": TEXT},
    ],
)
def test_a_text_is_found_in_everything_that_came_back(judge: Judge, roots: Json) -> None:
    assert [finding.code for finding in judge("excludes", [TEXT, "nowhere"], roots)] == ["text-found"]


def test_a_text_is_found_in_raw_bytes(judge: Judge) -> None:
    (finding,) = judge("excludes", [TEXT], {"process": {}}, raw=(b"{}", b"\xff" + TEXT.encode()))
    assert finding.path == "raw.1"


def test_what_the_harness_noted_is_not_searched(judge: Judge) -> None:
    roots = {"sources": {TEXT: {"calls": 1}}, "effects": [TEXT], "process": {"stdout": ""}}
    assert judge("excludes", [TEXT], roots) == []


def test_a_clean_answer_gives_no_finding(judge: Judge) -> None:
    assert (
        judge("excludes", [TEXT, WINDOWS, "/Users/alice"], everywhere("Active workspace with 3 task(s)."))
        == []
    )


def test_each_text_gives_one_finding_with_all_its_places(judge: Judge) -> None:
    roots = everywhere(f"{TEXT} and bob")
    roots["toolResult"]["content"] = [{"type": "text", "text": json.dumps(roots["output"])}]
    first, second = judge("excludes", [TEXT, "nowhere", "bob"], roots)
    assert (first.at, second.at) == ((0,), (2,))
    assert "in 2 places" in first.message
    assert "output.items.0.summary" in first.message
    assert "toolResult.content.0.text" in first.message


def test_the_repeated_output_of_a_result_counts_once(judge: Judge) -> None:
    (finding,) = judge("excludes", [TEXT], everywhere(TEXT))
    assert "once" in finding.message


def test_another_structure_beside_the_output_is_searched(judge: Judge) -> None:
    roots = {"output": {}, "toolResult": {"structuredContent": {"a": TEXT}}}
    (finding,) = judge("excludes", [TEXT], roots)
    assert finding.path == "toolResult.structuredContent.a"


def test_more_than_five_places_are_counted(judge: Judge) -> None:
    (finding,) = judge("excludes", [TEXT], {"output": [TEXT] * 7})
    assert "in 7 places" in finding.message
    assert finding.message.endswith("output.4 (plain) and 2 more")
    (finding,) = judge("excludes", [TEXT], {"output": [TEXT] * 5})
    assert finding.message.endswith("output.4 (plain)")


def test_the_text_around_is_shown(judge: Judge) -> None:
    (finding,) = judge("excludes", ["/Users/alice"], everywhere("at 192.0.2.10 from /Users/alice/example."))
    assert finding.actual == "at 192.0.2.10 from /Users/alice/example."


def test_a_long_text_is_shown_in_part(judge: Judge) -> None:
    (finding,) = judge("excludes", [TEXT], {"output": "x" * 500 + f" {TEXT} " + "y" * 500})
    assert f" {TEXT} " in finding.actual
    assert len(finding.actual) < 200


def test_a_key_is_shown_by_itself_and_not_by_its_value(judge: Judge) -> None:
    (finding,) = judge("excludes", [TEXT], {"output": {TEXT: "private"}})
    assert "private" not in str(finding.actual)


def test_a_manifest_that_changed_is_searched_again(judge: Judge) -> None:
    manifest: dict[str, Any] = {"tools": [{"description": "clean"}]}
    assert judge("excludes", [TEXT], {"manifest": manifest}) == []
    manifest["tools"][0]["description"] = TEXT
    assert len(judge("excludes", [TEXT], {"manifest": manifest})) == 1
    assert len(judge("excludes", ["nowhere", TEXT], {"manifest": manifest})) == 1


def test_where_nothing_came_back_nothing_is_proved(judge: Judge) -> None:
    (finding,) = judge("excludes", [TEXT], {"sources": {}, "effects": []})
    assert finding.code == "nothing-came-back"


def test_every_code_of_the_word_is_shown_broken() -> None:
    assert expectations.find("excludes").CODES.keys() == {"text-found", "nothing-came-back"}


def test_excludes_decoded(judge: Judge) -> None:
    """Row excludes-decoded: what JSON escapes is found in what it says, not in how it is written."""
    label = 'say "hi" in C:\\Users\\bob'
    texts = ['say "hi"', "C:\\Users\\bob"]
    found = judge("excludes", texts, everywhere(label))
    assert [finding.at for finding in found] == [(0,), (1,)]
    assert not judge("excludes", texts, everywhere("say hi in C:/Users/eve"))
