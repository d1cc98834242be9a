"""Twins whose rules all hold, and round which something goes wrong: memory, chance, a forbidden touch."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from evalkit.contracts.agent_context.fakes import snapshot
from evalkit.model import DirectSurface, Json, OpenSubject, Subject, World
from tests.twins.twin import around

Surround = Callable[[OpenSubject], OpenSubject]


@dataclass(frozen=True)
class _Surface:
    """A way in that was tampered with."""

    manifest: Callable[[], Json]
    call_tool: Callable[[str, Json], Json]


def _surface(tamper: Callable[[DirectSurface], _Surface]) -> Surround:
    """Subjects with another way in, which is made anew for each."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            surface = tamper(cast("DirectSurface", subject.surfaces["direct"]))
            return subject._replace(surfaces={"direct": surface})

        return opened

    return surround


def _calls(tamper: Callable[[DirectSurface], Callable[[str, Json], Json]]) -> Surround:
    return _surface(lambda surface: _Surface(surface.manifest, tamper(surface)))


class _Kept:
    """A World that is as it was when it was first looked at."""

    def __init__(self, world: World, *names: str) -> None:
        self._world = world
        self._kept = {name: getattr(world, name) for name in names}

    def __getattr__(self, name: str) -> Json:
        return self._kept[name] if name in self._kept else getattr(self._world, name)


def _keeping(*names: str) -> Surround:
    return lambda open_subject: lambda world: open_subject(cast("World", _Kept(world, *names)))


def _remembering(surface: DirectSurface) -> Callable[[str, Json], Json]:
    """The first answer that a tool gave is the answer to every later call."""
    given: dict[str, Json] = {}
    return lambda name, args: given.setdefault(name, surface.call_tool(name, args))


def _counting(count: Callable[[], Json]) -> Callable[[DirectSurface], Callable[[str, Json], Json]]:
    """Every answer bears another number."""

    def tampered(surface: DirectSurface) -> Callable[[str, Json], Json]:
        return lambda name, args: {**surface.call_tool(name, args), "_meta": {"call": count()}}

    return tampered


def _counting_anew(surface: DirectSurface) -> Callable[[str, Json], Json]:
    numbers = itertools.count()
    return _counting(lambda: next(numbers))(surface)


def _demanding(surface: DirectSurface) -> Callable[[str, Json], Json]:
    return lambda name, args: surface.call_tool(name, [] if args is None else args)


def _touching(touch: Callable[[], object]) -> Surround:
    def tampered(surface: DirectSurface) -> Callable[[str, Json], Json]:
        def call(name: str, args: Json) -> Json:
            touch()
            return surface.call_tool(name, args)

        return call

    return _calls(tampered)


def _changing(open_subject: OpenSubject) -> OpenSubject:
    """Each look at the sources finds them changed."""

    def opened(world: World) -> Subject:
        looks = itertools.count()
        subject = open_subject(world)
        return subject._replace(snapshot=lambda: {**snapshot(world.fixture), "looks": next(looks)})

    return opened


_numbers = itertools.count()

TWINS = (
    around(_keeping("settings"), "settings read once and for all", "set-off-at-once"),
    around(_keeping("fixture"), "sources read once and for all", "stale-from-now", "err-recovers"),
    around(
        _calls(_remembering),
        "the first answer kept",
        "page-walk-complete",
        "stale-from-now",
        "set-off-at-once",
    ),
    around(_calls(_demanding), "a call without arguments refused", "prof-null-args"),
    around(_calls(_counting_anew), "every call answered otherwise", "iso-again"),
    around(_calls(_counting(lambda: next(_numbers))), "every run answered otherwise", "iso-no-cross-talk"),
    around(
        _surface(
            lambda surface: _Surface(lambda: {**surface.manifest(), "at": next(_numbers)}, surface.call_tool)
        ),
        "every run told another manifest",
        "man-repeatable",
    ),
    around(_changing, "a call changes a source", "iso-no-cross-talk", "iso-refusal-unchanged"),
    around(
        _touching(lambda: socket.socket().connect(("127.0.0.1", 9))),
        "a call opens a socket",
        "iso-no-network",
    ),
    around(
        _touching(lambda: open("/etc/hostname", encoding="utf-8").close()),
        "a call reads a file",
        "iso-no-network",
    ),
    around(_touching(lambda: print("hello")), "a call prints", "iso-no-network"),
)
