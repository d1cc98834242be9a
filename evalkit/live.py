"""A live target as the runner opens it: its ways in, and a World of the case's own where it lends such."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evalkit import contracts, targets
from evalkit.errors import CapabilityMissing, CaseError, HarnessError
from evalkit.model import Case, Json, OpenSubject, Subject, Target, World
from evalkit.recording import Tape, player_of, tape_of
from evalkit.surfaces import Address, Command, McpSurface
from evalkit.values import encode, parse_json

REACHING_SECONDS: Final = 5.0
"""How long a target may take to accept the first connection."""

ANSWERING_SECONDS: Final = 60.0
"""How long each of the exchanges about Worlds may take; a case's own deadline is usually shorter."""

LARGEST: Final = 64 << 20
"""Bytes that are read of an answer about Worlds."""

MOST_CALLS: Final = 1_000_000
"""How often a source can be said to have been asked."""

FIXTURE_FILE: Final = "fixture.json"
"""The file in which a program finds the fixture and the settings of its case."""

LOST: Final = "connection-failed"
"""The code of a case whose target broke off."""

_ID: Final = re.compile(r"[A-Za-z0-9]+")
_BASE: Final = re.compile(r"/[!-~]*")
_SHOWN: Final = 1000
_FAMILIES: Final = ("127.0.0.1", "::1")
_CANNOT: Final = 501


def reach(target: Target) -> None:
    """Connect once, before the first case. Raises HarnessError where nobody answers there.

    What is behind a proxy cannot be reached like this: its first case tells.
    """
    via = target.via
    if isinstance(via, targets.Recorded):
        player_of(via.file)
        return
    if isinstance(via, targets.Launch):
        _find_program(target, via)
        return
    if via is None and _is_behind_proxy(target):
        return
    try:
        if isinstance(via, targets.Socket):
            _connect_to_file(via.file)
        else:
            _connected(target, REACHING_SECONDS).close()
    except OSError as problem:
        told = problem.strerror or str(problem)
        raise HarnessError(f"the target {target.url} could not be reached: {told}; is it running?") from None


def _connected(target: Target, seconds: float) -> socket.socket:
    """A connection to its host; `localhost` may be either family, whatever the machine's names say."""
    host, port = targets.address(target)
    for other in _FAMILIES if host == "localhost" else ():
        with suppress(OSError):
            return socket.create_connection((other, port), seconds)
    return socket.create_connection((host, port), seconds)


def _connect_to_file(file: str) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(REACHING_SECONDS)
        connection.connect(file)


def _find_program(target: Target, launch: targets.Launch) -> None:
    """Raise HarnessError where there is no such program; whether it starts its first case tells."""
    program = launch.argv[0]
    if os.sep in program:
        program = os.path.join(launch.cwd or "", program)
    if shutil.which(program, path=dict(launch.env).get("PATH")) is None:
        raise HarnessError(f"the target {target.url} could not be started: there is no program {program!r}")


def _is_behind_proxy(target: Target) -> bool:
    """Whether the environment has a proxy for it; no proxy stands before this machine."""
    scheme, proxies = urlsplit(target.url).scheme, getproxies()
    host, _ = targets.address(target)
    return bool(proxies.keys() & {scheme, "all"}) and not targets.is_here(target) and not proxy_bypass(host)


def is_started(target: Target) -> bool:
    """Whether the target is a program that we start."""
    return isinstance(target.via, targets.Launch)


def early(target: Target) -> Command | None:
    """The server that a case will need, as far as it is known before the case begins.

    That is one over standard streams that is told of no fixture.
    """
    launch = target.via
    if isinstance(launch, targets.Launch) and not launch.cli and targets.FIXTURES not in target.provides:
        return _command(launch)
    return None


def begin(case: Case, target: Target) -> None:
    """Tell what writes or plays a recording which case goes on."""
    if target.tape:
        tape_of(target.tape).begin(case)
    if isinstance(target.via, targets.Recorded):
        player_of(target.via.file).play(case)


def open_live(target: Target, contract: str = "") -> OpenSubject:
    """What opens the target for one playing of a case: as it is, or with the case's fixture.

    The contract that it keeps, where one is named, says how tools are called without MCP.
    Opening raises CaseError where the target does not take the fixture.
    """

    def open_subject(world: World) -> Subject:
        if isinstance(target.via, targets.Recorded):
            surface = McpSurface(player_of(target.via.file))
            return Subject({"mcp": surface}, provides=target.provides, moved=_cannot_move)
        if isinstance(target.via, targets.Launch):
            given = world if targets.FIXTURES in target.provides else None
            surfaces = _started_by(target.via, given, contract, _tape(target))
            return Subject(surfaces, provides=target.provides, moved=_cannot_move)
        if world.fixture is None or targets.FIXTURES not in target.provides:
            return Subject(_surfaces(target, "", contract), provides=target.provides, moved=_cannot_move)
        lent = _Lent(target, world)
        logs = "source-log" in target.provides
        return Subject(
            _surfaces(target, lent.base, contract),
            snapshot=lent.snapshot if logs else None,
            close=lent.close,
            provides=target.provides,
            moved=lent.move,
            catch_up=lent.catch_up if logs else _nothing,
        )

    return open_subject


def _surfaces(target: Target, base: str, contract: str) -> Mapping[str, object]:
    """The ways in below a base path."""
    file = target.via.file if isinstance(target.via, targets.Socket) else None
    address = Address(targets.origin(target) + base, file, headers=target.headers)
    path = targets.path_of(target)
    if contract:
        address = address._replace(request_of=contracts.spoken(contract, "request_of"))
    if not path:
        return {"http": address}
    return {"mcp": McpSurface(address, path, target.manifest, tape=_tape(target)), "http": address}


def _tape(target: Target) -> Tape | None:
    return tape_of(target.tape) if target.tape else None


def _started_by(
    launch: targets.Launch, world: World | None, contract: str, tape: Tape | None
) -> Mapping[str, object]:
    """The one way into a program that is started, and told of the fixture and settings of a World."""
    argv, env = launch.argv, dict(launch.env)
    if world is not None and (world.fixture is not None or world.settings is not None):
        file = _written(world)
        env |= {launch.fixture_env: file} if launch.fixture_env else {}
        argv = (*argv, launch.fixture_argument, file) if launch.fixture_argument else argv
    command = _command(launch)._replace(argv=argv, env=env)
    if not launch.cli:
        return {"mcp": McpSurface(command, tape=tape)}
    return {"cli": command._replace(argv_of=contracts.spoken(contract, "argv_of")) if contract else command}


def _command(launch: targets.Launch) -> Command:
    """The program as it is started where no World is told to it."""
    return Command(launch.argv, dict(launch.env), launch.cwd, launch.start, launch.call)


def _written(world: World) -> str:
    """A file in the folder of the case that holds `fixture` and `settings`, for its owner only."""
    file = os.path.join(world.folder(), FIXTURE_FILE)
    text = json.dumps({"fixture": world.fixture, "settings": world.settings}, allow_nan=False)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as opened:
        opened.write(text)
    return file


def _nothing() -> None:
    """Nothing is known of the sources."""


def _cannot_move(words: Mapping[str, Json]) -> None:
    raise CapabilityMissing("a `world` step changes a World that the target lends, and here there is none")


class _Answer(NamedTuple):
    status: int
    body: bytes


class _Lent:
    """A World that the target keeps for us: made from our fixture and settings, gone when closed."""

    def __init__(self, target: Target, world: World) -> None:
        self._target, self._world = target, world
        self._worlds = target.worlds or targets.WORLDS
        self._seen: dict[str, int] = {}
        self._effects = 0
        made = self._ask("POST", "", {"fixture": world.fixture, "settings": world.settings})
        self._id, self.base = str(made.get("id", "")), str(made.get("base", ""))
        if not _ID.fullmatch(self._id) or not _BASE.fullmatch(self.base):
            told = f"the target gave a World without `id` and `base`: {_shown(encode(made))}"
            raise CaseError("subject-failed", told)
        if "source-log" in target.provides:
            self._begin_log(made)

    def move(self, words: Mapping[str, Json]) -> None:
        """Do there what a `world` step says."""
        self._ask("PATCH", f"/{self._id}", dict(words))

    def catch_up(self) -> None:
        """Note in our World what has been asked and written there since."""
        self._take(self._ask("GET", f"/{self._id}/log"))

    def snapshot(self) -> Mapping[str, Json]:
        """What each source holds there."""
        held: Mapping[str, Json] = self._ask("GET", f"/{self._id}/snapshot")
        return held

    def close(self) -> None:
        """Let the target forget it. One that is lost has forgotten, and what was judged stands."""
        try:
            self._ask("DELETE", f"/{self._id}")
        except CaseError as problem:
            if problem.code != LOST:
                raise

    def _begin_log(self, made: Json) -> None:
        """Take the log of a new World; one without it is given back."""
        try:
            self._take(made)
        except CaseError:
            with suppress(CaseError):
                self.close()
            raise

    def _take(self, said: Json) -> None:
        calls, effects = said.get("calls"), said.get("effects")
        if not isinstance(effects, list) or not _are_counts(calls):
            told = f"the target gave no log of its sources: {_shown(encode(said))}"
            raise CaseError("subject-failed", told)
        if len(effects) < self._effects or any(calls.get(one, 0) < self._seen[one] for one in self._seen):
            raise CaseError("subject-failed", "the target's log of its sources lost what it had told before")
        log = self._world.log
        log.declare(*calls)
        for source, count in calls.items():
            for _ in range(count - self._seen.get(source, 0)):
                log.read(source)
        for effect in effects[self._effects :]:
            log.wrote(effect)
        self._seen, self._effects = calls, len(effects)

    def _ask(self, method: str, path: str, body: Json = None) -> Json:
        """The object that the target answers with."""
        asked = f"{method} {self._worlds}{path}"
        answer = _exchange(self._target, method, self._worlds + path, body)
        if answer.status == _CANNOT:
            raise CapabilityMissing(_shown(answer.body.decode(errors="replace")))
        if answer.status >= 300:
            told = _shown(answer.body.decode(errors="replace"))
            raise CaseError("subject-failed", f"the target answered {answer.status} to {asked}: {told}")
        try:
            said = parse_json(answer.body)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise CaseError("subject-failed", f"the target answered {asked} with no JSON object")
        return said


def _exchange(target: Target, method: str, path: str, body: Json) -> _Answer:
    """One request on a connection of its own: no proxy, no redirect, nothing kept open."""
    secure = urlsplit(target.url).scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(*targets.address(target), timeout=ANSWERING_SECONDS)
    headers = {**dict(target.headers), "Connection": "close", "Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        if not secure:
            connection.sock = _connected(target, ANSWERING_SECONDS)
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.request(method, path, data, headers)
        response = connection.getresponse()
        answer = _Answer(response.status, _read(response))
    except (OSError, http.client.HTTPException) as problem:
        told = f"{type(problem).__name__}: {problem}"
        raise CaseError(LOST, f"the target was lost at {method} {path}: {told}") from None
    finally:
        connection.close()
    return answer


def _read(response: http.client.HTTPResponse) -> bytes:
    """The whole body, or LARGEST bytes of it. Raises IncompleteRead where less came than was announced."""
    announced = response.length or 0
    with response:
        body = response.read(LARGEST)
    if len(body) < min(announced, LARGEST):
        raise http.client.IncompleteRead(body, announced - len(body))
    return body


def _are_counts(calls: Json) -> bool:
    if not isinstance(calls, dict):
        return False
    return all(type(count) is int and 0 <= count <= MOST_CALLS for count in calls.values())


def _shown(text: str) -> str:
    """A text that is short, else its size: half a secret could not be found, so that none could mask it."""
    return text if len(text) <= _SHOWN else f"{len(text)} characters"
