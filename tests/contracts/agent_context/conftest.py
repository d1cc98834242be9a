"""Opens the agent-context contract on a World that a test can move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pytest

from evalkit.contracts.agent_context.gatekeeper import RULES
from evalkit.contracts.agent_context.rules import Rules
from evalkit.contracts.agent_context.service import Policy
from evalkit.contracts.agent_context.subject import open_subject
from evalkit.frozen import freeze
from evalkit.model import DirectSurface, Json
from evalkit.values import merge_patch

ALL = ("navigation", "workspaces", "brain", "identity")
UNAVAILABLE = "Context source unavailable for this request."


class StagedWorld:
    """A World whose fixture and settings a test can change. Clock, ids and effects mean nothing here."""

    def __init__(self, fixture: Json, settings: Json) -> None:
        self.fixture = freeze(fixture)
        self.settings = freeze(settings)
        self.reads: dict[str, int] = {}

    @property
    def log(self) -> StagedWorld:
        """Where fakes note what they were asked: here."""
        return self

    @property
    def clock(self) -> StagedWorld:
        """The time: it stands still."""
        return self

    def declare(self, *sources: str) -> None:
        """Count 0 for each."""
        self.reads.update(dict.fromkeys(sources, 0))

    def read(self, source: str) -> None:
        """Count one more; a source that was not declared is a mistake."""
        self.reads[source] += 1

    def wrote(self, effect: Json) -> None:
        """Refuse: the context tools write nothing."""
        raise AssertionError(effect)

    def now(self) -> float:
        """The epoch."""
        return 0.0

    def next_id(self) -> str:
        """Refuse: the context tools need no identifiers."""
        raise AssertionError

    def folder(self) -> str:
        """Refuse: the context tools need no files."""
        raise AssertionError

    def patch(self, fixture: Json) -> None:
        """What a `world` step does to the fixture."""
        self.fixture = freeze(merge_patch(self.fixture, fixture))


class Opened:
    """One contract and its World."""

    def __init__(self, fixture: Json, settings: Json, rules: Rules) -> None:
        self.world = StagedWorld(fixture, settings)
        self.subject = open_subject(self.world, Policy(context=rules))
        surface: DirectSurface = self.subject.surfaces["direct"]  # type: ignore[assignment]
        self.surface = surface

    def manifest(self) -> Json:
        """What the contract says of itself."""
        return self.surface.manifest()

    def call(self, tool: str, args: Json = None) -> Json:
        """The whole tool result."""
        return self.surface.call_tool(tool, args)

    def output(self, tool: str, args: Json = None) -> Json:
        """The structured output of a call that must succeed."""
        result = self.call(tool, args)
        assert "isError" not in result, result["content"][0]["text"]
        return result["structuredContent"]

    def refusal(self, tool: str, args: Json = None) -> str:
        """The text of a call that must fail."""
        result = self.call(tool, args)
        assert list(result) == ["isError", "content"]
        assert result["isError"] is True
        text: str = result["content"][0]["text"]
        return text

    def items(self, scope: str, **more: Json) -> list[Json]:
        """The items of a list call."""
        found: list[Json] = self.output("list_context", {"scope": scope, **more})["items"]
        return found

    @property
    def reads(self) -> dict[str, int]:
        """How often each of the four sources was asked so far."""
        return {scope: self.world.reads[scope] for scope in ALL}


class Open(Protocol):
    """How tests open a contract: enabled, and with everything said that is not the default."""

    def __call__(
        self,
        fixture: Json = ...,
        profile: str = ...,
        scopes: Sequence[str] = ...,
        settings: Json = ...,
        rules: Rules = ...,
    ) -> Opened:
        """Open it."""
        ...


def _open(
    fixture: Json = None,
    profile: str = "summary",
    scopes: Sequence[str] = ALL,
    settings: Json = ...,
    rules: Rules = RULES,
) -> Opened:
    enabled = {"agentContext": {"enabled": True, "profile": profile, "scopes": list(scopes)}}
    return Opened(fixture or {}, enabled if settings is ... else settings, rules)


@pytest.fixture(name="opened")
def opened_fixture() -> Open:
    """Opens a contract."""
    return _open
