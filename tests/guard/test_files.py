"""Tests of evalkit.guard.files: which files are a case's own, which are free to read, which are foreign."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import importlib.metadata
import os
import shutil
import sqlite3
import sys
import tempfile
import zoneinfo
from collections.abc import Callable
from pathlib import Path

import pytest

import evalkit
from evalkit.guard import watching

Attempt = Callable[[Path], object]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The case's own folder, with a file, a folder with a file, and an empty one."""
    folder = tmp_path / "own"
    (folder / "sub").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "file").write_text("own")
    (folder / "sub" / "file").write_text("own")
    return folder


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder beside it, which is no business of the case."""
    folder = tmp_path / "foreign"
    (folder / "empty").mkdir(parents=True)
    (folder / "file").write_text("foreign")
    return folder


def refusals(attempt: Callable[[], object], own: Path) -> list[str]:
    with watching(lambda: str(own)) as watch, contextlib.suppress(OSError, sqlite3.Error):
        attempt()
    return watch.refusals


def shape(folder: Path) -> list[tuple[str, str]]:
    return sorted(
        (str(path.relative_to(folder)), path.read_text() if path.is_file() else "")
        for path in folder.rglob("*")
    )


FOREIGN: dict[str, tuple[str, Attempt]] = {
    "open to read": ("open", lambda there: open(there / "file").close()),
    "open to write": ("open", lambda there: open(there / "file", "w").close()),
    "open to append": ("open", lambda there: open(there / "file", "a").close()),
    "open to update": ("open", lambda there: open(there / "file", "r+b").close()),
    "open by bytes": ("open", lambda there: open(os.fsencode(there / "file")).close()),
    "os.open": ("open", lambda there: os.close(os.open(there / "file", os.O_RDONLY))),
    "os.open to create": ("open", lambda there: os.close(os.open(there / "new", os.O_CREAT | os.O_WRONLY))),
    "a file without a name": ("open", lambda there: tempfile.TemporaryFile(dir=there).close()),
    "listdir": ("os.listdir", lambda there: os.listdir(there)),
    "scandir": ("os.scandir", lambda there: os.scandir(there).close()),
    "walk": ("os.scandir", lambda there: list(os.walk(there))),
    "fwalk": ("os.fwalk", lambda there: list(os.fwalk(there))),
    "glob": ("os.scandir", lambda there: list(there.glob("*"))),
    "remove": ("os.remove", lambda there: os.remove(there / "file")),
    "rename": ("os.rename", lambda there: os.rename(there / "file", there / "other")),
    "replace": ("os.rename", lambda there: os.replace(there / "file", there / "other")),
    "mkdir": ("os.mkdir", lambda there: os.mkdir(there / "new")),
    "makedirs": ("os.mkdir", lambda there: os.makedirs(there / "new" / "newer")),
    "rmdir": ("os.rmdir", lambda there: os.rmdir(there / "empty")),
    "link": ("os.link", lambda there: os.link(there / "file", there / "other")),
    "symlink": ("os.symlink", lambda there: os.symlink("anywhere", there / "other")),
    "truncate": ("os.truncate", lambda there: os.truncate(there / "file", 0)),
    "chmod": ("os.chmod", lambda there: os.chmod(there / "file", 0o600)),
    "chown": ("os.chown", lambda there: os.chown(there / "file", -1, -1)),
    "utime": ("os.utime", lambda there: os.utime(there / "file", (0, 0))),
    "getxattr": ("os.listxattr", lambda there: os.listxattr(there / "file")),
    "copy": ("open", lambda there: shutil.copy(there / "file", there / "other")),
    "copytree": ("os.scandir", lambda there: shutil.copytree(there, there / "copy")),
    "move": ("os.rename", lambda there: shutil.move(there / "file", there / "other")),
    "rmtree": ("shutil.rmtree", lambda there: shutil.rmtree(there)),
    "mkdtemp": ("os.mkdir", lambda there: tempfile.mkdtemp(dir=there)),
    "mkstemp": ("open", lambda there: tempfile.mkstemp(dir=there)),
    "sqlite3": ("sqlite3.connect", lambda there: sqlite3.connect(there / "data.db").close()),
    "sqlite3 by its URI": (
        "sqlite3.connect",
        lambda there: sqlite3.connect(f"file:{there}/data.db", uri=True).close(),
    ),
    "sqlite3 by its URI, read-only": (
        "sqlite3.connect",
        lambda there: sqlite3.connect(f"file://{there}/data.db?mode=ro", uri=True).close(),
    ),
    "a library": ("ctypes.dlopen", lambda there: ctypes.CDLL(str(there / "file"))),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_refused_recorded_though_swallowed_and_left_as_it_was(
    name: str, own: Path, foreign: Path
) -> None:
    event, attempt = FOREIGN[name]
    before = shape(foreign)
    refused = refusals(lambda: attempt(foreign), own)
    assert refused
    assert refused[0].startswith(event)
    assert "no file outside its World's folder" in refused[0]
    assert shape(foreign) == before


def make_and_remove_a_link(there: Path) -> None:
    os.symlink("/etc", there / "etc")
    os.rename(there / "etc", there / "link")
    os.remove(there / "link")


OWN: dict[str, Attempt] = {
    **{name: attempt for name, (_, attempt) in FOREIGN.items() if name != "a library"},
    "a link that leads out": make_and_remove_a_link,
    "a way around": lambda there: open(there / "sub" / ".." / "file").close(),
    "removing by a descriptor": lambda there: os.remove("file", dir_fd=os.open(there, os.O_RDONLY)),
    "cutting by a descriptor": lambda there: os.ftruncate(os.open(there / "file", os.O_RDWR), 0),
}


@pytest.mark.parametrize("name", OWN)
def test_a_case_may_do_with_its_own_folder_what_it_likes(name: str, own: Path) -> None:
    with watching(lambda: str(own)) as watch, contextlib.suppress(sqlite3.OperationalError):
        OWN[name](own)
    assert watch.refusals == []


def make_a_door(own: Path, foreign: Path) -> None:
    os.symlink(foreign, own / "door")
    (own / "door" / "file").read_text()


def become_a_door(own: Path, foreign: Path) -> None:
    shutil.rmtree(own)
    os.symlink(foreign, own)
    (own / "file").read_text()


AROUND: dict[str, Callable[[Path, Path], object]] = {
    "a link to a file": lambda own, foreign: open(own / "link").close(),
    "a link to a folder": lambda own, foreign: open(own / "out" / "file", "w").close(),
    "a link made by the case": make_a_door,
    "its own folder turned into a link": become_a_door,
    "dots": lambda own, foreign: open(own / ".." / "foreign" / "file").close(),
    "dots behind a link": lambda own, foreign: open(own / "out" / ".." / "foreign" / "file").close(),
    "a hard link": lambda own, foreign: os.link(foreign / "file", own / "hard"),
    "a rename into its own": lambda own, foreign: os.rename(foreign / "file", own / "mine"),
    "a rename out of its own": lambda own, foreign: os.rename(own / "file", foreign / "yours"),
    "a copy out of its own": lambda own, foreign: shutil.copy(own / "file", foreign / "yours"),
    "rmdir through a link": lambda own, foreign: os.rmdir(own / "out" / "empty"),
    "chmod through a link": lambda own, foreign: os.chmod(own / "link", 0o600),
    "a folder with the same beginning": lambda own, foreign: os.mkdir(f"{own}-not"),
}


@pytest.mark.parametrize("name", AROUND)
def test_no_way_around_leads_to_a_foreign_file(name: str, own: Path, foreign: Path) -> None:
    (own / "out").symlink_to(foreign)
    (own / "link").symlink_to(foreign / "file")
    before = shape(foreign)
    refused = refusals(lambda: AROUND[name](own, foreign), own)
    assert len(refused) == 1
    assert shape(foreign) == before


def test_without_a_folder_of_its_own_a_case_has_no_file(tmp_path: Path) -> None:
    with watching(lambda: None) as watch, contextlib.suppress(PermissionError):
        (tmp_path / "file").write_text("x")
    assert len(watch.refusals) == 1


FREE: dict[str, Callable[[], object]] = {
    "the standard library": lambda: open(os.__file__).close(),
    "a listing of it": lambda: os.listdir(os.path.dirname(os.__file__)),
    "an installed package": lambda: open(pytest.__file__).close(),
    "its metadata": lambda: importlib.metadata.version("pytest"),
    "our own package": lambda: open(evalkit.__file__).close(),
    "zone data": lambda: zoneinfo.ZoneInfo.no_cache("Europe/Berlin"),
    "an empty input": lambda: open(os.devnull).close(),
    "an output into nothing": lambda: open(os.devnull, "w").close(),
    "randomness": lambda: open("/dev/urandom", "rb").close(),
    "what is open already": lambda: os.fdopen(os.dup(2), "wb", 0).close(),
    "a database in memory": lambda: sqlite3.connect(":memory:").close(),
    "a shared database in memory": lambda: sqlite3.connect(
        "file:name?mode=memory&cache=shared", uri=True
    ).close(),
    "a library of the system": lambda: ctypes.CDLL(None),
}


@pytest.mark.parametrize("name", FREE)
def test_what_is_the_same_everywhere_is_free_to_read(name: str, own: Path) -> None:
    with watching(lambda: str(own)) as watch:
        FREE[name]()
    assert watch.refusals == []


@pytest.mark.parametrize("path", [os.__file__, evalkit.__file__, pytest.__file__])
def test_what_is_free_to_read_is_not_free_to_write(path: str, own: Path) -> None:
    (refusal,) = refusals(lambda: open(path, "a").close(), own)
    assert refusal.startswith("open")
    assert "for writing" in refusal


def test_a_package_reads_its_own_files_but_not_those_beside_it(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "path" / "some_contract"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "data.json").write_text("{}")
    (tmp_path / "path" / "secrets.json").write_text("{}")
    monkeypatch.syspath_prepend(tmp_path / "path")
    with watching(lambda: str(own)) as watch:
        module = importlib.import_module("some_contract")
        Path(module.__path__[0], "data.json").read_text()
    assert watch.refusals == []
    assert len(refusals(lambda: (tmp_path / "path" / "secrets.json").read_text(), own)) == 1


def test_a_module_without_a_package_can_be_imported_late(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "lone_contract.py").write_text("ANSWER = 42")
    monkeypatch.syspath_prepend(tmp_path / "path")
    with watching(lambda: str(own)) as watch:
        assert importlib.import_module("lone_contract").ANSWER == 42
    assert watch.refusals == []


def test_a_refusal_shows_no_random_name_no_home_and_no_working_folder(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(path: Path) -> str:
        (refusal,) = refusals(lambda: open(path).close(), own)
        return refusal.partition(" in ")[0]

    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert shown(Path("/nowhere/at/all")) == "open '/nowhere/at/all' for reading"
    assert shown(Path("/home/somebody/keys")) == "open '~/keys' for reading"
    assert shown(Path.cwd() / "notes" / "x") == "open 'notes/x' for reading"
    assert shown(Path("/tmp/tmpa1b2c3")) == "open a file of the system's temporary folder for reading"


def test_sys_modules_may_hold_what_is_no_module(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "no_module_at_all", object())
    assert len(refusals(lambda: open("/nowhere/at/all").close(), own)) == 1
