"""How long a YAML suite takes to read and to load, beside PyYAML's own pass over its events."""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from yaml.cyaml import CParser  # type: ignore[attr-defined]

from evalkit.loader import Options, load
from evalkit.text import read_document


def main() -> None:
    """Print medians: seconds of the event pass, and the others as multiples of it."""
    gc.disable()
    file = Path(sys.argv[1])
    text = file.read_text(encoding="utf-8")

    def events() -> None:
        parser = CParser(text)
        while parser.check_event():
            parser.get_event()

    def read() -> None:
        read_document(file, "suite.yaml")

    def whole() -> None:
        load(file, lambda path: path.name, Options(fallback_contract="agent-context"))

    rounds = [(timed(events), timed(read), timed(whole)) for _ in range(5)]
    told = {
        "events": statistics.median(one[0] for one in rounds),
        "text": statistics.median(one[1] / one[0] for one in rounds),
        "load": statistics.median(one[2] / one[0] for one in rounds),
    }
    print(json.dumps(told))


def timed(act: Callable[[], None]) -> float:
    """Seconds of one call; what it leaves is collected outside of the time."""
    started = time.perf_counter()
    act()
    seconds = time.perf_counter() - started
    gc.collect()
    return seconds


if __name__ == "__main__":
    main()
