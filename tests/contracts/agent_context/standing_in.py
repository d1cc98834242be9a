"""The program of agent-context around a small app and a small store, for tests of everything around those.

python -m tests.contracts.agent_context.standing_in --port 0
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evalkit.contracts.agent_context import main
from evalkit.contracts.agent_context.main import Parts
from evalkit.contracts.agent_context.store.failures import StoreNotEmpty, StoreUnusable

Json = Any


class TextStore:
    """A file that tells what was done to it."""

    def __init__(self, path: Path) -> None:
        if path.exists() and path.read_text(encoding="utf-8") == "corrupt":
            raise StoreUnusable(f"{path} is no data file")
        self.path = path
        with path.open("a", encoding="utf-8") as file:
            file.write("opened ")

    def fill(self) -> None:
        if os.environ.get("SIGNAL_AT_START"):
            signal.raise_signal(signal.SIGTERM)
        if "filled" in self.path.read_text(encoding="utf-8"):
            raise StoreNotEmpty("there is something already")
        self.path.write_text("filled ", encoding="utf-8")

    def close(self) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write("closed ")


def build_app(store: TextStore, settings: Callable[[], Json], *, run: Any, within: Any) -> Any:
    """Answers with what it was asked. `/wait/PATH` reads a pipe first, and `/raise` raises."""

    async def app(scope: Json, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for step in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{step}.complete"})
            return
        path = scope["path"]
        if path == "/raise":
            raise ValueError("a private text")
        if path.startswith("/wait/"):
            read = await run(Path(path.removeprefix("/wait")).read_text)
            await asyncio.sleep(0.5 if read == "take your time" else 0)
        try:
            body = await within(whole_body(receive))
        except TimeoutError:
            await reply(send, 408, "too slow")
            return
        heard = {
            "method": scope["method"],
            "path": path,
            "client": scope["client"][0],
            "headers": {name.decode(): value.decode() for name, value in scope["headers"]},
            "body": body.decode(),
            "settings": settings(),
            "store": str(store.path),
        }
        await reply(send, 404 if path == "/missing" else 200, heard)

    return app


async def whole_body(receive: Any) -> bytes:
    body = b""
    while (message := await receive())["type"] == "http.request":
        body += message["body"]
        if not message["more_body"]:
            break
    return body


async def reply(send: Any, status: int, value: Json) -> None:
    body = json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def hash_password(password: str) -> Json:
    return {"enabled": True, "passwordHash": f"{len(password)} characters", "salt": "salt"}


def shorten(head_seconds: str) -> None:
    from evalkit.contracts.agent_context.server import running  # only a test of slow heads needs it

    running.HEAD_SECONDS = float(head_seconds)  # type: ignore[misc]


if __name__ == "__main__":
    if "HEAD_SECONDS" in os.environ:
        shorten(os.environ["HEAD_SECONDS"])
    parts = Parts(
        TextStore, TextStore.fill, hash_password, build_app, float(os.environ.get("BODY_SECONDS", "30"))
    )
    code = main.main(parts=lambda: parts)
    sys.stderr.flush()
    os._exit(code)  # as evalkit does: a thread that hangs must not keep the process
