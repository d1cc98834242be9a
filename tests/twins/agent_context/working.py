"""Makes twins in which one semantic tool does its work wrongly, and the wrong ways that many share."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

from evalkit.contracts.agent_context.semantic.adapters import ADAPTERS
from evalkit.contracts.agent_context.semantic.nouns import Adapter, Json, Moment
from evalkit.contracts.agent_context.store import Ledger
from tests.twins.twin import Twin, twin_of


def working(name: str, tool: str, adapter: Adapter, *promised_by: str) -> Twin:
    """A twin in which one tool does its work wrongly."""
    return twin_of("semantic", name, *promised_by, adapters={**ADAPTERS, tool: adapter})


def telling(tool: str, change: Callable[[Json], Json]) -> Adapter:
    """A tool that gives something else than it found."""

    def adapter(ledger: Ledger, args: Json, moment: Moment) -> Json:
        answer = ADAPTERS[tool](ledger, args, moment)
        return {**answer, **change(answer)} if answer["ok"] else answer

    return adapter


def asked(tool: str, change: Callable[[Json], Json]) -> Adapter:
    """A tool that works on other arguments than it was given."""
    return lambda ledger, args, moment: ADAPTERS[tool](ledger, {**args, **change(args)}, moment)


def idle(tool: str) -> Adapter:
    """A tool that says that it wrote, and has not."""

    def adapter(ledger: Ledger, args: Json, moment: Moment) -> Json:
        deaf = SimpleNamespace(rows=ledger.rows, append=nothing, replace=nothing)
        return ADAPTERS[tool](cast("Ledger", deaf), args, moment)

    return adapter


def nothing(*_given: Json) -> None:
    """Whatever it is: nothing is done, and nothing is wrong with it."""


def twice(tool: str) -> Adapter:
    """A tool that does its work two times."""

    def adapter(ledger: Ledger, args: Json, moment: Moment) -> Json:
        ADAPTERS[tool](ledger, args, moment)
        return ADAPTERS[tool](ledger, args, moment)

    return adapter
