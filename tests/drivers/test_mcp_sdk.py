"""The official SDK as judge: its server answers our driver as it answers its own client, in every mode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated, Any, Final

import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import BaseModel, Field

from evalkit.drivers import mcp
from evalkit.model import Call, Json
from evalkit.surfaces import Address, AppSurface, McpSurface
from tests.drivers.wires import served

pytestmark = pytest.mark.slow

HANDSHAKE: Final = "2025-11-25"
STATELESS: Final = "2026-07-28"


class Sum(BaseModel):
    """A structured output."""

    total: int
    note: str | None = None


class Name(BaseModel):
    """What a tool asks its user for."""

    name: str


def judge() -> MCPServer[Any]:
    """A server with a tool of each kind of answer."""
    server: MCPServer[Any] = MCPServer("judge", version="7", instructions="Add.")

    @server.tool()
    def add(a: int, b: int) -> Sum:
        """Add two numbers."""
        return Sum(total=a + b)

    @server.tool()
    def say(text: str) -> str:
        return text

    @server.tool()
    def fail() -> str:
        raise ValueError("on purpose")

    @server.tool()
    async def slowly(ctx: Context[Any, Any]) -> str:
        await ctx.report_progress(1, 2, "half")
        await ctx.report_progress(2, 2, "whole")
        return "done"

    @server.tool()
    async def greet(ctx: Context[Any, Any]) -> str:
        answer = await ctx.elicit("Who?", Name)
        return f"Hello {answer.data.name}" if answer.action == "accept" else "Nobody"

    @server.tool()
    async def pause(ctx: Context[Any, Any]) -> str:
        await ctx.close_sse_stream()
        return "after the pause"

    @server.tool()
    async def greet_anew(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        if not ctx.input_responses:
            form = ElicitRequestFormParams(message="Who?", requested_schema=Name.model_json_schema())
            return InputRequiredResult(input_requests={"who": ElicitRequest(params=form)}, request_state="s")
        answer = ctx.input_responses["who"]
        return (
            f"Hello {answer.content['name']}" if isinstance(answer, ElicitResult) and answer.content else "?"
        )

    @server.tool()
    def route(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
        return region

    @server.resource("note://one")
    def note() -> str:
        return "the note"

    @server.prompt()
    def ask(topic: str) -> str:
        return f"Tell me of {topic}"

    return server


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """The SDK logs each failing tool with a picture of its stack."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


CALLS: Final[tuple[tuple[str, Json], ...]] = (
    ("add", {"a": 1, "b": 2}),
    ("add", {"a": "x"}),
    ("say", {"text": "é\u2028\U0001f600"}),
    ("fail", {}),
    ("no_such_tool", {}),
)


class Told(BaseModel):
    """What the SDK's own client was told."""

    version: str
    tools: list[Any]
    results: list[Any]


def told_by_sdk(url: str, mode: Any) -> Told:
    async def talk() -> Told:
        async with Client(url, mode=mode) as client:
            listed = await client.list_tools()
            results = [await client.call_tool(name, args) for name, args in CALLS]
            return Told(
                version=client.session.protocol_version or "",
                tools=[_plain(tool) for tool in listed.tools],
                results=[_plain(one) for one in results],
            )

    return asyncio.run(talk())


def _plain(model: BaseModel) -> Json:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("stateless", [True, False], ids=["no-session", "session"])
@pytest.mark.parametrize("as_json", [True, False], ids=["json", "events"])
@pytest.mark.parametrize(
    ("mode", "era"), [("legacy", "handshake"), ("auto", "auto"), (STATELESS, "stateless")]
)
def test_our_driver_is_told_what_the_sdks_own_client_is_told(
    mode: str, era: Any, as_json: bool, stateless: bool
) -> None:
    app = judge().streamable_http_app(json_response=as_json, stateless_http=stateless)
    with served(app) as url:
        theirs = told_by_sdk(f"{url}/mcp", mode)
        with closing(mcp.open(McpSurface(Address(url), "/mcp", era=era))) as session:
            manifest = session.send(Call("manifest", {})).roots["manifest"]
            results = [
                session.send(Call("tool", {"tool": name, "args": args})).roots["toolResult"]
                for name, args in CALLS
            ]
    assert manifest["protocolVersion"] == theirs.version == (HANDSHAKE if era == "handshake" else STATELESS)
    assert manifest["tools"] == theirs.tools
    assert results == theirs.results
    assert manifest["serverInfo"]["name"] == "judge"
    assert manifest["instructions"] == "Add."


@pytest.mark.parametrize("era", ["handshake", "stateless", "auto"])
def test_in_memory_the_sdks_server_answers_as_over_a_socket(era: Any) -> None:
    app = judge().streamable_http_app()
    with closing(mcp.open(McpSurface(AppSurface(app), "/mcp", era=era))) as session:
        first = session.send(Call("tool", {"tool": "add", "args": {"a": 1, "b": 2}})).roots
        assert first["output"] == {"total": 3, "note": None}
        assert [tool["name"] for tool in first["manifest"]["tools"]][:2] == ["add", "say"]
        read = session.send(Call("resource", {"uri": "note://one"})).roots["output"]
        assert read["contents"][0]["text"] == "the note"
        prompt = session.send(Call("prompt", {"name": "ask", "args": {"topic": "x"}})).roots["output"]
        assert prompt["messages"][0]["content"]["text"] == "Tell me of x"


@pytest.mark.parametrize("era", ["handshake", "stateless"])
@pytest.mark.parametrize("over", ["memory", "socket"])
def test_progress_is_kept_in_the_order_in_which_it_came(era: Any, over: str) -> None:
    call = Call("tool", {"tool": "slowly", "meta": {"progressToken": "p-1"}})
    roots = over_either(over, call, era)
    assert roots["toolResult"]["content"][0]["text"] == "done"
    params = [one["params"] for one in roots["notifications"]]
    assert [(one["progressToken"], one["progress"], one["message"]) for one in params] == [
        ("p-1", 1, "half"),
        ("p-1", 2, "whole"),
    ]


@pytest.mark.parametrize("era", ["handshake"])
@pytest.mark.parametrize("over", ["memory", "socket"])
def test_a_server_that_asks_the_user_gets_the_answer_of_the_step(era: Any, over: str) -> None:
    given = {"action": "accept", "content": {"name": "Ada"}}
    call = Call("tool", {"tool": "greet", "client": {"elicitation": given}})
    roots = over_either(over, call, era)
    assert roots["toolResult"]["content"][0]["text"] == "Hello Ada"
    assert roots["notifications"][0]["method"] == "elicitation/create"


def over_either(over: str, call: Call, era: Any, app: Any = None) -> Json:
    """The roots of one call of the judge, over either way to reach it."""
    app = app or judge().streamable_http_app()
    if over == "memory":
        with closing(mcp.open(McpSurface(AppSurface(app), "/mcp", era=era))) as session:
            return session.send(call).roots
    with served(app) as url, closing(mcp.open(McpSurface(Address(url), "/mcp", era=era))) as session:
        return session.send(call).roots


def test_a_tool_that_needs_more_is_given_it_without_a_session() -> None:
    given = {"action": "accept", "content": {"name": "Ada"}}
    call = Call("tool", {"tool": "greet_anew", "client": {"elicitation": given}})
    roots = over_either("memory", call, "stateless")
    assert roots["toolResult"]["content"][0]["text"] == "Hello Ada"
    assert [one["method"] for one in roots["notifications"]] == ["elicitation/create"]
    alone = over_either("memory", Call("tool", {"tool": "greet_anew"}), "stateless")
    assert "content" not in alone.get("toolResult", {})


def test_an_argument_that_its_schema_marks_is_repeated_in_a_header() -> None:
    roots = over_either("memory", Call("tool", {"tool": "route", "args": {"region": "Zürich"}}), "stateless")
    assert roots["toolResult"]["content"][0]["text"] == "Zürich"
    said = {"Mcp-Param-Region": "elsewhere"}
    lying = Call("tool", {"tool": "route", "args": {"region": "Bern"}, "headers": said})
    assert over_either("memory", lying, "stateless")["rpc"]["error"]["code"] == -32020


class Kept(EventStore):
    """Keeps the events of all streams, so that one can be taken up again."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        stream = self.events[int(last_event_id) - 1][0]
        for at, (name, message) in enumerate(self.events[int(last_event_id) :], int(last_event_id) + 1):
            if name == stream and message is not None:
                await send_callback(EventMessage(message, str(at)))
        return stream


@pytest.mark.parametrize("over", ["memory", "socket"])
def test_a_stream_that_the_server_closes_is_taken_up_again(over: str) -> None:
    app = judge().streamable_http_app(event_store=Kept(), retry_interval=1)
    roots = over_either(over, Call("tool", {"tool": "pause"}), "handshake", app)
    assert roots["toolResult"]["content"][0]["text"] == "after the pause"


def test_the_sdks_client_asks_the_same_of_its_user() -> None:
    async def answer(context: Any, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ada"})

    async def talk(url: str) -> CallToolResult:
        async with Client(f"{url}/mcp", mode="legacy", elicitation_callback=answer) as client:
            return await client.call_tool("greet", {})

    with served(judge().streamable_http_app()) as url:
        theirs = asyncio.run(talk(url))
    call = Call(
        "tool", {"tool": "greet", "client": {"elicitation": {"action": "accept", "content": {"name": "Ada"}}}}
    )
    assert over_either("socket", call, "handshake")["toolResult"] == _plain(theirs)
