"""A promise that is not kept, or not shown, any more is a breaking change."""

from __future__ import annotations

from typing import Any

import pytest

from evalkit.changes import between_reports


def case(status: str, *codes: str, name: str = "a") -> dict[str, Any]:
    return {"suite": "s", "id": name, "status": status, "findings": [{"code": code} for code in codes]}


def told(old: list[Any], new: list[Any]) -> list[tuple[str, str, str]]:
    found = between_reports({"cases": old}, {"cases": new})
    return [(one.level, one.code, one.path) for one in found]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (case("pass"), case("fail", "x"), ("breaking", "case-broken")),
        (case("pass"), case("error"), ("breaking", "case-broken")),
        (case("skip"), case("fail", "x"), ("breaking", "case-broken")),
        (case("pass"), case("skip"), ("breaking", "case-skipped")),
        (case("fail", "x"), case("skip"), ("breaking", "case-skipped")),
        (case("fail", "x"), case("pass"), ("addition", "case-mended")),
        (case("skip"), case("pass"), ("addition", "case-mended")),
        (case("fail", "x"), case("fail", "x", "y"), ("breaking", "finding-added")),
        (case("fail", "x", "y"), case("fail", "x"), ("addition", "finding-gone")),
    ],
)
def test_a_case_that_became_worse_breaks(old: Any, new: Any, wanted: tuple[str, str]) -> None:
    assert told([old], [new]) == [(*wanted, "s::a")]


def test_a_case_that_stayed_is_no_change() -> None:
    assert (
        told([case("pass"), case("fail", "x", name="b")], [case("pass"), case("fail", "x", name="b")]) == []
    )


def test_a_case_that_is_gone_breaks_and_a_new_one_does_not() -> None:
    assert told([case("pass")], [case("pass", name="b")]) == [
        ("breaking", "case-removed", "s::a"),
        ("addition", "case-added", "s::b"),
    ]


def test_a_new_case_that_fails_breaks() -> None:
    assert told([], [case("fail", "x")]) == [("breaking", "case-added", "s::a")]
