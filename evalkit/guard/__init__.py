"""The hermetic guard: while an in-memory case runs, no network, no process, no file but the case's own.

It is an audit hook for the whole process and all its threads. It shows what Python's audit events show, and
is no sandbox. It does not see
- what only looks: `os.stat`, `os.path.exists`, `os.readlink`, `os.environ`, the clock, the host's name;
- what C code does by itself: calls by `ctypes`, SQL's `ATTACH` and `VACUUM INTO`, `dbm`, shared memory;
- `os.mkfifo`, `os.mknod`, and what is done through a file or socket that was open before;
- which directory `os.open` means by `dir_fd`: the path is judged as if relative to the working folder;
- signals that a case sends to its own process, and handlers and timers that it changes;
- what threads do that a case left behind, until the next case runs: then it is charged to that one.
What a case writes to standard error goes through.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Final, NoReturn, TypeAlias

from evalkit.guard import files, printed

Folder: TypeAlias = Callable[[], str | None]
Arguments: TypeAlias = tuple[object, ...]

LIMIT: Final = 20
"""Refusals that are kept of one case."""


class Watch:
    """What one case did that it must not: `refusals` at any time, `printed` once the block has ended."""

    __slots__ = ("_before", "_bytecode", "_cwd", "_outer", "folder", "printed", "refusals")

    def __init__(self, folder: Folder) -> None:
        """Take what tells the case's own folder."""
        self.folder = folder
        self.refusals: list[str] = []
        self.printed = ""
        self._cwd = ""

    def __enter__(self) -> Watch:
        """Stand guard; a watch within a watch takes its place until it ends."""
        global _watch
        if not _installed:
            _install()
        self._bytecode = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        self._before = printed.watch()
        self._outer = _watch
        _watch = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stand down; put back standard output, the working folder and the writing of bytecode."""
        global _watch
        _watch = self._outer
        self.printed = printed.seen(self._before)
        sys.dont_write_bytecode = self._bytecode
        if self._cwd:
            os.chdir(self._cwd)

    def refuse(self, what: str) -> NoReturn:
        """Record and raise, so that swallowing the exception does not help."""
        if len(self.refusals) < LIMIT:
            self.refusals.append(what)
        raise PermissionError(errno.EPERM, what)

    def leaves(self) -> None:
        """Remember the working folder before the case changes it for the first time."""
        self._cwd = self._cwd or os.getcwd()


def watching(folder: Folder) -> Watch:
    """Guard a block of contract code: `with watching(folder) as watch:`.

    `folder` gives the path of the case's own folder, or None while it has none. It is asked often and from
    any thread, and may name a folder before it is made: making that one is allowed.
    """
    return Watch(folder)


_watch: Watch | None = None
_installed = False


def _install() -> None:
    """Hook in, once for the life of the process: Python has no way to unhook."""
    global _installed
    _installed = True
    _announce_fork_exec()
    sys.addaudithook(_hook)


def _hook(event: str, args: Arguments) -> None:
    """Python calls this for every audit event of the process, so the way out comes first."""
    watch = _watch
    if watch is None or event not in _JUDGED:
        return
    what: str | None
    if event in files.TOUCHES:
        what = files.foreign(event, args, watch.folder())
        remedy = _FILES
    else:
        what = _REFUSED[event](args)
        remedy = _NETWORK if event.startswith("socket.") else _PROCESS
    if what is not None:
        watch.refuse(" ".join(word for word in (event, what, "in", _place()) if word) + f": {remedy}")
    if event == "os.chdir":
        watch.leaves()


_FILES: Final = "an in-memory case touches no file outside its World's folder"
_NETWORK: Final = "an in-memory case has no network, what it needs stands in its fixture"
_PROCESS: Final = "an in-memory case starts, stops and signals no process"


def _always(args: Arguments) -> str:
    return ""


def _first(args: Arguments) -> str:
    """The program or the host; what stands behind it may hold secrets."""
    return repr(args[0])[:_SHOWN]


def _address(args: Arguments) -> str | None:
    return None if args[1] is None or _emulates_pair() else repr(args[1])[:_SHOWN]


def _family(args: Arguments) -> str | None:
    """Only sockets of a pair are harmless: another could `listen()` without `bind`, which no event tells."""
    family, known = args[1], vars(sys.modules["_socket"]).items()
    names = [name for name, number in known if name.startswith("AF_") and number == family]
    if family == _OPEN_ALREADY or "AF_UNIX" in names or _emulates_pair():
        return None
    return f"of {min(names, default=str(family))}"


def _emulates_pair() -> bool:
    """Whether `socket.socketpair` is at work where the system has none (Windows)."""
    if sys.platform != "win32":
        return False
    pair = getattr(sys.modules.get("socket"), "socketpair", None)
    return any(frame.f_code is getattr(pair, "__code__", None) for frame in _callers())


def _other_process(args: Arguments) -> str | None:
    """Ending one's own process is no reaching out, and the engine sees it."""
    return None if args[0] == os.getpid() else _first(args)


_SHOWN: Final = 100
_OPEN_ALREADY: Final = -1

_REFUSED: Final[Mapping[str, Callable[[Arguments], str | None]]] = {
    "socket.__new__": _family,
    "socket.connect": _address,
    "socket.bind": _address,
    "socket.sendto": _address,
    "socket.sendmsg": _address,
    "socket.getaddrinfo": _first,
    "socket.gethostbyname": _first,
    "socket.gethostbyaddr": _first,
    "socket.getnameinfo": _first,
    "socket.getservbyname": _first,
    "socket.getservbyport": _first,
    "socket.sethostname": _always,
    "subprocess.Popen": _first,
    "evalkit.fork_exec": _always,
    "os.system": _always,
    "os.exec": _first,
    "os.fork": _always,
    "os.forkpty": _always,
    "os.posix_spawn": _first,
    "os.spawn": _always,
    "os.startfile": _first,
    "os.kill": _other_process,
    "os.killpg": _always,
    "pty.spawn": _always,
    "syslog.syslog": _always,
    "webbrowser.open": _always,
    "_winapi.CreateProcess": _first,
    "_winapi.OpenProcess": _always,
}

_JUDGED: Final = _REFUSED.keys() | files.TOUCHES.keys()


def _announce_fork_exec() -> None:
    """Give `fork_exec` the audit event that it lacks: multiprocessing's `spawn` uses it directly."""
    try:
        import _posixsubprocess  # not on Windows
    except ImportError:
        return
    original = _posixsubprocess.fork_exec

    def fork_exec(*args: object) -> object:
        sys.audit("evalkit.fork_exec")
        return original(*args)  # type: ignore[arg-type]

    _posixsubprocess.fork_exec = fork_exec  # type: ignore[assignment]


def _place() -> str:
    """The module and line that reached out, as far up as the standard library's own code goes."""
    for frame in _callers():
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] not in sys.stdlib_module_names:
            return f"{module}, line {frame.f_lineno}"
    return "a thread of its own"


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals is not globals():
            yield frame
        frame = frame.f_back
