"""YAML text → plain data and the place of every node, from PyYAML's events and by our own strict rules."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from yaml.error import YAMLError

from evalkit.text.bare_values import CONSTANTS, read_value, refuse_key
from evalkit.text.mistakes import (
    EMPTY_DOCUMENT,
    MAX_ALIAS_NODES,
    MAX_ALIASES,
    MAX_DEPTH,
    TOO_DEEP,
    ReadingEnds,
    Refusal,
    clip,
    duplicate_key,
)
from evalkit.text.places import Lines, Outline, Refusals
from evalkit.text.yaml_events import (
    ALIAS,
    DOCUMENT_START,
    MAPPING_END,
    MAPPING_START,
    SCALAR,
    SEQUENCE_END,
    STREAM_END,
    Event,
    open_events,
    refuse_characters,
    refuse_directive,
    refuse_syntax,
)

Json = Any

_NOTHING: Final = object()  # stands for a value that was not written
_OPEN: Final = object()  # stands for an anchored node that is still being read
_NEW: Final = object()


def read_yaml(lines: Lines) -> tuple[Json, Outline]:
    """Return the data of the one document in `lines` and where its nodes stand.

    An alias gives the same object again. Raises SuiteError with all mistakes (suite language, section 1).
    """
    refusals = Refusals(lines)
    builder = _Builder(lines, refusals)
    data: Json = None
    with suppress(ReadingEnds):
        data = builder.document()
    refusals.raise_any()
    return data, Outline(builder.marks, data)


class _Builder:
    """One pass over the events, a method for each kind of node; every node leaves its offset in `marks`.

    Ten thousand cases are half a million nodes, so `_mapping` reads its usual keys and values in place.
    """

    def __init__(self, lines: Lines, refusals: Refusals) -> None:
        self.marks: list[int] = []
        self._lines = lines
        self._refusals = refusals
        self._values: dict[str, Json] = {**CONSTANTS}
        self._keys: dict[str, str] = {}
        self._depth = 0
        self._anchors: dict[str, Json] = {}
        self._aliases = 0
        self._alias_nodes = 0

    def document(self) -> Json:
        """Return the document's data; ReadingEnds when it is empty, broken or not the only one."""
        text = self._lines.text
        refuse_characters(text, self._refusals)
        refuse_directive(text, self._refusals)
        self._read = open_events(text)
        try:
            self._read()  # the start of the stream
            if type(self._read()) is STREAM_END:
                self._refusals.end(EMPTY_DOCUMENT, -1)
            data = self._node(self._read())
            if data is _NOTHING:
                self._refusals.end(EMPTY_DOCUMENT, -1)
            self._read()  # the end of the document
            event = self._read()
            if type(event) is DOCUMENT_START:
                self._refusals.end(_SEVERAL, event.start_mark.index)
        except YAMLError as error:
            self._refusals.end(*refuse_syntax(error, text))
        return data

    def _mapping(self) -> dict[str, Json]:
        read, mark, keys, values = self._read, self.marks.append, self._keys, self._values
        data: dict[str, Json] = {}
        firsts: dict[str, int] = {}
        while type(event := read()) is not MAPPING_END:
            offset = event.start_mark.index
            if type(event) is SCALAR and event.tag is None and event.anchor is None:
                mark(offset)
                key = event.value if event.style else keys.get(event.value) or self._new_key(event)
            else:
                key = self._rare_key(event)
            event = read()
            if (
                type(event) is SCALAR
                and not event.style
                and event.tag is None
                and event.anchor is None
                and (value := values.get(event.value, _NEW)) is not _NEW
            ):
                mark(event.start_mark.index)
            else:
                value = self._node(event)
                if value is _NOTHING and key is not None:
                    self._refusals.add(_empty_value(key), offset)
            if key is None:
                continue
            if firsts.setdefault(key, offset) != offset:
                self._refusals.add(duplicate_key(key, self._lines.place(firsts[key])), offset)
            data[key] = value
        return data

    def _sequence(self) -> list[Json]:
        data: list[Json] = []
        while type(event := self._read()) is not SEQUENCE_END:
            value = self._node(event)
            if value is _NOTHING:
                self._refusals.add(_EMPTY_ITEM, event.start_mark.index - (event.anchor is None))
            data.append(value)
        return data

    def _scalar(self, event: Event) -> Json:
        self.marks.append(event.start_mark.index)
        text = event.value
        if event.style or event.tag is not None:
            return text
        if not text:
            return _NOTHING
        value = self._values.get(text, _NEW)
        if value is _NEW:
            value = read_value(text)
            if isinstance(value, Refusal):
                self._refusals.add(value, event.start_mark.index)
            else:
                self._values[text] = value
        return value

    def _node(self, event: Event) -> Json:
        kind = type(event)
        if kind is ALIAS:
            return self._alias(event)
        if event.tag is not None:
            self._refusals.add(_tagged(event.tag), event.start_mark.index)
        if event.anchor is not None:
            self._anchors[event.anchor] = _OPEN
        value = self._scalar(event) if kind is SCALAR else self._collection(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _collection(self, event: Event) -> Json:
        marks, slot = self.marks, len(self.marks)
        marks.append(event.start_mark.index)
        marks.append(0)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._refusals.end(TOO_DEEP, event.start_mark.index)
        value = self._mapping() if type(event) is MAPPING_START else self._sequence()
        self._depth -= 1
        marks[slot + 1] = -len(marks)
        return value

    def _new_key(self, event: Event) -> str | None:
        """Judge a bare key met for the first time; None when it is refused."""
        key: str = event.value
        refusal = refuse_key(key)
        if refusal is not None:
            self._refusals.add(refusal, event.start_mark.index)
            return None
        return self._keys.setdefault(key, key)

    def _rare_key(self, event: Event) -> str | None:
        """Read a key that is anchored, tagged, an alias, a list or a mapping; None when it is refused."""
        value = self._node(event)
        if isinstance(value, str):
            return value
        if not isinstance(value, Refusal):
            flow = self._lines.text.startswith("{{", event.start_mark.index - 1)
            self._refusals.add(_BRACES if flow else _KEY_NOT_TEXT, event.start_mark.index)
        return None

    def _alias(self, event: Event) -> Json:
        name = event.anchor or ""
        offset = event.start_mark.index
        self.marks.append(offset)
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            self._refusals.end(_TOO_MANY_ALIASES, offset)
        value = self._anchors.get(name, _NEW)
        if value is _NEW or value is _OPEN:
            self._refusals.add((_unknown if value is _NEW else _recursive)(name), offset)
            return None
        nodes, depth = _measure(value)
        self._alias_nodes += nodes
        if self._alias_nodes > MAX_ALIAS_NODES:
            self._refusals.end(_TOO_MANY_NODES, offset)
        if self._depth + depth > MAX_DEPTH:
            self._refusals.end(TOO_DEEP, offset)
        return value


def _measure(value: Json) -> tuple[int, int]:
    """Count the values in `value`, itself included, and the levels of lists and mappings."""
    nodes = depth = 0
    level = [value]
    while level and nodes <= MAX_ALIAS_NODES:
        nodes += len(level)
        holders = [node for node in level if isinstance(node, (dict, list))]
        depth += bool(holders)
        level = [child for node in holders for child in (node.values() if isinstance(node, dict) else node)]
    return nodes, depth


_SEVERAL: Final = Refusal(
    "several-documents",
    "a second document begins here; a file is one document",
    "remove the `---`, or make two files",
)
_EMPTY_ITEM: Final = Refusal(
    "empty-item", "a list item without a value", 'write the value: null, "", {} or [] if it is to be empty'
)
_KEY_NOT_TEXT: Final = Refusal(
    "key-not-text", "this key is no text; a key cannot be a list, a mapping, null or a number", "write text"
)
_BRACES: Final = Refusal(
    "key-not-text",
    "YAML reads `{{ … }}` as a mapping that is a key; a key must be text",
    'write "${{ … }}", in quotes',
)
_TOO_MANY_ALIASES: Final = Refusal(
    "too-many-aliases", f"more than {MAX_ALIASES} aliases in one file", "write the data out, or use a matrix"
)
_TOO_MANY_NODES: Final = Refusal(
    "too-many-alias-nodes",
    f"the aliases up to here make more than {MAX_ALIAS_NODES:,} nodes",
    "write the data out, or use {$repeat: …}",
)


def _empty_value(key: str) -> Refusal:
    return Refusal(
        "empty-value",
        f"the key {clip(key)!r} has no value",
        'write the value: null, "", {} or [] if it is to be empty',
    )


def _tagged(tag: str) -> Refusal:
    shown = clip(tag.replace("tag:yaml.org,2002:", "!!"))
    return Refusal(
        "explicit-tag", f"an explicit tag ({shown})", "remove the tag; quote the value if it is text"
    )


def _unknown(anchor: str) -> Refusal:
    text = f"the alias *{clip(anchor)} names no anchor before it"
    return Refusal("unknown-alias", text, f"write &{clip(anchor)} before, or quote the value if it is text")


def _recursive(anchor: str) -> Refusal:
    text = f"the alias *{clip(anchor)} stands inside the node that it names"
    return Refusal("recursive-alias", text, "write the data out")
