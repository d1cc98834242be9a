"""argv -> one command; the only file that reads argv. A command is imported only when it is asked for."""

from __future__ import annotations

import sys

COMMANDS = {
    "run": "run suites, print one JSON report, exit by the gate",
    "check": "load suites only and show every mistake; runs nothing",
    "list": "list suites, cases, contracts, expectations, operations or formats",
    "explain": "explain an expectation, an operation or a code, with an example",
    "schema": "print the JSON Schema of a suite or of a report",
    "report": "render a saved report in another format",
    "completion": "print a completion script for a shell",
}

_HELP = """\
  evalkit run suites/my-suite.yaml                     run one suite
  evalkit eval:agent-context --failure-threshold 0     run a shipped contract's suite as a gate

evalkit drives the contract of an agent-facing surface from declarative suites.

commands:
{commands}
  eval:NAME    run the contract NAME with its shipped suite, or with --fixture FILE

`evalkit COMMAND --help` shows the flags of each. Exit codes: 0 passed, 1 threshold exceeded,
2 usage, 3 harness, 4 incomplete, 5 nothing ran, 130 and 143 signal.
"""


def main(argv: list[str] | None = None) -> int:
    """Run one command and give its exit code."""
    words = sys.argv[1:] if argv is None else argv
    name, rest = (words[0], words[1:]) if words else ("--help", [])
    if name in ("--help", "-h", "help"):
        print(
            _HELP.format(commands="\n".join(f"  {one:<12} {told}" for one, told in COMMANDS.items())), end=""
        )
        return 0
    if name in ("--version", "-V"):
        from evalkit import __version__  # start-up: only this flag asks

        print(f"evalkit {__version__}")
        return 0
    return _command(name, rest)


def _command(name: str, rest: list[str]) -> int:
    if name.startswith("eval:"):
        from evalkit.commands import run  # start-up: one command a process

        return run.main(rest, contract=name.removeprefix("eval:"))
    if name not in COMMANDS:
        return _unknown(name)
    from importlib import import_module  # start-up: one command a process

    command = import_module(f"evalkit.commands.{name}").main
    return int(import_module("evalkit.commands._door").enter(command, rest))


def _unknown(name: str) -> int:
    from difflib import get_close_matches  # start-up: only a slip asks

    near = get_close_matches(name, [*COMMANDS, "eval:agent-context"], 1)
    remedy = f"did you mean `{near[0]}`?" if near else "`evalkit --help` lists them"
    print(f"evalkit: there is no command {name!r}; {remedy}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
