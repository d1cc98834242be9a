"""How a live target is written, what of that is refused, and that no message shows credentials."""

from __future__ import annotations

from typing import Final

import pytest

from evalkit.model import Json, Target
from evalkit.targets import (
    WORLDS,
    Launch,
    Socket,
    TargetError,
    address,
    origin,
    parse,
    path_of,
    providing,
    with_manifest,
)

URL: Final = "http://127.0.0.1:5555/mcp"


def refusal(written: Json) -> TargetError:
    with pytest.raises(TargetError) as problem:
        parse(written)
    return problem.value


@pytest.mark.parametrize(
    ("url", "before", "path", "where"),
    [
        (URL, "http://127.0.0.1:5555", "/mcp", ("127.0.0.1", 5555)),
        ("http://127.0.0.1:5555", "http://127.0.0.1:5555", "/", ("127.0.0.1", 5555)),
        ("http://localhost/a/b/", "http://localhost", "/a/b/", ("localhost", 80)),
        ("https://example.com/mcp", "https://example.com", "/mcp", ("example.com", 443)),
        ("http://[::1]:7/mcp", "http://[::1]:7", "/mcp", ("::1", 7)),
    ],
)
def test_an_address_is_an_origin_and_the_path_that_takes_messages(
    url: str, before: str, path: str, where: tuple[str, int]
) -> None:
    for target in (parse(url), parse({"http": {"url": url}})):
        assert target == Target(url)
        assert (origin(target), path_of(target), address(target)) == (before, path, where)


def test_a_mapping_says_what_else_the_target_has() -> None:
    written = {"http": {"url": URL}, "provides": ["clock", "mail"], "manifest": {"http": "/about"}}
    assert parse(written) == Target(URL, frozenset({"clock", "mail"}), "/about")


def test_a_way_for_fixtures_provides_them() -> None:
    written = {"http": {"url": URL}, "fixtureVia": {"http": "/worlds"}}
    assert parse(written) == Target(URL, frozenset({"fixtures"}), None, "/worlds")
    assert providing(parse(written), ["fixtures"]).worlds == "/worlds"


def test_fixtures_go_to_the_well_known_path_unless_another_is_said() -> None:
    target = providing(parse(URL), ["fixtures", "clock"])
    assert target == Target(URL, frozenset({"fixtures", "clock"}), None, WORLDS)
    assert providing(parse(URL), ["clock"]).worlds is None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "[::1]"])
def test_fixtures_may_go_to_this_machine(host: str) -> None:
    assert providing(parse(f"http://{host}/mcp"), ["fixtures"]).worlds == WORLDS


@pytest.mark.parametrize("host", ["example.com", "10.0.0.1", "localhost.example.com", "1270.0.0.1", "[::2]"])
def test_fixtures_never_leave_this_machine(host: str) -> None:
    with pytest.raises(TargetError, match="a server on this machine only"):
        providing(parse(f"http://{host}/mcp"), ["fixtures"])
    assert refusal({"http": {"url": f"http://{host}/mcp"}, "fixtureVia": {"http": "/worlds"}})


# ── programs and sockets ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("way", "cli"), [("stdio", False), ("cli", True)])
def test_a_program_is_written_as_for_a_shell_or_as_a_list(way: str, cli: bool) -> None:
    text = f"{way}:npx -y 'a server' --x=1"
    argv = ("npx", "-y", "a server", "--x=1")
    assert parse(text) == Target(text, via=Launch(argv, cli))
    assert parse({way: {"command": list(argv)}}) == Target(text, via=Launch(argv, cli))
    hash(parse(text))


def test_a_mapping_says_how_a_program_is_started() -> None:
    said = {"command": ["s"], "env": {"A": "1"}, "cwd": "/tmp", "start": 5, "call": 0.5}
    launch = Launch(("s",), False, (("A", "1"),), "/tmp", 5.0, 0.5)
    assert parse({"stdio": said, "provides": ["mail"]}) == Target("stdio:s", frozenset({"mail"}), via=launch)
    hash(parse({"stdio": said}))


def test_the_environment_of_a_program_is_in_no_report() -> None:
    secret = "hidden-" + "7" * 8
    assert secret not in parse({"cli": {"command": ["s"], "env": {"TOKEN": secret}}}).url


@pytest.mark.parametrize(
    ("via", "told"), [({"env": "FIXTURE"}, ("FIXTURE", None)), ({"argument": "--f"}, (None, "--f"))]
)
def test_a_program_may_be_told_of_its_fixture(via: Json, told: tuple[str | None, str | None]) -> None:
    target = parse({"stdio": {"command": ["s"]}, "fixtureVia": via})
    assert target.provides == {"fixtures"}
    assert target.via == Launch(("s",), fixture_env=told[0], fixture_argument=told[1])
    assert target.worlds is None


def test_a_unix_socket_is_a_file_and_perhaps_a_path_that_takes_messages() -> None:
    target = parse("unix:/run/a b.sock")
    assert target == Target("unix:/run/a b.sock", via=Socket("/run/a b.sock"))
    assert (origin(target), path_of(target)) == ("http://localhost", "")
    more = parse({"unix": {"socket": "/run/s", "path": "/mcp"}, "manifest": {"http": "/about"}})
    assert more == Target("unix:/run/s", manifest="/about", via=Socket("/run/s", "/mcp"))
    assert path_of(more) == "/mcp"
    assert with_manifest(parse({"unix": {"socket": "/s", "path": "/mcp"}}), LIVE).manifest == "/about"
    assert with_manifest(parse("stdio:/mcp"), LIVE).manifest is None


STDIO: Final[Json] = {"command": ["s"]}


@pytest.mark.parametrize(
    ("written", "path", "told"),
    [
        ("stdio:", (), "names no program"),
        ("cli: ", (), "names no program"),
        ("stdio:a 'b", (), "quote it as for a shell"),
        ("unix:", (), "unix:/path/to.sock"),
        ("unix:relative.sock", (), "unix:/path/to.sock"),
        ({"stdio": {}}, ("stdio",), "`command` is missing"),
        ({"unix": {"path": "/mcp"}}, ("unix",), "`socket` is missing"),
        ({"unix": {"socket": "/s", "path": "mcp"}}, ("unix", "path"), "begin it with /"),
        ({"stdio": {"command": "npx s"}}, ("stdio", "command"), "command: [program, --flag]"),
        ({"stdio": {"command": []}}, ("stdio", "command"), "command: [program, --flag]"),
        ({"stdio": {"command": [1]}}, ("stdio", "command"), "command: [program, --flag]"),
        ({"stdio": {**STDIO, "args": []}}, ("stdio", "args"), "command, env, cwd, start, call"),
        ({"stdio": {**STDIO, "env": {"A": 1}}}, ("stdio", "env"), "quote the values"),
        ({"stdio": {**STDIO, "env": []}}, ("stdio", "env"), "{NAME: value}"),
        ({"stdio": {**STDIO, "start": 0}}, ("stdio", "start"), "above 0"),
        ({"stdio": {**STDIO, "call": True}}, ("stdio", "call"), "call: 30"),
        ({"stdio": {**STDIO, "call": "1"}}, ("stdio", "call"), "call: 30"),
        ({"stdio": STDIO, "cli": STDIO}, (), "stdio and cli"),
        ({"stdio": STDIO, "manifest": {"http": "/a"}}, ("manifest",), "delete it"),
        ({"stdio": STDIO, "fixtureVia": {"http": "/a"}}, ("fixtureVia",), "{argument: --fixture}"),
        ({"stdio": STDIO, "fixtureVia": {"env": "A", "argument": "-b"}}, ("fixtureVia",), "in one way"),
        ({"stdio": STDIO, "provides": ["fixtures"]}, ("provides",), "fixtureVia: {env: NAME}"),
        ({"cli": STDIO, "provides": ["source-log"]}, ("provides",), "leave out `source-log`"),
        ({"unix": {"socket": "/s"}, "provides": ["source-log"]}, ("provides",), "`source-log`"),
    ],
)
def test_a_slip_in_a_program_or_socket_is_told_at_its_place(
    written: Json, path: tuple[str, ...], told: str
) -> None:
    problem = refusal(written)
    assert problem.path == path
    assert told in str(problem)
    assert not problem.unreached


def test_what_is_not_reached_yet_is_said_to_be_so() -> None:
    for more in ({"provides": ["fixtures"]}, {"fixtureVia": {"http": "/worlds"}}):
        problem = refusal({"unix": {"socket": "/s"}, **more})
        assert problem.unreached
        assert "no fixtures over a Unix socket" in str(problem)


# ── addresses ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "written",
    [
        "",
        "127.0.0.1:5555",
        "//127.0.0.1/mcp",
        "ftp://127.0.0.1/mcp",
        "http:///mcp",
        "http://127.0.0.1:port/mcp",
        "http://127.0.0.1:0/mcp",
        "http://127.0.0.1:99999/mcp",
        "http://[::1/mcp",
        "http://[::1]5/mcp",
        "http://a..b/mcp",
        f"http://{'a' * 64}.example/mcp",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/\n",
        "http://127.0.0.1/caf\u00e9",
        "standard:npx",
    ],
)
def test_what_is_no_address_is_refused_with_one_that_is(written: str) -> None:
    problem = refusal(written)
    assert not problem.unreached
    assert problem.remedy == "write http://127.0.0.1:5555/mcp"
    assert refusal({"http": {"url": written}}).path == ("http", "url")


@pytest.mark.parametrize(
    ("written", "path", "told"),
    [
        ("http://127.0.0.1/mcp?key=1", (), "without `?` and `#`"),
        ("http://127.0.0.1/mcp#top", (), "without `?` and `#`"),
        ({}, (), "here there are none"),
        ({"provides": []}, (), "here there are none"),
        ({"http": {"url": URL}, "stdio": STDIO}, (), "stdio and http"),
        ({"http": {"url": URL, "headers": {"a b": "x"}}}, ("http", "headers"), "no name of a header"),
        ({"http": {"url": URL, "headers": {"A": "x\ny"}}}, ("http", "headers", "A"), "cannot be sent"),
        ({"cli": STDIO, "share": True}, ("share",), "nothing that cases could share"),
        ({"http": {"url": URL}, "manifest": {"http": "about"}}, ("manifest", "http"), "begin it with /"),
        ({"http": {"url": URL}, "fixtureVia": {"env": "X"}}, ("fixtureVia",), "{http: /path}"),
        ({"http": {"url": URL}, "fixtureVia": {"http": "/a?b"}}, ("fixtureVia", "http"), "no path"),
    ],
)
def test_a_slip_is_told_at_its_place(written: Json, path: tuple[str, ...], told: str) -> None:
    problem = refusal(written)
    assert problem.path == path
    assert told in str(problem)


@pytest.mark.parametrize("text", ["http://me:{}@127.0.0.1/mcp", "ftp://{}@host/", "http://127.0.0.1:x/?k={}"])
def test_no_message_shows_credentials(text: str) -> None:
    password = "hidden-" + "7" * 8
    assert password not in str(refusal(text.format(password)))


LIVE: Final = {"mcp": "/mcp", "manifest": "/about"}


def test_the_contract_says_where_its_manifest_is_beside_its_own_path() -> None:
    assert with_manifest(parse(URL), LIVE).manifest == "/about"
    assert with_manifest(parse("http://127.0.0.1:5555/other"), LIVE).manifest is None
    assert with_manifest(parse(URL), {}).manifest is None
    own = parse({"http": {"url": URL}, "manifest": {"http": "/own"}})
    assert with_manifest(own, LIVE).manifest == "/own"
