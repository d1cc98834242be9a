"""Names records opaquely: the reference under which a record can be asked for again (spec A.6)."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from .javascript import to_string, utf16_length
from .vocabulary import Json, Redact

_DIGITS: Final = 20


def reference(scope: str, name: str, record: Json, redact: Redact) -> str:
    """The reference of a record. Ids of private records are hashed, never shown.

    Names of navigation commands and identity sections are shown, unless redaction would touch them.
    """
    if scope == "navigation":
        return f"navigation:{_shown(to_string(record.get('id', ...)), redact)}"
    if scope == "workspaces":
        return f"workspaces:workspace:{_digest(record.get('appId', ...))}"
    if scope == "brain":
        return f"brain:{name}:{_digest(record.get('id', ...))}"
    return f"identity:section:{_shown(name, redact)}"


def is_same(ref: str, wanted: str) -> bool:
    """Whether a reference is the one asked for, to the letter."""
    return ref == wanted


def _shown(name: str, redact: Redact) -> str:
    return name if redact(name, utf16_length(name)) == name else _digest(name)


def _digest(identifier: Json) -> str:
    """20 hex digits of the SHA-256 of `String(identifier)`; `...` stands for a missing one."""
    return sha256(to_string(identifier).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
