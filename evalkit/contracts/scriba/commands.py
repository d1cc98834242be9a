"""The commands of the program: their flags, what else they refuse, and their help (spec 8.1, 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from .flags import Flag, Given

_COLUMN: Final = 22


class Command(NamedTuple):
    """A command: `words` is what its example says after it, `refusal` says why a command line is refused."""

    name: str
    told: str
    words: str
    flags: tuple[Flag, ...]
    refusal: Callable[[Given], str]


def profile_problem(value: str, is_repeated: bool) -> str:
    """Whether it exists is not asked here, so neither is its shape (spec 8.1)."""
    if not value:
        return "profile id is required"
    return "profile may be provided only once" if is_repeated else ""


def context_refusal(given: Given) -> str:
    """Other words are refused first, then that JSON was not asked for (spec 8.1)."""
    if given.rest:
        return "scriba context does not accept positional arguments"
    return "" if given.text("json") == "true" else "scriba context requires --json"


def mcp_refusal(given: Given) -> str:
    """Other words than flags."""
    return "scriba mcp does not accept positional arguments" if given.rest else ""


def server_refusal(given: Given) -> str:
    """Other words than flags."""
    return "scriba server run does not accept positional arguments" if given.rest else ""


def seed_refusal(given: Given) -> str:
    """Anything but two words."""
    return "" if len(given.rest) == 2 else "scriba seed needs two arguments: FIXTURE DIR"


_PLACES: Final = (
    Flag("config", "the configuration (default ~/.config/scriba/config.json)", "path"),
    Flag("cache-dir", "the folder of scriba.sqlite", "dir"),
    Flag("state-path", "the file of the server", "path"),
)

COMMANDS: Final = (
    Command(
        "context",
        "print quotas, budgets, grants and events as one document",
        "--json",
        (
            Flag("json", "print JSON (required)"),
            Flag("profile", "a profile other than the default", "id", profile_problem),
            *_PLACES,
        ),
        context_refusal,
    ),
    Command("mcp", "answer MCP on standard input and output", "", _PLACES, mcp_refusal),
    Command("server run", "answer on a Unix socket of the owner alone", "", _PLACES, server_refusal),
    Command("seed", "fill a folder with databases to try it on", "FIXTURE DIR", (), seed_refusal),
)


def find(commands: Sequence[Command], argv: Sequence[str]) -> tuple[Command | None, Sequence[str]]:
    """The command that argv names, and what follows; None where it names none."""
    for command in commands:
        words = command.name.split()
        if list(argv[: len(words)]) == words:
            return command, argv[len(words) :]
    return None, argv


def explain(prog: str, command: Command) -> str:
    """The help of one command."""
    lines = [f"usage: {' '.join(filter(None, (prog, command.name, command.words)))}", "", command.told, ""]
    lines += [
        f"  {' '.join(filter(None, (f'--{flag.name}', flag.value))):<{_COLUMN}} {flag.told}"
        for flag in command.flags
    ]
    return "\n".join(lines).strip() + "\n"


def explain_all(prog: str, commands: Sequence[Command]) -> str:
    """The help of the program."""
    lines = [f"usage: {prog} {commands[0].name} {commands[0].words}", "", "commands:"]
    lines += [f"  {command.name:<{_COLUMN}} {command.told}" for command in commands]
    return "\n".join((*lines, "", f"`{prog} COMMAND --help` shows the flags of each.")) + "\n"
