"""Twins whose command line is wrong: its flags, its configuration, what it prints, how it ends (spec 8)."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

from evalkit.contracts.scriba import writing
from evalkit.contracts.scriba.commands import COMMANDS, Command
from evalkit.contracts.scriba.config import Config, ConfigInvalid, find_paths, read
from evalkit.contracts.scriba.flags import Flag, FlagWrong, Given, HelpAsked, parse
from evalkit.contracts.scriba.mcp.arguments import page_of
from evalkit.contracts.scriba.mcp.rules import McpRules
from evalkit.contracts.scriba.nouns import Paths, Profiles
from evalkit.model import Json, OpenSubject, Subject, World
from evalkit.surfaces import Program
from tests.twins.twin import Twin, around, twin_of

CONTEXT, MCP = COMMANDS[:2]


def _commanded(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("cli", name, *promised_by, **change)


def _with(old: Command, **changed: Any) -> tuple[Command, ...]:
    return tuple(command._replace(**changed) if command is old else command for command in COMMANDS)


def _context(**changed: Any) -> tuple[Command, ...]:
    return _with(CONTEXT, **changed)


def _never(_given: Given) -> str:
    return ""


def _json_first(given: Given) -> str:
    return CONTEXT.refusal(given._replace(rest=())) or CONTEXT.refusal(given)


def _profile_flag(problem: Callable[[str, bool], str]) -> tuple[Command, ...]:
    flags = tuple(f._replace(problem=problem) if f.name == "profile" else f for f in CONTEXT.flags)
    return _context(flags=flags)


def _only(refused: str) -> Callable[[str, bool], str]:
    """Refuses a value for this reason alone."""

    def problem(value: str, is_repeated: bool) -> str:
        flag = next(flag for flag in CONTEXT.flags if flag.name == "profile")
        told = flag.problem(value, is_repeated)
        return told if told == refused else ""

    return problem


COMMAND_TWINS = (
    _commanded(
        "JSON need not be asked for",
        "CL01",
        commands=_context(
            refusal=lambda given: CONTEXT.refusal(Given({**given.values, "json": "true"}, given.rest))
        ),
    ),
    _commanded(
        "any mention of JSON is enough",
        "CL01[switched-off]",
        commands=_context(
            refusal=lambda given: (
                CONTEXT.refusal(Given({**given.values, "json": "true"}, given.rest))
                if "json" in given.values
                else CONTEXT.refusal(given)
            )
        ),
    ),
    _commanded(
        "other words ignored",
        "CL02[first]",
        "CL02[last]",
        "CL02[after-dashes]",
        commands=_context(refusal=lambda given: CONTEXT.refusal(given._replace(rest=()))),
    ),
    _commanded("nothing refused", "CL01", "CL02", commands=_context(refusal=_never)),
    _commanded(
        "JSON asked for before other words are looked at",
        "CL02[alone]",
        commands=_context(refusal=_json_first),
    ),
    _commanded(
        "a flag to redact", "CL03", commands=_context(flags=(*CONTEXT.flags, Flag("redact", "hide more")))
    ),
    _commanded(
        "a profile needs no name", "CL04", commands=_profile_flag(_only("profile may be provided only once"))
    ),
    _commanded(
        "the last of two profiles counts", "CL05", commands=_profile_flag(_only("profile id is required"))
    ),
    _commanded(
        "a context has no profiles",
        "CL08",
        "cli-flags",
        commands=_context(flags=tuple(flag for flag in CONTEXT.flags if flag.name != "profile")),
    ),
    _commanded(
        "the server is no command",
        "cli-root-help",
        commands=tuple(command for command in COMMANDS if command.name != "server run"),
    ),
    _commanded(
        "no MCP server",
        "CL09[word]",
        "MC11",
        "MC12",
        "MC13",
        "mcp-garbage",
        commands=tuple(command for command in COMMANDS if command is not MCP),
    ),
    _commanded("the MCP server takes other words", "CL09[word]", commands=_with(MCP, refusal=_never)),
    _commanded(
        "the MCP server takes the flags of a context",
        "CL09[json]",
        "CL09[profile]",
        commands=_with(MCP, flags=CONTEXT.flags),
    ),
)


def _parsing(change: Callable[[list[str]], Sequence[str]]) -> Callable[..., Given]:
    return lambda flags, argv: parse(flags, change(list(argv)))


def _known_only(flags: Sequence[Flag], argv: Sequence[str]) -> Given:
    """Flags that are not known are passed over."""
    known = {flag.name for flag in flags} | {"h", "help", ""}
    kept = [word for word in argv if not word.startswith("-") or word.strip("-").partition("=")[0] in known]
    return parse(flags, kept)


def _help_is_a_fault(flags: Sequence[Flag], argv: Sequence[str]) -> Given:
    try:
        return parse(flags, argv)
    except HelpAsked:
        raise FlagWrong("flag: help requested") from None


def _refusing(word: Callable[[str], bool]) -> Callable[..., Given]:
    def refused(flags: Sequence[Flag], argv: Sequence[str]) -> Given:
        if any(map(word, argv)):
            raise FlagWrong("bad flag syntax")
        return parse(flags, argv)

    return refused


PARSE_TWINS = (
    _commanded("unknown flags ignored", "CL03", "CL06", "CL09[json]", "CL09[profile]", parse=_known_only),
    _commanded("help is a fault", "CL08", parse=_help_is_a_fault),
    _commanded(
        "flags after another word",
        "CL02[after-dashes]",
        parse=_parsing(lambda argv: [word for word in argv if word != "--"]),
    ),
    _commanded(
        "flags have two dashes",
        "cli-flags[one-dash]",
        "cli-flags[equals]",
        "CL08[flag=-h]",
        parse=_refusing(lambda word: word[:1] == "-" != word[1:2]),
    ),
    _commanded(
        "a value stands behind its flag only",
        "cli-flags[equals]",
        "cli-flags[ended]",
        parse=_refusing(lambda word: "=" in word),
    ),
    _commanded(
        "flags have one dash",
        "cli-flags[two-dashes]",
        "cli-flags[ended]",
        "cli-pretty",
        "cli-parity",
        parse=_refusing(
            lambda word: word[:2] == "--" and word not in ("--config", "--cache-dir", "--state-path")
        ),
    ),
)


def _lenient(_path: str, _environment: Mapping[str, str]) -> Config:
    """What cannot be used is as if it were not there."""
    try:
        return read(_path, _environment)
    except ConfigInvalid:
        return Config()


def _silent(path: str, environment: Mapping[str, str]) -> Config:
    try:
        return read(path, environment)
    except ConfigInvalid:
        raise ConfigInvalid("config") from None


def _no_legacy(path: str, environment: Mapping[str, str]) -> Config:
    config = read(path, environment)
    if config.profiles == Profiles():
        raise ConfigInvalid("unsupported config schemaVersion")
    return config


def _found(
    change: Callable[[Paths], Paths] = lambda paths: paths, *, without: str = ""
) -> Callable[[Config, str, str, Mapping[str, str]], Paths]:
    """Places found without regard to one flag, or otherwise than they should be."""

    def find(config: Config, cache_dir: str, state_path: str, environment: Mapping[str, str]) -> Paths:
        given = {"cache_dir": cache_dir, "state_path": state_path, **({without: ""} if without else {})}
        return change(find_paths(config, **given, environment=environment))

    return find


PLACE_TWINS = (
    _commanded("an invalid configuration is none", "CL10", "CL10-mcp", "LS10", read_config=_lenient),
    _commanded("what is wrong in a configuration not told", "CL10", "CL10-mcp", "LS10", read_config=_silent),
    _commanded("no legacy configuration", "CL11", read_config=_no_legacy),
    _commanded(
        "the configuration not read",
        "cli-parity",
        read_config=lambda path, environment: Config(),
    ),
    _commanded(
        "the folder of the cache not taken from its flag",
        "cli-places[cache]",
        find_paths=_found(without="cache_dir"),
    ),
    _commanded(
        "the file of the server not taken from its flag",
        "cli-places[store]",
        find_paths=_found(without="state_path"),
    ),
    _commanded(
        "the store looked for elsewhere",
        "cli-flags",
        "cli-parity",
        "CL11",
        "MC02",
        find_paths=_found(lambda paths: paths._replace(state_path="/nowhere")),
    ),
)


def _changed(document: Json) -> bytes:
    return writing.pretty({**document, "generatedAt": "2026-01-01T00:00:01Z"})


PRINT_TWINS = (
    _commanded("the document in one line", "cli-pretty", pretty=writing.compact),
    _commanded(
        "keys in the order of the alphabet",
        "cli-pretty",
        pretty=lambda document: writing.pretty({key: document[key] for key in sorted(document)}),
    ),
    _commanded("the document printed is another one", "cli-parity", "MC02", pretty=_changed),
    _commanded("two documents", "CL07", "CL11", pretty=lambda document: writing.pretty(document) * 2),
    _commanded(
        "the MCP server of the program has rules of its own",
        "MC11",
        mcp=McpRules(page_of=lambda asked: page_of({"limit": 20})),
    ),
)

Main = Callable[[list[str], BinaryIO, BinaryIO, BinaryIO], int]


def running(
    change: Callable[[Main, list[str], BinaryIO, BinaryIO, BinaryIO], int],
) -> Callable[[OpenSubject], OpenSubject]:
    """The program is run otherwise: `change(main, argv, stdin, stdout, stderr)`."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            program = subject.surfaces["cli"]
            assert isinstance(program, Program)
            surfaces = {**subject.surfaces, "cli": Program(functools.partial(change, program.main))}
            return subject._replace(surfaces=surfaces)

        return opened

    return surround


def _log_on_stdout(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    stdout.write(b"scriba: reading\n")
    return main(argv, stdin, stdout, stderr)


def _log_on_stderr(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    stderr.write(b"scriba: reading\n")
    return main(argv, stdin, stdout, stderr)


def _always_well(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    main(argv, stdin, stdout, stderr)
    return 0


def _always_two(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    return 2 if main(argv, stdin, stdout, stderr) else 0


def _ending_badly(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    return main(argv, stdin, stdout, stderr) or 1


def _told_on_stdout(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    return main(argv, stdin, stdout, stdout)


def _first_request_only(
    main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO
) -> int:
    return main(argv, io.BytesIO(stdin.readline()), stdout, stderr)


def _nearly_named(main: Main, argv: list[str], stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO) -> int:
    return main([argv[0].removesuffix("s"), *argv[1:]], stdin, stdout, stderr)


_GOOD = (
    "CL07",
    "CL11",
    "cli-flags",
    "cli-parity",
    "cli-places",
    "cli-pretty",
    "cli-root-help",
    "CL08",
    "MC11",
    "MC12",
    "MC13",
)
_BAD = (
    "CL01",
    "CL02",
    "CL03",
    "CL04",
    "CL05",
    "CL06",
    "CL09",
    "CL10",
    "CL10-mcp",
    "LS10",
    "cli-profile",
    "cli-unknown",
)

RUN_TWINS = (
    around(running(_log_on_stdout), "CLI prints a log line on stdout", *_GOOD, *_BAD, "mcp-garbage"),
    around(
        running(_log_on_stderr),
        "CLI prints a log line on stderr",
        "CL07",
        "CL08",
        "CL11",
        "MC11",
        "MC12",
        "MC13",
        "cli-pretty",
        "cli-flags",
    ),
    around(running(_always_well), "a refusal ends well", *_BAD),
    around(running(_always_two), "a refusal ends with 2", *_BAD),
    around(running(_ending_badly), "an answer ends badly", *_GOOD),
    around(running(_told_on_stdout), "a refusal told on stdout", *_BAD),
    around(running(_nearly_named), "a command is guessed", "cli-unknown"),
    around(running(_first_request_only), "the first request answered only", "MC12", "MC13", "mcp-garbage"),
)

TWINS = (*COMMAND_TWINS, *PARSE_TWINS, *PLACE_TWINS, *PRINT_TWINS, *RUN_TWINS)
