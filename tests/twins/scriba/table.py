"""Every broken twin of the Scriba contract, in the order in which a call meets what is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.twins.scriba import (
    agreeing,
    asking,
    budgeting,
    commanding,
    messaging,
    minimising,
    paging,
    relying,
    selecting,
    showing,
    streaming,
    surrounding,
)
from tests.twins.twin import Twin

TWINS: Final[tuple[Twin, ...]] = (
    *selecting.TWINS,
    *budgeting.TWINS,
    *relying.TWINS,
    *showing.TWINS,
    *surrounding.TWINS,
    *agreeing.TWINS,
    *paging.TWINS,
    *minimising.TWINS,
    *asking.TWINS,
    *streaming.TWINS,
    *messaging.TWINS,
    *commanding.TWINS,
)

SHOWN_AS_ERRORS: Final[Mapping[str, str]] = {}
"""Twins that give no answer which could be judged, and the code of the error that says so."""

SHOWN_ELSEWHERE: Final[Mapping[str, Mapping[str, str]]] = {
    "api": {
        "last_frame": "tests/contracts/scriba/localapi/test_streaming.py"
        "::test_a_cursor_that_expires_during_the_stream_ends_it_with_a_frame_that_has_no_id",
    },
    "listener": {
        "parent_mode": "tests/contracts/scriba/localapi/test_listener.py"
        "::test_folders_socket_and_lease_are_made_for_their_owner_alone",
        "socket_mode": "tests/contracts/scriba/localapi/test_listener.py"
        "::test_folders_socket_and_lease_are_made_for_their_owner_alone",
        "parent_problem": "tests/contracts/scriba/localapi/test_listener.py"
        "::test_a_folder_with_other_bits_is_refused_and_not_changed",
        "bind": "tests/contracts/scriba/localapi/test_server.py::test_nothing_listens_on_tcp",
    },
    "cli": {
        "find_socket": "tests/contracts/scriba/test_program.py::test_the_server_listens_beside_the_state",
    },
}
"""Rules that no suite can see broken, by part, and the test that does."""
