"""Where `$ref`s lead inside of one document: nowhere, outside, or round in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

from evalkit.schemas._dialects import Dialect
from evalkit.schemas._places import children, judges_same_value, subschemas
from evalkit.schemas._words import Json, Path, SchemaError, shown

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_Place: TypeAlias = tuple[Json, str]
"""A schema and the base URI that its references are relative to."""


class Document:
    """A schema with its identifiers and anchors, for following references that stay inside of it."""

    def __init__(self, root: Json, dialect: Dialect) -> None:
        """Index a schema."""
        self._dialect = dialect
        self._resources: dict[str, Json] = {"": root}
        self._anchors: dict[tuple[str, str], Json] = {}
        self._places: list[tuple[Path, _Place]] = []
        bases: dict[Path, str] = {}
        for path, schema in subschemas(root):
            base = self._base(schema, _nearest_base(bases, path))
            bases[path] = base
            self._places.append((path, (schema, base)))
            self._index(schema, base, is_root=not path)

    def first_unresolved(self) -> SchemaError | None:
        """The first reference that leads nowhere or outside, as the error to raise; None if there is none."""
        for path, (schema, base) in self._places:
            for word in _REFERENCES:
                reference = schema.get(word)
                if isinstance(reference, str) and self._target(reference, base) is None:
                    return _unresolved(reference, (*path, word), known=self._knows(reference, base))
        return None

    def first_loop(self) -> SchemaError | None:
        """A schema that judges a value by itself and would never end, as the error to raise, or None."""
        finished: set[int] = set()
        for path, place in self._places:
            if self._comes_back(place, finished):
                text = "a chain of references comes back to itself without entering a property or an item"
                word = next((word for word in _REFERENCES if word in place[0]), None)
                named = f"{text} (by way of {shown(place[0][word])})" if word else text
                return SchemaError("ref-loop", named, path)
        return None

    def _comes_back(self, start: _Place, finished: set[int]) -> bool:
        trail = [(id(start[0]), self._judging_the_same(start))]
        entered = {id(start[0])}
        while trail:
            key, ahead = trail[-1]
            following = next(ahead, None)
            if following is None:
                trail.pop()
                entered.discard(key)
                finished.add(key)
            elif id(following[0]) in entered:
                return True
            elif id(following[0]) not in finished:
                entered.add(id(following[0]))
                trail.append((id(following[0]), self._judging_the_same(following)))
        return False

    def _judging_the_same(self, place: _Place) -> Iterator[_Place]:
        schema, base = place
        for word in _REFERENCES:
            reference = schema.get(word)
            target = self._target(reference, base) if isinstance(reference, str) else None
            if target is not None and isinstance(target[0], dict):
                yield target
        if "$ref" in schema and self._dialect.ref_stands_alone:
            return
        for tail, child in children(schema):
            if judges_same_value(tail[0], schema):
                yield child, self._base(child, base)

    def _base(self, schema: Json, around: str) -> str:
        name = schema.get(self._dialect.id_word)
        return _absolute(name, around)[0] if isinstance(name, str) else around

    def _index(self, schema: Json, base: str, *, is_root: bool) -> None:
        name = schema.get(self._dialect.id_word)
        if isinstance(name, str) and not name.startswith("#"):
            self._resources.setdefault(base, schema)
        if isinstance(name, str) and "#" in name:
            self._anchors.setdefault((base, urldefrag(name).fragment), schema)
        if is_root:
            self._resources.setdefault(base, schema)
        for word in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(word), str):
                self._anchors.setdefault((base, schema[word]), schema)

    def _knows(self, reference: str, base: str) -> bool:
        return _absolute(reference, base)[0] in self._resources

    def _target(self, reference: str, base: str) -> _Place | None:
        address, fragment = _absolute(reference, base)
        if fragment and not fragment.startswith("/"):
            anchored = self._anchors.get((address, fragment))
            return None if anchored is None else (anchored, address)
        if address not in self._resources:
            return None
        found = _pointed_at(self._resources[address], fragment)
        return (
            None if found is None else (found, self._base(found, address) if isinstance(found, dict) else "")
        )


def _nearest_base(bases: dict[Path, str], path: Path) -> str:
    for length in range(len(path) - 1, -1, -1):
        if path[:length] in bases:
            return bases[path[:length]]
    return ""


def _absolute(reference: str, base: str) -> tuple[str, str]:
    """The address and the fragment of a reference; one that is no URI keeps its text as its address."""
    if reference.startswith("#"):
        return base, unquote(reference[1:])
    try:
        address, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        return reference, ""
    return address, unquote(fragment)


def _pointed_at(document: Json, pointer: str) -> Json | None:
    for raw in pointer.split("/")[1:]:
        part = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list) and part.isdecimal() and int(part) < len(document):
            document = document[int(part)]
        else:
            return None
    return document if isinstance(document, (dict, bool)) else None


def _unresolved(reference: str, path: Path, *, known: bool) -> SchemaError:
    if known:
        return SchemaError("ref-unresolvable", f"{shown(reference)} leads to nothing in this schema", path)
    return SchemaError("ref-remote", f"{shown(reference)} is another document; nothing is ever fetched", path)
