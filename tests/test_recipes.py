"""Each recipe of CONTRIBUTING.md, followed once in a copy of the package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SUITE = """
name: recipes
version: 1
contract: {contract}
cases:
  - id: one
    title: One case
    fixture: {fixture}
    operation: tool
    tool: {tool}
    args: {args}
    expect: {expect}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a copy of the package, in which a recipe may write."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "evalkit", tmp_path / "evalkit", ignore=ignore)
    shutil.copytree(ROOT / "suites", tmp_path / "suites", ignore=ignore)
    return tmp_path


def write(home: Path, file: str, text: str) -> None:
    (home / file).write_text(text, encoding="utf-8")


def add_row(home: Path, table: str, file: str, row: str) -> None:
    """Put a row at the head of a table, as a person would."""
    path = home / file
    text = path.read_text(encoding="utf-8")
    head, opened, rest = text.partition(table)
    assert opened, f"no table {table!r} in {file}"
    before, brace, after = rest.partition("{\n")
    path.write_text(f"{head}{opened}{before}{brace}    {row}\n{after}", encoding="utf-8")


def evalkit(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(home)}
    command = [sys.executable, "-P", "-m", "evalkit", *words]
    return subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def suite(
    contract: str = "echo", tool: str = "echo", expect: str = "{isError: false}", fixture: str = "{}"
) -> str:
    return SUITE.format(contract=contract, tool=tool, args="{text: hello}", expect=expect, fixture=fixture)


def test_to_add_an_expectation(home: Path) -> None:
    write(
        home,
        "evalkit/expectations/divides.py",
        '''"""Each path holds a number that is a multiple of this one.

expect:
  divides: {output.at: 60}
"""

from evalkit.model import Finding
from evalkit.values import find

SCHEMA = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
CODES = {"not-divided": "The number is no multiple of the one that is wanted."}


def findings(evidence, wanted):
    """Yield one finding for each number that is no multiple."""
    for path, divisor in wanted.items():
        number = find(evidence.observation.roots, path)
        if not isinstance(number, int) or number % divisor:
            yield Finding("not-divided", f"{path} is no multiple of {divisor}", path, divisor, number)
''',
    )
    add_row(home, "WORDS: Final", "evalkit/expectations/__init__.py", '"divides": "divides",')
    write(home, "kept.yaml", suite(expect="{divides: {output.at: 60}}"))
    write(home, "broken.yaml", suite(expect="{divides: {output.at: 61}}"))
    assert evalkit(home, "run", "kept.yaml").returncode == 0
    broken = evalkit(home, "run", "broken.yaml")
    assert (broken.returncode, json.loads(broken.stdout)["cases"][0]["findings"][0]["code"]) == (
        1,
        "not-divided",
    )
    assert "multiple of this one" in evalkit(home, "explain", "divides").stdout
    assert "divides" in evalkit(home, "schema", "suite").stdout


def test_to_add_a_driver(home: Path) -> None:
    direct = (home / "evalkit/drivers/direct.py").read_text(encoding="utf-8")
    write(home, "evalkit/drivers/cli.py", direct)
    add_row(home, "DRIVERS: Final", "evalkit/drivers/__init__.py", '"cli": "cli",')
    echo = home / "evalkit/contracts/echo.py"
    both = echo.read_text(encoding="utf-8").replace('{"direct": Echo(world)}', '{"cli": Echo(world)}')
    echo.write_text(both, encoding="utf-8")
    write(home, "one.yaml", suite())
    ran = evalkit(home, "run", "one.yaml", "--over", "cli")
    case = json.loads(ran.stdout)["cases"][0]
    assert (ran.returncode, case["over"], case["status"]) == (0, "cli", "pass")
    assert json.loads(evalkit(home, "run", "one.yaml").stdout)["cases"][0]["skipKind"] == "capability"


def test_to_add_a_reporter(home: Path) -> None:
    write(
        home,
        "evalkit/reporters/tap.py",
        '''"""The Test Anything Protocol."""


def render(report):
    """One line a case."""
    words = {"pass": "ok"}
    lines = [f"1..{len(report['cases'])}"]
    for at, one in enumerate(report["cases"], 1):
        lines.append(f"{words.get(one['status'], 'not ok')} {at} {one['id']}")
    return "\\n".join(lines) + "\\n"
''',
    )
    add_row(home, "FORMATS: Final", "evalkit/reporters/__init__.py", '"tap": "the Test Anything Protocol",')
    write(home, "one.yaml", suite())
    assert evalkit(home, "run", "one.yaml", "--format", "tap").stdout == "1..1\nok 1 one\n"


def test_to_add_a_contract(home: Path) -> None:
    echo = (home / "evalkit/contracts/echo.py").read_text(encoding="utf-8")
    write(home, "evalkit/contracts/parrot.py", echo.replace('"echo"', '"parrot"'))
    write(
        home,
        "evalkit/contracts/parrot.schema.json",
        '{"type": "object", "additionalProperties": false, "properties": {"voices": {"type": "object"}}}',
    )
    add_row(home, "BUILT_IN: Final", "evalkit/contracts/__init__.py", '"parrot": "evalkit.contracts.parrot",')
    write(home, "one.yaml", suite(contract="parrot", tool="parrot"))
    assert evalkit(home, "run", "one.yaml").returncode == 0
    write(home, "wrong.yaml", suite(contract="parrot", tool="parrot", fixture="{feathers: 2}"))
    assert "error[fixture-invalid]" in evalkit(home, "check", "wrong.yaml").stderr
    assert "parrot" in evalkit(home, "list", "contracts").stdout


def test_to_add_a_command(home: Path) -> None:
    write(
        home,
        "evalkit/commands/hello.py",
        '''"""`evalkit hello`: a greeting."""

from evalkit.commands import _output
from evalkit.commands._arguments import Arguments


def parser():
    """The flags."""
    return Arguments("hello", "evalkit hello", "Greet.")


def main(argv):
    """Print it."""
    parser().parse(argv)
    _output.to_stdout("hello\\n")
    return 0
''',
    )
    add_row(home, "COMMANDS", "evalkit/commands/__init__.py", '"hello": "greet",')
    assert evalkit(home, "hello").stdout == "hello\n"
    assert "hello" in evalkit(home, "--help").stdout


def test_contributing_names_every_recipe() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for number, what in enumerate(("an expectation", "a driver", "a reporter", "a contract", "a command"), 1):
        assert f"### {number}. To add {what}" in text
