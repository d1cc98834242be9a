"""No mistake shows a secret of its suite, neither in its message nor in the line that it quotes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.playing import refused, suite_file

SECRET = "hunter" + "22-apple"


@pytest.mark.parametrize(
    "body",
    [
        f"operation: tool\n    tool: echo\n    args: {{key: {{$secret: {SECRET}}}, "
        f"more: {{$int: x}}}}\n    expect: {{isError: false}}",
        f"operation: tool\n    tool: echo\n    args: {{key: {{$secret: {SECRET}}}}}\n"
        f"    expect: {{excludes: {{$secret: {SECRET}}}}}",
        "operation: tool\n    tool: echo\n    args: {key: {$secret: {$join: [hunter22, '-apple']}}, "
        "more: {$int: x}}\n    expect: {isError: false}",
        f"operation: tool\n    tool: echo\n    fixture: {{voices: {{$secret: {SECRET}}}}}\n"
        f"    expect: {{isError: false}}",
        f"operation: tool\n    tool: echo\n    severity: {{$secret: {SECRET}}}\n"
        f"    expect: {{isError: false}}",
    ],
)
def test_a_mistake_beside_a_secret_does_not_show_it(tmp_path: Path, body: str) -> None:
    text = (
        f"name: s\nversion: 1\ncontract: echo\ndefaults: {{fixture: {{}}}}\ncases:\n  - id: c\n"
        f"    title: t\n    {body}\n"
    )
    mistakes = refused(suite_file(tmp_path, text))
    assert mistakes
    for mistake in mistakes:
        shown = " ".join((mistake.message, mistake.remedy, mistake.excerpt))
        assert SECRET not in shown
        assert "hunter22" not in shown
        assert mistake.line >= 8


def test_the_quoted_line_keeps_its_columns(tmp_path: Path) -> None:
    line = f"args: {{key: {{$secret: {SECRET}}}, more: {{$int: x}}}}"
    text = (
        f"name: s\nversion: 1\ncontract: echo\ncases:\n  - id: c\n    title: t\n    fixture: {{}}\n"
        f"    operation: tool\n    tool: echo\n    {line}\n    expect: {{isError: false}}\n"
    )
    (mistake,) = refused(suite_file(tmp_path, text))
    assert mistake.excerpt == "    " + line.replace(SECRET, "*" * len(SECRET))
    assert mistake.excerpt[mistake.column - 1] == "x"


@pytest.mark.parametrize(
    "written",
    [
        f"token: {{$secret: {SECRET}}}, token: 1",
        f"token: {{$secret: '{SECRET}'}}, token: 1",
        f'token: {{"$secret": "{SECRET}"}}, token: 1',
        f"token: {{$secret: {SECRET}}}, at: no",
    ],
)
def test_a_line_that_cannot_even_be_read_does_not_show_one(tmp_path: Path, written: str) -> None:
    text = f"name: s\nversion: 1\ncontract: echo\nfixtures:\n  a: {{{written}}}\n"
    (mistake,) = refused(suite_file(tmp_path, text))
    assert (mistake.line, len(mistake.excerpt)) == (5, len(f"  a: {{{written}}}"))
    assert "hunter22" not in f"{mistake.message}{mistake.remedy}{mistake.excerpt}"


def test_the_secrets_of_every_file_of_a_folder_are_hidden(tmp_path: Path) -> None:
    suite_file(tmp_path, "name: s\nversion: 1\ncontract: echo\n")
    for name in ("one", "two"):
        text = f"cases:\n  - {{id: {name}, title: t, severity: {{$secret: {SECRET}-{name}}}}}\n"
        suite_file(tmp_path, text, f"{name}.yaml")
    mistakes = refused(tmp_path)
    assert {one.file for one in mistakes} == {"one.yaml", "two.yaml"}
    assert SECRET not in "".join(f"{one.message}{one.remedy}{one.excerpt}" for one in mistakes)


def test_without_a_secret_a_line_is_quoted_as_it_is(tmp_path: Path) -> None:
    text = "name: s\nversion: 1\ncontract: echo\ncasse: []\n"
    assert refused(suite_file(tmp_path, text))[0].excerpt == "casse: []"
