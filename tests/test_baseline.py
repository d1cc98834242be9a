"""What is known may occur, what is new fails, and what is gone is told."""

from __future__ import annotations

from collections import Counter

import pytest

from evalkit.baseline import gone, held, of_report
from evalkit.model import CaseResult, Finding

AT_A = Finding("differs", "it differs", "output.a")
AT_B = Finding("differs", "it differs", "output.b")
LEAK = Finding("secret-leaked", "a secret came back", "output.a")
LOST = ("connection-failed", "it broke off")


def known(*keys: tuple[str, str]) -> Counter[tuple[str, str]]:
    return Counter(keys)


A = ("differs", "output.a")
B = ("differs", "output.b")


def codes(result: CaseResult) -> list[tuple[str, str]]:
    return [(finding.code, finding.path) for finding in result.findings]


def test_what_is_known_is_no_failure() -> None:
    result = held(CaseResult(findings=(AT_A,)), known(A))
    assert (result.status, result.skip) == ("skip", ("expected-failure", "known: it stands in the baseline"))


def test_what_is_new_fails_alone() -> None:
    result = held(CaseResult(findings=(AT_A, AT_B)), known(A))
    assert codes(result) == [B]
    assert result.note == "1 more known to the baseline"


def test_the_same_finding_twice_is_known_once() -> None:
    result = held(CaseResult(findings=(AT_A, AT_A)), known(A))
    assert codes(result) == [A]


@pytest.mark.parametrize("findings", [(), (AT_A,)])
def test_what_does_not_occur_any_more_fails(findings: tuple[Finding, ...]) -> None:
    result = held(CaseResult(findings=findings), known(*[A] * len(findings), B))
    assert codes(result) == [("baseline-stale", "output.b")]


def test_a_leak_is_never_known() -> None:
    result = held(CaseResult(findings=(LEAK,)), known(("secret-leaked", "output.a")))
    assert result.leaked
    assert result.status == "fail"


def test_an_error_is_known_by_its_code() -> None:
    assert held(CaseResult(error=LOST), known(("connection-failed", ""))).status == "skip"
    assert held(CaseResult(error=LOST), known(("timeout", ""))).status == "error"
    other = held(CaseResult(findings=(AT_A,), error=LOST), known(("connection-failed", "")))
    assert (other.status, codes(other)) == ("fail", [A])


def test_a_skip_shows_nothing_and_stays() -> None:
    skipped = CaseResult(skip=("capability", "no fixtures"))
    assert held(skipped, known(A)) == skipped


def test_a_case_that_nothing_is_known_of_stays() -> None:
    assert held(CaseResult(), known()) == CaseResult()
    assert held(CaseResult(findings=(AT_A,)), known()) == CaseResult(findings=(AT_A,))


def test_a_report_tells_what_is_known() -> None:
    failed = {"code": "differs", "path": "output.a"}
    cases = [
        {"suite": "s", "id": "good", "findings": []},
        {"suite": "s", "id": "bad", "findings": [failed, failed, {"code": "noise"}]},
        {"suite": "s", "id": "lost", "findings": [], "errorCode": "timeout"},
    ]
    found = of_report({"cases": cases})
    assert found == {
        ("s", "bad"): Counter({A: 2, ("noise", ""): 1}),
        ("s", "lost"): Counter({("timeout", ""): 1}),
    }
    assert gone(found, [("s", "bad"), ("s", "good")]) == [("s", "lost")]
