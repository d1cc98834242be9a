"""`evalkit init`: draft a suite from a server or a contract in memory, that holds of it as it is now."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from evalkit import contracts, drafting
from evalkit.commands import _output, _targets
from evalkit.commands._arguments import Arguments, environment
from evalkit.commands._harmless import add_allow_writes, is_read_only
from evalkit.commands._probing import Driven, advertised, answers
from evalkit.drafting import Asked, Seen
from evalkit.errors import HarnessError, SuiteError, UsageError
from evalkit.loader import Options, load
from evalkit.model import Call, Json
from evalkit.sampling import CannotSample, broken, sample
from evalkit.values import ABSENT, encode, parse_json

UNKNOWN_TOOL: Final = "evalkit_no_such_tool"

_WORD: Final = re.compile("[A-Za-z][A-Za-z0-9_-]*")
_PAUSE: Final = 1.1
"""Seconds between the calls of one process of the server and those of another."""

_TYPED: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Words that some reader of YAML takes for something else than a text."""

_LIVE: Final = ("stdio:", "http:", "https:", "unix:", "recording:", "{")
_HEAD: Final = (
    "# A draft: what the server answered once. Keep what is a promise, and delete what is chance.\n"
)


def parser() -> Arguments:
    """The flags."""
    told = "Draft a suite: the tools with their hints, a call and a wrong call of each that reads."
    made = Arguments("init", "evalkit init 'stdio:npx -y some-server' -o suites/server.yaml", told)
    made.add_argument("target", metavar="TARGET", help="a live target, or a contract")
    made.add_argument("-o", "--output", metavar="FILE", help="write the suite to this new file")
    add_allow_writes(made)
    made.add_argument("--env", metavar="NAME", action="append", default=[], help="an environment variable")
    return made


def main(argv: list[str]) -> int:
    """Write the suite, and give the exit code."""
    given = parser().parse(argv)
    env = environment(given.env)
    if given.output and os.path.exists(given.output):
        raise UsageError(f"{given.output} is there already; name a new file, or delete it")
    driven, head = _driven(given.target, env)
    manifest = advertised(driven.contract, driven.target, driven.fixture, None)
    suite = drafting.draft(_seen(driven, manifest, given.allow_writes), head)
    text = _HEAD + written(suite)
    _check(text)
    if given.output is None:
        _output.to_stdout(text)
    else:
        with contextlib.suppress(OSError):  # that it cannot be written is told below
            os.makedirs(os.path.dirname(given.output) or ".", exist_ok=True)
        _output.to_file(given.output, text)
        again = f"`evalkit run {_path(given.output)}` runs them"
        _output.say(f"{given.output}: {len(suite['cases'])} cases; {again}")
    return 0


def written(suite: Json) -> str:
    """A suite as YAML that means the same to any reader of YAML."""
    text: str = yaml.dump(suite, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return text


def _driven(word: str, env: Mapping[str, str]) -> tuple[Driven, Mapping[str, Json]]:
    """What is asked, and what a suite says of it."""
    if word.startswith(_LIVE):
        target = _targets.named(word, env)._replace(share=True)
        written = parse_json(word) if word.startswith("{") else drafting.escaped(word)
        return Driven("", target), {"target": written}
    try:
        contracts.locate(word)
    except contracts.UnknownContract as problem:
        raise UsageError(f"{problem}; a live target begins with stdio:, http: or unix:") from None
    return Driven(word, None, {}), {"contract": word, "defaults": {"fixture": {}}}


def _seen(driven: Driven, manifest: Json, allowed: Sequence[str]) -> Seen:
    listed = manifest.get("tools")
    tools = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
    named = {str(tool.get("name")): tool for tool in tools}
    for name in allowed:
        if name not in named:
            raise UsageError(f"--allow-writes {name}: there is no such tool")
    chosen = [tool for name, tool in named.items() if name in allowed or is_read_only(tool)]
    happy = list(_drawn(chosen, wrong=False))
    wrong = list(_drawn(chosen, wrong=True))
    probes = [[_call(*one), _call(*one)] for one in happy] + [[_call(*one)] for one in wrong]
    probes.append([_call(UNKNOWN_TOOL, {})])
    first = answers(driven, probes)
    if driven.target is not None and happy:
        time.sleep(_PAUSE)  # what tells the time tells another
        again = answers(driven, [[_call(*one)] for one in happy])
        first[: len(happy)] = [[*one, *later] for one, later in zip(first, again, strict=False)]
    came = iter(first)
    return Seen(
        manifest,
        list(_answered(happy, came)),
        list(_answered(wrong, came)),
        next(_answered([(UNKNOWN_TOOL, {})], came), None),
    )


def _answered(
    calls: Sequence[tuple[str, Json]], came: Iterator[Sequence[Mapping[str, Json]]]
) -> Iterator[Asked]:
    """The calls that got an answer, with it; the others are told of."""
    for (tool, args), roots in zip(calls, came, strict=False):
        if roots:
            yield Asked(tool, args, roots)
        else:
            _output.say(f"evalkit: {tool} {encode(args)} got no answer, and is left out")


def _drawn(tools: Sequence[Json], *, wrong: bool) -> Iterator[tuple[str, Json]]:
    """Each tool with small arguments, or with some that are wrong in a way that its schema refuses."""
    for tool in tools:
        drawn = _wrong(tool.get("inputSchema", {})) if wrong else _right(tool.get("inputSchema", {}))
        if drawn is not ABSENT:
            yield tool["name"], drawn


def _right(schema: Json) -> Json:
    try:
        return sample(schema)
    except CannotSample:
        return ABSENT


def _wrong(schema: Json) -> Json:
    for how in ("missing", "mistyped", "extra"):
        with contextlib.suppress(CannotSample):
            return broken(schema, how)
    return ABSENT


def _call(tool: str, args: Json) -> Call:
    return Call("tool", {"tool": tool} if args is ABSENT else {"tool": tool, "args": args})


def _check(text: str) -> None:
    """Load the draft as `evalkit check` does. Raises HarnessError: that it does not load is our fault."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "draft.yaml")
        file.write_text(text, encoding="utf-8")
        try:
            load(file, lambda path: path.name, Options())
        except SuiteError as problem:
            first = problem.mistakes[0]
            told = f"line {first.line}: {first.message}"
            raise HarnessError(f"the draft does not load, which is a fault of evalkit: {told}") from None


def _path(path: str) -> str:
    return path if "/" in path else f"./{path}"


class _Dumper(yaml.SafeDumper):
    """Block style without aliases, every text in quotes but plain words."""

    def ignore_aliases(self, data: Any) -> bool:
        """Nothing is named and pointed to."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    bare = _WORD.fullmatch(text) and text.lower() not in _TYPED
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if bare else '"')


_Dumper.add_representer(str, _text)
