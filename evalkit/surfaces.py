"""What a way in leads to, in memory or live: an app, a program, a message function, an address, a command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TypeAlias

Json: TypeAlias = Any
ArgvOf: TypeAlias = Callable[[str, Json], Sequence[str] | None]
"""A tool and its `args` (None where none are said) → the command line that asks the same, without its name.

None says that no command line does. One that ends with 0 gives the structured result on standard output.
"""

RequestOf: TypeAlias = Callable[[str, Json], Mapping[str, Json] | None]
"""A tool and its `args` → the words of an `http` step that asks the same; None says that no request does.

An answer of 200 to 299 holds the structured result as JSON.
"""


def unspoken(_tool: str, _args: Json) -> None:
    """What a surface says over which no tool can be called."""


class AppSurface(NamedTuple):
    """The way in called `http`, in memory: an ASGI 3 app, called without a socket.

    `host` stands in the Host header, `peer` is who calls where a step names no `client`.
    `awaits` is False for an app that awaits nothing but `receive` and `send`: it needs no event loop. A
    stream of such an app that has sent all there is awaits `receive`: then nothing more can come.
    `request_of` says how a tool is called over it.
    """

    app: Callable[..., Awaitable[None]]
    host: str = "127.0.0.1:5555"
    peer: str = "127.0.0.1"
    awaits: bool = True
    request_of: RequestOf = unspoken


class Address(NamedTuple):
    """The way in called `http`, live: `url` is what stands before every path, without a final slash.

    With `socket` it is reached through this Unix socket, and `url` says no more than the Host header.
    `request_of` says how a tool is called over it. `headers` go with every request that does not say them.
    """

    url: str
    socket: str | None = None
    request_of: RequestOf = unspoken
    headers: tuple[tuple[str, str], ...] = ()


class Program(NamedTuple):
    """The way in called `cli`, in memory: `main(argv, stdin, stdout, stderr)` gives the exit code.

    `argv` is without the program's own name. What a step says as `env` stands in `os.environ` meanwhile.
    `argv_of` says how a tool is called over it.
    """

    main: Callable[[list[str], BinaryIO, BinaryIO, BinaryIO], int]
    argv_of: ArgvOf = unspoken


class Messages(NamedTuple):
    """An MCP server over standard streams, in memory: one line in gives the lines that it writes.

    Lines come and go with or without their line end. Nothing is written that was not asked for by a line.
    """

    answer: Callable[[bytes], Iterable[bytes]]


class Command(NamedTuple):
    """A program to be started: the way in called `cli`, live, or an MCP server over standard streams.

    `env` is added to the few names that every program needs; nothing else is inherited. `start` is how many
    seconds a server may take until its first answer, `call` until each further one; a case's own deadline
    holds beside them. For `cli`, `call` is the whole run, and `argv_of` says how a tool is called over it.
    `patience` is how many seconds it has to be gone once its input is closed, and again after SIGTERM.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    cwd: str | None = None
    start: float = 30.0
    call: float = 30.0
    argv_of: ArgvOf = unspoken
    patience: tuple[float, float] = (0.4, 0.25)


class Recording(Protocol):
    """What answers in place of a server, from what one answered once. `has_headers`: it was one over HTTP."""

    has_headers: bool

    def begin(self) -> None:
        """A session begins."""

    def take(self, kind: str, key: str) -> Mapping[str, Any]:
        """The next exchange of a kind and key. Raises CaseError where none was recorded."""


class McpSurface(NamedTuple):
    """The way in called `mcp`: Streamable HTTP through an app or an address, or standard streams.

    `path` takes the messages and `manifest` is the path of the contract's own document, both over HTTP
    only; without `manifest` the pages of `tools/list` are read.
    `era` says how a session begins: with `initialize`, or (from 2026-07-28 on) with nothing.
    `tape` is told each exchange, `{kind, key, sent, answer | error, heard}`, for a recording of it.
    """

    via: AppSurface | Address | Messages | Command | Recording
    path: str = "/"
    manifest: str | None = None
    era: Literal["auto", "handshake", "stateless"] = "auto"
    tape: Callable[[Mapping[str, Any]], None] | None = None
