"""A manifest and what a few calls got -> the data of a suite that holds now, for a person to go on from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from evalkit.model import Json
from evalkit.values import ABSENT, encode, same

LONGEST: Final = 4000
"""Characters of a value that is expected whole; a longer one only by its schema or its being there."""

LARGEST: Final = 2**53 - 1

_LITERALS: Final = frozenset({"$int", "$repeat", "$join", "$secret", "$literal", "$sample"})
_SLUG: Final = re.compile(r"[^a-z0-9]+")
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class Asked(NamedTuple):
    """One call, and the roots of each time that it was answered."""

    tool: str
    args: Json
    answers: Sequence[Mapping[str, Json]]


class Seen(NamedTuple):
    """What was seen of a server: calls that should work, and calls that should not."""

    manifest: Mapping[str, Json]
    happy: Sequence[Asked] = ()
    wrong: Sequence[Asked] = ()
    unknown: Asked | None = None


def draft(seen: Seen, driven: Mapping[str, Json]) -> dict[str, Json]:
    """The suite. `driven` is what says what it drives: `target`, or `contract` with `defaults`."""
    about = seen.manifest.get("serverInfo")
    named = about.get("name") if isinstance(about, dict) else None
    name = _slug(named if isinstance(named, str) else str(driven.get("contract", "server")))
    head: dict[str, Json] = {
        "name": name,
        "version": 1,
        "title": f"What {name} answered when this was drafted",
    }
    return {**head, **driven, "cases": list(_cases(seen))}


def _cases(seen: Seen) -> Iterator[dict[str, Json]]:
    yield _manifest(seen.manifest)
    for asked in seen.happy:
        yield _case(f"call-{_slug(asked.tool)}", f"{asked.tool} answers as it did", asked)
    for asked in seen.wrong:
        yield _case(
            f"refuse-{_slug(asked.tool)}", f"{asked.tool} takes arguments that are wrong as it did", asked
        )
    if seen.unknown is not None:
        yield _case("unknown-tool", "A tool that does not exist is answered as it was", seen.unknown)


def _manifest(manifest: Mapping[str, Json]) -> dict[str, Json]:
    tools = [tool for tool in manifest.get("tools", ()) if isinstance(tool, dict)]
    named = [tool for tool in tools if isinstance(tool.get("name"), str)]
    expect: dict[str, Json] = {"count": {"manifest.tools": len(manifest.get("tools", ()))}}
    if named:
        expect["present"] = [f"$.manifest.tools[?@.name == {encode(tool['name'])}]" for tool in named]
    hints = {tool["name"]: stated for tool in named if (stated := _hints(tool))}
    if hints:
        expect["annotations"] = hints
    if "protocolVersion" in manifest:
        expect["equals"] = {"manifest.protocolVersion": manifest["protocolVersion"]}
    title = "The tools are those that there were, with the same hints"
    return {
        "id": "manifest",
        "title": title,
        "severity": "high",
        "operation": "manifest",
        "expect": escaped(expect),
    }


def _case(name: str, title: str, asked: Asked) -> dict[str, Json]:
    """One call as a case: the same every time is expected whole, and what changed is left out."""
    given = {} if asked.args is ABSENT else {"args": escaped(asked.args)}
    case = {"id": name[:120], "title": title[:240], "operation": "tool", "tool": escaped(asked.tool), **given}
    return {**case, "expect": _expected(asked.answers)}


def _expected(answers: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    first = answers[0]
    if "rpc" in first:
        error = first["rpc"].get("error")
        code = error.get("code") if isinstance(error, dict) else None
        return {"rpcError": code if isinstance(code, int) else True}
    result = first.get("toolResult")
    failed = isinstance(result, dict) and result.get("isError") is True
    expect: dict[str, Json] = {"isError": failed}
    if failed:
        return expect
    if "output" in first:
        return {**expect, **_of_value("output", [answer.get("output", ABSENT) for answer in answers])}
    content = [_content(answer) for answer in answers]
    return {**expect, **_of_value("toolResult.content", content)}


def _of_value(path: str, values: Sequence[Json]) -> dict[str, Json]:
    """Expected whole where it is the same each time and not too long; in part where a part is."""
    steady = _steady(values)
    if steady is ABSENT or len(encode(steady)) > LONGEST:
        return {"present": [path]}
    whole = all(same(value, steady) for value in values)
    return {"equals" if whole else "subset": {path: escaped(steady)}}


def _steady(values: Sequence[Json]) -> Json:
    """What of these values is the same in all: objects without the names that differ; else ABSENT."""
    first = values[0]
    if all(same(value, first) for value in values):
        return first
    if all(isinstance(value, dict) for value in values):
        shared = {name for name in first if all(name in value for value in values)}
        kept = {name: _steady([value[name] for value in values]) for name in first if name in shared}
        kept = {name: value for name, value in kept.items() if value is not ABSENT}
        return kept or ABSENT
    if all(isinstance(value, list) and len(value) == len(first) for value in values):
        items = [_steady(list(column)) for column in zip(*values, strict=True)]
        return ABSENT if any(item is ABSENT for item in items) else items
    return ABSENT


def _content(answer: Mapping[str, Json]) -> Json:
    result = answer.get("toolResult")
    return result.get("content", ABSENT) if isinstance(result, dict) else ABSENT


def _hints(tool: Mapping[str, Json]) -> dict[str, bool]:
    stated = tool.get("annotations")
    if not isinstance(stated, dict):
        return {}
    return {hint: stated[hint] for hint in _HINTS if isinstance(stated.get(hint), bool)}


def escaped(value: Json) -> Json:
    """The value as a suite has to write it, so that it means itself."""
    if isinstance(value, str):
        return value.replace("${{", "$${{")
    if isinstance(value, bool) or not isinstance(value, (int, dict, list)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST else {"$int": str(value)}
    if isinstance(value, list):
        return [escaped(item) for item in value]
    inner = {escaped(name): escaped(item) for name, item in value.items()}
    return {"$literal": value} if len(value) == 1 and not _LITERALS.isdisjoint(value) else inner


def _slug(text: str) -> str:
    return _SLUG.sub("-", text.lower()).strip("-")[:60] or "server"
