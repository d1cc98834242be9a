"""Drives a surface that speaks MCP over Streamable HTTP or standard streams, in both eras, on the raw wire.

`rpc` sends its message as it is and without any handshake, with the `content-type` and `accept` of a client
unless its `headers` say these names; a header that is said as `""` is sent empty. `http` leaves one out.
Every other operation begins a session first, as the surface's `era` says, and closes it at the end.
`notifications` holds every message that came beside the answer, whole: notifications and requests.
Over standard streams there is no `response`, no headers can be said, and what is no message is noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from evalkit.drivers._answers import read_json, strict_json, told_of
from evalkit.drivers._conversation import Conversation
from evalkit.drivers._keeping import keeping
from evalkit.drivers._listing import read_tools
from evalkit.errors import CaseError
from evalkit.model import Call, Json, Observation, Session
from evalkit.surfaces import McpSurface
from evalkit.values import ABSENT, quick_json

Roots = dict[str, Json]


def open(surface: object) -> Session:  # noqa: A001  every driver opens
    """Open an McpSurface."""
    return _McpSession(cast("McpSurface", surface))


class _McpSession:
    def __init__(self, surface: McpSurface) -> None:
        self._manifest = surface.manifest
        self._talk = Conversation(surface)

    def send(self, call: Call) -> Observation:
        """Ask what the operation asks. Raises CaseError where the answer is none that can be judged."""
        talk = self._talk
        talk.begin_step(call.words)
        with keeping(talk.take_raw):
            roots = _ASKS[call.operation](talk, call.words, self._manifest)
        roots["notifications"] = talk.heard.messages
        return Observation(roots, talk.take_raw(), talk.heard.take_noise())

    def close(self) -> Observation | None:
        """End the session; what came since the last answer, if anything did."""
        talk = self._talk
        talk.close()
        raw, noise = talk.take_raw(), talk.heard.take_noise()
        return Observation({}, raw, noise) if raw or noise else None


def _rpc(talk: Conversation, words: Mapping[str, Json], _manifest: str | None) -> Roots:
    message = words["message"]
    body = message.encode(errors="surrogatepass") if isinstance(message, str) else quick_json(message)
    sent = strict_json(body) if isinstance(message, str) else message
    wanted = sent.get("id", ABSENT) if isinstance(sent, dict) else ABSENT
    answer = talk.send(body, wanted)
    roots: Roots = {} if answer.message is ABSENT else {"rpc": answer.message}
    if answer.status:
        roots["response"], _ = told_of(answer.status, answer.headers, answer.body)
    return roots


def _tool(talk: Conversation, words: Mapping[str, Json], manifest: str | None) -> Roots:
    given = {"arguments": words["args"]} if "args" in words else {}
    message = talk.call("tools/call", {"name": words["tool"], **given})
    document, fault = _document(talk, manifest)
    roots: Roots = {"manifest": {**document, "incomplete": fault} if fault else document}
    if "error" in message:
        roots["rpc"] = message
    if "result" in message:
        roots["toolResult"] = result = message["result"]
        if isinstance(result, dict) and "structuredContent" in result:
            roots["output"] = result["structuredContent"]
    return roots


def _read_manifest(talk: Conversation, _words: Mapping[str, Json], manifest: str | None) -> Roots:
    document, fault = _document(talk, manifest)
    if fault:
        count = len(document.get("tools", ()))
        raise CaseError("protocol", f"the manifest is not whole: {fault} ({count} tools were read)")
    return {"manifest": document}


def _resource(talk: Conversation, words: Mapping[str, Json], _manifest: str | None) -> Roots:
    return _answered(talk.call("resources/read", {"uri": words["uri"]}))


def _prompt(talk: Conversation, words: Mapping[str, Json], _manifest: str | None) -> Roots:
    given = {"arguments": words["args"]} if "args" in words else {}
    return _answered(talk.call("prompts/get", {"name": words["name"], **given}))


def _complete(talk: Conversation, words: Mapping[str, Json], _manifest: str | None) -> Roots:
    return _answered(talk.call("completion/complete", {"ref": words["ref"], "argument": words["argument"]}))


def _answered(message: Json) -> Roots:
    return {"rpc": message} | ({"output": message["result"]} if "result" in message else {})


def _document(talk: Conversation, manifest: str | None) -> tuple[Roots, str]:
    """The manifest, and why it is not whole; empty where it is.

    It is the contract's own document where the surface names its path, else the listing and the server.
    """
    if manifest is None:
        tools, fault = read_tools(talk.ask)
        return {"tools": tools, **talk.described()}, fault
    answer = talk.get(manifest)
    try:
        document = read_json(answer.body)
    except ValueError:
        document = ABSENT
    if answer.status != 200 or not isinstance(document, dict):
        talk.keep(answer.body)
        return {}, f"GET {manifest} gave no JSON object, but {answer.in_words()}"
    return document, ""


_ASKS: Final[Mapping[str, Callable[[Conversation, Mapping[str, Json], str | None], Roots]]] = {
    "rpc": _rpc,
    "tool": _tool,
    "manifest": _read_manifest,
    "resource": _resource,
    "prompt": _prompt,
    "complete": _complete,
}
OPERATIONS: Final = frozenset(_ASKS)
