"""YAML or JSON text → plain data, with a line and a column for every node."""

from __future__ import annotations

import codecs
import hashlib
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, NoReturn

from evalkit.errors import Mistake, SuiteError
from evalkit.text.json_text import JsonOutline, read_json
from evalkit.text.mistakes import MAX_BYTES, TEXT_MISTAKES
from evalkit.text.places import Lines, Outline
from evalkit.text.places import Path as NodePath

__all__ = ["TEXT_MISTAKES", "Document", "parse_document", "read_document"]

Json = Any
Format = Literal["yaml", "json"]
Reader = Callable[[Lines], tuple[Json, Outline | JsonOutline]]


class Document(NamedTuple):
    """One file's data. `data` may hold one object at several places (aliases) and is not to be changed."""

    file: str
    data: Json
    sha256: str
    lines: Lines
    outline: Outline | JsonOutline

    @property
    def text(self) -> str:
        """The text that was read, without a byte order mark."""
        return self.lines.text

    def place(self, path: NodePath, *, key: bool = False) -> tuple[int, int]:
        """Return line and column (from 1) of the value at `path`, or of its key.

        A path that leads nowhere gives the place of its nearest ancestor; inside an alias, that of the alias.
        """
        return self.lines.place(self.outline.find(path, key=key))

    def excerpt(self, line: int) -> str:
        """Return the line without its end, cut at 200 characters; "" when there is no such line."""
        return self.lines.excerpt(line)


def read_document(path: Path, name: str) -> Document:
    """Read the file at `path` (JSON if it ends in .json, else YAML); `name` is the file as reports write it.

    Raises SuiteError with every mistake in it (suite language, section 1).
    """
    return parse_document(
        _read_bytes(path, name), name, format="json" if path.suffix.lower() == ".json" else "yaml"
    )


def parse_document(text: bytes, name: str, *, format: Format) -> Document:
    """Read the bytes of one document. Raises SuiteError with every mistake in it."""
    _refuse_size(len(text), name)
    lines = Lines(name, _decode(text, name))
    read: Reader = read_json if format == "json" else _read_yaml
    data, outline = read(lines)
    return Document(name, data, hashlib.sha256(text).hexdigest(), lines, outline)


def _read_yaml(lines: Lines) -> tuple[Json, Outline]:
    # PyYAML takes 20 ms to import, and a run of JSON suites does without it.
    from evalkit.text.yaml_text import read_yaml

    return read_yaml(lines)


def _read_bytes(path: Path, name: str) -> bytes:
    """Return the file's bytes, at most one more than the limit."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            _refuse(name, "not-a-file", "this is a folder, not a file", "name a file in it")
        if not stat.S_ISREG(status.st_mode):
            _refuse(name, "not-a-file", "this is a pipe, a socket or a device", "save the text as a file")
        _refuse_size(status.st_size, name)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        _refuse(name, "missing-file", "there is no such file", "correct the name, or create the file")
    except OSError as error:
        reason = error.strerror or str(error)
        _refuse(name, "unreadable-file", f"the file cannot be read: {reason}", "make it readable")


def _refuse_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        mebibytes = f"{size / (1024 * 1024):,.1f} MiB"
        _refuse(name, "file-too-large", f"the file has {mebibytes}; the limit is 32 MiB", "split it")


def _decode(text: bytes, name: str) -> str:
    """Return the text without its byte order mark, if it is UTF-8."""
    for mark, encoding in _FOREIGN_MARKS:
        if text.startswith(mark):
            found = f"the byte order mark of {encoding} at byte 0; UTF-8 is wanted"
            _refuse(name, "not-utf-8", found, _SAVE, (1, 1))
    nul = text.find(b"\0")
    if nul >= 0 and bytes(map(bool, text[:4])) in _FOREIGN_STARTS:
        found = f"a NUL byte at byte {nul}, as UTF-16 and UTF-32 have them; UTF-8 is wanted"
        _refuse(name, "not-utf-8", found, _SAVE, _place(text, nul))
    if nul >= 0:
        found = f"a NUL byte at byte {nul}: this is no text"
        _refuse(name, "binary-file", found, "name a YAML or JSON file", _place(text, nul))
    try:
        return text.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} (0x{text[error.start]:02x}) is not UTF-8"
        _refuse(name, "not-utf-8", found, _SAVE, _place(text, error.start))


def _place(text: bytes, byte: int) -> tuple[int, int]:
    before = text[:byte].decode(errors="replace").removeprefix("\ufeff")
    return Lines("", before).place(len(before))


def _refuse(name: str, code: str, message: str, remedy: str, place: tuple[int, int] = (0, 0)) -> NoReturn:
    raise SuiteError([Mistake(code, message, remedy, name, *place)]) from None


_SAVE: Final = "save it as UTF-8"
_FOREIGN_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_FOREIGN_STARTS: Final = (b"\1\0\0\0", b"\0\0\0\1", b"\1\0\1\0", b"\0\1\0\1")
