"""Opens the Scriba contract over fresh database files that a fixture describes, for one case."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from evalkit.model import Json, Subject, World
from evalkit.surfaces import AppSurface, McpSurface, Messages, Program

from . import program
from .cli_rules import CliRules
from .localapi.app import make_app
from .localapi.rules import API, ApiRules
from .mcp import messages, stdio
from .mcp.catalogue import GET_CONTEXT
from .mcp.rules import McpRules
from .nouns import Instant, Paths, Profiles
from .rules import RULES, ScribaRules
from .seed import CONFIG_FILE, profiles_of, seed
from .service import ScribaService
from .store.holding import rows_of

_CACHE: Final = "cache"
_STORE: Final = "store"
_PLACED: Final = ("context", "mcp")
"""The commands that take the places of the databases as flags."""


class Policy(NamedTuple):
    """Every rule of the contract; those of one part can be replaced by `changed`."""

    scriba: ScribaRules = RULES
    api: ApiRules = API
    mcp: McpRules = McpRules()
    cli: CliRules = CliRules()

    def changed(self, part: str, **rules: Any) -> Policy:
        """The same policy but for some rules of one part. Raises ValueError for a rule that is not in it."""
        return self._replace(**{part: getattr(self, part)._replace(**rules)})


def open_subject(world: World, policy: Policy = Policy()) -> Subject:  # noqa: B008  a value like any other
    """The contract as it ships, or with some of its rules replaced."""
    world.log.declare(_CACHE, _STORE)
    files = _Files(world)
    service = _Service(files, _noted(policy.scriba, world.log.read))
    answer = functools.partial(messages.answer, policy.mcp, service)

    def lines(line: bytes) -> Iterable[bytes]:
        told = stdio.reply(line, answer)
        return () if told is None else (told,)

    return Subject(
        surfaces={
            "direct": _Direct(answer),
            "mcp": McpSurface(Messages(lines), era="handshake"),
            "http": AppSurface(
                make_app(service, policy.api), host="scriba", awaits=False, request_of=request_of
            ),
            "cli": Program(functools.partial(_run, files, service, policy.cli), argv_of),
        },
        snapshot=files.held,
    )


def argv_of(tool: str, args: Json) -> list[str] | None:
    """The command that asks the same as a tool does; there is none for events (spec 8.1)."""
    if not _is_plain(tool, args):
        return None
    return ["context", "--json", *(("--profile", args["profile"]) if args else ())]


def request_of(tool: str, args: Json) -> dict[str, Json] | None:
    """The request that asks the same as a tool does; events come as a stream, never as a page (spec 6.4)."""
    return {"path": "/v1/context", "query": args or {}} if _is_plain(tool, args) else None


class _Files:
    """The databases of the World's fixture as it is now: made when first needed, and anew when it changes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._fixture: Json = ...
        self._paths = Paths("", "")

    def now(self) -> Instant:
        """The World's time."""
        return Instant(round(self._world.now() * 1_000_000_000))

    def paths(self) -> Paths:
        """Where they are."""
        if self._world.fixture is not self._fixture:
            self._fixture = self._world.fixture
            self._paths = seed(self._fixture, Path(self._world.folder(), f"seeded-{id(self._fixture)}"))
        return self._paths

    def home(self) -> str:
        """A home folder in which nothing is but the case's own."""
        return self._world.folder()

    def profiles(self) -> Profiles:
        """What its configuration says of profiles."""
        return profiles_of(self._world.fixture)

    def flags(self) -> list[str]:
        """The flags that lead to them."""
        paths = self.paths()
        config = Path(paths.cache_dir).parent / CONFIG_FILE
        configured = ["--config", str(config)] if config.exists() else []
        return [*configured, "--cache-dir", paths.cache_dir, "--state-path", paths.state_path]

    def held(self) -> Mapping[str, Json]:
        """What each database holds."""
        paths = self.paths()
        return {_CACHE: rows_of(f"{paths.cache_dir}/scriba.sqlite"), _STORE: rows_of(paths.state_path)}


class _Service:
    """The service over the files as they are at each call."""

    def __init__(self, files: _Files, rules: ScribaRules) -> None:
        self._files, self._rules = files, rules

    def over(self, paths: Paths, profiles: Profiles) -> ScribaService:
        """The service over given files."""
        return ScribaService(paths, profiles, self._files.now, self._rules)

    def context(self, profile: str | None) -> Json:
        """The document."""
        return self.over(self._files.paths(), self._files.profiles()).context(profile)

    def events(self, mode: str, cursor: str, limit: int, profile: str | None) -> Json:
        """A page."""
        return self.over(self._files.paths(), self._files.profiles()).events(mode, cursor, limit, profile)

    def replay(self, cursor: str, limit: int, most: int, profile: str | None) -> list[Json]:
        """Pages."""
        return self.over(self._files.paths(), self._files.profiles()).replay(cursor, limit, most, profile)


class _Direct(NamedTuple):
    """Plain calls of the two tools, without a session."""

    answer: Callable[[Json], Json]

    def manifest(self) -> Json:
        """The tools as they are listed."""
        return self._ask("tools/list", {})

    def call_tool(self, name: str, args: Json, *, headers: Json = None, meta: Json = None) -> Json:
        """A tool result. Headers and meta mean nothing here."""
        given = {} if args is None else {"arguments": args}
        return self._ask("tools/call", {"name": name, **given})

    def _ask(self, method: str, params: Json) -> Json:
        told = self.answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in told:
            return {"isError": True, "content": [{"type": "text", "text": told["error"]["message"]}]}
        return told["result"]


def _is_plain(tool: str, args: Json) -> bool:
    """Whether a flag and a query can say these args as well; what they cannot say has no match there."""
    if tool != GET_CONTEXT:
        return False
    if args is None or args == {}:
        return True
    return isinstance(args, dict) and args.keys() == {"profile"} and isinstance(args["profile"], str)


def _noted(rules: ScribaRules, note: Callable[[str], None]) -> ScribaRules:
    """The same rules, but that each opening of a database is told."""

    def opening(name: str, rule: Callable[[str], Any]) -> Callable[[str], Any]:
        def open_noted(path: str) -> Any:
            note(name)
            return rule(path)

        return open_noted

    return rules._replace(
        open_cache=opening(_CACHE, rules.open_cache), open_store=opening(_STORE, rules.open_store)
    )


def _run(
    files: _Files,
    service: _Service,
    rules: CliRules,
    argv: list[str],
    stdin: BinaryIO,
    stdout: BinaryIO,
    stderr: BinaryIO,
) -> int:
    """The program, led to the case's databases where a command reads them."""
    placed = [argv[0], *files.flags(), *argv[1:]] if argv and argv[0] in _PLACED else argv
    around = program.Surroundings({"HOME": files.home()}, service.over, _refuse, _refuse)
    return program.main(placed, stdin, stdout, stderr, around, rules=rules)


def _refuse(*_asked: Any) -> Any:
    raise program.CannotRun("in memory nothing is served or seeded")
