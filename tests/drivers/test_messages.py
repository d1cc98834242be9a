"""Among the messages of an answer the one with our id is found, and no other is lost."""

from __future__ import annotations

import pytest

from evalkit.drivers._exchange import Chunks, Response
from evalkit.drivers._messages import Answer, is_answer, read_answer
from evalkit.model import Json
from evalkit.values import ABSENT

DONE = {"jsonrpc": "2.0", "id": 1, "result": {}}
REFUSED = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}


@pytest.mark.parametrize(
    ("message", "wanted", "ours"),
    [
        (DONE, 1, True),
        (DONE, 1.0, True),
        (DONE, 2, False),
        (DONE, "1", False),
        (DONE, True, False),
        ({**DONE, "id": "1"}, "1", True),
        (REFUSED, 1, True),
        (REFUSED, ABSENT, True),
        ({"jsonrpc": "2.0", "error": {"code": 1}}, 1, True),
        ({"error": {"code": 1}}, 1, False),
        ({"error": "Agent context is disabled", "code": "X", "timestamp": 1}, 1, False),
        ({"jsonrpc": "2.0", "id": None, "result": {}}, None, True),
        ({"jsonrpc": "2.0", "id": None, "result": {}}, 1, False),
        ({"jsonrpc": "2.0", "result": {}}, ABSENT, False),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, 1, False),
        ({"jsonrpc": "2.0", "id": 1}, 1, False),
        ([DONE], 1, False),
        ("text", 1, False),
        (ABSENT, 1, False),
    ],
)
def test_an_answer_has_our_id_or_is_an_error_that_knows_none(message: Json, wanted: Json, ours: bool) -> None:
    assert is_answer(message, wanted) is ours


def answer_to(wanted: Json, kind: str, *pieces: bytes) -> tuple[Answer, list[Json], list[bytes]]:
    """The answer, what else was heard, and the pieces that nobody read."""
    left = list(pieces)

    def chunks() -> Chunks:
        while left:
            yield left.pop(0)

    heard: list[Json] = []
    response = Response(200, ((b"Content-Type", kind.encode()),), chunks())
    return read_answer(response, wanted, heard.append), heard, left


def test_a_json_body_is_the_answer() -> None:
    answer, heard, _ = answer_to(1, "application/json", b'{"jsonrpc":"2.0",', b'"id":1,"result":{}}')
    assert (answer.message, answer.fault, heard) == (DONE, "", [])


@pytest.mark.parametrize("body", [b"", b"[1]", b'{"error":"x"}', b'{"jsonrpc":"2.0","id":9,"result":{}}'])
def test_a_json_body_of_another_kind_is_none(body: bytes) -> None:
    answer, heard, _ = answer_to(1, "application/json", body)
    assert (answer.message, answer.fault, answer.body, heard) == (ABSENT, "", body, [])


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"a":NaN}', "NaN"),
        (b'{"id":1,"id":1}', "twice"),
        (b"secret", "at character 0"),
        (b'"\xff"', "byte 1 is no UTF-8"),
    ],
)
def test_a_body_that_is_no_strict_json_is_a_fault_which_does_not_show_it(body: bytes, told: str) -> None:
    answer, _, _ = answer_to(1, "application/json", body)
    assert answer.message is ABSENT
    assert told in answer.fault
    assert "secret" not in answer.fault


STREAM = "text/event-stream; charset=utf-8"


def test_a_stream_is_read_until_our_answer_and_what_came_with_it_is_kept() -> None:
    answer, heard, left = answer_to(
        1,
        STREAM,
        b'data: {"method":"a"}\n\nevent: ping\ndata: x\n\ndata:\n\n',
        b'data: {"jsonrpc":"2.0","id":2,"result":{}}\n\n',
        b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\ndata: {"method":"b"}\n\n',
        b"data: never read\n\n",
    )
    assert answer.message == DONE
    assert heard == [{"method": "a"}, {"jsonrpc": "2.0", "id": 2, "result": {}}, {"method": "b"}]
    assert left == [b"data: never read\n\n"]


def test_a_message_without_an_id_reads_a_stream_to_its_end() -> None:
    answer, heard, left = answer_to(ABSENT, STREAM, b'data: {"method":"a"}\n\n', b'data: {"method":"b"}\n\n')
    assert (answer.message, heard, left) == (ABSENT, [{"method": "a"}, {"method": "b"}], [])


def test_a_stream_tells_how_it_is_taken_up_again() -> None:
    answer, _, _ = answer_to(1, STREAM, b"id: 7\nretry: 20\ndata:\n\n")
    assert (answer.message, answer.fault, answer.last_id, answer.retry) == (ABSENT, "", "7", 20)


@pytest.mark.parametrize(
    ("piece", "told"), [(b"data: {\n\n", "an event is no JSON"), (b"data: {}", "in the middle of an event")]
)
def test_a_broken_stream_is_a_fault(piece: bytes, told: str) -> None:
    answer, _, _ = answer_to(1, STREAM, piece)
    assert told in answer.fault


def test_noise_before_our_answer_is_a_fault_beside_it() -> None:
    answer, _, _ = answer_to(1, STREAM, b'data: log\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
    assert answer.message == DONE
    assert "no JSON" in answer.fault
