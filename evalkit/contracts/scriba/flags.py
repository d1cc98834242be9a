"""Reads flags as Go's flag package does: one dash or two, and none after the first other word (spec 8.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), "true"),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), "false"),
}
_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    **dict(zip("\a\b\f\n\r\t\v", map("\\{}".format, "abfnrtv"), strict=True)),
}


class FlagWrong(Exception):
    """A flag cannot be meant; the message is Go's."""


class HelpAsked(Exception):
    """`--help` or `-h` stood before anything wrong."""


def anything(value: str, is_repeated: bool) -> str:
    """No value is refused, and a repeated flag counts as given last."""
    return ""


class Flag(NamedTuple):
    """A flag; without a name for its value, a switch. `problem` says why a value is refused, or nothing."""

    name: str
    told: str
    value: str = ""
    problem: Callable[[str, bool], str] = anything


class Given(NamedTuple):
    """A command line: the value of each flag that was given (of a switch: true or false), and the rest."""

    values: Mapping[str, str]
    rest: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """The value of a flag; empty where it was not given."""
        return self.values.get(name, "")


def parse(flags: Sequence[Flag], argv: Sequence[str]) -> Given:
    """Flags up to the first other word, or up to `--`. Raises FlagWrong and HelpAsked."""
    known = {flag.name: flag for flag in flags}
    values: dict[str, str] = {}
    words = list(argv)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        name, is_given, value = _split(word)
        flag = known.get(name) or _unknown(name)
        if not flag.value:
            values[name] = _switched(name, value) if is_given else "true"
            continue
        if not is_given and not words:
            raise FlagWrong(f"flag needs an argument: -{name}")
        value = value if is_given else words.pop(0)
        if problem := flag.problem(value, name in values):
            raise FlagWrong(f"invalid value {_quoted(value)} for flag -{name}: {problem}")
        values[name] = value
    return Given(values, tuple(words))


def _split(word: str) -> tuple[str, bool, str]:
    """`--name=value` → name, whether there is a value, and that."""
    whole = word.removeprefix("-").removeprefix("-")
    name, equals, value = whole[1:].partition("=")
    if not whole or whole[0] in "-=":
        raise FlagWrong(f"bad flag syntax: {word}")
    return whole[0] + name, bool(equals), value


def _unknown(name: str) -> Flag:
    if name in ("h", "help"):
        raise HelpAsked
    raise FlagWrong(f"flag provided but not defined: -{name}")


def _switched(name: str, value: str) -> str:
    if value not in _BOOLEANS:
        raise FlagWrong(f"invalid boolean value {_quoted(value)} for -{name}: parse error")
    return _BOOLEANS[value]


def _quoted(text: str) -> str:
    """As Go's %q writes it: nothing that a terminal would act on."""
    return f'"{"".join(map(_shown, text))}"'


def _shown(mark: str) -> str:
    number = ord(mark)
    if mark in _ESCAPES or mark.isprintable():
        return _ESCAPES.get(mark, mark)
    if number < 0x80 or 0xDC80 <= number <= 0xDCFF:  # a byte that is no UTF-8 comes as a surrogate
        return f"\\x{number & 0xFF:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
