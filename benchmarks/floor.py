"""The least that a harness could do: the same contract calls, the same JSON in and out, in a bare loop."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from evalkit.contracts.agent_context.subject import open_subject
from evalkit.world import CaseFolder, FakeWorld


def main() -> None:
    """Read a suite, call what it asks for, and print what came back in the shape of a report."""
    suite = json.loads(Path(sys.argv[1]).read_bytes())
    entries = []
    for case in suite["cases"]:
        if "skip" in case:
            continue
        world = FakeWorld(suite["fixtures"][case["fixture"]], case["settings"], CaseFolder())
        surface: Any = open_subject(world).surfaces["direct"]
        surface.manifest()
        if case["operation"] == "tool":
            surface.call_tool(case["tool"], case.get("args"))
        entries.append(
            {"id": case["id"], "title": case["title"], "source": case.get("source"), "status": "pass"}
        )
    print(json.dumps({"cases": entries}, indent=2))


if __name__ == "__main__":
    main()
