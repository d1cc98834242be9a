"""Twins that speak MCP wrongly: what is agreed on, listed, taken and answered (spec 7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from evalkit.contracts.scriba import documents, writing
from evalkit.contracts.scriba.mcp import results
from evalkit.contracts.scriba.mcp.arguments import PageAsked, context_problem, events_problem, page_of
from evalkit.contracts.scriba.mcp.catalogue import TOOLS, describe
from evalkit.contracts.scriba.mcp.versions import REVISIONS
from evalkit.contracts.scriba.nouns import MAX_EVENTS, PageUnavailable
from evalkit.model import Json, OpenSubject, Subject, World
from evalkit.surfaces import McpSurface, Messages
from tests.twins.twin import Twin, around, twin_of


def _spoken(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("mcp", name, *promised_by, **change)


def _described(**other: Json) -> Callable[..., Json]:
    return lambda tool, output_schema: {**describe(tool, output_schema), **other}


def _without(name: str) -> Callable[..., Json]:
    return lambda tool, output_schema: {
        key: value for key, value in describe(tool, output_schema).items() if key != name
    }


LISTING_TWINS = (
    _spoken(
        "the newest revision only",
        *(f"mcp-initialize[{it}]" for it in REVISIONS[1:]),
        negotiate=lambda _: REVISIONS[0],
    ),
    _spoken("the oldest revision only", "mcp-initialize[2025-11-25]", negotiate=lambda _: REVISIONS[-1]),
    _spoken("any revision is known", "mcp-initialize[unknown]", negotiate=lambda offered: offered),
    _spoken("tools listed the other way round", "MC01", tools=TOOLS[::-1]),
    _spoken("a third tool listed", "MC01", tools=(*TOOLS, TOOLS[0]._replace(name="scriba_set_context"))),
    _spoken("a tool not listed", "MC01", tools=TOOLS[:1]),
    _spoken("tools do not say that they only read", "MC01", describe=_without("annotations")),
    _spoken(
        "tools say that they reach the world outside",
        "MC01",
        describe=_described(annotations={"readOnlyHint": True, "openWorldHint": True}),
    ),
    _spoken(
        "tools take anything by their schema",
        "MC01",
        "MC05",
        "MC08",
        describe=_described(inputSchema={"type": "object"}),
    ),
    _spoken("tools have no output schema", "MC01-schemas", "MC02", describe=_without("outputSchema")),
    _spoken("output schemas refer to another file", "MC01-schemas", output_schema=documents.schema),
    _spoken(
        "output schemas of one another",
        "MC03",
        "MC06-arguments",
        output_schema=lambda name: documents.output_schema("events" if name == "context" else "context"),
    ),
)


def _anything(_arguments: Json) -> str:
    return ""


def _also(problem: Callable[[Json], str], refused: Callable[[Json], object]) -> Callable[[Json], str]:
    return lambda arguments: problem(arguments) or ("no" if refused(arguments) else "")


def _mended(arguments: Json) -> str:
    """A cursor or a mode alone is taken for the whole of a replay."""
    mended = dict(arguments)
    if "cursor" in mended or mended.get("mode") == "replay":
        mended |= {"mode": "replay", "cursor": mended.get("cursor", "v1.0000000000000000")}
    return events_problem(mended)


def _replaying(arguments: Json) -> PageAsked:
    asked = page_of(arguments)
    return asked._replace(mode="replay") if asked.cursor else asked


TAKING_TWINS = (
    _spoken(
        "arguments of a context not checked",
        "MC05[empty]",
        "MC05[unknown]",
        "MC05[none]",
        context_problem=_anything,
    ),
    _spoken("a wrong profile is no profile", "MC05", context_problem=_anything, profile_of=lambda _: None),
    _spoken(
        "unknown arguments ignored",
        "MC05[unknown]",
        context_problem=lambda asked: context_problem({k: v for k, v in asked.items() if k == "profile"}),
    ),
    _spoken(
        "a source read before the arguments are judged",
        "MC05[padded]",
        context_problem=_anything,
        profile_of=lambda asked: str(asked.get("profile")).strip(),
    ),
    _spoken(
        "a context needs a profile",
        "MC02",
        "MC02-http",
        "MC02-no-arguments",
        context_problem=_also(context_problem, lambda asked: "profile" not in asked),
    ),
    _spoken("arguments of events not checked", "MC08[unknown]", "MC08[no-profile]", events_problem=_anything),
    _spoken(
        "wrong arguments of events are none",
        "MC08",
        events_problem=_anything,
        page_of=lambda _: PageAsked("latest", "", 20),
        profile_of=lambda _: None,
    ),
    _spoken("a cursor alone is a replay", "MC08[cursor-alone]", events_problem=_mended, page_of=_replaying),
    _spoken(
        "the most events refused",
        "MC06-arguments[most]",
        events_problem=_also(events_problem, lambda asked: asked.get("limit") == MAX_EVENTS),
    ),
    _spoken(
        "a whole number written as a fraction refused",
        "MC06-arguments[whole]",
        events_problem=_also(events_problem, lambda asked: isinstance(asked.get("limit"), float)),
    ),
    _spoken(
        "`latest` may not be said",
        "MC06-arguments[latest]",
        events_problem=_also(events_problem, lambda asked: asked.get("mode") == "latest"),
    ),
    _spoken("events take no profile", "MC06-arguments[profile]", "MC04", profile_of=lambda _: None),
    _spoken("the profile not handed on", "MC03", "MC04", "cli-parity", profile_of=lambda _: None),
    _spoken(
        "a hundred events where nothing is said",
        "MC06",
        page_of=lambda asked: page_of({"limit": 100, **asked}),
    ),
    _spoken(
        "the limit ignored",
        "MC06-arguments[limit]",
        "MC06-arguments[whole]",
        "MC07",
        page_of=lambda asked: page_of(asked)._replace(limit=20),
    ),
    _spoken(
        "a replay begins at the beginning",
        "MC07",
        "MC09[future]",
        page_of=lambda asked: page_of(
            {**asked, **({"cursor": "v1.0000000000000000"} if "cursor" in asked else {})}
        ),
    ),
    _spoken(
        "a replay is the latest",
        "MC07",
        "MC09[future]",
        "MC09[expired]",
        page_of=lambda asked: PageAsked("latest", "", page_of(asked).limit),
    ),
)


def _succeeding(change: Callable[[Json], Json]) -> Callable[[str], Json]:
    return lambda text: change(results.success(text))


def _later(result: Json) -> Json:
    """Of another moment, and its text with it."""
    document = {**result["structuredContent"], "generatedAt": "2026-01-01T00:00:01Z"}
    return {
        **result,
        "structuredContent": document,
        "content": [{"type": "text", "text": json.dumps(document)}],
    }


def _failing(**other: Json) -> Callable[[str], Json]:
    return lambda text: {**results.failure(text), **other}


def _as_code(old: str, new: str) -> Callable[[Exception], str]:
    def reason(problem: Exception) -> str:
        return (
            new if isinstance(problem, PageUnavailable) and problem.code == old else results.reason(problem)
        )

    return reason


ANSWERING_TWINS = (
    _spoken("keys of the text as documented", "MC02", "MC07", write=writing.compact),
    _spoken("text with spaces", "MC02", write=writing.pretty),
    _spoken(
        "MCP result differs from HTTP", "MC02", "MC02-http", "MC07", "cli-parity", success=_succeeding(_later)
    ),
    _spoken(
        "no text beside the document",
        "MC02",
        "MC07",
        success=_succeeding(lambda result: {**result, "content": []}),
    ),
    _spoken(
        "two texts", "MC02", success=_succeeding(lambda result: {**result, "content": result["content"] * 2})
    ),
    _spoken(
        "a text without a document",
        "MC02",
        "MC02-no-arguments",
        "MC06",
        success=_succeeding(
            lambda result: {key: value for key, value in result.items() if key != "structuredContent"}
        ),
    ),
    _spoken(
        "a success does not say that it is one",
        "MC02",
        "MC02-no-arguments",
        success=_succeeding(lambda result: {key: value for key, value in result.items() if key != "isError"}),
    ),
    _spoken(
        "a success says that it failed",
        "MC02",
        "MC03",
        "MC06",
        "MC07",
        success=_succeeding(lambda result: {**result, "isError": True}),
    ),
    _spoken("a failure is none", "MC04", "MC05", "MC08", "MC09", failure=_failing(isError=False)),
    _spoken(
        "a failure has a document too", "MC04", "MC05", "MC08", "MC09", failure=_failing(structuredContent={})
    ),
    _spoken(
        "a failure says more",
        "MC04",
        "MC05",
        "MC08",
        "MC09",
        failure=lambda text: _failing(
            content=[{"type": "text", "text": text}, {"type": "text", "text": "try again"}]
        )(text),
    ),
    _spoken("what went wrong is told as it is", "MC04", "MC09", reason=str),
    _spoken("every fault told alike", "MC04", "MC09", reason=lambda _: "data unavailable"),
    _spoken(
        "a future cursor told as expired", "MC09[future]", reason=_as_code("cursor_future", "cursor_expired")
    ),
    _spoken(
        "an expired cursor told as invalid",
        "MC09[expired]",
        reason=_as_code("cursor_expired", "invalid_cursor"),
    ),
    _spoken(
        "no account told as a fault", "MC09[unavailable]", reason=_as_code("events_unavailable", "read_error")
    ),
    _spoken(
        "a fault told as no account",
        "MC09[unreadable]",
        "MC09[no-store]",
        "MC09[corrupt]",
        reason=_as_code("read_error", "events_unavailable"),
    ),
)


def telling(change: Callable[[Json, Json], Json]) -> Callable[[OpenSubject], OpenSubject]:
    """Each answer over MCP is told otherwise: `change(request, answer)`."""

    def surround(open_subject: OpenSubject) -> OpenSubject:
        def opened(world: World) -> Subject:
            subject = open_subject(world)
            surface = subject.surfaces["mcp"]
            assert isinstance(surface, McpSurface)
            assert isinstance(surface.via, Messages)
            answer = surface.via.answer

            def lines(line: bytes) -> Iterable[bytes]:
                for told in answer(line):
                    yield json.dumps(change(json.loads(line), json.loads(told))).encode()

            surfaces = {**subject.surfaces, "mcp": surface._replace(via=Messages(lines))}
            return subject._replace(surfaces=surfaces)

        return opened

    return surround


def _nothing_there(asked: Json, told: Json) -> Json:
    """What is not offered is offered, and is empty."""
    if told.get("error", {}).get("code") != -32601:
        return told
    return {"jsonrpc": "2.0", "id": told["id"], "result": {}}


def _as_result(asked: Json, told: Json) -> Json:
    if told.get("error", {}).get("code") != -32602:
        return told
    return {"jsonrpc": "2.0", "id": told["id"], "result": results.failure(told["error"]["message"])}


def _promising(asked: Json, told: Json) -> Json:
    if asked["method"] == "initialize":
        told["result"]["capabilities"]["resources"] = {}
    return told


SURROUNDING_TWINS = (
    around(telling(_nothing_there), "methods that are not offered answered", "MC01-nothing-else"),
    around(telling(_as_result), "a call that is none is a result", "mcp-params"),
    around(telling(_promising), "resources promised", "mcp-initialize"),
)

TWINS = (*LISTING_TWINS, *TAKING_TWINS, *ANSWERING_TWINS, *SURROUNDING_TWINS)
