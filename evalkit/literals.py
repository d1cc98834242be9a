"""Typed literals (`$int`, `$repeat`, `$join`, `$secret`, `$sample`, `$literal`), `${{ }}` -> plain values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from evalkit.model import Json, Path
from evalkit.values import dotted, encode, fill, names_in

LITERALS: Final[Mapping[str, str]] = {
    "$int": 'an integer of any size, as text: {$int: "9007199254740993"}',
    "$repeat": 'a text repeated, or a list of copies: {$repeat: {value: "App ${{ index }}", times: 400}}',
    "$join": "one text from parts, so that no secret-looking text stands in a file: {$join: [text, …]}",
    "$secret": "a text that must not come back: {$secret: text}",
    "$sample": "small arguments that are valid under a JSON Schema, or break it: {$sample: {schema: …}}",
    "$literal": "the object as it is, with nothing in it filled in: {$literal: {…}}",
}
MAX_NODES: Final = 200_000
MAX_TEXT: Final = 64 * 1024 * 1024
MIN_SECRET: Final = 4

_SAMPLE_KEYS: Final = frozenset({"schema", "tool", "seed", "break"})
_INT: Final = re.compile(r"-?(0|[1-9][0-9]*)")
_MARKS: Final = re.compile(
    r"\$\{\{|\$(?:int|repeat|join|secret|sample|literal)\b|\\(?:u00|U000000|x)(?:24|7[bB])"
)
"""The last: `$` or `{` written as an escape, in JSON or in double quotes of YAML."""


class LiteralError(ValueError):
    """A literal or `${{ }}` that cannot be evaluated; `path` leads to it from the value given."""

    def __init__(self, path: Path, code: str, message: str, remedy: str) -> None:
        """Keep the parts of a mistake, for the loader to give them a place."""
        super().__init__(message)
        self.path, self.code, self.message, self.remedy = path, code, message, remedy


class Undrawn(LiteralError):
    """A `$sample` of which nothing can be drawn: no mistake of the suite, for a target gave the schema."""


class Scope:
    """What one evaluation knows and has used up: names, the secrets met, nodes and text made.

    `look_up` gives the value of a name, or raises LookupError whose text says why there is none.
    `secrets` maps the placeholder of each `$secret` to its text; `prefix` begins every placeholder.
    """

    def __init__(
        self, look_up: Callable[[str], Json], prefix: str = "", secrets: dict[str, str] | None = None
    ) -> None:
        """Begin with nothing used up."""
        self.look_up = look_up
        self.prefix = prefix
        self.secrets: dict[str, str] = {} if secrets is None else secrets
        self.nodes = self.text = 0

    def inside(self, look_up: Callable[[str], Json]) -> Scope:
        """A scope with other names, and the same secrets and use."""
        inner = Scope(look_up, self.prefix, self.secrets)
        inner.nodes, inner.text = self.nodes, self.text
        return inner

    def spend(self, path: Path, *, nodes: int = 0, text: int = 0) -> None:
        """Refuse what a suite could not have meant: more nodes or text than the limits."""
        self.nodes += nodes
        self.text += text
        if self.nodes > MAX_NODES or self.text > MAX_TEXT:
            raise LiteralError(
                path,
                "repeat-too-large",
                f"`$repeat` makes more than {MAX_NODES:,} nodes or {MAX_TEXT >> 20} MiB of text in one place",
                "repeat less; a contract's limits are usually shown by one more than the limit",
            )


def is_plain(value: Json) -> bool:
    """Whether a value holds no literal and no `${{ }}`, so that it is what it says."""
    if isinstance(value, str):
        return "${{" not in value
    if isinstance(value, dict):
        is_literal = len(value) == 1 and next(iter(value)) in LITERALS
        return not is_literal and all(map(is_plain, value.values())) and all(map(is_plain, value))
    if isinstance(value, list):
        return all(map(is_plain, value))
    return True


def may_hold_marks(text: str) -> bool:
    """Whether a file's text can hold a literal or `${{ }}` at all; a quick no for large plain suites."""
    return _MARKS.search(text) is not None


def evaluate(value: Json, scope: Scope, path: Path = ()) -> Json:
    """The plain value. Raises LiteralError with the path of what cannot be evaluated."""
    if isinstance(value, str):
        return _filled(value, scope, path) if "${{" in value else value
    if isinstance(value, dict):
        if len(value) == 1:
            (key, inner), *_ = value.items()
            if key in LITERALS:
                return _EVALUATORS[key](inner, scope, (*path, key))
        made = {_key(key, scope, path): evaluate(inner, scope, (*path, key)) for key, inner in value.items()}
        if len(made) < len(value):
            message = "two keys become the same one here, so what stands under the first would be lost"
            raise LiteralError(path, "literal-shape", message, "give them names that differ in every row")
        return made
    if isinstance(value, list):
        return [evaluate(inner, scope, (*path, index)) for index, inner in enumerate(value)]
    return value


def _key(key: str, scope: Scope, path: Path) -> str:
    if "${{" not in key:
        return key
    filled = _filled(key, scope, (*path, key))
    return filled if isinstance(filled, str) else encode(filled)


def _filled(text: str, scope: Scope, path: Path) -> Json:
    try:
        return fill(text, scope.look_up)
    except LookupError as problem:
        raise LiteralError(
            path,
            "undefined-name",
            str(problem.args[0]),
            "write a name that is defined, or `$${{` for the text",
        ) from None


def _int(inner: Json, scope: Scope, path: Path) -> Json:
    if not isinstance(inner, str) or not _INT.fullmatch(inner) or len(inner) > 4000:
        raise LiteralError(
            path, "literal-shape", "`$int` wants a text of decimal digits", 'write {$int: "9007199254740993"}'
        )
    return int(inner)


def _join(inner: Json, scope: Scope, path: Path) -> Json:
    parts = evaluate(inner, scope, path)
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise LiteralError(
            path,
            "literal-shape",
            "`$join` wants a list of texts",
            'write {$join: ["first part", "second part"]}',
        )
    return "".join(parts)


def _secret(inner: Json, scope: Scope, path: Path) -> Json:
    text = evaluate(inner, scope, path)
    where = dotted((scope.prefix, *path[:-1]) if scope.prefix else path[:-1])
    if not isinstance(text, str):
        raise LiteralError(path, "literal-shape", "`$secret` wants a text", "write {$secret: text}")
    if len(text) < MIN_SECRET:
        raise LiteralError(
            path,
            "secret-too-short",
            f"a secret of {len(text)} characters would be found everywhere; it has to have {MIN_SECRET}",
            "make the fixture's secret longer",
        )
    scope.secrets[where] = text
    return text


def _literal(inner: Json, scope: Scope, path: Path) -> Json:
    return inner


def _sample(inner: Json, scope: Scope, path: Path) -> Json:
    from evalkit.sampling import BREAKS, CannotSample, broken, sample  # start-up: few suites draw anything

    said = evaluate(inner, scope, path)
    if not isinstance(said, dict) or len({"schema", "tool"} & said.keys()) != 1 or said.keys() - _SAMPLE_KEYS:
        message = "`$sample` wants a `schema` or a `tool`, and may have `seed` and `break`"
        raise LiteralError(path, "literal-shape", message, "write {$sample: {schema: …, break: missing}}")
    seed, how = said.get("seed", 0), said.get("break")
    if not isinstance(seed, int) or isinstance(seed, bool) or how not in (None, *BREAKS):
        message = f"`seed` is an integer, and `break` one of {', '.join(BREAKS)}"
        raise LiteralError(path, "literal-shape", message, "write {$sample: {schema: …, break: missing}}")
    try:
        schema = _schema_of(said["tool"]) if "tool" in said else said["schema"]
        return sample(schema, seed) if how is None else broken(schema, how, seed)
    except CannotSample as problem:
        remedy = "write the arguments out instead"
        raise Undrawn(path, "sample-impossible", str(problem), remedy) from None


def _schema_of(tool: Json) -> Json:
    """The input schema of a tool as a manifest lists it."""
    from evalkit.sampling import CannotSample  # start-up: as above

    if not isinstance(tool, dict) or "inputSchema" not in tool:
        raise CannotSample("the tool advertises no input schema")
    return tool["inputSchema"]


def _repeat(inner: Json, scope: Scope, path: Path) -> Json:
    if not isinstance(inner, dict) or inner.keys() != {"value", "times"}:
        raise LiteralError(
            path,
            "literal-shape",
            "`$repeat` wants `value` and `times`",
            "write {$repeat: {value: …, times: 400}}",
        )
    times = evaluate(inner["times"], scope, (*path, "times"))
    if isinstance(times, bool) or not isinstance(times, int) or times < 0:
        raise LiteralError(
            (*path, "times"), "literal-shape", "`times` wants an integer of at least 0", "write times: 400"
        )
    if not _asks_index(inner["value"]):
        made = _copy(inner["value"], scope, path, 0)
        if isinstance(made, str):
            scope.spend(path, text=len(made) * times)
            return made * times
        scope.spend(path, nodes=_size(made) * times)
        return [made] * times
    copies = []
    for index in range(times):
        made = _copy(inner["value"], scope, path, index)
        scope.spend(path, nodes=_size(made), text=len(made) if isinstance(made, str) else 0)
        copies.append(made)
    return "".join(copies) if copies and all(isinstance(copy, str) for copy in copies) else copies


def _asks_index(value: Json) -> bool:
    return any(name == "index" for name in names_in(value))


def _copy(value: Json, scope: Scope, path: Path, index: int) -> Json:
    """One copy; its secrets are called by their place in the list that is made, mistakes by the literal's."""
    inside = scope.inside(lambda name: index if name == "index" else scope.look_up(name))
    place = (*path[:-1], index)
    try:
        made = evaluate(value, inside, place)
    except LiteralError as problem:
        inner = problem.path[len(place) :]
        raise LiteralError((*path, "value", *inner), problem.code, problem.message, problem.remedy) from None
    scope.nodes, scope.text = inside.nodes, inside.text
    return made


def _size(value: Json) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


_EVALUATORS: Final[Mapping[str, Callable[[Json, Scope, Path], Json]]] = {
    "$int": _int,
    "$repeat": _repeat,
    "$join": _join,
    "$secret": _secret,
    "$sample": _sample,
    "$literal": _literal,
}
