"""Twins that speak MCP wrongly: what is agreed on, what a message is, what is answered (spec B.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from evalkit.contracts.agent_context.boundary.envelopes import classify
from evalkit.contracts.agent_context.boundary.negotiation import (
    REVISIONS,
    accepts,
    is_supported_version,
    negotiate_version,
)
from evalkit.contracts.agent_context.boundary.nouns import Envelope
from evalkit.contracts.agent_context.boundary.parameters import PARAMS
from evalkit.contracts.agent_context.exchange import Reply, json_reply
from evalkit.contracts.agent_context.mcp import failure
from evalkit.model import Json
from tests.twins.agent_context.wire import Ask, Asked, Surround, answering, between, telling
from tests.twins.twin import Twin, around, twin_of


def _spoken(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("boundary", name, *promised_by, **change)


def _accepts_also(let_in: Callable[[str], object]) -> Callable[[str], bool]:
    return lambda accept: accepts(accept) or bool(let_in(accept))


def _accepts_but(shut_out: Callable[[str], object]) -> Callable[[str], bool]:
    return lambda accept: accepts(accept) and not shut_out(accept)


def _refused(status: int, text: str) -> Reply:
    return json_reply(failure(-32600, text), status)


def _version_first(asked: Asked) -> Reply | None:
    version = asked.headers.get("mcp-protocol-version", "")
    return None if is_supported_version(version) else _refused(400, "Unsupported MCP-Protocol-Version")


def _message_first(asked: Asked) -> Reply | None:
    return _refused(400, "Invalid JSON-RPC message") if asked.body == b"[]" else None


ACCEPT_TWINS = (
    _spoken("Accept not looked at", "h-accept", "h-accept-q0", "h-order[all]", accepts=lambda accept: True),
    _spoken("no Accept is any", "h-accept[none]", accepts=_accepts_also(lambda accept: not accept)),
    _spoken("a wildcard is enough", "h-accept[any]", accepts=_accepts_also(lambda accept: "*/*" in accept)),
    _spoken("JSON is enough", "h-accept[json-only]", accepts=_accepts_also(lambda accept: "json" in accept)),
    _spoken(
        "an event stream is enough",
        "h-accept[stream-only]",
        accepts=_accepts_also(lambda accept: "event-stream" in accept),
    ),
    _spoken(
        "the order in Accept matters",
        "h-accept-ok[reversed]",
        accepts=_accepts_but(lambda accept: accept.startswith("text")),
    ),
    _spoken(
        "the case of Accept matters",
        "h-accept-ok[upper]",
        accepts=_accepts_but(lambda accept: accept != accept.lower()),
    ),
    _spoken(
        "weights not understood", "h-accept-ok[weighted]", accepts=_accepts_but(lambda accept: ";" in accept)
    ),
    _spoken(
        "a weight of nothing not understood",
        "h-accept-q0",
        accepts=_accepts_also(lambda accept: "application/json" in accept and "text/event-stream" in accept),
    ),
    around(answering(_version_first), "the version judged before Accept", "h-order[all]"),
    around(answering(_message_first), "the message judged before what was agreed on", "h-order"),
)


def _agreed_but(shut_out: str) -> Callable[[str], str]:
    return lambda offered: negotiate_version("" if offered == shut_out else offered)


def _version_but(shut_out: str) -> Callable[[str], bool]:
    return lambda version: is_supported_version(version) and version != shut_out


VERSION_TWINS = (
    _spoken("any version served", "h-proto-hdr", "h-order[two]", is_supported_version=lambda version: True),
    _spoken(
        "a version served that is not spoken",
        "h-proto-hdr[version=2024-11-05]",
        is_supported_version=lambda version: is_supported_version(version) or version == "2024-11-05",
    ),
    _spoken(
        "every earlier version served",
        "h-proto-hdr[version=1900-01-01]",
        is_supported_version=lambda version: version <= REVISIONS[0],
    ),
    _spoken(
        "every later version served",
        "h-proto-hdr[version=9999-01-01]",
        is_supported_version=lambda version: not version or version >= REVISIONS[-1],
    ),
    *(
        _spoken(
            f"the version {revision} not served",
            f"h-proto-hdr-ok[{revision}]",
            is_supported_version=_version_but(revision),
        )
        for revision in REVISIONS
    ),
    _spoken("a version demanded", "h-proto-hdr-ok[empty]", is_supported_version=_version_but("")),
    _spoken(
        "version echoed blindly",
        "j-init[2024-11-05]",
        "j-init[made-up]",
        "j-init[empty]",
        negotiate_version=lambda offered: offered,
    ),
    _spoken(
        "the newest version in any case",
        "j-init[2025-06-18]",
        "j-init[2025-03-26]",
        negotiate_version=lambda offered: REVISIONS[0],
    ),
    *(
        _spoken(
            f"the version {revision} not agreed to",
            f"j-init[{revision}]",
            negotiate_version=_agreed_but(revision),
        )
        for revision in REVISIONS[1:]
    ),
    _spoken(
        "a version agreed to that is not spoken",
        "j-init[2024-11-05]",
        negotiate_version=lambda offered: offered if offered == "2024-11-05" else negotiate_version(offered),
    ),
    _spoken(
        "the oldest version offered to a stranger",
        "j-init[made-up]",
        negotiate_version=lambda offered: offered if offered in REVISIONS else REVISIONS[-1],
    ),
    _spoken(
        "no offer is the oldest version",
        "j-init[empty]",
        negotiate_version=lambda offered: negotiate_version(offered) if offered else REVISIONS[-1],
    ),
)


def _taken(mend: Callable[[Json], Json]) -> Callable[[Json], Envelope | None]:
    """Classifies a message that was first made better than it is."""
    return lambda message: classify(mend(message) if isinstance(message, dict) else message)


def _id_also(let_in: Callable[[Json], object]) -> Callable[[Json], Envelope | None]:
    """Takes more values for an id than are one."""

    def read(message: Json) -> Envelope | None:
        known = classify(message)
        if known or not isinstance(message, dict) or "id" not in message or not let_in(message["id"]):
            return known
        found = classify({**message, "id": 0})
        return found._replace(id=message["id"]) if found else None

    return read


def _id_but(shut_out: Callable[[Json], object]) -> Callable[[Json], Envelope | None]:
    def read(message: Json) -> Envelope | None:
        found = classify(message)
        return None if found and found.kind == "request" and shut_out(found.id) else found

    return read


def _method_also(let_in: Callable[[Json], object]) -> Callable[[Json], Envelope | None]:
    """Takes more values for a method's name than are one."""

    def read(message: Json) -> Envelope | None:
        known = classify(message)
        method = message.get("method", ...) if isinstance(message, dict) else ...
        return known or (classify({**message, "method": "nothing"}) if let_in(method) else None)

    return read


def _first_of_batch(message: Json) -> Envelope | None:
    return classify(message[0] if isinstance(message, list) and message else message)


def _as_text(message: Json) -> Envelope | None:
    found = classify(message)
    return found._replace(id=str(found.id)) if found and found.kind == "request" else found


def _without(*names: str) -> Callable[[Json], Json]:
    return lambda message: {name: value for name, value in message.items() if name not in names}


def _without_null(message: Json) -> Json:
    return {name: value for name, value in message.items() if value is not None or name == "id"}


def _no_response(message: Json) -> Envelope | None:
    found = classify(message)
    return None if found and found.kind == "response" else found


def _bare_id(message: Json) -> Envelope | None:
    is_bare = isinstance(message, dict) and message.keys() == {"jsonrpc", "id"}
    return Envelope("response") if is_bare else classify(message)


def _known_notification(message: Json) -> Envelope | None:
    found = classify(message)
    is_other = found is not None and found.kind == "notification" and found.method in PARAMS
    return None if is_other else found


ENVELOPE_TWINS = (
    _spoken("batch accepted", "j-batch[call]", classify=_first_of_batch),
    _spoken(
        "an empty batch is nothing to do",
        "j-batch[empty]",
        classify=lambda message: Envelope("notification") if message == [] else classify(message),
    ),
    _spoken(
        "any id taken",
        "j-id-kinds-bad",
        classify=_id_also(lambda number: True),
    ),
    _spoken("an id may be null", "j-id-kinds-bad[null]", classify=_id_also(lambda number: number is None)),
    _spoken(
        "true and false are numbers", "j-id-kinds-bad[bool]", classify=_id_also(lambda number: number is True)
    ),
    _spoken(
        "an id may be an object",
        "j-id-kinds-bad[object]",
        classify=_id_also(lambda number: isinstance(number, dict)),
    ),
    _spoken(
        "an id may be endless",
        "j-id-kinds-bad[long]",
        classify=_id_also(lambda number: isinstance(number, str)),
    ),
    _spoken("an id may not be empty", "j-id-kinds-ok[empty]", classify=_id_but(lambda number: number == "")),
    _spoken("an id may not be zero", "j-id-kinds-ok[zero]", classify=_id_but(lambda number: number == 0)),
    _spoken(
        "an id may not be a fraction",
        "j-id-kinds-ok[fraction]",
        classify=_id_but(lambda number: isinstance(number, float)),
    ),
    _spoken(
        "an id has fewer characters",
        "j-id-kinds-ok[long]",
        classify=_id_but(lambda number: isinstance(number, str) and len(number) > 199),
    ),
    _spoken(
        "an id comes back as a text", "j-id-kinds-ok[zero]", "j-id-kinds-ok[fraction]", classify=_as_text
    ),
    _spoken("unknown keys of a message ignored", "j-extra-key", classify=_taken(_without("extra"))),
    _spoken(
        "a list of parameters taken",
        "j-params-array[list]",
        classify=_taken(
            lambda message: {**message, "params": {}} if message.get("params") == [] else message
        ),
    ),
    _spoken("parameters may be null", "j-params-array[null]", classify=_taken(_without_null)),
    _spoken(
        "a method may have an endless name",
        "j-method-121[long]",
        classify=_method_also(lambda method: isinstance(method, str) and method),
    ),
    _spoken(
        "a method may have no name", "j-method-121[empty]", classify=_method_also(lambda method: method == "")
    ),
    _spoken(
        "a method may be a number", "j-method-121[number]", classify=_method_also(lambda method: method == 1)
    ),
    _spoken(
        "a method has a shorter name",
        "j-method-120",
        classify=lambda message: None if (found := classify(message)) and len(found.method) > 119 else found,
    ),
    _spoken(
        "the version of JSON-RPC not looked at",
        "j-version",
        classify=_taken(lambda message: {**message, "jsonrpc": "2.0"}),
    ),
    _spoken(
        "no version is the right one",
        "j-version[absent]",
        classify=_taken(lambda message: {"jsonrpc": "2.0", **message}),
    ),
    _spoken(
        "the version of JSON-RPC taken as a number",
        "j-version[number]",
        classify=_taken(
            lambda message: {**message, "jsonrpc": re.sub("^2$", "2.0", str(message.get("jsonrpc")))}
        ),
    ),
    _spoken(
        "an earlier version of JSON-RPC taken",
        "j-version[1.0]",
        classify=_taken(
            lambda message: {**message, "jsonrpc": "2.0"} if message.get("jsonrpc") == "1.0" else message
        ),
    ),
    _spoken("a response is no message", "j-response", classify=_no_response),
    _spoken(
        "a response that tells of an error is no message",
        "j-response[error]",
        classify=lambda message: (
            None if isinstance(message, dict) and "error" in message else classify(message)
        ),
    ),
    _spoken("an id alone is a response", "j-response-empty", classify=_bare_id),
    _spoken(
        "only known notifications taken",
        "j-notification[write]",
        "j-notification[context]",
        classify=_known_notification,
    ),
)


def _is_notification(message: Json) -> bool:
    return isinstance(message, dict) and "method" in message and "id" not in message


def _message(asked: Asked) -> Json:
    try:
        return json.loads(asked.body)
    except (ValueError, RecursionError):
        return None


def _carrying_out(*tools: str) -> Surround:
    """Notifications are answered as they should be, but a call of some tools is carried out."""

    async def handle(asked: Asked, ask: Ask) -> Reply:
        message = _message(asked)
        if _is_notification(message) and message.get("params", {}).get("name") in tools:
            body = json.dumps({**message, "id": 1}).encode()
            await ask(asked._replace(body=body).without("content-length"))
        return await ask(asked)

    return between(handle)


def _answered(asked: Asked, reply: Reply) -> Reply:
    """202 with a body, as for a request."""
    return reply._replace(status=200, body=b"{}") if reply.status == 202 else reply


def _with_header(name: str, value: Callable[[Asked], str | None]) -> Callable[[Asked, Reply], Reply]:
    def change(asked: Asked, reply: Reply) -> Reply:
        said = value(asked)
        return reply._replace(headers=(*reply.headers, (name, said))) if said else reply

    return change


def _result(method: str, change: Callable[[Json], Json]) -> Surround:
    """The result of one method is told otherwise."""

    def told(asked: Asked, reply: Reply) -> Reply:
        message = _message(asked)
        if not (isinstance(message, dict) and message.get("method") == method and reply.status == 200):
            return reply
        answer = json.loads(reply.body)
        if "result" not in answer:
            return reply
        return json_reply({**answer, **change(answer["result"])})

    return telling(told)


def _as_error(code: int, text: str) -> Callable[[Json], Json]:
    """A result that begins with this text is an error of the protocol instead."""

    def change(result: Json) -> Json:
        told = result["content"][0]["text"]
        return {"error": {"code": code, "message": told}, "result": None} if told.startswith(text) else {}

    return change


def _answered_empty(asked: Asked) -> Reply | None:
    message = _message(asked)
    if isinstance(message, dict) and message.get("method") == "resources/list":
        return json_reply({"jsonrpc": "2.0", "id": message.get("id"), "result": {"resources": []}})
    return None


def _renamed(change: Callable[[str], str]) -> Callable[[Json], Envelope | None]:
    def read(message: Json) -> Envelope | None:
        found = classify(message)
        return found._replace(method=change(found.method)) if found and found.kind == "request" else found

    return read


ANSWER_TWINS = (
    around(
        _carrying_out("journal_append", "list_context"),
        "notification executed",
        "j-notification[write]",
        "j-notification[context]",
    ),
    around(_carrying_out("journal_append"), "a notification writes", "j-notification[write]"),
    around(telling(_answered), "a notification answered", "j-notification", "j-response"),
    around(
        telling(_with_header("mcp-session-id", lambda asked: "made-up-by-the-server")),
        "session id emitted",
        "j-init",
        "j-no-session",
    ),
    around(
        telling(_with_header("mcp-session-id", lambda asked: asked.headers.get("mcp-session-id"))),
        "session id taken from the client",
        "j-no-session",
    ),
    around(
        _result("initialize", lambda result: {"result": {**result, "instructions": "Use search_context."}}),
        "the semantic actions not mentioned",
        "j-init",
    ),
    around(
        _result(
            "initialize",
            lambda result: {"result": {**result, "serverInfo": {"name": "PortOS", "version": "1"}}},
        ),
        "another server named",
        "j-init",
    ),
    around(
        _result(
            "initialize",
            lambda result: {"result": {**result, "capabilities": {"tools": {}, "resources": {}}}},
        ),
        "resources promised",
        "j-init",
    ),
    around(
        _result("tools/list", lambda result: {"result": {"tools": result["tools"][:-1]}}),
        "a tool of the manifest left out of the list",
        "j-list",
    ),
    around(
        _result("tools/list", lambda result: {"result": {**result, "nextCursor": "2"}}),
        "the list goes on",
        "j-list",
    ),
    around(
        _result("tools/call", _as_error(-32602, "Unknown or ungranted tool")),
        "an unknown tool is an error of the protocol",
        "j-call-toolerror[unknown]",
    ),
    around(
        _result("tools/call", _as_error(-32602, "Invalid tool input")),
        "invalid input is an error of the protocol",
        "j-call-toolerror[input]",
    ),
    around(answering(_answered_empty), "resources listed that are not offered", "j-unknown-method[other]"),
    _spoken("the case of a method does not matter", "j-unknown-method[case]", classify=_renamed(str.lower)),
    _spoken("space round a method does not matter", "j-unknown-method[space]", classify=_renamed(str.strip)),
)

Check = Callable[[Json], bool]
_CLIENT = {"name": "c", "version": "1"}


def _params_also(method: str, let_in: Check) -> dict[str, Check]:
    return {**PARAMS, method: lambda params: PARAMS[method](params) or let_in(params)}


def _params_but(method: str, shut_out: Check) -> dict[str, Check]:
    return {**PARAMS, method: lambda params: PARAMS[method](params) and not shut_out(params)}


def _mended(method: str, mend: Callable[[Json], Json]) -> dict[str, Check]:
    """Takes params that would be right if they were mended."""
    return _params_also(method, lambda params: isinstance(params, dict) and PARAMS[method](mend(params)))


def _client(params: Json, **better: Json) -> Json:
    return {**params, "clientInfo": {**params.get("clientInfo", {}), **better}}


def _client_known(params: Json) -> Json:
    return {**params, "clientInfo": {name: params.get("clientInfo", {}).get(name) for name in _CLIENT}}


def _with_icon(key: str, value: Json) -> Callable[[Json], Json]:
    def mend(params: Json) -> Json:
        icons = [{**icon, key: value} for icon in params.get("clientInfo", {}).get("icons", ())]
        return _client(params, icons=icons)

    return mend


_LENIENT_INTRODUCTION: dict[str, Callable[[Json], Json]] = {
    "none": lambda params: params or {"protocolVersion": "", "capabilities": {}, "clientInfo": _CLIENT},
    "extra": _without("more"),
    "client-extra": _client_known,
    "no-client": lambda params: {"clientInfo": _CLIENT, **params},
    "capabilities": lambda params: {**params, "capabilities": {}},
    "version-41": lambda params: {**params, "protocolVersion": str(params.get("protocolVersion"))[:40]},
    "version-number": lambda params: {**params, "protocolVersion": str(params.get("protocolVersion"))},
    "name-empty": lambda params: _client(params, name=params.get("clientInfo", {}).get("name") or "c"),
    "name-121": lambda params: _client(params, name=params.get("clientInfo", {}).get("name", "c")[:120]),
    "website": lambda params: _client(params, websiteUrl="https://client.example/"),
    "icon": _with_icon("src", "i.png"),
    "theme": _with_icon("theme", "dark"),
}
"""The row of `j-init-bad` that each of these lets in."""

_LENIENT_CALL: dict[str, Callable[[Json], Json]] = {
    "empty": lambda params: params or {"name": "nothing"},
    "name-empty": lambda params: {**params, "name": params.get("name") or "nothing"},
    "name-121": lambda params: {**params, "name": str(params.get("name"))[:120]},
    "name-number": lambda params: {**params, "name": str(params.get("name"))},
    "arguments-list": lambda params: {**params, "arguments": params.get("arguments") or {}},
    "arguments-null": lambda params: {
        name: value for name, value in params.items() if name != "arguments" or value is not None
    },
    "extra": _without("more"),
}
"""The row of `j-call-bad` that each of these lets in."""

PARAMS_TWINS = (
    _spoken(
        "the parameters of a ping judged", "j-ping", params_of={**PARAMS, "ping": lambda params: not params}
    ),
    *(
        _spoken(f"an introduction let in: {row}", f"j-init-bad[{row}]", params_of=_mended("initialize", mend))
        for row, mend in _LENIENT_INTRODUCTION.items()
    ),
    _spoken(
        "an introduction may be left out",
        "j-init-bad-absent",
        params_of=_params_also("initialize", lambda params: params is None),
    ),
    _spoken(
        "only the name and the version of a client known",
        "j-init-full",
        params_of=_params_but("initialize", lambda params: params["clientInfo"].keys() > _CLIENT.keys()),
    ),
    _spoken(
        "metadata not known",
        "j-init-full",
        "j-call-meta",
        params_of={
            **PARAMS,
            **{
                method: _params_but(method, lambda params: "_meta" in params)[method]
                for method in ("initialize", "tools/call")
            },
        },
    ),
    _spoken(
        "the list has pages",
        "j-list-bad[cursor]",
        params_of=_params_also("tools/list", lambda params: "cursor" in params),
    ),
    _spoken(
        "unknown parameters of the list ignored",
        "j-list-bad[unknown]",
        params_of=_params_also("tools/list", lambda params: "filter" in params),
    ),
    *(
        _spoken(f"a call let in: {row}", f"j-call-bad[{row}]", params_of=_mended("tools/call", mend))
        for row, mend in _LENIENT_CALL.items()
    ),
    _spoken(
        "a call may leave out its name",
        "j-call-bad-absent",
        params_of=_params_also("tools/call", lambda params: params is None),
    ),
    _spoken(
        "a call may not leave out its arguments",
        "j-call-meta",
        params_of=_params_but("tools/call", lambda params: "arguments" not in params),
    ),
    _spoken("methods without parameters only", "j-list", params_of={"ping": PARAMS["ping"]}),
)

TWINS = (*ACCEPT_TWINS, *VERSION_TWINS, *ENVELOPE_TWINS, *ANSWER_TWINS, *PARAMS_TWINS)
