"""The ways in, one file each, named like the word of `over:`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from typing import Final, cast

from evalkit.plugins import Driver
from evalkit.surfaces import Command

DRIVERS: Final[Mapping[str, str]] = {
    "cli": "cli",
    "direct": "direct",
    "http": "http",
    "mcp": "mcp",
}


def start_early(command: Command) -> None:
    """Start a program that the next case will need."""
    from evalkit.drivers import _child  # start-up: in memory no process is started

    _child.start_early(command)


def end_early() -> None:
    """End what was started early, and is not needed."""
    if child := sys.modules.get(f"{__name__}._child"):
        child.end_early()


@cache
def find(word: str) -> Driver | None:
    """The driver of a way in, or None where evalkit has none yet."""
    if word not in DRIVERS:
        return None
    return cast("Driver", importlib.import_module(f"{__name__}.{DRIVERS[word]}"))
