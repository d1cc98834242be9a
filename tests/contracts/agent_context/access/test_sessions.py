"""Tests for `sessions`: what is kept in memory, and that it does not grow for ever."""

from __future__ import annotations

from evalkit.contracts.agent_context.access.sessions import MAX_SESSIONS, MemorySessions


def test_a_session_is_known_until_it_is_removed() -> None:
    sessions = MemorySessions()
    sessions.add("aa", 5.0)
    assert (sessions.expiry("aa"), sessions.expiry("bb")) == (5.0, None)
    sessions.remove("aa")
    sessions.remove("aa")
    assert sessions.expiry("aa") is None


def test_the_oldest_sessions_go_where_there_are_too_many() -> None:
    sessions = MemorySessions()
    for number in range(MAX_SESSIONS + 2):
        sessions.add(str(number), float(number))
    assert [sessions.expiry(name) for name in ("0", "1", "2")] == [None, None, 2.0]
    assert sessions.expiry(str(MAX_SESSIONS + 1)) == MAX_SESSIONS + 1
