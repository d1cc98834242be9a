"""Two JSON Schemas -> where the new one admits less than the old one, where more, where nobody can tell.

A word that this file does not know is never passed over: where it differs, the change is `other`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from evalkit.model import Json, Path
from evalkit.values import encode, same

Direction: TypeAlias = Literal["narrower", "wider", "other"]


class Difference(NamedTuple):
    """One place where two schemas differ; `narrower` admits fewer values than before."""

    direction: Direction
    code: str
    path: Path
    message: str
    old: Json = ...
    new: Json = ...


_SILENT: Final = frozenset({"title", "$comment", "examples", "$defs", "definitions", "$id"})
_FLOORS: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_CEILINGS: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_DEMANDS: Final = frozenset({"pattern", "format", "multipleOf", "uniqueItems", "not", "contains"})
_ANYWHERE: Final = frozenset({"anyOf", "oneOf"})
_EVERY_TYPE: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})
_MOST_STEPS: Final = 100


def differences(old: Json, new: Json) -> Iterator[Difference]:
    """Every difference of what two schemas admit, place by place. Local references are followed."""
    yield from _Comparison(old, new).at(old, new, ())


class _Comparison:
    """Two documents under comparison; a pair of definitions is told once, where it is met first."""

    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new
        self._seen: set[tuple[str, str]] = set()

    def at(self, old: Json, new: Json, path: Path) -> Iterator[Difference]:
        """The differences of two subschemas."""
        old, new = _telling(_followed(old, self._old)), _telling(_followed(new, self._new))
        pair = (encode(old), encode(new))
        if pair[0] == pair[1] and self._same_documents():
            return
        if pair in self._seen:
            return
        self._seen.add(pair)
        if not isinstance(old, dict) or not isinstance(new, dict):
            yield from _of_plain(old, new, path)
            return
        yield from _types(old, new, path)
        yield from _values(old, new, path)
        yield from self._members(old, new, path)
        for word in sorted((old.keys() | new.keys()) - _TOGETHER):
            yield from self._word(word, old.get(word, ...), new.get(word, ...), (*path, word))

    def _same_documents(self) -> bool:
        """Whether equal subschemas mean the same: what they refer to stands in the documents."""
        return same(_definitions(self._old), _definitions(self._new))

    def _word(self, word: str, old: Json, new: Json, path: Path) -> Iterator[Difference]:
        if word in ("items", "additionalItems", "propertyNames") and ... not in (old, new):
            yield from self.at(old, new, path)
            return
        if word in _ANYWHERE and isinstance(old, list) and isinstance(new, list):
            yield from _branches(old, new, path)
            return
        if same(old, new):
            return
        judge = _judge_of(word)
        yield Difference(judge(old, new), f"schema-{_direction_word(judge(old, new))}", path, "", old, new)

    def _members(self, old: Mapping[str, Json], new: Mapping[str, Json], path: Path) -> Iterator[Difference]:
        before, after = _mapping(old, "properties"), _mapping(new, "properties")
        for name in sorted(before.keys() & after.keys()):
            yield from self.at(before[name], after[name], (*path, "properties", name))
        closed_before, closed_after = _is_closed(old), _is_closed(new)
        for name in sorted(before.keys() - after.keys()):
            direction: Direction = "narrower" if closed_after else "other"
            told = f"`{name}` is no longer known"
            yield Difference(direction, "property-removed", (*path, "properties", name), told, before[name])
        for name in sorted(after.keys() - before.keys()):
            told = f"`{name}` is new"
            yield Difference("wider", "property-added", (*path, "properties", name), told, ..., after[name])
        wanted_before, wanted_after = _names(old), _names(new)
        for name in sorted(wanted_after - wanted_before):
            told = f"`{name}` is required now"
            yield Difference("narrower", "newly-required", (*path, "required"), told, ..., name)
        for name in sorted(wanted_before - wanted_after):
            told = f"`{name}` is not required any more"
            yield Difference("wider", "no-longer-required", (*path, "required"), told, name)
        if closed_after and not closed_before:
            told = "unknown names are refused now"
            yield Difference("narrower", "closed", (*path, "additionalProperties"), told)
        elif closed_before and not closed_after:
            told = "unknown names are taken now"
            yield Difference("wider", "opened", (*path, "additionalProperties"), told)
        else:
            inner = (old.get("additionalProperties", True), new.get("additionalProperties", True))
            yield from self.at(*inner, (*path, "additionalProperties"))


_TOGETHER: Final = frozenset({"type", "enum", "const", "properties", "required", "additionalProperties"})
"""Words that are judged with others, not one by one."""


def _of_plain(old: Json, new: Json, path: Path) -> Iterator[Difference]:
    """Where one of both is no object: `true` admits all, `false` nothing, anything else is no schema."""
    if same(old, new):
        return
    if new is False or old is True or old == {}:
        yield Difference("narrower", "schema-narrower", path, "fewer values are taken", old, new)
    elif old is False or new is True or new == {}:
        yield Difference("wider", "schema-wider", path, "more values are taken", old, new)
    else:
        yield Difference("other", "schema-changed", path, "it changed", old, new)


def _types(old: Mapping[str, Json], new: Mapping[str, Json], path: Path) -> Iterator[Difference]:
    before, after = _type_set(old), _type_set(new)
    place, shown = (*path, "type"), (old.get("type", ...), new.get("type", ...))
    if lost := before - after:
        told = f"{_listed(lost)} is not taken any more"
        yield Difference("narrower", "type-narrowed", place, told, *shown)
    if gained := after - before:
        yield Difference("wider", "type-widened", place, f"{_listed(gained)} is taken too", *shown)


def _values(old: Mapping[str, Json], new: Mapping[str, Json], path: Path) -> Iterator[Difference]:
    before, after = _enumerated(old), _enumerated(new)
    place, shown = (*path, "enum"), (old.get("enum", ...), new.get("enum", ...))
    if after is not None and (before is None or before - after):
        told = "only some values are taken now" if before is None else f"{_listed(before - after)} is gone"
        yield Difference("narrower", "enum-narrowed", place, told, *shown)
    if before is not None and (after is None or after - before):
        told = "any value is taken now" if after is None else f"{_listed(after - before)} is new"
        yield Difference("wider", "enum-widened", place, told, *shown)


def _branches(old: list[Json], new: list[Json], path: Path) -> Iterator[Difference]:
    before, after = {encode(one) for one in old}, {encode(one) for one in new}
    if before - after and after - before:
        yield Difference("other", "schema-changed", path, "its branches changed", old, new)
    elif before - after:
        yield Difference("narrower", "branch-removed", path, "a branch is gone", old, new)
    elif after - before:
        yield Difference("wider", "branch-added", path, "a branch is new", old, new)


def _judge_of(word: str) -> Callable[[Json, Json], Direction]:
    if word in _FLOORS:
        return lambda old, new: _compared(old, new, lower_is="wider")
    if word in _CEILINGS:
        return lambda old, new: _compared(old, new, lower_is="narrower")
    if word in _DEMANDS:
        return lambda old, new: "narrower" if old is ... else "wider" if new is ... else "other"
    return lambda old, new: "other"


def _compared(old: Json, new: Json, *, lower_is: Direction) -> Direction:
    """What a bound that moved comes to."""
    higher_is: Direction = "narrower" if lower_is == "wider" else "wider"
    if old is ...:
        return "narrower"
    if new is ...:
        return "wider"
    if not (_is_number(old) and _is_number(new)):
        return "other"
    return lower_is if new < old else higher_is


def _direction_word(direction: Direction) -> str:
    return "changed" if direction == "other" else direction


def _followed(schema: Json, document: Json) -> Json:
    """The schema that a local reference leads to, where nothing but words without effect stands beside it."""
    for _ in range(_MOST_STEPS):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        found = document
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key, ...) if isinstance(found, dict) else ...
        if found is ...:
            return schema
        beside = {word: value for word, value in schema.items() if word != "$ref"}
        schema = {**found, **beside} if isinstance(found, dict) else found
    return schema


def _telling(schema: Json) -> Json:
    """The schema without the words that admit and refuse nothing."""
    if not isinstance(schema, dict):
        return schema
    return {word: value for word, value in schema.items() if word not in _SILENT}


def _definitions(document: Json) -> Json:
    if not isinstance(document, dict):
        return None
    return [document.get("$defs"), document.get("definitions")]


def _type_set(schema: Mapping[str, Json]) -> frozenset[str]:
    """The types that are taken; `integer` is a part of `number`."""
    said = schema.get("type", ...)
    if said is ...:
        return _EVERY_TYPE | {"integer"}
    types = frozenset(one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str))
    return types | {"integer"} if "number" in types else types


def _enumerated(schema: Mapping[str, Json]) -> frozenset[str] | None:
    if "const" in schema:
        return frozenset({encode(schema["const"])})
    said = schema.get("enum")
    return frozenset(encode(one) for one in said) if isinstance(said, list) else None


def _mapping(schema: Mapping[str, Json], word: str) -> Mapping[str, Json]:
    said = schema.get(word)
    return said if isinstance(said, dict) else {}


def _names(schema: Mapping[str, Json]) -> frozenset[str]:
    said = schema.get("required")
    return frozenset(one for one in said if isinstance(one, str)) if isinstance(said, list) else frozenset()


def _is_closed(schema: Mapping[str, Json]) -> bool:
    return schema.get("additionalProperties") is False


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))
