"""The documents tell the truth: their command lines parse, their suites load, their links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from evalkit import reporters
from evalkit.commands import COMMANDS, _run_arguments, _targets
from evalkit.commands._arguments import Arguments
from tests import test_recipes
from tests.commands.door import EVALKIT

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
HANDWRITTEN: Final = [page for page in PAGES if page.parent.name != "reference"]

home = test_recipes.home


class Block(NamedTuple):
    """A fenced block: the word behind the fence, the file's name beside it, the text, where it begins."""

    language: str
    file: str
    text: str
    line: int


class Line(NamedTuple):
    """A command line of a page, as words behind `evalkit`."""

    page: Path
    line: int
    words: list[str]

    def __str__(self) -> str:
        """As a test's id."""
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2] or "", found[3], text.count("\n", 0, found.start()) + 2)


def command_lines() -> Iterator[Line]:
    """Each command line that begins with `evalkit`: in `sh` any line, in `console` those after `$ `."""
    for page in PAGES:
        for block in blocks(page):
            if block.language not in ("sh", "console"):
                continue
            mark = "$ " if block.language == "console" else ""
            lines = block.text.replace("\\\n", "  ").splitlines()
            for at, line in enumerate(lines):
                if line.startswith(f"{mark}evalkit "):
                    words = shlex.split(line.removeprefix(mark), comments=True)
                    yield Line(page, block.line + at, words[1:])


LINES: Final = list(command_lines())


def parsed(parser: Arguments, words: list[str]) -> Any:
    """What the real parser makes of the words; whatever it complains of is raised."""
    return parser.parse(words)


def targets_of(line: Line) -> Iterator[str]:
    """Parse the line, and give the targets that stand in it."""
    name, *words = line.words
    if name.startswith("eval:"):
        contract = name.removeprefix("eval:")
        yield from _given(parsed(_run_arguments.parser(contract), words), "target")
        return
    assert name in COMMANDS, f"there is no command {name}"
    parser = import_module(f"evalkit.commands.{name}").parser()
    if name == "record":
        at = words.index("--")
        yield from _given(parsed(parser, words[:at]), "target")
        yield from _given(parsed(_run_arguments.parser(), words[at + 1 :]), "target")
    elif name == "scriba":
        parser.parse_args(words)  # the program reads its flags as Go does; a missing one is its own matter
    else:
        yield from _given(parsed(parser, words), "target", "old", "new")


def _given(given: Any, *names: str) -> Iterator[str]:
    """The targets among these words of a parsed line; a contract, a manifest or a report is none."""
    words = [getattr(given, name, None) for name in names]
    live = ("stdio:", "http:", "https:", "unix:", "cli:", "recording:", "{")
    yield from (word for word in words if word and word.startswith(live))


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_command_line_parses(line: Line) -> None:
    for target in targets_of(line):
        names = re.findall(r"\$\{\{ env\.(\w+) \}\}", target)
        _targets.named(target, dict.fromkeys(names, "a value"))


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_report_is_asked_for_in_a_format_that_there_is(line: Line) -> None:
    for before, word in zip(line.words, line.words[1:], strict=False):
        if before == "--report":
            assert word.partition("=")[0] in reporters.FORMATS


def test_a_wrong_command_line_would_be_found() -> None:
    from evalkit.errors import UsageError  # beside what is expected of it

    for words in (["run", "--bsaeline", "x"], ["audit"], ["diff", "one.json"]):
        with pytest.raises(UsageError):
            list(targets_of(Line(ROOT, 0, words)))


def test_enough_command_lines_are_looked_at() -> None:
    shown = {line.words[0] for line in LINES}
    assert {"run", "audit", "init", "record", "diff", "check", "explain", "report", "serve"} <= shown
    assert len(LINES) > 40


def suites() -> Iterator[tuple[Path, Block]]:
    """Each block that is a whole suite."""
    for page in PAGES:
        for block in blocks(page):
            if block.language == "yaml" and re.search(r"^cases:", block.text, re.MULTILINE):
                yield page, block


SUITES: Final = list(suites())


@pytest.mark.parametrize(
    ("page", "block"), SUITES, ids=[f"{page.name}:{block.line}" for page, block in SUITES]
)
def test_a_suite_is_sound(page: Path, block: Block, tmp_path: Path) -> None:
    for other in blocks(page):
        if other.file:
            (tmp_path / other.file).parent.mkdir(exist_ok=True)
            (tmp_path / other.file).write_text(other.text, encoding="utf-8")
    suite = tmp_path / "suite.yaml"
    suite.write_text(block.text, encoding="utf-8")
    command = [*EVALKIT, "check", str(suite)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "sound" in ran.stdout


def test_every_page_with_a_suite_was_looked_at() -> None:
    shown = {page.name for page, _ in SUITES}
    assert {"README.md", "tutorial.md", "audit.md", "contracts.md"} <= shown


@pytest.mark.parametrize("page", HANDWRITTEN, ids=lambda page: page.name)
def test_every_block_of_data_is_whole(page: Path) -> None:
    for block in blocks(page):
        if block.language == "yaml":
            list(yaml.safe_load_all(block.text))
        if block.language == "json":
            json.loads(block.text)


def anchors(page: Path) -> set[str]:
    """What a link can name of a page: its headings as GitHub spells them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_heading_that_is_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for file, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", text):
        if re.match(r"[a-z]+:", file):
            continue
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), file
        assert not anchor or anchor in anchors(target), f"{file}#{anchor}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = {(ROOT / file).resolve() for file in re.findall(r"\]\(([^)#:]+\.md)", readme)}
    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} <= linked


def test_the_inputs_of_the_action_are_those_of_its_page() -> None:
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    section = (ROOT / "docs/ci.md").read_text("utf-8").partition("## GitHub\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == set(action["inputs"])


def test_every_format_is_on_the_page_of_ci() -> None:
    text = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    assert {name for name in reporters.FORMATS if f"| `{name}` |" not in text} == set()


def test_every_tag_of_the_audit_is_on_its_page() -> None:
    parts = [yaml.safe_load(file.read_text("utf-8")) for file in (ROOT / "suites/mcp").glob("*.yaml")]
    tags = {tag for part in parts for tag in part.get("defaults", {}).get("tags", [])}
    tags |= {tag for part in parts for case in part.get("cases", []) for tag in case.get("tags", [])}
    text = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    assert {tag for tag in tags if f"`{tag}`" not in text} == set()


def test_to_add_a_rule(home: Path) -> None:
    """The sixth recipe of CONTRIBUTING.md, followed once."""
    family = home / "evalkit/rules/hints.py"
    text = family.read_text(encoding="utf-8")
    judge = """def _read_only(listed: Listed) -> Iterator[Fault]:
    if _stated(listed).get("readOnlyHint") is not True:
        yield Fault(f"{listed.name} may write", listed.path("annotations"))


RULES: Final = (
    Rule(
        "reads",
        "low",
        "Every tool only reads.",
        "a test",
        "breaks: {}\\nkeeps:  {}",
        MANIFEST,
        over_tools(_read_only),
    ),
"""
    assert text.count("RULES: Final = (\n") == 1
    family.write_text(text.replace("RULES: Final = (\n", judge), encoding="utf-8")
    expect = "{follows: [reads]}"
    suite = test_recipes.suite(expect=expect).replace("operation: tool", "operation: manifest")
    suite = re.sub(r"^ *(?:tool|args): .*\n", "", suite, flags=re.MULTILINE)
    test_recipes.write(home, "kept.yaml", suite)
    assert test_recipes.evalkit(home, "run", "kept.yaml").returncode == 0
    assert "Every tool only reads." in test_recipes.evalkit(home, "explain", "reads").stdout
    echo = home / "evalkit/contracts/echo.py"
    writes = echo.read_text(encoding="utf-8").replace('"readOnlyHint": True', '"readOnlyHint": False')
    echo.write_text(writes, encoding="utf-8")
    ran = test_recipes.evalkit(home, "run", "kept.yaml")
    (finding,) = json.loads(ran.stdout)["cases"][0]["findings"]
    assert (ran.returncode, finding["code"]) == (1, "reads")


def test_contributing_has_the_recipe_of_a_rule() -> None:
    assert "### 6. To add a rule" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
