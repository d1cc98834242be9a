"""The command line as one value: every rule under its name, each replaceable on its own (spec 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from . import commands, config, flags, writing
from .commands import Command
from .config import Config
from .flags import Flag, Given
from .mcp.rules import McpRules
from .nouns import Json, Paths


class CliRules(NamedTuple):
    """Every rule; `program` knows their order."""

    # what is asked
    commands: tuple[Command, ...] = commands.COMMANDS
    parse: Callable[[Sequence[Flag], Sequence[str]], Given] = flags.parse

    # where everything is
    read_config: Callable[[str, Mapping[str, str]], Config] = config.read
    find_paths: Callable[[Config, str, str, Mapping[str, str]], Paths] = config.find_paths
    find_socket: Callable[[Config, Paths], str] = config.find_socket

    # how it is answered
    pretty: Callable[[Json], bytes] = writing.pretty
    mcp: McpRules = McpRules()
