"""Reads the settings slice `agentContext`, and fails closed on anything not exactly right (spec A.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .vocabulary import DEFAULT_SCOPES, PROFILES, SCOPES, Json, Settings

_ABSENT: Final = Settings()
_INVALID: Final = Settings(valid=False)
_ACTIONS: Final = ("readPortos", "writePortos")


def read_settings(document: Json) -> Settings:
    """The whole settings document → what is in force.

    An absent slice is valid and disabled; one wrong key or value anywhere discards the whole slice.
    """
    slice_ = document.get("agentContext") if isinstance(document, dict) else None
    if slice_ is None:
        return _ABSENT
    if not _is_valid(slice_):
        return _INVALID
    actions = slice_.get("actions", {})
    return Settings(
        enabled=slice_.get("enabled", False),
        profile=slice_.get("profile", PROFILES[0]),
        scopes=tuple(slice_.get("scopes", DEFAULT_SCOPES)),
        read_portos=actions.get("readPortos", False),
        write_portos=actions.get("writePortos", False),
    )


def _is_valid(slice_: Json) -> bool:
    return isinstance(slice_, dict) and all(
        key in _CHECKS and _CHECKS[key](value) for key, value in slice_.items()
    )


def _is_bool(value: Json) -> bool:
    return isinstance(value, bool)


def _is_profile(value: Json) -> bool:
    return value in PROFILES


def _is_scopes(value: Json) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) == len({str(scope) for scope in value})
        and all(scope in SCOPES for scope in value)
    )


def _is_actions(value: Json) -> bool:
    return isinstance(value, dict) and all(
        key in _ACTIONS and isinstance(granted, bool) for key, granted in value.items()
    )


_CHECKS: Final[Mapping[str, Callable[[Json], bool]]] = {
    "enabled": _is_bool,
    "profile": _is_profile,
    "scopes": _is_scopes,
    "actions": _is_actions,
}
