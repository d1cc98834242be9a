"""Tests for `listener` and its rules: whose the socket is, from its first moment to its last (spec 6.2)."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evalkit.contracts.scriba.localapi.listener import Listener, listen
from evalkit.contracts.scriba.localapi.listener_rules import LISTENER
from evalkit.contracts.scriba.localapi.nouns import AlreadyServed, CannotListen, Identity
from evalkit.contracts.scriba.localapi.ownership import bind

OTHER_USER = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def identity(path: Path) -> Identity:
    found = path.lstat()
    return Identity(found.st_dev, found.st_ino)


@pytest.fixture
def path(folder: Path) -> Path:
    """Where the socket will be; its folder is there already, for its owner alone."""
    parent = folder / "own"
    parent.mkdir(0o700)
    return parent / "context.sock"


def lease_of(path: Path) -> Path:
    return path.with_name("context.sock.lock")


@contextlib.contextmanager
def left_over(path: Path, bits: int = 0o600) -> Iterator[None]:
    """A socket that nobody listens on, as a server leaves it that was killed."""
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))
        path.chmod(bits)
    yield


def record(path: Path, text: str) -> None:
    lease_of(path).write_text(text)
    lease_of(path).chmod(0o600)


def test_folders_socket_and_lease_are_made_for_their_owner_alone(folder: Path) -> None:
    """LS01; the mask of the process does not matter, and is put back."""
    path = folder / "made" / "too" / "context.sock"
    before = os.umask(0o002)
    try:
        with listen(str(path)):
            assert [mode(path.parents[1]), mode(path.parent), mode(path), mode(lease_of(path))] == [
                0o700,
                0o700,
                0o600,
                0o600,
            ]
            assert lease_of(path).read_text() == f"{path.lstat().st_dev} {path.lstat().st_ino}\n"
    finally:
        assert os.umask(before) == 0o002
    assert [entry.name for entry in path.parent.iterdir()] == ["context.sock.lock"]
    assert lease_of(path).read_text() == "", "it speaks of no socket any more"


def test_the_record_is_on_the_disk_before_the_socket_takes_connections(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []

    def note(number: int) -> None:
        synced.append(os.pread(number, 128, 0))
        with socket.socket(socket.AF_UNIX) as client, pytest.raises(ConnectionRefusedError):
            client.connect(str(path))

    monkeypatch.setattr(os, "fsync", note)
    with listen(str(path)):
        assert synced == ["{} {}\n".format(*identity(path)).encode()]


def test_a_socket_never_has_more_than_its_mode_not_even_before_it_is_set(path: Path) -> None:
    before = os.umask(0)
    try:
        with bind(str(path), 0o600):
            assert mode(path) == 0o600
    finally:
        os.umask(before)


def test_three_rounds_leave_no_socket(path: Path) -> None:
    for _ in range(3):
        with listen(str(path)):
            assert (mode(path), mode(path.parent)) == (0o600, 0o700)
        assert not path.exists()
        assert lease_of(path).exists()


def test_a_listener_takes_connections(path: Path) -> None:
    with listen(str(path)) as listener, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        accepted, _ = listener.socket.accept()
        accepted.close()


@pytest.mark.parametrize("bits", [0o755, 0o750, 0o500, 0o1700, 0o2700, 0o777])
def test_a_folder_with_other_bits_is_refused_and_not_changed(path: Path, bits: int) -> None:
    """LS02."""
    path.parent.chmod(bits)
    with pytest.raises(CannotListen, match=f"permission bits {bits:04o}, and 0700 is wanted"):
        listen(str(path))
    assert mode(path.parent) == bits
    assert list(path.parent.iterdir()) == []


def test_a_folder_that_is_a_link_is_refused(path: Path) -> None:
    """LS03."""
    link = path.parent.with_name("link")
    link.symlink_to(path.parent)
    with pytest.raises(CannotListen, match="symbolic link"):
        listen(str(link / "context.sock"))
    assert list(path.parent.iterdir()) == []


def test_a_folder_that_is_a_link_to_nowhere_is_refused(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "nowhere")
    with pytest.raises(CannotListen, match="symbolic link"):
        listen(str(folder / "link" / "context.sock"))
    assert not (folder / "nowhere").exists()


def test_a_file_in_place_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(CannotListen, match="no folder"):
        listen(str(folder / "file" / "context.sock"))
    with pytest.raises(CannotListen, match="cannot be used"):
        listen(str(folder / "file" / "below" / "context.sock"))


def test_a_second_listener_is_told_that_one_is_active(path: Path) -> None:
    """LS04."""
    with listen(str(path)):
        found = identity(path)
        with pytest.raises(AlreadyServed, match="active"):
            listen(str(path))
        assert identity(path) == found
        assert lease_of(path).read_text() == "{} {}\n".format(*found)


def test_a_stale_socket_with_its_record_is_replaced(path: Path) -> None:
    """LS05."""
    with left_over(path):
        record(path, "{} {}\n".format(*identity(path)))
        with listen(str(path)), socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))


@pytest.mark.parametrize("text", ["", "1 2\n"])
def test_a_socket_without_its_record_is_refused(path: Path, text: str) -> None:
    """LS06."""
    with left_over(path):
        record(path, text)
        found = identity(path)
        with pytest.raises(CannotListen, match="did not leave there"):
            listen(str(path))
        assert identity(path) == found


@pytest.mark.parametrize("bits", [0o660, 0o666, 0o700, 0o400])
def test_a_recorded_socket_of_another_mode_is_refused(path: Path, bits: int) -> None:
    """LS07."""
    with left_over(path, bits):
        record(path, "{} {}\n".format(*identity(path)))
        with pytest.raises(CannotListen, match=f"permission bits {bits:04o}, and 0600 is wanted"):
            listen(str(path))
        assert mode(path) == bits


def test_a_file_a_folder_and_a_link_are_refused_and_untouched(path: Path) -> None:
    """LS07."""
    target = path.with_name("target")
    target.write_text("precious")
    target.chmod(0o600)
    for make in (path.mkdir, lambda: path.write_text("precious"), lambda: path.symlink_to(target)):
        make()
        path.lstat()
        record(path, "{} {}\n".format(*identity(path)))
        with pytest.raises(CannotListen, match="is no socket"):
            listen(str(path))
        if path.is_dir():
            path.rmdir()
            continue
        assert path.read_text() == "precious"
        path.unlink()
    assert target.read_text() == "precious"


def test_a_recorded_socket_that_somebody_listens_on_is_refused(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))
        path.chmod(0o600)
        opened.listen(1)
        record(path, "{} {}\n".format(*identity(path)))
        with pytest.raises(CannotListen, match="somebody listens"):
            listen(str(path))
        assert path.exists()


def test_a_lease_that_is_a_link_is_refused_and_its_target_untouched(path: Path) -> None:
    """LS08."""
    target = path.with_name("target")
    target.write_text("precious")
    target.chmod(0o600)
    lease_of(path).symlink_to(target)
    with pytest.raises(CannotListen, match="cannot be used"):
        listen(str(path))
    assert target.read_text() == "precious"
    assert not path.exists()


def test_a_lease_that_links_to_nowhere_makes_nothing_there(path: Path) -> None:
    lease_of(path).symlink_to(path.with_name("target"))
    with pytest.raises(CannotListen):
        listen(str(path))
    assert not path.with_name("target").exists()


def test_a_lease_of_another_mode_or_kind_is_refused(path: Path) -> None:
    lease_of(path).write_text("")
    for bits in (0o644, 0o660, 0o700):
        lease_of(path).chmod(bits)
        with pytest.raises(CannotListen, match=f"lease file .* bits {bits:04o}"):
            listen(str(path))
    lease_of(path).unlink()
    os.mkfifo(lease_of(path), 0o600)
    with pytest.raises(CannotListen, match="no regular file"):
        listen(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "1 2",
        "1 2\n\n",
        " 1 2\n",
        "1  2\n",
        "01 2\n",
        "-1 2\n",
        "1\n",
        "x y\n",
        "\n",
        "1 2\n" + " " * 200,
        "9" * 300,
    ],
)
def test_a_malformed_lease_is_refused(path: Path, text: str) -> None:
    record(path, text)
    with pytest.raises(CannotListen, match="malformed"):
        listen(str(path))
    assert lease_of(path).read_text() == text


def test_a_refusal_gives_the_lease_back(path: Path) -> None:
    path.write_text("")
    with pytest.raises(CannotListen):
        listen(str(path))
    path.unlink()
    listen(str(path)).close()


def test_a_failure_after_the_socket_was_made_removes_it(path: Path) -> None:
    wrong = LISTENER._replace(leftover_problem=lambda *_: "is wrong")
    with pytest.raises(CannotListen, match="is wrong"):
        listen(str(path), wrong)
    assert not path.exists()
    listen(str(path)).close()


def test_a_folder_that_is_replaced_while_the_socket_is_opened_is_noticed(path: Path) -> None:
    def replace(place: str, bits: int) -> socket.socket:
        opened = bind(place, bits)
        path.parent.rename(path.parent.with_name("moved"))
        path.parent.mkdir(0o700)
        path.hardlink_to(path.parent.with_name("moved") / path.name)
        return opened

    with pytest.raises(CannotListen, match="was replaced"):
        listen(str(path), LISTENER._replace(bind=replace))


@pytest.mark.parametrize("given", ["", ".", "x/.", "..", "x/", "/", "a\0b"])
def test_a_path_that_names_no_file_is_refused(given: str) -> None:
    with pytest.raises(CannotListen, match="names no socket"):
        listen(given)


def test_a_path_that_is_too_long_is_refused(path: Path) -> None:
    with pytest.raises(CannotListen, match="cannot be used"):
        listen(str(path.with_name("x" * 120)))


def test_a_close_leaves_a_replacement_alone(path: Path) -> None:
    """LS09."""
    listener = listen(str(path))
    kept = path.with_name("kept")
    path.rename(kept)
    path.write_text("another")
    listener.close()
    assert path.read_text() == "another"
    assert kept.exists()


def test_a_close_that_finds_no_socket_is_a_close(path: Path) -> None:
    listener = listen(str(path))
    path.unlink()
    listener.close()
    listen(str(path)).close()


def test_twenty_closes_at_once_are_one(path: Path) -> None:
    listener = listen(str(path))
    together = threading.Barrier(20)
    problems: list[Exception] = []
    left: list[bool] = []

    def close() -> None:
        together.wait()
        try:
            listener.close()
            left.append(path.exists())
        except OSError as problem:
            problems.append(problem)

    at_once(close, 20)
    assert problems == []
    assert left == [False] * 20
    listen(str(path)).close()


def test_of_two_starts_at_once_exactly_one_owns_the_socket(folder: Path) -> None:
    """LS11."""
    for round_number in range(20):
        path = folder / f"made{round_number}" / "context.sock"
        together = threading.Barrier(2)
        owners: list[Listener] = []
        refusals: list[CannotListen] = []

        def start(path: Path = path, together: threading.Barrier = together) -> None:
            together.wait()
            try:
                owners.append(listen(str(path)))  # noqa: B023 - the threads end within the round
            except CannotListen as problem:
                refusals.append(problem)  # noqa: B023

        at_once(start, 2)
        assert [type(problem) for problem in refusals] == [AlreadyServed]
        assert lease_of(path).read_text() == "{} {}\n".format(*identity(path))
        owners[0].close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to another user")
def test_what_belongs_to_another_user_is_refused(path: Path) -> None:
    with left_over(path):
        record(path, "{} {}\n".format(*identity(path)))
        for owned in (path, lease_of(path), path.parent):
            os.chown(owned, OTHER_USER, -1)
            with pytest.raises(CannotListen, match="another user"):
                listen(str(path))
            os.chown(owned, 0, -1)
        listen(str(path)).close()


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_place_that_may_not_be_written_is_refused(path: Path) -> None:
    path.parent.chmod(0o500)
    with pytest.raises(CannotListen, match="cannot be used"):
        listen(str(path.parent / "below" / "context.sock"))
    path.parent.chmod(0o700)


def at_once(work: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
