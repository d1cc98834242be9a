"""What YAML or JSON text may not hold, each with the reason: the limits and the codes of the text rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

MAX_BYTES: Final = 32 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_ALIASES: Final = 256
MAX_ALIAS_NODES: Final = 200_000
MAX_MISTAKES: Final = 1_000
MAX_INTEGER: Final = 2**53 - 1

TEXT_MISTAKES: Final[Mapping[str, str]] = {
    # the file as bytes
    "missing-file": "A suite that is named must be there; nothing is skipped in silence.",
    "not-a-file": "Suites are read from ordinary files; a pipe or a device could block the run for ever.",
    "unreadable-file": "The operating system refused to hand the file out.",
    "file-too-large": "A file holds at most 32 MiB, so that no file can use up memory or time.",
    "binary-file": "A NUL byte never stands in text, so this is no YAML and no JSON.",
    "not-utf-8": "Suites are UTF-8, with or without a mark: a guessed encoding changes what is compared.",
    "control-character": "YAML has no raw control characters, and its versions disagree about U+0085, U+2028 "
    'and U+2029; write an escape in double quotes: "\\u2028".',
    "too-many-mistakes": "After 1,000 mistakes the reading ends; put these right first.",
    # the document
    "empty-document": "An empty file checks nothing, and what checks nothing never passes.",
    "several-documents": "One file is one document; what follows a second `---` would be lost.",
    "too-deep": "Data goes at most 64 levels deep (aliases followed), so that nothing overflows a stack.",
    "yaml-syntax": "The text is not YAML, so it cannot be said what it means.",
    "json-syntax": "The text is not JSON (RFC 8259), so it cannot be said what it means.",
    "trailing-text": "A JSON file holds one value; what follows it would be lost.",
    "tab-indentation": "YAML indents with spaces only; how wide a tab is, nobody can say.",
    "yaml-directive": "`%TAG` and others change how text is read; only `%YAML 1.1` and `1.2` may stand.",
    "explicit-tag": "A tag (`!!str`, `!x`, `!`) gives a type that JSON does not have or that quotes give: "
    '`!!str 1` is "1".',
    # keys
    "duplicate-key": "Readers keep the first or the last of two equal keys, so a check would be lost.",
    "merge-key": "`<<` is YAML 1.1 only, and readers disagree who wins; fixtures have `use:` instead.",
    "typed-key": "JSON keys are text, but bare `true`, `null`, `200` are not: quote them.",
    "empty-key": 'A key of no text (`: value`) is null to YAML; an empty key is written `""`.',
    "key-not-text": "JSON keys are text, not lists or mappings (`{{ x }}` is a mapping as a key).",
    "empty-value": 'A key without a value is null to YAML, and often a slip: write null, "", {} or [].',
    "empty-item": 'A list item without a value is null to YAML, and often a slip: write null, "", {} or [].',
    # bare values
    "bare-boolean": "`yes no on off y n True TRUE …` are booleans to one YAML version and text to another.",
    "bare-null": "`~ Null NULL` are other spellings of null; there is one: null.",
    "bare-octal": "`010` is 8 to YAML 1.1 and 10 to YAML 1.2; `0o17` is 15 to YAML 1.2 and text to YAML 1.1.",
    "bare-leading-zero": "`08` is text to YAML 1.1 and 8 to YAML 1.2; JSON numbers have no leading zero.",
    "bare-hexadecimal": "`0x1f` is 31 to YAML, and JSON has no hexadecimal numbers.",
    "bare-binary": "`0b101` is 5 to YAML 1.1 and text to YAML 1.2.",
    "bare-sexagesimal": "`1:30` is 90 to YAML 1.1 (base sixty) and text to YAML 1.2.",
    "bare-date": "`2024-01-01` is a date to YAML 1.1 and text to YAML 1.2; JSON has no dates.",
    "bare-not-finite": "`.nan` and `.inf` are numbers to YAML, and JSON has neither.",
    "bare-plus": "`+1` is a number to YAML and text by JSON's grammar.",
    "bare-underscore": "`1_000` is a number to YAML 1.1 and text to YAML 1.2.",
    "bare-decimal-point": "`.5` and `1.` are numbers to YAML; JSON has digits on both sides of the point.",
    "bare-exponent": "`1e3` is 1000 to YAML 1.2 and text to YAML 1.1; both read `1.0e+3` as a number.",
    "yaml-special": "Bare `=` and `<<` have meanings of their own in YAML 1.1.",
    "trailing-zero": "`1.10` would be 1.1; versions and prices are text, so quote them (`1.0` is fine).",
    "unquoted-filling": "In flow style ([…], {…}) YAML reads a bare `${{ x }}` as nested mappings: quote it.",
    # numbers
    "big-integer": 'Integers beyond ±(2^53−1) are rounded by many JSON readers; write {$int: "…"}.',
    "number-overflow": "A number beyond ±1.8e308 would be infinite, and JSON has no infinity.",
    "not-json-number": "`NaN` and `Infinity` are not JSON, though some readers take them.",
    # anchors and aliases
    "unknown-alias": "`*name` must come after `&name` in the same file.",
    "recursive-alias": "An alias inside the node that it names would make data without end.",
    "too-many-aliases": "A file holds at most 256 aliases.",
    "too-many-alias-nodes": "Aliases make at most 200,000 nodes a file, so that no alias bomb goes off.",
}


class Refusal(NamedTuple):
    """What is wrong and what to do, without its place yet; `code` is a key of TEXT_MISTAKES."""

    code: str
    message: str
    remedy: str


class ReadingEnds(Exception):
    """Nothing more can be read; the refusals made so far say why."""


TOO_DEEP: Final = Refusal(
    "too-deep",
    f"the data goes deeper than {MAX_DEPTH} levels",
    f"keep lists and mappings at most {MAX_DEPTH} deep",
)
EMPTY_DOCUMENT: Final = Refusal(
    "empty-document", "the file holds no data", "write a suite: name, version and cases"
)


def clip(text: str) -> str:
    """`text` as messages show it: on one line, at most 40 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"


def big_integer(text: str) -> Refusal:
    """Refuse an integer that a double cannot hold exactly."""
    return Refusal(
        "big-integer",
        f"the integer {clip(text)} is beyond ±(2^53−1)",
        f'write {{"$int": "{clip(text)}"}}, or quote it if it is text',
    )


def number_overflow(text: str) -> Refusal:
    """Refuse a number that a double reads as infinite."""
    return Refusal(
        "number-overflow",
        f"the number {clip(text)} is beyond what a double can hold",
        "write a smaller number, or quote it if it is text",
    )


def duplicate_key(key: str, first: tuple[int, int]) -> Refusal:
    """Refuse the second of two equal keys; `first` is line and column of the first."""
    return Refusal(
        "duplicate-key",
        f"the key {clip(key)!r} stands here a second time; the first is at {first[0]}:{first[1]}",
        "keep one of the two, or rename one",
    )
