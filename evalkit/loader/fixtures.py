"""The fixtures of a suite: what each holds after `use`, which secrets are in it, and where it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from evalkit.errors import nearest
from evalkit.frozen import freeze
from evalkit.literals import LiteralError, Scope, evaluate
from evalkit.loader.mistakes import Notebook
from evalkit.model import Json, Path, SourceFile
from evalkit.schemas import Schema, Violation
from evalkit.values import dotted, holds_names, names_in

IN_PLACE: Final = "(in place)"

_NOTHING: Final[Mapping[str, str]] = {}


class Written(NamedTuple):
    """A fixture as a file says it: which document, at which path, and the text's data."""

    document: int
    path: Path
    data: Json


class Fixture(NamedTuple):
    """A fixture that is ready: immutable data, its secrets by placeholder, the named ones it is made of."""

    data: Json
    secrets: Mapping[str, str]
    made_of: tuple[str, ...] = ()


class FixtureBook:
    """All named fixtures of a suite. Mistakes go to the notebook, once."""

    def __init__(
        self,
        documents: list[SourceFile],
        notebook: Notebook,
        schema: Schema | None,
        look_up: Callable[[str], Json],
    ) -> None:
        """`schema` is the contract's fixture schema, or None where it has none; `look_up` finds env names."""
        self._documents = documents
        self._notebook = notebook
        self._schema = schema
        self._look_up = look_up
        self._written: dict[str, Written] = {}
        self._ready: dict[str, Fixture | None] = {}
        self._rowwise: dict[str, bool] = {}

    def add(self, name: str, written: Written) -> None:
        """Take a fixture under a name, which has to be new in the suite."""
        if name in self._written:
            message = f"the fixture `{name}` is defined twice in this suite"
            self._note(written, (), "duplicate-id", message, "give one of them another name", key=True)
        else:
            self._written[name] = written

    def check(self) -> None:
        """Make every fixture that needs no matrix, so that an unused one is found wrong too."""
        for name, written in self._written.items():
            if not self._is_rowwise(name):
                self.named(name, Scope(self._look_up), written)

    def named(self, name: str, scope: Scope, asked: Written) -> Fixture | None:
        """The fixture of a name, or None with a mistake noted where it is asked for."""
        if name not in self._written:
            message = f"no fixture of this suite is called `{name}`"
            self._note(asked, (), "unknown-fixture", message, nearest(name, self._written))
            return None
        if self._is_rowwise(name):
            return self._make(self._written[name], scope, f"fixtures.{name}", (name,))
        if name not in self._ready:
            self._ready[name] = None
            self._ready[name] = self._make(self._written[name], scope, f"fixtures.{name}", (name,))
        return self._ready[name]

    def in_place(self, written: Written, scope: Scope) -> Fixture | None:
        """A fixture that a case writes itself."""
        return self._make(written, scope, "fixture", ())

    def check_patched(self, data: Json, place: Written, at: Path) -> bool:
        """Whether a patched fixture has only keys that the contract knows; a source may go bad otherwise."""
        violations = self._schema.violations(data) if self._schema else []
        unknown = [one for one in violations if one.keyword == "additionalProperties"]
        self._note_violations(unknown, place, at)
        return not unknown

    def origins(self) -> dict[str, tuple[tuple[int, Path], ...]]:
        """Where the parts of each fixture are written: its own text first, then what it uses."""
        return {name: tuple((one.document, one.path) for one in self._chain(name)) for name in self._written}

    def _make(self, written: Written, scope: Scope, prefix: str, above: tuple[str, ...]) -> Fixture | None:
        fixture = self._merged(written, scope, prefix, above)
        if fixture is None:
            return None
        violations = self._schema.violations(fixture.data) if self._schema else []
        self._note_violations(violations, written, ())
        return None if violations else Fixture(freeze(fixture.data), fixture.secrets, fixture.made_of)

    def _merged(self, written: Written, scope: Scope, prefix: str, above: tuple[str, ...]) -> Fixture | None:
        """The fixture with all that it uses, not frozen yet; `above` names those that use it, and itself."""
        inside = Scope(scope.look_up, prefix)
        try:
            base = evaluate(written.data.get("use"), inside, ("use",))
            own = evaluate({key: value for key, value in written.data.items() if key != "use"}, inside)
        except LiteralError as problem:
            self._note(written, problem.path, problem.code, problem.message, problem.remedy)
            return None
        if base is None:
            return Fixture(own, inside.secrets or _NOTHING, above)
        if not isinstance(base, str) or base in above or base not in self._written:
            self._note_use(written, base, above)
            return None
        below = self._merged(self._written[base], scope, f"fixtures.{base}", (*above, base))
        if below is None:
            return None
        return Fixture(_merge(below.data, own), {**below.secrets, **inside.secrets}, below.made_of)

    def _note_violations(self, violations: Iterable[Violation], written: Written, at: Path) -> None:
        for violation in violations:
            message = f"{dotted(violation.path) or 'the fixture'}: {violation.message}"
            remedy = "the contract's fixture schema says what its fakes can hold"
            self._note(written, (*at, *violation.path), "fixture-invalid", message, remedy)

    def _note_use(self, written: Written, base: Json, above: tuple[str, ...]) -> None:
        if base in above:
            message = f"`use` goes round in a circle: {' -> '.join((*above, base))}"
            self._note(written, ("use",), "fixture-cycle", message, "let one of them stand alone")
        else:
            message = f"`use` names a fixture that this suite does not have: `{base}`"
            self._note(written, ("use",), "unknown-fixture", message, nearest(str(base), self._written))

    def _is_rowwise(self, name: str) -> bool:
        if name not in self._rowwise:
            self._rowwise[name] = any(_asks_row(one.data) for one in self._chain(name))
        return self._rowwise[name]

    def _chain(self, name: str) -> list[Written]:
        chain: list[Written] = []
        while name in self._written and self._written[name] not in chain:
            chain.append(self._written[name])
            name = self._written[name].data.get("use", "")
        return chain

    def _note(
        self, written: Written, at: Path, code: str, message: str, remedy: str, *, key: bool = False
    ) -> None:
        document = self._documents[written.document]
        self._notebook.add(document, (*written.path, *at), code, message, remedy, key=key)


def _asks_row(data: Json) -> bool:
    return holds_names(data) and any(name.startswith("matrix.") for name in names_in(data))


def _merge(base: Json, own: Json) -> Json:
    """Mappings merge deeply, anything else is replaced."""
    if not isinstance(base, dict) or not isinstance(own, dict):
        return own
    return {**base, **{key: _merge(base[key], value) if key in base else value for key, value in own.items()}}
