"""Lends a served contract to an evaluation: each case gets a World of its own below a path of its own.

`POST /.well-known/evalkit/worlds`  {fixture, settings}           → 201 {id, base, calls, effects}
`PATCH …/worlds/ID`                 {patch, settings, advance}    → 200 {calls, effects}
`GET …/worlds/ID/log`                                             → 200 {calls, effects}
`GET …/worlds/ID/snapshot`                                        → 200 {source: what it holds}
`DELETE …/worlds/ID`                                              → 200 {}
What is asked below `base` goes to a subject that was made from the fixture, as if it were served alone.
A refusal is a text: 400 for a wrong shape, 403 for a stranger, 404 for no such World, 501 for what the
contract cannot do.
"""

from __future__ import annotations

import ipaddress
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import ExitStack
from typing import Any, Final, NamedTuple, TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from evalkit.errors import CapabilityMissing
from evalkit.frozen import freeze
from evalkit.model import Json, OpenSubject, Subject
from evalkit.schemas import Schema
from evalkit.surfaces import AppSurface
from evalkit.targets import WORLDS
from evalkit.values import dotted, fault_in, parse_json
from evalkit.world import CaseFolder, FakeWorld

MOST: Final = 64
"""How many Worlds are kept; the oldest has to go for a new one."""

LARGEST: Final = 64 << 20
"""Bytes of a fixture or a patch."""

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_BELOW: Final = re.compile(rf"({re.escape(WORLDS)}/([0-9a-f]+)/app)/")
_GONE: Final = "there is no such World here, or it had to go for newer ones"
_STRANGER: Final = "Worlds are lent to programs on this machine only"


def lend(
    open_subject: OpenSubject, app: App, *, fixture_schema: Schema | None = None, most: int = MOST
) -> Lent:
    """The app, with Worlds lent below WORLDS to whoever connects from this machine.

    The peer is the socket's: serve it without belief in forwarded headers. The contract's subject has to
    have the way in `http` as an AppSurface.
    """
    return Lent(open_subject, app, fixture_schema, most)


class Lent:
    """An ASGI app. `close` lets go of every World; the end of its lifespan, where there is one, does too."""

    def __init__(self, open_subject: OpenSubject, app: App, fixture_schema: Schema | None, most: int) -> None:
        """Begin without a World."""
        self._app, self._worlds = app, _Worlds(open_subject, fixture_schema, most)
        self._control = _control_of(self._worlds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is asked of Worlds and below them; everything else is the app's."""
        if scope["type"] == "lifespan":
            try:
                await self._app(scope, receive, send)
            finally:
                self.close()
        elif scope["type"] != "http" or not _is_ours(scope["path"]):
            await self._app(scope, receive, send)
        elif not _is_from_here(scope):
            await PlainTextResponse(_STRANGER, 403)(scope, receive, send)
        elif below := _BELOW.match(_raw_path(scope)):
            lent = self._worlds.find(below[2])
            app = lent.app if lent else PlainTextResponse(_GONE, 404)
            await app(_without(scope, below[1]), receive, send)
        elif any(name == b"origin" for name, _ in scope["headers"]):  # a page in a browser
            await PlainTextResponse(_STRANGER, 403)(scope, receive, send)
        else:
            await self._control(scope, receive, send)

    def close(self) -> None:
        """Close every World."""
        self._worlds.close()


class _World(NamedTuple):
    """One World that is lent, and what answers below its base."""

    world: FakeWorld
    subject: Subject
    folder: CaseFolder
    app: App

    def log(self) -> dict[str, Json]:
        self.subject.catch_up()
        log = self.world.log
        return {"calls": log.calls, "effects": log.effects}

    def close(self) -> None:
        try:
            self.subject.close()
        finally:
            self.folder.remove()


class _Worlds:
    """All that are lent now, the oldest first."""

    def __init__(self, open_subject: OpenSubject, schema: Schema | None, most: int) -> None:
        self._open_subject, self._schema, self._most = open_subject, schema, most
        self._kept: dict[str, _World] = {}

    def find(self, name: str) -> _World | None:
        return self._kept.get(name)

    def named(self, name: str) -> _World:
        if name not in self._kept:
            raise _Refused(404, _GONE)
        return self._kept[name]

    def make(self, fixture: Json, settings: Json) -> tuple[str, _World]:
        for violation in self._schema.violations(fixture) if self._schema else ():
            at = dotted(violation.path) or "the fixture"
            raise _Refused(400, f"the contract's fixture schema: {at}: {violation.message}")
        made, name = self._made(fixture, settings), secrets.token_hex(8)
        while len(self._kept) >= self._most:
            self.end(next(iter(self._kept)))
        self._kept[name] = made
        return name, made

    def end(self, name: str) -> None:
        ended = self.named(name)
        del self._kept[name]
        ended.close()

    def close(self) -> None:
        with ExitStack() as ending:
            for name in reversed(self._kept):  # the oldest is the first to end
                ending.callback(self.end, name)

    def _made(self, fixture: Json, settings: Json) -> _World:
        folder = CaseFolder()
        world = FakeWorld(freeze(fixture), freeze(settings), folder)
        made = False
        try:
            subject = self._open_subject(world)
            surface = subject.surfaces.get("http")
            if not isinstance(surface, AppSurface):
                subject.close()
                raise CapabilityMissing("this contract has no way in `http` that could be lent")
            made = True
            return _World(world, subject, folder, surface.app)
        finally:
            if not made:
                folder.remove()


# ── what is asked of Worlds ──────────────────────────────────────────────────────────────────────


class _Refused(Exception):
    """What cannot be done as it was asked."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def _control_of(worlds: _Worlds) -> App:
    asked, one = _Asked(worlds), f"{WORLDS}/{{id}}"
    routes = [
        Route(WORLDS, asked.make, methods=["POST"]),
        Route(one, asked.change, methods=["PATCH"]),
        Route(one, asked.end, methods=["DELETE"]),
        Route(f"{one}/log", asked.log, methods=["GET"]),
        Route(f"{one}/snapshot", asked.snapshot, methods=["GET"]),
    ]
    handlers = {_Refused: _refuse, CapabilityMissing: _cannot, Exception: _failed}
    made = Starlette(routes=routes, exception_handlers=handlers)  # type: ignore[arg-type]
    made.router.redirect_slashes = False
    return made


class _Asked:
    """What can be asked of Worlds, a method each."""

    def __init__(self, worlds: _Worlds) -> None:
        self._worlds = worlds

    async def make(self, request: Request) -> Response:
        said = await _said(request, {"fixture", "settings"})
        if not isinstance(said.get("fixture"), dict):
            raise _Refused(400, "`fixture` wants an object, {} where every source is empty")
        name, made = self._worlds.make(said["fixture"], said.get("settings"))
        return _json({"id": name, "base": f"{WORLDS}/{name}/app", **made.log()}, 201)

    async def change(self, request: Request) -> Response:
        said = await _said(request, {"patch", "settings", "advance"})
        lent = self._named(request)
        _check_change(said)
        lent.world.change(said)
        lent.subject.moved(said)
        return _json(lent.log())

    async def log(self, request: Request) -> Response:
        return _json(self._named(request).log())

    async def snapshot(self, request: Request) -> Response:
        held = self._named(request).subject.snapshot
        if held is None:
            raise CapabilityMissing("the contract gives no snapshot of its sources")
        return _json(dict(held()))

    async def end(self, request: Request) -> Response:
        self._worlds.end(request.path_params["id"])
        return _json({})

    def _named(self, request: Request) -> _World:
        return self._worlds.named(request.path_params["id"])


async def _said(request: Request, known: set[str]) -> dict[str, Json]:
    """The object that was sent."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise _Refused(400, "send JSON, as application/json")
    try:
        said = parse_json(await _body(request))
    except ValueError as problem:
        raise _Refused(400, f"the body is no JSON: {problem}") from None
    if fault := fault_in(said):
        raise _Refused(400, fault)
    if not isinstance(said, dict) or not said.keys() <= known:
        raise _Refused(400, f"send an object with {', '.join(sorted(known))}, and nothing else")
    return said


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise _Refused(413, f"the body is larger than {LARGEST} bytes")
    return bytes(body)


def _check_change(said: Mapping[str, Json]) -> None:
    if not said:
        raise _Refused(400, "there is nothing to change")
    if not isinstance(said.get("patch", {}), dict):
        raise _Refused(400, "`patch` wants an object, a JSON Merge Patch of the fixture")
    seconds = said.get("advance", 1)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        raise _Refused(400, "`advance` wants a number of seconds above 0")


def _refuse(request: Request, problem: _Refused) -> Response:
    return _text(problem.status, str(problem))


def _cannot(request: Request, problem: CapabilityMissing) -> Response:
    return _text(501, str(problem))


def _failed(request: Request, problem: Exception) -> Response:
    return _text(500, f"the contract failed: {type(problem).__name__}: {problem}")


def _text(status: int, text: str) -> Response:
    return PlainTextResponse(text[:2000].encode(errors="backslashreplace"), status)


def _json(said: Json, status: int = 200) -> Response:
    return Response(json.dumps(said, allow_nan=False), status, media_type="application/json")


# ── whose a request is ───────────────────────────────────────────────────────────────────────────


def _is_ours(path: str) -> bool:
    return path == WORLDS or path.startswith(f"{WORLDS}/")


def _is_from_here(scope: Scope) -> bool:
    """Whether the peer of the socket is this machine; no header has a say in it."""
    try:
        address = ipaddress.ip_address((scope.get("client") or ("",))[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _raw_path(scope: Scope) -> str:
    """The path as it was sent, so that what is taken off is taken off both of its forms."""
    raw, path = scope.get("raw_path"), scope["path"]
    return str(path if raw is None else raw.decode("latin-1"))


def _without(scope: Scope, base: str) -> Scope:
    raw = scope.get("raw_path")
    return {
        **scope,
        "path": scope["path"][len(base) :],
        "raw_path": None if raw is None else raw[len(base) :],
    }
