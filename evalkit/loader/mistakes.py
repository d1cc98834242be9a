"""What is wrong with a suite's shape, in words: schema violations become mistakes with a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from evalkit import expectations
from evalkit.errors import Mistake, nearest
from evalkit.language import ALLOWED, STEP_KEYS
from evalkit.model import Json, Path, SourceFile
from evalkit.schemas import Violation
from evalkit.values import dotted, encode, kind_of

MOST: Final = 100
"""How many mistakes are kept; one screen shows fewer."""

LOAD_MISTAKES: Final[Mapping[str, str]] = {
    "unknown-key": "The vocabulary is closed, so that a misspelt key is never read as 'nothing to check'.",
    "unknown-expectation": "No expectation has this name; `evalkit list expectations` names them all.",
    "unknown-operation": "No operation has this name; `evalkit list operations` names them all.",
    "missing-key": "A key that every suite, case or step of this kind needs.",
    "wrong-type": "The value has another JSON type than the key takes.",
    "wrong-value": "The value has the right type but is outside of what the key takes.",
    "wanted-shape": "What stands after an expectation has another shape than the word takes.",
    "unknown-contract": "The contract is neither shipped, nor installed, nor written as python:module:name.",
    "contract-missing": "Without a contract nothing can be driven; name it in the suite or with --contract.",
    "target-missing": "The suite drives a live target that this version does not reach.",
    "unknown-fixture": "A case, a default or a `use` names a fixture that the suite does not have.",
    "fixture-missing": "In memory every source is a fake, so a case has to say what the fakes hold.",
    "fixture-cycle": "Fixtures that use one another in a circle have no beginning.",
    "fixture-invalid": "The fixture breaks the contract's fixture schema, so no fakes could be made from it.",
    "duplicate-id": "Two cases, rows or steps with one id could not be told apart in the report.",
    "nothing-expected": "A step without an expectation would pass whatever happens.",
    "not-askable": "The expectation cannot be asked of this operation, so it would check nothing.",
    "contradiction": "The expectations of one step cannot all hold.",
    "path-unreadable": "A path is dotted, or RFC 9535 JSONPath when it starts with `$`.",
    "path-root": "A path begins with what the operation fills, or with steps, sources or effects.",
    "wanted-unusable": "What stands after an expectation does not compile: a pattern, a schema.",
    "operation-missing": "A case asks one operation, or has `steps`; this one has neither, or both.",
    "undefined-name": "`${{ }}` names something that is not defined here.",
    "literal-shape": "A typed literal is an object of one key with the shape that `evalkit explain` shows.",
    "sample-impossible": "`$sample` finds no value that its schema admits, or no way to break it.",
    "repeat-too-large": "`$repeat` is for limits, not for load: it is bounded in each fixture and row.",
    "secret-too-short": "A very short secret would be found by accident everywhere.",
    "matrix-shape": "A matrix has axes with lists of values, `include`, `exclude` and `max`.",
    "matrix-empty": "A matrix without rows runs nothing.",
    "matrix-too-large": "More than 10,000 rows are run only when `max` says so.",
    "exclude-removes-nothing": "An `exclude` that removes no row is a slip: the row it meant still runs.",
    "unknown-secret": "`mayReveal` names no secret of this case, so it allows nothing.",
    "unknown-code": "`expectedFailure` names a finding code that no expectation gives.",
    "folder-without-suite": "A folder holds a suite.yaml, or folders that do.",
    "no-cases": "A suite without a case checks nothing.",
    "part-key": "Only suite.yaml says what the suite is; the other files of its folder hold cases.",
    "file-unreadable": "A file that the suite names could not be read.",
}


class Notebook:
    """Collects mistakes, each at its place."""

    def __init__(self) -> None:
        """Begin with none."""
        self._found: dict[Mistake, None] = {}

    @property
    def mistakes(self) -> list[Mistake]:
        """What was found, by file and place."""
        return sorted(self._found, key=lambda mistake: (mistake.file, mistake.line, mistake.column))

    @property
    def full(self) -> bool:
        """Whether there is no room for more."""
        return len(self._found) >= MOST

    def add(
        self, document: SourceFile, path: Path, code: str, message: str, remedy: str, *, key: bool = False
    ) -> None:
        """Note a mistake at a path of a document; the same one twice counts once."""
        line, column = document.place(path, key=key)
        self._found[Mistake(code, message, remedy, document.file, line, column, document.excerpt(line))] = (
            None
        )

    def take(self, mistakes: Iterable[Mistake]) -> None:
        """Keep mistakes that have their place already."""
        self._found.update(dict.fromkeys(mistakes))


def note_violations(
    notebook: Notebook,
    document: SourceFile,
    at: Path,
    data: Json,
    schema: Json,
    violations: Iterable[Violation],
) -> None:
    """Note each violation of the language's schema by `data`, which stands at `at` in the document."""
    for violation in violations:
        if notebook.full:
            return
        node = _schema_at(schema, violation.path)
        value = _value_at(data, violation.path)
        if violation.keyword == "additionalProperties" and isinstance(value, dict) and "properties" in node:
            for key, code, message, remedy in _unknown_keys(violation.path, value, node):
                notebook.add(document, (*at, *violation.path, key), code, message, remedy, key=True)
            continue
        code, message, remedy = _explained(violation, node, value)
        notebook.add(document, (*at, *violation.path), code, message, remedy)


def _unknown_keys(path: Path, value: Mapping[str, Json], node: Json) -> Iterator[tuple[str, str, str, str]]:
    in_expect = bool(path) and path[-1] == "expect"
    code = "unknown-expectation" if in_expect else "unknown-key"
    what = "no expectation is called" if in_expect else f"unknown key in {_where(path)}:"
    known = expectations.WORDS if in_expect else _keys_of(value, node["properties"])
    for key in value:
        if key not in node["properties"]:
            yield key, code, f"{what} `{key}`", nearest(key, known)


def _keys_of(value: Mapping[str, Json], described: Mapping[str, Json]) -> Iterable[str]:
    """The keys that can stand in an object; in a step or case only those of its operation."""
    own = ALLOWED.get(str(value.get("operation")))
    return described if own is None else (key for key in described if key in own or key not in STEP_KEYS)


def _explained(violation: Violation, node: Json, value: Json) -> tuple[str, str, str]:
    path, keyword = violation.path, violation.keyword
    name = dotted(path[-1:]) or "the file"
    if "expect" in path[:-1] or (path and path[-1] == "expect" and keyword != "type"):
        word = path[path.index("expect") + 1] if path[-1] != "expect" else "expect"
        return (
            "wanted-shape",
            f"`{word}`: {violation.message}",
            f"`evalkit explain {word}` shows what it takes",
        )
    if keyword == "required":
        return ("missing-key", f"{_where(path)} lacks a key: {violation.message}", "add it")
    if keyword == "type":
        wanted = node.get("type", "another type")
        wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
        return (
            "wrong-type",
            f"`{name}` is of type {kind_of(value)}; it takes {wanted}",
            _retyped(value, wanted),
        )
    if keyword == "enum":
        code = "unknown-operation" if name == "operation" else "wrong-value"
        shown = repr(value) if isinstance(value, str) else f"of type {kind_of(value)}"
        return (code, f"`{name}` cannot be {shown}", nearest(str(value), node.get("enum", ())))
    return ("wrong-value", f"`{name}`: {violation.message}", "write a value that the key takes")


def _retyped(value: Json, wanted: str) -> str:
    if wanted == "string" and not isinstance(value, (dict, list)):
        return f'quote it: "{encode(value)}"'
    if wanted in ("integer", "number") and isinstance(value, str):
        return "write it without quotes"
    return f"write a value of type {wanted}"


def _where(path: Path) -> str:
    named = [part for part in path if isinstance(part, str)]
    return f"`{named[-1]}`" if named else "the suite"


def _schema_at(schema: Json, path: Path) -> Json:
    """The part of the language's schema that describes a path; an empty one where nothing does."""
    node = _resolved(schema, schema)
    for part in path:
        inner = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
        if inner is None:
            inner = node.get("additionalProperties")
        node = _resolved(schema, inner if isinstance(inner, dict) else {})
    return node


def _resolved(schema: Json, node: Json) -> Json:
    if "$ref" in node:
        return schema["$defs"][node["$ref"].rpartition("/")[2]]
    either = [node[word] for word in ("then", "else") if isinstance(node.get(word), dict)]
    return {key: value for way in either for key, value in way.items()} if either else node


def _value_at(data: Json, path: Path) -> Json:
    for part in path:
        data = data[part]
    return data
