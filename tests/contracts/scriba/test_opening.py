"""Tests for `store/opening`: what can be read is read and left as it is, all else fails under one name."""

from __future__ import annotations

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from evalkit.contracts.scriba.nouns import StoreUnreadable
from evalkit.contracts.scriba.store.opening import fetch, open_cache, open_store
from tests.contracts.scriba.small_files import CACHE_TABLES, STORE_TABLES, digest, run

ROOT = pathlib.Path(__file__).parents[3]
OPENERS = [(open_cache, CACHE_TABLES), (open_store, STORE_TABLES)]

Open = Callable[[str], sqlite3.Connection]


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "some.sqlite"


def nothing(file: pathlib.Path) -> None:
    pass


def folder(file: pathlib.Path) -> None:
    file.mkdir()


def pipe(file: pathlib.Path) -> None:
    os.mkfifo(file)


def link_to_nowhere(file: pathlib.Path) -> None:
    file.symlink_to("nowhere")


def garbage(file: pathlib.Path) -> None:
    file.write_bytes(b"CANARY" * 1000)


def text_that_begins_like_a_database(file: pathlib.Path) -> None:
    file.write_bytes(b"SQLite format 3\0" + b"x" * 200)


@pytest.mark.parametrize(
    "spoil", [nothing, folder, pipe, link_to_nowhere, garbage, text_that_begins_like_a_database]
)
@pytest.mark.parametrize("open_file", [open_cache, open_store])
def test_what_is_no_database_cannot_be_read(
    file: pathlib.Path, open_file: Open, spoil: Callable[[pathlib.Path], None]
) -> None:
    spoil(file)
    with pytest.raises(StoreUnreadable) as raised:
        open_file(str(file))
    assert "some.sqlite" not in str(raised.value)


@pytest.mark.parametrize("open_file", [open_cache, open_store])
@pytest.mark.parametrize("name", ["", "\0", "\ud800", "no/such/folder/file"])
def test_a_name_that_no_file_can_have_cannot_be_read(open_file: Open, name: str) -> None:
    with pytest.raises(StoreUnreadable):
        open_file(name)


def test_a_file_that_is_missing_is_not_made(tmp_path: pathlib.Path) -> None:
    for open_file in (open_cache, open_store):
        with pytest.raises(StoreUnreadable):
            open_file(str(tmp_path / "folder" / "some.sqlite"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "readable"), [("1", True), ("01", True), ("2", False), ("0", False), ("x", False)]
)
def test_a_cache_is_read_only_if_it_is_of_version_1(file: pathlib.Path, version: str, readable: bool) -> None:
    run(file, CACHE_TABLES)
    run(file, "UPDATE meta SET value = ?", version)
    assert opens(open_cache, file) is readable


def test_a_cache_that_does_not_tell_its_version_cannot_be_read(file: pathlib.Path) -> None:
    run(file, CACHE_TABLES + "DELETE FROM meta")
    assert not opens(open_cache, file)
    run(file, "DROP TABLE meta")
    assert not opens(open_cache, file)


@pytest.mark.parametrize(("version", "readable"), [(8, True), (11, True), (12, False), (99, False)])
def test_a_store_is_read_up_to_version_11(file: pathlib.Path, version: int, readable: bool) -> None:
    run(file, STORE_TABLES + "DELETE FROM schema_migrations")
    run(file, "INSERT INTO schema_migrations VALUES (?, '')", version)
    assert opens(open_store, file) is readable


def test_a_store_that_tells_no_version_can_be_read(file: pathlib.Path) -> None:
    run(file, STORE_TABLES + "DELETE FROM schema_migrations")
    assert opens(open_store, file)
    run(file, "DROP TABLE schema_migrations")
    assert opens(open_store, file)


def test_a_store_whose_version_is_no_number_cannot_be_read(file: pathlib.Path) -> None:
    run(file, "CREATE TABLE schema_migrations (version TEXT); INSERT INTO schema_migrations VALUES ('7')")
    assert not opens(open_store, file)


@pytest.mark.parametrize(("open_file", "tables"), OPENERS)
def test_nothing_can_be_written_through_a_connection(
    file: pathlib.Path, open_file: Open, tables: str
) -> None:
    run(file, tables)
    before = digest(file)
    with closing(open_file(str(file))) as connection:
        # Either would do: the file is opened to read, and the connection only queries.
        for allowed in ("PRAGMA query_only = OFF", "PRAGMA query_only = ON"):
            connection.execute(allowed)
            with pytest.raises(StoreUnreadable):
                fetch(connection, "CREATE TABLE mine (x)")
    assert digest(file) == before


@pytest.mark.parametrize(("open_file", "tables"), OPENERS)
def test_a_connection_waits_queries_only_and_keeps_foreign_keys(
    file: pathlib.Path, open_file: Open, tables: str
) -> None:
    run(file, tables)
    with closing(open_file(str(file))) as connection:
        settings = [
            fetch(connection, f"PRAGMA {name}")[0][0]
            for name in ("busy_timeout", "query_only", "foreign_keys")
        ]
    assert settings == [5000, 1, 1]


@pytest.mark.parametrize(("open_file", "tables"), OPENERS)
def test_a_link_to_a_database_is_followed(file: pathlib.Path, open_file: Open, tables: str) -> None:
    run(file.with_name("there"), tables)
    file.symlink_to("there")
    assert opens(open_file, file)


@pytest.mark.parametrize("name", ["a?mode=rw", "a#b", "a%20b", "ä b", "a&immutable=1", "b'\"c"])
def test_a_name_is_never_taken_for_a_setting(tmp_path: pathlib.Path, name: str) -> None:
    run(tmp_path / name, CACHE_TABLES)
    assert opens(open_cache, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("open_file", "tables"), OPENERS)
def test_a_locked_database_cannot_be_read(
    file: pathlib.Path, tables: str, open_file: Callable[..., object]
) -> None:
    run(file, tables)
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnreadable):
            open_file(str(file), busy_seconds=0)


def test_what_is_in_the_log_of_a_writer_at_work_is_read(file: pathlib.Path) -> None:
    run(file, CACHE_TABLES)
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO meta VALUES ('fresh', 'yes')")
        writer.commit()
        with closing(open_cache(str(file))) as connection:
            assert fetch(connection, "SELECT value FROM meta WHERE key = 'fresh'") == [("yes",)]


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_reading_leaves_the_file_as_it_is(file: pathlib.Path, journal: str) -> None:
    run(file, STORE_TABLES + f"PRAGMA journal_mode = {journal}")
    before = digest(file), file.stat().st_mtime_ns, file.stat().st_size
    with closing(open_store(str(file))) as connection:
        fetch(connection, "SELECT * FROM accounts")
    assert (digest(file), file.stat().st_mtime_ns, file.stat().st_size) == before


def test_a_statement_that_fails_tells_nothing_of_the_data(file: pathlib.Path) -> None:
    run(file, "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES (CAST(x'43414E415259FF' AS TEXT))")
    with closing(open_store(str(file))) as connection, pytest.raises(StoreUnreadable) as raised:
        fetch(connection, "SELECT text FROM notes")
    assert not chain(raised.value)


def test_a_read_only_database_in_a_read_only_folder_is_read(closed_file: pathlib.Path) -> None:
    assert read_unprivileged(closed_file) == "1"


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_in_a_read_only_folder_a_database_is_not_read_past_its_log(
    closed_file: pathlib.Path, end: str
) -> None:
    closed_file.with_name(closed_file.name + end).write_bytes(b"something of it")
    assert read_unprivileged(closed_file) == "unreadable"


def test_a_link_does_not_hide_the_log_of_the_file_that_it_leads_to(
    closed_file: pathlib.Path,
) -> None:
    closed_file.with_name(closed_file.name + "-wal").write_bytes(b"something of it")
    link = closed_file.with_name("link")
    link.symlink_to(closed_file)
    assert read_unprivileged(closed_file, through=link) == "unreadable"


@pytest.mark.parametrize("tables", ["CREATE TABLE meta (key, value)", "CREATE TABLE other (x)"])
def test_a_connection_to_what_cannot_be_read_is_closed(
    file: pathlib.Path, monkeypatch: pytest.MonkeyPatch, tables: str
) -> None:
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def connect_and_note(*arguments: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*arguments, **options))
        return made[-1]

    run(file, tables)
    monkeypatch.setattr(sqlite3, "connect", connect_and_note)
    with pytest.raises(StoreUnreadable):
        open_cache(str(file))
    (connection,) = made
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_a_file_that_may_not_be_read_cannot_be_read(closed_file: pathlib.Path) -> None:
    assert read_unprivileged(closed_file, mode=0) == "unreadable"


def opens(open_file: Open, file: pathlib.Path) -> bool:
    try:
        open_file(str(file)).close()
    except StoreUnreadable:
        return False
    return True


def chain(error: BaseException) -> list[str]:
    """What hangs on to an exception."""
    found = []
    for linked in (error.__cause__, error.__context__):
        if linked is not None:
            found += [str(linked), *chain(linked)]
    return found


READER = """
import os, sys
from evalkit.contracts.scriba.nouns import StoreUnreadable
from evalkit.contracts.scriba.store.opening import fetch, open_cache
if os.getuid() == 0:  # after the imports, which another user may not be allowed
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    open(sys.argv[1], "r+b").close()
    sys.exit("this user may write it")
except PermissionError:
    pass
try:
    print(fetch(open_cache(sys.argv[1]), "SELECT value FROM meta")[0][0])
except StoreUnreadable:
    print("unreadable")
"""


@pytest.fixture
def closed_file() -> Iterator[pathlib.Path]:
    """A cache that keeps a log, in a folder that anybody may enter, which those of a test are not."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="scriba-closed-"))
    try:
        run(folder / "scriba.sqlite", CACHE_TABLES + "PRAGMA journal_mode = WAL")
        assert [path.name for path in folder.iterdir()] == ["scriba.sqlite"]
        yield folder / "scriba.sqlite"
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def read_unprivileged(file: pathlib.Path, mode: int = 0o444, through: pathlib.Path | None = None) -> str:
    """What a reader gets who may write neither the file nor its folder."""
    file.chmod(mode)
    file.parent.chmod(0o555)
    command = [sys.executable, "-c", READER, str(through or file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.strip()
