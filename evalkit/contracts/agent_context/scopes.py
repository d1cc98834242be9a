"""Which scopes a call may look into (spec A.5, A.8)."""

from __future__ import annotations

from .vocabulary import Settings


class ScopeNotEnabled(Exception):
    """A call asked for a scope that is not configured."""


def is_open(settings: Settings) -> bool:
    """Whether the contract answers tool calls at all."""
    return settings.enabled and settings.valid


def is_enabled(scope: str, configured: tuple[str, ...]) -> bool:
    """Whether one scope is configured."""
    return scope in configured


def choose_scopes(requested: list[str] | None, configured: tuple[str, ...]) -> tuple[str, ...]:
    """The scopes of a search: those asked for in the order asked, otherwise the configured ones."""
    return configured if requested is None else tuple(requested)


def scope_of(ref: str) -> str:
    """The scope that a reference names: the text before its first colon."""
    return ref.partition(":")[0]
