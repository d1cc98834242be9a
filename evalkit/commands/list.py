"""`evalkit list`: what there is to name: suites, cases, contracts, expectations, operations, formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from evalkit import contracts, expectations, reporters
from evalkit.commands import _output, _suites
from evalkit.commands._arguments import Arguments, one_of
from evalkit.language import OPERATIONS
from evalkit.loader import Options


def parser() -> Arguments:
    """The flags."""
    made = Arguments("list", "evalkit list cases suites/my-suite.yaml", "List what there is to name.")
    made.add_argument("what", nargs="?", default="suites", type=one_of(tuple(_LISTS)), help=", ".join(_LISTS))
    made.add_argument("suites", nargs="*", metavar="SUITE", help="for `cases`: files, folders or names")
    return made


def main(argv: list[str]) -> int:
    """Print one line each, and give the exit code."""
    given = parser().parse(argv)
    lines = list(_LISTS[given.what](given.suites))
    _output.to_stdout("".join(f"{line}\n" for line in lines))
    return 0


def first_line(documented: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _list_suites(words: list[str]) -> Iterable[str]:
    for path in _suites.find(words):
        yield _suites.name_of(path)


def _list_cases(words: list[str]) -> Iterable[str]:
    suites = _suites.load_all(_suites.find(words), Options())
    for suite in suites:
        for case in suite.cases:
            yield f"{suite.name}::{case.id}  {case.severity:<8}  {case.title}"


def _list_contracts(words: list[str]) -> Iterable[str]:
    for name, module in contracts.BUILT_IN.items():
        yield f"{name:<16}  {module}"


def _list_expectations(words: list[str]) -> Iterable[str]:
    for word in expectations.WORDS:
        yield f"{word:<24}  {first_line(expectations.find(word))}"


def _list_operations(words: list[str]) -> Iterable[str]:
    for name, operation in OPERATIONS.items():
        keys = ", ".join(f"{key}*" if key in operation.required else key for key in operation.keys)
        yield f"{name:<10}  {operation.summary}" + (f" ({keys})" if keys else "")


def _list_formats(words: list[str]) -> Iterable[str]:
    for name, told in reporters.FORMATS.items():
        yield f"{name:<10}  {told}"


_LISTS: Final[Mapping[str, Callable[[list[str]], Iterable[str]]]] = {
    "suites": _list_suites,
    "cases": _list_cases,
    "contracts": _list_contracts,
    "expectations": _list_expectations,
    "operations": _list_operations,
    "formats": _list_formats,
}
