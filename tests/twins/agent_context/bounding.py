"""Twins with a hole in the HTTP boundary: who may ask, by which path and method, with what body (spec B)."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable
from typing import Any

from evalkit.contracts.agent_context.boundary.bodies import announced
from evalkit.contracts.agent_context.boundary.contents import PARSERS, parse_json, read_content
from evalkit.contracts.agent_context.boundary.nouns import Announced, Headers, Parse, Unreadable, malformed
from evalkit.contracts.agent_context.boundary.origins import is_loopback_origin
from evalkit.contracts.agent_context.boundary.paths import normalise
from evalkit.contracts.agent_context.boundary.peers import is_loopback
from evalkit.contracts.agent_context.boundary.sharing import sharing_headers
from evalkit.contracts.agent_context.boundary.urls import host_of
from evalkit.contracts.agent_context.exchange import Head, Reply, error_reply, json_reply
from evalkit.contracts.agent_context.settings import read_settings
from evalkit.contracts.agent_context.vocabulary import Settings
from evalkit.model import Json
from tests.twins.agent_context.wire import MANIFEST, MCP, Ask, Asked, answering, asking, between, telling
from tests.twins.twin import Twin, around, twin, twin_of

_NOW = 1_767_225_600.0


def _bounded(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("boundary", name, *promised_by, **change)


PATH_TWINS = (
    _bounded(
        "a final slash makes another path",
        "h-path-spellings[slash]",
        normalise=lambda path: path.lower(),
    ),
    _bounded(
        "the case of a path matters",
        "h-path-spellings[case]",
        normalise=lambda path: path.removesuffix("/"),
    ),
    _bounded(
        "what stands below a path is that path",
        "h-404[below]",
        normalise=lambda path: MCP if path.startswith(f"{MCP}/") else normalise(path),
    ),
    around(
        asking(lambda asked: _moved(asked, "/api/agent-context")), "the root is the manifest", "h-404[router]"
    ),
    around(
        asking(lambda asked: asked._replace(method="GET") if asked.path == MANIFEST else asked),
        "every method gives the manifest",
        "h-404[manifest]",
    ),
    around(
        asking(lambda asked: asked._replace(method="POST") if asked.method == "PUT" else asked),
        "PUT taken as POST",
        "h-404[put]",
    ),
    around(
        telling(
            lambda asked, reply: reply._replace(body=b"<h1>Not found</h1>") if reply.status == 404 else reply
        ),
        "what is not found told in HTML",
        "h-404",
    ),
)


def _moved(asked: Asked, path: str) -> Asked:
    return asked._replace(path=MANIFEST) if asked.path == path else asked


def _claimed(header: str, find: Callable[[str], str] = str) -> Callable[[Head], str]:
    """Believes what a header says of the caller."""
    return lambda head: find(head.headers[header]) if header in head.headers else head.peer


def _also(let_in: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda address: is_loopback(address) or let_in(address)


def _but(shut_out: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda address: is_loopback(address) and not shut_out(address)


def _is_mapped(address: str) -> bool:
    try:
        mapped = ipaddress.IPv6Address(address.strip("[]")).ipv4_mapped
    except ValueError:
        return False
    return mapped is not None and mapped.is_loopback


PEER_TWINS = (
    _bounded(
        "forwarded header trusted",
        "h-peer-nonloop-call[x-forwarded-for]",
        "h-xff-ignored[peer]",
        caller=_claimed("x-forwarded-for"),
    ),
    _bounded(
        "the standard forwarded header trusted",
        "h-peer-nonloop-call[forwarded]",
        caller=_claimed("forwarded", lambda said: said.removeprefix("for=")),
    ),
    _bounded(
        "the header of a reverse proxy trusted",
        "h-peer-nonloop-call[x-real-ip]",
        caller=_claimed("x-real-ip"),
    ),
    _bounded(
        "Host taken for the caller",
        "h-peer-nonloop-call[host]",
        "h-xff-ignored[host]",
        caller=_claimed("host", lambda host: host.partition(":")[0]),
    ),
    _bounded(
        "the peer not checked",
        "h-peer-nonloop",
        "h-peer-nonloop-call",
        "h-peer-before-origin",
        is_loopback=lambda address: True,
    ),
    _bounded(
        "127.x other than .0.1 refused",
        "h-peer-forms[block]",
        "h-origin-ok[block]",
        is_loopback=_but(lambda address: address.startswith("127.") and address != "127.0.0.1"),
    ),
    _bounded(
        "a byte of an address is any number",
        "h-peer-nonloop[no-byte]",
        is_loopback=_also(lambda address: re.fullmatch(r"127(\.[0-9]{1,3}){3}", address) is not None),
    ),
    _bounded(
        "a short address filled up",
        "h-peer-nonloop[short]",
        is_loopback=_also(lambda address: re.fullmatch(r"127(\.[0-9]{1,2}){1,3}", address) is not None),
    ),
    _bounded(
        "the address of every interface is this machine",
        "h-peer-nonloop[any]",
        "h-origin-bad[any]",
        is_loopback=_also(lambda address: address == "0.0.0.0"),
    ),
    _bounded(
        "a peer without an address is this machine",
        "h-peer-nonloop[none]",
        is_loopback=_also(lambda address: not address),
    ),
    _bounded(
        "a private network is this machine",
        "h-peer-nonloop[private]",
        is_loopback=_also(lambda address: address.startswith(("10.", "192.168."))),
    ),
    _bounded(
        "a mapped address read as a number",
        "h-peer-nonloop[mapped]",
        "h-origin-bad[mapped]",
        is_loopback=_also(_is_mapped),
    ),
    _bounded(
        "IPv6 forgotten",
        "h-peer-forms[ipv6]",
        "h-peer-forms[brackets]",
        "h-origin-ok[ipv6]",
        is_loopback=_but(lambda address: address.strip("[]") == "::1"),
    ),
    _bounded(
        "a zone makes another address", "h-peer-forms[zone]", is_loopback=_but(lambda address: "%" in address)
    ),
    _bounded(
        "brackets make another address",
        "h-peer-forms[brackets]",
        is_loopback=_but(lambda address: address.startswith("[")),
    ),
    _bounded(
        "the case of an address matters",
        "h-peer-forms[mapped]",
        is_loopback=_but(lambda address: address != address.lower()),
    ),
    _bounded(
        "the name of this machine not known",
        "h-peer-forms[name]",
        "h-origin-ok[name]",
        is_loopback=_but(lambda address: address == "localhost"),
    ),
)

Origin = Callable[[str, Callable[[str], bool]], bool]


def _origin_also(let_in: Callable[[str], object]) -> Origin:
    return lambda origin, test: is_loopback_origin(origin, test) or bool(let_in(origin))


def _origin_but(shut_out: Callable[[str], object]) -> Origin:
    return lambda origin, test: is_loopback_origin(origin, test) and not shut_out(origin)


def _rejected() -> Reply:
    text = "Agent context rejected a non-loopback Origin"
    return error_reply(403, "AGENT_CONTEXT_ORIGIN_REJECTED", text, _NOW)


def _is_foreign(asked: Asked) -> bool:
    origin = asked.headers.get("origin")
    return bool(origin) and not is_loopback_origin(str(origin), is_loopback)


def _unchecked(path: str) -> Callable[[Asked], Asked]:
    return lambda asked: asked.without("origin") if asked.path == path else asked


ORIGIN_TWINS = (
    _bounded(
        "Origin not checked",
        "h-origin-bad",
        "h-origin-manifest",
        is_loopback_origin=lambda origin, test: True,
    ),
    _bounded(
        "null Origin let in",
        "h-origin-bad[null]",
        is_loopback_origin=_origin_also(lambda origin: origin == "null"),
    ),
    _bounded(
        "an Origin that is no URL let in",
        "h-origin-bad[garbage]",
        "h-origin-bad[null]",
        is_loopback_origin=_origin_also(lambda origin: host_of(origin) is None),
    ),
    _bounded(
        "an Origin without a host let in",
        "h-origin-bad[file]",
        is_loopback_origin=_origin_also(lambda origin: host_of(origin) == ""),
    ),
    _bounded(
        "an Origin that begins with localhost let in",
        "h-origin-bad[suffix]",
        is_loopback_origin=_origin_also(lambda origin: origin.startswith("http://localhost")),
    ),
    _bounded(
        "an Origin that ends with localhost let in",
        "h-origin-bad[sub]",
        is_loopback_origin=_origin_also(lambda origin: origin.endswith("localhost")),
    ),
    _bounded(
        "the host of an Origin found after the first at",
        "h-origin-bad[user]",
        is_loopback_origin=_origin_also(lambda origin: "@localhost" in origin),
    ),
    _bounded(
        "the host of an Origin taken as it is written",
        "h-origin-bad[mapped]",
        "h-origin-numeric",
        is_loopback_origin=lambda origin, test: test(re.sub(r"^[^:]*://|:\d+$", "", origin)),
    ),
    _bounded(
        "any number in an Origin is this machine",
        "h-origin-bad[other-number]",
        is_loopback_origin=_origin_also(lambda origin: re.fullmatch(r"http://\d+", origin)),
    ),
    _bounded(
        "a hexadecimal host not read",
        "h-origin-numeric[hexadecimal]",
        is_loopback_origin=_origin_but(lambda origin: "0x" in origin),
    ),
    _bounded(
        "a page elsewhere on the web let in",
        "h-origin-bad[foreign]",
        is_loopback_origin=_origin_also(lambda origin: origin.startswith("https://")),
    ),
    _bounded(
        "only one port may ask",
        "h-origin-ok[ipv6]",
        is_loopback_origin=_origin_but(lambda origin: origin.endswith(":9")),
    ),
    _bounded(
        "the case of an Origin matters",
        "h-origin-ok[case]",
        is_loopback_origin=_origin_but(lambda origin: origin != origin.lower()),
    ),
    _bounded(
        "only pages of the web may ask",
        "h-origin-ok[extension]",
        is_loopback_origin=_origin_but(lambda origin: not origin.startswith("http")),
    ),
    around(
        answering(lambda asked: _rejected() if asked.headers.get("origin") == "" else None),
        "an empty Origin refused",
        "h-origin-ok[none]",
    ),
    around(
        answering(lambda asked: _rejected() if _is_foreign(asked) and asked.path == MANIFEST else None),
        "the Origin judged before the peer",
        "h-peer-before-origin",
    ),
    around(asking(_unchecked(MANIFEST)), "the manifest told to every page", "h-origin-manifest[manifest]"),
    around(
        asking(_unchecked(MCP)),
        "a closed context told to every page",
        "h-origin-manifest[mcp]",
    ),
    around(
        asking(_unchecked("/api/agent-context/nothing")),
        "only known paths are for this machine alone",
        "h-origin-manifest[nothing]",
    ),
)


def _at_mcp(*methods: str, reply: Reply) -> Callable[[Asked], Reply | None]:
    """Answers some methods at once, whatever the contract says."""
    return lambda asked: reply if asked.method in methods and normalise(asked.path) == MCP else None


def _invalid_kept(document: Json) -> Settings:
    """What is invalid is as it was meant."""
    settings = read_settings(document)
    return settings if settings.valid else settings._replace(enabled=True, valid=True)


def _without_length(asked: Asked, reply: Reply) -> Reply:
    return reply._replace(headers=tuple(pair for pair in reply.headers if pair[0] != "content-length"))


def _closed_whole(asked: Asked, reply: Reply) -> Reply:
    return reply._replace(status=403) if b'"enabled":false' in reply.body else reply


def _wordless(asked: Asked, reply: Reply) -> Reply:
    return reply._replace(body=b"{}") if reply.status == 403 else reply


METHOD_TWINS = (
    twin("a disabled context takes messages", "h-mcp-off", "h-mcp-off-text", is_open=lambda settings: True),
    twin(
        "a context that is configured wrongly takes messages",
        "h-mcp-off-text[invalid]",
        read_settings=_invalid_kept,
    ),
    around(telling(_closed_whole), "the manifest closed with the rest", "h-manifest-off"),
    around(telling(_wordless), "a refusal without words", "h-mcp-off-text", "h-origin-bad"),
    around(telling(_without_length), "a reply without a length", "h-manifest-on"),
    around(
        answering(lambda asked: Reply(404) if asked.method == "HEAD" else None),
        "HEAD not known",
        "h-manifest-on[HEAD]",
        "h-405[method=HEAD]",
    ),
    around(
        answering(_at_mcp("GET", reply=Reply(200, (("content-type", "text/event-stream"),)))),
        "GET opens a stream",
        "h-405[method=GET]",
        "h-mcp-off[method=GET]",
        "h-path-spellings",
    ),
    around(
        answering(_at_mcp("DELETE", reply=Reply(204))),
        "DELETE ends a session",
        "h-405[method=DELETE]",
        "h-mcp-off[method=DELETE]",
    ),
    around(
        telling(
            lambda asked, reply: reply._replace(headers=reply.headers[1:]) if reply.status == 405 else reply
        ),
        "the methods that are allowed not named",
        "h-405",
    ),
    around(
        answering(_at_mcp("GET", "HEAD", "DELETE", reply=Reply(405, (("allow", "POST"),)))),
        "the method judged before a closed context",
        "h-mcp-off[method=GET]",
        "h-mcp-off[method=DELETE]",
    ),
    around(
        answering(
            lambda asked: (
                json_reply({}, 406) if asked.method == "POST" and "accept" not in asked.headers else None
            )
        ),
        "Accept judged before a closed context",
        "h-mcp-off[method=POST]",
    ),
)

Read = Callable[[Announced, bytes, int, Parse], Json]


def _announced_as(change: Callable[[Announced], Announced]) -> Callable[..., Announced | None]:
    """Understands otherwise what the headers say of a body."""

    def read(method: str, headers: Any) -> Announced | None:
        found = announced(method, headers)
        return change(found) if found else None

    return read


def _media_whole(method: str, headers: Any) -> Announced | None:
    found = announced(method, headers)
    return found._replace(media=headers.get("content-type", "")) if found else None


def _read_as(decode: Callable[[bytes], str]) -> Read:
    return lambda body, raw, limit, parse: parse(decode(raw)) if raw else ...


def _empty_judged(body: Announced, raw: bytes, limit: int, parse: Parse) -> Json:
    if not raw:
        raise malformed("Unexpected end of JSON input")
    return read_content(body, raw, limit, parse)


def _packed_mended(body: Announced, raw: bytes, limit: int, parse: Parse) -> Json:
    """What cannot be unpacked is read as it came."""
    try:
        return read_content(body, raw, limit, parse)
    except Unreadable as problem:
        if problem.code != "Z_DATA_ERROR":
            raise
        return read_content(body._replace(encoding="identity", length=None), raw, limit, parse)


def _json_by(parse: Parse) -> dict[str, Parse]:
    return {**PARSERS, "application/json": parse}


def _own_code(text: str) -> Json:
    try:
        return parse_json(text)
    except Unreadable as problem:
        raise Unreadable(400, "PARSE_ERROR", str(problem)) from None


def _beginning(text: str) -> Json:
    try:
        return parse_json(text)
    except Unreadable:
        return json.JSONDecoder().raw_decode(text)[0] if text.startswith('{"') else parse_json(text)


def _null_is_none(text: str) -> Json:
    return ... if text == "null" else parse_json(text)


def _primitives_too(text: str) -> Json:
    try:
        return parse_json(text)
    except Unreadable:
        return parse_json(f"[{text}]")[0]


def _form_guessed(text: str) -> Json:
    fields = PARSERS["application/x-www-form-urlencoded"](text)
    return {name: int(value) if value.isdigit() else value for name, value in fields.items()}


def _refused_first(code: str) -> Callable[[Asked, Ask], Any]:
    """What one refusal says is told before a body is understood."""

    async def handle(asked: Asked, ask: Ask) -> Reply:
        early = await ask(asked._replace(body=b"{}").without("content-length"))
        return early if code.encode() in early.body else await ask(asked)

    return handle


BODY_TWINS = (
    _bounded("a limit of 60 MB", "h-too-large", max_body=60 * 1024 * 1024),
    _bounded(
        "announced bodies not judged", "h-too-large", "h-charset", check_announced=lambda body, limit: None
    ),
    _bounded(
        "every charset is UTF-8",
        "h-charset[latin-1]",
        "h-charset-utf16",
        announced=_announced_as(lambda body: body._replace(charset="utf-8")),
    ),
    _bounded(
        "bodies never unpacked",
        "h-charset[compress]",
        "h-gzip",
        announced=_announced_as(lambda body: body._replace(encoding="identity")),
    ),
    _bounded("a content type with a parameter is another", "h-charset-utf16", announced=_media_whole),
    _bounded(
        "what is no UTF-8 is mended",
        "h-badjson-not-utf8",
        read_content=_read_as(lambda raw: raw.decode(errors="replace")),
    ),
    _bounded("a byte order mark is in the way", "h-bom", read_content=_read_as(lambda raw: raw.decode())),
    _bounded("no body is bad JSON", "h-empty-body", read_content=_empty_judged),
    _bounded(
        "what cannot be unpacked is read as it came",
        "h-gzip[cut]",
        "h-gzip[none]",
        read_content=_packed_mended,
    ),
    _bounded(
        "bad JSON told in another way",
        "h-badjson",
        "h-badjson-deep",
        "h-primitive",
        parsers=_json_by(_own_code),
    ),
    _bounded("NaN is JSON", "h-badjson[nan]", parsers=_json_by(json.loads)),
    _bounded("a depth that breaks the stack", "h-badjson-deep", parsers=_json_by(json.loads)),
    _bounded(
        "what stands after a message is dropped",
        "h-badjson[two]",
        parsers=_json_by(_beginning),
    ),
    _bounded("null is no body", "h-primitive[null]", parsers=_json_by(_null_is_none)),
    _bounded("a bare value may be a message", "h-primitive", parsers=_json_by(_primitives_too)),
    _bounded(
        "JSON that says it is text is read",
        "h-text-plain[plain]",
        parsers={**PARSERS, "text/plain": parse_json},
    ),
    _bounded(
        "a body that does not say what it is is JSON",
        "h-text-plain[untyped]",
        parsers={**PARSERS, "": parse_json},
    ),
    _bounded("forms not read", "h-form", parsers={"application/json": parse_json}),
    _bounded(
        "numbers guessed in a form",
        "h-form",
        parsers={**PARSERS, "application/x-www-form-urlencoded": _form_guessed},
    ),
    around(
        between(_refused_first("AGENT_CONTEXT_DISABLED")),
        "a closed context told before the body is read",
        "h-badjson[disabled]",
    ),
    around(
        between(_refused_first("AGENT_CONTEXT_ORIGIN_REJECTED")),
        "a foreign page told before the body is read",
        "h-badjson[foreign]",
    ),
)


def _shared(change: Callable[[dict[str, str], Head], dict[str, str]]) -> Callable[[Head], Headers]:
    return lambda head: tuple(change(dict(sharing_headers(head)), head).items())


SHARING_TWINS = (
    _bounded(
        "nothing told to browsers",
        "h-options",
        "h-origin-ok",
        "h-origin-shared",
        sharing_headers=lambda head: (),
    ),
    _bounded(
        "every Origin may read, and none is named",
        "h-options",
        "h-origin-shared[named]",
        sharing_headers=_shared(lambda told, head: {**told, "access-control-allow-origin": "*"}),
    ),
    _bounded(
        "nobody may read without an Origin",
        "h-origin-shared[none]",
        sharing_headers=_shared(
            lambda told, head: {**told, "access-control-allow-origin": head.headers.get("origin", "null")}
        ),
    ),
    _bounded("a preflight request told no method", "h-options", preflight_headers=lambda head: ()),
    around(
        answering(lambda asked: _rejected() if asked.method == "OPTIONS" and _is_foreign(asked) else None),
        "a preflight request judged by its Origin",
        "h-options",
        "h-auth-options",
    ),
)

TWINS = (
    *PATH_TWINS,
    *PEER_TWINS,
    *ORIGIN_TWINS,
    *METHOD_TWINS,
    *BODY_TWINS,
    *SHARING_TWINS,
)
