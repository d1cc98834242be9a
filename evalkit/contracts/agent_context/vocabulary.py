"""The words and numbers that the rules of the agent-context contract share (spec A.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

Json: TypeAlias = Any

Row: TypeAlias = tuple[str, Json]
"""One raw record with its name: the brain type, the identity key, otherwise the empty text."""

Redact: TypeAlias = Callable[[Json, int], str]
"""A value and a number of UTF-16 units → its text without what is private, at most so long."""

SCOPES: Final = ("navigation", "workspaces", "brain", "identity")
DEFAULT_SCOPES: Final = ("navigation", "workspaces")
PROFILES: Final = ("metadata", "summary")

DEFAULT_RESULTS: Final = 10
MAX_RESULTS: Final = 25
MAX_RESPONSE_CHARS: Final = 20_000
MAX_APPROX_TOKENS: Final = 5_000
MAX_SOURCE_ITEMS: Final = 1_000
MAX_QUERY_CHARS: Final = 200
MAX_REF_CHARS: Final = 180
MAX_KIND_CHARS: Final = 80
MAX_TITLE_CHARS: Final = 160
MAX_SUMMARY_CHARS: Final = 320
MAX_PATH_CHARS: Final = 300
MAX_SAFE_INTEGER: Final = 2**53 - 1


class Settings(NamedTuple):
    """The effective configuration. What stands here by default is what an absent slice means."""

    enabled: bool = False
    valid: bool = True
    profile: str = "metadata"
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    read_portos: bool = False
    write_portos: bool = False


class Tool(NamedTuple):
    """One tool of the catalogue; `needs` is the scope without which it cannot be used."""

    name: str
    title: str
    description: str
    needs: str | None = None
