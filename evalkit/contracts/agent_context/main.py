"""The program that serves the agent tools over MCP on this machine, out of a data file."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from .server.diagnosis import say, show
from .server.endings import CannotMean, CannotServe
from .server.listening import address_of, listen, loopback
from .server.password_file import read_password
from .server.settings_file import SettingsFile, with_password
from .server.snippets import describe
from .store.failures import StoreNotEmpty, StoreUnusable
from .vocabulary import SCOPES, Json

App: TypeAlias = Any
"""An ASGI 3 app."""

PORT: Final = 5555
"""What PortOS listens on, too."""

BODY_SECONDS: Final = 30.0
"""How long the body of a request may take to arrive; then 408."""

EVERYTHING: Final[Json] = {
    "agentContext": {
        "enabled": True,
        "profile": "summary",
        "scopes": list(SCOPES),
        "actions": {"readPortos": True, "writePortos": True},
    }
}
"""The settings of `--demo` where no file is given."""


class Parts(NamedTuple):
    """What a server is put together from; tests give others.

    `open_store` creates the file where it is missing, and raises StoreUnusable where it cannot be used.
    `fill` puts the sample data into a store, and raises StoreNotEmpty where that holds something.
    `hash_password` gives what stands in the settings as `secrets.auth`.
    `build_app(store, settings, run=…, within=…)` gives the ASGI app.
    """

    open_store: Callable[[Path], Any]
    fill: Callable[[Any], None]
    hash_password: Callable[[str], Json]
    build_app: Callable[..., App]
    body_seconds: float = BODY_SECONDS


def main(
    argv: Sequence[str] | None = None,
    *,
    prog: str = "agent-context",
    wrap: Callable[[App], App] = lambda app: app,
    parts: Callable[[], Parts] | None = None,
) -> int:
    """Serve until SIGINT or SIGTERM, which is 0; 2 and 3 mean that nothing was started or created.

    `wrap` is put around the app before it is served.
    """
    try:
        given = _parser(prog).parse(argv)
        _serve(given, wrap, parts or _ours)
    except CannotServe as problem:
        say(str(problem))
        return problem.code
    except StoreUnusable as problem:
        say(str(problem))
        return CannotServe.code
    return 0


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of this program."""
    add = parser.add_argument
    add("--data", metavar="FILE", help="the SQLite file, created when missing (default: a temporary one)")
    add(
        "--demo",
        action="store_true",
        help="fill an empty store with sample data; without --settings, allow all",
    )
    add("--port", metavar="N", type=_port, default=PORT, help=f"default {PORT}; 0 means any that is free")
    add("--host", metavar="ADDRESS", default="127.0.0.1", help="a loopback address (default 127.0.0.1)")
    add("--settings", metavar="FILE", help="the settings document, JSON; edits hold from the next request on")
    add("--password-file", metavar="FILE", help="ask for the password that is its first line (mode 600)")


def _ours() -> Parts:
    # Start-up: a wrong flag is told without any of these.
    from .access.passwords import hash_password
    from .server.live import build_app
    from .store.sqlite import SqliteStore

    def hashed(password: str) -> Json:
        salt = token_hex(16)
        return {"enabled": True, "passwordHash": hash_password(password, salt), "salt": salt}

    return Parts(SqliteStore, _fill_with_samples, hashed, build_app)


def _fill_with_samples(store: Any) -> None:
    # Start-up: only --demo asks.
    from .store.demo import demo
    from .store.memory import collections
    from .store.sources import fill

    sample = demo(datetime.now(UTC).date())
    fill(store, collections(sample), {scope: sample[scope] for scope in SCOPES})


def _serve(given: argparse.Namespace, wrap: Callable[[App], App], parts: Callable[[], Parts]) -> None:
    host = loopback(given.host)
    settings = _settings(given.settings, given.demo)
    password = None if given.password_file is None else read_password(given.password_file)
    running = _import_running()
    with (
        running.watched_signals() as signals,
        contextlib.closing(listen(host, given.port)) as listening,
    ):
        built = parts()
        if password is not None:
            settings = with_password(settings, built.hash_password(password))
        with _store(given.data, built) as store, running.workers() as workers:
            if given.demo:
                _fill(store, built)
            app = built.build_app(store, settings, run=workers.run, within=running.within(built.body_seconds))
            origin = f"http://{address_of(host, listening.getsockname()[1])}"
            text = describe(origin, given.password_file)
            _remark(given, settings())
            running.serve(wrap(app), listening, signals, lambda: show(text))
    say("stopped")


def _import_running() -> Any:
    """The part that needs uvicorn, which not every installation has."""
    try:
        from .server import running  # start-up: a wrong flag is told without an event loop
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in ("uvicorn", "h11"):
            raise
        raise CannotServe("serving needs uvicorn; run `pip install 'evalkit[serve]'`") from None
    return running


def _settings(path: str | None, demo: bool) -> Callable[[], Json]:
    """Where the settings come from. A file that is not there yet, or damaged, may be right later."""
    if path is None:
        return lambda: EVERYTHING if demo else {}
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise CannotMean(f"--settings {path}: it is no regular file; give a JSON file")
    except (OSError, ValueError):
        raise CannotMean(f"--settings {path}: it cannot be looked at") from None
    return SettingsFile(Path(path))


def _remark(given: argparse.Namespace, settings: Json) -> None:
    """Tell what may surprise of what is about to be served."""
    if given.data is None:
        say("without --data everything is kept in a temporary file, and gone when the server stops")
    if given.settings is None:
        if not given.demo:
            say("without --settings or --demo agent context is disabled: every call of it is refused")
    elif not isinstance(settings, dict):
        say(f"{given.settings} is no readable JSON object: everything is refused until it is")
    elif settings.get("agentContext") is None:
        say(f"{given.settings} says nothing of agentContext, which is disabled until it does")


def _fill(store: Any, parts: Parts) -> None:
    try:
        parts.fill(store)
    except StoreNotEmpty:
        say("--demo: the store holds something already, so nothing was added")


@contextlib.contextmanager
def _store(path: str | None, parts: Parts) -> Iterator[Any]:
    with contextlib.ExitStack() as stack:
        if path is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="agent-context-"))
            path = str(Path(folder, "store.sqlite"))
        yield stack.enter_context(contextlib.closing(parts.open_store(Path(path))))


class _Parser(argparse.ArgumentParser):
    """Raises CannotMean, with a remedy, in place of leaving the process."""

    def parse(self, argv: Sequence[str] | None) -> argparse.Namespace:
        given, rest = self.parse_known_args(argv)
        if rest:
            raise CannotMean(f"unknown argument: {rest[0]}; {self._remedy(rest[0])}")
        return given

    def error(self, message: str) -> NoReturn:
        raise CannotMean(message)

    def print_help(self, file: object = None) -> None:
        show(self.format_help())

    def _remedy(self, word: str) -> str:
        from difflib import get_close_matches  # start-up: only a slip asks

        flags = [flag for action in self._actions for flag in action.option_strings]
        near = get_close_matches(word.partition("=")[0], flags, 1)
        return f"did you mean {near[0]}?" if near else f"`{self.prog} --help` shows the flags"


def _parser(prog: str) -> _Parser:
    made = _Parser(
        prog=prog,
        usage=f"{prog} --data portos.sqlite --demo\n\nServe the agent tools over MCP, to this machine alone.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_flags(made)
    return made


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; write 0 to 65535")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())
