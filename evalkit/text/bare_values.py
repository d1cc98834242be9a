"""What a bare (unquoted) YAML scalar means: true, false, null, a JSON number, text, or a refusal."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from evalkit.text.mistakes import MAX_INTEGER, Refusal, big_integer, clip, number_overflow

Json = Any

CONSTANTS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None}
EMPTY_KEY: Final = Refusal(
    "empty-key", "a key of no text, which is null to YAML", 'write the key, or "" if it is meant'
)


def read_value(text: str) -> Json | Refusal:
    """Return what bare `text` (not empty) stands for, or why it is refused (suite language, section 1)."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    form = _form(text)
    if form is None:
        return text
    if form == "integer":
        return _integer(text)
    if form == "fraction":
        return _fraction(text)
    reading, remedy = _READINGS[form]
    shown = clip(text)
    return Refusal(form, f"bare `{shown}` {reading}", remedy.format(quoted=f'"{shown}"'))


def refuse_key(text: str) -> Refusal | None:
    """Say why bare `text` cannot be a key, or None when it is plain text."""
    shown = clip(text)
    remedy = f'quote the key: "{shown}"'
    if not text:
        return Refusal(
            "empty-key", "a key of no text, which is null to YAML", 'write the key, or "" if it is meant'
        )
    if text == "<<":
        return Refusal(
            "merge-key",
            "a merge key `<<`, which is not supported",
            f"write the keys out, start a fixture with `use:`, or {remedy}",
        )
    form = _form(text)
    if form in ("integer", "fraction") or text in CONSTANTS:
        return Refusal("typed-key", f"the bare key `{shown}` is not text to JSON", remedy)
    if form is None:
        return None
    return Refusal(form, f"the bare key `{shown}` {_READINGS[form][0]}", remedy)


# The forms of PyYAML (YAML 1.1, with y and n from its type repository) and of the YAML 1.2 core schema.
# The first two are JSON numbers that all three read alike; the name of any other is its code.
_FORMS: Final = re.compile(
    r"""
  (?P<integer> -?(?:0|[1-9][0-9]*) )
| (?P<fraction> -?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)? )
| (?P<bare_boolean> y|Y|yes|Yes|YES|n|N|no|No|NO|True|TRUE|False|FALSE|on|On|ON|off|Off|OFF )
| (?P<bare_null> ~|Null|NULL )
| (?P<bare_date> [0-9]{4}-[0-9]{2}-[0-9]{2}
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
      (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))? )
| (?P<bare_sexagesimal> [-+]?[1-9][0-9_]*+(?::[0-5]?[0-9])++
    | [-+]?[0-9][0-9_]*+(?::[0-5]?[0-9])++\.[0-9_]* )
| (?P<bare_binary> [-+]?0b[01_]+ )
| (?P<bare_hexadecimal> [-+]?0x[0-9a-fA-F_]+ )
| (?P<bare_octal> [-+]?0[0-7_]+ | 0o[0-7]+ )
| (?P<bare_leading_zero> [-+]?0[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)? )
| (?P<bare_exponent> [-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+ )
| (?P<bare_plus> \+(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?) )
| (?P<bare_decimal_point> -?(?:\.[0-9]+|[0-9]+\.) )
| (?P<bare_not_finite> [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) )
| (?P<bare_underscore> [-+]?[1-9][0-9_]* | [-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?
    | \.[0-9][0-9_]*(?:[eE][-+][0-9]+)? )
| (?P<yaml_special> =|<< )
""",
    re.VERBOSE,
)
_FIRST: Final = frozenset("0123456789+-.~=<yYnNtTfFoO")

_READINGS: Final[dict[str, tuple[str, str]]] = {
    "bare-boolean": (
        "is a boolean to one YAML version and text to another",
        "write true or false, or quote it if it is text: {quoted}",
    ),
    "bare-null": ("is null to YAML", "write null, or quote it if it is text: {quoted}"),
    "bare-date": ("is a date to YAML 1.1 and text to YAML 1.2", "quote it: {quoted}"),
    "bare-sexagesimal": (
        "is a number in base sixty to YAML 1.1 and text to YAML 1.2",
        "quote it: {quoted}, or write the number",
    ),
    "bare-binary": (
        "is a binary number to YAML 1.1 and text to YAML 1.2",
        "write the number in decimal, or quote it: {quoted}",
    ),
    "bare-hexadecimal": (
        "is a hexadecimal number to YAML",
        "write the number in decimal, or quote it: {quoted}",
    ),
    "bare-octal": (
        "is an octal number to one YAML version and not to another",
        "write the number in decimal, or quote it: {quoted}",
    ),
    "bare-leading-zero": (
        "is a number to YAML 1.2, but not to JSON",
        "quote it: {quoted}, or leave out the leading zero",
    ),
    "bare-exponent": (
        "is a number to YAML 1.2 and text to YAML 1.1",
        "write a point and a signed exponent (1.0e+3), or the number in full, or quote it: {quoted}",
    ),
    "bare-plus": ("is a number to YAML, but not to JSON", "leave out the plus sign, or quote it: {quoted}"),
    "bare-decimal-point": (
        "is a number to YAML, but not to JSON",
        "write digits on both sides of the point, or quote it: {quoted}",
    ),
    "bare-not-finite": ("is a number to YAML, and JSON has none such", "quote it if it is text: {quoted}"),
    "bare-underscore": (
        "is a number to YAML 1.1 and text to YAML 1.2",
        "leave out the underscores, or quote it: {quoted}",
    ),
    "yaml-special": ("has a meaning of its own in YAML 1.1", "quote it: {quoted}"),
}


def _form(text: str) -> str | None:
    """Name the form of `text` when one of the YAMLs types it, else None; first characters decide most."""
    if text[0] not in _FIRST:
        return None
    match = _FORMS.fullmatch(text)
    return None if match is None or match.lastgroup is None else match.lastgroup.replace("_", "-")


def _integer(text: str) -> int | Refusal:
    if len(text) > 17:
        return big_integer(text)
    value = int(text)
    return value if -MAX_INTEGER <= value <= MAX_INTEGER else big_integer(text)


def _fraction(text: str) -> float | Refusal:
    digits = text.partition(".")[2].lower().partition("e")[0]
    if len(digits) > 1 and digits.endswith("0"):
        shown = clip(text)
        return Refusal(
            "trailing-zero",
            f"the number {shown} would lose its last zero",
            f'quote it if it is text: "{shown}", or leave out the zero',
        )
    value = float(text)
    return number_overflow(text) if math.isinf(value) else value
