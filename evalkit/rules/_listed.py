"""What the rules of a manifest read: the list of tools, each tool, and each schema that a tool advertises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from evalkit.model import Evidence, Json, Path
from evalkit.rules import Fault, Judge, revision_of
from evalkit.values import dotted

MANIFEST: Final = frozenset({"manifest"})
SCHEMAS: Final = ("inputSchema", "outputSchema")


class Listed(NamedTuple):
    """An entry of the listing that is an object. `at` is its place there; `name` is for messages."""

    at: int
    name: str
    tool: Mapping[str, Json]
    revision: str

    def path(self, *tail: str | int) -> str:
        """A path of the language into this tool."""
        return dotted(("manifest", "tools", self.at, *tail))


class Advertised(NamedTuple):
    """A schema that a tool advertises and that is an object; `key` is where in the tool."""

    of: Listed
    key: str
    schema: Mapping[str, Json]

    def fault(self, told: str, place: Path = (), expected: Json = ..., actual: Json = ...) -> Fault:
        """A fault at a place of the schema, whose message names the tool and the schema."""
        where = f" at {dotted(place)}" if place else ""
        return Fault(f"{self.key} of {self.of.name}{where}: {told}", self.path(place), expected, actual)

    def path(self, place: Path) -> str:
        """A path of the language into this schema."""
        return self.of.path(self.key, *place)


def over_list(judge: Callable[[list[Json]], Iterator[Fault]]) -> Judge:
    """A rule of the whole list; a manifest without one cannot keep it."""

    def judged(evidence: Evidence) -> Iterator[Fault]:
        listed = manifest_of(evidence).get("tools", ...)
        if isinstance(listed, list):
            yield from judge(listed)
        else:
            yield Fault("the manifest has no array of tools", "manifest.tools", actual=listed)

    return judged


def over_tools(judge: Callable[[Listed], Iterator[Fault]]) -> Judge:
    """A rule of each tool; an entry that is no object is another rule's."""

    def judged(evidence: Evidence) -> Iterator[Fault]:
        revision = revision_of(evidence)

        def each(listed: list[Json]) -> Iterator[Fault]:
            for at, tool in enumerate(listed):
                if isinstance(tool, dict):
                    yield from judge(Listed(at, _name(tool, at), tool, revision))

        yield from over_list(each)(evidence)

    return judged


def over_schemas(judge: Callable[[Advertised], Iterator[Fault]]) -> Judge:
    """A rule of each input and output schema; what is no object there is another rule's."""

    def each(listed: Listed) -> Iterator[Fault]:
        for key in SCHEMAS:
            if isinstance(listed.tool.get(key), dict):
                yield from judge(Advertised(listed, key, listed.tool[key]))

    return over_tools(each)


def manifest_of(evidence: Evidence) -> Mapping[str, Json]:
    """The manifest; empty where it is no object."""
    manifest = evidence.observation.roots.get("manifest")
    return manifest if isinstance(manifest, dict) else {}


def _name(tool: Mapping[str, Json], at: int) -> str:
    name = tool.get("name")
    return name if isinstance(name, str) and name else f"tool {at}"
