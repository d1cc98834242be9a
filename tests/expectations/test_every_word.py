"""What holds for every word: it is found lazily, explains itself, refuses wrong shapes, and never raises."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalkit import expectations
from evalkit.errors import CapabilityMissing
from evalkit.model import Finding, Json

Judge = Callable[..., list[Finding]]

ROOT: Final = Path(__file__).parents[2]
OPERATIONS: Final = {"manifest", "tool", "resource", "prompt", "complete", "rpc", "http", "sse", "cli"}
WRONG: Final[dict[str, list[Json]]] = {
    "isError": ["true", 1, None, []],
    "inputSchemaValid": ["true", None],
    "outputSchemaValid": ["true", None],
    "contentParity": ["exact", None],
    "advertisedToolsCovered": [False, 1, "true"],
    "readOnlyTools": [False, [], "search", [1]],
    "annotations": [True, {}, {"a": {}}, {"a": {"readOnly": True}}, {"a": {"readOnlyHint": "true"}}],
    "withinBudgets": [False, 1],
    "budget": [{}, {"char": 1}, {"chars": -1}, {"chars": 1.5}, {"tokens": "5"}, 5],
    "equals": [
        {},
        [],
        [{"path": "a"}],
        [{"path": "a", "value": 1, "x": 2}],
        ["a"],
        "a",
        {"": 1},
        [{"path": "", "value": 1}],
    ],
    "differs": [{}, [{"path": "a"}], True],
    "subset": [{}, [{"value": 1}]],
    "contains": [{}, [{"path": "a"}], "text"],
    "lacks": [{}, [{"path": "a"}]],
    "matches": [{"a": 1}, {"a": ""}, [{"path": "a", "value": None}]],
    "type": [{"a": "text"}, {"a": []}, {"a": None}, {"a": ["string", "string"]}],
    "oneOf": [{"a": []}, {"a": "x"}],
    "range": [{"a": {}}, {"a": 1}, {"a": {"min": "1"}}, {"a": {"from": 1}}],
    "count": [{"a": -1}, {"a": 1.5}, {"a": {}}, {"a": {"max": -1}}],
    "unique": [[], [""], {"a": True}, {"a": {}}, {"a": {"by": ""}}, {"a": {"by": "$.x"}}, [1]],
    "sorted": [[], {"a": {}}, {"a": {"order": "up"}}, {"a": "descending"}],
    "present": [[], "a", {"a": 1}, [{"path": "a", "value": 1}], [""]],
    "absent": [[], "a", {"a": 1}],
    "excludes": [[], [""], "a", [1]],
    "absentKeys": [[], "a", [1]],
    "maxItems": [{"a": -1}, {"a": 1.5}, [{"path": "a"}], {"a": "1"}],
    "maxChars": [{"a": -1}, {"a": True}],
    "schema": [{"a": "object"}, {"a": None}, {}],
    "status": [99, "200", [], [600], 200.5],
    "headers": [{}, {"a": 1}, {"a": None}, {"a": {}}, {"a": {"is": "x"}}, ["a"]],
    "exitCode": ["0", [], None],
    "rpcError": ["-32602", [], {}, {"code": "x"}, {"text": "x"}, None],
    "sameAs": [{}, {"output": 1}, {"output": "$.steps.a"}, {"$.output": "steps.a"}, {"ignoring": "a"}, []],
    "parity": [
        {},
        {"over": []},
        {"over": ["tcp"]},
        {"over": ["mcp", "mcp"]},
        {"over": ["mcp"], "ignore": []},
        True,
    ],
    "repeatable": [0, True, "2", 1.5],
    "unchanged": [False, [], [""], "a"],
    "noSourceReads": [False, 1],
    "follows": ["tool-names-unique", [], [1], [""], ["a", "a"], {}, True],
}


@cache
def examples(word: str) -> list[Json]:
    """What the word's documentation says that a suite may write after it."""
    found = []
    text = expectations.find(word).__doc__ or ""
    for block in re.split(r"\n\n(?=expect:|steps:)", text)[1:]:
        data = yaml.safe_load(block)
        for step in data.get("steps", [data]):
            if word in step["expect"]:
                found.append(step["expect"][word])
    return found


def test_each_file_is_a_row_and_each_row_a_file() -> None:
    files = {path.stem for path in (ROOT / "evalkit/expectations").glob("*.py") if path.stem[0] != "_"}
    assert files == set(expectations.WORDS) == set(expectations.WORDS.values()) == set(WRONG)


def test_an_unknown_word_is_no_word() -> None:
    with pytest.raises(KeyError):
        expectations.find("equal")


def test_no_word_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys; from evalkit import expectations as e; e.find('equals'); "
        "print(*sorted(n for n in sys.modules if n.startswith('evalkit.expectations.') and '._' not in n))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["evalkit.expectations.equals"]


@pytest.mark.parametrize("word", expectations.WORDS)
def test_a_word_explains_itself_with_examples_that_a_suite_may_write(word: str) -> None:
    first, blank, *_ = (expectations.find(word).__doc__ or "").splitlines()
    assert first.endswith(".")
    assert blank == ""
    wanted = examples(word)
    assert wanted
    validator = jsonschema_rs.Draft202012Validator(expectations.find(word).SCHEMA)
    assert [each for each in wanted if not validator.is_valid(each)] == []
    assert "description" in expectations.find(word).SCHEMA


@pytest.mark.parametrize("word", expectations.WORDS)
def test_a_wanted_value_of_the_wrong_shape_is_refused(word: str) -> None:
    schema = expectations.find(word).SCHEMA
    jsonschema_rs.meta.validate(schema | {"$schema": "https://json-schema.org/draft/2020-12/schema"})
    validator = jsonschema_rs.Draft202012Validator(schema)
    assert [wrong for wrong in WRONG[word] if validator.is_valid(wrong)] == []


@pytest.mark.parametrize("word", expectations.WORDS)
def test_a_word_can_be_asked_of_known_operations_only(word: str) -> None:
    operations = getattr(expectations.find(word), "OPERATIONS", OPERATIONS)
    assert operations
    assert operations <= OPERATIONS


def test_a_code_means_the_same_wherever_it_stands() -> None:
    meanings: dict[str, set[str]] = {}
    for word in expectations.WORDS:
        for code, meaning in expectations.find(word).CODES.items():
            assert re.fullmatch("[a-z]+(-[a-z0-9]+)+", code)
            assert meaning.endswith(".")
            meanings.setdefault(code, set()).add(meaning)
    assert [code for code, told in meanings.items() if len(told) > 1] == []


@pytest.mark.parametrize(
    "word", [w for w in expectations.WORDS if w in {"equals", "present", "schema", "unique"}]
)
def test_paths_are_told_in_every_way_of_writing(word: str) -> None:
    paths: Any = expectations.find(word).paths  # type: ignore[attr-defined]
    assert list(paths(["output.a", "$.output.b"])) == ["output.a", "$.output.b"]
    assert list(paths({"output.a": {}, "$.output.b": {}})) == ["output.a", "$.output.b"]
    assert list(paths([{"path": "output.a", "value": 1}])) == ["output.a"]


# fmt: off
KEYS: Final = [
    "tools", "name", "inputSchema", "outputSchema", "annotations", "limits", "maxResponseChars",
    "maxApproxTokens", "readOnlyHint", "content", "type", "text", "isError", "structuredContent", "items",
    "ref", "total", "status", "headers", "body", "error", "code", "message", "result", "exitCode", "stdout",
    "properties", "pattern", "$ref", "allow",
]
# fmt: on
SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["list", "object", "text", "{}", "[1]", "\ud800", "a\u0000b"]),
)
ODD: Final = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
TOOLS: Final = st.lists(
    st.one_of(ODD, st.fixed_dictionaries({"name": st.just("list"), "inputSchema": ODD, "outputSchema": ODD})),
    max_size=2,
)
ROOTS: Final = st.fixed_dictionaries(
    {},
    optional={
        "manifest": st.one_of(ODD, st.fixed_dictionaries({"tools": TOOLS, "limits": ODD})),
        "toolResult": st.one_of(ODD, st.fixed_dictionaries({"content": ODD, "isError": ODD})),
        **dict.fromkeys(["output", "response", "rpc", "notifications", "events", "process"], ODD),
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    roots=ROOTS,
    again=ROOTS,
    args=ODD,
    operation=st.sampled_from(sorted(OPERATIONS)),
    raw=st.binary(max_size=9),
)
def test_no_word_raises_whatever_came_back(
    judge: Judge, roots: Json, again: Json, args: Json, operation: str, raw: bytes
) -> None:
    for word in expectations.WORDS:
        for wanted in examples(word):
            runs = [[again] * wanted] if word == "repeatable" else [[again]] * 3
            try:
                found = judge(
                    word,
                    wanted,
                    roots,
                    operation=operation,
                    words={"args": args},
                    raw=(raw,),
                    earlier={"first": again},
                    calls={"brain": 1},
                    reruns=runs,
                    snapshots=({"workspaces": roots, "brain": 1}, {"workspaces": again}),
                )
            except CapabilityMissing:
                continue
            assert {finding.code for finding in found} <= expectations.find(word).CODES.keys()


@pytest.mark.parametrize("name", ["portos-agent-context-eval.json", "portos-agent-context-eval.v3.json"])
def test_what_another_harness_wrote_may_be_written_here(name: str) -> None:
    path = ROOT / "../shared/corpus" / name
    if not path.exists():
        pytest.skip("the corpus is not here")
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
        for word, wanted in case.get("expect", {}).items():
            assert jsonschema_rs.is_valid(expectations.find(word).SCHEMA, wanted), (case["id"], word)
