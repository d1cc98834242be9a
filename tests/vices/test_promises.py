"""What a contract decides, a suite of three lines finds; the twin in order passes the same suite."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from tests.commands.door import Ran, forked
from tests.vices.promises import PROMISES

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]
REFUSAL: Final = b'{"ok": false, "error": "the upstream is down"}'
EVENT: Final = b"id: 1\nevent: message\ndata: {}\n\n"
OVER_HTTP: Final = {
    "a failure has the status of a success": (
        (200, "application/json", REFUSAL),
        (503, "application/json", REFUSAL),
        "operation: http, path: /, expect: {status: 503, subset: {response.json: {ok: false}}}",
        {"status-differs"},
    ),
    "events of a session that is another's are replayed": (
        (200, "text/event-stream", EVENT),
        (404, "application/json", b"{}"),
        "operation: sse, path: /, lastEventId: other-7, until: {within: 1}, expect: {status: 404}",
        {"status-differs"},
    ),
}


def ran(folder: Path, case: str, target: Any) -> Ran:
    words = f"name: promises\nversion: 1\ntarget: {json.dumps(target)}\ncases:\n"
    (folder / "suite.yaml").write_text(f"{words}  - {{id: a, title: It holds, {case}}}\n", encoding="utf-8")
    return forked(folder, "run", "./suite.yaml")


def codes(one: Ran) -> set[str]:
    (case,) = one.report["cases"]
    return {finding["code"] for finding in case["findings"]} | {case.get("errorCode", "")} - {""}


@pytest.mark.parametrize("name", PROMISES)
def test_a_suite_of_three_lines_finds_it_and_its_twin_is_clean(name: str, tmp_path: Path) -> None:
    def target(way: str) -> Any:
        command = [sys.executable, "-m", "tests.vices.server", f"{name}, {way}"]
        return {"stdio": {"command": command, "cwd": str(ROOT)}, "share": True}

    assert codes(ran(tmp_path, PROMISES[name].words, target("wrong"))) == PROMISES[name].found
    right = ran(tmp_path, PROMISES[name].words, target("right"))
    assert (right.code, codes(right)) == (0, set())


@contextmanager
def answering(status: int, kind: str, body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as opened:
        thread = Thread(target=opened.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{opened.server_port}/mcp"
        finally:
            opened.shutdown()
            thread.join()


@pytest.mark.parametrize("name", OVER_HTTP)
def test_a_suite_of_three_lines_finds_it_over_http(name: str, tmp_path: Path) -> None:
    wrong, right, words, found = OVER_HTTP[name]
    with answering(*wrong) as url:
        assert codes(ran(tmp_path, words, url)) == found
    with answering(*right) as url:
        assert ran(tmp_path, words, url).code == 0
