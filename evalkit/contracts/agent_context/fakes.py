"""The sources made from a suite's fixture; `fixture.schema.json` is its vocabulary (spec D.1, D.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from .vocabulary import SCOPES, Json, Row

_ERROR_TEXT: Final = "EACCES: permission denied, open '/home/fixture-user/.private-store/records.json'"


class SourceFailure(Exception):
    """The fixture says that this source is broken."""


class FixtureSources:
    """Fakes of the four stores. The fixture is taken anew at each question, for it may change in between.

    `note` is told the scope each time that records are asked for; asking for the status is not noted.
    """

    def __init__(self, fixture: Callable[[], Json], note: Callable[[str], None]) -> None:
        self._fixture = fixture
        self._note = note

    def items(self, scope: str) -> Sequence[Row]:
        """The fixture's records of a scope, in the fixture's order."""
        self._note(scope)
        return _rows(scope, self._sound(scope).get(scope))

    def status(self, scope: str) -> Json:
        """The fixture's `sourceStatus` of a scope."""
        return (self._sound(scope).get("sourceStatus") or {}).get(scope)

    def _sound(self, scope: str) -> Mapping[str, Json]:
        fixture: Mapping[str, Json] = self._fixture() or {}
        if scope in (fixture.get("errors") or ()):
            raise SourceFailure(fixture.get("errorText", _ERROR_TEXT))
        return fixture


def snapshot(fixture: Json) -> Mapping[str, Json]:
    """What each store holds, as the fixture writes it."""
    return {scope: (fixture or {}).get(scope) for scope in SCOPES}


def _rows(scope: str, held: Json) -> list[Row]:
    if not held:
        return []
    if scope == "brain":
        return [(kind, record) for kind, records in held.items() for record in records]
    if scope == "identity":
        return list(held.items())
    return [("", record) for record in held]
