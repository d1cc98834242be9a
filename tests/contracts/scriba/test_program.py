"""The program on streams of a test: what each command line prints, and how it ends (spec 8)."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

from evalkit.contracts.scriba import program
from evalkit.contracts.scriba.cli_rules import CliRules
from evalkit.contracts.scriba.nouns import Paths, Profiles, ProfileUnavailable
from evalkit.contracts.scriba.program import Canceled, CannotRun, Surroundings
from tests.contracts.scriba.fakes import DOCUMENT, FakeService, raising

Json = Any

CONFIG = {
    "schemaVersion": 2,
    "defaultProfileId": "personal",
    "cacheDir": "/cache",
    "profiles": [
        {"id": "personal", "label": "Mine", "enabled": True, "codexAuthPaths": ["/auth/personal"]},
        {"id": "work", "label": "Work", "enabled": True, "codexAuthPaths": ["/auth/work"]},
        {"id": "old", "label": "Old", "enabled": False},
    ],
    "server": {"statePath": "/state/server.sqlite", "contextAPI": {"enabled": True}},
}


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class World:
    """A home folder, and everything else that the program can reach."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.service = FakeService()
        self.opened: list[tuple[Paths, Profiles]] = []
        self.served: list[str] = []
        self.seeded: list[tuple[str, str]] = []
        self.act: Callable[[], None] = lambda: None
        self.interruptible: Callable[[], AbstractContextManager[object]] = nullcontext

    def open_service(self, paths: Paths, profiles: Profiles) -> FakeService:
        self.opened.append((paths, profiles))
        return self.service

    def serve(self, service: object, path: str) -> None:
        assert service is self.service
        self.act()
        self.served.append(path)

    def seed(self, fixture: str, folder: str) -> Sequence[str]:
        self.act()
        self.seeded.append((fixture, folder))
        return ["--config", f"{folder}/config.json"]

    def run(
        self, *argv: str, stdin: bytes = b"", out: IO[bytes] | None = None, rules: CliRules = program.RULES
    ) -> Ended:
        out, err = out or io.BytesIO(), io.BytesIO()
        around = Surroundings(
            {"HOME": str(self.home)}, self.open_service, self.serve, self.seed, self.interruptible
        )
        code = program.main(argv, io.BytesIO(stdin), out, err, around, rules=rules)
        written = out.getvalue() if isinstance(out, io.BytesIO) else b""
        return Ended(code, written.decode(), err.getvalue().decode())

    def configure(self, **members: Json) -> None:
        file = self.home / ".config/scriba/config.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**CONFIG, **members}))


@pytest.fixture(name="world")
def world_fixture(tmp_path: Path) -> World:
    return World(tmp_path)


# --- context


def test_the_document_is_pretty_json_with_one_newline(world: World) -> None:
    ended = world.run("context", "--json")
    assert ended.code == 0
    assert ended.err == ""
    assert json.loads(ended.out) == DOCUMENT
    assert ended.out.startswith('{\n  "schemaVersion": "scriba.context.v1",\n')
    assert ended.out.endswith("}\n")
    assert world.service.asked == [("context", None)]


@pytest.mark.parametrize("argv", [["-json"], ["--json=true"], ["--profile", "work", "-json"]])
def test_flags_are_read_as_go_does(world: World, argv: list[str]) -> None:
    assert world.run("context", *argv).code == 0


USAGE = "usage: scriba context --json\n"
REFUSED = {
    "CL01": ([], "scriba context requires --json\n"),
    "CL01 not": (["--json=false"], "scriba context requires --json\n"),
    "CL01 before the profile": (["--profile", "nope"], "scriba context requires --json\n"),
    "CL02": (["extra", "--json"], "scriba context does not accept positional arguments\n"),
    "CL02 after": (["--json", "extra"], "scriba context does not accept positional arguments\n"),
    "CL02 no flag": (["--json", "-"], "scriba context does not accept positional arguments\n"),
}
MISUSED = {
    "CL03": (["--redact", "--json"], "flag provided but not defined: -redact\n"),
    "CL04": (["--json", "--profile="], 'invalid value "" for flag -profile: profile id is required\n'),
    "CL05": (
        ["--json", "--profile=one", "--profile=two"],
        'invalid value "two" for flag -profile: profile may be provided only once\n',
    ),
    "CL06": (["--json", "--bogus"], "flag provided but not defined: -bogus\n"),
    "no value": (["--json", "--profile"], "flag needs an argument: -profile\n"),
    "format": (["--json", "--format", "text"], "flag provided but not defined: -format\n"),
}


@pytest.mark.parametrize(("argv", "told"), REFUSED.values(), ids=REFUSED)
def test_a_refused_command_line_reads_nothing(world: World, argv: list[str], told: str) -> None:
    assert world.run("context", *argv) == (1, "", told)
    assert world.opened == []


@pytest.mark.parametrize(("argv", "told"), MISUSED.values(), ids=MISUSED)
def test_a_wrong_flag_is_told_after_the_usage(world: World, argv: list[str], told: str) -> None:
    ended = world.run("context", *argv)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(USAGE)
    assert ended.err.endswith(f"\n{told}")
    assert world.opened == []


@pytest.mark.parametrize("profile", ["nope", " work", "work ", " ", "Work"])
def test_a_profile_that_cannot_be_shown_is_told_by_its_code(world: World, profile: str) -> None:
    # CX14, CX15
    world.service = FakeService(raising(ProfileUnavailable()))
    ended = world.run("context", "--json", "--profile", profile)
    assert ended == (1, "", "profile unavailable: profile_unavailable\n")
    assert world.service.asked == [("context", profile)]


@pytest.mark.parametrize("flag", ["--help", "-h", "--json --help"])
def test_cl08_help_is_on_standard_output(world: World, flag: str) -> None:
    ended = world.run("context", *flag.split())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(USAGE)
    for name in ("json", "config path", "cache-dir dir", "state-path path", "profile id"):
        assert f"\n  --{name} " in ended.out


@pytest.mark.parametrize(
    "members",
    {
        "relative socket": {"server": {"contextAPI": {"socketPath": "context.sock"}}},
        "disabled default": {"defaultProfileId": "old"},
        "duplicate ids": {"profiles": [CONFIG["profiles"][0], CONFIG["profiles"][0]]},  # type: ignore[index]
        "no profiles": {"profiles": None},
        "version": {"schemaVersion": 3},
    }.values(),
)
@pytest.mark.parametrize("command", ["context --json", "mcp", "server run"])
def test_cl10_an_invalid_configuration_ends_everything(world: World, members: Json, command: str) -> None:
    world.configure(**members)
    ended = world.run(*command.split())
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"config {world.home}/.config/scriba/config.json: ")
    assert ended.err.count("\n") == 1
    assert "/auth" not in ended.err
    assert world.opened == []


def test_cl11_a_legacy_configuration_has_one_profile_and_is_left_as_it_is(world: World) -> None:
    world.configure(schemaVersion=1)
    before = (world.home / ".config/scriba/config.json").read_bytes()
    assert world.run("context", "--json").code == 0
    assert world.opened[0][1] == Profiles(("default",), "default")
    assert (world.home / ".config/scriba/config.json").read_bytes() == before


def test_flags_lead_elsewhere_than_the_configuration(world: World, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(CONFIG))
    world.configure(schemaVersion=3)
    world.run("context", "--json", "--config", str(other))
    world.run("context", "--json", "--config", str(other), "--cache-dir=/c", "--state-path=/s")
    profiles = Profiles(("personal", "work"), "personal")
    assert world.opened == [
        (Paths("/cache", "/state/server.sqlite"), profiles),
        (Paths("/c", "/s"), profiles),
    ]


def test_without_a_configuration_everything_is_at_the_usual_place(world: World) -> None:
    world.run("context", "--json")
    usual = Paths(f"{world.home}/.cache/scriba", f"{world.home}/.local/state/scriba/server.sqlite")
    assert world.opened == [(usual, Profiles(("default",), "default"))]


def test_a_signal_leaves_standard_output_empty(world: World) -> None:
    world.service = FakeService(raising(Canceled()))
    assert world.run("context", "--json") == (1, "", "context canceled\n")


def test_only_reading_can_be_interrupted_not_writing(world: World) -> None:
    inside: list[bool] = []

    @contextlib.contextmanager
    def interruptible() -> Iterator[None]:
        inside.append(True)
        yield
        inside.pop()

    class Watched(io.BytesIO):
        def write(self, data: Any, /) -> int:
            assert not inside
            return super().write(data)

    world.interruptible = interruptible
    world.service = FakeService(lambda: inside[0] or pytest.fail("not interruptible"))
    assert world.run("context", "--json", out=Watched()).code == 0


class Broken(io.BytesIO):
    """A stream that cannot be written."""

    def __init__(self, problem: OSError) -> None:
        super().__init__()
        self._problem = problem

    def flush(self) -> None:
        raise self._problem


def test_a_reader_that_has_gone_is_no_fault_and_a_full_disk_is_told(world: World) -> None:
    assert world.run("context", "--json", out=Broken(BrokenPipeError())).code == 0
    ended = world.run("context", "--json", out=Broken(OSError(28, "No space left on device")))
    assert ended.code == 1
    assert ended.err == "standard output could not be written: No space left on device\n"


def test_a_broken_rule_is_another_program(world: World) -> None:
    chatty = CliRules(pretty=lambda document: b"reading\n{}")
    assert world.run("context", "--json", rules=chatty).out == "reading\n{}\n"


# --- mcp


def line(method: str, number: int, **params: Json) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def test_mc11_mcp_answers_until_the_requests_end(world: World) -> None:
    world.configure()
    ended = world.run("mcp", stdin=line("ping", 1) + line("tools/call", 2, name="scriba_get_context"))
    assert (ended.code, ended.err) == (0, "")
    pong, answered = map(json.loads, ended.out.splitlines())
    assert pong == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert answered["result"]["structuredContent"] == DOCUMENT
    assert world.opened == [
        (Paths("/cache", "/state/server.sqlite"), Profiles(("personal", "work"), "personal"))
    ]


def test_mc11_a_signal_ends_mcp_like_the_end_of_the_requests(world: World) -> None:
    class Interrupted(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise Canceled

    out, err = io.BytesIO(), io.BytesIO()
    around = Surroundings({"HOME": str(world.home)}, world.open_service, world.serve, world.seed)
    assert program.main(["mcp"], Interrupted(), out, err, around) == 0
    assert (out.getvalue(), err.getvalue()) == (b"", b"")


def test_requests_that_cannot_be_read_are_told(world: World) -> None:
    class Unreadable(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise IsADirectoryError(21, "Is a directory", "/somewhere")

    err = io.BytesIO()
    around = Surroundings({"HOME": str(world.home)}, world.open_service, world.serve, world.seed)
    assert program.main(["mcp"], Unreadable(), io.BytesIO(), err, around) == 1
    assert err.getvalue() == b"scriba: Is a directory\n"


@pytest.mark.parametrize("command", ["mcp", "server run"])
def test_cl09_other_words_are_refused(world: World, command: str) -> None:
    ended = world.run(*command.split(), "extra")
    assert ended == (1, "", f"scriba {command} does not accept positional arguments\n")


def test_mcp_has_no_flags_of_a_context(world: World) -> None:
    ended = world.run("mcp", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith("\nflag provided but not defined: -json\n")


# --- server run


def test_the_server_listens_beside_the_state(world: World) -> None:
    world.configure()
    assert world.run("server", "run") == (0, "", "")
    assert world.served == ["/state/context.sock"]


def test_the_socket_can_be_elsewhere(world: World) -> None:
    world.configure(server={"contextAPI": {"enabled": True, "socketPath": "/run/c.sock"}})
    world.run("server", "run")
    assert world.served == ["/run/c.sock"]


@pytest.mark.parametrize(
    "members", [{"server": None}, {"server": {"contextAPI": {"enabled": False}}}, {"schemaVersion": 1}]
)
def test_nothing_is_served_unless_the_configuration_says_so(world: World, members: Json) -> None:
    world.configure(**members)
    ended = world.run("server", "run")
    assert (ended.code, ended.out) == (1, "")
    assert "server.contextAPI.enabled is not true" in ended.err
    assert world.served == []


def test_a_server_that_cannot_listen_fails_with_the_reason(world: World) -> None:
    world.configure()
    world.act = raising(CannotRun("it is active"))
    assert world.run("server", "run") == (1, "", "it is active\n")


# --- seed, and the program as a whole


def test_seed_tells_how_to_read_what_it_wrote(world: World) -> None:
    ended = world.run("seed", "demo.yaml", "my folder")
    assert ended == (0, "scriba context --json --config 'my folder/config.json'\n", "")
    assert world.seeded == [("demo.yaml", "my folder")]


@pytest.mark.parametrize("words", [[], ["one"], ["one", "two", "three"]])
def test_seed_needs_a_fixture_and_a_folder(world: World, words: list[str]) -> None:
    assert world.run("seed", *words) == (1, "", "scriba seed needs two arguments: FIXTURE DIR\n")


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["help"], ["server", "--help"]])
def test_the_help_of_the_program_names_its_commands(world: World, argv: list[str]) -> None:
    ended = world.run(*argv)
    assert (ended.code, ended.err) == (0, "")
    for name in ("context", "mcp", "server run", "seed"):
        assert f"\n  {name} " in ended.out


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ([], "scriba: name a command\n"),
        (["contxt", "--json"], "scriba: there is no command 'contxt --json'\n"),
        (["server"], "scriba: there is no command 'server'\n"),
        (["server", "stop"], "scriba: there is no command 'server stop'\n"),
        (["--json"], "scriba: there is no command '--json'\n"),
    ],
)
def test_what_is_no_command_is_told(world: World, argv: list[str], told: str) -> None:
    ended = world.run(*argv)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith(told)
