"""An MCP server over standard streams, virtuous but for one vice: `python -m tests.vices.server NAME`.

Standard library only. What can be wrong is data here (`tools`, `revisions`, `capabilities`) or a function
that can be replaced (`methods`, `sent`), so that a vice in `faults.py` and a virtuous variant in
`virtues.py` change one thing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

Json: TypeAlias = Any
Call: TypeAlias = Callable[[dict[str, Json]], Json]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
UNSUPPORTED_VERSION: Final = -32022

HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
STATELESS: Final = "2026-07-28"
META: Final = "io.modelcontextprotocol/"


class Refused(Exception):
    """A request that gets an error."""

    def __init__(self, code: int, message: str, **more: Json) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **more}


class Tool(NamedTuple):
    """What is advertised of a tool, and what it does; `call` gives a whole result."""

    listed: dict[str, Json]
    call: Call


class Server:
    """One server. `sent` is what leaves for one line that came, `encode` how a message is written."""

    def __init__(self) -> None:
        self.revisions: tuple[str, ...] = HANDSHAKE
        self.told: dict[str, Json] = {"serverInfo": {"name": "vices", "version": "1"}}
        self.capabilities: Json = {"tools": {}}
        self.tools = dict[str, Tool]()
        self.page = 100
        self.is_strict = True
        self.methods: dict[str, Call] = {
            "initialize": self.initialize,
            "ping": lambda params: {},
            "tools/list": self.list_tools,
            "tools/call": self.call_tool,
        }
        self.encode: Callable[[Json], str] = json.dumps
        self.sent: Callable[[Json, list[Json]], Iterable[Json]] = lambda message, answers: answers
        self.at_start: Callable[[], None] = lambda: None
        self.at_end: Callable[[], None] = lambda: None
        for name in TOOLS:
            self.add(*TOOLS[name])

    def add(self, listed: Json, call: Call) -> None:
        self.tools[listed["name"]] = Tool({**listed}, call)

    def has(self, name: str, **more: Json) -> None:
        """A tool that says more of itself, something else, or (`...`) nothing."""
        self.tools[name].listed.update(more)
        for word in [word for word, value in more.items() if value is ...]:
            del self.tools[name].listed[word]

    def gives(self, name: str, result: Json) -> None:
        """A tool whose valid calls all get one result."""
        self.does(name, lambda args: result)

    def does(self, name: str, call: Call) -> None:
        self.tools[name] = self.tools[name]._replace(call=call)

    def answers(self, text: str) -> list[str]:
        """What is written, line by line, for a line that came."""
        try:
            message = json.loads(text)
        except ValueError:
            refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": PARSE_ERROR, "message": "Parse error"}}
            return self.lines(text, [refusal])
        return self.lines(message, self._answer(message))

    def lines(self, message: Json, answers: list[Json]) -> list[str]:
        """A text among what is sent is written as it is."""
        sent = self.sent(message, answers)
        return [one if isinstance(one, str) else self.encode(one) for one in sent]

    def _answer(self, message: Json) -> list[Json]:
        if not isinstance(message, dict) or ("id" in message and not isinstance(message["id"], (str, int))):
            return [_error(None, {"code": INVALID_REQUEST, "message": "Invalid Request"})]
        if "id" not in message or "method" not in message:
            return []
        try:
            return [{"jsonrpc": "2.0", "id": message["id"], "result": self.result(message)}]
        except Refused as refused:
            return [_error(message["id"], refused.error)]

    def speaks_without_sessions(self) -> None:
        """Know the revision without a handshake, too."""
        self.revisions = (STATELESS, *HANDSHAKE)
        self.methods["server/discover"] = lambda params: {
            "supportedVersions": [*self.revisions],
            "capabilities": self.capabilities,
            **self.told,
        }

    def result(self, message: Json) -> Json:
        params = message.get("params", {})
        if STATELESS not in self.revisions:
            return self._result(message, params)
        spoken = params.get("_meta", {}).get(f"{META}protocolVersion", STATELESS)
        if spoken not in self.revisions:
            supported = {"supported": [*self.revisions], "requested": spoken}
            raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", data=supported)
        return {"resultType": "complete", **self._result(message, params)}

    def _result(self, message: Json, params: Json) -> Json:
        if message["method"] not in self.methods:
            raise Refused(METHOD_NOT_FOUND, f"Method not found: {message['method']}")
        return self.methods[message["method"]](params)

    def initialize(self, params: Json) -> Json:
        asked = params.get("protocolVersion")
        agreed = asked if asked in self.revisions else self.revisions[0]
        return {"protocolVersion": agreed, "capabilities": self.capabilities, **self.told}

    def list_tools(self, params: Json) -> Json:
        cursor = params.get("cursor", "0")
        listed = [tool.listed for tool in self.tools.values()]
        if not (isinstance(cursor, str) and cursor.isdigit() and int(cursor) <= len(listed)):
            raise Refused(INVALID_PARAMS, "Unknown cursor")
        start, end = int(cursor), int(cursor) + self.page
        more = {"nextCursor": str(end)} if end < len(listed) else {}
        return {"tools": listed[start:end], **more}

    def call_tool(self, params: Json) -> Json:
        name, args = params.get("name"), params.get("arguments", {})
        if name not in self.tools:
            raise Refused(INVALID_PARAMS, f"Unknown tool: {name}")
        tool = self.tools[name]
        problem = _problem(tool.listed.get("inputSchema"), args) if self.is_strict else ""
        return failed(problem) if problem else tool.call(args)


def text(*said: str) -> Json:
    """A result of texts."""
    return {"content": [{"type": "text", "text": one} for one in said]}


def failed(why: str) -> Json:
    return {**text(why), "isError": True}


def structured(output: Json, said: str = "") -> Json:
    """A result with structured content; its text is the same as JSON where none is given."""
    return {**text(said or json.dumps(output)), "structuredContent": output}


def schema(*required: str, **properties: Json) -> Json:
    """A closed object."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def reading(name: str, takes: Json, **more: Json) -> dict[str, Json]:
    """A tool that only reads, as it is listed."""
    about = {"name": name, "description": f"The tool {name}.", "inputSchema": takes}
    return {**about, "annotations": {"readOnlyHint": True}, **more}


def _never_called(args: Json) -> Json:
    """Of a tool that writes: whoever calls it unasked finds a server that is gone."""
    sys.exit("a tool that writes was called")


_INTEGER: Final = {"type": "integer"}
_SUM: Final = schema("sum", sum=_INTEGER)
_WRITES: Final = {"readOnlyHint": False, "destructiveHint": True}

TOOLS: Final[Mapping[str, Tool]] = {
    "add": Tool(
        reading("add", schema("a", "b", a=_INTEGER, b=_INTEGER), outputSchema=_SUM),
        lambda args: structured({"sum": args["a"] + args["b"]}),
    ),
    "greet": Tool(
        reading("greet", schema("name", name={"type": "string"})),
        lambda args: text(f"Good morning, {args['name']}."),
    ),
    "erase": Tool(
        {**reading("erase", schema()), "annotations": _WRITES},
        _never_called,
    ),
}
"""The virtuous tools: one with structured output, one with prose, and one that must not be called."""

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def _problem(takes: Json, args: Json) -> str:
    """What is wrong with arguments, as far as these tools have to know: one level, types, closed or not."""
    if not isinstance(takes, dict):
        return ""
    known, problems = takes.get("properties", {}), []
    for name in takes.get("required", []):
        if name not in args:
            problems.append(f"{name} is missing")
    for name, value in args.items():
        if name not in known and takes.get("additionalProperties") is False:
            problems.append(f"{name} is not known")
        elif name in known and not _is_of(known[name], value):
            problems.append(f"{name} is of another type")
    return "; ".join(problems)


def _is_of(takes: Json, value: Json) -> bool:
    kinds = takes.get("type", ()) if isinstance(takes, dict) else ()
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        return True
    if isinstance(value, bool):
        return "boolean" in kinds
    return any(isinstance(value, _KINDS[kind]) for kind in kinds)


def _error(ident: Json, error: Json) -> Json:
    return {"jsonrpc": "2.0", "id": ident, "error": error}


def serve(server: Server) -> None:
    """Until standard input ends."""
    server.at_start()
    for line in sys.stdin.buffer:
        if line.strip():
            for answer in server.answers(line.decode()):
                sys.stdout.buffer.write(answer.encode("utf-8", "surrogatepass") + b"\n")
            sys.stdout.buffer.flush()
    server.at_end()


def made(name: str) -> Server:
    """The server of that name: a vice, a virtuous variant, or `virtuous`."""
    from tests.vices import faults, promises, virtues  # they need what stands above

    server = Server()
    if name != "virtuous":
        {**faults.CHANGES, **virtues.VIRTUES, **promises.CHANGES}[name](server)
    return server


if __name__ == "__main__":
    sys.modules["tests.vices.server"] = sys.modules["__main__"]
    serve(made(sys.argv[1]))
