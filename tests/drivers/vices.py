"""Programs with exactly one vice each, and a virtuous one: `python vices.py VICE`.

They answer MCP over standard streams as revision 2025-11-25, or run as a command line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

THIS: Final = os.path.abspath(__file__)


def argv(vice: str, *words: str) -> tuple[str, ...]:
    """What runs a vice."""
    return (sys.executable, "-I", "-S", THIS, vice, *words)


def say(message: Any) -> None:
    write(json.dumps(message) + "\n")


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(message: Any) -> Any:
    """The result of a request as a virtuous server gives it."""
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "vices"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        return {"content": [], "structuredContent": {"args": params.get("arguments"), "pid": os.getpid()}}
    return None


def reply(message: Any) -> None:
    """The answer to a request, or none to a notification."""
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return
    head = {"jsonrpc": "2.0", "id": message["id"]}
    result = answer(message)
    say(
        {**head, "error": {"code": -32601, "message": "no"}} if result is None else {**head, "result": result}
    )


def serve(before: Callable[[Any], bool] = lambda message: True) -> None:
    """Answer every line; `before` sees each message, and says whether it is answered at all."""
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON"}})
            continue
        if before(message):
            reply(message)


def calls(act: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """Do something in place of answering a tool call."""

    def before(message: Any) -> bool:
        if message.get("method") != "tools/call":
            return True
        act(message)
        return False

    return before


def rest() -> None:
    """Wait for ever."""
    threading.Event().wait()


def head_of(message: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"]}


def silent(*words: str) -> None:
    """Reads everything and answers nothing."""
    sys.stdin.read()


def banner(*words: str) -> None:
    """Greets on standard output."""
    write("Server ready on stdio\n")
    serve()


def chatty(*words: str) -> None:
    """Logs among its messages: text, JSON that is no message, and an empty line."""

    def chat(message: Any) -> None:
        write('calling\n{"level": "info"}\n[1, 2]\n\n')
        reply(message)

    serve(calls(chat))


def farewell(*words: str) -> None:
    """Says good-bye on standard output when its input ends."""
    serve()
    write("bye\n")


def dies(*words: str) -> None:
    """Ends in the middle of a call, with a last word on standard error."""

    def die(message: Any) -> None:
        sys.stderr.write("first\nthe disk is full\n")
        sys.stderr.flush()
        os._exit(3)

    serve(calls(die))


def strict(*words: str) -> None:
    """Ends where the first message is not `initialize`."""
    first = json.loads(sys.stdin.readline())
    if first["method"] != "initialize":
        sys.exit(1)
    reply(first)
    serve()


def mute(*words: str) -> None:
    """Passes over what it does not know, without a word."""
    known = ("initialize", "ping", "tools/list", "tools/call")
    serve(lambda message: message.get("method") in known)


def hangs(*words: str) -> None:
    """Never answers a call; it holds a named pipe open as long as it lives."""
    holding = open(words[0], "w") if words else None  # noqa: SIM115  as long as it lives
    serve(calls(lambda message: None))
    del holding


def floods(*words: str) -> None:
    """Sends notifications for ever in place of an answer."""

    def flood(message: Any) -> None:
        while True:
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 1000}})

    serve(calls(flood))


def endless(*words: str) -> None:
    """Answers a call with one line that never ends."""

    def go_on(message: Any) -> None:
        while True:
            write("x" * 65536)

    serve(calls(go_on))


def twice(*words: str) -> None:
    """Answers a call twice."""

    def double(message: Any) -> None:
        reply(message)
        reply(message)

    serve(calls(double))


def stranger(*words: str) -> None:
    """Answers a call under another id first."""

    def mistake(message: Any) -> None:
        say({"jsonrpc": "2.0", "id": 777, "result": {"content": []}})
        reply(message)

    serve(calls(mistake))


def hasty(*words: str) -> None:
    """Answers a call before it is asked: together with the listing, under the id that it is told."""

    def before(message: Any) -> bool:
        if message.get("method") != "tools/list":
            return True
        early = {"jsonrpc": "2.0", "id": int(words[0]), "result": {"structuredContent": "too early"}}
        both = ({**head_of(message), "result": answer(message)}, early)
        write("".join(json.dumps(one) + "\n" for one in both))
        return False

    serve(before)


def nan(*words: str) -> None:
    """Answers with what JSON does not know."""
    serve(calls(lambda message: say({**head_of(message), "result": {"a": float("nan")}})))


def garbage(*words: str) -> None:
    """Answers a call with a text."""
    serve(calls(lambda message: write("here it is\n")))


def deaf(*words: str) -> None:
    """Answers nothing, reads nothing, passes over SIGTERM; it holds a named pipe open as long as it lives."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open(words[0], "w"):
        rest()


def asks(*words: str) -> None:
    """Pings, and asks for the roots, before it answers a call with what it got."""
    got: list[Any] = []

    def before(message: Any) -> bool:
        if "method" not in message:
            got.append(message)
            if len(got) == 2:
                say({**head_of(called[0]), "result": {"structuredContent": got}})
            return False
        if message.get("method") != "tools/call":
            return True
        called.append(message)
        say({"jsonrpc": "2.0", "id": "p", "method": "ping"})
        say({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
        return False

    called: list[Any] = []
    serve(before)


def stubborn(*words: str) -> None:
    """Passes over the end of its input, and SIGTERM; it holds a named pipe open as long as it lives."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    holding = open(words[0], "w") if words else None  # noqa: SIM115  as long as it lives
    serve()
    rest()
    del holding


def lingers(*words: str) -> None:
    """Passes over the end of its input; it holds a named pipe open as long as it lives."""
    with open(words[0], "w"):
        serve()
        rest()


def parent(*words: str) -> None:
    """Leaves a child behind, which is as stubborn and holds the same pipes."""
    if not os.fork():
        stubborn(*words)
        os._exit(0)
    serve()


def noisy(*words: str) -> None:
    """Writes a megabyte and a half to standard error with each call."""

    def shout(message: Any) -> None:
        sys.stderr.write("e" * 1_500_000)
        sys.stderr.flush()
        reply(message)

    serve(calls(shout))


def virtuous(*words: str) -> None:
    """Does as it should."""
    serve()


def stateless(*words: str) -> None:
    """Speaks 2026-07-28 and no handshake."""

    def before(message: Any) -> bool:
        if message["method"] == "server/discover":
            say({**head_of(message), "result": {"supportedVersions": ["2026-07-28"], "capabilities": {}}})
        elif message["method"] == "initialize":
            data = {"supported": ["2026-07-28"]}
            say({**head_of(message), "error": {"code": -32022, "message": "no", "data": data}})
        elif message["method"] == "tools/call":
            say({**head_of(message), "result": {"structuredContent": message["params"]["_meta"]}})
        else:
            return True
        return False

    serve(before)


def obeys(*words: str) -> None:
    """Does what a call's `do` says, and notes each message with its process in a file."""

    def before(message: Any) -> bool:
        with open(words[0], "a") as file:
            file.write(json.dumps([os.getpid(), message.get("method"), message.get("params")]) + "\n")
        do = (message.get("params") or {}).get("arguments", {}).get("do")
        if do == "hang":
            return False
        if do == "die":
            die(message)
        if do == "last":
            reply(message)
            die(message)
        if do == "change":
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        if do == "chat":
            reply(message)
            write("and another thing\n")
            return False
        return True

    def die(message: Any) -> None:
        sys.stderr.write("the disk is full\n")
        sys.stderr.flush()
        os._exit(3)

    serve(before)


def eager(*words: str) -> None:
    """Answers the request behind the handshake before it is asked, together with the handshake."""

    def before(message: Any) -> bool:
        if message.get("method") != "initialize":
            return True
        early = {"jsonrpc": "2.0", "id": message["id"] + 1, "result": {"structuredContent": "too early"}}
        both = ({**head_of(message), "result": answer(message)}, early)
        write("".join(json.dumps(one) + "\n" for one in both))
        return False

    serve(before)


def immense(*words: str) -> None:
    """Answers a call with 500 MB on one line."""

    def pour(message: Any) -> None:
        for _ in range(500):
            write("x" * 1_000_000)
        write("\n")
        reply(message)

    serve(calls(pour))


def halfway(*words: str) -> None:
    """Writes half of its answer to a call, closes its standard output, and stays."""

    def stop(message: Any) -> None:
        write(json.dumps({**head_of(message), "result": answer(message)})[:30])
        os.close(1)

    serve(calls(stop))


def mangled(*words: str) -> None:
    """Answers a call with bytes that are no UTF-8."""

    def mangle(message: Any) -> None:
        text = json.dumps({**head_of(message), "result": {"content": [{"type": "text", "text": "@"}]}})
        os.write(1, text.encode().replace(b"@", b"caf\xe9") + b"\n")

    serve(calls(mangle))


def daemon(*words: str) -> None:
    """Leaves a daemon behind: in a session of its own, with no pipe of ours, and deaf to SIGTERM.

    It holds a named pipe open as long as it lives.
    """
    if not os.fork():
        os.setsid()
        if not os.fork():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            with open(words[0], "w"):
                rest()
        os._exit(0)
    os.wait()
    serve()


def unfit(*words: str) -> None:
    """Ends before it answers anything, with a secret of its environment on standard error."""
    sys.stderr.write("no licence for " + os.environ.get("TOKEN", "nobody"))
    sys.exit(7)


def breaks(*words: str) -> None:
    """Lists one page of its tools, and ends at the second."""

    def before(message: Any) -> bool:
        if message.get("method") != "tools/list":
            return True
        if "cursor" in message.get("params", {}):
            sys.exit(5)
        say({**head_of(message), "result": {**answer(message), "nextCursor": "2"}})
        return False

    serve(before)


def shows(*words: str) -> None:
    """As a command line: what it was given."""
    told = {"argv": words, "stdin": sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd()}
    told["ignored"] = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    told["blocked"] = [int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, [])]
    write(json.dumps(told))
    sys.stderr.write("on the side\n")
    sys.exit(4)


def killed(*words: str) -> None:
    """As a command line: ended by a signal."""
    write("half")
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
