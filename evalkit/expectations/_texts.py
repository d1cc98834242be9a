"""The compact JSON text of a value: as it is measured, or quickly, to tell what is the same."""

from __future__ import annotations

from typing import Final

import msgspec

from evalkit.model import Json
from evalkit.values import encode

_ENCODER: Final = msgspec.json.Encoder()


def text_of(value: Json) -> str:
    """A text as it is; anything else as compact JSON, non-ASCII characters kept."""
    return value if isinstance(value, str) else encode(value)


def quick_json(value: Json) -> bytes:
    """Compact JSON in UTF-8, keys in order; some fractions are written shorter than `values.encode` does."""
    try:
        return _ENCODER.encode(value)
    except (ValueError, OverflowError, RecursionError):  # lone surrogates, huge integers
        return encode(value).encode()
