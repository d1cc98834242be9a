"""What a target must provide before anything can be said about its sources."""

from __future__ import annotations

from typing import Final

SOURCE_LOG: Final = "source-log"
