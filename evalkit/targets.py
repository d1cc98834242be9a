"""Where a live target is, as a suite or the command line writes it -> a Target."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from evalkit.model import Json, Path, Target

WORLDS: Final = "/.well-known/evalkit/worlds"
"""The path that takes fixtures, where nothing else is said."""

FIXTURES: Final = "fixtures"

SOURCE_LOG: Final = "source-log"

PATIENCE: Final = 30.0
"""Seconds that a program may take for an answer, where the target says nothing else."""

RECORDING: Final = "recording"

_LAUNCHED: Final = ("stdio", "cli")
_WAYS: Final = (*_LAUNCHED, "unix", "http")
_HTTP: Final = ("http", "https")
_REMEDY: Final = "write http://127.0.0.1:5555/mcp"
_BARE: Final = re.compile(r"[!-~]+")
_PATH: Final = re.compile(r"/[!\"$->@-~]*")
_AFTER_BRACKET: Final = re.compile(r"\][^:]")
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD: Final = re.compile(r"[\t -~]*")
_HERE: Final = re.compile(r"localhost|127(?:\.[0-9]{1,3}){3}|::1")


class Launch(NamedTuple):
    """A program that is started: its environment as pairs, and the seconds for its first and other answers.

    `cli` says that it is a command line, and no server. A fixture goes to a file, which an environment
    variable names, or which stands behind an argument.
    """

    argv: tuple[str, ...]
    cli: bool = False
    env: tuple[tuple[str, str], ...] = ()
    cwd: str | None = None
    start: float = PATIENCE
    call: float = PATIENCE
    fixture_env: str | None = None
    fixture_argument: str | None = None


class Socket(NamedTuple):
    """A Unix socket with HTTP behind it; `messages` is the path that takes those of MCP, if one does."""

    file: str
    messages: str | None = None


class Recorded(NamedTuple):
    """A recording that answers in place of a server."""

    file: str


class TargetError(ValueError):
    """A target that cannot be used; `path` leads from the written value to what is wrong.

    `unreached` says that there is nothing wrong with it, but that this version reaches no such target.
    """

    def __init__(self, path: Path, message: str, remedy: str, *, unreached: bool = False) -> None:
        """Keep the parts of a mistake, for whoever reads the value to give them a place."""
        super().__init__(f"{message}; {remedy}")
        self.path, self.message, self.remedy, self.unreached = path, message, remedy, unreached


def parse(written: Json) -> Target:
    """A Target of a text, or of a mapping of the language's shape. Raises TargetError.

    `http://127.0.0.1:5555/mcp`, `unix:/path/to.sock`, `stdio:npx -y server`, `cli:program --flag`.
    """
    if isinstance(written, str):
        return _of_text(written)
    ways = [way for way in _WAYS if way in written]
    if len(ways) != 1:
        message = "a target is reached in one way, and here there are " + (" and ".join(ways) or "none")
        raise TargetError((), message, "write {http: {url: http://127.0.0.1:5555/mcp}}")
    way = ways[0]
    if way in _LAUNCHED:
        target = _launched(way, written)
    else:
        target = _at_socket(written) if way == "unix" else _over_http(written)
    return providing(_shared(target, written), written.get("provides", ()), ("provides",))


def _shared(target: Target, written: Mapping[str, Json]) -> Target:
    """The target as its cases share it, or do not."""
    if written.get("share") and isinstance(target.via, Launch) and target.via.cli:
        remedy = "leave it out: such a program is started for each step"
        raise TargetError(("share",), "a command line has nothing that cases could share", remedy)
    return target._replace(share=bool(written.get("share", False)))


def providing(target: Target, words: Iterable[str], path: Path = ()) -> Target:
    """The target with more that it provides; `fixtures` go to WORLDS unless it says where.

    Raises TargetError where they would leave this machine, or have no way to get to the target.
    """
    target = target._replace(provides=target.provides | frozenset(words))
    if target.via is not None:
        _check_provided(target, path)
        return target
    if FIXTURES not in target.provides:
        return target
    if not is_here(target):
        message = "fixtures go to a server on this machine only"
        raise TargetError(path, message, "write its address as 127.0.0.1, or leave out what takes fixtures")
    return target._replace(worlds=target.worlds or WORLDS)


def with_manifest(target: Target, live: Mapping[str, str]) -> Target:
    """The target with the path of the contract's own document, where it stands at the contract's own path.

    `live` is what stands beside the contract: the paths `mcp` and `manifest` of a server of its own.
    """
    if target.manifest is not None or isinstance(target.via, Launch) or path_of(target) != live.get("mcp"):
        return target
    return target._replace(manifest=live.get("manifest"))


def origin(target: Target) -> str:
    """What stands before every path; at a socket it is only the Host header."""
    if isinstance(target.via, Socket):
        return "http://localhost"
    parts = urlsplit(target.url)
    return f"{parts.scheme}://{parts.netloc}"


def path_of(target: Target) -> str:
    """The path that takes MCP messages; empty where none does."""
    if isinstance(target.via, Socket):
        return target.via.messages or ""
    return urlsplit(target.url).path or "/"


def address(target: Target) -> tuple[str, int]:
    """Host and port."""
    parts = urlsplit(target.url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def is_here(target: Target) -> bool:
    """Whether it is on this machine, by the name or number that is written."""
    return bool(_HERE.fullmatch(address(target)[0]))


def _of_text(text: str) -> Target:
    way, colon, rest = text.partition(":")
    if colon and way == "unix":
        return _at_socket({"unix": {"socket": rest}}, ())
    if colon and way == RECORDING:
        if not rest:
            raise TargetError((), "`recording:` names no file", "write recording:FILE")
        return Target(text, via=Recorded(rest))
    if not colon or way not in _LAUNCHED:
        return Target(_url(text, ()))
    try:
        argv = tuple(shlex.split(rest))
    except ValueError as problem:
        raise TargetError((), f"this command cannot be read: {problem}", "quote it as for a shell") from None
    if not argv:
        raise TargetError((), f"`{way}:` names no program", f"write {way}:program --flag")
    return Target(text, via=Launch(argv, way == "cli"))


def _over_http(written: Mapping[str, Json]) -> Target:
    http = written["http"]
    headers = _headers(http, ("http", "headers"))
    url = _url(http["url"], ("http", "url"))
    target = Target(url, manifest=_path_in(written, "manifest"), headers=headers)
    worlds = _path_in(written, "fixtureVia")
    if worlds is None:
        return target
    return target._replace(worlds=worlds, provides=frozenset({FIXTURES}))


def _headers(said: Mapping[str, Json], path: Path) -> tuple[tuple[str, str], ...]:
    """Headers that go with every request. A message never shows what they hold."""
    headers = said.get("headers", {})
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise TargetError(path, f"{name[:100]!r} is no name of a header", "write letters, digits and `-`")
        if not isinstance(value, str) or not _FIELD.fullmatch(value) or value != value.strip():
            message = f"what `{name}` says cannot be sent as a header"
            raise TargetError((*path, name), message, "write one line of text, without space around it")
    return tuple(headers.items())


def _url(text: str, path: Path) -> str:
    parts = _split(text, path)
    if parts.scheme not in _HTTP or not parts.hostname or not _BARE.fullmatch(text):
        raise TargetError(path, f"{_shown(text)} is no address of a live target", _REMEDY)
    if "@" in parts.netloc:
        remedy = f"reports would show them: {_REMEDY}"
        raise TargetError(path, "a target's address takes no user and no password", remedy)
    if "?" in text or "#" in text:
        message = "a target's address ends with its path"
        raise TargetError(path, message, f"{_REMEDY}, without `?` and `#`")
    return text


def _split(text: str, path: Path) -> SplitResult:
    try:
        parts = urlsplit(text)
        (parts.hostname or "").encode("idna")  # tells whether its parts are as short as names have them
        known = parts.port != 0  # reading it tells whether it is a number that a port can be
    except ValueError:
        known = False
    if not known or _AFTER_BRACKET.search(parts.netloc):
        raise TargetError(path, f"{_shown(text)} is no address of a live target", _REMEDY)
    return parts


def _shown(text: str) -> str:
    """As a message may show it: without what could be credentials."""
    return repr(re.sub(r"//[^/]*@", "//", text.partition("?")[0])[:100])


def _at_socket(written: Mapping[str, Json], path: Path = ("unix",)) -> Target:
    said = written["unix"]
    _check_keys(said, ("socket", "path", "headers"), path)
    socket, messages = said["socket"], said.get("path")
    if not socket.startswith("/") or "\0" in socket:
        raise TargetError(path, f"{socket[:100]!r} is no path of a socket", "write unix:/path/to.sock")
    if messages is not None and not _PATH.fullmatch(messages):
        raise TargetError((*path, "path"), f"{messages[:100]!r} is no path", "begin it with /")
    if "fixtureVia" in written:
        raise _without_fixtures(("fixtureVia",))
    manifest = _path_in(written, "manifest")
    headers = _headers(said, (*path, "headers"))
    return Target(f"unix:{socket}", manifest=manifest, via=Socket(socket, messages), headers=headers)


def _launched(way: str, written: Mapping[str, Json]) -> Target:
    said = written[way]
    _check_keys(said, ("command", "env", "cwd", "start", "call"), (way,))
    argv = said["command"]
    if not argv or not all(isinstance(word, str) and "\0" not in word for word in argv):
        raise TargetError(
            (way, "command"), "a command is a list of texts", "write command: [program, --flag]"
        )
    env = said.get("env", {})
    if not all(isinstance(value, str) for value in env.values()):
        raise TargetError((way, "env"), "an environment maps names to texts", "quote the values")
    for key in ("start", "call"):
        if said.get(key, PATIENCE) <= 0:
            raise TargetError((way, key), f"`{key}` is a number of seconds above 0", f"write {key}: 30")
    if "manifest" in written:
        remedy = "delete it: the listing and the handshake are its manifest"
        raise TargetError(("manifest",), "a program that is started has no document at a path", remedy)
    start, call = (float(said.get(key, PATIENCE)) for key in ("start", "call"))
    launch = Launch(tuple(argv), way == "cli", tuple(env.items()), said.get("cwd"), start, call)
    provides = frozenset[str]()
    if "fixtureVia" in written:
        launch, provides = _with_fixture(launch, written["fixtureVia"]), frozenset({FIXTURES})
    return Target(f"{way}:{shlex.join(argv)}", provides, via=launch)


def _with_fixture(launch: Launch, via: Mapping[str, Json]) -> Launch:
    """The program with the way that a fixture's file is named to it."""
    if len(via) != 1 or "http" in via:
        remedy = "write fixtureVia: {env: NAME} or fixtureVia: {argument: --fixture}"
        raise TargetError(("fixtureVia",), "a program is told of its fixture in one way", remedy)
    return launch._replace(fixture_env=via.get("env"), fixture_argument=via.get("argument"))


_SHAPES: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "command": (list, "[program, --flag]"),
    "env": (dict, "{NAME: value}"),
    "headers": (dict, "{Name: value}"),
    "cwd": (str, "/folder"),
    "start": ((int, float), "30"),
    "call": ((int, float), "30"),
    "socket": (str, "/path/to.sock"),
    "path": (str, "/mcp"),
}


def _check_keys(said: Mapping[str, Json], known: tuple[str, ...], path: Path) -> None:
    """Raise TargetError for what is unknown or of another type, or where the first of these is missing."""
    if known[0] not in said:
        remedy = f"write {known[0]}: {_SHAPES[known[0]][1]}"
        raise TargetError(path, f"`{known[0]}` is missing", remedy)
    for key, value in said.items():
        if key not in known:
            raise TargetError((*path, key), f"`{key}` means nothing here", f"there are {', '.join(known)}")
        kind, shape = _SHAPES[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TargetError((*path, key), f"`{key}` has another shape", f"write {key}: {shape}")


def _check_provided(target: Target, path: Path) -> None:
    """Raise TargetError for what such a target cannot provide, whatever is said."""
    if SOURCE_LOG in target.provides:
        message = "nothing tells what the sources of such a target were asked"
        raise TargetError(path, message, f"leave out `{SOURCE_LOG}`")
    if FIXTURES not in target.provides:
        return
    via = target.via
    if isinstance(via, Socket):
        raise _without_fixtures(path)
    if isinstance(via, Launch) and not (via.fixture_env or via.fixture_argument):
        remedy = "write fixtureVia: {env: NAME} or {argument: --fixture} in the suite's `target`"
        raise TargetError(path, "nothing says how the program is told of a fixture", remedy)


def _without_fixtures(path: Path) -> TargetError:
    message = "this version sends no fixtures over a Unix socket"
    return TargetError(
        path, message, "leave them out, or start the program as `stdio` or `cli`", unreached=True
    )


def _path_in(written: Mapping[str, Json], key: str) -> str | None:
    """The path that stands under `http` of a key."""
    if key not in written:
        return None
    said = written[key]
    if said.keys() != {"http"}:
        message = f"`{key}` of a target over HTTP is a path there"
        raise TargetError((key,), message, f"write {key}: {{http: /path}}")
    path = str(said["http"])
    if not _PATH.fullmatch(path):
        raise TargetError((key, "http"), f"{path[:100]!r} is no path", "begin it with /")
    return path
