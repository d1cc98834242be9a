"""The second reading of JSON text: the place of every node, and every mistake with its place."""

from __future__ import annotations

import json
import math
import re
from typing import Final, NoReturn

from evalkit.text.mistakes import (
    EMPTY_DOCUMENT,
    MAX_DEPTH,
    MAX_INTEGER,
    TOO_DEEP,
    Refusal,
    big_integer,
    clip,
    duplicate_key,
    number_overflow,
)
from evalkit.text.places import Lines, Refusals


class Reading:
    """Reads values token by token; every node leaves its offset in `marks`, as Outline wants them."""

    def __init__(self, lines: Lines, refusals: Refusals) -> None:
        """Read from `lines`; a refusal that ends the reading raises ReadingEnds."""
        self.marks: list[int] = []
        self._lines = lines
        self._text = lines.text
        self._refusals = refusals

    def document(self) -> None:
        """Read the whole text as one value."""
        if self._skip(0) == len(self._text):
            self._refusals.end(EMPTY_DOCUMENT, -1)
        end = self._skip(self.value(self._skip(0), 1))
        if end < len(self._text):
            self._refusals.end(_TRAILING, end)

    def value(self, pos: int, depth: int) -> int:
        """Read the value at `pos`, a list or an object being `depth` levels deep; return its end."""
        sign = self._text[pos : pos + 1]
        if sign == "{":
            return self._object(pos, depth)
        if sign == "[":
            return self._array(pos, depth)
        self.marks.append(pos)
        if sign == '"':
            return self._string(pos)
        return self._word(pos)

    def _object(self, pos: int, depth: int) -> int:
        slot = self._enter(pos, depth)
        firsts: dict[str, int] = {}
        pos = self._skip(pos + 1)
        closed = self._text.startswith("}", pos)
        while not closed:
            end = self._key(pos, firsts)
            end = self._skip(end)
            if not self._text.startswith(":", end):
                self._unexpected(end, "a colon after the key")
            end = self.value(self._skip(end + 1), depth + 1)
            closed, pos = self._after(end, "}")
        return self._leave(slot, pos)

    def _array(self, pos: int, depth: int) -> int:
        slot = self._enter(pos, depth)
        pos = self._skip(pos + 1)
        closed = self._text.startswith("]", pos)
        while not closed:
            closed, pos = self._after(self.value(pos, depth + 1), "]")
        return self._leave(slot, pos)

    def _enter(self, pos: int, depth: int) -> int:
        if depth > MAX_DEPTH:
            self._refusals.end(TOO_DEEP, pos)
        slot = len(self.marks)
        self.marks.extend((pos, 0))
        return slot

    def _leave(self, slot: int, pos: int) -> int:
        self.marks[slot + 1] = -len(self.marks)
        return pos + 1

    def _key(self, pos: int, firsts: dict[str, int]) -> int:
        if not self._text.startswith('"', pos):
            self._unexpected(pos, "a key in double quotes")
        self.marks.append(pos)
        end = self._string(pos)
        key = json.loads(self._text[pos:end])
        if firsts.setdefault(key, pos) != pos:
            self._refusals.add(duplicate_key(key, self._lines.place(firsts[key])), pos)
        return end

    def _after(self, pos: int, bracket: str) -> tuple[bool, int]:
        """Return whether `bracket` closes here, and the offset of it or of what follows the comma."""
        pos = self._skip(pos)
        if self._text.startswith(bracket, pos):
            return True, pos
        if not self._text.startswith(",", pos):
            self._unexpected(pos, f"a comma or `{bracket}`")
        return False, self._skip(pos + 1)

    def _string(self, pos: int) -> int:
        end = _STRING.match(self._text, pos).end()  # type: ignore[union-attr]
        found = self._text[end : end + 1]
        if found == "\\":
            self._refusals.end(_ESCAPE, end)
        if found in ("", "\n", "\r"):
            self._refusals.end(_UNCLOSED, pos)
        if found != '"':
            self._refusals.end(_raw_character(found), end)
        return end + 1

    def _word(self, pos: int) -> int:
        match = _WORD.match(self._text, pos)
        if match is None:
            self._unexpected(pos, "a value")
        word = match[0]
        if word in _NOT_NUMBERS:
            self._refusals.add(_not_number(word), pos)
        elif _NUMBER.fullmatch(word):
            self._number(word, pos)
        elif word not in ("true", "false", "null"):
            self._unexpected(pos, "a value")
        return match.end()

    def _number(self, word: str, pos: int) -> None:
        if not word.lstrip("-").isdigit():
            if math.isinf(float(word)):
                self._refusals.add(number_overflow(word), pos)
        elif len(word) > 17 or abs(int(word)) > MAX_INTEGER:
            self._refusals.add(big_integer(word), pos)

    def _skip(self, pos: int) -> int:
        match = _SPACE.match(self._text, pos)
        return match.end() if match else pos

    def _unexpected(self, pos: int, wanted: str) -> NoReturn:
        match = _WORD.match(self._text, pos)
        found = match[0] if match else self._text[pos : pos + 1]
        shown = f"`{clip(found) if found.isprintable() else clip(ascii(found))}`"
        if not found:
            shown = "the end of the file"
        cures = _CURES_OF_VALUES if wanted.startswith(("a key", "a value")) else _CURES
        remedy = next((cure for pattern, cure in cures if re.match(pattern, found)), f"write {wanted}")
        self._refusals.end(Refusal("json-syntax", f"found {shown}, wanted {wanted}", remedy), pos)


_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_STRING: Final = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+')
_WORD: Final = re.compile(r'[^ \t\n\r,:\[\]{}"]++')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NOT_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
_CURES: Final = (
    ("$", "close every string, list and object; the file may be cut off"),
    (r"//|/\*|#", "remove the comment; JSON has none (YAML has)"),
)
_CURES_OF_VALUES: Final = (
    *_CURES,
    (r"[}\]]", "remove the comma before it, or write what is missing"),
    ("'", 'put text in double quotes: "…"'),
    ("(?i:true|false|none|null|nil|undefined)$", "write true, false or null"),
    (
        r"[-+]?\.?[0-9]",
        "write digits on both sides of a point, no plus and no leading zero, or quote it",
    ),
    (r"\w", 'put text in double quotes: "…"'),
)
_TRAILING: Final = Refusal(
    "trailing-text", "text after the end of the JSON value", "remove it; a file holds one value"
)
_ESCAPE: Final = Refusal(
    "json-syntax",
    "an escape that JSON does not know",
    r"write \\ for a backslash; JSON has \" \\ \/ \b \f \n \r \t and \u with four hex digits",
)
_UNCLOSED: Final = Refusal(
    "json-syntax",
    "a string begins here and does not end on its line",
    'close it with ", and write \\n for the end of a line inside',
)


def _raw_character(character: str) -> Refusal:
    code = ord(character)
    text = f"the raw character U+{code:04X} cannot stand in a JSON string"
    return Refusal("json-syntax", text, f"remove it, or write \\u{code:04x}")


def _not_number(word: str) -> Refusal:
    return Refusal("not-json-number", f"`{word}` is not JSON", f'write null, or quote it: "{word}"')
