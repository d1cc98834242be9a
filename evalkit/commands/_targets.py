"""The target that stands on a command line: a text, or a mapping in JSON as a suite writes it."""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.errors import UsageError
from evalkit.loader import target_of
from evalkit.model import Target
from evalkit.targets import TargetError
from evalkit.values import parse_json


def named(word: str, env: Mapping[str, str], flag: str = "") -> Target:
    """The Target; `{` begins a mapping, which may take `${{ env.NAME }}` of `env`. Raises UsageError."""
    prefix = f"{flag}: " if flag else ""
    try:
        written = parse_json(word) if word.startswith("{") else word
        return target_of(written, env)
    except TargetError as problem:
        raise UsageError(f"{prefix}{problem}") from None
    except ValueError as problem:
        raise UsageError(f"{prefix}this is no JSON: {problem}; a mapping is written as in a suite") from None
