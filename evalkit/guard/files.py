"""Whether a file that a case touches is foreign to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Way: TypeAlias = Literal["reads", "writes", "names"]
"""`names` is for what changes an entry of a folder, so that a link is not followed."""


class Touch(NamedTuple):
    """Which argument of an audit event is a path, which one (if any) is its `dir_fd`, and what is done."""

    path: int
    folder: int | None
    way: Way


TOUCHES: Final[Mapping[str, tuple[Touch, ...]]] = {
    "open": (Touch(0, None, "reads"),),
    "os.listdir": (Touch(0, None, "reads"),),
    "os.scandir": (Touch(0, None, "reads"),),
    "os.fwalk": (Touch(0, 4, "reads"),),
    "os.chdir": (Touch(0, None, "reads"),),
    "os.getxattr": (Touch(0, None, "reads"),),
    "os.listxattr": (Touch(0, None, "reads"),),
    "os.setxattr": (Touch(0, None, "writes"),),
    "os.removexattr": (Touch(0, None, "writes"),),
    "os.truncate": (Touch(0, None, "writes"),),
    "os.chmod": (Touch(0, 2, "writes"),),
    "os.chown": (Touch(0, 3, "writes"),),
    "os.chflags": (Touch(0, None, "writes"),),
    "os.utime": (Touch(0, 3, "writes"),),
    "os.mkdir": (Touch(0, 2, "names"),),
    "os.rmdir": (Touch(0, 1, "names"),),
    "os.remove": (Touch(0, 1, "names"),),
    "os.rename": (Touch(0, 2, "names"), Touch(1, 3, "names")),
    "os.link": (Touch(0, 2, "writes"), Touch(0, 2, "names"), Touch(1, 3, "names")),
    "os.symlink": (Touch(1, 2, "names"),),
    "shutil.rmtree": (Touch(0, 1, "names"),),
    "sqlite3.connect": (Touch(0, None, "writes"),),
    "ctypes.dlopen": (Touch(0, None, "reads"),),
}


def foreign(event: str, args: tuple[object, ...], folder: str | None) -> str | None:
    """What was touched, in words; None if the case may. `folder` is the case's own.

    Reading is free below the interpreter's folders and those of imported packages, for code below
    `sys.path`, zone data, and the devices that are the same everywhere (suite language, section 7).
    """
    for touch in TOUCHES[event]:
        path, way = args[touch.path], touch.way
        if event == "open":
            way = _way_of_opening(args)
            if isinstance(path, int) or _walks_on(args, way):
                return None
        elif event == "sqlite3.connect":
            path, way = _database(path)
        elif event == "ctypes.dlopen":
            path = _library(path)
        real = _real(path, None if touch.folder is None else args[touch.folder], way)
        if real is not None and not _allowed(real, way, folder):
            return f"{_shown(real)} for {'reading' if way == 'reads' else 'writing'}"
    return None


def _way_of_opening(args: tuple[object, ...]) -> Way:
    mode, flags = args[1], args[2]
    if isinstance(flags, int) and flags & _WRITING:
        return "writes"
    return "writes" if isinstance(mode, str) and not _CHANGES.isdisjoint(mode) else "reads"


_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES: Final = frozenset("wax+")


def _walks_on(args: tuple[object, ...], way: Way) -> bool:
    """Whether rmtree or fwalk goes down a tree whose top was judged; its `dir_fd` stands in no event."""
    path, mode = args[0], args[1]
    if mode is not None or way != "reads" or not isinstance(path, str | bytes) or os.path.isabs(path):
        return False
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(_PACKAGE):
        frame = frame.f_back
    return any(frame.f_globals is vars(sys.modules[name]) for name in ("shutil", "os") if name in sys.modules)


_PACKAGE: Final = __name__.rpartition(".")[0]


def _database(name: object) -> tuple[object, Way]:
    """The file behind an SQLite name; a database in memory is as free as the null device."""
    text = os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else ""
    if text in ("", ":memory:"):
        return os.devnull, "reads"
    if not text.startswith("file:"):
        return text, "writes"
    body, _, query = text[5:].partition("#")[0].partition("?")
    words = query.split("&")
    if body == ":memory:" or "mode=memory" in words or "vfs=memdb" in words:
        return os.devnull, "reads"
    if body.startswith("//"):
        body = "/" + body[2:].partition("/")[2]
    from urllib.parse import unquote  # 5 ms, and hardly any case opens a database by its URI

    return unquote(body), "reads" if "mode=ro" in words or "immutable=1" in words else "writes"


def _library(name: object) -> object:
    """A library of the system, named without a folder, is code and not data."""
    return name if isinstance(name, str | os.PathLike) and os.path.dirname(name) else os.devnull


def _real(path: object, folder: object, way: Way) -> str | None:
    """Where a path leads, links and `..` resolved; None for what is no file (a pipe, a file in memory)."""
    if isinstance(path, int):
        return _real_of_descriptor(path)
    text = "." if path is None else os.fsdecode(path)  # type: ignore[arg-type]
    if text in _DEVICES:
        return text
    if isinstance(folder, int) and folder >= 0:
        text = os.path.join(_real_of_descriptor(folder) or "", text)
    head, tail = os.path.split(text.rstrip(os.sep) or text)
    if way == "names" and tail not in ("", os.curdir, os.pardir):
        return os.path.normcase(os.path.join(os.path.realpath(head or os.curdir), tail))
    return os.path.normcase(os.path.realpath(text))


_DEVICES: Final = frozenset((os.devnull, "/dev/zero", "/dev/random", "/dev/urandom"))


def _real_of_descriptor(number: int) -> str | None:
    """The file behind a descriptor where the system tells (Linux)."""
    try:
        path = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return None
    return path if os.path.lexists(path) else None


def _allowed(real: str, way: Way, folder: str | None) -> bool:
    if real in _DEVICES:
        return True
    inside = real + os.sep
    if folder is not None and inside.startswith(_root(folder)):
        return True
    return way == "reads" and (inside.startswith(_readable()) or _importable(inside))


_roots: Final[dict[str, str]] = {}


def _root(folder: str) -> str:
    """A folder's real path with a separator at its end, worked out once: it may become a link later."""
    folder = os.path.abspath(folder)
    known = _roots.get(folder)
    if known is None:
        if len(_roots) > _MANY:
            _roots.clear()
        real = os.path.normcase(os.path.realpath(folder))
        known = _roots[folder] = real.rstrip(os.sep) + os.sep
    return known


_MANY: Final = 5000


def _readable() -> tuple[str, ...]:
    """The roots below which all may be read; worked out again when modules came in."""
    global _known, _known_for
    if _known_for != len(sys.modules):
        count = len(sys.modules)
        _known = tuple({_root(folder) for folder in _free_folders()})
        _known_for = count
    return _known


_known: tuple[str, ...] = ()
_known_for = 0


def _free_folders() -> set[str]:
    zones = getattr(sys.modules.get("zoneinfo"), "TZPATH", ())
    found = {
        sys.prefix,
        sys.base_prefix,
        sys.exec_prefix,
        sys.base_exec_prefix,
        "/usr/share/zoneinfo",
        *zones,
    }
    found.update(entry for entry in map(str, sys.path) if entry.endswith(_INSTALLED))
    if sys.pycache_prefix:
        found.add(sys.pycache_prefix)
    for module in tuple(sys.modules.values()):
        try:
            path = object.__getattribute__(module, "__dict__").get("__path__", ())
        except AttributeError:  # what stands in `sys.modules` need not be a module
            continue
        # Walking a namespace's own path would search folders again, and so call the guard.
        folders = getattr(path, "_path", path)
        found.update(folder for folder in folders if isinstance(folder, str))
    return found


_INSTALLED: Final = ("site-packages", "dist-packages")


def _importable(inside: str) -> bool:
    """Whether a path is an entry of `sys.path`, or below one and such that an import may read it."""
    path = inside[:-1]
    for entry in sys.path:
        root = _root(entry or os.curdir)
        if inside == root:
            return True
        if inside.startswith(root):
            top = path[len(root) :].partition(os.sep)[0]
            if path.endswith(_CODE) or top.endswith((".dist-info", ".egg-info")):
                return True
    return False


_CODE: Final = (".py", ".pyc", ".so", ".pyd")


def _shown(real: str) -> str:
    """The path as a report may show it: the same on every machine and in every run, as far as can be."""
    here, home = _root(os.curdir), _root(os.path.expanduser("~"))
    if real.startswith(here):
        return repr(real[len(here) :])[:_SHOWN]
    if real.startswith(_temporary()):
        return "a file of the system's temporary folder"
    if real.startswith(home):
        return repr("~" + os.sep + real[len(home) :])[:_SHOWN]
    return repr(real)[:_SHOWN]


_SHOWN: Final = 200


def _temporary() -> tuple[str, ...]:
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return tuple(_root(folder) for folder in (*named, "/tmp", "/var/tmp") if folder)  # noqa: S108 - shown only
