"""The values that leave this package: what is wrong with a schema, and what is wrong with an instance."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]

UNCHECKABLE: Final = "pattern-not-checkable"
"""Begins the message of a violation that says 'this could not be judged' rather than 'this is wrong'."""

_LONGEST_SHOWN: Final = 80
_LONGEST_MESSAGE: Final = 400
_MOST_NAMES: Final = 10


class SchemaError(ValueError):
    """A schema that cannot be used; `path` is where in the schema, `()` where no single place is to blame.

    Codes: `schema-not-json`, `schema-too-deep`, `schema-invalid` (in its dialect), `schema-unknown-dialect`,
    `ref-unresolvable`, `ref-remote` (nothing is ever fetched), `ref-loop`.
    """

    def __init__(self, code: str, message: str, path: Path = ()) -> None:
        """Take the code, a sentence, and a place in the schema."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path


class Violation(NamedTuple):
    """One keyword that an instance breaks: `path` leads into the instance, `schema_path` into the schema.

    `message` shows a scalar whole or not at all, so that no half of a secret stands in it.
    """

    path: Path
    keyword: str
    schema_path: Path
    message: str


class Engine(Protocol):
    """A compiled schema, for instances that are plain JSON. `unchecked`: patterns no engine here reads."""

    unchecked: dict[Path, str]

    def holds(self, instance: Json) -> bool:
        """Whether the instance is valid; nothing is explained."""

    def violations(self, instance: Json) -> list[Violation]:
        """Every violation, in no particular order."""


def shown(value: Json) -> str:
    """A value as it may stand in a message: short scalars whole, all else by its size."""
    if isinstance(value, dict):
        return f"an object of {_counted(len(value), 'property', 'properties')}"
    if isinstance(value, list):
        return f"an array of {_counted(len(value), 'item', 'items')}"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= _LONGEST_SHOWN:
        return text
    return f"a string of {len(value)} characters" if isinstance(value, str) else "a very long number"


def shown_names(names: Sequence[str]) -> str:
    """Property names as they may stand in a message."""
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(shown, names[:_MOST_NAMES])) + rest


def cut(text: str) -> str:
    """A text of the schema's own, shortened; never to be used on an instance's text."""
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"


def word_set(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


def uncheckable(pattern: str) -> str:
    """The words for a pattern that cannot be judged here, though others may judge it."""
    return f"{UNCHECKABLE}: the pattern `{cut(pattern)}` cannot be judged here"


def value_at(document: Json, path: Path) -> Json:
    """What stands at a path of a document, None where it leads nowhere."""
    for part in path:
        try:
            document = document[part]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
