"""Two reports -> which promises are not kept, or not shown, any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.changes._nouns import Change
from evalkit.model import Json, Report

_BROKEN: Final = ("fail", "error")


def between_reports(old: Report, new: Report) -> Iterator[Change]:
    """Every case that became worse or better, is gone or new. What nobody checks any more is broken."""
    before, after = _cases(old), _cases(new)
    for key in sorted(before.keys() - after.keys()):
        told = f"the case is gone; it was {before[key]['status']}"
        yield Change("breaking", "case-removed", _named(key), told, before[key]["status"])
    for key, case in after.items():
        if key not in before:
            yield _added(key, case)
        else:
            yield from _of_case(_named(key), before[key], case)


def _added(key: tuple[str, str], case: Mapping[str, Json]) -> Change:
    broken = case["status"] in _BROKEN
    told = f"the case is new, and {case['status']}"
    return Change("breaking" if broken else "addition", "case-added", _named(key), told, ..., case["status"])


def _of_case(path: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[Change]:
    was, now = old["status"], new["status"]
    if now in _BROKEN and was not in _BROKEN:
        yield Change("breaking", "case-broken", path, f"it was {was}, and is {now}", was, now)
    elif now == "skip" and was != "skip":
        yield Change("breaking", "case-skipped", path, f"it was {was}, and is skipped", was, now)
    elif now == "pass" and was != "pass":
        yield Change("addition", "case-mended", path, f"it was {was}, and passes", was, now)
    elif now in _BROKEN:
        for code in sorted(_codes(new) - _codes(old)):
            yield Change("breaking", "finding-added", path, f"it has the finding {code} now", ..., code)
        for code in sorted(_codes(old) - _codes(new)):
            yield Change("addition", "finding-gone", path, f"it has no finding {code} any more", code)


def _cases(report: Report) -> dict[tuple[str, str], Mapping[str, Json]]:
    return {(case["suite"], case["id"]): case for case in report["cases"]}


def _named(key: tuple[str, str]) -> str:
    return "::".join(key)


def _codes(case: Mapping[str, Json]) -> set[str]:
    found = {finding["code"] for finding in case["findings"]}
    return found | {case["errorCode"]} if "errorCode" in case else found
