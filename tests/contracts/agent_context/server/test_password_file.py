"""A password is taken only from a file that is its owner's alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalkit.contracts.agent_context.server.endings import CannotMean
from evalkit.contracts.agent_context.server.password_file import read_password


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    file = tmp_path / "password"
    file.touch(mode=0o600)
    return file


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("open sesame", "open sesame"),
        ("open sesame\n", "open sesame"),
        ("open sesame\r\n", "open sesame"),
        ("first\nsecond\n", "first"),
        (" with spaces \n", " with spaces "),
        ("ключ\n", "ключ"),
        ("x" * 1024, "x" * 1024),
    ],
)
def test_the_first_line_is_the_password(file: Path, text: str, password: str) -> None:
    file.write_bytes(text.encode())
    assert read_password(str(file)) == password


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o777])
def test_a_file_that_others_may_use_is_refused(file: Path, mode: int) -> None:
    file.write_text("open sesame", encoding="utf-8")
    file.chmod(mode)
    with pytest.raises(CannotMean, match=rf"others can read it \(mode {mode:o}\); run `chmod 600") as refused:
        read_password(str(file))
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_file_of_its_owner_alone_is_taken(file: Path, mode: int) -> None:
    file.write_text("open sesame", encoding="utf-8")
    file.chmod(mode)
    assert read_password(str(file)) == "open sesame"


@pytest.mark.parametrize("text", [b"", b"\n", b"\r\n", b"\nsecond"])
def test_an_empty_first_line_is_refused(file: Path, text: bytes) -> None:
    file.write_bytes(text)
    with pytest.raises(CannotMean, match="its first line is empty"):
        read_password(str(file))


@pytest.mark.parametrize(("text", "told"), [(b"x" * 1025, "longer than 1024"), (b"\xff", "not UTF-8")])
def test_a_line_that_can_be_no_password_is_refused(file: Path, text: bytes, told: str) -> None:
    file.write_bytes(text)
    with pytest.raises(CannotMean, match=told):
        read_password(str(file))


def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(CannotMean, match=r"it is no regular file|it cannot be read: Is a directory"):
            read_password(str(path))


@pytest.mark.parametrize("path", ["missing", "a\0b"])
def test_a_file_that_is_not_there_is_told(tmp_path: Path, path: str) -> None:
    with pytest.raises(CannotMean, match="it cannot be read"):
        read_password(str(tmp_path / path))
