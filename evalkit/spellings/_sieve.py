"""The quick look: which forbidden texts may be in some bytes at all. It may be wrong, but never misses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from evalkit.spellings._codings import JSON, NESTED, PERCENT, PLUS, SLASH, Coding, decodings, fold
from evalkit.spellings._needle import Needle
from evalkit.spellings._patterns import Patterns

_ESCAPED: Final = frozenset('"\\\b\f\n\r\t')
_HEX_SEPARATORS: Final = b" :,_-\\x"
_ASCII: Final = bytes(range(128))
_NO_DIGIT: Final = bytes(code for code in range(256) if not 48 <= code <= 57)
_UNICODE: Final = re.compile(
    rb"\\u(?:[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}|[0-9a-fA-F]{4})"
)
_PERCENT: Final = re.compile(PERCENT.pattern.pattern.encode())
_NUMBERED: Final = re.compile(rb"%[0-9a-f]{2}|\\u[0-9a-f]{4}")


class Sieve:
    """What to look for in bytes, for a list of needles; needles are named by their place in it."""

    def __init__(self, needles: Sequence[Needle]) -> None:
        """Make the spellings of every needle."""
        texts = "".join(needle.text + needle.folded for needle in needles)
        others = "".join(needle.hex + "".join(needle.base64) for needle in needles)
        self.codings: tuple[Coding, ...] = (JSON, PERCENT, PLUS) if " " in texts else (JSON, PERCENT)
        self._escaped = not _ESCAPED.isdisjoint(texts)
        self._slashed = "/" in texts + others
        # Escapes such as \n are everywhere and hide no needle that has no such character.
        quick = (JSON,) if self._escaped else (JSON._replace(sign="\\u"), *(SLASH,) * self._slashed)
        self._quick_codings = (*quick, *self.codings[1:])
        # A backslash or a percent sign may itself have been encoded, and hide what follows it.
        self._alphabet = frozenset(texts + others + unicodedata.normalize("NFKD", texts) + "\\%+")
        self._telling: dict[bytes, bool] = {}
        self._texts = Patterns((text, at) for at, each in enumerate(needles) for text in _spelled(each))
        self._hexes = Patterns((each.hex.encode(), at) for at, each in enumerate(needles))
        self._digits = Patterns(
            (each.digits.encode(), at) for at, each in enumerate(needles) if each.squeezed
        )

    def suspects(self, data: bytes) -> set[int]:
        """The needles that may be in UTF-8 text or JSON text."""
        found = self._in_folded(_folded(data))
        if self._may_be_encoded(data):
            for text in _decoded(data, self._quick_codings):
                found |= self._in_folded(text)
        elif PLUS in self.codings and b"+" in data:
            found |= self._in_folded(_folded(data.replace(b"+", b" ")))
        return found

    def _in_folded(self, data: bytes) -> set[int]:
        found = self._texts.found_in(data)
        if self._hexes:
            found |= self._hexes.found_in(data.translate(None, _HEX_SEPARATORS))
        if self._digits:
            found |= self._digits.found_in(data.translate(None, _NO_DIGIT))
            if b"%" in data or b"\\u" in data:  # Encoded separators, such as %20, bring digits of their own.
                found |= self._digits.found_in(_NUMBERED.sub(b"", data).translate(None, _NO_DIGIT))
        return found

    def _may_be_encoded(self, data: bytes) -> bool:
        r"""Whether decoding could show a needle that is hidden now; an escape like `\n` seldom hides one."""
        if b"%" in data and any(map(self._tells, set(_PERCENT.findall(data)))):
            return True
        if b"\\" not in data:
            return False
        if self._escaped or (self._slashed and b"\\/" in data):
            return True
        return b"\\u" in data and any(map(self._tells, set(_UNICODE.findall(data))))

    def _tells(self, code: bytes) -> bool:
        """Whether an encoded character could be part of a needle's spelling."""
        if code not in self._telling:
            character = _character(code)
            folded = fold(character)
            letters = character + folded
            self._telling[code] = not folded or not self._alphabet.isdisjoint(letters)
        return self._telling[code]


def bytes_of(text: str) -> bytes:
    """UTF-8, in which lone surrogates are let through."""
    return text.encode("utf-8", "surrogatepass")


def text_of(data: bytes) -> str:
    """The text of UTF-8; what is not UTF-8 becomes U+FFFD."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _spelled(needle: Needle) -> list[bytes]:
    """The text itself, folded and as it is, and its base64; all in lower case."""
    return [bytes_of(text).lower() for text in (needle.folded, needle.text, *needle.base64)]


@lru_cache(maxsize=64)
def _decoded(data: bytes, codings: tuple[Coding, ...]) -> tuple[bytes, ...]:
    """What bytes may stand for, folded; remembered, for one manifest is searched for many sets of needles."""
    return tuple(_folded(bytes_of(text)) for text in decodings(text_of(data), codings, NESTED + 1))


def _folded(data: bytes) -> bytes:
    """Bytes in which every folded text stands that the text of `data` holds."""
    if data.isascii() or _folds_to_itself(data.translate(None, _ASCII)):
        return data.lower()
    # As it is, too: folding melts an accent into the end of a text that stands before it.
    return bytes_of(fold(text_of(data))) + b"\0" + data.lower()


@lru_cache(maxsize=1024)
def _folds_to_itself(data: bytes) -> bool:
    """Whether text would be the same, folded, but for its ASCII part; `data` is the rest of it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return fold(text) == text and not any(map(unicodedata.combining, text))


def _character(code: bytes) -> str:
    r"""What `\uXXXX`, a pair of them, or `%XX` stands for."""
    if code.startswith(b"%"):
        return bytes.fromhex(code.replace(b"%", b"").decode()).decode("utf-8", "replace")
    units = code.replace(b"\\", b"").replace(b"u", b"")
    return bytes.fromhex(units.decode()).decode("utf-16-be", "surrogatepass")
