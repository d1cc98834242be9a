"""One MCP conversation: it begins when first needed, asks, hears what comes unasked, and ends.

A step's `headers` and `meta` go with its own request only. What has to be asked before or after it (the
handshake, the listing, the manifest) carries of them only the credentials.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalkit.drivers._asked import capabilities_of, inputs_for
from evalkit.drivers._beginning import begin
from evalkit.drivers._channel import Channel, Heard, Sent, Standing
from evalkit.drivers._eras import (
    Era,
    Handshake,
    Stateless,
    description_of,
    headers_within,
    mirrored,
)
from evalkit.drivers._exchange import Headers
from evalkit.drivers._listing import read_tools
from evalkit.drivers._messages import Answer
from evalkit.errors import CapabilityMissing
from evalkit.model import Json
from evalkit.surfaces import Address, AppSurface, Command, McpSurface, Messages
from evalkit.values import ABSENT

ROUNDS: Final = 10
"""How often a request is sent again because the server needs more for it."""

CHANGED: Final = "notifications/tools/list_changed"
"""With which a server says that what was read of its tools holds no longer."""

_CREDENTIALS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})


class Conversation:
    """What is said to one surface. `heard` holds what came beside the answers of the present step.

    `kept` is the manifest that was read in this session, where it was whole.
    """

    def __init__(self, surface: McpSurface) -> None:
        """Open the channel; nothing is said yet."""
        self._channel = _open_channel(surface)
        self._way = surface.era
        self._era: Era | None = None
        self._declared: Mapping[str, Json] = {}
        self._schemas: Mapping[str, Json] | None = None
        self._last_id = 0
        self._taken: set[int] = set()
        self.kept: dict[str, Json] | None = None
        self.heard, self._noted = Heard({}), 0
        self.begin_step({})

    def begin_step(self, words: Mapping[str, Json]) -> None:
        """Forget what came back before; `words` are those of the step that begins."""
        self._note_change()
        self._noted = 0
        self.heard = Heard(words.get("client", {}))
        self._meta: Mapping[str, Json] = words.get("meta", {})
        self._said: Mapping[str, str] = words.get("headers", {})
        self._channel.begin_step(self.heard)
        if self._said and not self._channel.has_headers:
            raise CapabilityMissing("a message over standard streams has no headers, and the step says some")

    def take_raw(self) -> tuple[bytes, ...]:
        """What came back since this was last asked, an answer that broke off as far as it came."""
        return self._channel.take_raw()

    def keep(self, body: bytes) -> None:
        """Add the body of a document that is none to what came back."""
        self._channel.keep(body)

    def begin(self) -> None:
        """Begin the session, where it is not begun yet. Raises CaseError where it cannot."""
        self._begun()

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
            given = inputs_for(result.get("inputRequests", {}), self.heard.client)
            if given is ABSENT:
                break
            self.heard.messages += result.get("inputRequests", {}).values()
            kept = {"requestState": result["requestState"]} if "requestState" in result else {}
            more = {**params, **({"inputResponses": given} if given else {}), **kept}
        return message

    def ask(self, method: str, params: dict[str, Json]) -> Json:
        """The answer to a request that the step needs beside its own."""
        return self._ask_beside(self._begun(), method, params).message

    def send(self, body: bytes, wanted: Json, within: Headers = ()) -> Answer:
        """Send one message as it is, and read until the answer to the id `wanted` is there."""
        if type(wanted) is int:
            self._taken.add(wanted)
        return self._channel.send(body, self._said, wanted, within)

    def joined(self, message: Json) -> tuple[Json, Headers]:
        """A message that a step wrote, as it belongs to the session, and the headers that go with it.

        Only the era without sessions adds to it: its three words in `_meta`, where params are an object.
        """
        era = self._begun()
        headers = headers_within(era, message)
        params = message.get("params", {}) if isinstance(message, dict) and "method" in message else None
        if not isinstance(era, Stateless) or not isinstance(params, dict):
            return message, headers
        meta = params.get("_meta", {})
        if not isinstance(meta, dict):
            return message, headers
        dressed = era.params(params, meta, capabilities_of(self.heard.client))
        return {**message, "params": dressed}, headers

    def told(self) -> dict[str, Json]:
        """What the server has said of itself, without asking it for more."""
        era = self._era
        return description_of(era.version, era.told or {}) if era is not None else {}

    def still_listed(self) -> dict[str, Json] | None:
        """The manifest that was read in this session, unless the server has said that it changed."""
        self._begun()
        self._note_change()
        return self.kept

    def rest(self) -> Standing:
        """Hear what has come already, and say whether the next case can go on from here."""
        return self._channel.rest()

    def lost(self) -> str:
        """How the other side ended by itself since then; empty where it did not."""
        return self._channel.lost()

    def process(self) -> dict[str, Json]:
        """How the program that was closed ended; empty where none was started."""
        return self._channel.process()

    def get(self, path: str) -> Answer:
        """The document at another path of the surface, as an answer without a message."""
        return self._channel.get(path, self._credentials())

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
        """End the session, then the channel."""
        try:
            self._leave()
        finally:
            self._channel.close()

    def _begun(self) -> Era:
        """The era that is spoken. A session that did not declare what this step can answer begins anew."""
        era, capabilities = self._era, capabilities_of(self.heard.client)
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
        """Send a notification."""
        self._channel.tell(Sent({"jsonrpc": "2.0", "method": method}, era, method, {}, self._credentials()))

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
        while self._last_id in self._taken:  # by a message that a step sent as it was
            self._last_id += 1
        dressed = era.params(params, meta or {}, capabilities_of(self.heard.client))
        body = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        body |= {"params": dressed} if dressed else {}
        return self._channel.ask(Sent(body, era, method, params, said, marks))

    def _marks(self, method: str, params: Mapping[str, Json]) -> Headers:
        """The headers that repeat arguments, where the era knows them and the tool's schema asks for them."""
        args = params.get("arguments")
        if (
            not self._channel.has_headers
            or not isinstance(self._era, Stateless)
            or method != "tools/call"
            or not isinstance(args, dict)
        ):
            return ()
        if self._schemas is None:
            tools, _ = read_tools(self.ask)
            named = (tool for tool in tools if isinstance(tool, dict))
            self._schemas = {str(tool.get("name")): tool.get("inputSchema") for tool in named}
        return mirrored(self._schemas.get(params["name"]), args)

    def _credentials(self) -> dict[str, str]:
        return {name: value for name, value in self._said.items() if name.lower() in _CREDENTIALS}

    def _note_change(self) -> None:
        """Forget the manifest where the server says that its tools have changed."""
        new, self._noted = self.heard.messages[self._noted :], len(self.heard.messages)
        if any(isinstance(one, dict) and one.get("method") == CHANGED for one in new):
            self.kept = self._schemas = None

    def _leave(self) -> None:
        """Tell the server that its session is over."""
        self.kept = None
        era, self._era = self._era, None
        if era is not None:
            self._channel.leave(era, self._credentials())


def _open_channel(surface: McpSurface) -> Channel:
    if surface.tape is not None:
        from evalkit.drivers._taping import Taped  # start-up: few runs are recorded

        return Taped(_open_channel(surface._replace(tape=None)), surface.tape)
    if not isinstance(surface.via, AppSurface | Address | Messages | Command):
        from evalkit.drivers._taping import Replayed  # start-up: few targets are recordings

        return Replayed(surface.via)
    if isinstance(surface.via, Messages | Command):
        from evalkit.drivers._lines import Lines  # start-up: over HTTP there are no lines

        return Lines(surface.via)
    from evalkit.drivers._posts import Posts  # start-up: over standard streams there is no HTTP

    return Posts(surface)
