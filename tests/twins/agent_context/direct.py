"""Puts a judge before the contract's direct surface, for what no single rule can break."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias, cast

from evalkit.contracts.agent_context.results import failure
from evalkit.contracts.agent_context.semantic.nouns import Refused
from evalkit.model import DirectSurface, Json, OpenSubject, Subject, World

Judge: TypeAlias = Callable[[str, Json, Mapping[str, str]], Refused | None]
"""Name, arguments and headers of a call → why it is refused before the contract sees it."""


def refusing_first(judge: Judge) -> Callable[[OpenSubject], OpenSubject]:
    """Subjects whose direct surface asks `judge` first."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            judged = _Judged(cast("DirectSurface", subject.surfaces["direct"]), judge)
            return subject._replace(surfaces={**subject.surfaces, "direct": judged})

        return opened

    return surround


class _Judged(NamedTuple):
    """A way in with a judge before it."""

    surface: DirectSurface
    judge: Judge

    def manifest(self) -> Json:
        """As it is."""
        return self.surface.manifest()

    def call_tool(self, name: str, args: Json, **more: Json) -> Json:
        """The refusal, or else the answer."""
        refused = self.judge(name, {} if args is None else args, more.get("headers", {}))
        return failure(str(refused)) if refused else self.surface.call_tool(name, args, **more)
