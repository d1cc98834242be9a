"""`evalkit serve`: run the program of a contract, so that clients and suites reach it live."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from evalkit import contracts
from evalkit.commands import _output
from evalkit.commands._arguments import Arguments
from evalkit.contracts import BUILT_IN, Located, UnknownContract
from evalkit.errors import UsageError
from evalkit.values import parse_json

_EVALUATION = "--accept-fixtures"
_WARNING = (
    "WARNING: --accept-fixtures is for evaluation only: any program on this machine may have this contract"
    " answer over data and settings of its own choice"
)


def parser() -> Arguments:
    """The flags, those of the programs of the shipped contracts among them."""
    made = Arguments(
        "serve",
        "evalkit serve agent-context --demo",
        "Serve a contract, live.",
    )
    served = [name for name in BUILT_IN if program_of(contracts.locate(name))]
    made.add_argument("contract", metavar="CONTRACT", choices=served, help=", ".join(served))
    made.add_argument(_EVALUATION, action="store_true", help="for evaluation only: take cases' fixtures")
    for name in served:
        importlib.import_module(program_of(contracts.locate(name))).add_flags(made)
    return made


def main(argv: list[str]) -> int:
    """Run the program until it ends, and give its exit code."""
    named = bool(argv) and not argv[0].startswith("-")
    if {"-h", "--help"} & set(argv) and (not named or argv[0] in BUILT_IN):
        parser().print_help()
        return 0
    if not named:
        raise UsageError("name the contract first: `evalkit serve agent-context`")
    name, *rest = argv
    located, program = _find(name)
    run = importlib.import_module(program).main
    code = run(
        [word for word in rest if word != _EVALUATION],
        prog=f"evalkit serve {name}",
        wrap=_lent(located) if _EVALUATION in rest else _as_it_is,
    )
    return int(code)


def program_of(located: Located) -> str:
    """The module `main` beside a contract's subject, where it is one that serves; else empty."""
    package = located.module.rpartition(".")[0]
    if package in ("", contracts.__name__):
        return ""
    program = f"{package}.main"
    found = importlib.util.find_spec(program) is not None
    return program if found and hasattr(importlib.import_module(program), "add_flags") else ""


def _find(name: str) -> tuple[Located, str]:
    if name.startswith("python:") and "" not in sys.path:
        sys.path.insert(0, "")
    try:
        located = contracts.locate(name)
    except UnknownContract as unknown:
        raise UsageError(str(unknown)) from None
    program = program_of(located)
    if not program:
        raise UsageError(
            f"the contract {name!r} has no program to serve it: no `main` beside {located.module}"
        )
    return located, program


def _lent(located: Located) -> Callable[[Any], Any]:
    """Puts the evaluation's own way in around the app that is served."""
    # Start-up: only this flag asks.
    from evalkit.evaluation import lend
    from evalkit.schemas import compile_schema

    _output.say(f"evalkit: {_WARNING}")
    file = contracts.schema_file(located)
    schema = compile_schema(parse_json(file.read_bytes())) if file else None
    return functools.partial(lend, contracts.opener(located), fixture_schema=schema)


def _as_it_is(app: Any) -> Any:
    return app
