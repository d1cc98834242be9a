"""What the cases of one document have in common: defaults, fixtures, names, and where mistakes are noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from evalkit.errors import nearest
from evalkit.loader.fixtures import FixtureBook
from evalkit.loader.mistakes import Notebook
from evalkit.model import Json, Path, SourceFile
from evalkit.schemas import Schema
from evalkit.values import ABSENT, find


@dataclass(frozen=True)
class Surroundings:
    """One document's.

    `plain` says that the document holds no literal and no `${{ }}`, so that it was checked as a whole.
    `schema` is the language's, `case_schema` its part for a case.
    `env` holds the names given with --env; `over` is what --over says.
    `folder` is where files are that the document names.
    `advertised`, where the target may be asked, gives its manifest for a fixture and settings.
    """

    suite: str
    folder: FilePath
    documents: list[SourceFile]
    index: int
    defaults: Mapping[str, Json]
    fixtures: FixtureBook
    notebook: Notebook
    plain: bool
    schema: Json
    case_schema: Schema
    codes: Callable[[], frozenset[str]]
    env: Mapping[str, str] = field(default_factory=dict)
    over: str | None = None
    advertised: Callable[[Json, Json], Json] | None = None

    def note(self, path: Path, code: str, message: str, remedy: str, *, key: bool = False) -> None:
        """Note a mistake at a path of the document."""
        self.notebook.add(self.documents[self.index], path, code, message, remedy, key=key)

    def look_up(self, row: Mapping[str, Json]) -> Callable[[str], Json]:
        """How a name in `${{ }}` is found in a matrix row; LookupError says why there is none."""

        def find_name(name: str) -> Json:
            found = find({"matrix": row, "env": self.env}, name)
            if found is not ABSENT:
                return found
            if name.startswith("env."):
                raise LookupError(f"`{name}` is not given: pass it with --env {name.removeprefix('env.')}")
            known = [f"matrix.{axis}" for axis in row] + [f"env.{one}" for one in self.env]
            raise LookupError(f"`{name}` is not defined here; {nearest(name, known)}")

        return find_name
