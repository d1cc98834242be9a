"""Tests for `store/cache` and `snapshots`: the one text that is read of the cache, and what it says."""

from __future__ import annotations

import json
import pathlib
from contextlib import closing
from typing import Any

import pytest

from evalkit.contracts.scriba.nouns import StoreUnreadable
from evalkit.contracts.scriba.snapshots import (
    Credit,
    GrantNotes,
    Line,
    Provenance,
    SnapshotProvider,
    Status,
    decode_grant_notes,
    decode_status,
)
from evalkit.contracts.scriba.store.cache import FILE, read_status
from evalkit.contracts.scriba.store.opening import open_cache
from tests.contracts.scriba.small_files import Files, run


def status_of(files: Files) -> str | None:
    with closing(open_cache(str(files.cache))) as connection:
        return read_status(connection)


def test_only_the_snapshot_named_status_is_read(tmp_path: pathlib.Path) -> None:
    files = Files(tmp_path).make_cache("the text")
    run(files.cache, "INSERT INTO snapshots VALUES ('a', 'another', ''), ('z', 'another', '')")
    assert status_of(files) == "the text"


def test_a_cache_without_a_snapshot_is_no_failure(tmp_path: pathlib.Path) -> None:
    assert status_of(Files(tmp_path).make_cache()) is None


def test_a_cache_without_its_table_cannot_be_read(tmp_path: pathlib.Path) -> None:
    files = Files(tmp_path).make_cache()
    run(files.cache, "DROP TABLE snapshots")
    with pytest.raises(StoreUnreadable):
        status_of(files)


def test_a_snapshot_that_is_no_text_cannot_be_read(tmp_path: pathlib.Path) -> None:
    files = Files(tmp_path).make_cache("x")
    run(files.cache, "UPDATE snapshots SET json = x'7b7d'")
    with pytest.raises(StoreUnreadable):
        status_of(files)


def test_the_cache_file_has_the_name_of_the_specification() -> None:
    assert FILE == "scriba.sqlite"


def test_a_whole_snapshot_is_decoded() -> None:
    text = """{"schemaVersion": "scriba.v1", "generatedAt": "G", "more": [1], "providers": [
        {"providerId": "claude", "displayName": "Claude", "state": "ok", "plan": "CANARY",
         "provenance": [{"kind": "provider-api", "providerId": "claude", "fetchedAt": "F", "stale": true,
                         "error": "CANARY", "cacheAgeMs": 5}],
         "lines": [{"type": "progress", "label": "5h limit", "value": 2, "format": "percent", "used": 20,
                    "limit": 100, "resetsAt": "R", "periodDurationMs": 18000000, "text": "CANARY",
                    "provenance": [{"kind": "cache"}]}]}]}"""
    own = Provenance("provider-api", "claude", "F", True, "CANARY")
    cached = Provenance("cache", "", "", False, "")
    line = Line("progress", "5h limit", 2, 20.0, "R", 18_000_000, (cached,))
    assert decode_status(text) == Status("G", (SnapshotProvider("claude", (line,), (own,)),))


def test_what_is_absent_or_null_is_nothing() -> None:
    nothing = SnapshotProvider("", (), ())
    assert decode_status("{}") == Status("", ())
    assert decode_status('{"generatedAt": null, "providers": [null, {}]}') == Status("", (nothing, nothing))
    lines = '{"providers": [{"lines": [{"used": null, "periodDurationMs": null, "provenance": null}]}]}'
    assert decode_status(lines).providers[0].lines == (Line("", "", None, None, "", None, ()),)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "7", "NaN", '{"x": Infinity}', "[" * 100_000, '{"x": ' + "9" * 5000 + "}"),
        '{"generatedAt": 7}',
        '{"providers": {}}',
        '{"providers": [7]}',
        '{"providers": [[]]}',
        '{"providers": [{"providerId": 7}]}',
        '{"providers": [{"lines": {}}]}',
        '{"providers": [{"provenance": [{"stale": "yes"}]}]}',
        '{"providers": [{"provenance": [{"error": {}}]}]}',
    ],
)
def test_what_is_no_snapshot_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says stays inside
        decode_status(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("used", "20"), ("used", True), ("used", 10**400), ("used", [])),
        *(("periodDurationMs", 1.5), ("periodDurationMs", True), ("periodDurationMs", 2**63)),
        *(("label", 5), ("type", {}), ("resetsAt", 0)),
    ],
)
def test_a_line_with_a_member_of_another_type_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode_status(json.dumps({"providers": [{"lines": [{name: value}]}]}))


def test_a_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode_status('{"providers": [{"lines": [{"used": 1e400}]}]}')


def test_of_an_observation_only_lines_and_credits_are_decoded() -> None:
    text = """{"account": "CANARY", "lines": [{"label": "Reset grants", "value": 1}], "resetCredits": [
        {"id": "CANARY", "status": "available", "title": "CANARY", "expiresAt": "E"}, null]}"""
    line = Line("", "Reset grants", 1, None, "", None, ())
    assert decode_grant_notes(text) == GrantNotes((line,), (Credit("available", "E"), Credit("", "")))
    assert decode_grant_notes("{}") == GrantNotes((), ())
    with pytest.raises(ValueError):  # noqa: PT011
        decode_grant_notes('{"resetCredits": [{"status": 1}]}')
