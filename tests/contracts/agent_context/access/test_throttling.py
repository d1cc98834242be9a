"""Tests for `throttling`: ten wrong passwords in a minute from one peer, and memory for so many peers."""

from __future__ import annotations

from evalkit.contracts.agent_context.access.throttling import MAX_PEERS, is_limited, note_failure


def failed(times: list[float], peer: str = "a") -> dict[str, tuple[float, ...]]:
    failures: dict[str, tuple[float, ...]] = {}
    for at in times:
        note_failure(failures, peer, at)
    return failures


def test_the_tenth_failure_in_a_minute_is_the_last() -> None:
    assert not is_limited({}, "a", 0)
    assert not is_limited(failed([float(at) for at in range(9)]), "a", 9)
    assert is_limited(failed([float(at) for at in range(10)]), "a", 10)


def test_a_failure_counts_for_a_minute() -> None:
    failures = failed([0.0, *[30.0] * 9])
    assert is_limited(failures, "a", 59.9)
    assert not is_limited(failures, "a", 60)


def test_a_clock_that_was_set_back_locks_nobody_out() -> None:
    assert not is_limited(failed([1e9] * 10), "a", 0)


def test_each_peer_is_counted_for_itself() -> None:
    failures = failed([1.0] * 10)
    assert is_limited(failures, "a", 2)
    assert not is_limited(failures, "b", 2)
    assert not is_limited(failures, "", 2)


def test_no_more_is_kept_than_decides() -> None:
    failures = failed([1.0] * 1000)
    assert len(failures["a"]) == 10


def test_the_peers_that_were_wrong_longest_ago_are_forgotten() -> None:
    failures = failed([0.0], "first")
    note_failure(failures, "second", 0)
    note_failure(failures, "first", 1)
    for number in range(MAX_PEERS - 1):
        note_failure(failures, f"peer {number}", 2)
    assert len(failures) == MAX_PEERS
    assert "first" in failures
    assert "second" not in failures
