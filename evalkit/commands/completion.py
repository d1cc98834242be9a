"""`evalkit completion`: a completion script for a shell."""

from __future__ import annotations

import argparse
from importlib import import_module

import shtab

from evalkit.commands import COMMANDS, _output
from evalkit.commands._arguments import Arguments, one_of


def parser() -> Arguments:
    """The flags."""
    made = Arguments("completion", "evalkit completion bash > ~/.evalkit.bash", "Print a completion script.")
    made.add_argument(
        "shell", type=one_of(tuple(shtab.SUPPORTED_SHELLS)), help=", ".join(shtab.SUPPORTED_SHELLS)
    )
    return made


def main(argv: list[str]) -> int:
    """Print the script, and give the exit code."""
    shell = parser().parse(argv).shell
    whole = argparse.ArgumentParser(prog="evalkit")
    commands = whole.add_subparsers()
    for name, told in COMMANDS.items():
        own = import_module(f"evalkit.commands.{name}").parser()
        commands.add_parser(name, help=told, parents=[own], add_help=False)
    _output.to_stdout(f"{shtab.complete(whole, shell)}\n")
    return 0
