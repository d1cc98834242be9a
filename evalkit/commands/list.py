"""`evalkit list`: what there is to name: suites, cases, contracts, expectations, rules and so on."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from evalkit import contracts, expectations, reporters, rules
from evalkit.commands import _output, _suites
from evalkit.commands._arguments import Arguments, environment, one_of
from evalkit.errors import UsageError
from evalkit.language import OPERATIONS
from evalkit.loader import Options


def parser() -> Arguments:
    """The flags."""
    made = Arguments("list", "evalkit list cases suites/my-suite.yaml", "List what there is to name.")
    made.add_argument("what", nargs="?", default="suites", type=one_of(tuple(_LISTS)), help=", ".join(_LISTS))
    made.add_argument("suites", nargs="*", metavar="SUITE", help="of which suites: files, folders or names")
    made.add_argument("--contract", metavar="NAME", help="the contract of `cases`, where a suite names none")
    made.add_argument("--env", metavar="NAME", action="append", default=[], help="an environment variable")
    return made


def main(argv: list[str]) -> int:
    """Print one line each, and give the exit code."""
    given = parser().parse(argv)
    if given.suites and given.what not in ("suites", "cases"):
        raise UsageError(f"unknown argument: {given.suites[0]}; only suites and cases are listed of suites")
    lines = list(_LISTS[given.what](given))
    _output.to_stdout("".join(f"{line}\n" for line in lines))
    return 0


def first_line(documented: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _list_suites(given: argparse.Namespace) -> Iterable[str]:
    for one in _suites.find(given.suites):
        yield _suites.name_of(one.path)


def _list_cases(given: argparse.Namespace) -> Iterable[str]:
    options = Options(fallback_contract=given.contract, env=environment(given.env))
    found = _suites.find(given.suites)
    for _, suite in _suites.load_all(found, options, named=bool(given.suites)):
        for case in suite.cases:
            yield f"{suite.name}::{case.id}  {case.severity:<8}  {case.title}"


def _list_contracts(given: argparse.Namespace) -> Iterable[str]:
    from importlib.metadata import entry_points  # start-up: only this list asks

    installed = {point.name: point.value for point in entry_points(group=contracts.ENTRY_POINTS)}
    for name, module in {**installed, **contracts.BUILT_IN}.items():
        yield f"{name:<16}  {module}"


def _list_expectations(given: argparse.Namespace) -> Iterable[str]:
    for word in expectations.WORDS:
        yield f"{word:<24}  {first_line(expectations.find(word))}"


def _list_rules(given: argparse.Namespace) -> Iterable[str]:
    for rule in rules.table().values():
        yield f"{rule.id:<27}  {rule.severity:<8}  {rule.sentence}"


def _list_operations(given: argparse.Namespace) -> Iterable[str]:
    for name, operation in OPERATIONS.items():
        keys = ", ".join(f"{key}*" if key in operation.required else key for key in operation.keys)
        yield f"{name:<10}  {operation.summary}" + (f" ({keys})" if keys else "")


def _list_formats(given: argparse.Namespace) -> Iterable[str]:
    for name, told in reporters.FORMATS.items():
        yield f"{name:<10}  {told}"


_LISTS: Final[Mapping[str, Callable[[argparse.Namespace], Iterable[str]]]] = {
    "suites": _list_suites,
    "cases": _list_cases,
    "contracts": _list_contracts,
    "expectations": _list_expectations,
    "rules": _list_rules,
    "operations": _list_operations,
    "formats": _list_formats,
}
