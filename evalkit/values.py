"""JSON values: find one by path, compare two exactly, read and write them strictly, fill in `${{ }}`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]
Node: TypeAlias = tuple[str, Json]

ABSENT: Final = ...
"""What a path that leads nowhere gives; JSON null is None."""

_ENCODER: Final = msgspec.json.Encoder()
_FILL: Final = re.compile(r"\$(\$?)\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)
_LONE: Final = re.compile("[\ud800-\udfff]")
_LEAVES: Final = frozenset({str, int, bool, type(None)})
_ONLY_TEXT: Final = frozenset({str})
_MOST_NODES: Final = 5_000_000
_DEEPEST: Final = 200
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")
_PLAIN_STEP: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(?:(0|[1-9][0-9]{0,14})|\*)\]")
_PLAIN: Final = re.compile(rf"\$(?:{_PLAIN_STEP.pattern})+")


class PathError(ValueError):
    """A path that cannot be read."""


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def find(roots: Mapping[str, Json], path: str) -> Json:
    """The one node at a dotted path, or ABSENT. `length` counts an array, or a text as JavaScript does."""
    node: Json = roots
    for part in _parts(path):
        node = _step(node, part)
        if node is ABSENT:
            return ABSENT
    return node


def select(roots: Mapping[str, Json], path: str) -> list[Node]:
    """Every node at a path, with its own path: one or none for a dotted path, any number for `$…`."""
    if not path.startswith("$"):
        node = find(roots, path)
        return [] if node is ABSENT else [(path, node)]
    if (steps := _plain_steps(path)) is not None:
        return [(dotted(location), node) for location, node in _walked(roots, steps)]
    return [(dotted(node.location), node.value) for node in _query(path).find(roots)]


def check_path(path: str) -> None:
    """Raise PathError with a remedy where a path cannot be read."""
    if not path.startswith("$"):
        if not path or "" in path.split("."):
            raise PathError(f"the path {path!r} has an empty part")
        return
    if _plain_steps(path) is not None:
        return
    import jsonpath_rfc9535  # start-up: most suites write dotted paths only

    try:
        _query(path)
    except jsonpath_rfc9535.JSONPathError as problem:
        raise PathError(f"the JSONPath {path!r} cannot be read: {problem}") from None


def root_of(path: str) -> str:
    """The first name of a path: `output` of `output.items` and of `$.output.items[*]`."""
    if not path.startswith("$"):
        return path.partition(".")[0]
    match = re.match(r"\$(?:\.([A-Za-z_][\w-]*)|\[['\"]([^'\"]*)['\"]\])", path)
    return (match[1] or match[2]) if match else ""


def dotted(location: tuple[str | int, ...] | list[str | int]) -> str:
    """A location as suites write it."""
    return ".".join(str(part) for part in location)


@lru_cache(maxsize=4096)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def _step(node: Json, part: str) -> Json:
    if isinstance(node, dict):
        return node.get(part, ABSENT)
    if isinstance(node, list):
        if part == "length":
            return len(node)
        if _INDEX.fullmatch(part) and int(part) < len(node):
            return node[int(part)]
        return ABSENT
    if isinstance(node, str) and part == "length":
        return utf16_length(node)
    return ABSENT


@lru_cache(maxsize=4096)
def _plain_steps(path: str) -> tuple[str | int | None, ...] | None:
    """The steps of a JSONPath of names, indices and `[*]` (None) alone, which needs no library (30 ms)."""
    if not _PLAIN.fullmatch(path):
        return None
    return tuple(
        int(index) if index else name or None for name, index in _PLAIN_STEP.findall(path.removeprefix("$"))
    )


def _walked(roots: Json, steps: tuple[str | int | None, ...]) -> list[tuple[tuple[str | int, ...], Json]]:
    """Every node, with its location: a name is of an object, an index of an array, `[*]` of either."""
    nodes: list[tuple[tuple[str | int, ...], Json]] = [((), roots)]
    for step in steps:
        found: list[tuple[tuple[str | int, ...], Json]] = []
        for location, node in nodes:
            if isinstance(node, dict):
                keys: Iterable[str | int] = node if step is None else [step] if step in node else ()
            elif isinstance(node, list):
                keys = range(len(node)) if step is None else ()
                if isinstance(step, int) and step < len(node):
                    keys = [step]
            else:
                continue
            found += [((*location, key), node[key]) for key in keys]
        nodes = found
    return nodes


@lru_cache(maxsize=4096)
def _query(path: str) -> Any:
    import jsonpath_rfc9535  # start-up: few suites write more than names, indices and [*]

    return jsonpath_rfc9535.compile(path)


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 units, which is how JavaScript counts."""
    if text.isascii():
        return len(text)
    return len(text) + sum(character > "\uffff" for character in text)


# ── equality ─────────────────────────────────────────────────────────────────────────────────────


def same(left: Json, right: Json) -> bool:
    """JSON-exact equality: bool is no number, 1 equals 1.0, integers are exact, objects are unordered."""
    if left is right:
        return True
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(same(value, right[key]) for key, value in left.items())
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)):
        return isinstance(right, (int, float)) and left == right
    return type(left) is type(right) and bool(left == right)


def kind_of(value: Json) -> str:
    """The JSON type of a value, in JSON Schema's words; `nothing` for ABSENT."""
    if value is ABSENT:
        return "nothing"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


# ── plain JSON ───────────────────────────────────────────────────────────────────────────────────


def fault_in(value: Json, path: Path = ()) -> str | None:
    """Why a value is not JSON, with its place; None where it is. `path` leads to the value itself."""
    return None if _is_json(value) else _fault(value, path)


def _is_json(value: Json) -> bool:
    """Told quickly and without a place; False also for what holds itself, or needs a closer look."""
    level, seen = [value], 0
    for _ in range(_DEEPEST):
        below: list[Json] = []
        for node in level:
            if isinstance(node, dict):
                if not _ONLY_TEXT.issuperset(map(type, node)):
                    return False
                below += [inner for inner in node.values() if inner.__class__ not in _LEAVES]
            elif isinstance(node, list):
                below += [inner for inner in node if inner.__class__ not in _LEAVES]
            elif node.__class__ not in _LEAVES and not (isinstance(node, float) and isfinite(node)):
                return False
        if not below:
            return True
        seen += len(below)
        if seen > _MOST_NODES:
            return False
        level = below
    return False


def _fault(value: Json, path: Path) -> str | None:
    """The first fault, walked down to depth _DEEPEST at most."""
    if value is None or isinstance(value, (str, bool, int)):
        return None
    if isinstance(value, float):
        return None if isfinite(value) else f"{value!r}{_at(path)} is no JSON number"
    if not isinstance(value, (dict, list)):
        return f"a {type(value).__name__}{_at(path)} is no JSON value"
    if len(path) > _DEEPEST:
        return f"it is nested deeper than {_DEEPEST}{_at(path[:3])}, or holds itself"
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(value, dict) and not isinstance(key, str):
            return f"the key {key!r}{_at(path)} is no text"
        if fault := _fault(inner, (*path, key)):
            return fault
    return None


def parse_json(text: str | bytes) -> Json:
    """Strict JSON text → value. ValueError for NaN, a repeated key, or anything that is no JSON."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=_float)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encode(value: Json) -> str:
    """Compact JSON text that keeps every character; what UTF-8 cannot hold stays escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text if text.isascii() else _LONE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def quick_json(value: Json) -> bytes:
    """Compact JSON in UTF-8, to tell what is the same; fractions may be written shorter than by `encode`."""
    try:
        return _ENCODER.encode(value)
    except (ValueError, OverflowError, RecursionError):  # lone surrogates, huge integers
        return encode(value).encode()


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    data = dict(pairs)
    if len(data) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {repeated!r} stands twice in one object")
    return data


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text} is too large")
    return number


def _at(path: Path) -> str:
    return f" at {dotted(path)}" if path else ""


# ── `${{ }}` and patches ────────────────────────────────────────────────────────────────────────


def merge_patch(target: Json, patch: Json) -> Json:
    """RFC 7396: mappings merge deeply, null takes away, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def fill(text: str, look_up: Callable[[str], Json]) -> Json:
    """Fill in `${{ name }}`: alone it becomes the value itself, within a text the value's text or JSON.

    `look_up` gets the name without spaces and raises LookupError where there is none.
    `$${{` gives a literal `${{`.
    """
    whole = _FILL.fullmatch(text)
    if whole and not whole[1]:
        return look_up(whole[2].strip())

    def one(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        found = look_up(match[2].strip())
        return found if isinstance(found, str) else encode(found)

    return _FILL.sub(one, text)


def holds_names(value: Json) -> bool:
    """Whether `${{` stands in any text of a value; told quickly."""
    nodes = [value]
    for node in nodes:  # grows while it is read
        if isinstance(node, str):
            if "${{" in node:
                return True
        elif isinstance(node, dict):
            nodes += (*node, *node.values())
        elif isinstance(node, list):
            nodes += node
    return False


def names_in(value: Json) -> Iterator[str]:
    """The names that `${{ }}` asks for anywhere in a value, in keys too."""
    if isinstance(value, str):
        if "${{" in value:
            yield from (match[2].strip() for match in _FILL.finditer(value) if not match[1])
    elif isinstance(value, (dict, list)):
        for inner in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from names_in(inner)
