"""Rules of the texts in a tool result: Unicode, JSON that is none, and values that were never written out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from evalkit.model import Evidence, Json, Path
from evalkit.rules import Fault, Rule
from evalkit.rules._calls import RESULT, TOOL, nodes_of, result_of, texts_of
from evalkit.values import dotted

LONGEST_LITERAL: Final = 100_000
"""Characters of a text that is read as a literal of Python."""

_LONE: Final = re.compile("[\ud800-\udfff]")
_UNSAID: Final = re.compile(
    r"(\[object [A-Z]\w*\],?\s*)+"
    r"|<[\w.<>]+ object at 0x[0-9a-fA-F]+>"
    r"|<(?:Enum|[A-Z]\w*\.\w+): [^<>]+>"
    r"|<function [\w.<>]+ at 0x[0-9a-fA-F]+>"
    r"|<bound method [\w.<>]+ of .+>"
)


class _Read:
    """JSON read as Python does it by itself: what is none of JSON, and names that stand twice."""

    def __init__(self) -> None:
        self.constants: list[str] = []
        self.repeated: list[str] = []

    def value(self, text: str) -> Json:
        """The value; ValueError where the text is no such JSON."""
        try:
            return json.loads(text, object_pairs_hook=self._object, parse_constant=self._constant)
        except RecursionError:
            raise ValueError("nested too deeply") from None

    def _object(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        made: dict[str, Json] = {}
        for name, value in pairs:
            if name in made:
                self.repeated.append(name)
            made[name] = value
        return made

    def _constant(self, word: str) -> None:
        self.constants.append(word)


def _numbers(evidence: Evidence) -> Iterator[Fault]:
    for path, text in texts_of(result_of(evidence)):
        for word in dict.fromkeys(_read(text)[1].constants):
            yield Fault(f"the text is JSON but for `{word}`, so no strict reader takes it", path, actual=text)


def _names_once(evidence: Evidence) -> Iterator[Fault]:
    for path, text in texts_of(result_of(evidence)):
        for name in dict.fromkeys(_read(text)[1].repeated):
            yield Fault(f"{name!r} stands twice in one object of the text, so a value is lost", path)


def _well_formed(evidence: Evidence) -> Iterator[Fault]:
    result = result_of(evidence)
    for place, text in _strings(result, (RESULT,)):
        if _LONE.search(text):
            yield Fault("a text holds half of a surrogate pair, so it is no Unicode", dotted(place))
    for path, text in texts_of(result):
        if "\\u" in text and any(_LONE.search(inner) for _, inner in _strings(_read(text)[0], ())):
            yield Fault("a string of the JSON in the text holds half of a surrogate pair", path)


def _told(evidence: Evidence) -> Iterator[Fault]:
    for path, text in texts_of(result_of(evidence)):
        if len(text) < LONGEST_LITERAL and _UNSAID.fullmatch(text.strip()):
            yield Fault("the text names a value of the program, and does not tell it", path, actual=text)


def _no_literal(evidence: Evidence) -> Iterator[Fault]:
    for path, text in texts_of(result_of(evidence)):
        if _is_python(text.strip()):
            yield Fault("the text is a value as Python writes it, and no JSON", path, actual=text)


def _read(text: str) -> tuple[Json, _Read]:
    """What a text holds that means to be JSON, an object or an array; None where it is none."""
    read = _Read()
    if not _is_enclosed(text.strip()):
        return None, read
    try:
        return read.value(text), read
    except ValueError:
        return None, _Read()


def _is_enclosed(text: str) -> bool:
    return (text[:1], text[-1:]) in (("{", "}"), ("[", "]"))


def _is_python(text: str) -> bool:
    """Whether a text is a list, a tuple or a dictionary of Python, with quotes or words that JSON has not."""
    if len(text) > LONGEST_LITERAL or not (_is_enclosed(text) or (text[:1], text[-1:]) == ("(", ")")):
        return False
    if "'" not in text and not re.search(r"\b(?:True|False|None)\b", text):
        return False
    if _read(text)[0] is not None:
        return False
    import ast  # start-up: few answers look like this
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return isinstance(ast.literal_eval(text), (list, tuple, dict, set))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


def _strings(value: Json, place: Path) -> Iterator[tuple[Path, str]]:
    """Every string in a value, names among them, with its place."""
    for at, node in nodes_of(value, place):
        for text in node if isinstance(node, dict) else (node,):
            if isinstance(text, str):
                yield at, text


RULES: Final = (
    Rule(
        "text-json-numbers",
        "medium",
        "A text that is an object or array of JSON holds neither NaN nor Infinity.",
        "RFC 8259, 6",
        'breaks: {"mean": NaN}\nkeeps:  {"mean": null}, or prose with NaN in it',
        TOOL,
        _numbers,
    ),
    Rule(
        "text-json-names",
        "low",
        "A text that is JSON has no name twice in one object.",
        "RFC 8259, 4",
        'breaks: {"id": 1, "id": 2}\nkeeps:  {"id": 1}',
        TOOL,
        _names_once,
    ),
    Rule(
        "text-unicode",
        "medium",
        "Every text of a result, and of the JSON in it, is well-formed Unicode.",
        "RFC 8259, 8.2",
        'breaks: "cut in the middle \\\\ud83d"\nkeeps:  "cut before it"',
        TOOL,
        _well_formed,
    ),
    Rule(
        "text-told",
        "medium",
        "A text tells a value, and is not only the program's name for it.",
        "evalkit; 2025-11-25, server/tools, Text Content",
        "breaks: [object Object], <app.Note object at 0x7f2c9e>, <Color.RED: 1>\nkeeps:  the note",
        TOOL,
        _told,
    ),
    Rule(
        "text-no-literal",
        "low",
        "A text that is a list or dictionary is JSON, not the way in which Python writes it.",
        "evalkit; 2025-11-25, server/tools, Structured Content",
        "breaks: [{'name': 'a'}]\nkeeps:  [{\"name\": \"a\"}]",
        TOOL,
        _no_literal,
    ),
)
