"""What browsers are told about reading an answer from another origin (spec B.1)."""

from __future__ import annotations

from typing import Final

from ..exchange import Head
from .nouns import Headers

_METHODS: Final = ("access-control-allow-methods", "GET,HEAD,PUT,PATCH,POST,DELETE")
_SHARED: Final = (("vary", "Origin"), ("access-control-allow-credentials", "true"))


def sharing_headers(head: Head) -> Headers:
    """What stands on every reply. It opens nothing: a foreign Origin is refused by a rule of its own."""
    return (("access-control-allow-origin", head.headers.get("origin") or "*"), *_SHARED)


def preflight_headers(head: Head) -> Headers:
    """What stands on the answer to OPTIONS beside that: every method, and the headers that were asked for."""
    asked = head.headers.get("access-control-request-headers")
    return (_METHODS, ("access-control-allow-headers", asked)) if asked else (_METHODS,)
