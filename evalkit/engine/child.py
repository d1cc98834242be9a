"""What runs inside a worker process: cases, one after the other, until its parent has no more or is gone."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

from evalkit.engine import Work, messages
from evalkit.guard import printed

if TYPE_CHECKING:
    import socket


def run_forked(
    work: Work, indices: Sequence[int], inbox: int, outbox: int, lifeline: int, strangers: Iterable[int]
) -> NoReturn:
    """Serve a parent that forked us, and never go back into its code.

    The numbers are ends of pipes: `lifeline` closes when the parent is gone, `strangers` are not for us.
    """
    status = 70
    try:
        for number in strangers:
            os.close(number)
        _own_signals()
        _die_with(lifeline)
        _serve(work, indices, io.FileIO(inbox, "r"), io.FileIO(outbox, "w"))
        status = 0
    finally:
        if status:
            sys.excepthook(*sys.exc_info())
        os._exit(status)


def run_spawned(work: Work, indices: Sequence[int], wire: socket.socket) -> None:
    """Serve a parent that started this interpreter (where there is no fork)."""
    from multiprocessing import parent_process  # only where there is no fork: 12 ms

    _own_signals()
    parent = parent_process()
    assert parent is not None
    _watch_in_thread(parent.join)
    both = wire.makefile("rwb", buffering=0)
    _serve(work, indices, both, both)


def _serve(work: Work, indices: Sequence[int], inbox: io.RawIOBase, outbox: io.RawIOBase) -> None:
    """Run spans as they come; every result leaves at once, so that a crash loses one case only."""
    printed.take_over()
    _send(outbox, messages.HELLO)
    ahead: Callable[[int], object] | None = getattr(work, "ahead", None)
    while len(span := _taken(inbox, messages.SPAN)) == messages.SPAN:
        coming = messages.positions(span)
        if ahead and coming:  # or the first case would take what is started for the second
            ahead(indices[coming[0]])
        for position in coming:
            if ahead and position + 1 in coming:
                ahead(indices[position + 1])
            _send(outbox, messages.frame(work(indices[position])))
    work.end()


def _own_signals() -> None:
    """Ctrl-C is the parent's to answer; what the parent had arranged for the others is undone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP", "SIGALRM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def _die_with(lifeline: int) -> None:
    """End when the parent is gone; on Linux the kernel sees to it, so C code that never returns ends too."""
    import fcntl  # not on Windows

    if not hasattr(fcntl, "F_SETSIG"):
        _watch_in_thread(lambda: os.read(lifeline, 1))
        return
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    try:
        os.read(lifeline, 1)
    except BlockingIOError:
        return
    os._exit(0)  # it went while we were born


def _watch_in_thread(wait: Callable[[], object]) -> None:
    """Wait beside the cases, out of the way of their signals; then end this process."""
    import threading  # only where the kernel has no better way

    def watch() -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        wait()
        os._exit(0)

    threading.Thread(target=watch, name="evalkit-lifeline", daemon=True).start()


def _taken(inbox: io.RawIOBase, size: int) -> bytes:
    """So many bytes, or fewer where the parent has closed."""
    data = b""
    while len(data) < size and (more := inbox.read(size - len(data))):
        data += more
    return data


def _send(outbox: io.RawIOBase, data: bytes) -> None:
    sent = outbox.write(data) or 0
    while sent < len(data):
        sent += outbox.write(data[sent : sent + (1 << 20)]) or 0
