"""`evalkit schema`: valid JSON Schemas, which the shipped suites and all reports keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from evalkit.text import read_document
from tests.commands.door import ROOT, Json, echo, forked, said

SUITES = sorted((ROOT / "suites").glob("*/*.yaml"))


def printed(what: str, folder: Path) -> Json:
    ran = forked(folder, "schema", what)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


@pytest.mark.parametrize("what", ["suite", "report"])
def test_a_schema_is_a_valid_one(what: str, tmp_path: Path) -> None:
    schema = printed(what, tmp_path)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_the_shipped_suites_are_valid_under_the_schema_of_suites(tmp_path: Path) -> None:
    validator = Draft202012Validator(printed("suite", tmp_path))
    assert SUITES
    for path in SUITES:
        assert [error.message for error in validator.iter_errors(read_document(path, path.name).data)] == []


def test_a_misspelt_key_is_seen_by_an_editor_too(tmp_path: Path) -> None:
    validator = Draft202012Validator(printed("suite", tmp_path))
    assert validator.is_valid(json.loads(echo(said("one"))))
    assert not validator.is_valid(json.loads(echo(said("one", expct={}))))
    assert not validator.is_valid(json.loads(echo(said("one", expect={"isError": "no"}))))


def test_the_schema_that_the_shipped_suites_point_to_is_current(tmp_path: Path) -> None:
    kept = (ROOT / "suites/suite.schema.json").read_text(encoding="utf-8")
    assert kept == forked(tmp_path, "schema", "suite").out, "run `make reference`"
    for path in SUITES:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first == "# yaml-language-server: $schema=../suite.schema.json", path.name
        assert (path.parent / "../suite.schema.json").is_file()


def test_a_schema_beside_suites_is_taken_for_none(tmp_path: Path) -> None:
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "suite.schema.json").write_text("{}", encoding="utf-8")
    (suites / "s.json").write_text(echo(said("one")), encoding="utf-8")
    assert forked(tmp_path, "list", "suites").out == "suites/s.json\n"


def test_a_slip_is_told_with_the_nearest(tmp_path: Path) -> None:
    ran = forked(tmp_path, "schema", "suites")
    assert (ran.code, "did you mean 'suite'?" in ran.err) == (2, True)
