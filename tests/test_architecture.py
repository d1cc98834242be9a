"""The shortest description of the architecture: who may import whom, and what a file may look like."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalkit import contracts, drivers, expectations, reporters
from evalkit.commands import COMMANDS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "evalkit"
FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}

WORDS = {"model", "plugins", "surfaces", "values", "frozen", "errors", "spellings", "schemas"}
PLUG_INS = {"expectations", "drivers", "reporters", "contracts"}

# Who may import whom inside evalkit; the longest name that fits a module counts.
MAY_IMPORT: dict[str, set[str]] = {
    # 1 the words
    "model": set(),
    "plugins": {"model"},
    "surfaces": set(),
    "values": set(),
    "frozen": set(),
    "errors": set(),
    "spellings": {"spellings"},
    "schemas": {"schemas"},
    "sampling": {"model", "values", "schemas", "sampling"},
    # 2 the plug-ins
    "rules": {*WORDS, "rules"},
    "expectations": {*WORDS, "rules", "expectations._"},
    "drivers": {"model", "plugins", "surfaces", "values", "errors", "drivers._"},
    "reporters": {"model", "plugins", "reporters._"},
    "contracts": set(),
    "contracts.echo": {"model"},
    "contracts.agent_context": {"contracts.agent_context"},
    "contracts.agent_context.subject": {"contracts.agent_context", "model", "surfaces"},
    "contracts.agent_context.main": {"contracts.agent_context"},
    "contracts.scriba": {"contracts.scriba"},
    "contracts.scriba.subject": {"contracts.scriba", "model", "surfaces"},
    # 3 the street
    "text": {"errors", "text"},
    "language": {"model", "expectations"},
    "literals": {"model", "values", "sampling"},
    "loader": {*WORDS, "text", "language", "literals", "loader", "targets", "contracts", "expectations"},
    "plan": {"model", "errors"},
    "targets": {"model"},
    "deadline": {"errors"},
    "guard": {"errors", "guard"},
    "world": {"model", "values", "frozen"},
    "sharing": WORDS,
    "stage": {*WORDS, "drivers", "literals", "sharing", "world"},
    "leaks": {*WORDS, "stage"},
    "telling": WORDS,
    "needs": {*WORDS, "expectations", "stage"},
    "recording": {"model", "errors", "spellings", "values"},
    "live": {*WORDS, "targets", "contracts", "recording"},
    "runner": {
        *WORDS,
        *("contracts", "expectations", "needs", "sharing", "stage", "live", "world", "guard", "deadline"),
        *("leaks", "telling"),
    },
    "evaluation": {*WORDS, "targets", "world"},
    "engine": {"model", "errors", "guard", "engine"},
    "gate": {"model"},
    "baseline": {"model"},
    "drafting": {"model", "values"},
    "changes": {"model", "values", "changes"},
    "placing": {"model", "values"},
    "report": {*WORDS, "gate", "plan", "placing"},
    # 4 the door
    "commands": {
        *WORDS,
        *PLUG_INS,
        *(
            "text",
            "language",
            "literals",
            "loader",
            "targets",
            "plan",
            "runner",
            "sharing",
            "live",
            "engine",
            "gate",
        ),
        *("report", "evaluation", "rules", "changes", "baseline", "drafting", "sampling", "recording"),
        "commands._",
    },
    "commands.completion": {"commands"},
    "cli": {"commands"},
    "pytest": {*WORDS, *PLUG_INS, "loader", "targets", "plan", "engine", "gate", "report", "commands._"},
    "__main__": {"cli"},
    "__init__": set(),
}


def module_of(path: Path) -> str:
    """`loader.cases` of evalkit/loader/cases.py; a package is called as its folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def rule_of(module: str) -> str:
    fits = [name for name in MAY_IMPORT if module == name or module.startswith(f"{name}.")]
    return max(fits, key=len, default="")


def imports_of(path: Path) -> Iterator[str]:
    """What a file imports of evalkit, without the leading `evalkit.`."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, path)
            inner = [f"{source}.{alias.name}" for alias in node.names]
            names = [name if is_module(name) else source for name in inner]
        else:
            continue
        yield from (name.removeprefix("evalkit.") for name in names if name.startswith("evalkit."))


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """The module imported from; a contract imports its own files relatively, so it can be lifted out."""
    if node.level == 0:
        return str(node.module)
    package = ROOT.joinpath(*path.relative_to(ROOT).parts[: -node.level])
    return ".".join((*package.relative_to(ROOT).parts, *(node.module or "").split("."))).rstrip(".")


def is_module(dotted: str) -> bool:
    if not dotted.startswith("evalkit."):
        return False
    place = ROOT.joinpath(*dotted.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def is_allowed(imported: str, allowed: set[str]) -> bool:
    """A name with a final `_` allows the shared files of a plug-in folder only."""
    return any(
        imported == name or imported.startswith(name if name.endswith("_") else f"{name}.")
        for name in allowed
    )


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_an_arrow_only_goes_where_the_table_allows(path: Path) -> None:
    module = module_of(path)
    rule = rule_of(module)
    assert rule, f"{module} has no row in MAY_IMPORT"
    strange = [name for name in imports_of(path) if not is_allowed(name, MAY_IMPORT[rule])]
    assert not strange, f"{module} may not import {strange}"


def test_the_table_has_no_row_without_a_file() -> None:
    modules = {module_of(path) for path in FILES}
    assert {rule_of(module) for module in modules} == set(MAY_IMPORT)


def test_a_forbidden_arrow_would_be_seen() -> None:
    assert not is_allowed("contracts", MAY_IMPORT["expectations"])
    assert not is_allowed("expectations.equals", MAY_IMPORT["expectations"])
    assert is_allowed("expectations._paths", MAY_IMPORT["expectations"])


def test_modules_make_no_cycle() -> None:
    arrows = {module_of(path): set(imports_of(path)) for path in FILES}
    done: set[str] = set()

    def walk(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, f"a cycle: {' -> '.join((*above, module))}"
        if module in done:
            return
        for name in sorted(arrows.get(module, ())):
            walk(name, (*above, module))
        done.add(module)

    for module in arrows:
        walk(module, ())


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_file_is_short_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 350
    assert (ast.get_docstring(TREES[path]) or "").strip()
    assert not {"utils", "helpers", "common", "base", "manager"} & set(module_of(path).split("."))


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_function_is_at_most_forty_lines(path: Path) -> None:
    for node in ast.walk(TREES[path]):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 40, f"{path.name}:{node.lineno}: {node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_an_import_inside_of_a_function_gives_its_reason(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(TREES[path]):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Import, ast.ImportFrom)):
                near = "".join(lines[inner.lineno - 5 : inner.lineno])
                assert "#" in near, f"{path.name}:{inner.lineno}: no reason beside it"


def test_one_place_of_the_harness_catches_every_exception() -> None:
    places = {module_of(path) for path in FILES if any(map(catches_everything, ast.walk(TREES[path])))}
    assert {place for place in places if not place.startswith("contracts.")} == {"runner"}
    inside = [place for place in places if place.startswith("contracts.")]
    assert len({place.split(".")[1] for place in inside}) == len(inside), (
        f"two places in one contract: {inside}"
    )


def catches_everything(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    if node.type is None:
        return True
    named = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(isinstance(one, ast.Name) and one.id in ("Exception", "BaseException") for one in named)


def test_only_the_door_knows_argv_and_standard_output() -> None:
    for path in FILES:
        if module_of(path).split(".")[0] in ("cli", "commands", "__main__"):
            continue
        for node in ast.walk(TREES[path]):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "sys"
            ):
                assert node.attr not in ("argv", "exit"), f"{path.name}:{node.lineno}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "print", f"{path.name}:{node.lineno}"


TABLES = {
    "expectations": set(expectations.WORDS.values()),
    "drivers": set(drivers.DRIVERS.values()),
    "reporters": set(reporters.FORMATS),
    "contracts": {module.split(".")[2] for module in contracts.BUILT_IN.values()},
    "commands": set(COMMANDS),
}


@pytest.mark.parametrize("folder", TABLES)
def test_every_row_has_its_file_and_every_file_its_row(folder: str) -> None:
    inside = {path.stem for path in (PACKAGE / folder).iterdir() if path.suffix == ".py" or path.is_dir()}
    assert {name for name in inside if not name.startswith("_")} == TABLES[folder]


def test_every_plug_in_is_named_by_a_test_or_a_shipped_suite() -> None:
    tests = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)
    )
    for folder, names in TABLES.items():
        for name in names:
            assert name in tests, f"no test names {folder}/{name}"
