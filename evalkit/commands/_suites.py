"""The words on the command line that name suites -> the files and folders that hold them."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path

import evalkit
from evalkit.errors import Mistake, SuiteError, UsageError
from evalkit.loader import ENDINGS, HEAD, Options, load
from evalkit.model import Suite


def find(words: Sequence[str]) -> list[Path]:
    """The suites that the words name; without words all under ./suites, else all that are shipped."""
    if not words:
        own = Path("suites")
        found = suites_in(own) if own.is_dir() else []
        return found or suites_in(shipped())
    return [path for word in words for path in _named(word)]


def shipped() -> Path:
    """The folder of the shipped suites: inside the installed package, or beside it in a checkout."""
    package = Path(evalkit.__file__).parent
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def suites_in(folder: Path) -> list[Path]:
    """Every suite in a folder: itself, where it holds suite.yaml, else its files and its suite folders."""
    if (folder / HEAD).is_file():
        return [folder]
    inside = sorted(folder.iterdir())
    files = [path for path in inside if path.suffix in ENDINGS and path.is_file()]
    return files + [path for path in inside if path.is_dir() and (path / HEAD).is_file()]


def load_all(paths: Sequence[Path], options: Options) -> list[Suite]:
    """Every suite. Raises SuiteError with the mistakes of all of them."""
    suites: list[Suite] = []
    mistakes: list[Mistake] = []
    for path in paths:
        try:
            suites.append(load(path, name_of, options))
        except SuiteError as problem:
            mistakes += problem.mistakes
    mistakes += _same_names(suites)
    if mistakes:
        raise SuiteError(mistakes)
    return suites


def name_of(path: Path) -> str:
    """A path as reports write it: from the working folder, else from the package, else the bare name."""
    full = Path(os.path.abspath(path))
    for root in (Path.cwd(), shipped().parent):
        if full.is_relative_to(root):
            return full.relative_to(root).as_posix()
    return full.name


def _named(word: str) -> list[Path]:
    path = Path(word)
    if "/" in word or os.sep in word or path.suffix in ENDINGS:
        return _at(path)
    folders = [folder for folder in (Path("suites"), shipped()) if folder.is_dir()]
    names: dict[str, Path] = {}
    for folder in folders:
        for found in suites_in(folder):
            names.setdefault(_plain(found.stem), found)
    if _plain(word) in names:
        return [names[_plain(word)]]
    near = difflib.get_close_matches(_plain(word), names, 1)
    remedy = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(names)) or 'none'}"
    raise UsageError(f"no suite is called {word!r}; {remedy} (a file is written with a / or its ending)")


def _at(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = suites_in(path)
    if found:
        return found
    message = "the folder holds neither suite.yaml, nor suite files, nor folders of suites"
    remedy = f"name a suite file, or add {HEAD} to the folder"
    raise SuiteError([Mistake("folder-without-suite", message, remedy, name_of(path), 0, 0)])


def _plain(name: str) -> str:
    return name.replace("_", "-").lower()


def _same_names(suites: Sequence[Suite]) -> list[Mistake]:
    seen: dict[str, Suite] = {}
    mistakes = []
    for suite in suites:
        if suite.name in seen:
            message = f"the suites {seen[suite.name].path} and {suite.path} are both called `{suite.name}`"
            mistakes.append(Mistake("duplicate-id", message, "rename one of them", suite.path, 0, 0))
        seen[suite.name] = suite
    return mistakes
