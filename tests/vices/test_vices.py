"""An audit finds each vice, and nothing else; of each virtuous variant it finds nothing at all."""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.commands.door import Ran, forked
from tests.vices import http_server
from tests.vices.faults import FAULTS
from tests.vices.virtues import VIRTUES

ROOT: Final = Path(__file__).parents[2]

HOW: Final = ("--jobs", "1", "--case-timeout", "8")

pytestmark = pytest.mark.slow


def audited(name: str) -> Ran:
    command = [sys.executable, "-m", "tests.vices.server", name]
    return forked(ROOT, "audit", f"stdio:{shlex.join(command)}", *HOW)


def found(ran: Ran) -> set[str]:
    """The codes of all findings and errors."""
    cases: list[dict[str, Any]] = ran.report["cases"]
    told = {finding["code"] for case in cases for finding in case["findings"]}
    return told | {case["errorCode"] for case in cases if case["status"] == "error"}


@pytest.mark.parametrize("name", FAULTS)
def test_a_vice_is_found_and_nothing_else(name: str) -> None:
    assert found(audited(name)) == FAULTS[name].found


@pytest.mark.parametrize("name", ["virtuous", *VIRTUES])
def test_a_virtuous_variant_is_clean(name: str) -> None:
    ran = audited(name)
    assert (ran.code, found(ran)) == (0, set())
    assert ran.report["counts"]["pass"] > 30


@contextlib.contextmanager
def over_http(name: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.vices.http_server", name]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("name", http_server.FAULTS)
def test_a_vice_over_http_is_found_and_nothing_else(name: str) -> None:
    with over_http(name) as url:
        assert found(forked(ROOT, "audit", url, *HOW)) == {http_server.FAULTS[name][1]}


@pytest.mark.parametrize("name", http_server.VIRTUES)
def test_a_virtuous_variant_over_http_is_clean(name: str) -> None:
    with over_http(name) as url:
        ran = forked(ROOT, "audit", url, *HOW)
    assert (ran.code, found(ran)) == (0, set())
    assert ran.report["counts"]["pass"] > 30


def test_each_rule_has_a_vice() -> None:
    from evalkit.rules import table  # beside what it is held against

    told = set().union(
        *(row.found for row in FAULTS.values()), {rule for _, rule in http_server.FAULTS.values()}
    )
    assert set(table()) - told == {"initialize-answered"}  # a silence is an error of the case already
