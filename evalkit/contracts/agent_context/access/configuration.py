"""Reads from the settings whether a password is asked for, and closes on anything damaged (spec B.2)."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from .nouns import Configuration

Json: TypeAlias = Any

OFF: Final = Configuration()
DAMAGED: Final = Configuration(enabled=True, damaged=True)


def read_configuration(document: Json) -> Configuration:
    """The whole settings document → what it says of the password, under `secrets.auth`.

    Off unless `enabled`, `passwordHash` and `salt` are all there; null, false and the empty text are not.
    A wrong type anywhere on the way, or a document that is no object, is damage.
    """
    secrets = _inner(document, "secrets")
    auth = _inner(secrets, "auth")
    if not isinstance(auth, dict):
        return OFF if auth is None else DAMAGED
    enabled = auth.get("enabled")
    password_hash, salt = auth.get("passwordHash"), auth.get("salt")
    if not (enabled is None or isinstance(enabled, bool)):
        return DAMAGED
    if not all(text is None or isinstance(text, str) for text in (password_hash, salt)):
        return DAMAGED
    return Configuration(True, password_hash, salt) if enabled and password_hash and salt else OFF


def _inner(outer: Json, key: str) -> Json:
    """None where nothing is there, `...` where something is wrong."""
    if outer is None:
        return None
    return outer.get(key) if isinstance(outer, dict) else ...
