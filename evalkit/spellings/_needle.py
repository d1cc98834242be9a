"""One forbidden text and the spellings of it that are looked for."""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from evalkit.spellings._codings import SEPARATORS, fold
from evalkit.spellings._views import View

_SHORTEST_HEX: Final = 4
_SHORTEST_BASE64: Final = 6
_FEWEST_DIGITS: Final = 7
_ALPHABET: Final = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_BOTH: Final = (*_ALPHABET[:62], r"+\-", "/_")
_HEX_GAP: Final = r"(?:[ :,_\-]|\\+x)?"


class Needle:
    """A forbidden text; its spellings are made when first needed."""

    def __init__(self, name: str, text: str) -> None:
        """Take the name under which it is reported."""
        self.name = name
        self.text = text

    @cached_property
    def folded(self) -> str:
        """Without case, width and invisible characters; may be empty."""
        return fold(self.text)

    @cached_property
    def hex(self) -> str:
        """In lower case, `""` for a text so short that its hex would be found by accident."""
        return self._bytes.hex() if len(self.text) >= _SHORTEST_HEX else ""

    @cached_property
    def base64(self) -> tuple[str, ...]:
        """What its base64 holds for certain in each of the three alignments, in both alphabets."""
        if len(self.text) < _SHORTEST_BASE64:
            return ()
        cores = [_base64_core(self._bytes, shift) for shift in range(3)]
        return tuple(dict.fromkeys(cores + [core.replace("+", "-").replace("/", "_") for core in cores]))

    @cached_property
    def squeezed(self) -> str:
        """Without separators, for phone and account numbers; `""` for a text of fewer than 7 digits."""
        return SEPARATORS.sub("", self.folded) if len(self.digits) >= _FEWEST_DIGITS else ""

    @cached_property
    def digits(self) -> str:
        """Its digits alone."""
        return re.sub("[^0-9]+", "", self.folded)

    def spans(self, view: View) -> Iterator[tuple[str, int, int]]:
        """Each place in a view: the spelling, and where it starts and ends in the text behind the view."""
        yield from view.places(self.text, view.coding)
        yield from view.folded.places(self.folded, "folded" if view.coding == "plain" else view.coding)
        if self._hex_pattern:
            yield from view.places_of(self._hex_pattern, "hex")
        for pattern in self._base64_patterns:
            yield from view.places_of(pattern, "base64")
        if self.squeezed:
            yield from view.folded.squeezed.places(self.squeezed, "digits")

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def _hex_pattern(self) -> re.Pattern[str] | None:
        pairs = re.findall("..", self.hex)
        return re.compile(_HEX_GAP.join(pairs), re.IGNORECASE) if pairs else None

    @cached_property
    def _base64_patterns(self) -> list[re.Pattern[str]]:
        return [_base64_pattern(self._bytes, shift) for shift in range(3)] if self.base64 else []


def _base64_core(data: bytes, shift: int) -> str:
    """The characters that depend on `data` alone when `shift` unknown bytes stand before it."""
    text = base64.b64encode(bytes(shift) + data).decode("ascii")
    first, last = -(-8 * shift // 6), 8 * (shift + len(data)) // 6
    return text[first:last]


def _base64_pattern(data: bytes, shift: int) -> re.Pattern[str]:
    """The core with the characters around it, of which only some bits are known."""
    text = base64.b64encode(bytes(shift) + data + bytes(2)).decode("ascii")
    begin, end = 8 * shift, 8 * (shift + len(data))
    pieces = []
    for at in range(begin // 6, -(-end // 6)):
        unknown_before, unknown_after = max(begin - 6 * at, 0), max(6 * at + 6 - end, 0)
        known = (63 >> unknown_before) & (63 << unknown_after)
        value = _ALPHABET.index(text[at])
        fitting = "".join(_BOTH[other] for other in range(64) if not (other ^ value) & known)
        pieces.append(f"[{fitting}]")
    return re.compile("".join(pieces))
