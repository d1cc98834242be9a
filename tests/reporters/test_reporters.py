"""What holds for every format, and what the schema of the report allows."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalkit import reporters
from evalkit.model import Json
from evalkit.reporters import FORMATS, find
from tests.reporters.reports import (
    ROOT,
    SCHEMA,
    VALIDATOR,
    case,
    finding,
    mismatch,
    mistake,
    report,
    several,
    usage_error,
)

NASTY = (
    "\x1b[31m",
    "]]>",
    "|",
    "`",
    "\n",
    "\r",
    "\t",
    "\x00",
    "\x7f",
    "\x9b",
    "\ud800",
    "<b>",
    "&amp;",
    "'",
    '"',
    "値",
)
TEXTS = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=4)), min_size=1, max_size=6
).map(lambda parts: "x" + "".join(parts))
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


# ── the table ────────────────────────────────────────────────────────────────────────────────────


def test_every_row_has_its_file_and_every_file_its_row() -> None:
    folder = Path(reporters.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert files == set(FORMATS)
    assert all(callable(find(name).render) for name in FORMATS)


def test_an_unknown_format_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="pdf"):
        find("pdf")


def test_formats_are_imported_on_first_use_only() -> None:
    code = (
        "import sys, evalkit.reporters; print([m for m in sys.modules if m.startswith('evalkit.reporters.')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


# ── every format ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_read_back_from_its_json_renders_alike(name: str) -> None:
    cases = [case("fail"), case("error", suite="echo"), case("skip", suite="echo"), case()]
    for document in (report([case("fail")]), several(cases), usage_error(mistake()), usage_error()):
        again = json.loads(find("json").render(document))
        assert again == document
        assert find(name).render(again) == find(name).render(document)


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_without_cases_renders(name: str) -> None:
    nothing = report([], exit={"code": 5, "name": "nothing-ran"})
    assert "nothing-ran" in find(name).render(nothing)


@pytest.mark.parametrize("name", FORMATS)
def test_rendering_changes_nothing_in_the_report(name: str) -> None:
    document = report([case("fail", findings=[mismatch({"a": [1]}, {"a": [2]})])])
    before = json.dumps(document)
    find(name).render(document)
    assert json.dumps(document) == before


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_text_whatever_breaks_a_format(data: st.DataObject) -> None:
    document = _report_of(lambda: data.draw(TEXTS), lambda: data.draw(VALUES))
    texts = {name: find(name).render(document) for name in FORMATS}
    for text in texts.values():
        assert text.endswith("\n")
        assert text.encode()
        assert not {mark for mark in text if unicodedata.category(mark) in ("Cc", "Cs")} - {"\n", "\t"}
    assert json.loads(texts["json"]) == document
    assert ElementTree.fromstring(texts["junit"].encode()).tag == "testsuites"


def _report_of(text: Callable[[], str], value: Callable[[], Json]) -> dict[str, Json]:
    """A report with drawn texts wherever the schema leaves them free."""
    wrong = finding(message=text(), excerpt=text(), path=text(), actual=value(), expectation=text())
    other = mismatch(value(), value(), origin={"path": text(), "file": text()}, path=text(), column=2)
    suite, shared = text(), {"file": text(), "title": text(), "call": text(), "source": text()}
    cases = [
        case("fail", suite=suite, id=text(), findings=[wrong, other], fixture=text(), **shared),
        case("error", suite=suite, id=text(), error=text(), over=text(), **shared),
        case("skip", suite=suite, id=text(), reason=text(), tags=[text()], **shared),
        case(suite=suite, id=text(), note=text(), **shared),
    ]
    return report(cases, suite=suite, contract=text(), target=text(), rerun=["run", text()])


# ── the schema ───────────────────────────────────────────────────────────────────────────────────


def test_the_schema_is_a_2020_12_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_object_of_the_schema_is_closed() -> None:
    objects = [part for part in SCHEMA["$defs"].values() if part.get("type") == "object"]
    assert len(objects) > 10
    assert all("additionalProperties" in part for part in objects)


def _with(**words: Json) -> dict[str, Json]:
    return {**report([case()]), **words}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(_with(surprise=1), id="an unknown key"),
        pytest.param(_with(passed=False), id="exit 0 that did not pass"),
        pytest.param(_with(complete=False), id="an incomplete run that passed"),
        pytest.param(_with(exit={"code": 1, "name": "threshold-exceeded"}), id="exit 1 that passed"),
        pytest.param(
            _with(exit={"code": 4, "name": "passed"}, passed=False), id="a code with another's name"
        ),
        pytest.param(_with(suites=[]), id="both forms at once"),
        pytest.param(_with(stopReason="tired"), id="an unknown reason to stop"),
        pytest.param(_with(cases=[case("fail", findings=[])]), id="a failure without findings"),
        pytest.param(_with(cases=[case(findings=[finding()])]), id="a pass with findings"),
        pytest.param(_with(cases=[case("pass", error="x", errorCode="y")]), id="a pass with an error"),
        pytest.param(_with(cases=[case("pass", reason="x", skipKind="declared")]), id="a pass with a reason"),
        pytest.param(_with(cases=[{**case(), "status": "error"}]), id="an error without its text"),
        pytest.param(_with(cases=[{**case(), "status": "skip"}]), id="a skip without a reason"),
        pytest.param(_with(cases=[case("fail", findings=[finding(step=0)])]), id="a step counted from 0"),
        pytest.param(_with(cases=[case("fail", findings=[finding(excerpt="x" * 201)])]), id="a long excerpt"),
        pytest.param({**usage_error(), "passed": True}, id="a usage error that passed"),
        pytest.param({**usage_error(), "cases": []}, id="a usage error with cases"),
    ],
)
def test_the_schema_refuses(document: dict[str, Json]) -> None:
    assert not VALIDATOR.is_valid(document)


def test_an_error_beside_a_leak_is_a_failure_that_keeps_its_error() -> None:
    leak = finding(code="secret-leaked", severity="critical", expectation="")
    assert report([case("fail", findings=[leak], errorCode="timeout", error="no answer within 10 s")])
