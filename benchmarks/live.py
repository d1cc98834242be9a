"""Times live runs beside bare scripts without any SDK that do the same: over standard streams and HTTP.

Also what an audit takes beyond its server's own time, how memory grows with the cases, and when the next
process starts where each case has its own. Public servers come from the folder that the variable
EVALKIT_BENCH_SERVERS names (it holds `node_modules/.bin`), or from npm, into a folder of their own.
"""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
EVALKIT: Final = str(Path(sys.executable).with_name("evalkit"))
QUICK: Final = "--quick" in sys.argv
ROUNDS: Final = 5 if QUICK else 15
PACKAGE: Final = "@modelcontextprotocol/server-everything"
SERVERS: Final = "EVALKIT_BENCH_SERVERS"
ENVIRONMENT: Final = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
PLAIN: Final = ROOT / "tests" / "vices" / "server.py"
SAID: Final = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}'

BARE_PIPE: Final = """
import json, subprocess, sys
count, command, handshake = int(sys.argv[1]), sys.argv[3:], json.loads(sys.argv[2])
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
def put(message):
    server.stdin.write(json.dumps(message).encode() + b"\\n")
    server.stdin.flush()
def ask(number, method, params):
    put({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    while True:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == number and "method" not in answer:
            return answer["result"]
ask(0, "initialize", handshake)
put({"jsonrpc": "2.0", "method": "notifications/initialized"})
for number in range(1, count + 1):
    result = ask(number, "tools/call", {"name": "echo", "arguments": {"message": f"call {number}"}})
    if result.get("isError"):
        sys.exit("the call failed")
server.stdin.close()
server.wait()
"""
"""A client of a program over standard streams, as little as there can be."""

BARE_POST: Final = """
import http.client, json, sys
count, handshake, port = int(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
connection = http.client.HTTPConnection("127.0.0.1", port)
headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
def post(message):
    connection.request("POST", "/mcp", json.dumps(message), headers)
    response = connection.getresponse()
    return response, response.read()
def ask(number, method, params):
    response, body = post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    if session := response.getheader("mcp-session-id"):
        headers["mcp-session-id"] = session
    for line in body.splitlines():
        if line.startswith(b"data:") and len(line) > 6:
            answer = json.loads(line[5:])
            if answer.get("id") == number and "method" not in answer:
                return answer["result"]
    sys.exit("no answer")
ask(0, "initialize", handshake)
headers["mcp-protocol-version"] = handshake["protocolVersion"]
post({"jsonrpc": "2.0", "method": "notifications/initialized"})
for number in range(1, count + 1):
    result = ask(number, "tools/call", {"name": "echo", "arguments": {"message": f"call {number}"}})
    if result.get("isError"):
        sys.exit("the call failed")
connection.request("DELETE", "/mcp", headers=headers)
connection.getresponse().read()
"""
"""A client over one kept-alive connection, which ends its session as evalkit does."""

STOPWATCH: Final = """
import os, sys
quiet = os.open(os.devnull, os.O_RDWR)
actions = [(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)]
_, status, used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions), 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""
TINY: Final = """
import json, sys
if len(sys.argv) > 1:
    import os, time
    told = open(sys.argv[1], "a", buffering=1)
    told.write(f"{os.getpid()} begun {time.monotonic()}\\n")
for line in sys.stdin:
    asked = json.loads(line)
    method, result = asked["method"], {}
    if "id" not in asked:
        continue
    if method == "server/discover":
        error = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
        continue
    if method == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}}
        result["serverInfo"] = {"name": "tiny", "version": "1"}
    elif method == "tools/call":
        if len(sys.argv) > 1:
            told.write(f"{os.getpid()} called {time.monotonic()}\\n")
            time.sleep(0.1)
        text = asked["params"]["arguments"]["message"]
        result = {"content": [{"type": "text", "text": f"Echo: {text}"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
if len(sys.argv) > 1:
    told.write(f"{os.getpid()} ended {time.monotonic()}\\n")
"""
"""A small server; with a file it notes there when it begins, is called and ends, and takes its time."""


def echoes(file: Path, count: int, target: Any, *, share: bool = True) -> Path:
    """Write a suite of so many calls of `echo`, each a case of its own."""
    case = {
        "id": "echo",
        "title": "What was said comes back",
        "matrix": {"n": {"$repeat": {"value": "${{ index }}", "times": count}}, "max": max(count, 1)},
        "operation": "tool",
        "tool": "echo",
        "args": {"message": "call ${{ matrix.n }}"},
        "expect": {"isError": False},
    }
    suite = {"name": "echoes", "version": 1, "target": {**target, "share": share}, "cases": [case]}
    file.write_text(json.dumps(suite), encoding="utf-8")
    return file


def seconds_of(command: Sequence[str]) -> float:
    """Seconds of one whole process."""
    began = time.perf_counter()
    done = subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=ENVIRONMENT,
        check=False,
    )
    spent = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"{' '.join(command)[:200]}: exit {done.returncode}\n{done.stderr.decode()}")
    return spent


def beside(name: str, ours: Sequence[str], bare: Sequence[str], rounds: int = ROUNDS) -> float:
    """Print one line: ours and the bare script, taken in turn; the median of the ratios of pairs."""
    seconds_of(bare), seconds_of(ours)
    pairs = [(seconds_of(ours), seconds_of(bare)) for _ in range(rounds)]
    ratio = statistics.median(own / other for own, other in pairs)
    own, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"  {name}: bare {other * 1000:.0f} ms, evalkit {own * 1000:.0f} ms, {ratio:.2f}x of it", flush=True
    )
    return ratio


def run(suite: Path) -> list[str]:
    """The command that runs a suite."""
    return [EVALKIT, "run", str(suite), "--format", "json"]


def over_pipes(folder: Path, server: str) -> None:
    """1, 100 and 1,000 calls of a public server over standard streams."""
    for count in (1, 100, 1000):
        suite = echoes(folder / f"pipe-{count}.json", count, {"stdio": {"command": [server]}})
        bare = [sys.executable, "-c", BARE_PIPE, str(count), SAID, server]
        beside(f"{count} calls over standard streams", run(suite), bare)


def over_http(folder: Path, server: str) -> None:
    """1,000 calls of a public server over one kept-alive connection; it runs before and after."""
    with listening(server) as port:
        suite = echoes(folder / "http.json", 1000, {"http": {"url": f"http://127.0.0.1:{port}/mcp"}})
        bare = [sys.executable, "-c", BARE_POST, "1000", SAID, str(port)]
        beside("1000 calls over Streamable HTTP", run(suite), bare)


@contextmanager
def listening(server: str) -> Iterator[int]:
    """The port of a server over HTTP, which is ended afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    quiet = subprocess.DEVNULL
    environment = {**os.environ, "PORT": str(port)}
    process = subprocess.Popen([server, "streamableHttp"], env=environment, stdout=quiet, stderr=quiet)
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def audit(folder: Path) -> None:
    """An audit of a small server, beside as many starts and ends of it, one after the other."""
    noted = folder / "starts"
    server = [sys.executable, str(PLAIN), "virtuous"]
    script = folder / "server.sh"
    script.write_text(f"echo >> {shlex.quote(str(noted))}\nexec {shlex.join(server)}\n", encoding="utf-8")
    ours = [EVALKIT, "audit", f"stdio:/bin/sh {script}", "--format", "json"]
    seconds_of(ours)
    noted.unlink()
    spent = statistics.median(seconds_of(ours) for _ in range(3))
    starts = len(noted.read_bytes()) // 3
    own = statistics.median(
        seconds_of([sys.executable, "-c", BARE_PIPE, "0", SAID, *server]) for _ in range(ROUNDS)
    )
    floor = statistics.median(seconds_of([sys.executable, "-c", "import json, subprocess"]) for _ in range(5))
    alone = starts * (own - floor)
    told = f"{spent:.2f} s; it starts the server {starts} times, which alone takes {alone:.2f} s"
    print(f"  audit of a small server: {told}: {spent - alone:.2f} s beyond, with what is waited for")


def memory(folder: Path) -> None:
    """What 10,000 and 100,000 cases with a call each take at most: the largest of our processes."""
    script = folder / "tiny.py"
    script.write_text(TINY, encoding="utf-8")
    command = {"stdio": {"command": [sys.executable, str(script)]}}
    small, large = (1_000, 10_000) if QUICK else (10_000, 100_000)
    peaks = [peak_of(run(echoes(folder / f"many-{count}.json", count, command))) for count in (small, large)]
    each = (peaks[1] - peaks[0]) / (large - small)
    told = f"{peaks[0] >> 20} MB for {small} cases, {peaks[1] >> 20} MB for {large}"
    print(f"  peak memory of the largest process: {told}: {each:.0f} bytes a case", flush=True)


def peak_of(command: Sequence[str]) -> int:
    """Bytes of memory that a process or one of its children had at most; a small process starts it."""
    words = [sys.executable, "-I", "-S", "-c", STOPWATCH, *command]
    told = subprocess.run(words, stdout=subprocess.PIPE, env=ENVIRONMENT, cwd=ROOT, check=True).stdout.split()
    if told[0] != b"0":
        raise SystemExit(f"{' '.join(command)}: exit {told[0].decode()}")
    return int(told[1]) * 1024


def ahead(folder: Path) -> None:
    """Where each case has a process of its own: how many are up before the case before them is over."""
    script, noted = folder / "tiny.py", folder / "told"
    script.write_text(TINY, encoding="utf-8")
    command = {"stdio": {"command": [sys.executable, str(script), str(noted)]}}
    spent = seconds_of(run(echoes(folder / "fresh.json", 10, command, share=False)))
    moments: dict[str, dict[str, float]] = {}
    for line in noted.read_text(encoding="utf-8").splitlines():
        process, what, when = line.split()
        moments.setdefault(process, {})[what] = float(when)
    called = sorted((one for one in moments.values() if "called" in one), key=lambda one: one["called"])
    early = sum(
        after["begun"] < before.get("ended", after["begun"]) for before, after in itertools.pairwise(called)
    )
    told = f"{early} of {len(called) - 1} were up before the case before them was over"
    print(f"  10 cases with a process of their own, each 0.1 s: {spent:.2f} s; {told}", flush=True)


def server_folder(folder: Path) -> Path | str:
    """The folder of the public servers' programs, or why there is none."""
    named = os.environ.get(SERVERS)
    if named:
        found = Path(named, "node_modules", ".bin")
        return found if found.is_dir() else f"{SERVERS} names a folder without node_modules/.bin"
    npm = shutil.which("npm")
    if npm is None:
        return f"npm is missing, and {SERVERS} names no folder"
    words = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        return f"npm could not install {PACKAGE}: {done.stderr.decode(errors='replace')[-200:]}"
    return folder / "node_modules" / ".bin"


def main() -> None:
    """Print what was measured."""
    print("live runs, whole processes taken in turn with bare scripts", flush=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        programs = server_folder(folder)
        if isinstance(programs, Path):
            server = str(programs / "mcp-server-everything")
            over_pipes(folder, server)
            over_http(folder, server)
        else:
            print(f"  (public servers: left out, {programs})", flush=True)
        audit(folder)
        ahead(folder)
        memory(folder)


if __name__ == "__main__":
    main()
