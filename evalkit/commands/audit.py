"""`evalkit audit`: hold anyone's MCP server against the universal rules, without a suite of one's own."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Sequence
from typing import Final

from evalkit import targets
from evalkit.commands import _run_arguments, _suites, _targets
from evalkit.commands._arguments import Arguments, environment
from evalkit.commands._harmless import add_allow_writes, is_read_only
from evalkit.commands._judging import judged
from evalkit.commands._probing import advertised
from evalkit.commands._run_arguments import RunOptions
from evalkit.errors import UsageError
from evalkit.loader import Options
from evalkit.model import Json, Target

CALLS: Final = "calls:"
"""Before the name of a tool: what a target provides whose tool may be called."""

REVISION: Final = "revision:"
"""Before the revision that was negotiated."""

CANARY: Final = "EVALKIT_AUDIT_CANARY"
"""The variable that a started server finds; a server that shows its environment shows this."""

_PLANTED: Final = "evalkit-audit-canary-5f1d0c8e"


def parser() -> Arguments:
    """The flags."""
    told = "Hold an MCP server against the universal rules: nothing that may write is called unasked."
    made = Arguments("audit", "evalkit audit 'stdio:npx -y some-server'", told)
    made.add_argument("target", metavar="TARGET", help="stdio:COMMAND, http://HOST:PORT/PATH, unix:SOCKET")
    add_allow_writes(made)
    made.add_argument(
        "--env", metavar="NAME", action="append", default=[], help="an environment variable for the target"
    )
    _run_arguments.add_which(made)
    _run_arguments.add_how(made)
    return made


def main(argv: list[str]) -> int:
    """Audit, and give the exit code."""
    return judged(argv, _parse)


def _parse(argv: list[str]) -> RunOptions:
    given = parser().parse(argv)
    env = environment(given.env)
    target = _guarded(_targets.named(given.target, env))
    ask = functools.cache(lambda: _callable(advertised("", target, None, None, partial=True)))
    target = target._replace(provides=target.provides | _provided(ask(), given.allow_writes))
    load = Options(env=env, advertised=_always(ask), target=target)
    return _run_arguments.made_of(given, [_suites.shipped_suite(_suites.UNIVERSAL)], [_again(given)], load)


def _guarded(target: Target) -> Target:
    """The target, shared by all cases; a program finds in its environment what must not come back."""
    target = target._replace(share=True)
    if not isinstance(target.via, targets.Launch):
        return target
    launch = target.via._replace(env=(*target.via.env, (CANARY, _PLANTED)))
    return target._replace(via=launch, secrets=(*target.secrets, (f"target.env.{CANARY}", _PLANTED)))


def _always(ask: Callable[[], Json]) -> Callable[[str, Target | None, Json, Json], Json]:
    """The manifest that was read already, whoever asks."""
    return lambda _contract, _target, _fixture, _settings: ask()


def _callable(manifest: Json) -> Json:
    """The manifest with the tools that can be called: each that has a name, once. Rules judge the whole."""
    listed = manifest.get("tools")
    tools = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
    named = {tool["name"]: tool for tool in tools if isinstance(tool.get("name"), str) and tool["name"]}
    return {**manifest, "tools": list(named.values())}


def _provided(manifest: Json, allowed: Sequence[str]) -> frozenset[str]:
    """Words for the revision that is spoken, and for each tool that may be called.

    That is one that is declared read-only, or was allowed by name.
    """
    named = {tool["name"]: tool for tool in manifest["tools"]}
    for name in allowed:
        if name not in named:
            raise UsageError(f"--allow-writes {name}: the server advertises no such tool")
    harmless = {name for name, tool in named.items() if is_read_only(tool)}
    spoken = manifest.get("protocolVersion")
    return frozenset((f"{REVISION}{spoken}", *(f"{CALLS}{name}" for name in harmless | set(allowed))))


def _again(given: argparse.Namespace) -> list[str]:
    words = ["audit", given.target]
    for name in given.allow_writes:
        words += ["--allow-writes", name]
    for name in given.env:
        words += ["--env", name]
    return words
