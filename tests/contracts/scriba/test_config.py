"""The configuration: what it may say, what is refused and how, and where everything is (spec 6.1, 8.3)."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from evalkit.contracts.scriba.config import (
    MAX_BYTES,
    Config,
    ConfigInvalid,
    find_paths,
    find_socket,
    parse,
    read,
)
from evalkit.contracts.scriba.nouns import Paths, Profiles

Json = Any

PERSONAL = {"id": "personal", "label": "Mine", "enabled": True, "codexAuthPaths": ["/auth/personal.json"]}
WORK = {"id": "work", "label": "Work", "enabled": True, "codexAuthPaths": ["/auth/work.json"]}
OLD = {"id": "old", "label": "Old", "enabled": False}
TWO = {"schemaVersion": 2, "defaultProfileId": "personal", "profiles": [PERSONAL, WORK, OLD]}


def parsed(config: Json) -> Config:
    return parse(json.dumps(config).encode())


def changed(index: int, **members: Json) -> Json:
    """The profiles of TWO, with one of them changed."""
    profiles = [dict(one) for one in (PERSONAL, WORK, OLD)]
    profiles[index] |= members
    return {"profiles": profiles}


# --- what it says


def test_only_enabled_profiles_can_be_asked_for() -> None:
    assert parsed(TWO).profiles == Profiles(("personal", "work"), "personal")


def test_a_default_that_is_not_the_first_stays_the_default() -> None:
    assert parsed({**TWO, "defaultProfileId": "work"}).profiles.default == "work"


def test_every_member_that_is_read_is_read() -> None:
    server = {
        "statePath": "/state.sqlite",
        "observationRetentionDays": 7,
        "contextAPI": {"enabled": True, "socketPath": "/run/context.sock"},
    }
    assert parsed({**TWO, "cacheDir": "/cache", "server": server}) == Config(
        Profiles(("personal", "work"), "personal"), "/cache", "/state.sqlite", True, "/run/context.sock", 7
    )


def test_what_is_not_said_is_off_or_as_usual() -> None:
    assert parsed(TWO)[1:] == ("", "", False, "", 120)
    assert parsed({**TWO, "server": None, "cacheDir": None, "telegram": {"chat": 1}})[1:] == (
        *("", "", False, "", 120),
    )


@pytest.mark.parametrize("version", [{}, {"schemaVersion": 0}, {"schemaVersion": 1}, {"schemaVersion": None}])
def test_a_legacy_file_has_one_profile_and_never_serves(version: Json) -> None:
    # CL11
    legacy = {
        **version,
        "server": {"accountLabel": "Me", "contextAPI": {"enabled": True}},
        "profiles": "whatever",
    }
    assert parsed(legacy) == Config(Profiles(("default",), "default"), is_served=False)


def test_the_longest_id_and_a_shared_folder_are_no_mistake() -> None:
    name = "a" * 32
    config = {**TWO, "defaultProfileId": name, **changed(0, id=name, codexAuthPaths=["/auth/a", "/auth/./a"])}
    assert parsed(config).profiles.default == name


# --- what is refused


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"schemaVersion": 3}, "unsupported config schemaVersion"),
        ({"schemaVersion": -1}, "unsupported config schemaVersion"),
        ({"schemaVersion": "2"}, "schemaVersion must be an integer"),
        ({"schemaVersion": 2.0}, "schemaVersion must be an integer"),
        ({"schemaVersion": True}, "schemaVersion must be an integer"),
        ({"profiles": None}, "profiles must hold at least one"),
        ({"profiles": []}, "profiles must hold at least one"),
        ({"profiles": {}}, "profiles must be an array"),
        ({"profiles": ["personal"]}, "profiles[0] must be an object"),
        (changed(1, id="personal"), "profiles[1].id repeats profiles[0].id"),
        (changed(0, id="Personal"), "profiles[0].id must be lowercase"),
        (changed(0, id="a--b"), "profiles[0].id must be lowercase"),
        (changed(0, id="-a"), "profiles[0].id must be lowercase"),
        (changed(0, id="a\n"), "profiles[0].id must be lowercase"),
        (changed(0, id="é"), "profiles[0].id must be lowercase"),
        (changed(0, id=""), "profiles[0].id must be lowercase"),
        (changed(0, id="a" * 33), "profiles[0].id must be lowercase"),
        (changed(0, id=7), "profiles[0].id must be a string"),
        (changed(1, label=" \t"), "profiles[1].label must not be blank"),
        (changed(1, label=None), "profiles[1].label must not be blank"),
        (changed(1, enabled="yes"), "profiles[1].enabled must be true or false"),
        (changed(1, codexAuthPaths=[]), "profiles[1].codexAuthPaths must hold a path"),
        (changed(1, codexAuthPaths=None), "profiles[1].codexAuthPaths must hold a path"),
        (changed(1, codexAuthPaths="/auth"), "profiles[1].codexAuthPaths must be an array"),
        (changed(1, codexAuthPaths=["auth.json"]), "profiles[1].codexAuthPaths must hold absolute paths"),
        (changed(2, codexAuthPaths=["auth.json"]), "profiles[2].codexAuthPaths must hold absolute paths"),
        (changed(1, codexAuthPaths=[""]), "profiles[1].codexAuthPaths must hold absolute paths"),
        (changed(1, codexAuthPaths=[1]), "profiles[1].codexAuthPaths must hold absolute paths"),
        (
            changed(1, codexAuthPaths=["//auth/x/../personal.json"]),
            "profiles[1].codexAuthPaths repeats profiles[0].codexAuthPaths",
        ),
        (
            changed(2, codexAuthPaths=["/auth/work.json/"]),
            "profiles[2].codexAuthPaths repeats profiles[1].codexAuthPaths",
        ),
        ({"profiles": [OLD], "defaultProfileId": "old"}, "profiles must hold an enabled one"),
        ({"defaultProfileId": "old"}, "defaultProfileId must name an enabled profile"),
        ({"defaultProfileId": "nobody"}, "defaultProfileId must name an enabled profile"),
        ({"defaultProfileId": ""}, "defaultProfileId must name an enabled profile"),
        ({"defaultProfileId": None}, "defaultProfileId must name an enabled profile"),
        ({"defaultProfileId": 1}, "defaultProfileId must be a string"),
        ({"cacheDir": 1}, "cacheDir must be a string"),
        ({"server": []}, "server must be an object"),
        ({"server": {"statePath": 1}}, "server.statePath must be a string"),
        ({"server": {"accountLabel": 1}}, "server.accountLabel must be a string"),
        (
            {"server": {"observationRetentionDays": 0}},
            "server.observationRetentionDays must be positive",
        ),
        (
            {"server": {"observationRetentionDays": True}},
            "server.observationRetentionDays must be an integer",
        ),
        ({"server": {"contextAPI": True}}, "server.contextAPI must be an object"),
        ({"server": {"contextAPI": {"enabled": 1}}}, "server.contextAPI.enabled must be true or false"),
        (
            {"server": {"contextAPI": {"socketPath": "context.sock"}}},
            "server.contextAPI.socketPath must be absolute",  # LS10
        ),
    ],
)
def test_what_is_refused_is_told_by_its_place(members: Json, told: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        parsed({**TWO, **members})
    assert str(caught.value).startswith(told)
    assert "/auth" not in str(caught.value)


def test_a_relative_socket_is_refused_in_a_legacy_file_too() -> None:
    with pytest.raises(ConfigInvalid, match=r"server\.contextAPI\.socketPath must be absolute"):
        parsed({"server": {"contextAPI": {"socketPath": "here"}}})


@pytest.mark.parametrize(
    "data",
    [
        *(
            b"",
            b" ",
            b"{",
            b"{} {}",
            b'{"cacheDir": NaN}',
            b"\xff{}",
            b"\xef\xbb\xbf{}",
            "{}".encode("utf-16"),
        ),
        b"[" * 100_000,
        b'{"schemaVersion": ' + b"1" * 5000 + b"}",
    ],
)
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(ConfigInvalid, match="it is no JSON"):
        parse(data)


@pytest.mark.parametrize("data", [b"[]", b"null", b"2", b'"x"'])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(ConfigInvalid, match="it must be an object"):
        parse(data)


# --- the file


def test_without_a_file_at_the_usual_place_there_is_one_profile(tmp_path: Path) -> None:
    assert read("", {"HOME": str(tmp_path)}) == Config(Profiles(("default",), "default"))


def test_a_file_at_the_usual_place_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / ".config/scriba/config.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(TWO))
    file.chmod(0o400)
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    assert read("", {"HOME": str(tmp_path)}) == parsed(TWO)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert [path.name for path in file.parent.iterdir()] == ["config.json"]


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match=f"config {tmp_path}/none.json: No such file"):
        read(str(tmp_path / "none.json"), {})


def test_a_folder_a_pipe_and_a_socket_are_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="Is a directory"):
        read(str(tmp_path), {})
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigInvalid, match="it is no regular file"):
        read(str(tmp_path / "pipe"), {})
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        with pytest.raises(ConfigInvalid, match="config"):
            read(str(tmp_path / "socket"), {})


def test_a_file_that_never_ends_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(b" " * MAX_BYTES + b"{}")
    with pytest.raises(ConfigInvalid, match="it is too long"):
        read(str(file), {})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.touch(mode=0)
    with pytest.raises(ConfigInvalid, match="Permission denied"):
        read(str(file), {})


def test_a_path_that_no_file_can_have_is_told() -> None:
    with pytest.raises(ConfigInvalid, match="there is no such path"):
        read("a\0b", {})


def test_without_a_home_the_places_must_be_given() -> None:
    for environment in ({}, {"HOME": ""}):
        with pytest.raises(ConfigInvalid, match="HOME is not set"):
            read("", environment)
        with pytest.raises(ConfigInvalid, match="HOME is not set"):
            find_paths(Config(), "", "/state.sqlite", environment)
    assert find_paths(Config(), "/cache", "/state.sqlite", {}) == Paths("/cache", "/state.sqlite")


# --- where everything is


HOME = {"HOME": "/home/me"}
XDG = {"HOME": "/home/me", "XDG_CACHE_HOME": "/x/cache", "XDG_STATE_HOME": "/x/state"}
WRITTEN = Config(cache_dir="/c", state_path="/s/server.db")


@pytest.mark.parametrize(
    ("config", "flags", "environment", "wanted"),
    [
        (
            Config(),
            ("", ""),
            HOME,
            Paths("/home/me/.cache/scriba", "/home/me/.local/state/scriba/server.sqlite"),
        ),
        (Config(), ("", ""), XDG, Paths("/x/cache/scriba", "/x/state/scriba/server.sqlite")),
        (
            Config(),
            ("", ""),
            {**HOME, "XDG_CACHE_HOME": "", "XDG_STATE_HOME": ""},
            Paths("/home/me/.cache/scriba", "/home/me/.local/state/scriba/server.sqlite"),
        ),
        (WRITTEN, ("", ""), XDG, Paths("/c", "/s/server.db")),
        (WRITTEN, ("/f", "/g.db"), XDG, Paths("/f", "/g.db")),
        (WRITTEN, ("/f", ""), XDG, Paths("/f", "/s/server.db")),
    ],
)
def test_a_flag_is_before_the_file_and_the_file_before_the_usual_place(
    config: Config, flags: tuple[str, str], environment: dict[str, str], wanted: Paths
) -> None:
    assert find_paths(config, *flags, environment) == wanted


def test_the_socket_is_beside_the_state_unless_the_file_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # LS10
    monkeypatch.chdir(tmp_path)
    assert find_socket(Config(), Paths("", "/s/server.db")) == "/s/context.sock"
    assert find_socket(Config(), Paths("", "deep/server.db")) == f"{tmp_path}/deep/context.sock"
    assert find_socket(Config(socket_path="/run/c.sock"), Paths("", "/s/server.db")) == "/run/c.sock"
