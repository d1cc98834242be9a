"""argv -> one command; the only file that reads argv. A command is imported only when it is asked for."""

from __future__ import annotations

import os
import sys

from evalkit.commands import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

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
    """Run one command and give its exit code; without `argv` the process ends with it."""
    words = sys.argv[1:] if argv is None else argv
    try:
        code = _command(words[0], words[1:]) if words else _slip("no command is given", "")
    except ImportError as problem:
        _say(f"it cannot be started, since its installation is not whole: {problem}")
        code = 3
    except KeyboardInterrupt:
        code = 130
    return _leave(code) if argv is None else code


def _command(name: str, rest: list[str]) -> int:
    if name in ("--help", "-h", "help"):
        told = "\n".join(f"  {one:<12} {told}" for one, told in COMMANDS.items())
        return _print(_HELP.format(commands=told))
    if name in ("--version", "-V"):
        from evalkit import __version__  # start-up: only this flag asks

        return _print(f"evalkit {__version__}\n")
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

    near = get_close_matches(name, [*COMMANDS, "eval:agent-context", "--help", "--version"], 1)
    return _slip(f"there is no command {name!r}", f"did you mean `{near[0]}`?" if near else "")


def _slip(message: str, remedy: str) -> int:
    from evalkit.commands import _door  # start-up: only a slip asks

    return _door.refuse(f"{message}; {remedy or '`evalkit --help` lists them'}")


def _say(message: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"evalkit: {message}\n")


def _leave(code: int) -> NoReturn:
    """End at once: what a contract left to be done at the end could take long, or change the exit code."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def _print(text: str) -> int:
    """Write to standard output; a reader that has gone away is no fault."""
    try:
        os.write(1, text.encode())
    except BrokenPipeError:
        return 0
    except OSError as problem:
        _say(f"standard output could not be written: {problem.strerror}")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
