"""Reads the configuration file, and settles where everything is, with flags and environment (spec 8.3)."""

from __future__ import annotations

import json
import os
import posixpath
import re
import stat
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, NoReturn, TypeVar

from .nouns import Json, Paths, Profiles

RETENTION_DAYS: Final = 120
MAX_BYTES: Final = 1 << 20
"""More than that is no configuration file."""

_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SLUG_CHARS: Final = 32

Kind = TypeVar("Kind", str, int, bool, dict, list)  # type: ignore[type-arg]


class ConfigInvalid(Exception):
    """The configuration cannot be used. The message names a place in it, and no value but the file's path."""


class Config(NamedTuple):
    """What the file says; an empty path means the usual place. Without a file it is this (spec 6.1, 8.3)."""

    profiles: Profiles = Profiles()
    cache_dir: str = ""
    state_path: str = ""
    is_served: bool = False
    socket_path: str = ""
    retention_days: int = RETENTION_DAYS


def read(path: str, environment: Mapping[str, str]) -> Config:
    """The file at `path`, or at the usual place where that is empty; it is never written.

    Raises ConfigInvalid. Only at the usual place may the file be missing.
    """
    place = path or _under_home(environment, ".config", "scriba", "config.json")
    try:
        return parse(_contents(place))
    except FileNotFoundError as problem:
        if not path:
            return Config()
        raise ConfigInvalid(f"config {place}: {problem.strerror}") from None
    except OSError as problem:
        raise ConfigInvalid(f"config {place}: {problem.strerror}") from None
    except ConfigInvalid as problem:
        raise ConfigInvalid(f"config {place}: {problem}") from None


def parse(data: bytes) -> Config:
    """The bytes of a file → what they say. Raises ConfigInvalid. Unknown members mean nothing."""
    root = _decode(data)
    version = root.member("schemaVersion", int, 0)
    if version not in (0, 1, 2):
        _refuse("unsupported config schemaVersion")
    server = root.part("server")
    api = server.part("contextAPI")
    is_served, socket = api.member("enabled", bool, False), api.member("socketPath", str, "")
    if socket and not posixpath.isabs(socket):
        _refuse("server.contextAPI.socketPath must be absolute")
    days = server.member("observationRetentionDays", int, RETENTION_DAYS)
    if days <= 0:
        _refuse("server.observationRetentionDays must be positive")
    server.member("accountLabel", str, "")
    return Config(
        profiles=_profiles(root) if version == 2 else Profiles(),
        cache_dir=root.member("cacheDir", str, ""),
        state_path=server.member("statePath", str, ""),
        is_served=is_served and version == 2,
        socket_path=socket,
        retention_days=days,
    )


def find_paths(config: Config, cache_dir: str, state_path: str, environment: Mapping[str, str]) -> Paths:
    """A flag, or else the configuration, or else the usual place (spec 2.1). Raises ConfigInvalid."""
    return Paths(
        cache_dir or config.cache_dir or _usual(environment, "XDG_CACHE_HOME", ".cache"),
        state_path
        or config.state_path
        or posixpath.join(_usual(environment, "XDG_STATE_HOME", ".local", "state"), "server.sqlite"),
    )


def find_socket(config: Config, paths: Paths) -> str:
    """Where the local API listens: by default beside the server's file (spec 6.1)."""
    beside = posixpath.dirname(os.path.abspath(paths.state_path))
    return config.socket_path or posixpath.join(beside, "context.sock")


def _usual(environment: Mapping[str, str], variable: str, *below_home: str) -> str:
    chosen = environment.get(variable, "")
    return posixpath.join(chosen, "scriba") if chosen else _under_home(environment, *below_home, "scriba")


def _under_home(environment: Mapping[str, str], *parts: str) -> str:
    home = environment.get("HOME", "")
    if not home:
        _refuse("HOME is not set, so give --config, --cache-dir and --state-path")
    return posixpath.join(home, *parts)


def _contents(path: str) -> bytes:
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                _refuse("it is no regular file")
            data = file.read(MAX_BYTES + 1)
    except ValueError:
        _refuse("there is no such path")
    return data if len(data) <= MAX_BYTES else _refuse("it is too long")


def _open_at_once(path: str, flags: int) -> int:
    """A pipe in the file's place is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK)


class _Part(NamedTuple):
    """An object of the file, and the path that leads to it."""

    members: dict[str, Json]
    path: str = ""

    def at(self, name: str) -> str:
        """The path of a member."""
        return f"{self.path}.{name}" if self.path else name

    def member(self, name: str, kind: type[Kind], absent: Kind) -> Kind:
        """A member of this kind; null is as absent."""
        value = self.members.get(name)
        if value is None:
            return absent
        if type(value) is not kind:
            _refuse(f"{self.at(name)} must be {_KINDS[kind]}")
        return value

    def part(self, name: str) -> _Part:
        """An object inside of this one."""
        return _Part(self.member(name, dict, {}), self.at(name))


_KINDS: Final[Mapping[type, str]] = {
    str: "a string",
    int: "an integer",
    bool: "true or false",
    dict: "an object",
    list: "an array",
}


def _decode(data: bytes) -> _Part:
    try:
        root = json.loads(data.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        _refuse("it is no JSON")
    return _Part(root) if isinstance(root, dict) else _refuse("it must be an object")


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _profiles(root: _Part) -> Profiles:
    entries = root.member("profiles", list, [])
    if not entries:
        _refuse("profiles must hold at least one")
    parts = [_profile(entry, f"profiles[{index}]") for index, entry in enumerate(entries)]
    ids = [part.members["id"] for part in parts]
    _all_differ(ids, [part.at("id") for part in parts])
    _none_shared(parts)
    enabled = tuple(part.members["id"] for part in parts if part.member("enabled", bool, False))
    if not enabled:
        _refuse("profiles must hold an enabled one")
    default = root.member("defaultProfileId", str, "")
    if default not in enabled:
        _refuse("defaultProfileId must name an enabled profile")
    return Profiles(enabled, default)


def _profile(entry: Json, path: str) -> _Part:
    """A profile that is right by itself."""
    if not isinstance(entry, dict):
        _refuse(f"{path} must be an object")
    part = _Part(entry, path)
    name = part.member("id", str, "")
    if not _SLUG.fullmatch(name) or len(name) > _SLUG_CHARS:
        _refuse(f"{part.at('id')} must be lowercase letters and digits with single dashes, 1 to 32 of them")
    if not part.member("label", str, "").strip():
        _refuse(f"{part.at('label')} must not be blank")
    paths = part.member("codexAuthPaths", list, [])
    if part.member("enabled", bool, False) and not paths:
        _refuse(f"{part.at('codexAuthPaths')} must hold a path, since the profile is enabled")
    if not all(isinstance(one, str) and posixpath.isabs(one) for one in paths):
        _refuse(f"{part.at('codexAuthPaths')} must hold absolute paths")
    return part


def _none_shared(parts: Sequence[_Part]) -> None:
    """Two profiles with one path would show each other's account."""
    cleaned = [
        (_clean(one), part.at("codexAuthPaths"))
        for part in parts
        for one in {_clean(path) for path in part.member("codexAuthPaths", list, [])}
    ]
    _all_differ([path for path, _ in cleaned], [place for _, place in cleaned])


def _clean(path: str) -> str:
    return "/" + posixpath.normpath(path).lstrip("/")


def _all_differ(values: Sequence[str], places: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for value, place in zip(values, places, strict=True):
        if value in seen:
            _refuse(f"{place} repeats {seen[value]}")
        seen[value] = place


def _refuse(message: str) -> NoReturn:
    raise ConfigInvalid(message)
