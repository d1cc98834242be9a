"""The semantic tools over plain HTTP under `/api/cos`, for whomever the gate lets in (spec C.5)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from .access.cross_origin import is_cross_origin
from .access.nouns import Identity
from .boundary.origins import is_loopback_origin
from .boundary.peers import is_loopback
from .exchange import Head, Reply, error_reply, json_reply
from .javascript import cut, utf16_length
from .semantic.envelopes import envelope_issues, read_envelope
from .semantic.formats import FORMATS, SCOPES
from .semantic.nouns import STATUSES, Authority, Refused, ToolCall

Json: TypeAlias = Any

Issue: TypeAlias = tuple[str, str]
"""Where something is wrong, empty for the whole, and what; never what was sent."""

ROOT: Final = "/api/cos/"
CATALOGUE: Final = "/api/cos/tools"
CALL: Final = "/api/cos/tools/call"
CALLS: Final = "/api/cos/tools/calls/"

MAX_INTENT_CHARS: Final = 500
MAX_DETAILS: Final = 20
MAX_PATH_CHARS: Final = 120
_CACHED: Final = ("cache-control", "private, no-cache")
_CHOICES: Final = {"scope": SCOPES, "format": tuple(FORMATS)}


class Tools(Protocol):
    """The semantic core, as this adapter needs it. `settings` is the whole document."""

    def catalogue(self, scope: str, form: str, settings: Json) -> Json:
        """The catalogue for `all` or an authority's scope, as `portos`, `openai`, `anthropic` or `mcp`."""
        ...

    def call(self, call: ToolCall, authority: Authority) -> Json:
        """The normalised result of a call, its `state` either `completed` or `failed`. Raises Refused."""
        ...

    def stored(self, request_id: str) -> Json:
        """The normalised result of an earlier call. Raises Refused where none is remembered."""
        ...


def query_issues(query: Mapping[str, list[str]]) -> list[Issue]:
    """What is wrong with the query of the catalogue, which is closed. Each parameter stands at most once."""
    issues = [(name, "is not allowed") for name in query if name not in (*_CHOICES, "intent")]
    issues += [(name, "must stand once") for name, values in query.items() if len(values) > 1]
    for name, choices in _CHOICES.items():
        if any(value not in choices for value in query.get(name, ())):
            issues.append((name, f"must be one of {', '.join(choices)}"))
    if any(utf16_length(intent) > MAX_INTENT_CHARS for intent in query.get("intent", ())):
        issues.append(("intent", f"must have at most {MAX_INTENT_CHARS} characters"))
    return issues


def is_key_of(key: str, request_id: str | None) -> bool:
    """Whether an Idempotency-Key header, empty where none was sent, goes with the call's own id."""
    return key in ("", request_id)


def authority_of(identity: Identity) -> Authority:
    """A call through here is the user's own: no grant is asked for, but writing asks for a credential."""
    return Authority("ui", frozenset(), identity.authenticated)


def etag_of(document: Json) -> str:
    """A strong tag: the same for the same document, in whatever order its keys stand."""
    digest = sha256(msgspec.json.encode(document, order="deterministic")).digest()
    return f'"{urlsafe_b64encode(digest).rstrip(b"=").decode()}"'


def is_current(if_none_match: str, etag: str) -> bool:
    """Whether the client has this very document; only the exact tag says so, no list and no `*`."""
    return if_none_match == etag


def status_of(result: Json) -> int:
    """200 for what was carried out, 422 for what failed."""
    return 200 if result["state"] == "completed" else 422


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Whether a page may have sent this that is not this machine's own: by another Origin, or by a Host that
    somebody has made to lead here. Without a password nothing else would stand between it and the store.
    """
    host = headers.get("host", "")
    # No browser leaves the Host out.
    return is_cross_origin(headers) or bool(host and not is_loopback_origin(f"http://{host}", is_loopback))


class AdapterRules(NamedTuple):
    """Every rule of the adapter, each replaceable on its own."""

    query_issues: Callable[[Mapping[str, list[str]]], list[Issue]] = query_issues
    call_issues: Callable[[Json], list[Issue]] = envelope_issues
    read_call: Callable[[Json], ToolCall] = read_envelope
    is_key_of: Callable[[str, str | None], bool] = is_key_of
    authority_of: Callable[[Identity], Authority] = authority_of
    etag_of: Callable[[Json], str] = etag_of
    is_current: Callable[[str, str], bool] = is_current
    status_of: Callable[[Json], int] = status_of
    is_foreign: Callable[[Mapping[str, str]], bool] = is_foreign


ADAPTER: Final = AdapterRules()


class HttpAdapter(NamedTuple):
    """Answers under `/api/cos`; `now` in seconds since 1970."""

    rules: AdapterRules
    tools: Tools
    now: Callable[[], float]

    def answer(self, head: Head, body: Json, identity: Identity, settings: Json) -> Reply | None:
        """The reply, or None for what is not asked of this. `body` is JSON, `...` where there is none."""
        if not f"{head.path}/".startswith(ROOT):
            return None
        if not identity.enabled and self.rules.is_foreign(head.headers):
            return error_reply(403, "CROSS_ORIGIN_BLOCKED", "Cross-origin request rejected", self.now())
        is_reading = head.method in ("GET", "HEAD")
        try:
            if is_reading and head.path == CATALOGUE:
                return self._tell_catalogue(head, settings)
            if head.method == "POST" and head.path == CALL:
                return self._call(head, body, identity)
            request_id = head.path.removeprefix(CALLS)
            if is_reading and request_id not in ("", head.path) and "/" not in request_id:
                return json_reply(self.tools.stored(request_id))
        except Refused as refused:
            return error_reply(STATUSES[refused.code], refused.code, _plain(str(refused)), self.now())
        return None

    def _tell_catalogue(self, head: Head, settings: Json) -> Reply:
        query = _parse_query(head.query)
        issues = self.rules.query_issues(query)
        if issues:
            return self._invalid("Invalid query", issues)
        # `intent` is taken and changes nothing: the catalogue is small enough to be told whole.
        form, scope = query.get("format", ["portos"])[0], query.get("scope", ["all"])[0]
        document = self.tools.catalogue(scope, form, settings)
        etag = self.rules.etag_of(document)
        if self.rules.is_current(head.headers.get("if-none-match", ""), etag):
            return Reply(304, (("etag", etag), _CACHED))
        return json_reply(document, 200, ("etag", etag), _CACHED)

    def _call(self, head: Head, body: Json, identity: Identity) -> Reply:
        issues = self.rules.call_issues(body)
        if issues:
            return self._invalid("Invalid tool call", issues)
        call = self.rules.read_call(body)
        if not self.rules.is_key_of(head.headers.get("idempotency-key", "").strip(), call.request_id):
            raise Refused("TOOL_IDEMPOTENCY_MISMATCH", "Idempotency-Key must equal requestId")
        result = self.tools.call(call, self.rules.authority_of(identity))
        return json_reply(result, self.rules.status_of(result))

    def _invalid(self, text: str, issues: list[Issue]) -> Reply:
        details = [
            {"path": _plain(cut(path, MAX_PATH_CHARS)), "message": message}
            for path, message in issues[:MAX_DETAILS]
        ]
        return error_reply(400, "VALIDATION_ERROR", text, self.now(), {"details": details})


def _plain(text: str) -> str:
    """Without half a surrogate pair, which may come from what was sent."""
    return text.encode(errors="replace").decode()


def _parse_query(query: str) -> dict[str, list[str]]:
    # Imported here: it takes 2 ms, and most runs ask for no catalogue.
    from urllib.parse import parse_qs

    return parse_qs(query, keep_blank_values=True)
