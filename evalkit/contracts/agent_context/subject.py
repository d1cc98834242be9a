"""Opens the agent-context contract over fakes of its four sources, for one case."""

from __future__ import annotations

from typing import NamedTuple

from evalkit.model import Json, Subject, World

from . import gatekeeper
from .fakes import FixtureSources, snapshot
from .gatekeeper import RULES
from .rules import Rules
from .vocabulary import SCOPES


def open_subject(world: World, rules: Rules = RULES) -> Subject:
    """The contract as it ships, or with some of its rules replaced."""
    world.log.declare(*SCOPES)
    sources = FixtureSources(lambda: world.fixture, world.log.read)
    return Subject(
        surfaces={"direct": _Direct(world, rules, sources)},
        snapshot=lambda: snapshot(world.fixture),
    )


class _Direct(NamedTuple):
    """Plain calls. Settings are read anew for each, so that one call sees one configuration."""

    world: World
    rules: Rules
    sources: FixtureSources

    def manifest(self) -> Json:
        """The contract's own manifest."""
        return gatekeeper.manifest(self.rules, self.world.settings)

    def call_tool(self, name: str, args: Json, *, headers: Json = None, meta: Json = None) -> Json:
        """A tool result. Headers and meta are accepted and mean nothing to the context tools."""
        return gatekeeper.call_tool(self.rules, self.sources, self.world.settings, name, args)
