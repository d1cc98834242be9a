"""The words on the command line that name suites -> the files and folders that hold them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import evalkit
from evalkit.commands import _output
from evalkit.commands._arguments import nearest
from evalkit.errors import Mistake, SuiteError, UsageError
from evalkit.loader import ENDINGS, HEAD, Options, load
from evalkit.model import Suite

UNIVERSAL: Final = "mcp"
"""The shipped suite that any target is audited by: it names none, so it runs only where it is asked for."""

_SCHEMA: Final = ".schema.json"


class Found(NamedTuple):
    """A suite's file or folder, and the word that names it on a command line again."""

    path: Path
    word: str


def find(words: Sequence[str]) -> list[Found]:
    """The suites that the words name; without words all under ./suites, else all that are shipped."""
    if words:
        found = [one for word in words for one in (at(word) if _is_path(word) else [_named(word)])]
    else:
        found = [_found(path) for path in _runnable(Path("suites"))] or [
            Found(path, _name(path)) for path in _runnable(shipped())
        ]
    return list({os.path.realpath(one.path): one for one in reversed(found)}.values())[::-1]


def at(word: str) -> list[Found]:
    """The suites at a path: a file, a folder that is one suite, or all in a folder."""
    path = Path(word)
    if not path.is_dir():
        return [_found(path)]
    found = suites_in(path)
    if found:
        return [_found(one) for one in found]
    message = "the folder holds neither suite.yaml, nor suite files, nor folders of suites"
    remedy = f"name a suite file, or add {HEAD} to the folder"
    raise SuiteError([Mistake("folder-without-suite", message, remedy, name_of(path), 0, 0)])


def of_contract(name: str) -> Found:
    """The suite of a contract: the shipped one, else one's own. Raises UsageError where there is none."""
    for folder in (shipped(), Path("suites")):
        for path in _fitting(name, folder):
            return Found(path, _name(path))
    raise UsageError(f"no suite is shipped for the contract {name!r}; name one with --fixture FILE")


def shipped_suite(name: str) -> Found:
    """A shipped suite, whatever one's own are called."""
    return next(Found(path, name) for path in suites_in(shipped()) if _name(path) == name)


def shipped() -> Path:
    """The folder of the shipped suites: inside the installed package, or beside it in a checkout."""
    package = Path(evalkit.__file__).parent
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def suites_in(folder: Path) -> list[Path]:
    """Every suite in a folder: itself, where it holds suite.yaml, else its files and those below it.

    Hidden ones are left out, and JSON Schemas (`NAME.schema.json`).
    """
    if (folder / HEAD).is_file():
        return [folder]
    if not folder.is_dir():
        return []
    try:
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as problem:
        told = f"the folder cannot be read: {problem.strerror}"
        raise SuiteError(
            [Mistake("unreadable-file", told, "make it readable", name_of(folder), 0, 0)]
        ) from None
    files = [path for path in inside if path.is_file() and _is_suite(path.name)]
    below = [path for path in inside if path.is_dir() and not (path.is_symlink() and _leads_up(path))]
    return [*files, *(one for path in below for one in suites_in(path))]


def load_all(found: Sequence[Found], options: Options, *, named: bool) -> list[tuple[Found, Suite]]:
    """Every suite. Raises SuiteError with the mistakes of all of them.

    Where they were not named, those that need a live target are left out, and said to be.
    """
    loaded: list[tuple[Found, Suite]] = []
    mistakes: list[Mistake] = []
    for one in found:
        try:
            loaded.append((one, load(one.path, name_of, options)))
        except SuiteError as problem:
            if not named and all(mistake.code == "target-missing" for mistake in problem.mistakes):
                _output.say(f"left out, since it needs a live target: {name_of(one.path)}")
                continue
            mistakes += problem.mistakes
    mistakes += _same_names([suite for _, suite in loaded])
    if mistakes:
        raise SuiteError(mistakes)
    return loaded


def name_of(path: Path) -> str:
    """A path as reports write it: a shipped one from the package, else from the working folder, else bare."""
    full = Path(os.path.abspath(path))
    if full.is_relative_to(shipped()):
        return full.relative_to(shipped().parent).as_posix()
    return full.relative_to(Path.cwd()).as_posix() if full.is_relative_to(Path.cwd()) else full.name


def _runnable(folder: Path) -> list[Path]:
    """The suites in a folder but for the one that wants a target to be named."""
    universal = os.path.realpath(shipped() / UNIVERSAL)
    return [path for path in suites_in(folder) if os.path.realpath(path) != universal]


def _found(path: Path) -> Found:
    """A path with itself as its word, written so that it is taken for a path."""
    full = Path(os.path.abspath(path))
    near = full.relative_to(Path.cwd()) if full.is_relative_to(Path.cwd()) else path
    word = near.as_posix()
    return Found(path, word if _is_path(word) else f"./{word}")


def _is_path(word: str) -> bool:
    return "/" in word or os.sep in word or word in (".", "..") or word.endswith(ENDINGS)


def _is_suite(name: str) -> bool:
    return name.endswith(ENDINGS) and not name.endswith(_SCHEMA)


def _leads_up(link: Path) -> bool:
    return Path(os.path.realpath(link.parent)).is_relative_to(os.path.realpath(link))


def _named(word: str) -> Found:
    """The suite of a name: one's own before a shipped one, `_` and `-` alike."""
    folders = (Path("suites"), shipped())
    for folder in folders:
        fitting = _fitting(word, folder)
        if len(fitting) > 1:
            paths = " and ".join(path.as_posix() for path in fitting)
            raise UsageError(f"the name {word!r} fits {paths}; write one of these")
        if fitting:
            return Found(fitting[0], word)
    known = sorted({_name(path) for folder in folders for path in suites_in(folder)})
    raise UsageError(f"no suite is called {word!r}; {_remedy(word, known)}")


def _fitting(word: str, folder: Path) -> list[Path]:
    return [path for path in suites_in(folder) if _name(path) == _plain(word)]


def _remedy(word: str, known: Sequence[str]) -> str:
    if os.path.exists(word):
        return f"write ./{word} for what is here"
    near = nearest(word, known)
    told = f"did you mean {near!r}?" if near else f"known are {', '.join(known) or 'none'}"
    return f"{told} (a file is written with a / or its ending)"


def _name(path: Path) -> str:
    return _plain(path.name if path.is_dir() else path.stem)


def _plain(name: str) -> str:
    return name.replace("_", "-").lower()


def _same_names(suites: Sequence[Suite]) -> Iterator[Mistake]:
    seen: dict[str, Suite] = {}
    for suite in suites:
        if suite.name in seen:
            message = f"the suites {seen[suite.name].path} and {suite.path} are both called `{suite.name}`"
            head = suite.documents[0]
            line, column = head.place(("name",))
            place = (head.file, line, column, head.excerpt(line))
            yield Mistake("duplicate-id", message, "rename one of them", *place)
        seen[suite.name] = suite
