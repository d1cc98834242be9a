"""Twins with a hole in the authentication gate: where it stands, what opens it (spec B.2)."""

from __future__ import annotations

import base64
import json
import posixpath
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from evalkit.contracts.agent_context.access.basic import basic_password
from evalkit.contracts.agent_context.access.configuration import OFF, read_configuration
from evalkit.contracts.agent_context.access.cross_origin import is_cross_origin
from evalkit.contracts.agent_context.access.exemptions import PUBLIC, is_exempt
from evalkit.contracts.agent_context.access.nouns import Configuration, Identity
from evalkit.contracts.agent_context.access.passwords import is_hash, is_password
from evalkit.contracts.agent_context.access.policy import GATE
from evalkit.contracts.agent_context.access.proofs import is_proven, prove
from evalkit.contracts.agent_context.access.refusals import (
    cross_origin,
    rate_limited,
    unauthenticated,
)
from evalkit.contracts.agent_context.access.rules import AccessRules
from evalkit.contracts.agent_context.access.rules import Asked as AtGate
from evalkit.contracts.agent_context.access.throttling import is_limited, note_failure
from evalkit.contracts.agent_context.access.tokens import (
    LIFETIME_SECONDS,
    ended_cookie,
    hash_token,
    presented_token,
    session_cookie,
)
from evalkit.contracts.agent_context.boundary.paths import normalise
from evalkit.contracts.agent_context.exchange import Reply, error_reply
from evalkit.model import Json
from tests.twins.agent_context.wire import MANIFEST, MCP, Ask, Asked, Surround, answering, asking, between
from tests.twins.twin import Twin, around, twin_of

_NOW = 1_767_225_600.0
_OFF, _CROSS_ORIGIN, _EXEMPT, _SESSION, _BASIC = GATE
_RIGHT = "Basic " + base64.b64encode("anybody:orchard:gäte-0".encode()).decode()


def _guarded(name: str, *promised_by: str, **change: Any) -> Twin:
    return twin_of("access", name, *promised_by, **change)


def _without(step: object) -> tuple[Any, ...]:
    return tuple(other for other in GATE if other is not step)


def _unnoticed(rules: AccessRules, asked: AtGate) -> Reply | Identity | None:
    """The password lets in, but not as somebody."""
    found = _BASIC(rules, asked)
    return found._replace(authenticated=False) if isinstance(found, Identity) else found


def _body_first(asked: Asked) -> Reply | None:
    try:
        json.loads(asked.body or b"{}")
    except (ValueError, RecursionError) as problem:
        return error_reply(400, "BAD_REQUEST", str(problem), _NOW)
    return None


async def _closed_first(asked: Asked, ask: Ask) -> Reply:
    early = await ask(asked.with_header("authorization", _RIGHT))
    return early if b"AGENT_CONTEXT_DISABLED" in early.body else await ask(asked)


GATE_TWINS = (
    _guarded("a gate without a password", "h-auth-off", "h-manifest-off", gate=_without(_OFF)),
    _guarded(
        "a page from another site let through the gate",
        "h-auth-csrf-first",
        "h-auth-csrf-public",
        gate=_without(_CROSS_ORIGIN),
    ),
    _guarded(
        "no path is public", "h-auth-exempt", "h-auth-status", "h-auth-elsewhere", gate=_without(_EXEMPT)
    ),
    _guarded("sessions open nothing", "h-auth-bearer", "h-auth-cookie", gate=_without(_SESSION)),
    _guarded("the password itself opens nothing", "h-auth-basic", "h-auth-write", gate=_without(_BASIC)),
    _guarded(
        "another site's page refused though there is no gate",
        "h-origin-ok[block]",
        "h-origin-bad[foreign]",
        gate=(_CROSS_ORIGIN, _OFF, _EXEMPT, _SESSION, _BASIC),
    ),
    _guarded(
        "a public path is public for every page",
        "h-auth-csrf-public",
        gate=(_OFF, _EXEMPT, _CROSS_ORIGIN, _SESSION, _BASIC),
    ),
    _guarded(
        "a right credential helps a page from another site",
        "h-auth-csrf-first",
        gate=(_OFF, _EXEMPT, _SESSION, _BASIC, _CROSS_ORIGIN),
    ),
    _guarded(
        "the password judged before the session",
        "h-auth-throttle",
        gate=(_OFF, _CROSS_ORIGIN, _EXEMPT, _BASIC, _SESSION),
    ),
    _guarded(
        "the password judged where none is needed",
        "h-auth-throttle",
        gate=(_OFF, _CROSS_ORIGIN, _SESSION, _BASIC, _EXEMPT),
    ),
    _guarded("who shows the password is nobody", "h-auth-write", gate=(*GATE[:-1], _unnoticed)),
    around(answering(_body_first), "the body read before the gate", "h-auth-before-body"),
    around(between(_closed_first), "a closed context told before the gate", "h-auth-none-disabled"),
    around(
        answering(
            lambda asked: (
                error_reply(404, "NOT_FOUND", "Not found", _NOW) if asked.path == "/api/nowhere" else None
            )
        ),
        "what is nowhere told before the gate",
        "h-auth-none[nowhere]",
    ),
    around(
        answering(
            lambda asked: (
                unauthenticated(asked.path, _NOW)
                if asked.method == "OPTIONS" and "authorization" not in asked.headers
                else None
            )
        ),
        "a credential demanded of a preflight request",
        "h-auth-options",
        "h-options",
    ),
)


def _exempt_also(let_in: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda path: is_exempt(path) or let_in(path)


def _exempt_below(start: str) -> Callable[[str], bool]:
    return _exempt_also(lambda path: path.startswith(start))


def _exempt_but(shut_out: str) -> Callable[[str], bool]:
    return lambda path: is_exempt(path) and path != shut_out


def _collapsed(path: str) -> str:
    return "/" + "/".join(part for part in path.split("/") if part)


def _below_public(path: str) -> bool:
    return is_exempt(path) or path.startswith(tuple(PUBLIC))


def _round_the_gate(
    repair: Callable[[str], str],
    seen: Callable[[Asked], str] = lambda asked: asked.path,
    is_public: Callable[[str], bool] = is_exempt,
) -> Surround:
    """The gate looks at one spelling of a path, and the router at another."""

    async def handle(asked: Asked, ask: Ask) -> Reply:
        routed = asked._replace(path=repair(asked.path))
        goes_round = is_public(seen(asked)) and not is_exempt(normalise(routed.path))
        return await ask(routed.with_header("authorization", _RIGHT) if goes_round else asked)

    return between(handle)


PATH_TWINS = (
    *(
        _guarded(
            f"no credential needed for {path}",
            f"h-auth-none[{row}]",
            is_exempt=_exempt_below(path),
        )
        for row, path in (
            ("manifest", MANIFEST),
            ("mcp", MCP),
            ("adapter", "/api/cos/"),
            ("sdapi", "/sdapi/"),
            ("below-public", "/api/auth/status"),
        )
    ),
    *(
        _guarded(f"a credential needed for {path}", promised, is_exempt=_exempt_but(path))
        for promised, path in (
            ("h-auth-exempt[whoami]", "/api/auth/whoami"),
            ("h-auth-exempt[health]", "/api/system/health"),
            ("h-auth-status", "/api/auth/status"),
            ("h-auth-password-changed", "/api/auth/login"),
            ("h-auth-logout", "/api/auth/logout"),
            ("h-auth-elsewhere", "/index.html"),
        )
    ),
    _guarded(
        "files open to all", "h-auth-data", is_exempt=_exempt_also(lambda path: path.startswith("/data/"))
    ),
    *(
        around(going_round, f"path spelling gets round the gate: {row}", f"h-auth-path-case[{row}]")
        for row, going_round in {
            "upper": _round_the_gate(str.lower),
            "slashes": _round_the_gate(_collapsed),
            "dots": _round_the_gate(posixpath.normpath),
            "public-dots": _round_the_gate(posixpath.normpath, is_public=_below_public),
            "encoded": _round_the_gate(str, seen=lambda asked: asked.raw_path),
            "twice": _round_the_gate(unquote),
            "backslash": _round_the_gate(lambda path: _collapsed(path.replace("\\", "/"))),
            "semicolon": _round_the_gate(lambda path: path.replace(";x", "")),
            "wide": _round_the_gate(lambda path: unicodedata.normalize("NFKC", path)),
        }.items()
    ),
)


def _auth(document: Json) -> Json:
    secrets = document.get("secrets") if isinstance(document, dict) else None
    return secrets.get("auth") if isinstance(secrets, dict) else None


def _off_if(is_off: Callable[[Json], bool]) -> Callable[[Json], Configuration]:
    """No password is asked for where the settings are like this."""
    return lambda document: OFF if is_off(document) else read_configuration(document)


def _on_if(is_on: Callable[[dict[str, Json]], bool]) -> Callable[[Json], Configuration]:
    """A password is asked for where the settings are like this."""

    def read(document: Json) -> Configuration:
        auth = _auth(document)
        if isinstance(auth, dict) and is_on(auth):
            return Configuration(True, "", "")
        return read_configuration(document)

    return read


def _old_kept(document: Json) -> Configuration:
    """Who was in stays in, whatever becomes of the settings."""
    found = read_configuration(document)
    return found._replace(damaged=False, password_hash="0" * 128) if found.damaged else found


CONFIGURATION_TWINS = (
    _guarded(
        "no gate where the settings cannot be read",
        "h-corrupt-settings[text]",
        read_configuration=_off_if(lambda document: isinstance(document, str)),
    ),
    _guarded(
        "no gate where the settings are a list",
        "h-corrupt-settings[list]",
        read_configuration=_off_if(lambda document: isinstance(document, list)),
    ),
    _guarded(
        "no gate where the secrets are damaged",
        "h-corrupt-settings[secrets]",
        read_configuration=_off_if(
            lambda document: isinstance(document, dict) and not isinstance(document.get("secrets", {}), dict)
        ),
    ),
    _guarded(
        "no gate where its settings are damaged",
        "h-corrupt-settings[auth]",
        read_configuration=_off_if(lambda document: isinstance(_auth(document), str)),
    ),
    _guarded(
        "no gate that is turned on by a text",
        "h-corrupt-settings[enabled]",
        read_configuration=_off_if(
            lambda document: isinstance(auth := _auth(document), dict) and auth.get("enabled") is not True
        ),
    ),
    _guarded(
        "no gate where the hash cannot be read",
        "h-corrupt-settings[hash]",
        read_configuration=_off_if(
            lambda document: (
                isinstance(auth := _auth(document), dict) and not is_hash(auth.get("passwordHash") or "")
            )
        ),
    ),
    _guarded(
        "a gate where nothing was said of one",
        "h-manifest-off",
        "h-405",
        read_configuration=lambda document: (
            Configuration(True, "", "") if _auth(document) is None else read_configuration(document)
        ),
    ),
    _guarded(
        "a gate though it is turned off",
        "h-auth-off[off]",
        read_configuration=_on_if(lambda auth: auth.get("enabled") is False),
    ),
    _guarded(
        "a gate that no password opens",
        "h-auth-off[no-hash]",
        read_configuration=_on_if(lambda auth: "passwordHash" not in auth),
    ),
    _guarded(
        "who was in stays in when the settings are damaged",
        "h-corrupt-settings-later[text]",
        read_configuration=_old_kept,
    ),
    _guarded(
        "a hash of any form taken", "h-corrupt-settings-later[hash]", is_hash=lambda password_hash: True
    ),
)

Site = Callable[[Mapping[str, str]], bool]


def _same_if(is_same: Callable[[str, str], bool]) -> Site:
    """Takes more pages for its own; asked with Origin and Host."""
    return lambda headers: is_cross_origin(headers) and not is_same(headers["origin"], headers["host"])


def _other_if(is_other: Callable[[str], bool]) -> Site:
    """Takes more pages for another site's."""
    return lambda headers: is_cross_origin(headers) or is_other(headers.get("origin", ""))


SITE_TWINS = (
    _guarded(
        "every site is the same",
        "h-auth-csrf-first",
        "h-auth-csrf-public",
        is_cross_origin=lambda headers: False,
    ),
    _guarded(
        "another site with a secure connection is the same",
        "h-auth-csrf-first[foreign]",
        is_cross_origin=_same_if(lambda origin, host: origin.startswith("https:")),
    ),
    _guarded(
        "every loopback address is the same site",
        "h-auth-csrf-first[other-loopback]",
        is_cross_origin=_same_if(lambda origin, host: origin.startswith("http://127.")),
    ),
    _guarded(
        "the port of a site does not matter",
        "h-auth-csrf-first[other-port]",
        is_cross_origin=_same_if(lambda origin, host: origin.split(":")[1][2:] == host.split(":")[0]),
    ),
    _guarded(
        "an Origin that cannot be read is the same site",
        "h-auth-csrf-first[garbage]",
        is_cross_origin=_same_if(lambda origin, host: "://" not in origin),
    ),
    _guarded(
        "the names of this machine are several sites",
        "h-auth-same-origin[localhost]",
        "h-auth-same-origin[ipv6]",
        is_cross_origin=lambda headers: headers.get("origin", "").partition("://")[2] != headers["host"],
    ),
    _guarded(
        "IPv6 is another site",
        "h-auth-same-origin[ipv6]",
        is_cross_origin=_other_if(lambda origin: "[::1]" in origin),
    ),
    _guarded(
        "the name of this machine is another site",
        "h-auth-same-origin[localhost]",
        is_cross_origin=_other_if(lambda origin: "localhost" in origin),
    ),
    _guarded(
        "the case of a site matters",
        "h-auth-same-origin[name]",
        is_cross_origin=_other_if(lambda origin: origin != origin.lower()),
    ),
    _guarded(
        "null is another site",
        "h-auth-same-origin[null]",
        is_cross_origin=_other_if(lambda origin: origin == "null"),
    ),
)


def _bearer_too(headers: Mapping[str, str]) -> str | None:
    """A Bearer wins, whatever the cookie holds."""
    return presented_token({"authorization": headers.get("authorization", "")}) or presented_token(headers)


def _unreadable_kept(headers: Mapping[str, str]) -> str | None:
    return presented_token(headers) if "%" not in headers.get("cookie", "") else headers["cookie"]


def _case_sensitive(headers: Mapping[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return (
        (token.strip() or None) if scheme == "Bearer" else presented_token({**headers, "authorization": ""})
    )


def _untrimmed(headers: Mapping[str, str]) -> str | None:
    token = headers.get("authorization", " ").partition(" ")[2]
    return None if token != token.strip() else presented_token(headers)


def _first_cookie(headers: Mapping[str, str]) -> str | None:
    return presented_token({**headers, "cookie": headers.get("cookie", "").partition(";")[0]})


def _kept_in(asked: Asked) -> Asked:
    return asked.without("cookie") if asked.path == "/api/auth/logout" else asked


SESSION_TWINS = (
    _guarded("wrong cookie falls back to a good Bearer", "h-auth-cookie-shadow", presented_token=_bearer_too),
    _guarded(
        "a cookie that cannot be read is a wrong one",
        "h-auth-cookie-shadow",
        presented_token=_unreadable_kept,
    ),
    _guarded("the case of Bearer matters", "h-auth-bearer", presented_token=_case_sensitive),
    _guarded("space round a token belongs to it", "h-auth-bearer", presented_token=_untrimmed),
    _guarded("only the first cookie looked at", "h-auth-cookie", presented_token=_first_cookie),
    _guarded(
        "tokens that begin alike are one", "h-auth-bearer", hash_token=lambda token: hash_token(token[:8])
    ),
    _guarded(
        "any token is a session",
        "h-auth-bad[token]",
        "h-auth-bearer",
        "h-auth-cookie-shadow",
        is_live=lambda expires_at, now: True,
    ),
    _guarded(
        "an empty token is a session",
        "h-auth-bad[empty-token]",
        gate=(*GATE[:-1], lambda rules, asked: _let_in(asked, "Bearer"), GATE[-1]),
    ),
    _guarded("sessions never end", "h-auth-expired", is_live=lambda expires_at, now: expires_at is not None),
    _guarded("a session ends after a day", "h-auth-expired", lifetime=86_400.0),
    _guarded("a session lasts a day longer", "h-auth-expired", lifetime=LIFETIME_SECONDS + 86_400.0),
    _guarded(
        "the cookie open to scripts",
        "h-auth-cookie",
        session_cookie=lambda token: session_cookie(token).replace(" HttpOnly;", ""),
    ),
    _guarded(
        "the cookie sent from other sites",
        "h-auth-cookie",
        session_cookie=lambda token: session_cookie(token).replace("Strict", "None"),
    ),
    _guarded(
        "the cookie stays after a logout",
        "h-auth-logout",
        ended_cookie=lambda: ended_cookie().replace("Max-Age=0", "Max-Age=2592000"),
    ),
    around(asking(_kept_in), "a logout ends nothing", "h-auth-logout"),
)


def _let_in(asked: AtGate, authorization: str) -> Identity | None:
    is_said = asked.head.headers.get("authorization") == authorization
    return Identity(True, True, "session") if is_said else None


def _text_of(header: str) -> str:
    return base64.b64decode(header.partition(" ")[2]).decode()


def _named_only(header: str) -> str | None:
    return basic_password(header) if header and _text_of(header).partition(":")[0] else None


def _any_scheme(header: str) -> str | None:
    return basic_password(f"Basic {header.partition(' ')[2]}")


def _colon_needed(header: str) -> str | None:
    password = basic_password(header)
    return password if password and ":" in _text_of(header) else None


def _changed(change: Callable[[str], str]) -> Callable[[str], str | None]:
    """The password that is found is another one."""
    return lambda header: change(found) if (found := basic_password(header)) else None


PASSWORD_TWINS = (
    _guarded("a name demanded beside the password", "h-auth-basic[nobody]", basic_password=_named_only),
    _guarded(
        "the password stands after the last colon",
        "h-auth-basic",
        basic_password=_changed(lambda password: password.rpartition(":")[2]),
    ),
    _guarded(
        "the password read as Latin-1",
        "h-auth-basic",
        basic_password=_changed(lambda password: password.encode().decode("latin-1")),
    ),
    _guarded("a colon demanded", "h-auth-password-changed", basic_password=_colon_needed),
    _guarded("any scheme is Basic", "h-auth-bad[scheme]", basic_password=_any_scheme),
    _guarded(
        "what is no base64 is right",
        "h-auth-bad[basic-garbage]",
        gate=(*GATE[:-1], lambda rules, asked: _let_in(asked, "Basic !!!"), GATE[-1]),
    ),
    _guarded(
        "any password is right",
        "h-auth-bad[basic]",
        "h-auth-bad[basic-cut]",
        "h-auth-wrong-login",
        is_password=lambda password, password_hash, salt: True,
    ),
    _guarded(
        "the beginning of a password is enough",
        "h-auth-bad[basic-cut]",
        is_password=lambda password, password_hash, salt: (
            password == "orchard" or is_password(password, password_hash, salt)
        ),
    ),
    _guarded(
        "accents do not matter",
        "h-auth-wrong-login",
        is_password=lambda password, password_hash, salt: is_password(
            password.replace("gate", "gäte"), password_hash, salt
        ),
    ),
    _guarded(
        "the salt does not matter",
        "h-auth-basic",
        is_password=lambda password, password_hash, salt: is_password(password, password_hash, ""),
    ),
    _guarded(
        "a proof of half a password",
        "h-auth-basic-again",
        prove=lambda configuration, password, now: prove(configuration, password.partition(":")[0], now),
    ),
    _guarded(
        "one right password makes every other right",
        "h-auth-basic-again",
        is_proven=lambda proof, configuration, password, now: proof is not None,
    ),
    _guarded(
        "an old password right for a minute more",
        "h-auth-password-changed",
        is_proven=lambda proof, configuration, password, now: (
            proof is not None and is_proven(proof, proof.configuration, password, now)
        ),
    ),
)


def _counted_twice(failures: dict[str, tuple[float, ...]], peer: str, now: float) -> None:
    note_failure(failures, peer, now)
    note_failure(failures, peer, now)


def _from_header(asked: Asked) -> Asked:
    return asked._replace(peer=asked.headers.get("x-forwarded-for", asked.peer))


def _by_login_only(rules: AccessRules, asked: AtGate) -> Reply | Identity | None:
    """Basic is tried without a limit, and nobody counts it."""
    password = rules.basic_password(asked.head.headers.get("authorization", ""))
    configuration = asked.configuration
    if password is None or not is_password(password, configuration.password_hash, configuration.salt):
        return None
    return Identity(True, True, "basic")


THROTTLE_TWINS = (
    _guarded(
        "passwords tried without end",
        "h-auth-throttle",
        "h-auth-throttle-peer",
        is_limited=lambda failures, peer, now: False,
    ),
    _guarded(
        "a fifth wrong password is one too many",
        "h-auth-throttle",
        is_limited=lambda failures, peer, now: len(failures.get(peer, ())) >= 4,
    ),
    _guarded(
        "ten wrong passwords are too many for ever",
        "h-auth-throttle",
        is_limited=lambda failures, peer, now: len(failures.get(peer, ())) >= 10,
    ),
    _guarded(
        "all peers counted as one",
        "h-auth-throttle-peer",
        is_limited=lambda failures, peer, now: any(is_limited(failures, one, now) for one in failures),
    ),
    _guarded(
        "wrong passwords not counted",
        "h-auth-throttle",
        "h-auth-throttle-peer",
        note_failure=lambda failures, peer, now: None,
    ),
    _guarded(
        "a wrong password counted twice",
        "h-auth-throttle",
        note_failure=_counted_twice,
    ),
    _guarded(
        "Basic is a way round the limit",
        "h-auth-throttle",
        "h-auth-throttle-peer",
        gate=(*GATE[:-1], _by_login_only),
    ),
    around(asking(_from_header), "forwarded header trusted by the throttle", "h-auth-throttle"),
)


def _with_header(refusal: Callable[..., Reply], name: str, value: str) -> Callable[..., Reply]:
    def refuse(*parts: Any) -> Reply:
        reply = refusal(*parts)
        return reply._replace(headers=(*reply.headers, (name, value)))

    return refuse


REFUSAL_TWINS = (
    _guarded(
        "a browser asked to ask for the password",
        "h-auth-none",
        "h-auth-bad",
        refuse_unauthenticated=_with_header(unauthenticated, "www-authenticate", "Basic"),
    ),
    _guarded(
        "files refused in JSON",
        "h-auth-data",
        refuse_unauthenticated=lambda path, now: unauthenticated("/api/", now),
    ),
    _guarded(
        "another site's page told that it needs a credential",
        "h-auth-csrf-first",
        "h-auth-csrf-public",
        refuse_cross_origin=lambda now: unauthenticated("/api/", now),
    ),
    _guarded(
        "another site's page told so in other words",
        "h-auth-csrf-first",
        refuse_cross_origin=lambda now: cross_origin(now)._replace(body=b'{"code":"CROSS_ORIGIN_BLOCKED"}'),
    ),
    _guarded(
        "who guesses too often told that the password is wrong",
        "h-auth-throttle",
        "h-auth-throttle-peer",
        refuse_limited=lambda now: rate_limited(now)._replace(status=401),
    ),
)

TWINS = (
    *GATE_TWINS,
    *PATH_TWINS,
    *CONFIGURATION_TWINS,
    *SITE_TWINS,
    *SESSION_TWINS,
    *PASSWORD_TWINS,
    *THROTTLE_TWINS,
    *REFUSAL_TWINS,
)
