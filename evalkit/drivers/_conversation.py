"""One MCP conversation over HTTP: it begins when first needed, asks, hears what comes unasked, and ends.

A step's `headers` and `meta` go with its own request only. What has to be asked before or after it (the
handshake, the listing, the manifest) carries of them only the credentials.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from evalkit.drivers._answers import raw_of
from evalkit.drivers._asked import NOT_FOUND, capabilities_of, inputs_for, result_for
from evalkit.drivers._beginning import begin
from evalkit.drivers._eras import OFFER, Era, Handshake, Stateless, description_of, mirrored
from evalkit.drivers._exchange import Headers, Request, Response, body_of, header, headers_of, target_of
from evalkit.drivers._listing import read_tools
from evalkit.drivers._messages import Answer, read_answer
from evalkit.drivers._transports import open_transport
from evalkit.errors import CaseError
from evalkit.model import Json
from evalkit.surfaces import McpSurface
from evalkit.values import ABSENT, quick_json

ROUNDS: Final = 10
"""How often a request is sent again because the server needs more for it."""

RESUMES: Final = 3
"""How often an event stream that ends without our answer is taken up again."""

LONGEST_WAIT: Final = 5.0
"""Seconds that a server may ask to wait before its stream is taken up again."""

_CREDENTIALS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})


class Conversation:
    """What is said to one surface. `raw` holds what came back in this step, `heard` what came unasked."""

    def __init__(self, surface: McpSurface) -> None:
        """Open the transport; nothing is said yet."""
        self._transport = open_transport(surface.via)
        self._target = target_of(surface.path)
        self._way = surface.era
        self._era: Era | None = None
        self._declared: Mapping[str, Json] = {}
        self._schemas: Mapping[str, Json] | None = None
        self._last_id = 0
        self._whole = True
        self.begin_step({})

    def begin_step(self, words: Mapping[str, Json]) -> None:
        """Forget what came back before; `words` are those of the step that begins."""
        self.raw: list[bytes] = []
        self.heard: list[Json] = []
        self._client: Mapping[str, Json] = words.get("client", {})
        self._meta: Mapping[str, Json] = words.get("meta", {})
        self._said: Mapping[str, str] = words.get("headers", {})

    def call(self, method: str, params: dict[str, Json]) -> Json:
        """The answer to the step's own request. Raises CaseError where none came.

        A server of 2026-07-28 that needs more gets it, as far as the step's `client` has it.
        """
        era, marks, more = self._begun(), self._marks(method, params), dict(params)
        for _ in range(ROUNDS):
            message = self._ask(era, method, more, self._said, self._meta, marks).message
            result = message.get("result")
            if not isinstance(result, dict) or result.get("resultType") != "input_required":
                break
            given = inputs_for(result.get("inputRequests", {}), self._client)
            if given is ABSENT:
                break
            self.heard += result.get("inputRequests", {}).values()
            kept = {"requestState": result["requestState"]} if "requestState" in result else {}
            more = {**params, **({"inputResponses": given} if given else {}), **kept}
        return message

    def ask(self, method: str, params: dict[str, Json]) -> Json:
        """The answer to a request that the step needs beside its own."""
        return self._ask_beside(self._begun(), method, params).message

    def post(self, body: bytes, headers: Headers, wanted: Json, *, replies: bool = True) -> Answer:
        """Send one message as it is, and read until the answer to the id `wanted` is there."""
        self._whole = False
        response = self._transport.send(Request("POST", self._target, headers, body))

        def hear(message: Json) -> None:
            self.heard.append(message)
            if replies and isinstance(message, dict) and "method" in message and "id" in message:
                self._reply(message, headers)

        answer = read_answer(response, wanted, hear)
        self.raw += raw_of(answer.headers, answer.body)
        self._whole = True
        return answer

    def get(self, path: str) -> Answer:
        """The document at another path of the surface, as an answer without a message; `raw` has its head."""
        headers = headers_of(((b"accept", b"application/json"),), self._credentials())
        response = self._transport.send(Request("GET", target_of(path), headers))
        self.raw += raw_of(response.headers, b"")
        return Answer(response.status, response.headers, body_of(response))

    def described(self) -> dict[str, Json]:
        """What the server says of itself, as a manifest tells it."""
        era = self._begun()
        if isinstance(era, Handshake):
            return description_of(era.version, era.told)
        if era.told is None:
            result = self.ask("server/discover", {}).get("result")
            self._era = era = Stateless(era.version, result if isinstance(result, dict) else {})
        return description_of(era.version, era.told or {})

    def close(self) -> None:
        """End the session where the server gave one, then the connections."""
        try:
            self._leave()
        finally:
            self._transport.close()

    def _begun(self) -> Era:
        """The era that is spoken. A session that did not declare what this step can answer begins anew."""
        era, capabilities = self._era, capabilities_of(self._client)
        if isinstance(era, Handshake) and not capabilities.keys() <= self._declared.keys():
            self._leave()
        if self._era is None:
            self._declared = capabilities
            self._era = begin(self._way, self._ask_beside, self._tell, capabilities)
        return self._era

    def _ask_beside(self, era: Era, method: str, params: dict[str, Json]) -> Answer:
        """The answer to a request that the step needs beside its own."""
        return self._ask(era, method, params, self._credentials())

    def _tell(self, era: Era, method: str) -> None:
        """Send a notification; what is answered is no matter."""
        body = quick_json({"jsonrpc": "2.0", "method": method})
        headers = headers_of(era.headers(method, {}), self._credentials())
        self._read(self._transport.send(Request("POST", self._target, headers, body)))

    def _ask(
        self,
        era: Era,
        method: str,
        params: dict[str, Json],
        said: Mapping[str, str],
        meta: Mapping[str, Json] | None = None,
        marks: Headers = (),
    ) -> Answer:
        """The answer to one request. Raises CaseError where what came back holds none."""
        self._last_id += 1
        wanted = self._last_id
        dressed = era.params(params, meta or {}, capabilities_of(self._client))
        message = {"jsonrpc": "2.0", "id": wanted, "method": method}
        body = quick_json({**message, "params": dressed} if dressed else message)
        headers = headers_of((*era.headers(method, params), *marks), said)
        two_way = isinstance(era, Handshake)
        answer = self.post(body, headers, wanted, replies=two_way)
        for _ in range(RESUMES if two_way else 0):
            if answer.message is not ABSENT or answer.fault or answer.last_id is None:
                break
            answer = self._taken_up(answer, headers, wanted)
        _check(method, answer)
        return answer

    def _taken_up(self, answer: Answer, headers: Headers, wanted: int) -> Answer:
        """What comes further in an event stream that ended, after the wait that the server asked for."""
        self._whole = False
        time.sleep(min(answer.retry / 1000, LONGEST_WAIT))
        again = (b"last-event-id", (answer.last_id or "").encode())
        kept = tuple(one for one in headers if one[0] != b"content-type")
        response = self._transport.send(Request("GET", self._target, (*kept, again)))
        further = read_answer(response, wanted, self.heard.append)
        self.raw += raw_of(further.headers, further.body)
        self._whole = True
        return further

    def _reply(self, message: Mapping[str, Json], headers: Headers) -> None:
        """Answer what the server asked, with the headers under which it asked."""
        result = result_for(message["method"], self._client)
        said = {"error": NOT_FOUND} if result is ABSENT else {"result": result}
        body = quick_json({"jsonrpc": "2.0", "id": message["id"], **said})
        self._read(self._transport.send(Request("POST", self._target, headers, body)))

    def _read(self, response: Response) -> bytes:
        """The body of an answer that is no message; an event stream is none, and is hung up."""
        streams = header(response.headers, b"content-type").lower().startswith("text/event-stream")
        body = b"" if streams else body_of(response)
        response.chunks.close()
        self.raw += raw_of(response.headers, body)
        return body

    def _marks(self, method: str, params: Mapping[str, Json]) -> Headers:
        """The headers that repeat arguments, where the era knows them and the tool's schema asks for them."""
        args = params.get("arguments")
        if not isinstance(self._era, Stateless) or method != "tools/call" or not isinstance(args, dict):
            return ()
        if self._schemas is None:
            tools, _ = read_tools(self.ask)
            named = (tool for tool in tools if isinstance(tool, dict))
            self._schemas = {str(tool.get("name")): tool.get("inputSchema") for tool in named}
        return mirrored(self._schemas.get(params["name"]), args)

    def _credentials(self) -> dict[str, str]:
        return {name: value for name, value in self._said.items() if name.lower() in _CREDENTIALS}

    def _leave(self) -> None:
        """Tell the server that its session is over, unless it still owes an answer."""
        era, self._era = self._era, None
        if isinstance(era, Handshake) and era.session and self._whole:
            headers = headers_of(era.headers("", {})[len(OFFER) :], self._credentials())
            with suppress(CaseError):
                self._read(self._transport.send(Request("DELETE", self._target, headers)))


def _check(method: str, answer: Answer) -> None:
    if answer.fault:
        raise CaseError("not-json", f"`{method}` got status {answer.status} and no answer: {answer.fault}")
    if answer.message is ABSENT:
        raise CaseError("protocol", f"`{method}` got no JSON-RPC answer, but {answer.in_words()}")
    kind = header(answer.headers, b"content-type").lower()
    if not kind.startswith(("application/json", "text/event-stream")):
        told = f"`{method}` got an answer of {kind or 'no content type'}, not of JSON or an event stream"
        raise CaseError("protocol", told)
