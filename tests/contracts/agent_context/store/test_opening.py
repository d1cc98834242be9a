"""Tests for `opening`: what is no sound data file of ours is refused with a remedy and not touched."""

from __future__ import annotations

import os
import pathlib
import sqlite3
import stat
from collections.abc import Callable

import pytest

from evalkit.contracts.agent_context.store import opening
from evalkit.contracts.agent_context.store.failures import StoreBusy, StoreUnusable
from evalkit.contracts.agent_context.store.sqlite import SqliteStore

PAGE = 4096


def sound_file(path: pathlib.Path) -> None:
    with SqliteStore(path) as store, store.transaction() as ledger:
        for number in range(40):
            ledger.append("goals", {"text": "x" * 500, "number": number})


def text_file(path: pathlib.Path) -> None:
    path.write_text("just a note\n" * 100)


def short_text_file(path: pathlib.Path) -> None:
    path.write_bytes(b"x")


def empty_file(path: pathlib.Path) -> None:
    path.touch()


def folder(path: pathlib.Path) -> None:
    path.mkdir()


def pipe(path: pathlib.Path) -> None:
    os.mkfifo(path)


def link_to_nowhere(path: pathlib.Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def truncated_file(path: pathlib.Path) -> None:
    sound_file(path)
    os.truncate(path, path.stat().st_size - 2 * PAGE)


def file_cut_within_its_first_page(path: pathlib.Path) -> None:
    sound_file(path)
    os.truncate(path, 100)


def damaged_file(path: pathlib.Path) -> None:
    sound_file(path)
    content = bytearray(path.read_bytes())
    content[-PAGE:] = b"\xff" * PAGE
    path.write_bytes(content)


def foreign_file(path: pathlib.Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE records (number, collection, body)")
    other.close()


def foreign_file_with_a_log(path: pathlib.Path) -> None:
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("PRAGMA user_version = 1")
    other.execute("CREATE TABLE records (number, collection, body)")
    other.close()


def newer_file(path: pathlib.Path) -> None:
    sound_file(path)
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()


def log_without_its_file(path: pathlib.Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(b"frames")


BAD: list[tuple[Callable[[pathlib.Path], None], str]] = [
    (text_file, "no data file of this program: name another file"),
    (short_text_file, "no data file of this program: name another file"),
    (empty_file, "is empty: remove it"),
    (folder, "a folder or a device: name a file"),
    (pipe, "a folder or a device: name a file"),
    (link_to_nowhere, "cannot be opened"),
    (truncated_file, "damaged: put a backup in its place"),
    (file_cut_within_its_first_page, "damaged: put a backup in its place"),
    (damaged_file, "damaged: put a backup in its place"),
    (foreign_file, "no data file of this program: name another file"),
    (foreign_file_with_a_log, "no data file of this program: name another file"),
    (newer_file, "version 99.* use the newer program"),
    (log_without_its_file, "-wal holds changes of it"),
]


@pytest.mark.parametrize(("make", "told"), BAD, ids=lambda value: getattr(value, "__name__", ""))
def test_a_bad_file_is_refused_and_left_as_it_is(
    path: pathlib.Path, make: Callable[[pathlib.Path], None], told: str
) -> None:
    make(path)
    before = contents(path.parent)
    with pytest.raises(StoreUnusable, match=told) as raised:
        SqliteStore(path)
    assert str(raised.value).startswith(str(path))
    assert contents(path.parent) == before


def contents(place: pathlib.Path) -> dict[str, bytes | None]:
    return {file.name: file.read_bytes() if file.is_file() else None for file in place.iterdir()}


@pytest.mark.parametrize("mode", [0o400, 0o200, 0o000])
def test_a_file_that_may_not_be_read_and_written_is_refused(own_folder: pathlib.Path, mode: int) -> None:
    path = own_folder / "data"
    sound_file(path)
    path.chmod(mode)
    with pytest.raises(StoreUnusable, match="change its permissions"):
        SqliteStore(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert os.listdir(own_folder) == ["data"]


def test_a_folder_that_may_not_be_written_is_refused(own_folder: pathlib.Path) -> None:
    inner = own_folder / "inner"
    inner.mkdir()
    sound_file(inner / "data")
    inner.chmod(0o500)
    with pytest.raises(StoreUnusable, match="change its permissions"):
        SqliteStore(inner / "data")
    with pytest.raises(StoreUnusable, match="Permission denied: name a file in a folder where"):
        SqliteStore(inner / "other")
    inner.chmod(0o700)
    assert os.listdir(inner) == ["data"]


def test_a_file_is_not_made_in_a_folder_that_does_not_exist(path: pathlib.Path) -> None:
    with pytest.raises(StoreUnusable, match="No such file or directory: name a file in a folder"):
        SqliteStore(path / "inner")
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_name_that_no_file_can_have_is_refused(path: pathlib.Path, name: str) -> None:
    with pytest.raises(StoreUnusable, match="name a file"):
        SqliteStore(path.with_name(name))
    assert os.listdir(path.parent) == []


def test_a_name_with_signs_that_mean_something_in_an_address_is_taken_as_it_is(path: pathlib.Path) -> None:
    strange = path.with_name("a?mode=ro&b#c%20.sqlite")
    sound_file(strange)
    assert os.listdir(path.parent) == [strange.name]


def test_a_file_that_another_process_makes_at_the_same_moment_is_the_one(
    path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def late(source: str, target: pathlib.Path) -> None:
        monkeypatch.setattr(os, "link", link)
        sound_file(path)
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    with SqliteStore(path) as store, store.view() as view:
        assert len(view.rows("goals")) == 40
    assert os.listdir(path.parent) == [path.name]


def test_a_file_that_another_program_locks_is_busy_and_not_bad(path: pathlib.Path) -> None:
    sound_file(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy, match="in use by another process"):
        SqliteStore(path, busy_seconds=0)
    other.close()
    SqliteStore(path, busy_seconds=0).close()


def test_a_connection_makes_no_file(path: pathlib.Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        opening.connect(path, 0)
    assert os.listdir(path.parent) == []


def test_a_file_without_a_log_gets_one_again(path: pathlib.Path) -> None:
    sound_file(path)
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = DELETE")
    other.close()
    with SqliteStore(path) as store, store.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
