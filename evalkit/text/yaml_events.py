"""PyYAML's events from libyaml or the pure parser, and what is wrong with YAML as such, in our words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, Protocol

import yaml

from evalkit.text.bare_values import EMPTY_KEY
from evalkit.text.mistakes import TOO_DEEP, ReadingEnds, Refusal, clip
from evalkit.text.places import Refusals

try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]
except ImportError:
    CParser = None  # type: ignore[assignment, misc]

ALIAS: Final[type] = yaml.AliasEvent
DOCUMENT_START: Final[type] = yaml.DocumentStartEvent
MAPPING_END: Final[type] = yaml.MappingEndEvent
MAPPING_START: Final[type] = yaml.MappingStartEvent
SCALAR: Final[type] = yaml.ScalarEvent
SEQUENCE_END: Final[type] = yaml.SequenceEndEvent
STREAM_END: Final[type] = yaml.StreamEndEvent


class Mark(Protocol):
    """A place in the text: `index` counts characters from 0."""

    index: int


class Event(Protocol):
    """What is read of PyYAML's events: each has a start, nodes have anchor and tag, scalars have it all."""

    start_mark: Mark
    anchor: str | None
    tag: str | None
    style: str | None  # "" or None: bare
    value: str


def open_events(text: str) -> Callable[[], Event]:
    """Return what gives the next event: libyaml if it is there, else the pure parser."""
    if CParser is None:
        return _PureEvents(text)
    next_event: Callable[[], Any] = CParser(text).get_event
    return next_event


class _PureEvents:
    """The pure parser's events; it lets escapes of no character pass, so these are refused here."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parser = yaml.SafeLoader(text)

    def __call__(self) -> Event:
        try:
            event: Event = self._parser.get_event()  # type: ignore[no-untyped-call]
        except (ValueError, OverflowError) as error:
            raise _no_character(self._parser.get_mark().index) from error
        if type(event) is SCALAR and _SURROGATE.search(event.value):
            escape = _SURROGATE_ESCAPE.search(self._text, event.start_mark.index)
            raise _no_character(escape.start() if escape else event.start_mark.index)
        return event


def _no_character(index: int) -> yaml.MarkedYAMLError:
    mark = yaml.Mark("", index, 0, 0, "", 0)
    return yaml.MarkedYAMLError(problem="found invalid Unicode character escape code", problem_mark=mark)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE: Final = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")


def refuse_characters(text: str, refusals: Refusals) -> None:
    """Refuse raw characters that YAML forbids or its versions read differently; ReadingEnds if any."""
    if not _RAW.search(text.encode().translate(None, _PLAIN).decode()):
        return
    for match in _RAW.finditer(text):
        code = f"U+{ord(match[0]):04X}"
        escape = f"\\x{ord(match[0]):02x}" if match[0] < "\u0100" else f"\\u{ord(match[0]):04x}"
        refusal = Refusal(
            "control-character",
            f"the raw character {code} cannot stand in YAML",
            f'remove it, or write "{escape}" in double quotes',
        )
        refusals.add(refusal, match.start())
    raise ReadingEnds


def refuse_directive(text: str, refusals: Refusals) -> None:
    """Refuse a directive other than `%YAML 1.1` and `%YAML 1.2`; ReadingEnds then."""
    match = _DIRECTIVE.match(text)
    if match is not None:
        refusal = Refusal(
            "yaml-directive",
            f"the directive `{clip(match[1])}` is not supported",
            "remove the line; only %YAML 1.1 and %YAML 1.2 may stand there",
        )
        refusals.end(refusal, match.start(1))


# What YAML 1.2 does not print, and NEL, LS and PS, which end a line to YAML 1.1 only.
_RAW: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_PLAIN: Final = bytes((9, 10, 13, *range(0x20, 0x7F)))
_DIRECTIVE: Final = re.compile(
    r"(?:[ \t]*(?:\#.*)?[\r\n]|%YAML[ \t]+1\.[12][ \t]*(?:\#.*)?[\r\n])*+(%[^\r\n]*)"
)


def refuse_syntax(error: yaml.YAMLError, text: str) -> tuple[Refusal, int]:
    """Return PyYAML's complaint in our words and the offset it is about (-1: not known)."""
    mark: Mark | None = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    context = getattr(error, "context", None) or ""
    if mark is None:
        return Refusal("yaml-syntax", f"this is not YAML: {clip(problem)}", _COMPARE), -1
    start: Mark = getattr(error, "context_mark", None) or mark
    offset = min(mark.index, len(text))
    if text.startswith("${{", offset - 1):
        return _FILLING, offset - 1
    if text.startswith(":", offset) and _NO_KEY.search(text[max(offset - 100, 0) : offset]):
        return EMPTY_KEY, offset
    tab = text.rfind("\t", 0, offset + 1)
    if tab >= 0 and not text[tab:offset].strip(" \t") and (tab == offset or "tab" in problem):
        return _TAB, tab
    if "nesting depth" in problem:
        return TOO_DEEP, offset
    for pattern, at_start, refusal in _COMPLAINTS:
        if re.search(pattern, f"{context}: {problem}"):
            if at_start:
                offset = start.index
            elif "escape" in pattern:
                offset = text.rfind("\\", 0, offset + 1)
            found = repr(text[offset : offset + 1])
            return refusal._replace(message=refusal.message.replace("FOUND", found)), offset
    return Refusal("yaml-syntax", f"this is not YAML: {clip(problem)}", _COMPARE), offset


_COMPARE: Final = "compare the line and its indentation with its neighbours; quote text that holds signs"
_FILLING: Final = Refusal(
    "unquoted-filling",
    "a bare `${{ … }}` in flow style, which YAML reads as nested mappings",
    'quote it: "${{ … }}"',
)
_NO_KEY: Final = re.compile(r"(?:^|[\n\r{,\[]|(?:^|[\n\r ])-) *$")
_TAB: Final = Refusal(
    "tab-indentation", "a tab stands where YAML wants spaces", "indent with spaces (two a level)"
)


def _complaint(
    pattern: str, message: str, remedy: str, *, code: str = "yaml-syntax"
) -> tuple[str, bool, Refusal]:
    """A row of the table below: a pattern that begins with @ is reported where what was read begins."""
    return pattern.removeprefix("@"), pattern.startswith("@"), Refusal(code, message, remedy)


_COMPLAINTS: Final = (
    _complaint(
        r"@\btag\b",
        "an explicit tag",
        "remove the tag; quote the value if it is text that begins with `!`",
        code="explicit-tag",
    ),
    _complaint(
        "scanning a directive|duplicate .*directive|incompatible YAML",
        "a directive that is not supported",
        "remove the line; only %YAML 1.1 and %YAML 1.2 may stand there, once",
        code="yaml-directive",
    ),
    _complaint(
        "mapping values are not allowed",
        "a `:` where no key can stand: a second one in a line, a line too deep, or a key too long",
        'quote the text that holds ": ", or indent the key like its neighbours',
    ),
    _complaint(
        "@could not find expected ':'",
        "this line is neither `key: value` nor part of the text above it",
        "write `key: value`, or indent the line to go on with the text above",
    ),
    _complaint(
        "@quoted scalar.*(end of stream|document indicator)",
        "a quoted text begins here and never ends",
        "close it with the quote that opens it; inside '…' write '' for a quote",
    ),
    _complaint(
        "unknown escape",
        "an escape that YAML does not know",
        r"write \\ for a backslash, or put the text in single quotes",
    ),
    _complaint(
        "Unicode character escape|hexa?decimal",
        "an escape that names no character",
        r"write \u and four hex digits, \U and eight; a lone surrogate can stand in a .json file only",
    ),
    _complaint(
        "@scanning an (alias|anchor)",
        "FOUND begins an alias (*) or an anchor (&), and no proper name follows",
        "quote the value if it is text",
    ),
    _complaint(
        "cannot start any token",
        "bare text cannot begin with FOUND",
        "quote the value",
    ),
    _complaint(
        "flow (sequence|mapping)",
        "a list […] or mapping {…} goes on here without a comma, or was never closed",
        "put a comma before this, or close the bracket; quote text that holds brackets or commas",
    ),
    _complaint(
        "block sequence entries are not allowed",
        "a `- ` where no list can begin",
        "begin the list on a line of its own, or quote the value if it is text",
    ),
    _complaint(
        "mapping keys are not allowed", "a `? ` where no key can stand", "quote the value if it is text"
    ),
    _complaint(
        "block scalar",
        "text after `|` or `>` must begin on the next line, indented with spaces",
        "put only -, + or a digit after `|` or `>`, and indent the text below",
    ),
    _complaint(
        "block collection",
        "this line is no item of the list above it",
        "begin it with `- ` like its neighbours, or indent it otherwise",
    ),
    _complaint(
        "block mapping",
        "this fits no mapping above it: other indentation, or text after a closing quote",
        "indent it like its neighbours; when part of a value is quoted, quote the whole value",
    ),
    _complaint(
        "document start",
        "text after the end of the document",
        "remove it: a file is one value; if it goes on after a key, put a space after the colon",
    ),
)
