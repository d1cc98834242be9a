"""The report as JSON text."""

from __future__ import annotations

import json
from typing import cast

from evalkit.reporters.json import render
from tests.reporters.reports import case, finding, report, usage_error

SURROGATE = chr(0xD800)


def test_it_is_indented_by_two_in_the_reports_own_order_with_a_final_newline() -> None:
    assert render(usage_error()) == (
        "{\n"
        '  "kind": "evalkit-report",\n'
        '  "reportVersion": 1,\n'
        '  "passed": false,\n'
        '  "error": "--jobs takes a positive integer",\n'
        '  "errors": []\n'
        "}\n"
    )


def test_characters_that_can_be_seen_are_kept() -> None:
    assert '"title": "é値😀"' in render(report([case(title="é値😀")]))


def test_lone_surrogates_are_escaped_and_come_back() -> None:
    document = report([case(title=f"é{SURROGATE}")])
    assert '"title": "é\\ud800"' in render(document)
    assert json.loads(render(document)) == document


def test_delete_and_c1_controls_are_escaped_and_come_back() -> None:
    for mark, escape in (("\x7f", "\\u007f"), ("\x9b", "\\u009b"), ("\x1b", "\\u001b")):
        document = report([case(title=f"é{mark}")])
        assert f'"title": "é{escape}"' in render(document)
        assert json.loads(render(document)) == document


def test_what_json_has_no_number_for_is_null_with_or_without_surrogates() -> None:
    for title in ("plain", SURROGATE):
        document = report([case("fail", title=title)])
        cast("dict[str, object]", document["cases"][0]["findings"][0])["actual"] = float("nan")
        assert json.loads(render(document))["cases"][0]["findings"][0]["actual"] is None


def test_integers_of_any_size_are_exact() -> None:
    large = 2**70 + 1
    assert f'"actual": {large}' in render(report([case("fail", findings=[finding(actual=large)])]))
