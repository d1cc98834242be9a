"""`evalkit explain`: what an expectation, an operation, a literal or a code means, with an example."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from evalkit import expectations
from evalkit.commands import _output
from evalkit.commands._arguments import Arguments
from evalkit.errors import CASE_ERRORS, nearest
from evalkit.language import OPERATIONS, finding_codes
from evalkit.literals import LITERALS
from evalkit.loader.mistakes import LOAD_MISTAKES
from evalkit.text import TEXT_MISTAKES


def parser() -> Arguments:
    """The flags."""
    made = Arguments(
        "explain", "evalkit explain contentParity", "Explain an expectation, an operation or a code."
    )
    made.add_argument("word", help="a word of the suite language, or a code of a report or a diagnosis")
    return made


def main(argv: list[str]) -> int:
    """Print the page, and give the exit code."""
    word = parser().parse(argv).word
    page = _page(word)
    if page is None:
        _output.say(f"evalkit: nothing is called {word!r}; {nearest(word, _all_words())}")
        return 2
    _output.to_stdout(page + "\n")
    return 0


def _page(word: str) -> str | None:
    if word in expectations.WORDS:
        return _expectation(word)
    if word in OPERATIONS:
        return _operation(word)
    for kind, pages in _codes().items():
        if word in pages:
            return f"{word}: {kind}\n\n{pages[word]}"
    return None


def _expectation(word: str) -> str:
    module = expectations.find(word)
    operations = getattr(module, "OPERATIONS", None)
    asked = "every operation but `world`" if operations is None else ", ".join(sorted(operations))
    codes = "\n".join(f"  {code}: {told}" for code, told in module.CODES.items())
    text = inspect.getdoc(module)
    return f"{word}: an expectation\n\n{text}\n\nCan be asked of: {asked}.\n\nFindings:\n{codes}"


def _operation(word: str) -> str:
    operation = OPERATIONS[word]
    keys = ", ".join(f"`{key}`" for key in operation.keys) or "none"
    needed = ", ".join(f"`{key}`" for key in operation.required) or "none"
    fills = ", ".join(f"`{root}`" for root in operation.fills) or "nothing"
    head = f"{word}: an operation\n\nA step that asks to {operation.summary}.\n\n"
    return f"{head}Keys: {keys}.\nNeeded: {needed}.\nFills: {fills}."


def _codes() -> Mapping[str, Mapping[str, str]]:
    return {
        "a typed literal": LITERALS,
        "a mistake in a suite's text": TEXT_MISTAKES,
        "a mistake in a suite": LOAD_MISTAKES,
        "a finding": finding_codes(),
        "an error of a case": CASE_ERRORS,
    }


def _all_words() -> list[str]:
    return [*expectations.WORDS, *OPERATIONS, *(word for pages in _codes().values() for word in pages)]
