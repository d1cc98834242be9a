"""Serves a tiny ledger on a Unix socket, as a process of its own whose contexts hang: `python -m … PATH`."""

from __future__ import annotations

import sys
import threading
from typing import NoReturn

from evalkit.contracts.scriba.localapi.nouns import CannotListen, Limits
from evalkit.contracts.scriba.localapi.server import serve
from tests.contracts.scriba.localapi.tiny_ledger import TinyLedger


class Hanging(TinyLedger):
    """Its contexts never come."""

    def context(self, profile: str | None) -> NoReturn:
        while True:
            threading.Event().wait()


if __name__ == "__main__":
    try:
        serve(
            Hanging("p1", "p2"),
            sys.argv[1],
            limits=Limits(read_seconds=0.1),
            ready=lambda: print("ready", flush=True),
        )
    except CannotListen as refusal:
        sys.exit(f"refused: {type(refusal).__name__}")
