"""Tests of evalkit.engine.workers: what a case does to its process happens to no other; nothing is lost."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import itertools
import os
import select
import signal
import stat
import subprocess
import sys
import textwrap
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from time import monotonic

import pytest

from evalkit.deadline import deadline
from evalkit.engine import TimeUp, Work, WorkersLost, child, messages, process, workers
from evalkit.engine.workers import Results, run_in_workers
from evalkit.guard import watching
from evalkit.model import CaseResult, Finding

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="these cases need POSIX signals"),
]

HERE = Path(__file__).parents[2]
LONG = 20.0


def hang() -> None:
    """Run C code that never gives the interpreter back."""
    deque(itertools.repeat(None), maxlen=0)


def swallow_everything() -> None:
    while True:
        try:
            with deadline(0.01):
                signal.pause()
        except BaseException:
            continue


def overflow_the_stack() -> None:
    faulthandler.disable()  # which pytest turns on
    sys.setrecursionlimit(10**8)

    def deeper(_: int) -> list[object]:
        return list(map(deeper, [0]))

    deeper(0)


def crash() -> None:
    faulthandler.disable()  # which pytest turns on
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    os._exit(0)


def let_go() -> None:
    """Close what the worker talks through."""
    os.closerange(3, 256)


def let_go_and_hang() -> None:
    let_go()
    hang()


class Cases:
    """Work that can be pickled: some indices do a deed, the others pass and carry their index."""

    def __init__(
        self, deeds: Mapping[int, Callable[[], object]] = {}, limits: Mapping[int, float] = {}
    ) -> None:
        self.deeds = deeds
        self.limits = limits

    def __call__(self, index: int) -> CaseResult:
        found = self.deeds[index]() if index in self.deeds else None
        return found if isinstance(found, CaseResult) else CaseResult(note=str(index))

    def seconds(self, index: int) -> float:
        return self.limits.get(index, LONG)

    def end(self) -> None:
        """Nothing is left."""


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let so many seconds pass for the parent, at once."""
    passed = [0.0]
    monkeypatch.setattr(workers, "monotonic", lambda: monotonic() + passed[0])

    def pass_by(seconds: float) -> None:
        passed[0] += seconds

    return pass_by


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """After each test there is no child process, alive or not, and no pipe, that was not there before."""
    before = len(os.listdir("/dev/fd")), has_children()
    yield
    gc.collect()
    assert (len(os.listdir("/dev/fd")), has_children()) == before


def has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def outcome(results: Results) -> dict[int, str]:
    """What became of each index: its note, or the code of its error; none may come twice."""
    found: dict[int, str] = {}
    for index, result in results:
        assert index not in found
        found[index] = result.error[0] if result.error else result.note
    return found


@pytest.mark.parametrize("count", [1, 3])
def test_ten_thousand_tiny_cases_all_come_back_once(count: int) -> None:
    assert outcome(run_in_workers(Cases(), range(10_000), workers=count)) == {
        index: str(index) for index in range(10_000)
    }


def test_one_worker_keeps_the_order_in_which_it_was_asked() -> None:
    asked = [7, 3, 5, 1]
    assert [index for index, _ in run_in_workers(Cases(), asked, workers=1)] == asked


def test_no_case_needs_no_worker() -> None:
    assert outcome(run_in_workers(Cases(), [], workers=2)) == {}


def test_no_more_workers_are_started_than_there_are_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[process.Process] = []

    def start(work: Work, indices: Sequence[int]) -> process.Process:
        started.append(process.fork(work, indices))
        return started[-1]

    monkeypatch.setattr(process, "start", start)
    assert outcome(run_in_workers(Cases(), range(2), workers=8)) == {0: "0", 1: "1"}
    assert len(started) == 2


@pytest.mark.parametrize("deed", [hang, swallow_everything, signal.pause])
def test_a_case_that_hangs_is_a_timeout_and_the_others_run(
    deed: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "GRACE", 0.1)
    found = outcome(run_in_workers(Cases({1: deed}, {1: 0.1}), range(4), workers=1))
    assert found == {0: "0", 1: "timeout", 2: "2", 3: "3"}


def test_a_timeout_says_the_limit_and_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "GRACE", 0.1)
    ((_, result),) = run_in_workers(Cases({0: hang}, {0: 0.1}), [0], workers=1)
    assert result.error == (
        "timeout",
        "no answer within 0.1 s, nor could it be interrupted: its process was ended by signal SIGKILL (9)",
    )
    assert result.milliseconds >= 200


@pytest.mark.parametrize(
    ("deed", "text"),
    [
        (leave, "its process ended with exit code 0"),
        (crash, "its process was ended by signal SIGSEGV (11)"),
        (overflow_the_stack, "its process "),
        (lambda: sys.exit(3), "its process ended with exit code 70"),
        (let_go, "its process ended with exit code 70"),
        (let_go_and_hang, "its process let go of its pipe and had to be ended"),
    ],
)
@pytest.mark.parametrize("count", [1, 3])
def test_a_case_that_ends_its_process_is_an_error_and_the_others_run(
    count: int, deed: Callable[[], object], text: str
) -> None:
    found = dict(run_in_workers(Cases({5: deed}), range(20), workers=count))
    assert found[5].error is not None
    assert found[5].error[0] == "contract-exited"
    assert text in found[5].error[1]
    del found[5]
    assert {index: result.note for index, result in found.items()} == {
        index: str(index) for index in range(20) if index != 5
    }


def test_every_case_may_crash() -> None:
    found = outcome(run_in_workers(Cases(dict.fromkeys(range(30), leave)), range(30), workers=2))
    assert found == dict.fromkeys(range(30), "contract-exited")


def test_a_result_of_many_megabytes_comes_back_whole() -> None:
    text = "é" * 10_000_000
    finding = Finding("text-found", "m", actual={"a": [1, None, text]})
    big = CaseResult(findings=(finding,), call=text)
    assert dict(run_in_workers(Cases({1: lambda: big}), range(3), workers=1)) == {
        0: CaseResult(note="0"),
        1: big,
        2: CaseResult(note="2"),
    }


def test_a_result_that_cannot_be_sent_is_an_error_that_says_so() -> None:
    finding = Finding("text-found", "m", actual=lambda: None)
    found = dict(run_in_workers(Cases({0: lambda: CaseResult(findings=(finding,))}), range(2), workers=1))
    assert found[0].error is not None
    assert found[0].error[0] == "check-failed"
    assert "could not leave its worker process" in found[0].error[1]
    assert found[1] == CaseResult(note="1")


def test_what_a_case_prints_is_seen_and_reaches_no_output(capfd: pytest.CaptureFixture[str]) -> None:
    def noisy() -> CaseResult:
        with watching(lambda: None) as watch:
            print("by print")
            os.write(1, b"by number")
            print("to standard error", file=sys.stderr)
        return CaseResult(note=watch.printed)

    def reading() -> CaseResult:
        return CaseResult(note=repr(sys.stdin.read()))

    assert outcome(run_in_workers(Cases({0: noisy, 1: reading}), range(2), workers=1)) == {
        0: "by print\nby number",
        1: "''",
    }
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "to standard error\n")


def test_a_worker_holds_no_end_of_anothers_pipes() -> None:
    def count() -> CaseResult:
        return CaseResult(note=str(len(os.listdir("/dev/fd"))))

    found = outcome(run_in_workers(Cases({0: count, 1: count, 2: count}), range(3), workers=3))
    assert len(set(found.values())) == 1


def test_a_worker_that_sends_more_than_it_was_asked_for_ends_nothing() -> None:
    known = set(os.listdir("/dev/fd"))

    def speak_twice() -> None:
        for number in set(os.listdir("/dev/fd")) - known:
            with contextlib.suppress(OSError):
                if stat.S_ISFIFO(os.fstat(int(number)).st_mode):
                    os.write(int(number), 2 * messages.frame(CaseResult(note="too early")))

    found = outcome(run_in_workers(Cases({2: speak_twice}), range(3), workers=1))
    assert found == {0: "0", 1: "1", 2: "too early"}


def test_closing_early_leaves_nothing_behind() -> None:
    results = run_in_workers(Cases({1: hang, 5: hang}), range(10), workers=2)
    index, _ = next(results)
    results.close()
    assert index in range(10)
    assert list(results) == []


def test_leaving_a_loop_early_leaves_nothing_behind() -> None:
    for index, _ in run_in_workers(Cases({1: hang}), range(10), workers=1):
        assert index == 0
        break


def test_what_is_running_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "NAP", 0.0)
    results = run_in_workers(Cases({1: hang}), range(3), workers=1)
    assert results.current == {}
    started = monotonic()
    next(results)
    ((worker, (index, since)),) = results.current.items()
    assert (worker, index) == (0, 1)
    assert started <= since <= monotonic()
    results.close()


def test_a_run_out_of_time_keeps_what_was_done(later: Callable[[float], None]) -> None:
    results = run_in_workers(Cases({1: hang}), range(3), workers=1, until=monotonic() + LONG)
    assert next(results) == (0, CaseResult(note="0"))
    later(LONG)
    with pytest.raises(TimeUp):
        next(results)


def test_a_run_that_is_out_of_time_from_the_start_runs_nothing() -> None:
    with pytest.raises(TimeUp):
        next(run_in_workers(Cases(), range(3), workers=1, until=monotonic()))


def test_a_case_that_finished_while_nobody_asked_is_no_timeout(later: Callable[[float], None]) -> None:
    big = CaseResult(note="x" * 1_000_000)  # more than a pipe holds: its worker has to wait for us
    results = run_in_workers(Cases({1: lambda: big, 2: lambda: big}), range(4), workers=1)
    found = dict([next(results)])
    (worker,) = results._pool.crew.values()
    assert select.select([worker.process.inbox], [], [], LONG)[0]
    later(1000 * LONG)
    found.update(results)
    assert found == {0: CaseResult(note="0"), 1: big, 2: big, 3: CaseResult(note="3")}


def test_a_worker_that_is_ended_just_when_it_went_on_loses_nothing_and_blames_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, opened = os.pipe()
    arrived, arrival = os.pipe()
    judged: list[int] = []

    def hang_once() -> None:
        os.write(arrival, b"x")
        if not judged:
            hang()

    def overdue(pool: workers._Pool, heard: Sequence[workers._Worker]) -> list[workers._Worker]:
        """Find case 0 overdue, once; but before its worker is ended, it is at case 1 already."""
        if heard or judged:
            return []
        judged.append(0)
        os.write(opened, b"x")
        read_within(arrived, 1)
        return list(pool.crew.values())

    monkeypatch.setattr(workers._Pool, "overdue", overdue)
    cases = Cases({0: lambda: os.read(gate, 1) and None, 1: hang_once})
    found = outcome(run_in_workers(cases, range(3), workers=1, until=monotonic() + LONG))
    assert found == {0: "0", 1: "1", 2: "2"}
    for number in (gate, opened, arrived, arrival):
        os.close(number)


def test_where_nobody_is_told_of_children_that_end_the_others_still_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "GRACE", 0.1)
    found = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        results = dict(run_in_workers(Cases({1: leave, 3: hang}, {3: 0.1}), range(5), workers=2))
    finally:
        signal.signal(signal.SIGCHLD, found)
    assert results[1].error == ("contract-exited", "its process ended, and nobody was told how")
    assert results[3].error is not None
    assert [results[index].note for index in (0, 2, 4)] == ["0", "2", "4"]


def test_workers_that_never_start_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_serve", lambda *_: os._exit(9))
    with pytest.raises(WorkersLost, match=r"3 worker processes in a row did not start: .* exit code 9"):
        next(run_in_workers(Cases(), range(5), workers=1))


def test_workers_that_start_at_the_third_try_only_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    def start(work: Work, indices: Sequence[int]) -> process.Process:
        nonlocal tries
        tries += 1
        with monkeypatch.context() as patch:
            if tries % 3:
                patch.setattr(child, "_serve", lambda *_: os._exit(9))
            return process.fork(work, indices)

    monkeypatch.setattr(process, "start", start)
    found = outcome(run_in_workers(Cases({0: leave, 1: leave}), range(3), workers=1))
    assert found == {0: "contract-exited", 1: "contract-exited", 2: "2"}
    assert tries == 9


def test_a_worker_that_does_not_come_up_in_time_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_serve", lambda *_: signal.pause())
    monkeypatch.setattr(workers, "STARTING", 0.05)
    monkeypatch.setattr(workers, "TICK", 0.01)
    with pytest.raises(WorkersLost, match="SIGKILL"):
        next(run_in_workers(Cases(), range(5), workers=1))


def test_a_system_without_room_for_a_process_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", fork)
    with pytest.raises(WorkersLost, match="no more processes"):
        next(run_in_workers(Cases(), range(5), workers=1))


def test_where_there_is_no_fork_new_interpreters_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "start", process.spawn)
    found = outcome(run_in_workers(Cases({3: hang, 5: leave, 7: crash}, {3: 0.1}), range(10), workers=2))
    assert found == {
        **{index: str(index) for index in range(10)},
        3: "timeout",
        5: "contract-exited",
        7: "contract-exited",
    }
    resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined] # else it lives as long as we do


SCRIPT = """
import itertools, os, signal, sys
from collections import deque
from evalkit.engine.workers import run_in_workers

class Work:
    def __call__(self, index):
        os.write({number}, b"x")
        {deed}
    def seconds(self, index):
        return 60
    def end(self):
        pass

class Terminated(BaseException): ...
def terminate(number, frame): raise Terminated
signal.signal(signal.SIGTERM, terminate)
try:
    list(run_in_workers(Work(), range(4), workers=2))
except (KeyboardInterrupt, Terminated) as error:
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        sys.exit(type(error).__name__ + " and no child")
"""

DEEDS = {
    "hangs in C": "deque(itertools.repeat(None), maxlen=0)",
    "hangs in Python": "signal.pause()",
    "swallows everything": ("exec('while True:\\n try: signal.pause()\\n except BaseException: pass')"),
}


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name
)
@pytest.mark.parametrize("deed", DEEDS)
def test_when_the_parent_is_stopped_no_worker_lives_on(deed: str, number: signal.Signals) -> None:
    # The script and all its workers hold one end of a pipe, so it ends with the last of them.
    ours, theirs = os.pipe()
    script = textwrap.dedent(SCRIPT).replace("{number}", str(theirs)).replace("{deed}", DEEDS[deed])
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=HERE,
        pass_fds=[theirs],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        os.close(theirs)
        read_within(ours, 2)
        # Ctrl-C at a terminal goes to all processes of the group, the others to one.
        (os.killpg if number is signal.SIGINT else os.kill)(parent.pid, number)
        _, said = parent.communicate(timeout=LONG)
        assert select.select([ours], [], [], LONG)[0]
        assert os.read(ours, 1) == b""
        os.close(ours)
    if number is signal.SIGKILL:
        assert parent.returncode == -signal.SIGKILL
    else:
        raised = "KeyboardInterrupt" if number is signal.SIGINT else "Terminated"
        assert said == f"{raised} and no child\n"


def read_within(number: int, count: int) -> None:
    """Wait until so many bytes have come: one from each worker that is at its case."""
    for _ in range(count):
        assert select.select([number], [], [], LONG)[0]
        assert os.read(number, 1) == b"x"


def test_a_worker_ends_what_its_cases_shared_before_the_run_is_over(tmp_path: Path) -> None:
    file = tmp_path / "ended"

    class Sharing(Cases):
        def end(self) -> None:
            file.write_text(str(os.getpid()))

    assert len(dict(run_in_workers(Sharing(), range(4), workers=1))) == 4
    assert file.read_text() != str(os.getpid())
