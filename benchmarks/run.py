"""Times whole commands against a bare interpreter and a bare loop, in one run, and prints a table of ratios.

Quote the ratios: seconds belong to a machine and an hour. `--quick` takes 3 runs in place of 9.
"""

from __future__ import annotations

import copy
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "../shared/corpus/portos-agent-context-eval.v3.json"
EVALKIT = [str(Path(sys.executable).with_name("evalkit"))]
GATE = [*EVALKIT, "eval:agent-context", "--fixture"]
STOPWATCH = """
import os, sys, time
quiet = os.open(os.devnull, os.O_RDWR)
actions = [(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)]
started = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions)
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - started, used.ru_maxrss)
"""
RUNS = 3 if "--quick" in sys.argv else 9


@dataclass(frozen=True)
class Measured:
    """The median of whole processes, beside that of `python -c pass` taken in turn with them."""

    seconds: float
    times_pass: float
    megabytes: int


def measure(command: Sequence[str], runs: int = RUNS) -> Measured:
    """Run the command and the bare interpreter in turn, after one run that is not counted."""
    once(command)
    pairs = [(once(command), once([sys.executable, "-c", "pass"])) for _ in range(runs)]
    seconds = statistics.median(ours[0] for ours, _ in pairs)
    ratio = statistics.median(ours[0] / bare[0] for ours, bare in pairs)
    return Measured(seconds, ratio, max(ours[1] for ours, _ in pairs) // 1024)


def once(command: Sequence[str]) -> tuple[float, int]:
    """Seconds of one whole process, and the peak memory in KiB of it or its largest child.

    A small process starts it, for a child counts what its parent held when it was started.
    """
    words = [sys.executable, "-I", "-S", "-c", STOPWATCH, *command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    told = subprocess.run(words, stdout=subprocess.PIPE, cwd=ROOT, env=environment, check=True).stdout.split()
    if told[0] != b"0":
        raise SystemExit(f"{' '.join(command)}: exit {told[0].decode()}")
    return float(told[1]), int(told[2])


def many_cases(count: int) -> dict[str, Any]:
    """The corpus file with so many cases: its own, over and over, each with a new id."""
    suite: dict[str, Any] = json.loads(CORPUS.read_text(encoding="utf-8"))
    own = suite["cases"]
    cases = [copy.deepcopy(own[index % len(own)]) for index in range(count)]
    for index, case in enumerate(cases):
        case["id"] = f"{case['id']}-{index}"
    return {**suite, "cases": cases}


def searches(count: int, rows: int) -> dict[str, Any]:
    """So many searches, each over so many workspaces and brain records."""
    fixture = {
        "workspaces": [{"appId": f"app-{at}", "appName": f"App {at}", "taskCount": at} for at in range(rows)],
        "brain": {
            "ideas": [
                {"id": str(at), "title": f"Idea {at}", "description": "water the trees"} for at in range(rows)
            ]
        },
    }
    settings = {"agentContext": {"enabled": True, "profile": "summary", "scopes": ["workspaces", "brain"]}}
    case = {
        "title": "A search",
        "fixture": "rows",
        "settings": settings,
        "operation": "tool",
        "tool": "search_context",
        "expect": {"isError": False},
    }
    cases = [{"id": f"search-{at}", **case, "args": {"query": f"idea {at % 7}"}} for at in range(count)]
    return {"name": "searches", "version": 1, "fixtures": {"rows": fixture}, "cases": cases}


def row(name: str, ours: Measured, floor: Measured | None = None) -> None:
    """One line of the table."""
    beside = f"{ours.seconds / floor.seconds:9.2f}x" if floor else " " * 10
    print(
        f"{name:<44}{ours.seconds * 1000:9.0f} ms{ours.times_pass:8.1f}x{beside}{ours.megabytes:6d} MB",
        flush=True,
    )


def start_up() -> None:
    """What every command costs before it does anything."""
    row("python -c pass", measure([sys.executable, "-c", "pass"]))
    row("evalkit --help", measure([*EVALKIT, "--help"]))
    row("evalkit check (shipped suite)", measure([*EVALKIT, "check", "agent-context"]))
    direct = measure([*EVALKIT, "eval:agent-context"])
    row("evalkit eval:agent-context", direct)
    row(
        "evalkit eval:agent-context --over mcp",
        measure([*EVALKIT, "eval:agent-context", "--over", "mcp"]),
        direct,
    )


def cases_by_number(folder: Path) -> None:
    """1,000 and 10,000 cases from JSON and YAML, beside the same calls in a bare loop."""
    if not CORPUS.exists():
        print("(1,000 and 10,000 cases: left out, the corpus file is not here)")
        return
    for count in (1000, 10_000):
        suite = many_cases(count)
        as_json, as_yaml = folder / f"{count}.json", folder / f"{count}.yaml"
        as_json.write_text(json.dumps(suite, indent=2), encoding="utf-8")
        as_yaml.write_text(yaml.dump(suite, Dumper=NoAliases, sort_keys=False), encoding="utf-8")
        runs = RUNS if count == 1000 else max(RUNS // 3, 3)
        floor = measure([sys.executable, str(ROOT / "benchmarks/floor.py"), str(as_json)], runs)
        row(f"floor: {count} cases, a bare loop", floor)
        row(f"evalkit: {count} cases from JSON", measure([*GATE, str(as_json)], runs), floor)
        row(
            f"evalkit: {count} cases from JSON, --jobs 2",
            measure([*GATE, str(as_json), "--jobs", "2"], runs),
            floor,
        )
        row(f"evalkit: {count} cases from YAML", measure([*GATE, str(as_yaml)], runs), floor)
        yaml_loading(as_yaml, count)


def yaml_loading(file: Path, count: int) -> None:
    """Reading and checking a YAML file, beside PyYAML's own pass over its events (in one process each)."""
    script = str(ROOT / "benchmarks/loading.py")
    told = json.loads(
        subprocess.run([sys.executable, script, str(file)], capture_output=True, check=True).stdout
    )
    size = file.stat().st_size / 1e6
    print(f"  YAML {count} cases, {size:.1f} MB: event pass {told['events'] * 1000:.0f} ms; ", end="")
    print(f"to data with places {told['text']:.2f}x; the whole load, checked, {told['load']:.2f}x of it")


def many_searches(folder: Path) -> None:
    """1,000 searches over 1,000 and 1,000 rows, and over half as many rows: time grows with the rows."""
    for rows in (500, 1000):
        file = folder / f"searches-{rows}.json"
        file.write_text(json.dumps(searches(1000, rows)), encoding="utf-8")
        floor = measure([sys.executable, str(ROOT / "benchmarks/floor.py"), str(file)], 3)
        row(f"floor: 1000 searches over 2 x {rows} rows", floor)
        row(f"evalkit: 1000 searches over 2 x {rows} rows", measure([*GATE, str(file)], 3), floor)


class NoAliases(yaml.CSafeDumper):
    """Writes every value out, as a person would."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never point to an earlier value."""
        return True


def main() -> None:
    """Print the table."""
    print(f"{'whole process, median':<44}{'time':>12}{'of pass':>9}{'of floor':>10}{'peak':>9}")
    start_up()
    subprocess.run([sys.executable, str(ROOT / "benchmarks/calls.py")], check=True)
    subprocess.run([sys.executable, str(ROOT / "benchmarks/scriba.py"), *sys.argv[1:]], check=True)
    subprocess.run([sys.executable, str(ROOT / "benchmarks/live.py"), *sys.argv[1:]], check=True)
    with tempfile.TemporaryDirectory() as folder:
        cases_by_number(Path(folder))
        many_searches(Path(folder))


if __name__ == "__main__":
    main()
