"""What the params of each MCP method may hold; all of them are closed (spec B.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from ..javascript import utf16_length
from ..vocabulary import Json
from .urls import host_of

Check: TypeAlias = Callable[[Json], bool]


def ignored(params: Json) -> bool:
    """`ping`: whatever is sent with it means nothing."""
    return True


def is_initialize(params: Json) -> bool:
    """`initialize`: who calls, what it can do, and the revision that it offers, which may be empty."""
    return _INITIALIZE(params)


def is_list(params: Json) -> bool:
    """`tools/list`: nothing but `_meta`, as there is only one page."""
    return params is None or _LIST(params)


def is_call(params: Json) -> bool:
    """`tools/call`: a name, and arguments that are an object where there are any."""
    return _CALL(params)


def _closed(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """An object with all of the first keys, some of the others, and no more."""
    checks = {**required, **optional}

    def check(value: Json) -> bool:
        return (
            isinstance(value, dict)
            and required.keys() <= value.keys() <= checks.keys()
            and all(checks[key](member) for key, member in value.items())
        )

    return check


def _text(shortest: int, longest: float = math.inf) -> Check:
    def check(value: Json) -> bool:
        return isinstance(value, str) and shortest <= utf16_length(value) <= longest

    return check


def _list(item: Check, longest: float = math.inf) -> Check:
    def check(value: Json) -> bool:
        return isinstance(value, list) and len(value) <= longest and all(map(item, value))

    return check


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_theme(value: Json) -> bool:
    return value in ("light", "dark")


def _is_url(value: Json) -> bool:
    return _text(1, 500)(value) and host_of(value) is not None


_META: Final = {"_meta": _is_object}
_ICON: Final = _closed(
    {"src": _text(1, 500)}, {"mimeType": _text(0), "sizes": _list(_text(0)), "theme": _is_theme}
)
_CLIENT: Final = _closed(
    {"name": _text(1, 120), "version": _text(1, 80)},
    {"title": _text(0, 160), "websiteUrl": _is_url, "icons": _list(_ICON, 20)},
)
_INITIALIZE: Final = _closed(
    {"protocolVersion": _text(0, 40), "capabilities": _is_object, "clientInfo": _CLIENT}, _META
)
_LIST: Final = _closed({}, _META)
_CALL: Final = _closed({"name": _text(1, 120)}, {"arguments": _is_object, **_META})

PARAMS: Final[Mapping[str, Check]] = {
    "initialize": is_initialize,
    "ping": ignored,
    "tools/list": is_list,
    "tools/call": is_call,
}
"""Every method, and what its params may be; None stands for no params."""
