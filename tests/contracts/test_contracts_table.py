"""A contract's name leads to its module and its fixture schema, and nothing is imported for that."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

from evalkit import contracts
from evalkit.contracts import (
    BUILT_IN,
    Located,
    UnknownContract,
    live_file,
    locate,
    opener,
    schema_file,
    spoken,
)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_shipped_contract_opens_and_has_a_fixture_schema(name: str) -> None:
    located = locate(name)
    assert callable(opener(located))
    file = schema_file(located)
    assert file is not None
    assert json.loads(file.read_text(encoding="utf-8"))["type"] == "object"


def test_the_paths_of_a_live_server_stand_beside_a_contract() -> None:
    found = {name: live_file(locate(name)) for name in BUILT_IN}
    assert [name for name, file in found.items() if file] == ["agent-context"]
    for file in filter(None, found.values()):
        paths = json.loads(file.read_text(encoding="utf-8"))
        assert paths.keys() == {"mcp", "manifest"}
        assert all(path.startswith("/") for path in paths.values())
    own = live_file(locate("python:tests.lending:open_subject"))
    assert own == Path(__file__).parents[1] / "lending.live.json"


def test_a_contract_of_one_s_own_is_a_module_and_a_name() -> None:
    assert locate("python:tests.playing:open_nothing") == Located(
        "python:tests.playing:open_nothing", "tests.playing", "open_nothing"
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ecko", "did you mean 'echo'"),
        ("agent_context", "did you mean 'agent-context'"),
        ("zzz", "known are agent-context, echo"),
        ("python:", "write python:package.module:name"),
        ("python:json", "write python:package.module:name"),
        ("python:json:", "write python:package.module:name"),
        ("python::open", "write python:package.module:name"),
        ("python:no_such_module:open", "there is no module 'no_such_module'"),
        ("python:json.no_such_part:open", "there is no module 'json.no_such_part'"),
    ],
)
def test_an_unknown_name_says_what_is_near_or_how_it_is_written(name: str, told: str) -> None:
    with pytest.raises(UnknownContract) as unknown:
        locate(name)
    assert told in str(unknown.value)


def folder_with(path: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> None:
    for name, text in files.items():
        file = path / name.replace("__", "/").replace("_schema", ".schema.json")
        file = file if file.suffix else file.with_suffix(".py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(path)


def test_a_module_of_the_working_folder_is_found_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_with(tmp_path, monkeypatch, loud="raise SystemExit('imported')", loud_schema="{}")
    located = locate("python:loud:open_subject")
    assert schema_file(located) == tmp_path / "loud.schema.json"
    assert "loud" not in sys.modules


def test_a_schema_may_be_shared_by_a_package_whose_code_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_with(
        tmp_path, monkeypatch, pack____init="", pack__part="raise SystemExit", pack__fixture_schema="{}"
    )
    (tmp_path / "pack/__init__.py").write_text("raise SystemExit('imported')")
    located = locate("python:pack.part:open_subject")
    assert schema_file(located) == tmp_path / "pack/fixture.schema.json"
    (tmp_path / "pack/part.schema.json").write_text("{}")
    assert schema_file(located) == tmp_path / "pack/part.schema.json"


def test_a_contract_without_a_schema_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_with(tmp_path, monkeypatch, bare="")
    assert schema_file(locate("python:bare:open_subject")) is None
    assert schema_file(Located("x", "no.such.module")) is None


def test_an_entry_point_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        importlib.metadata.EntryPoint("weather", "some.where:open_it", contracts.ENTRY_POINTS),
        importlib.metadata.EntryPoint("clock", "some.clock", contracts.ENTRY_POINTS),
    ]
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: points if group == contracts.ENTRY_POINTS else []
    )
    assert locate("weather") == Located("weather", "some.where", "open_it")
    assert locate("clock") == Located("clock", "some.clock", "open_subject")
    with pytest.raises(UnknownContract, match="did you mean 'weather'"):
        locate("wether")
    assert locate("echo").module == "evalkit.contracts.echo"


def test_a_contract_says_how_its_tools_are_called_without_mcp() -> None:
    assert spoken("scriba", "argv_of")("scriba_get_context", {}) == ["context", "--json"]
    assert spoken("scriba", "request_of")("scriba_list_events", {}) is None


def test_a_contract_that_does_not_say_it_says_so_of_every_tool() -> None:
    assert spoken("echo", "argv_of")("echo", {}) is None


def test_what_a_contract_says_of_its_tools_imports_it_only_when_asked() -> None:
    say = spoken("python:nowhere.at_all:opened", "argv_of")
    with pytest.raises(UnknownContract):
        say("any", {})
