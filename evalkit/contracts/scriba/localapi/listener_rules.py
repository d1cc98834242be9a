"""The rules of the socket as one value, each replaceable on its own (spec 6.2)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Final, NamedTuple

from . import ownership
from .nouns import Identity


class ListenerRules(NamedTuple):
    """Every rule; `listener` knows their order."""

    parent_mode: int = ownership.PARENT_MODE
    socket_mode: int = ownership.SOCKET_MODE
    parent_problem: Callable[[os.stat_result, int, int], str | None] = ownership.parent_problem
    lease_problem: Callable[[os.stat_result, int], str | None] = ownership.lease_problem
    leftover_problem: Callable[[os.stat_result, int, int, Identity | None], str | None] = (
        ownership.leftover_problem
    )
    read_record: Callable[[bytes], Identity | None] = ownership.read_record
    write_record: Callable[[Identity], bytes] = ownership.write_record
    bind: Callable[[str, int], socket.socket] = ownership.bind


LISTENER: Final = ListenerRules()
