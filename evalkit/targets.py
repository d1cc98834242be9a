"""Where a live target is, as a suite or the command line writes it -> a Target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

from evalkit.model import Json, Path, Target

WORLDS: Final = "/.well-known/evalkit/worlds"
"""The path that takes fixtures, where nothing else is said."""

FIXTURES: Final = "fixtures"

_LATER: Final = ("stdio", "unix", "cli")
_HTTP: Final = ("http", "https")
_REMEDY: Final = "write http://127.0.0.1:5555/mcp"
_BARE: Final = re.compile(r"[!-~]+")
_PATH: Final = re.compile(r"/[!\"$->@-~]*")
_HERE: Final = re.compile(r"localhost|127(?:\.[0-9]{1,3}){3}|::1")


class TargetError(ValueError):
    """A target that cannot be used; `path` leads from the written value to what is wrong.

    `unreached` says that there is nothing wrong with it, but that this version reaches no such target.
    """

    def __init__(self, path: Path, message: str, remedy: str, *, unreached: bool = False) -> None:
        """Keep the parts of a mistake, for whoever reads the value to give them a place."""
        super().__init__(f"{message}; {remedy}")
        self.path, self.message, self.remedy, self.unreached = path, message, remedy, unreached


def parse(written: Json) -> Target:
    """A Target of `http://127.0.0.1:5555/mcp` or of a mapping of the language's shape. Raises TargetError."""
    if isinstance(written, str):
        return Target(_url(written, ()))
    http = written.get("http")
    if http is None or written.keys() & set(_LATER):
        raise _unlike(written)
    if "headers" in http:
        message = "this version sends no `headers` of a target"
        raise TargetError(("http", "headers"), message, "write those that a step sends in the step")
    target = Target(_url(http["url"], ("http", "url")), manifest=_path_in(written, "manifest"))
    worlds = _path_in(written, "fixtureVia")
    if worlds is not None:
        target = target._replace(worlds=worlds, provides=frozenset({FIXTURES}))
    return providing(target, written.get("provides", ()), ("provides",))


def providing(target: Target, words: Iterable[str], path: Path = ()) -> Target:
    """The target with more that it provides; `fixtures` go to WORLDS unless it says where.

    Raises TargetError where they would leave this machine.
    """
    target = target._replace(provides=target.provides | frozenset(words))
    if FIXTURES not in target.provides:
        return target
    if not _HERE.fullmatch(urlsplit(target.url).hostname or ""):
        message = "fixtures go to a server on this machine only"
        raise TargetError(path, message, "write its address as 127.0.0.1, or leave out what takes fixtures")
    return target._replace(worlds=target.worlds or WORLDS)


def with_manifest(target: Target, live: Mapping[str, str]) -> Target:
    """The target with the path of the contract's own document, where it stands at the contract's own path.

    `live` is what stands beside the contract: the paths `mcp` and `manifest` of a server of its own.
    """
    if target.manifest is not None or urlsplit(target.url).path != live.get("mcp"):
        return target
    return target._replace(manifest=live.get("manifest"))


def origin(target: Target) -> str:
    """What stands before every path."""
    parts = urlsplit(target.url)
    return f"{parts.scheme}://{parts.netloc}"


def path_of(target: Target) -> str:
    """The path that takes MCP messages."""
    return urlsplit(target.url).path or "/"


def address(target: Target) -> tuple[str, int]:
    """Host and port."""
    parts = urlsplit(target.url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _url(text: str, path: Path) -> str:
    scheme, colon, _ = text.partition(":")
    if colon and scheme in _LATER:
        raise _later(scheme, path)
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
        known = parts.port != 0  # reading it tells whether it is a number that a port can be
    except ValueError:
        known = False
    if not known:
        raise TargetError(path, f"{_shown(text)} is no address of a live target", _REMEDY)
    return parts


def _shown(text: str) -> str:
    """As a message may show it: without what could be credentials."""
    return repr(re.sub(r"//[^/]*@", "//", text.partition("?")[0])[:100])


def _unlike(written: Mapping[str, Json]) -> TargetError:
    """Why a mapping without `http`, or with something beside it, cannot be used."""
    ways = [way for way in (*_LATER, "http") if way in written]
    if len(ways) == 1:
        return _later(ways[0], (ways[0],))
    message = "a target is reached in one way, and here there are " + (" and ".join(ways) or "none")
    return TargetError((), message, "write {http: {url: http://127.0.0.1:5555/mcp}}")


def _later(way: str, path: Path) -> TargetError:
    message = f"a target over `{way}` is not reached by this version"
    return TargetError(path, message, _REMEDY, unreached=True)


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
