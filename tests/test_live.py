"""A live run: the same verdicts and findings as in memory; what a target lacks is a skip, never a pass."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

import pytest

from evalkit import live
from evalkit.errors import CASE_ERRORS, CapabilityMissing, CaseError, HarnessError
from evalkit.evaluation import lend
from evalkit.model import CaseResult, Suite, Target
from evalkit.runner import run_live
from evalkit.targets import WORLDS, parse, providing
from evalkit.world import CaseFolder, FakeWorld
from tests.lending import MCP, NAME, alone, lent, nobody, open_without_http, served, unused_port
from tests.playing import loaded, played, suite_file

pytestmark = pytest.mark.slow

ALL: Final = ("fixtures", "clock", "source-log")
SECRET: Final = "hidden-" + "7" * 8

HEAD: Final = f"""\
name: notebook
version: 1
contract: {NAME}
defaults: {{fixture: two}}
fixtures:
  two: {{notes: {{a: first, b: second}}}}
  secret: {{notes: {{a: {{$secret: {SECRET}}}}}}}
  broken: {{broken: true}}
cases:
"""
READ: Final = "operation: tool, tool: read, args: {note: a}"
WRITE: Final = "operation: tool, tool: write, args: {note: c, text: third}"
HTTP: Final = "operation: http, path: /notes/a"

CASES: Final = {
    "read": f"{READ}, expect: {{equals: {{output.text: first}}, contentParity: null, isError: false}}",
    "read-wrong": f"{READ}, expect: {{equals: {{output.text: second}}, isError: true}}",
    "missing": "operation: tool, tool: read, args: {note: z}, expect: {isError: true, present: [output]}",
    "schema": "operation: tool, tool: read, args: {note: 1}, expect: {inputSchemaValid: true}",
    "manifest": "operation: manifest, expect: {equals: {manifest.kind: notebook}}",
    "budgets": f"{READ}, expect: {{withinBudgets: true}}",
    "annotated": "operation: manifest, expect: {annotations: {read: {readOnlyHint: true}}}",
    "effects": f"{WRITE}, expect: {{equals: {{effects: [{{note: c, text: third}}]}}}}",
    "effects-wrong": f"{WRITE}, expect: {{equals: {{effects: []}}}}",
    "calls": f"{READ}, expect: {{equals: {{sources.notes.calls: 1, sources.trash.calls: 0}}}}",
    "budget": f"{READ}, expect: {{budget: {{sourceCalls: 0}}}}",
    "no-reads": f"{WRITE}, settings: {{locked: true}}, expect: {{isError: true, noSourceReads: true}}",
    "no-reads-wrong": f"{READ}, expect: {{noSourceReads: true}}",
    "unchanged": f"{READ}, expect: {{unchanged: true}}",
    "unchanged-wrong": f"{WRITE}, expect: {{unchanged: [notes]}}",
    "repeatable": f"{READ}, expect: {{repeatable: 2}}",
    "http": f"{HTTP}, expect: {{status: 200, equals: {{response.json: {{text: first}}}}}}",
    "http-wrong": f"{HTTP}, expect: {{status: 404, noSourceReads: true}}",
    "leak": f"{READ}, fixture: secret, expect: {{isError: false}}",
    "broken": f"{READ}, fixture: broken, expect: {{isError: false}}",
}
STEPS: Final = """\
  - id: moves
    title: A World moves while a case runs
    steps:
      - {id: before, operation: tool, tool: read, args: {note: a}, expect: {equals: {output.text: first}},
         capture: {at: output.at, calls: sources.notes.calls}}
      - {id: change, operation: world, patch: {notes: {a: other}}, advance: 90}
      - {id: after, operation: tool, tool: read, args: {note: a},
         expect: {equals: {output.text: other, sources.notes.calls: 2},
                  differs: {output.at: "${{ steps.before.at }}"}}}
      - {id: lock, operation: world, settings: {locked: true}}
      - {id: locked, operation: tool, tool: write, args: {note: a, text: "${{ steps.before.at }}"},
         expect: {isError: true, noSourceReads: true, equals: {effects: []}}}
      - {id: wrong, operation: tool, tool: read, args: {note: b}, expect: {equals: {output.text: other}}}
  - id: row
    title: Every tool has a schema
    matrix: {tool: {each: manifest.tools, key: name}}
    operation: manifest
    expect: {present: ["manifest.tools.1.name"], equals: {manifest.kind: "${{ matrix.tool.name }}"}}
"""
TEXT: Final = HEAD + "".join(f"  - {{id: {name}, title: It is so, {case}}}\n" for name, case in CASES.items())


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with lent() as origin:
        yield origin


def target_at(origin: str, *provides: str) -> Target:
    return providing(parse(origin + MCP), provides)


def suite_of(folder: Path, text: str, target: Target | None = None, **options: Any) -> Suite:
    return loaded(suite_file(folder, text), target=target, **options)


def ran(suite: Suite) -> dict[str, CaseResult]:
    assert suite.target is not None
    return {case.id: run_live(case, suite.target, suite.facts) for case in suite.cases}


def told(result: CaseResult) -> Any:
    """What a result says; of an error its code. Raw bytes come back only where there is a wire."""
    found = [finding for finding in result.findings if not finding.path.startswith("raw.")]
    return result.status, found, result.error and result.error[0], result.skip


def one(folder: Path, words: str, target: Target, head: str = HEAD) -> CaseResult:
    suite = suite_of(folder, f"{head}  - {{id: c, title: It is so, {words}}}\n", target)
    return ran(suite)["c"]


# ── the same in memory and live ──────────────────────────────────────────────────────────────────


def manifest_of(contract: str, target: Target | None, fixture: Any, settings: Any) -> Any:
    return {"tools": [{"name": "read"}, {"name": "write"}]}


@pytest.mark.parametrize("over", ["direct", "mcp"])
def test_a_suite_gives_the_same_verdicts_and_findings_in_memory_and_live(
    tmp_path: Path, origin: str, over: str
) -> None:
    in_memory = played(suite_of(tmp_path, TEXT + STEPS, advertised=manifest_of, over=over))
    results = ran(suite_of(tmp_path, TEXT + STEPS, target_at(origin, *ALL), advertised=manifest_of))
    assert {name: told(result) for name, result in results.items()} == {
        name: told(result) for name, result in in_memory.items()
    }
    failing = {name for name, result in results.items() if result.status != "pass"}
    wrong = {name for name in CASES if name.endswith("-wrong")}
    assert failing == wrong | {
        *("missing", "schema", "annotated", "budget", "leak", "broken"),
        *("moves", "row[tool=read]", "row[tool=write]"),
    }
    assert {result.over for result in results.values() if result.over} == {"mcp", "http"}


def test_what_one_case_writes_no_other_sees(tmp_path: Path, origin: str) -> None:
    write = f"{WRITE}, expect: {{equals: {{effects: [{{note: c, text: third}}]}}}}"
    target = target_at(origin, *ALL)
    results = [one(tmp_path, write, target) for _ in range(3)]
    assert [result.status for result in results] == ["pass"] * 3


def test_the_target_s_own_data_answers_a_case_without_a_fixture(tmp_path: Path) -> None:
    with served(alone(a="real")) as origin:
        head = HEAD.replace("defaults: {fixture: two}\n", "")
        for provides in ((), ALL):
            target = target_at(origin, *provides)
            result = one(tmp_path, f"{HTTP}, expect: {{equals: {{response.json.text: real}}}}", target, head)
            assert result.status == "pass"
            moved = one(
                tmp_path,
                f"steps: [{{operation: world, advance: 1}}, {{{HTTP}, expect: {{status: 200}}}}]",
                target,
                head,
            )
            assert moved.skip
            assert moved.skip[0] == "capability"


# ── what a target lacks ──────────────────────────────────────────────────────────────────────────

NEEDS: Final = {
    f"{READ}, expect: {{isError: false}}": {"fixtures"},
    f"{READ}, settings: {{}}, expect: {{isError: false}}": {"fixtures"},
    f"{HTTP}, expect: {{status: 200}}": {"fixtures"},
    f"{READ}, expect: {{noSourceReads: true}}": {"fixtures", "source-log"},
    f"{READ}, expect: {{unchanged: true}}": {"fixtures", "source-log"},
    f"{READ}, expect: {{budget: {{sourceCalls: 9}}}}": {"fixtures", "source-log"},
    f"{READ}, expect: {{present: [sources.notes]}}": {"fixtures", "source-log"},
    f"{READ}, expect: {{equals: {{$.effects.length: 0}}}}": {"fixtures", "source-log"},
    f"{READ}, expect: {{equals: [{{path: effects, value: []}}]}}": {"fixtures", "source-log"},
    f"steps: [{{{READ}, capture: {{seen: sources.notes.calls}}, expect: {{isError: false}}}}]": {
        "fixtures",
        "source-log",
    },
    f"steps: [{{operation: world, advance: 1}}, {{{READ}, expect: {{isError: false}}}}]": {
        "fixtures",
        "clock",
    },
    f"steps: [{{operation: world, patch: {{}}}}, {{{READ}, expect: {{isError: false}}}}]": {"fixtures"},
    f"{READ}, expect: {{repeatable: 1}}": {"fixtures"},
    f"{READ}, requires: [clock], expect: {{isError: false}}": {"fixtures", "clock"},
    f"{READ}, requires: [mail], expect: {{isError: false}}": {"fixtures", "mail"},
    f"{READ}, over: direct, expect: {{isError: false}}": {"direct"},
    f"{READ}, over: cli, expect: {{isError: false}}": {"cli"},
    f"{READ}, expect: {{parity: {{over: [direct]}}}}": {"direct"},
    "operation: cli, argv: [x], expect: {exitCode: 0}": {"cli"},
}


@pytest.mark.parametrize("words", NEEDS)
def test_what_a_case_needs_is_read_from_it(words: str, tmp_path: Path, origin: str) -> None:
    needs = NEEDS[words]
    for lacking in needs:
        result = one(tmp_path, words, target_at(origin, *({*ALL, "mail"} - {lacking})))
        assert result.skip is not None, f"{words} was run without {lacking}"
        assert result.skip[0] == "capability"
        assert f"`{lacking}`" in result.skip[1]
    if not needs & {"direct", "cli"}:
        assert one(tmp_path, words, target_at(origin, *needs)).status != "skip"


def test_a_case_that_lacks_something_sends_nothing(tmp_path: Path) -> None:
    target = target_at(f"http://127.0.0.1:{unused_port()}", "clock", "source-log")
    for words in (f"{READ}, expect: {{isError: false}}", f"{HTTP}, expect: {{status: 200}}"):
        assert one(tmp_path, words, target).status == "skip"


def test_what_a_later_step_wants_of_the_sources_is_seen_when_it_is_known(tmp_path: Path, origin: str) -> None:
    words = (
        f"fixture: {{notes: {{a: sources.notes.calls}}}}, "
        f"steps: [{{id: x, {READ}, capture: {{it: output.text}}, expect: {{isError: false}}}}, "
        f'{{{READ}, expect: {{equals: {{"${{{{ steps.x.it }}}}": 2}}}}}}]'
    )
    result = one(tmp_path, words, target_at(origin, "fixtures", "clock"))
    assert result.skip == ("capability", "the case requires `source-log`, which the target does not offer")
    assert one(tmp_path, words, target_at(origin, *ALL)).status == "pass"


def test_a_second_run_on_a_fresh_world_needs_fixtures(tmp_path: Path) -> None:
    head = HEAD.replace("defaults: {fixture: two}\n", "")
    with served(alone(a="real")) as origin:
        for word in ("repeatable: 1", "parity: {over: [mcp]}"):
            result = one(tmp_path, f"{READ}, expect: {{{word}}}", target_at(origin, "clock"), head)
            assert result.skip == (
                "capability",
                "the case requires `fixtures`, which the target does not offer",
            )


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────


def test_nobody_there_at_the_start_is_a_fault_of_the_run() -> None:
    url = f"http://127.0.0.1:{unused_port()}/mcp"
    with pytest.raises(HarnessError, match=f"the target {url} could not be reached: .*is it running?"):
        live.reach(parse(url))
    with lent() as origin:
        live.reach(parse(f"{origin}/mcp"))


def test_nobody_there_any_more_is_an_error_of_the_case(tmp_path: Path) -> None:
    target = target_at(f"http://127.0.0.1:{unused_port()}", *ALL)
    result = one(tmp_path, f"{READ}, expect: {{isError: false}}", target)
    assert result.error is not None
    assert result.error[0] == "connection-failed"
    assert f"the target was lost at POST {WORLDS}: ConnectionRefusedError" in result.error[1]
    assert result.error[0] in CASE_ERRORS


def test_a_server_that_lends_no_worlds_is_an_error_that_says_what_it_answered(tmp_path: Path) -> None:
    with served(alone()) as origin:
        result = one(tmp_path, f"{READ}, expect: {{isError: false}}", target_at(origin, *ALL))
    assert result.error == (
        "subject-failed",
        f'the target answered 404 to POST {WORLDS}: {{"path": "{WORLDS}"}}',
    )


def test_what_a_contract_raises_while_it_is_built_is_told(tmp_path: Path, origin: str) -> None:
    result = one(tmp_path, f"{READ}, fixture: broken, expect: {{isError: false}}", target_at(origin, *ALL))
    assert result.error is not None
    assert result.error[1].endswith("the contract failed: ValueError: the notebook is broken")


LIES: Final = {
    "no JSON": b"hello",
    "no object": b"[]",
    "no id": b'{"base": "/x", "calls": {}, "effects": []}',
    "an id that is a path": b'{"id": "../x", "base": "/x", "calls": {}, "effects": []}',
    "an id of no letters": b'{"id": "\\u00e9\\u0660", "base": "/x", "calls": {}, "effects": []}',
    "a base with a break": b'{"id": "1", "base": "/x\\n", "calls": {}, "effects": []}',
    "a base elsewhere": b'{"id": "1", "base": "http://example.com", "calls": {}, "effects": []}',
    "no log": b'{"id": "1", "base": "/x"}',
    "no counts": b'{"id": "1", "base": "/x", "calls": {"a": "1"}, "effects": []}',
    "endless counts": b'{"id": "1", "base": "/x", "calls": {"a": 1000000000000}, "effects": []}',
    "negative counts": b'{"id": "1", "base": "/x", "calls": {"a": -1}, "effects": []}',
    "no effects": b'{"id": "1", "base": "/x", "calls": {}, "effects": {}}',
    "no JSON numbers": b'{"id": "1", "base": "/x", "calls": {}, "effects": [NaN]}',
}


@pytest.mark.parametrize("lie", LIES)
def test_a_target_that_lends_nonsense_is_an_error(lie: str) -> None:
    body = LIES[lie]
    head = b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    with answering(head + body) as server:
        target = target_at(f"http://127.0.0.1:{server.port}", *ALL)
        with pytest.raises(CaseError) as problem:
            live.open_live(target)(FakeWorld({}, None, CaseFolder()))
    assert problem.value.code == "subject-failed"


def created(body: bytes, status: str = "201 Created") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def test_a_world_without_a_log_is_given_back() -> None:
    with answering(created(LIES["no log"]), created(b"{}", "200 OK")) as server:
        target = target_at(f"http://127.0.0.1:{server.port}", *ALL)
        with pytest.raises(CaseError, match="no log"):
            live.open_live(target)(FakeWorld({}, None, CaseFolder()))
    assert server.asked == [f"POST {WORLDS}", f"DELETE {WORLDS}/1"]


@pytest.mark.parametrize(
    "later", [b'{"calls": {"a": 1}, "effects": [1]}', b'{"calls": {"a": 2}, "effects": []}', LIES["no log"]]
)
def test_a_log_that_forgets_what_it_told_is_an_error(later: bytes) -> None:
    made = b'{"id": "1", "base": "/x", "calls": {"a": 2}, "effects": [1]}'
    with answering(created(made), created(later, "200 OK")) as server:
        target = target_at(f"http://127.0.0.1:{server.port}", *ALL)
        subject = live.open_live(target)(FakeWorld({}, None, CaseFolder()))
        with pytest.raises(CaseError) as problem:
            subject.catch_up()
    assert problem.value.code == "subject-failed"


@pytest.mark.parametrize("status", ["500 Broken", "501 Cannot"])
def test_a_text_that_is_too_long_to_be_shown_is_not_cut_within_a_secret(tmp_path: Path, status: str) -> None:
    text = "x" * 997 + SECRET
    with answering(created(text.encode(), status)) as server:
        target = target_at(f"http://127.0.0.1:{server.port}", *ALL)
        result = one(tmp_path, f"{READ}, fixture: secret, expect: {{isError: false}}", target)
    told = str((result.error, result.skip))
    assert f"{len(text)} characters" in told
    assert SECRET[:3] not in told


def test_what_is_behind_a_proxy_is_not_knocked_at_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    live.reach(parse("http://nobody.invalid/mcp"))
    with pytest.raises(HarnessError):
        live.reach(parse(f"http://127.0.0.1:{unused_port()}/mcp"))
    monkeypatch.setenv("no_proxy", "nobody.invalid")
    with pytest.raises(HarnessError):
        live.reach(parse("http://nobody.invalid/mcp"))


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", b"nonsense\r\n\r\n"]
)
def test_a_target_that_breaks_off_is_an_error(answer: bytes) -> None:
    with answering(answer) as server:
        target = target_at(f"http://127.0.0.1:{server.port}", *ALL)
        with pytest.raises(CaseError) as problem:
            live.open_live(target)(FakeWorld({}, None, CaseFolder()))
    assert problem.value.code == "connection-failed"


def test_a_target_that_never_answers_is_stopped_by_the_case_s_deadline(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:  # accepts, and says nothing
        target = target_at(f"http://127.0.0.1:{listening.getsockname()[1]}", *ALL)
        result = one(tmp_path, f"{READ}, timeout: 0.2, expect: {{isError: false}}", target)
    assert result.error == ("timeout", "no answer within 0.2 s")


def test_a_world_is_deleted_when_its_case_is_over() -> None:
    with lent(most=64) as origin:
        target = target_at(origin, *ALL)
        subject = live.open_live(target)(FakeWorld({"notes": {}}, None, CaseFolder()))
        assert subject.snapshot is not None
        assert subject.snapshot() == {"notes": {}}
        subject.close()
        with pytest.raises(CaseError, match="answered 404"):
            subject.snapshot()


def test_what_the_contract_behind_cannot_do_is_a_missing_capability() -> None:
    with (
        served(lend(open_without_http, nobody)) as origin,
        pytest.raises(CapabilityMissing, match="no way in"),
    ):
        live.open_live(target_at(origin, *ALL))(FakeWorld({}, None, CaseFolder()))


class answering:  # noqa: N801 - it reads as what it gives
    """A port at which each connection in turn gets its bytes, whatever it asks; `asked` holds what it did.

    What comes after them finds a port that is closed.
    """

    def __init__(self, *answers: bytes) -> None:
        self.asked: list[str] = []
        self._answers = answers

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._thread.join()

    def _serve(self) -> None:
        self._socket.settimeout(5)  # nobody may come where what is tested is broken
        with self._socket, contextlib.suppress(TimeoutError):
            for answer in self._answers:
                connection, _ = self._socket.accept()
                with connection:
                    self.asked.append(connection.recv(1 << 16).partition(b" HTTP")[0].decode())
                    connection.sendall(answer)
