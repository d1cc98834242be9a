"""Decides which records a query finds, by a literal piece of their raw text in any case (spec A.6, A.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .javascript import cut, fold_whitespace
from .records import brain_text, identity_label, is_truthy, text, words
from .vocabulary import Json

_SEARCHABLE_CHARS: Final = 2_000


def search_text(scope: str, name: str, record: Json) -> str:
    """What of a record can be found: its first 2,000 UTF-16 units after folding, before any redaction."""
    folded = fold_whitespace(_TEXTS[scope](name, record))
    return folded if len(folded) * 2 <= _SEARCHABLE_CHARS else cut(folded, _SEARCHABLE_CHARS)


def matcher(query: str) -> Callable[[str], bool]:
    """A test for one query. The query is no pattern, and its own spaces are not folded."""
    needle = query.lower()
    return lambda searched: needle in searched.lower()


def _navigation(name: str, record: Json) -> str:
    labels = (text(record.get("label")), text(record.get("section")))
    return " ".join([*labels, *words(record, "aliases"), *words(record, "keywords")])


def _workspace(name: str, record: Json) -> str:
    return f"{text(record.get('appName'))} workspace app {text(record.get('appId'))}"


def _brain(name: str, record: Json) -> str:
    return f"{name} {brain_text(record)}"


def _identity(name: str, record: Json) -> str:
    presence = "present" if is_truthy(record.get("present")) else "absent"
    return f"{name} {identity_label(name, record)} identity export {presence}"


_TEXTS: Final[Mapping[str, Callable[[str, Json], str]]] = {
    "navigation": _navigation,
    "workspaces": _workspace,
    "brain": _brain,
    "identity": _identity,
}
