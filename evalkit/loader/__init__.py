"""Suite files become Suites; every mistake in a suite is found here, before anything runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import Final

from evalkit import expectations
from evalkit.errors import SuiteError
from evalkit.language import expectation_codes, suite_schema
from evalkit.literals import LiteralError, Scope, evaluate, is_plain, may_hold_marks
from evalkit.loader.cases import build
from evalkit.loader.driven import Driven, driven, messages_path
from evalkit.loader.driven import Options as Options
from evalkit.loader.driven import target_of as target_of
from evalkit.loader.fixtures import FixtureBook, Written
from evalkit.loader.hiding import without_secrets
from evalkit.loader.mistakes import Notebook, note_violations
from evalkit.loader.surroundings import Surroundings, look_up_in
from evalkit.model import Case, GateRules, Json, Suite, SuiteFacts, ToolUse
from evalkit.schemas import Schema, Violation, compile_schema
from evalkit.text import Document, read_document

ENDINGS: Final = (".yaml", ".yml", ".json")
HEAD: Final = "suite.yaml"
AT_ONCE: Final = 2_000

_PART_KEYS: Final = frozenset({"cases", "fixtures", "defaults"})


def load(path: FilePath, name_of: Callable[[FilePath], str], options: Options) -> Suite:
    """The suite of a file, or of a folder that holds suite.yaml. Raises SuiteError with every mistake.

    `name_of` gives the name of a file as reports write it.
    """
    notebook = Notebook()
    documents = _read(path, name_of, notebook)
    loading = _Loading(path, name_of, documents, notebook, options)
    suite = loading.suite() if documents and not notebook.mistakes else None
    if notebook.mistakes or suite is None:
        raise SuiteError(without_secrets(notebook.mistakes, documents))
    return suite


def files_of(path: FilePath) -> list[FilePath]:
    """The files of a suite, its head first."""
    if not path.is_dir():
        return [path]
    return [path / HEAD, *sorted(filter(_is_part, path.iterdir()))]


def _is_part(file: FilePath) -> bool:
    """Neither the head, nor hidden, nor a JSON Schema that lies beside the cases."""
    name = file.name
    is_other = name == HEAD or name.startswith(".") or name.endswith(".schema.json")
    return file.suffix in ENDINGS and not is_other


def _read(path: FilePath, name_of: Callable[[FilePath], str], notebook: Notebook) -> list[Document]:
    documents = []
    for file in files_of(path):
        try:
            documents.append(read_document(file, name_of(file)))
        except SuiteError as problem:
            notebook.take(problem.mistakes)
    return documents


class _Loading:
    """One suite while it is being loaded."""

    def __init__(
        self,
        path: FilePath,
        name_of: Callable[[FilePath], str],
        documents: list[Document],
        notebook: Notebook,
        options: Options,
    ) -> None:
        self._path, self._name_of = path, name_of
        self._documents, self._notebook, self._options = documents, notebook, options
        self._plain = [not may_hold_marks(document.text) for document in documents]
        self._schema = suite_schema(_words_used(documents))

    def suite(self) -> Suite | None:
        """The suite, or None with mistakes noted."""
        for index, document in enumerate(self._documents):
            self._check_shape(index, document)
        if self._notebook.mistakes:
            return None
        head = self._documents[0].data
        drives = driven(head, self._options, functools.partial(self._note, 0))
        if drives is None:
            return None
        self._book = self._fixtures(drives.schema)
        cases = tuple(self._cases(head, drives))
        self._check_ids(cases)
        if not any(document.data.get("cases") for document in self._documents):
            self._note(0, (), "no-cases", "this suite has no case", "write at least one under `cases`")
        return Suite(
            name=head["name"],
            version=head["version"],
            contract=drives.contract,
            target=drives.target,
            path=self._name_of(self._path),
            gate=_gate(head.get("gate", {})),
            cases=cases,
            facts=_facts(cases),
            documents=tuple(self._documents),
            origins=self._book.origins(),
        )

    def _check_shape(self, index: int, document: Document) -> None:
        """Hold the document against the language's schema; cases with literals are held when filled in."""
        data = document.data
        if not isinstance(data, dict):
            self._note(index, (), "wrong-type", "a suite is a mapping", "begin with `name:` and `version:`")
            return
        for key in ("name", "version") if index == 0 else ():
            if key not in data:
                self._note(0, (), "missing-key", f"the suite lacks its `{key}`", f"write `{key}:` at the top")
        if index > 0:
            for key in data.keys() & self._schema["properties"].keys() - _PART_KEYS:
                message = f"`{key}` stands in a file that is not {HEAD}"
                self._note(index, (key,), "part-key", message, f"move it to {HEAD}", key=True)
            if not data.get("cases"):
                self._note(index, (), "no-cases", "this file has no case", "write at least one under `cases`")
        shape = data
        if not self._plain[index] and isinstance(data.get("cases"), list):
            shape = {**data, "cases": [_outline(case) for case in data["cases"]]}
        schema = compile_schema(self._schema)
        for start, part in _parts(shape):
            violations = (_shifted(violation, start) for violation in schema.violations(part))
            note_violations(self._notebook, document, (), shape, self._schema, violations)
            if self._notebook.full:
                return

    def _fixtures(self, schema: Schema | None) -> FixtureBook:
        look_up = look_up_in({"env": self._options.env})
        book = FixtureBook(list(self._documents), self._notebook, schema, look_up)
        for index, document in enumerate(self._documents):
            for name, data in document.data.get("fixtures", {}).items():
                book.add(name, Written(index, ("fixtures", name), data))
        book.check()
        return book

    def _cases(self, head: Json, drives: Driven) -> Iterator[Case]:
        secrets = dict(drives.target.secrets) if drives.target is not None else {}
        defaults = [self._defaults(index, secrets) for index in range(len(self._documents))]
        case_schema = {"$ref": "#/$defs/case", "$defs": self._schema["$defs"]}
        ask = self._options.advertised
        advertised = ask and functools.partial(ask, drives.contract, drives.target)
        for index, document in enumerate(self._documents):
            surroundings = Surroundings(
                suite=head["name"],
                folder=self._path if self._path.is_dir() else self._path.parent,
                documents=list(self._documents),
                at=index,
                defaults=_merged(defaults[0], defaults[index]) if index else defaults[0],
                fixtures=self._book,
                notebook=self._notebook,
                plain=self._plain[index],
                schema=self._schema,
                case_schema=compile_schema(case_schema),
                codes=lambda: frozenset(expectation_codes()),
                secrets=secrets,
                env=self._options.env,
                over=self._options.over,
                live=drives.target is not None,
                path=messages_path(drives.target),
                advertised=advertised,
            )
            for number, written in enumerate(document.data.get("cases", ())):
                if self._notebook.full:
                    return
                yield from build(written, number, surroundings)

    def _defaults(self, index: int, secrets: dict[str, str]) -> Mapping[str, Json]:
        """The defaults of a file, but for a fixture in place: each case fills that in. Keeps secrets."""
        written = self._documents[index].data.get("defaults", {})
        if self._plain[index]:
            return written  # type: ignore[no-any-return]
        fixture = {key: written[key] for key in ("fixture",) if key in written}
        scope = Scope(look_up_in({"env": self._options.env}), f"defaults.{index}", secrets)
        try:
            filled = evaluate({key: value for key, value in written.items() if key not in fixture}, scope)
        except LiteralError as problem:
            self._note(index, ("defaults", *problem.path), problem.code, problem.message, problem.remedy)
            return fixture
        return {**filled, **fixture}

    def _check_ids(self, cases: tuple[Case, ...]) -> None:
        seen: dict[str, Case] = {}
        for case in cases:
            first = seen.setdefault(case.id, case)
            if first is not case:
                document = self._documents[first.document]
                where = f"{document.file}:{document.place(first.place)[0]}"
                message = f"the id `{case.id}` stands twice in this suite, first at {where}"
                self._note(case.document, (*case.place, "id"), "duplicate-id", message, "rename one of them")

    def _note(
        self,
        index: int,
        path: tuple[str | int, ...],
        code: str,
        message: str,
        remedy: str,
        *,
        key: bool = False,
    ) -> None:
        self._notebook.add(self._documents[index], path, code, message, remedy, key=key)


def _parts(shape: Json) -> Iterator[tuple[int, Json]]:
    """A file's data, some of its cases at a time: a million wrong ones end at the first hundred mistakes."""
    cases = shape.get("cases")
    if not isinstance(cases, list) or len(cases) <= AT_ONCE:
        yield 0, shape
        return
    for start in range(0, len(cases), AT_ONCE):
        some = cases[start : start + AT_ONCE]
        yield start, {**shape, "cases": some} if start == 0 else {"cases": some}


def _shifted(violation: Violation, start: int) -> Violation:
    path = violation.path
    if start and len(path) > 1:
        return violation._replace(path=("cases", int(path[1]) + start, *path[2:]))
    return violation


def _words_used(documents: list[Document]) -> list[str]:
    """The known expectation words that stand anywhere in the documents; only these are imported."""
    used: set[str] = set()
    for document in documents:
        data = document.data if isinstance(document.data, dict) else {}
        used.update(_expect_words(data.get("defaults")))
        cases = data.get("cases")
        for case in cases if isinstance(cases, list) else ():
            used.update(_expect_words(case))
            steps = case.get("steps") if isinstance(case, dict) else None
            for step in steps if isinstance(steps, list) else ():
                used.update(_expect_words(step))
    return [word for word in expectations.WORDS if word in used]


def _expect_words(holder: Json) -> Mapping[str, Json]:
    expect = holder.get("expect") if isinstance(holder, dict) else None
    return expect if isinstance(expect, dict) else {}


def _outline(case: Json) -> Json:
    """A case of a file with literals, as far as its shape can be told before they are filled in."""
    if not isinstance(case, dict) or ("matrix" not in case and is_plain(case)):
        return case
    return {"id": "x", "title": "x", **{key: case[key] for key in case if key in ("id", "title", "matrix")}}


def _merged(shared: Mapping[str, Json], own: Mapping[str, Json]) -> Mapping[str, Json]:
    """The suite's defaults under those of one file; `expect` merges word by word."""
    if not own:
        return shared
    expect = {**(shared.get("expect") or {}), **(own.get("expect") or {})}
    return {**shared, **own, "expect": expect}


def _gate(said: Json) -> GateRules:
    return GateRules(
        said.get("maxFailures"), said.get("maxSkips"), said.get("minExecuted", 1), said.get("severity", {})
    )


def _is_refused(expect: Mapping[str, Json]) -> bool:
    return expect.get("isError") is True or expect.get("rpcError", False) is not False


def _facts(cases: tuple[Case, ...]) -> SuiteFacts:
    uses = {
        ToolUse(step.call.words["tool"], _is_refused(step.expect))
        for case in cases
        if case.skip is None
        for step in case.steps
        if step.call.operation == "tool" and "${{" not in step.call.words["tool"]
    }
    return SuiteFacts(tuple(sorted(uses, key=lambda use: (use.tool, use.refused))))
