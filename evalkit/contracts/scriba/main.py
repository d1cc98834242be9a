"""The process of the program: its streams, its signals, and what stands behind each command (spec 7.6, 8)."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Final

from . import program
from .nouns import Instant, Json, Paths, Profiles, Service
from .program import Canceled, CannotRun, Surroundings

_WATCHED: Final = (signal.SIGINT, signal.SIGTERM)


def main(argv: Sequence[str], *, prog: str, read_fixture: Callable[[str], Json]) -> int:
    """Run one command on the streams of this process, and give its exit code.

    `read_fixture` gives the fixture of a file, which is right; what it raises goes through.
    """
    if sys.stdout is None:
        _say("standard output is closed")
        return 1
    with _watched() as signals:
        around = Surroundings(
            os.environ,
            _open_service,
            lambda service, path: _serve(service, path, signals),
            lambda fixture, folder: _seed(read_fixture(fixture), folder),
            signals.interrupting,
        )
        return program.main(argv, _stdin(), _stdout(), _stderr(), around, prog=prog)


class _Signals:
    """Notes SIGINT and SIGTERM; they interrupt only where that is awaited, and once."""

    def __init__(self) -> None:
        self.came = False
        self._is_awaited = False

    def note(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        if self._is_awaited:
            self._is_awaited = False
            raise Canceled

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """A block in which a signal raises Canceled, at once where one came before."""
        self._is_awaited = True
        try:
            if self.came:
                raise Canceled
            yield
        finally:
            self._is_awaited = False


@contextmanager
def _watched() -> Iterator[_Signals]:
    signals = _Signals()
    before = {number: signal.signal(number, signals.note) for number in _WATCHED}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stdin() -> IO[bytes]:
    return io.BytesIO() if sys.stdin is None else _blocking(sys.stdin.buffer)


def _stdout() -> IO[bytes]:
    return _blocking(sys.stdout.buffer)


def _stderr() -> IO[bytes]:
    return io.BytesIO() if sys.stderr is None else sys.stderr.buffer


def _blocking(stream: IO[bytes]) -> IO[bytes]:
    """Whoever started us may have left it so that a read ends where nothing has come yet."""
    with suppress(OSError, ValueError):
        os.set_blocking(stream.fileno(), True)
    return stream


def _open_service(paths: Paths, profiles: Profiles) -> Service:
    from .service import ScribaService  # start-up: `--help` needs no database

    return ScribaService(paths, profiles, lambda: Instant(time.time_ns()))


def _serve(service: Service, path: str, signals: _Signals) -> None:
    try:
        from .localapi.nouns import CannotListen  # start-up: only this command listens
        from .localapi.server import serve
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in ("uvicorn", "h11"):
            raise
        raise CannotRun("serving needs uvicorn; run `pip install 'evalkit[serve]'`") from None
    try:
        serve(
            service,
            path,
            ready=lambda: _say(f"the context is served at {path}"),
            tell=_say,
            is_over=lambda: signals.came,
        )
    except CannotListen as problem:
        raise CannotRun(str(problem)) from None


def _seed(fixture: Json, folder: str) -> Sequence[str]:
    """Write the databases; gives the flags that lead to them."""
    from .seed import CONFIG_FILE, seed  # start-up: only this command writes

    try:
        paths = seed(fixture, Path(folder))
    except OSError as problem:
        raise CannotRun(f"{problem}") from None
    config = Path(folder, CONFIG_FILE)
    if config.exists():
        return ["--config", str(config)]
    return ["--cache-dir", paths.cache_dir, "--state-path", paths.state_path]


def _say(line: str) -> None:
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"scriba: {line}\n")
        sys.stderr.flush()
