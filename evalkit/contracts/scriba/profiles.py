"""Which profile a call is about, and whether its id could be one at all (spec 2.2, 2.3)."""

from __future__ import annotations

import re
from typing import Final

from .nouns import Profiles, ProfileUnavailable

_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST: Final = 32


def select_profile(profiles: Profiles, requested: str) -> str:
    """The id that `requested` stands for, '' being the default one (spec 2.2). Raises ProfileUnavailable."""
    if requested != requested.strip():
        raise ProfileUnavailable
    default = profiles.default.strip() or "default"
    selected = requested or default
    if selected not in (profiles.enabled or (default,)):
        raise ProfileUnavailable
    return selected


def is_slug(profile_id: str) -> bool:
    """Whether the store may be asked for such an id: up to 32 characters, in groups (spec 2.3)."""
    return len(profile_id) <= _LONGEST and _SLUG.fullmatch(profile_id) is not None
