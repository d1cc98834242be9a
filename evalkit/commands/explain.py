"""`evalkit explain`: what an expectation, a rule, an operation, a literal or a code means, by example."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Final

from evalkit import expectations, rules
from evalkit.commands import _output
from evalkit.commands._arguments import Arguments
from evalkit.errors import CASE_ERRORS, UsageError, nearest
from evalkit.language import OPERATIONS, RUN_CODES
from evalkit.literals import LITERALS
from evalkit.loader.mistakes import LOAD_MISTAKES
from evalkit.text import TEXT_MISTAKES

EXAMPLES: Final[Mapping[str, str]] = {
    "manifest": "operation: manifest\nexpect: {readOnlyTools: true}",
    "session": "operation: session\nexpect: {follows: [server-named]}",
    "tool": "operation: tool\ntool: search_context\nargs: {query: garden}\nexpect: {contentParity: true}",
    "resource": "operation: resource\nuri: context://notes/1\nexpect: {present: [output.contents.0.text]}",
    "prompt": "operation: prompt\nname: hello\nargs: {topic: garden}\nexpect: {present: [output.messages.0]}",
    "complete": "operation: complete\nref: {type: ref/prompt, name: summarize}\n"
    "argument: {name: topic, value: gar}\nexpect: {present: [output.completion.values.0]}",
    "rpc": "operation: rpc\nmessage: {jsonrpc: '2.0', id: 1, method: no/such}\nexpect: {rpcError: -32601}",
    "http": "operation: http\nmethod: GET\npath: /api/manifest\nexpect: {status: 200}",
    "sse": "operation: sse\npath: /api/events\nuntil: {events: 1, within: 2}\nexpect: {count: {events: 1}}",
    "cli": "operation: cli\nargv: [manifest, --json]\nexpect: {exitCode: 0}",
    "world": "steps:\n  - operation: world\n    advance: 3600\n"
    '  - operation: tool\n    tool: get_context\n    args: {ref: "navigation:home"}\n'
    "    expect: {equals: {output.stale: true}}",
    "secret-leaked": "fixtures:\n  one:\n    owner: {$secret: nora@example.org}  # must not come back",
    "unexpected-outcome": "expectedFailure: {reason: issue 12, findings: [text-found]}",
}
"""Word or code → a piece of a suite that shows it; the pages of expectations have their own."""


def parser() -> Arguments:
    """The flags."""
    made = Arguments("explain", "evalkit explain contentParity", "Explain an expectation, a rule or a code.")
    made.add_argument("word", help="a word of the suite language, or a code of a report or a diagnosis")
    return made


def main(argv: list[str]) -> int:
    """Print the page, and give the exit code."""
    word = parser().parse(argv).word
    pages = [*_words(word), *_codes(word)]
    if not pages:
        raise UsageError(f"nothing is called {word!r}; {nearest(word, known())}")
    _output.to_stdout("\n".join(pages))
    return 0


def known() -> list[str]:
    """Every word and code that has a page."""
    found = [word for _, pages in _TABLES for word in pages]
    codes = [code for word in expectations.WORDS for code in expectations.find(word).CODES]
    return list(dict.fromkeys([*expectations.WORDS, *OPERATIONS, *codes, *found]))


def _words(word: str) -> list[str]:
    pages = [_expectation(word)] if word in expectations.WORDS else []
    pages += [_operation(word)] if word in OPERATIONS else []
    return [*pages, _rule(rules.table()[word])] if word in rules.table() else pages


def _expectation(word: str) -> str:
    module = expectations.find(word)
    operations = getattr(module, "OPERATIONS", None)
    asked = "every operation but `world`" if operations is None else ", ".join(sorted(operations))
    codes = "".join(f"  {code}: {told}\n" for code, told in module.CODES.items())
    text = inspect.getdoc(module)
    return f"{word}: an expectation\n\n{text}\n\nCan be asked of: {asked}.\n\nFindings:\n{codes}"


def _operation(word: str) -> str:
    operation = OPERATIONS[word]
    keys = ", ".join(f"`{key}`" for key in operation.keys) or "none"
    needed = ", ".join(f"`{key}`" for key in operation.required) or "none"
    fills = ", ".join(f"`{root}`" for root in operation.fills) or "nothing"
    head = f"{word}: an operation\n\nA step that asks to {operation.summary}.\n\n"
    return f"{head}{_example(word)}Keys: {keys}.\nNeeded: {needed}.\nFills: {fills}.\n"


def _rule(rule: rules.Rule) -> str:
    held = f"from {rule.since} to {rule.until}" if rule.until else f"from {rule.since} on"
    asked = f"operation: {min(rule.operations)}\nexpect: {{follows: [{rule.id}]}}"
    facts = f"Severity: {rule.severity}.\nRevisions: {held}.\nSection: {rule.section}.\n"
    judged = f"Judges: {', '.join(sorted(rule.operations))}.\n"
    return f"{rule.id}: a rule\n\n{rule.sentence}\n\n{facts}{judged}\n{rule.example.strip()}\n\n{asked}\n"


def _codes(word: str) -> list[str]:
    rows = [(kind, pages[word]) for kind, pages in _TABLES if word in pages]
    pages = [f"{word}: {kind}\n\n{told}\n\n{_example(word)}".rstrip() + "\n" for kind, told in rows]
    giving = [name for name in expectations.WORDS if word in expectations.find(name).CODES]
    if giving and word not in rules.table():
        first = expectations.find(giving[0])
        head = f"{word}: a finding of {', '.join(giving)}\n\n{first.CODES[word]}\n"
        pages.append(f"{head}\n{giving[0]}: {inspect.getdoc(first)}\n")
    return pages


def _example(word: str) -> str:
    return f"{EXAMPLES[word]}\n\n" if word in EXAMPLES else ""


_TABLES: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("a typed literal", LITERALS),
    ("a mistake in a suite's text", TEXT_MISTAKES),
    ("a mistake in a suite", LOAD_MISTAKES),
    ("a finding", RUN_CODES),
    ("an error of a case", CASE_ERRORS),
)
