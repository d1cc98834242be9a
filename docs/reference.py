"""Writes docs/reference/ from the tables of evalkit: `make reference`; a test keeps the files current."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

from evalkit import expectations, reporters, rules
from evalkit.commands import COMMANDS
from evalkit.errors import CASE_ERRORS
from evalkit.gate import EXITS
from evalkit.language import OPERATIONS, RUN_CODES
from evalkit.literals import LITERALS
from evalkit.loader.mistakes import LOAD_MISTAKES
from evalkit.text import TEXT_MISTAKES

FOLDER = Path(__file__).parent / "reference"
COLUMNS = "100"


def pages() -> Mapping[str, str]:
    """The text of each page, by its file's name."""
    return {
        "operations.md": _page("Operations", "What a step can ask.", map(_operation, OPERATIONS)),
        "expectations.md": _page(
            "Expectations", "The words of `expect`.", map(_expectation, expectations.WORDS)
        ),
        "literals.md": _page("Typed literals", "Objects that stand for another value.", [_table(LITERALS)]),
        "rules.md": _page(
            "Rules", "What `evalkit audit` holds a server against.", map(_rule, rules.table().values())
        ),
        "codes.md": _page("Codes", "What a report or a diagnosis calls a thing.", _codes()),
        "commands.md": _page("Commands", "What stands on the command line.", _commands()),
    }


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _page(title: str, told: str, sections: Iterable[str]) -> str:
    head = f"# {title}\n\n{told}\nThis page is made from the tables of evalkit by `make reference`.\n"
    return "\n".join([head, *sections])


def _operation(name: str) -> str:
    row = OPERATIONS[name]
    keys = ", ".join(f"`{key}`" + ("*" if key in row.required else "") for key in row.keys) or "none"
    fills = ", ".join(f"`{root}`" for root in row.fills) or "nothing"
    return f"## `{name}`\n\nA step that asks to {row.summary}.\nKeys (* needed): {keys}.\nFills: {fills}.\n"


def _expectation(word: str) -> str:
    module = expectations.find(word)
    operations = getattr(module, "OPERATIONS", None)
    asked = "every operation but `world`" if operations is None else ", ".join(sorted(operations))
    told, _, example = (inspect.getdoc(module) or "").partition("\nexpect:")
    shown = f"```yaml\nexpect:{example.rstrip()}\n```\n\n" if example else ""
    known = rules.table()
    codes = {code: said for code, said in module.CODES.items() if code not in known}
    return f"## `{word}`\n\n{told.strip()}\n\n{shown}Asked of: {asked}.\n\n{_table(codes)}"


def _rule(rule: rules.Rule) -> str:
    until = f" to {rule.until}" if rule.until else " on"
    facts = f"`{rule.severity}` · from {rule.since}{until} · {rule.section}"
    return f"## `{rule.id}`\n\n{rule.sentence}\n\n{facts}\n\n```text\n{rule.example.strip()}\n```\n"


def _codes() -> Iterable[str]:
    yield "## Of findings that no word gives\n\n" + _table(RUN_CODES)
    yield "## Of errors of a case\n\n" + _table(CASE_ERRORS)
    yield "## Of mistakes in a suite\n\n" + _table(LOAD_MISTAKES)
    yield "## Of mistakes in a suite's text\n\n" + _table(TEXT_MISTAKES)
    yield "## Exit codes\n\n" + _table({str(code): name for code, name in EXITS.items()})
    yield "## Formats of a report\n\n" + _table(reporters.FORMATS)


def _commands() -> Iterable[str]:
    os.environ["COLUMNS"] = COLUMNS
    for name in COMMANDS:
        text = import_module(f"evalkit.commands.{name}").parser().format_help()
        yield f"## `evalkit {name}`\n\n```text\n{text.strip()}\n```\n"


def _table(rows: Mapping[str, str]) -> str:
    lines = "".join(f"| `{name}` | {_cell(told)} |\n" for name, told in rows.items())
    return f"| | |\n|---|---|\n{lines}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
