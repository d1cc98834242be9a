"""What the parsers of all commands share: an example first, and a nearest name for a misspelt flag."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from evalkit.commands import _output
from evalkit.errors import UsageError


class Arguments(argparse.ArgumentParser):
    """A parser that raises UsageError, with a remedy, in place of leaving the process."""

    def __init__(self, prog: str, example: str, description: str) -> None:
        """`example` is the first thing that --help shows."""
        super().__init__(
            prog=f"evalkit {prog}",
            usage=f"{example}\n\n{description}",
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def parse(self, argv: list[str]) -> argparse.Namespace:
        """Parse all of argv; flags and other words may stand in any order."""
        known, rest = self.parse_known_intermixed_args(argv)
        if rest:
            raise UsageError(f"unknown argument: {rest[0]}{self._nearest(rest[0])}")
        return known

    def print_help(self, file: object = None) -> None:
        """Where the report would go."""
        _output.to_stdout(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Every complaint of argparse ends here."""
        raise UsageError(message)

    def _nearest(self, word: str) -> str:
        flags = [flag for action in self._actions for flag in action.option_strings]
        near = nearest(word.partition("=")[0], flags)
        return f"; did you mean {near}?" if near else f"; `{self.prog} --help` shows the flags"


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to a misspelt one, or nothing."""
    from difflib import get_close_matches  # start-up: only a slip asks

    return next(iter(get_close_matches(word, list(known), 1)), "")


def count(text: str) -> int:
    """A non-negative decimal integer, and nothing else that int() would take."""
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no non-negative decimal integer; write 0, 1, 2 …")
    return int(text)


def positive(text: str) -> int:
    """A decimal integer of at least 1."""
    if (number := count(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is less than 1; write 1, 2 …")
    return number


def seconds(text: str) -> float:
    """A positive number of seconds."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text, re.ASCII) or float(text) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number of seconds; write 30 or 0.5")
    return float(text)


def environment(names: Sequence[str]) -> Mapping[str, str]:
    """The values of the variables that --env names. Raises UsageError where there is none."""
    for name in names:
        if name not in os.environ:
            remedy = "set it, or leave the flag out"
            raise UsageError(f"--env {name}: there is no such environment variable; {remedy}")
    return {name: os.environ[name] for name in names}


def one_of(choices: Mapping[str, object] | tuple[str, ...]) -> Callable[[str], str]:
    """One of some words; a misspelt one gets the nearest."""

    def chosen(text: str) -> str:
        if text in choices:
            return text
        near = nearest(text, choices)
        remedy = f"did you mean {near!r}?" if near else f"write one of {', '.join(choices)}"
        raise argparse.ArgumentTypeError(f"{text!r} is not known; {remedy}")

    return chosen
