"""Opens the socket that only its owner can reach, and removes it again (spec 6.2)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Final

from .listener_rules import LISTENER, ListenerRules
from .nouns import AlreadyServed, CannotListen, Identity
from .ownership import LEASE_BYTES, LEASE_MODE, identity_of

BACKLOG: Final = 128


class Listener:
    """A socket that takes connections, and the lease that nobody else can have as long as it is open."""

    def __init__(self, path: str, opened: socket.socket, identity: Identity, lease: int) -> None:
        """Take over all of it."""
        self.path, self.socket = path, opened
        self._identity, self._lease = identity, lease
        self._closing, self._closed = threading.Lock(), False

    def close(self) -> None:
        """Remove the socket, unless another stands in its place, and give the lease back; once is enough."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self.socket.close()
            _remove(self.path, self._identity)
            with contextlib.suppress(OSError):
                os.ftruncate(self._lease, 0)
            os.close(self._lease)

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def listen(path: str, rules: ListenerRules = LISTENER) -> Listener:
    """A listener at this path. Raises CannotListen, and AlreadyServed where another server has the lease."""
    if not path or "\0" in path or os.path.basename(path) in ("", ".", ".."):
        raise CannotListen(f"{path!r} names no socket; give the path of a file that need not exist yet")
    path = os.path.abspath(path)
    parent = os.path.dirname(path)
    with contextlib.ExitStack() as undo:
        with _told(parent):
            _make_folders(parent, rules.parent_mode)
            folder = _checked_parent(parent, rules)
        with _told(f"{path}.lock"):
            lease = _open_lease(f"{path}.lock", rules)
            undo.callback(os.close, lease)
        with _told(path):
            _remove_leftover(path, lease, rules)
            opened = rules.bind(path, rules.socket_mode)
            undo.callback(opened.close)
            identity = identity_of(os.lstat(path))
            undo.callback(_remove, path, identity)
            _confirm(path, identity, rules)
            if _checked_parent(parent, rules) != folder:
                raise CannotListen(f"{parent} was replaced while the socket was opened; start again")
            _record(lease, rules.write_record(identity))
            opened.listen(BACKLOG)
            opened.setblocking(False)
        undo.pop_all()
    return Listener(path, opened, identity, lease)


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """A block in which what the system refuses is told with the path that it is about."""
    try:
        yield
    except OSError as problem:
        raise CannotListen(f"{path} cannot be used: {problem.strerror or problem}") from None


def _make_folders(folder: str, mode: int) -> None:
    """Make a folder and those above it that are missing, for their owner alone."""
    if os.path.lexists(folder):
        return
    _make_folders(os.path.dirname(folder), mode)
    with contextlib.suppress(FileExistsError):  # another start was quicker; it is looked at next
        os.mkdir(folder, mode)


def _checked_parent(parent: str, rules: ListenerRules) -> Identity:
    found = os.lstat(parent)
    if problem := rules.parent_problem(found, os.getuid(), rules.parent_mode):
        remedy = f"give the socket a folder of its own, which need not exist, or `chmod 700 {parent}`"
        raise CannotListen(f"the folder {parent} {problem}; {remedy}")
    return identity_of(found)


def _open_lease(path: str, rules: ListenerRules) -> int:
    """The lease file, open and locked."""
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    lease = os.open(path, flags, LEASE_MODE)
    try:
        if problem := rules.lease_problem(os.fstat(lease), os.getuid()):
            raise CannotListen(f"the lease file {path} {problem}; move it away")
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lease)
        raise AlreadyServed(f"a server is active on {path.removesuffix('.lock')}; stop it first") from None
    except (OSError, CannotListen):
        os.close(lease)
        raise
    return lease


def _remove_leftover(path: str, lease: int, rules: ListenerRules) -> None:
    """Remove the socket of a server that died, and nothing else."""
    try:
        recorded = rules.read_record(os.pread(lease, LEASE_BYTES, 0))
    except ValueError:
        raise CannotListen(f"the lease file {path}.lock is malformed; move it away") from None
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    problem = rules.leftover_problem(found, os.getuid(), rules.socket_mode, recorded)
    if problem is None and _is_live(path):
        problem = "is a socket that somebody listens on"
    if problem:
        raise CannotListen(f"{path} {problem}; move it away, or give another path")
    os.unlink(path)


def _is_live(path: str) -> bool:
    """Whether somebody listens there; one whose queue is full does, too."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.setblocking(False)
        try:
            asking.connect(path)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return True


def _confirm(path: str, identity: Identity, rules: ListenerRules) -> None:
    """Set the mode once more, whatever the umask did, and see that it is still our socket and has it."""
    os.chmod(path, rules.socket_mode)
    if problem := rules.leftover_problem(os.lstat(path), os.getuid(), rules.socket_mode, identity):
        raise CannotListen(f"the new socket {path} {problem}; start again")


def _record(lease: int, text: bytes) -> None:
    os.ftruncate(lease, 0)
    os.pwrite(lease, text, 0)
    os.fsync(lease)


def _remove(path: str, identity: Identity) -> None:
    """Remove the socket of this identity; a replacement is left alone."""
    with contextlib.suppress(OSError):
        if identity_of(os.lstat(path)) == identity:
            os.unlink(path)
