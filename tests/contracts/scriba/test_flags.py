"""Flags are read as Go's flag package reads them, with its messages (spec 8.1)."""

from __future__ import annotations

import pytest

from evalkit.contracts.scriba.flags import Flag, FlagWrong, Given, HelpAsked, parse

FLAGS = (
    Flag("json", "a switch"),
    Flag("config", "a value", "path"),
    Flag(
        "once",
        "refuses",
        "id",
        lambda value, is_repeated: "again" if is_repeated else "" if value else "empty",
    ),
)


@pytest.mark.parametrize(
    ("argv", "values", "rest"),
    [
        ("", {}, ()),
        ("-json", {"json": "true"}, ()),
        ("--json", {"json": "true"}, ()),
        ("--json=false", {"json": "false"}, ()),
        ("--json=0", {"json": "false"}, ()),
        ("--json=T", {"json": "true"}, ()),
        ("--json --json=F", {"json": "false"}, ()),
        ("--json false", {"json": "true"}, ("false",)),
        ("-config a", {"config": "a"}, ()),
        ("--config a --config b", {"config": "b"}, ()),
        ("--config=a=b", {"config": "a=b"}, ()),
        ("--config=", {"config": ""}, ()),
        ("--config --json", {"config": "--json"}, ()),
        ("--config --", {"config": "--"}, ()),
        ("--json extra --config a", {"json": "true"}, ("extra", "--config", "a")),
        ("--json - --config a", {"json": "true"}, ("-", "--config", "a")),
        ("--json -- --config a", {"json": "true"}, ("--config", "a")),
        ("-- --", {}, ("--",)),
        ("--once x", {"once": "x"}, ()),
    ],
)
def test_flags_are_read_up_to_the_first_other_word(
    argv: str, values: dict[str, str], rest: tuple[str]
) -> None:
    assert parse(FLAGS, argv.split()) == Given(values, rest)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--bogus"], "flag provided but not defined: -bogus"),
        (["-bogus=1"], "flag provided but not defined: -bogus"),
        (["--json", "--redact"], "flag provided but not defined: -redact"),
        (["--JSON"], "flag provided but not defined: -JSON"),
        (["--jso"], "flag provided but not defined: -jso"),
        (["--config"], "flag needs an argument: -config"),
        (["---json"], "bad flag syntax: ---json"),
        (["--=x"], "bad flag syntax: --=x"),
        (["-=x"], "bad flag syntax: -=x"),
        (["--json=yes"], 'invalid boolean value "yes" for -json: parse error'),
        (["--json="], 'invalid boolean value "" for -json: parse error'),
        (["--once="], 'invalid value "" for flag -once: empty'),
        (["--once", "a", "--once=a"], 'invalid value "a" for flag -once: again'),
        (["--bogus", "--help"], "flag provided but not defined: -bogus"),
    ],
)
def test_what_is_wrong_is_told_in_the_words_of_go(argv: list[str], told: str) -> None:
    with pytest.raises(FlagWrong) as caught:
        parse(FLAGS, argv)
    assert str(caught.value) == told


@pytest.mark.parametrize("argv", ["--help", "-help", "-h", "--h", "--json --help --bogus", "--help=x"])
def test_help_is_asked_for_before_anything_wrong(argv: str) -> None:
    with pytest.raises(HelpAsked):
        parse(FLAGS, argv.split())


def test_help_after_another_word_is_only_a_word() -> None:
    assert parse(FLAGS, ["extra", "--help"]).rest == ("extra", "--help")


def test_a_flag_called_help_would_be_a_flag() -> None:
    assert parse((Flag("help", "own"),), ["--help"]).text("help") == "true"


def test_a_refused_value_is_shown_without_what_a_terminal_acts_on() -> None:
    with pytest.raises(FlagWrong) as caught:
        parse(FLAGS, ['--json=a"\\\n\x1b\x7f\udcff\u200b\U000e0001é'])
    assert r'"a\"\\\n\x1b\x7f\xff\u200b\U000e0001é"' in str(caught.value)
