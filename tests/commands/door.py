"""evalkit as a user starts it: real processes, real files, and the suites and contracts that they read."""

from __future__ import annotations

import faulthandler
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple

from jsonschema import Draft202012Validator

from evalkit import cli, expectations, reporters
from evalkit.report import schema_text

Json = Any

ROOT = Path(__file__).parents[2]
VALIDATOR = Draft202012Validator(json.loads(schema_text()))
EVALKIT = (sys.executable, "-m", "evalkit")

EXIT_NAMES = {0: "passed", 1: "threshold-exceeded", 3: "harness", 4: "incomplete", 5: "nothing-ran"}


class Ran(NamedTuple):
    """How a process ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Json:
        """The one JSON document on standard output, held against the schema of reports."""
        document = json.loads(self.out)
        VALIDATOR.validate(document)
        assert document["passed"] is (self.code == 0)
        if "exit" in document:
            assert document["exit"]["code"] == self.code
        return document

    @property
    def statuses(self) -> Mapping[str, str]:
        """Each case's status, by id, in the report's order."""
        return {case["id"]: case["status"] for case in self.report["cases"]}


def evalkit(folder: Path, *words: str, **environment: str) -> Ran:
    """A new interpreter, as a user starts it."""
    with files() as (out, err):
        process = start(folder, *words, out=out, err=err, **environment)
        return ended(process, out, err)


def start(
    folder: Path, *words: str, out: int | IO[bytes], err: int | IO[bytes], **environment: str
) -> subprocess.Popen[bytes]:
    """Start it, in a process group of its own, and do not wait."""
    return subprocess.Popen(
        [*EVALKIT, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        process_group=0,
        bufsize=0,
    )


def ended(process: subprocess.Popen[bytes], out: IO[bytes], err: IO[bytes]) -> Ran:
    """Wait for it, and read what it wrote."""
    code = process.wait(timeout=60)
    out.seek(0)
    err.seek(0)
    return Ran(code, out.read().decode(), err.read().decode())


class files:  # noqa: N801 - it reads as what it gives
    """Two files for standard output and standard error: unlike pipes they never fill."""

    def __enter__(self) -> tuple[IO[bytes], IO[bytes]]:
        self._both = (tempfile.TemporaryFile(), tempfile.TemporaryFile())
        return self._both

    def __exit__(self, *problem: object) -> None:
        for file in self._both:
            file.close()


def forked(folder: Path, *words: str) -> Ran:
    """The same in a copy of this process, which has evalkit imported already: for tests that are many."""
    if not hasattr(os, "fork"):
        return evalkit(folder, *words)
    _import_what_is_asked_for_late()
    with files() as (out, err):
        pid = os.fork()
        if not pid:
            _be_evalkit(folder, list(words), out.fileno(), err.fileno())
        _, status = os.waitpid(pid, 0)
        out.seek(0)
        err.seek(0)
        return Ran(os.waitstatus_to_exitcode(status), out.read().decode(), err.read().decode())


def _import_what_is_asked_for_late() -> None:
    """Once, so that no copy of this process has to."""
    late = ("commands.run", "commands.check", "text.yaml_text", "schemas._fast", "contracts.echo")
    for name in late:
        import_module(f"evalkit.{name}")
    for word in ("equals", "isError"):
        expectations.find(word)
    for name in ("json", "text"):
        reporters.find(name)


def _be_evalkit(folder: Path, words: list[str], out: int, err: int) -> None:
    code: object = 70
    faulthandler.disable()  # which pytest turns on
    try:
        os.chdir(folder)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(number, "w"), "utf-8") for number in (1, 2))
        code = cli.main(words)
    except SystemExit as leaving:
        code = leaving.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 70)


def case(name: str, tool: str = "good", **words: Json) -> Json:
    """A case that calls a tool of `subjects.py` and passes where the tool is good."""
    asked = {"operation": "tool", "tool": tool, "expect": {"equals": {"output.said": "hello"}}}
    return {"id": name, "title": f"The promise of {name}", **asked, **words}


def suite(*cases: Json, **words: Json) -> str:
    """A suite of `subjects.py` as JSON text, which is YAML too."""
    head = {"name": "strange", "version": 1, "contract": "python:subjects:open_subject"}
    return json.dumps({**head, "defaults": {"fixture": {}}, "cases": list(cases), **words}, indent=1)


def echo(*cases: Json, **words: Json) -> str:
    """A suite of the shipped contract `echo`."""
    return suite(*cases, **{"contract": "echo", **words})


def said(name: str, text: str = "hello", **words: Json) -> Json:
    """A case of `echo` that passes where the text is `hello`."""
    return case(name, "echo", **{"args": {"text": text}, **words})


SUBJECTS = """
import ctypes, os, signal, sys, time
from evalkit.model import Subject

LIBC = ctypes.CDLL(None)


class Strange:
    def __init__(self, world):
        self.world = world

    def manifest(self):
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("good", "bad")]}

    def call_tool(self, name, args):
        return getattr(self, name)()

    def good(self):
        return {"structuredContent": {"said": "hello"}, "content": []}

    def bad(self):
        return {"structuredContent": {"said": "goodbye"}, "content": []}

    def raises(self):
        raise RuntimeError("not today")

    def swallows(self):
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

    def sleeps(self):
        sys.stderr.write("asleep\\n")
        sys.stderr.flush()
        time.sleep(60)

    def stops_in_c(self):
        LIBC.pause()

    def gives_a_set(self):
        return {"structuredContent": {"said": {1, 2}}, "content": []}

    def gives_nan(self):
        return {"structuredContent": {"said": float("nan")}, "content": []}

    def prints(self):
        print("noise")
        return self.good()

    def writes(self):
        os.write(1, b"noise\\n")
        return self.good()

    def writes_in_c(self):
        LIBC.puts(b"noise")
        return self.good()

    def closes_output(self):
        os.close(1)
        return self.good()

    def leaves(self):
        sys.exit(0)

    def ends_its_process(self):
        os._exit(0)

    def crashes(self):
        ctypes.string_at(0)

    def kills_itself(self):
        os.kill(os.getpid(), signal.SIGKILL)


def open_subject(world):
    return Subject({"direct": Strange(world)})
"""


def with_subjects(folder: Path) -> Path:
    """The folder, with the contract that `case` and `suite` speak of."""
    (folder / "subjects.py").write_text(SUBJECTS, encoding="utf-8")
    return folder
