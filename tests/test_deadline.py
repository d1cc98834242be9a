"""Tests of evalkit.deadline: a block past its limit raises OutOfTime, whatever it does about it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

import pytest

from evalkit.deadline import AGAIN, Ring, deadline
from evalkit.errors import OutOfTime

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timer on this system")

FOREVER = 20.0
SOON = 0.02


def within(seconds: float, block: Callable[[], object]) -> None:
    with deadline(seconds):
        block()


def wait() -> None:
    threading.Event().wait(FOREVER)
    pytest.fail("nothing interrupted it")


def compute() -> None:
    while True:
        pass


@pytest.mark.parametrize("block", [compute, wait])
def test_a_block_that_computes_or_waits_for_ever_is_out_of_time(block: Callable[[], None]) -> None:
    with pytest.raises(OutOfTime, match=r"0\.02 s"):
        within(SOON, block)


def test_except_exception_does_not_catch_the_deadline() -> None:
    caught: list[Exception] = []

    def careless() -> None:
        while not caught:
            try:
                wait()
            except Exception as error:
                caught.append(error)

    with pytest.raises(OutOfTime):
        within(SOON, careless)
    assert caught == []


def test_a_block_that_swallows_the_deadline_is_rung_again_and_still_out_of_time() -> None:
    swallowed: list[BaseException] = []

    def stubborn() -> None:
        while len(swallowed) < 3:
            try:
                wait()
            except BaseException as error:
                swallowed.append(error)

    with pytest.raises(OutOfTime):
        within(SOON, stubborn)
    assert len(swallowed) == 3


@pytest.mark.parametrize(
    ("raised", "seen"), [(ValueError, OutOfTime), (KeyboardInterrupt, KeyboardInterrupt)]
)
def test_what_a_block_makes_of_the_deadline_is_out_of_time_but_ctrl_c_is_ctrl_c(
    raised: type[BaseException], seen: type[BaseException]
) -> None:
    def translating() -> None:
        try:
            wait()
        except BaseException:
            raise raised from None

    with pytest.raises(seen):
        within(SOON, translating)


def test_a_block_within_its_limit_is_left_alone() -> None:
    with deadline(FOREVER):
        done = sum(range(10))
    assert done == 45
    with pytest.raises(ValueError, match="no number"):
        within(FOREVER, lambda: int("no number"))


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_limit_that_is_over_already_rings_at_once(seconds: float) -> None:
    with pytest.raises(OutOfTime):
        within(seconds, wait)


def test_a_limit_without_end_is_taken() -> None:
    with deadline(float("inf")):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_timer_and_handler_that_were_there_are_put_back() -> None:
    def mine(number: int, frame: FrameType | None) -> None: ...

    found = signal.signal(signal.SIGALRM, mine)
    signal.setitimer(signal.ITIMER_REAL, FOREVER, 7)
    try:
        with deadline(FOREVER / 2):
            assert signal.getsignal(signal.SIGALRM) is not mine
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert FOREVER / 2 < left <= FOREVER
        assert interval == 7
        assert signal.getsignal(signal.SIGALRM) is mine
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, found)


def test_a_strangers_alarm_that_came_due_meanwhile_rings_afterwards() -> None:
    rang = threading.Event()
    found = signal.signal(signal.SIGALRM, lambda number, frame: rang.set())
    signal.setitimer(signal.ITIMER_REAL, SOON)
    try:
        with deadline(FOREVER):
            over = time.monotonic() + 2 * SOON
            while time.monotonic() < over:
                assert not rang.is_set()
        assert rang.wait(FOREVER)
    finally:
        signal.signal(signal.SIGALRM, found)


def test_the_inner_of_two_deadlines_leaves_the_outer_block_going() -> None:
    with deadline(FOREVER):
        with pytest.raises(OutOfTime, match=r"0\.02 s"):
            within(SOON, wait)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > FOREVER / 2
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def swallow_until_another_rings() -> None:
    while True:
        try:
            wait()
        except Ring as ring:
            if ring.owner.seconds != SOON:
                raise


@pytest.mark.parametrize(("inner", "block"), [(FOREVER, wait), (SOON, swallow_until_another_rings)])
def test_the_outer_of_two_deadlines_rings_in_time_and_is_not_caught_by_the_inner_block(
    inner: float, block: Callable[[], None]
) -> None:
    caught: list[OutOfTime] = []

    def nested() -> None:
        try:
            within(inner, block)
        except OutOfTime as error:
            caught.append(error)

    started = time.monotonic()
    with pytest.raises(OutOfTime, match=f"{2 * AGAIN:g} s"):
        within(2 * AGAIN, nested)
    assert caught == []
    assert time.monotonic() - started < FOREVER


def test_the_outer_deadline_still_rings_after_an_inner_block_ended() -> None:
    def nested() -> None:
        within(FOREVER, lambda: None)
        wait()

    with pytest.raises(OutOfTime, match=f"{2 * AGAIN:g} s"):
        within(2 * AGAIN, nested)


def test_outside_the_main_thread_a_deadline_does_nothing() -> None:
    ended: list[str] = []

    def block() -> None:
        with deadline(SOON / 20):
            over = time.monotonic() + SOON
            while time.monotonic() < over:
                pass
        ended.append("by itself")

    thread = threading.Thread(target=block)
    thread.start()
    thread.join(FOREVER)
    assert ended == ["by itself"]
