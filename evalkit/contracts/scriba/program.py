"""The program `scriba`: argv and three streams in, an exit code out; it knows no process (spec 8)."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import IO, Final, NamedTuple

from .cli_rules import CliRules
from .commands import explain, explain_all, find
from .config import Config, ConfigInvalid
from .flags import FlagWrong, Given, HelpAsked
from .mcp import messages, stdio
from .nouns import Paths, Profiles, ProfileUnavailable, Service

RULES: Final = CliRules()

_HELP: Final = {"--help", "-help", "-h", "help"}


class Canceled(BaseException):
    """Nobody wants the answer any more: Ctrl-C or SIGTERM, where there are signals."""


class CannotRun(Exception):
    """What was asked for cannot be done here; the message says why, for a person."""


class Surroundings(NamedTuple):
    """What the program reaches besides its streams.

    `open_service(paths, profiles)` opens no file yet. `serve(service, socket)` answers until it is asked to
    stop; `seed(fixture, folder)` writes databases and gives the flags that lead there. Both raise CannotRun.
    Canceled may be raised in the block that `interruptible` gives, and nowhere else.
    """

    environment: Mapping[str, str]
    open_service: Callable[[Paths, Profiles], Service]
    serve: Callable[[Service, str], None]
    seed: Callable[[str, str], Sequence[str]]
    interruptible: Callable[[], AbstractContextManager[object]] = nullcontext


def main(
    argv: Sequence[str],
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
    around: Surroundings,
    *,
    prog: str = "scriba",
    rules: CliRules = RULES,
) -> int:
    """Run one command and give its exit code: 0, or 1 with the reason on stderr and nothing on stdout."""
    command, words = find(rules.commands, argv)
    if command is None:
        whole = explain_all(prog, rules.commands)
        return _tell(stdout, stderr, whole) if _HELP & {*argv[:2]} else _refuse(stderr, _unknown(argv, whole))
    try:
        given = rules.parse(command.flags, words)
    except HelpAsked:
        return _tell(stdout, stderr, explain(prog, command))
    except FlagWrong as problem:
        return _refuse(stderr, f"{explain(prog, command)}{problem}")
    if refusal := command.refusal(given):
        return _refuse(stderr, refusal)
    try:
        text = _RUN[command.name](_Asked(prog, given, stdin, stdout, around, rules))
    except (ConfigInvalid, ProfileUnavailable, CannotRun) as problem:
        return _refuse(stderr, str(problem))
    except Canceled:
        return _refuse(stderr, "context canceled")
    except OSError as problem:
        return _refuse(stderr, f"scriba: {problem.strerror}")
    return _tell(stdout, stderr, text)


class _Asked(NamedTuple):
    """A command line that makes sense, and what is there to answer it."""

    prog: str
    given: Given
    stdin: IO[bytes]
    stdout: IO[bytes]
    around: Surroundings
    rules: CliRules

    def configured(self) -> tuple[Config, Paths]:
        """The configuration, and the databases that it and the flags lead to."""
        text, environment = self.given.text, self.around.environment
        config = self.rules.read_config(text("config"), environment)
        paths = self.rules.find_paths(config, text("cache-dir"), text("state-path"), environment)
        return config, paths

    def opened(self) -> Service:
        """The service over these databases."""
        config, paths = self.configured()
        return self.around.open_service(paths, config.profiles)


def _context(asked: _Asked) -> str:
    with asked.around.interruptible():
        document = asked.opened().context(asked.given.values.get("profile"))
        return asked.rules.pretty(document).decode() + "\n"


def _mcp(asked: _Asked) -> str:
    """A signal is an end like any other (spec 7.6)."""
    with suppress(Canceled), asked.around.interruptible():
        answer = functools.partial(messages.answer, asked.rules.mcp, asked.opened())
        stdio.serve(asked.stdin, asked.stdout, answer)
    return ""


def _server_run(asked: _Asked) -> str:
    config, paths = asked.configured()
    if not config.is_served:
        raise CannotRun(
            "server.contextAPI.enabled is not true in the configuration: there is nothing to serve"
        )
    service = asked.around.open_service(paths, config.profiles)
    asked.around.serve(service, asked.rules.find_socket(config, paths))
    return ""


def _seed(asked: _Asked) -> str:
    fixture, folder = asked.given.rest
    with asked.around.interruptible():
        flags = asked.around.seed(fixture, folder)
    return f"{shlex.join((*asked.prog.split(), 'context', '--json', *flags))}\n"


_RUN: Final[Mapping[str, Callable[[_Asked], str]]] = {
    "context": _context,
    "mcp": _mcp,
    "server run": _server_run,
    "seed": _seed,
}


def _unknown(argv: Sequence[str], whole: str) -> str:
    return (
        f"{whole}scriba: there is no command {' '.join(argv[:2])!r}"
        if argv
        else f"{whole}scriba: name a command"
    )


def _tell(stdout: IO[bytes], stderr: IO[bytes], text: str) -> int:
    """A reader that has gone away is no fault."""
    try:
        stdout.write(text.encode("utf-8", "surrogateescape"))
        stdout.flush()
    except BrokenPipeError:
        return 0
    except OSError as problem:
        return _refuse(stderr, f"standard output could not be written: {problem.strerror}")
    return 0


def _refuse(stderr: IO[bytes], reason: str) -> int:
    with suppress(OSError):  # nobody may be left to be told
        stderr.write(reason.encode("utf-8", "surrogateescape") + b"\n")
        stderr.flush()
    return 1
