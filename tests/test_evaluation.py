"""Worlds that a server lends: made, asked below their base, looked into, changed, gone; only here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from evalkit.evaluation import LARGEST, lend
from evalkit.schemas import compile_schema
from evalkit.targets import WORLDS
from evalkit.world import START
from tests.lending import MCP, lent, nobody, open_subject, open_without_http, served

Json = Any

NOTES: Final = {"notes": {"a": "first", "b": "second"}}
PEER: Final = ("127.0.0.1", 40000)


class Client:
    """An ASGI client that says itself from where it comes, and shows every request as it is."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def __call__(
        self,
        method: str,
        path: str,
        said: Json = None,
        *,
        raw: bytes | None = None,
        body: bytes | None = None,
        peer: tuple[str, int] | None = PEER,
        headers: tuple[tuple[bytes, bytes], ...] = ((b"content-type", b"application/json"),),
        **scope: Json,
    ) -> tuple[int, Json]:
        """Status, and the answer as JSON or text."""
        sent: list[Any] = []
        body = (b"" if said is None else json.dumps(said).encode()) if body is None else body
        asked = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "method": method,
            "path": path,
            "raw_path": path.encode() if raw is None else raw,
            "query_string": b"",
            "headers": list(headers),
            "client": peer,
            **scope,
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(asked, receive, send))
        text = b"".join(message.get("body", b"") for message in sent[1:]).decode()
        is_json = dict(sent[0]["headers"]).get(b"content-type") == b"application/json"
        return sent[0]["status"], json.loads(text) if is_json else text

    def world(self, fixture: Json = NOTES, **more: Json) -> Json:
        """A new World."""
        status, made = self("POST", WORLDS, {"fixture": fixture, **more})
        assert status == 201, made
        return made

    def tool(self, world: Json, name: str, **args: str) -> Json:
        """The result of a tool there."""
        call: Json = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        call["params"] = {"name": name, "arguments": args}
        status, answer = self("POST", world["base"] + MCP, call)
        assert status == 200
        return answer["result"]


@pytest.fixture
def ask() -> Iterator[Client]:
    app = lend(open_subject, nobody)
    yield Client(app)
    app.close()


def test_a_world_answers_below_its_base_as_if_it_were_served_alone(ask: Client) -> None:
    world = ask.world()
    assert ask("GET", f"{world['base']}/notes/a") == (200, {"text": "first"})
    assert ask.tool(world, "read", note="b")["structuredContent"] == {"text": "second", "at": int(START)}
    assert ask("GET", f"{world['base']}/notes/none") == (404, {"path": "/notes/none"})


def test_worlds_do_not_know_of_one_another(ask: Client) -> None:
    one, other = ask.world(), ask.world({"notes": {"a": "elsewhere"}})
    assert one["id"] != other["id"]
    ask.tool(one, "write", note="a", text="changed")
    assert ask("GET", f"{one['base']}/notes/a")[1] == {"text": "changed"}
    assert ask("GET", f"{other['base']}/notes/a")[1] == {"text": "elsewhere"}
    assert ask("GET", f"{WORLDS}/{other['id']}/log")[1]["effects"] == []


def test_only_the_base_is_taken_off_a_request(ask: Client) -> None:
    base = ask.world()["base"]
    raw = f"{base}/%77hoami".encode()
    status, seen = ask("PUT", f"{base}/whoami", raw=raw, body=b"\x00x", peer=("127.9.9.9", 1))
    assert status == 200
    assert seen == {"raw": "/%77hoami", "peer": "127.9.9.9", "method": "PUT", "body": "\x00x"}
    assert ask("GET", f"{base}//../x", raw=f"{base}//../x".encode()) == (404, {"path": "//../x"})


def test_a_server_that_gives_no_raw_path_is_enough(ask: Client) -> None:
    base = ask.world()["base"]
    assert ask("GET", f"{base}/notes/a", raw_path=None) == (200, {"text": "first"})


def test_everything_else_is_the_app_s(ask: Client) -> None:
    for path in ("/", "/notes/a", f"{WORLDS}-not", "/.well-known/evalkit", MCP):
        assert ask("GET", path) == (200, {"real": path})


def test_the_log_says_what_the_sources_were_asked_and_what_was_written(ask: Client) -> None:
    world = ask.world()
    assert (world["calls"], world["effects"]) == ({"notes": 0, "trash": 0}, [])
    ask.tool(world, "read", note="a")
    ask.tool(world, "write", note="c", text="third")
    status, log = ask("GET", f"{WORLDS}/{world['id']}/log")
    assert status == 200
    assert log == {"calls": {"notes": 1, "trash": 0}, "effects": [{"note": "c", "text": "third"}]}


def test_a_snapshot_says_what_each_source_holds(ask: Client) -> None:
    world = ask.world()
    ask.tool(world, "write", note="c", text="third")
    held = {"notes": {"a": "first", "b": "second", "c": "third"}}
    assert ask("GET", f"{WORLDS}/{world['id']}/snapshot") == (200, held)


def test_a_world_is_patched_set_and_advanced(ask: Client) -> None:
    world = ask.world(settings={"locked": False})
    change = {"patch": {"notes": {"a": None, "b": "other"}}, "settings": {"locked": True}, "advance": 60}
    assert ask("PATCH", f"{WORLDS}/{world['id']}", change)[0] == 200
    assert ask.tool(world, "read", note="b")["structuredContent"] == {"text": "other", "at": int(START) + 60}
    assert ask.tool(world, "read", note="a")["isError"] is True
    assert ask.tool(world, "write", note="c", text="x")["isError"] is True


def test_a_subject_elsewhere_is_told_of_a_change() -> None:
    told: list[Json] = []
    ask = Client(lend(lambda world: open_subject(world)._replace(moved=told.append), nobody))
    ask("PATCH", f"{WORLDS}/{ask.world()['id']}", {"advance": 1.5})
    assert told == [{"advance": 1.5}]


def test_a_world_that_was_deleted_is_gone(ask: Client) -> None:
    world = ask.world()
    assert ask("DELETE", f"{WORLDS}/{world['id']}") == (200, {})
    for method, path in (
        ("GET", f"{world['base']}/notes/a"),
        ("GET", f"{WORLDS}/{world['id']}/log"),
        ("GET", f"{WORLDS}/{world['id']}/snapshot"),
        ("DELETE", f"{WORLDS}/{world['id']}"),
    ):
        status, told = ask(method, path)
        assert (status, told) == (404, "there is no such World here, or it had to go for newer ones")


def test_the_oldest_world_goes_for_a_new_one() -> None:
    closed: list[Json] = []

    def open_noting(world: Any) -> Any:
        return open_subject(world)._replace(close=lambda: closed.append(world.fixture))

    app = lend(open_noting, nobody, most=2)
    ask = Client(app)
    worlds = [ask.world({"notes": {"n": name}}) for name in ("1", "2", "3")]
    assert closed == [{"notes": {"n": "1"}}]
    statuses = [ask("GET", f"{world['base']}/notes/n")[0] for world in worlds]
    assert statuses == [404, 200, 200]
    app.close()
    assert [fixture["notes"]["n"] for fixture in closed] == ["1", "2", "3"]


def test_a_world_that_cannot_be_closed_keeps_no_other_from_it() -> None:
    closed: list[Json] = []

    def open_stuck(world: Any) -> Any:
        def close() -> None:
            closed.append(world.fixture["notes"]["n"])
            if len(closed) == 1:
                raise OSError("busy")

        return open_subject(world)._replace(close=close)

    app = lend(open_stuck, nobody)
    for name in ("1", "2"):
        Client(app).world({"notes": {"n": name}})
    with pytest.raises(OSError, match="busy"):
        app.close()
    assert closed == ["1", "2"]


def test_the_end_of_a_lifespan_closes_every_world() -> None:
    closed: list[str] = []
    app = lend(lambda world: open_subject(world)._replace(close=lambda: closed.append("closed")), nobody)
    Client(app).world()
    asyncio.run(app({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert closed == ["closed"]


# ── who may ask, and how ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("peer", [("10.0.0.1", 1), ("::2", 1), ("::ffff:10.0.0.1", 1), ("", 0), None])
def test_only_this_machine_is_lent_worlds(ask: Client, peer: tuple[str, int] | None) -> None:
    world = ask.world()
    forwarded = ((b"x-forwarded-for", b"127.0.0.1"), (b"content-type", b"application/json"))
    for method, path in (
        ("POST", WORLDS),
        ("GET", f"{WORLDS}/{world['id']}/log"),
        ("GET", f"{world['base']}/notes/a"),
    ):
        assert ask(method, path, {"fixture": {}}, peer=peer, headers=forwarded)[0] == 403
    assert ask("GET", "/", peer=peer)[0] == 200


@pytest.mark.parametrize("peer", [("127.0.0.1", 1), ("127.5.6.7", 1), ("::1", 1), ("::ffff:127.0.0.1", 1)])
def test_every_address_of_this_machine_is_this_machine(ask: Client, peer: tuple[str, int]) -> None:
    assert ask("POST", WORLDS, {"fixture": {}}, peer=peer)[0] == 201


def test_a_page_in_a_browser_is_lent_nothing(ask: Client) -> None:
    page = ((b"origin", b"http://127.0.0.1"), (b"content-type", b"application/json"))
    assert ask("POST", WORLDS, {"fixture": {}}, headers=page)[0] == 403
    assert ask("POST", WORLDS, {"fixture": {}}, headers=((b"content-type", b"text/plain"),))[0] == 400
    world = ask.world()
    for method, path in (("GET", "/log"), ("GET", "/snapshot"), ("DELETE", "")):
        assert ask(method, f"{WORLDS}/{world['id']}{path}", headers=page)[0] == 403
    assert ask("GET", f"{world['base']}/notes/a", headers=page)[0] == 200  # the contract's own to judge


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff{}", "no JSON"),
        (b'{"fixture": {}, "fixture": {}}', "stands twice"),
        (b'{"fixture": {"n": NaN}}', "NaN is no JSON"),
        (b'{"fixture": ' + b"[" * 300 + b"]" * 300 + b"}", "nested deeper"),
        (b'{"fixture": ' + b"[" * 100_000, "no JSON"),
        (b"[]", "send an object with fixture, settings"),
        (b"{}", "`fixture` wants an object"),
        (b'{"fixture": null}', "`fixture` wants an object"),
        (b'{"fixture": {}, "clock": 1}', "and nothing else"),
    ],
)
def test_what_no_world_can_be_made_of_is_refused(ask: Client, body: bytes, told: str) -> None:
    status, text = ask("POST", WORLDS, body=body)
    assert status == 400
    assert told in text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "nothing to change"),
        ({"patch": []}, "`patch` wants an object"),
        ({"patch": None}, "`patch` wants an object"),
        ({"advance": 0}, "`advance` wants"),
        ({"advance": -1}, "`advance` wants"),
        ({"advance": True}, "`advance` wants"),
        ({"advance": "1"}, "`advance` wants"),
        ({"fixture": {}}, "and nothing else"),
    ],
)
def test_what_no_world_can_become_is_refused(ask: Client, change: Json, told: str) -> None:
    world = ask.world()
    status, text = ask("PATCH", f"{WORLDS}/{world['id']}", change)
    assert status == 400
    assert told in text


def test_a_body_without_end_is_refused(ask: Client) -> None:
    assert ask("POST", WORLDS, body=b" " * (LARGEST + 1))[0] == 413


def test_a_fixture_is_held_against_the_contract_s_schema() -> None:
    schema = compile_schema({"properties": {"notes": {"type": "object"}}})
    ask = Client(lend(open_subject, nobody, fixture_schema=schema))
    status, told = ask("POST", WORLDS, {"fixture": {"notes": 1}})
    assert (status, told.partition(":")[0]) == (400, "the contract's fixture schema")
    assert "notes" in told


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", WORLDS), ("PUT", WORLDS), ("GET", f"{WORLDS}/0a"), ("POST", f"{WORLDS}/0a/log")],
)
def test_another_method_is_refused(ask: Client, method: str, path: str) -> None:
    assert ask(method, path)[0] == 405


@pytest.mark.parametrize("path", ["/", "/0a/other", "/0a/app", "/0a/log/"])
def test_there_is_nothing_else(ask: Client, path: str) -> None:
    assert ask("GET", WORLDS + path)[0] == 404


def test_a_contract_without_http_lends_nothing() -> None:
    status, told = Client(lend(open_without_http, nobody))("POST", WORLDS, {"fixture": {}})
    assert (status, told) == (501, "this contract has no way in `http` that could be lent")


def test_a_contract_that_shows_no_sources_says_so() -> None:
    ask = Client(lend(lambda world: open_subject(world)._replace(snapshot=None), nobody))
    status, told = ask("GET", f"{WORLDS}/{ask.world()['id']}/snapshot")
    assert (status, told) == (501, "the contract gives no snapshot of its sources")


def test_what_a_contract_raises_is_told_over_the_wire() -> None:
    with lent() as origin, httpx.Client(trust_env=False) as client:
        answer = client.post(origin + WORLDS, json={"fixture": {"broken": True}})
    assert answer.status_code == 500
    assert answer.text == "the contract failed: ValueError: the notebook is broken"


def test_a_real_server_lends_as_well() -> None:
    with served(lend(open_subject, nobody)) as origin, httpx.Client(trust_env=False) as client:
        world = client.post(origin + WORLDS, json={"fixture": NOTES, "settings": None}).json()
        assert client.get(f"{origin}{world['base']}/notes/a").json() == {"text": "first"}
        assert client.get(f"{origin}/x").json() == {"real": "/x"}
        assert client.delete(f"{origin}{WORLDS}/{world['id']}").status_code == 200
        assert client.get(f"{origin}{world['base']}/notes/a").status_code == 404
