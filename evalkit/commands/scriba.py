"""`evalkit scriba`: the program of the contract of that name, on this machine's files or seeded ones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from evalkit.commands._arguments import Arguments
from evalkit.contracts import Located, schema_file
from evalkit.contracts.scriba import main as process
from evalkit.contracts.scriba.commands import COMMANDS
from evalkit.errors import Mistake, SuiteError
from evalkit.model import Json

_PROG = "evalkit scriba"


def parser() -> Arguments:
    """The flags, for a completion script: the program itself reads them as Go does."""
    made = Arguments("scriba", f"{_PROG} context --json", "Show the Scriba context.")
    below = made.add_subparsers(parser_class=argparse.ArgumentParser)
    for command in COMMANDS:
        name, *second = command.name.split()
        one = below.add_parser(name, help=command.told)
        for flag in command.flags:
            one.add_argument(f"--{flag.name}", help=flag.told, action="store" if flag.value else "store_true")
        if second:
            one.add_argument("command", choices=second)
    return made


def main(argv: list[str]) -> int:
    """Run the program, and give its exit code."""
    return process.main(argv, prog=_PROG, read_fixture=_read_fixture)


def _read_fixture(path: str) -> Json:
    """A fixture as suites write it, JSON or YAML. Raises SuiteError with every mistake in it."""
    # Start-up: only `seed` reads a fixture.
    from evalkit.literals import LiteralError, Scope, evaluate
    from evalkit.schemas import compile_schema
    from evalkit.text import read_document
    from evalkit.values import dotted, parse_json

    document = read_document(Path(path), path)

    def mistake(at: tuple[str | int, ...], code: str, message: str, remedy: str) -> Mistake:
        line, column = document.place(at)
        return Mistake(code, message, remedy, path, line, column, document.excerpt(line))

    try:
        fixture = evaluate(document.data, Scope(_no_name))
    except LiteralError as problem:
        raise SuiteError([mistake(problem.path, problem.code, problem.message, problem.remedy)]) from None
    file = schema_file(Located("scriba", process.__name__))
    violations = compile_schema(parse_json(file.read_bytes())).violations(fixture) if file else ()
    remedy = "the contract's fixture schema says what its databases can hold"
    wrong = [
        mistake(one.path, "fixture-invalid", f"{dotted(one.path) or 'the fixture'}: {one.message}", remedy)
        for one in violations
    ]
    if wrong:
        raise SuiteError(wrong)
    return fixture


def _no_name(name: str) -> NoReturn:
    raise LookupError("a fixture that is seeded has no rows and no captures")
