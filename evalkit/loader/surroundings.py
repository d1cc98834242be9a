"""What the cases of one document have in common: defaults, fixtures, names, and where mistakes are noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import NamedTuple

from evalkit.errors import nearest
from evalkit.loader.fixtures import FixtureBook
from evalkit.loader.mistakes import Notebook
from evalkit.model import Json, Path, SourceFile
from evalkit.schemas import Schema
from evalkit.values import ABSENT, find


class Surroundings(NamedTuple):
    """One document's.

    `plain` says that the document holds no literal and no `${{ }}`, so that it was checked as a whole.
    `schema` is the language's, `case_schema` its part for a case.
    `secrets` holds those of the defaults by placeholder.
    `env` holds the names given with --env; `over` is what --over says.
    `folder` is where files are that the document names.
    `live` says that a live target is driven, where a case may do without a fixture.
    `path` is the one that takes MCP messages there, where one does.
    `advertised`, where the target may be asked, gives its manifest for a fixture and settings.
    """

    suite: str
    folder: FilePath
    documents: list[SourceFile]
    at: int
    defaults: Mapping[str, Json]
    fixtures: FixtureBook
    notebook: Notebook
    plain: bool
    schema: Json
    case_schema: Schema
    codes: Callable[[], frozenset[str]]
    secrets: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    over: str | None = None
    live: bool = False
    path: str = ""
    advertised: Callable[[Json, Json], Json] | None = None

    def note(
        self,
        path: Path,
        code: str,
        message: str,
        remedy: str,
        *,
        key: bool = False,
        document: int | None = None,
    ) -> None:
        """Note a mistake at a path of this document, or of another one of the suite."""
        index = self.at if document is None else document
        self.notebook.add(self.documents[index], path, code, message, remedy, key=key)

    def word_place(self, step: Json, place: Path, word: str) -> tuple[int, Path]:
        """Document and path of an expectation: in the step, in the defaults of its file, or of the suite."""
        if word in (step.get("expect") or {}):
            return self.at, (*place, "expect", word)
        return self.default_document("expect", word), ("defaults", "expect", word)

    def default_document(self, *path: str) -> int:
        """The document whose defaults say what stands at a path: this one, else the suite's."""
        own = find(self.documents[self.at].data.get("defaults", {}), ".".join(path))
        return 0 if own is ABSENT else self.at

    def look_up(self, row: Mapping[str, Json]) -> Callable[[str], Json]:
        """How a name in `${{ }}` is found in a matrix row."""
        return look_up_in(self.names(row))

    def names(self, row: Mapping[str, Json]) -> Mapping[str, Mapping[str, Json]]:
        """What `${{ }}` can name. Where no path takes messages, `/` stands for it: no such case is run."""
        return {"matrix": row, "env": self.env, "target": {"path": self.path or "/"}}


def look_up_in(names: Mapping[str, Mapping[str, Json]]) -> Callable[[str], Json]:
    """How a name in `${{ }}` is found (`matrix.x`, `env.NAME`); LookupError says why there is none."""

    def look_up(name: str) -> Json:
        found = find(names, name)
        if found is not ABSENT:
            return found
        if name.startswith("env."):
            raise LookupError(f"`{name}` is not given: pass it with --env {name.removeprefix('env.')}")
        known = [f"{kind}.{one}" for kind, values in names.items() for one in values]
        raise LookupError(f"`{name}` is not defined here" + (f"; {nearest(name, known)}" if known else ""))

    return look_up
