"""Drives a surface that speaks MCP over Streamable HTTP or standard streams, in both eras, on the raw wire.

`rpc` sends its message as it is and without any handshake, with the `content-type` and `accept` of a client
unless its `headers` say these names; a header that is said as `""` is sent empty. `http` leaves one out.
Every other operation begins a session first, as the surface's `era` says, and closes it at the end.
`notifications` holds every message that came beside the answer, whole: notifications and requests.
Over standard streams there is no `response`, no headers can be said, and what is no message is noise.
With `session: true` a message is sent within the session, with its headers, or `_meta` where there are none.
`session` begins a session of its own and ends it; of a program that was started `process` tells the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from evalkit.drivers._answers import read_json, strict_json, told_of
from evalkit.drivers._conversation import Conversation
from evalkit.drivers._exchange import Headers
from evalkit.drivers._keeping import keeping
from evalkit.drivers._listing import NO_PAGE, NOTHING, read_tools
from evalkit.errors import CaseError
from evalkit.model import Call, Json, Observation, Session
from evalkit.plugins import Rest
from evalkit.surfaces import Command, McpSurface
from evalkit.values import ABSENT, quick_json

Roots = dict[str, Json]

SESSION: Final = "session"
_NO_HEADERS: Final[Headers] = ()
PATIENCE: Final = (2.0, 2.0)
"""Seconds that a program has to be gone, in `session`, once its input is closed, and again after SIGTERM."""


def open(surface: object) -> Session:  # noqa: A001  every driver opens
    """Open an McpSurface."""
    return _McpSession(cast("McpSurface", surface))


class _McpSession:
    def __init__(self, surface: McpSurface) -> None:
        self._surface, self._talk = surface, Conversation(surface)

    def send(self, call: Call) -> Observation:
        """Ask what the operation asks. Raises CaseError where the answer is none that can be judged."""
        if call.operation == SESSION:
            return _begun_and_ended(self._surface, call.words)
        talk = self._talk
        talk.begin_step(call.words)
        with keeping(talk.take_raw):
            roots = _ASKS[call.operation](talk, call, self._surface.manifest)
        return _observed(talk, roots)

    def rest(self) -> Rest:
        """What came since the last answer, and whether another case can go on from here."""
        talk = self._talk
        fit, ended = talk.rest()
        return Rest(_late(talk), fit, ended)

    def lost(self) -> str:
        """How the server ended since then; empty where it did not."""
        return self._talk.lost()

    def close(self) -> Observation | None:
        """End the session; what came since the last answer, if anything did."""
        self._talk.close()
        return _late(self._talk)


def _late(talk: Conversation) -> Observation | None:
    raw, noise = talk.take_raw(), talk.heard.take_noise()
    return Observation({}, raw, noise) if raw or noise else None


def _observed(talk: Conversation, roots: Roots) -> Observation:
    heard = talk.heard
    return Observation({**roots, "notifications": heard.messages}, talk.take_raw(), heard.take_noise())


def _begun_and_ended(surface: McpSurface, words: Mapping[str, Json]) -> Observation:
    """A session of its own, in which nothing is asked; the server has time to end by itself."""
    if isinstance(surface.via, Command):
        surface = surface._replace(via=surface.via._replace(patience=PATIENCE))
    talk = Conversation(surface)
    try:
        talk.begin_step(words)
        with keeping(talk.take_raw):
            roots: Roots = {"manifest": talk.described()}
    finally:
        talk.close()
    process = talk.process()
    return _observed(talk, {**roots, "process": process} if process else roots)


def _rpc(talk: Conversation, call: Call, _manifest: str | None) -> Roots:
    message, within = call.words["message"], _NO_HEADERS
    roots: Roots = {}
    sent = strict_json(_bytes_of(message)) if isinstance(message, str) else message
    if call.words.get("session"):
        joined, within = talk.joined(sent)
        message = message if isinstance(message, str) else joined
        roots["manifest"] = talk.told()  # the rules of a revision ask which one was agreed
    wanted = sent.get("id", ABSENT) if isinstance(sent, dict) else ABSENT
    answer = talk.send(_bytes_of(message), wanted, within)
    roots |= {} if answer.message is ABSENT else {"rpc": answer.message}
    if answer.status:
        roots["response"], _ = told_of(answer.status, answer.headers, answer.body)
    return roots


def _bytes_of(message: Json) -> bytes:
    return message.encode(errors="surrogatepass") if isinstance(message, str) else quick_json(message)


def _tool(talk: Conversation, call: Call, manifest: str | None) -> Roots:
    words = call.words
    given = {"arguments": words["args"]} if "args" in words else {}
    message = talk.call("tools/call", {"name": words["tool"], **given})
    roots: Roots = {}
    if call.listing != "none":
        kept = talk.still_listed() if call.listing == "kept" else None
        roots["manifest"] = kept or _with_fault(*_document(talk, manifest))
    if "error" in message:
        roots["rpc"] = message
    if "result" in message:
        roots["toolResult"] = result = message["result"]
        if isinstance(result, dict) and "structuredContent" in result:
            roots["output"] = result["structuredContent"]
    return roots


def _read_manifest(talk: Conversation, call: Call, manifest: str | None) -> Roots:
    partial = call.words.get("partial", False)
    document, fault = _document(talk, manifest, NO_PAGE | NOTHING if partial else NO_PAGE)
    if fault and not partial:
        count = len(document.get("tools", ()))
        raise CaseError("protocol", f"the manifest is not whole: {fault} ({count} tools were read)")
    return {"manifest": _with_fault(document, fault)}


def _resource(talk: Conversation, call: Call, _manifest: str | None) -> Roots:
    return _answered(talk.call("resources/read", {"uri": call.words["uri"]}))


def _prompt(talk: Conversation, call: Call, _manifest: str | None) -> Roots:
    words = call.words
    given = {"arguments": words["args"]} if "args" in words else {}
    return _answered(talk.call("prompts/get", {"name": words["name"], **given}))


def _complete(talk: Conversation, call: Call, _manifest: str | None) -> Roots:
    words = call.words
    return _answered(talk.call("completion/complete", {"ref": words["ref"], "argument": words["argument"]}))


def _answered(message: Json) -> Roots:
    return {"rpc": message} | ({"output": message["result"]} if "result" in message else {})


def _with_fault(document: Roots, fault: str) -> Roots:
    return {**document, "incomplete": fault} if fault else document


def _document(
    talk: Conversation, manifest: str | None, breaks: frozenset[str] = NO_PAGE
) -> tuple[Roots, str]:
    """The manifest, and why it is not whole; empty where it is, and then it is kept.

    It is the contract's own document where the surface names its path, else the listing and the server.
    """
    talk.kept = None
    if manifest is None:
        talk.begin()
        tools, fault = read_tools(talk.ask, breaks)
        whole = {"tools": tools, **talk.described()}
        talk.kept = None if fault else whole
        return whole, fault
    answer = talk.get(manifest)
    try:
        document = read_json(answer.body)
    except ValueError:
        document = ABSENT
    if answer.status != 200 or not isinstance(document, dict):
        talk.keep(answer.body)
        return {}, f"GET {manifest} gave no JSON object, but {answer.in_words()}"
    talk.kept = document
    return document, ""


_ASKS: Final[Mapping[str, Callable[[Conversation, Call, str | None], Roots]]] = {
    "rpc": _rpc,
    "tool": _tool,
    "manifest": _read_manifest,
    "resource": _resource,
    "prompt": _prompt,
    "complete": _complete,
}
OPERATIONS: Final = frozenset((*_ASKS, SESSION))
