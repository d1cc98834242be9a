"""A run's exchanges with a live target as a file, and a target that answers from such a file."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from evalkit.errors import CaseError, HarnessError
from evalkit.model import Case, Json, Target
from evalkit.spellings import mask
from evalkit.values import encode, parse_json

KIND: Final = "evalkit-recording"
VERSION: Final = 1
NOT_RECORDED: Final = "not-recorded"

_SHOWN: Final = 300


class Tape:
    """Appends what is exchanged to a file, a line each, without the secrets of the case that goes on."""

    def __init__(self, file: str) -> None:
        """Take the file, which may not be there yet."""
        self._file, self._case = file, ""
        self._secrets: Mapping[str, str] = {}

    def begin(self, case: Case) -> None:
        """What comes now belongs to this case."""
        self._case, self._secrets = case.id, case.secrets

    def __call__(self, exchange: Mapping[str, Json]) -> None:
        """Write one exchange."""
        line = json.dumps({"case": self._case, **_masked(exchange, self._secrets)}, ensure_ascii=True)
        with open(
            os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="ascii"
        ) as file:
            file.write(f"{line}\n")


class Player:
    """Answers requests from a recording: first as for the case that goes on, else where all answers agree."""

    def __init__(self, exchanges: Iterable[Mapping[str, Json]], *, has_headers: bool) -> None:
        """Take the exchanges in their order."""
        self.has_headers = has_headers
        self._case, self._secrets = "", dict[str, str]()
        self._of_case: dict[tuple[str, str, str], list[Mapping[str, Json]]] = {}
        self._of_all: dict[tuple[str, str], list[Mapping[str, Json]]] = {}
        self._taken: Counter[tuple[str, str]] = Counter()
        for one in exchanges:
            self._of_case.setdefault((one["case"], one["kind"], one["key"]), []).append(one)
            self._of_all.setdefault((one["kind"], one["key"]), []).append(one)

    def play(self, case: Case) -> None:
        """What is asked now is asked by this case."""
        self._case, self._secrets = case.id, dict(case.secrets)
        self.begin()

    def begin(self) -> None:
        """A session begins: the first answers come first again."""
        self._taken.clear()

    def take(self, kind: str, key: str) -> Mapping[str, Json]:
        """The next exchange of this key. Raises CaseError where none was recorded, or none is certain."""
        key = mask(key, self._secrets)
        number = self._taken[kind, key]
        self._taken[kind, key] += 1
        own = self._of_case.get((self._case, kind, key), [])
        if number < len(own):
            return own[number]
        every = self._of_all.get((kind, key), [])
        if not every:
            raise CaseError(NOT_RECORDED, f"no answer to this was recorded: {_short(key)}")
        if len({_content(one) for one in every}) > 1:
            told = f"several answers to this were recorded, and none for this case: {_short(key)}"
            raise CaseError(NOT_RECORDED, told)
        return every[0]


def write(file: str, target: Target, manifest: Json, lines: str) -> int:
    """Make a recording of the lines of a tape, without the target's secrets; give how many exchanges."""
    path = Path(lines)
    exchanges = [json.loads(line) for line in path.read_text("ascii").splitlines()] if path.exists() else []
    document = {"kind": KIND, "recordingVersion": VERSION}
    document |= _masked({"target": target.url, "manifest": manifest}, dict(target.secrets))
    has_headers = any(one.get("answer", {}).get("status") for one in exchanges)
    document |= {"hasHeaders": has_headers, "exchanges": exchanges}
    try:
        Path(file).write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    except OSError as problem:
        raise HarnessError(f"{file} could not be written: {problem.strerror}") from None
    return len(exchanges)


@cache
def player_of(file: str) -> Player:
    """What answers from a file, once a process. Raises HarnessError where it holds no recording."""
    try:
        document = parse_json(Path(file).read_bytes())
    except (OSError, ValueError) as problem:
        told = getattr(problem, "strerror", None) or "this is no JSON"
        raise HarnessError(f"the recording {file} cannot be read: {told}") from None
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise HarnessError(f"{file} is no recording; `evalkit record` makes one")
    if document.get("recordingVersion") != VERSION:
        raise HarnessError(f"{file} is a recording of another version than {VERSION}")
    return Player(document["exchanges"], has_headers=document["hasHeaders"])


@cache
def tape_of(file: str) -> Tape:
    """What writes to a file, once a process."""
    return Tape(file)


def _masked(value: Json, secrets: Mapping[str, str]) -> Json:
    if not secrets:
        return value
    if isinstance(value, str):
        return mask(value, secrets)
    if isinstance(value, Mapping):
        return {mask(name, secrets): _masked(inner, secrets) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(inner, secrets) for inner in value]
    return value


def _content(exchange: Mapping[str, Json]) -> str:
    """An exchange without what differs though it is the same: the ids of requests."""
    answer = exchange.get("answer", {})
    message = answer.get("message")
    if isinstance(message, dict):
        plain = {name: value for name, value in message.items() if name != "id"}
        answer = {"status": answer.get("status", 0), "message": plain}
    return encode([answer, exchange.get("error"), exchange.get("heard")])


def _short(key: str) -> str:
    return key if len(key) <= _SHOWN else f"{len(key)} characters of a request"
