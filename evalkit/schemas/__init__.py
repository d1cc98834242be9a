"""JSON Schema: compiled once, judged fast, and never passing what could not be judged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

from evalkit.schemas._dialects import Dialect, dialect_of
from evalkit.schemas._places import subschemas
from evalkit.schemas._plain import TOO_DEEP, Flaw, plain
from evalkit.schemas._references import Document
from evalkit.schemas._vocabulary import UnknownWord, unknown_words
from evalkit.schemas._words import UNCHECKABLE, Engine, Json, Path, SchemaError, Violation

__all__ = [
    "DRAFT_2020_12",
    "UNCHECKABLE",
    "Schema",
    "SchemaError",
    "UnknownWord",
    "Violation",
    "check_vocabulary",
    "compile_schema",
    "subschemas",
]

DRAFT_2020_12: Final = "https://json-schema.org/draft/2020-12/schema"

# MessagePack, not JSON: it is faster to write, and keeps NaN apart from null and 1 from 1.0.
_pack: Final = msgspec.msgpack.Encoder().encode
_UNPACKABLE: Final = (TypeError, ValueError, OverflowError, RecursionError)
_HUGE: Final = (b"\xcb\x7f", b"\xcb\xff")
"""How NaN and the infinities begin, and very large fractions too."""


class Schema:
    """A compiled schema; make one with `compile_schema`."""

    __slots__ = ("_engine",)

    def __init__(self, engine: Engine) -> None:
        """Take what judges plain JSON."""
        self._engine = engine

    @property
    def unchecked(self) -> Mapping[Path, str]:
        """Patterns that cannot be judged here, by their place in the schema.

        A value that one of them should judge gets a violation that says so.
        """
        return self._engine.unchecked

    def holds(self, instance: Json) -> bool:
        """Whether the instance is valid. NaN and lone surrogates never are."""
        try:
            if _packed(instance) is not None:
                return self._engine.holds(instance)
        except ValueError:
            pass  # What the engine cannot read is told apart below.
        return not self.violations(instance)

    def violations(self, instance: Json) -> list[Violation]:
        """What the instance breaks, by place in the instance and then in the schema; empty when valid."""
        try:
            if _packed(instance) is not None:
                if self._engine.holds(instance):
                    return []
                return _sorted(self._engine.violations(instance))
        except ValueError:
            pass  # As above.
        copy, flaws = plain(instance)
        flawed = {path for path, _ in flaws}
        found = [each for each in self._engine.violations(copy) if each.path not in flawed]
        return _sorted(found + list(map(_told, flaws)))


def compile_schema(schema: Json, *, default_dialect: str = DRAFT_2020_12) -> Schema:
    """The compiled schema, from a cache if its like was seen before. Raises SchemaError.

    `default_dialect` is the URI that counts where the schema has no `$schema`.
    """
    compiled = _compiled(_key(schema), default_dialect)
    if isinstance(compiled, SchemaError):
        raise SchemaError(compiled.code, compiled.message, compiled.path)
    return compiled


def check_vocabulary(schema: Json, *, default_dialect: str = DRAFT_2020_12) -> list[UnknownWord]:
    """The keywords and formats that check nothing, for schemas written by hand in a suite.

    Raises SchemaError for what is no schema at all or has an unknown `$schema`.
    """
    return list(unknown_words(schema, dialect_of(schema, default_dialect)))


def _key(schema: Json) -> bytes | str:
    """The schema's own bytes: MessagePack, or JSON text where an integer is too long for that."""
    packed = _packed(schema)
    if packed is not None:
        return packed
    copy, flaws = plain(schema)
    if flaws:
        path, reason = flaws[0]
        raise SchemaError("schema-too-deep" if reason == TOO_DEEP else "schema-not-json", reason, path)
    return json.dumps(copy)


@lru_cache(maxsize=512)
def _compiled(key: bytes | str, default_dialect: str) -> Schema | SchemaError:
    schema = json.loads(key) if isinstance(key, str) else msgspec.msgpack.decode(key)
    try:
        return Schema(_engine_for(schema, dialect_of(schema, default_dialect)))
    except SchemaError as error:
        return SchemaError(error.code, error.message, error.path)


def _engine_for(schema: Json, dialect: Dialect) -> Engine:
    if dialect.validator:
        # Imported on first use: loading it takes 20 ms, and many runs compile no schema.
        from evalkit.schemas._fast import FastEngine

        engine: Engine = FastEngine(schema, dialect)
    else:
        # Imported on first use: the reference implementation takes 100 ms, for a draft that is rare.
        from evalkit.schemas._draft3 import Draft3Engine

        engine = Draft3Engine(schema, dialect)
    loop = Document(schema, dialect).first_loop()
    if loop is not None:
        raise loop
    return engine


def _packed(value: Json) -> bytes | None:
    """A value as MessagePack; None where its plain copy must be looked at first."""
    try:
        packed = _pack(value)
    except _UNPACKABLE:
        return None
    if b"\xcb" in packed and (_HUGE[0] in packed or _HUGE[1] in packed):
        return None
    return packed


def _told(flaw: Flaw) -> Violation:
    path, reason = flaw
    return Violation(path, "json", (), reason)


def _sorted(violations: list[Violation]) -> list[Violation]:
    return sorted(violations, key=lambda each: (_order(each.path), _order(each.schema_path), each.message))


def _order(path: Path) -> tuple[tuple[bool, str | int], ...]:
    return tuple((isinstance(part, str), part) for part in path)
