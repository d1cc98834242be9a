"""`evalkit check`: load suites only; every mistake with its place. It runs nothing that a suite names."""

from __future__ import annotations

import gc
from collections.abc import Iterator

from evalkit.commands import _output, _suites
from evalkit.commands._arguments import Arguments, environment
from evalkit.loader import Options
from evalkit.model import Json, Suite


def parser() -> Arguments:
    """The flags."""
    made = Arguments(
        "check", "evalkit check suites/my-suite.yaml", "Load suites and show every mistake in them."
    )
    made.add_argument("suites", nargs="*", metavar="SUITE", help="a file or folder, or a suite's name")
    made.add_argument("--contract", metavar="NAME", help="the contract, where a suite names none")
    made.add_argument("--env", metavar="NAME", action="append", default=[], help="an environment variable")
    return made


def main(argv: list[str]) -> int:
    """Check, and give the exit code: 0, or 2 where there is a mistake."""
    gc.disable()  # loading makes many objects and no garbage
    given = parser().parse(argv)
    options = Options(fallback_contract=given.contract, env=environment(given.env))
    for _, suite in _suites.load_all(_suites.find(given.suites), options, named=bool(given.suites)):
        for warning in _warnings(suite):
            _output.say(warning)
        _output.to_stdout(
            f"{suite.path}: {suite.name} version {suite.version}, {len(suite.cases)} cases, sound\n"
        )
    return 0


def _warnings(suite: Suite) -> Iterator[str]:
    """A data island that holds a key named `expect` or `steps` is probably indented wrongly."""
    for document in suite.documents:
        for number, case in enumerate(document.data.get("cases", ())):
            for place, holder in _holders(case):
                for island in ("args", "settings", "json", "fixture"):
                    for word in ("expect", "steps"):
                        if isinstance(holder.get(island), dict) and word in holder[island]:
                            path = ("cases", number, *place, island, word)
                            line, column = document.place(path, key=True)
                            told = f"`{word}` in `{island}` is data; is it indented too far?"
                            yield f"{document.file}:{line}:{column}: warning: {told}"


def _holders(case: Json) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    yield (), case
    for index, step in enumerate(case.get("steps", ())):
        yield ("steps", index), step
