"""Answers what a client asks of the gate itself: log in, log out, who am I, are you well (spec B.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ..exchange import Head, Reply, error_reply, json_reply
from .nouns import AccessState, Identity
from .passwords import MAX_PASSWORD_CHARS
from .policy import configuration_of, try_password
from .rules import AccessRules, Asked, Json

_NOT_KEPT: Final = ("cache-control", "no-store")


class AccessEndpoints(NamedTuple):
    """What stands under `/api/auth/` and `/api/system/`, behind the gate; `now` in seconds since 1970."""

    rules: AccessRules
    state: AccessState
    now: Callable[[], float]

    def answer(self, head: Head, body: Json, identity: Identity, settings: Json) -> Reply | None:
        """The reply, or None for what is not asked of this. `body` is JSON, `...` where there is none."""
        method = "GET" if head.method == "HEAD" else head.method
        tell = _ANSWERS.get((method, head.path))
        if tell is None:
            return None
        configuration = configuration_of(self.rules, settings)
        return tell(self.rules, Asked(head, self.state, configuration, self.now()), body, identity)


def log_in(rules: AccessRules, asked: Asked, body: Json, identity: Identity) -> Reply:
    """A session for the password, as a cookie and, for clients that send a Bearer, in the body.

    400 where there is no password to show and for a body of another shape, 429 after too many wrong ones.
    """
    now = asked.now
    if not asked.configuration.enabled:
        return error_reply(400, "AUTH_DISABLED", "Password authentication is off", now)
    details = _issues(body)
    if details:
        return error_reply(400, "VALIDATION_ERROR", "Invalid login", now, {"details": details})
    trial = try_password(rules, asked, body["password"])
    if trial == "limited":
        return rules.refuse_limited(now)
    if trial == "wrong":
        return error_reply(401, "AUTH_INVALID", "Invalid password", now)
    return _open_session(rules, asked)


def log_out(rules: AccessRules, asked: Asked, body: Json, identity: Identity) -> Reply:
    """Ends the session of the token that came along, if one did, and takes the cookie away."""
    token = rules.presented_token(asked.head.headers)
    if token is not None:
        asked.state.sessions.remove(rules.hash_token(token))
    return json_reply({"authenticated": False}, 200, ("set-cookie", rules.ended_cookie()), _NOT_KEPT)


def tell_status(rules: AccessRules, asked: Asked, body: Json, identity: Identity) -> Reply:
    """Whether a password is asked for, and whether this request showed it."""
    told = {"enabled": identity.enabled, "authenticated": identity.authenticated}
    return json_reply(told, 200, _NOT_KEPT)


def tell_identity(rules: AccessRules, asked: Asked, body: Json, identity: Identity) -> Reply:
    """All that the gate knows of who asks."""
    return json_reply(identity._asdict(), 200, _NOT_KEPT)


def tell_health(rules: AccessRules, asked: Asked, body: Json, identity: Identity) -> Reply:
    """That the server answers."""
    return json_reply({"status": "ok"}, 200, _NOT_KEPT)


def _issues(body: Json) -> list[Json]:
    """What is wrong with a login, without what it holds."""
    if not isinstance(body, dict):
        return [{"path": "", "message": "must be an object"}]
    password = body.get("password")
    if not (isinstance(password, str) and 0 < len(password) <= MAX_PASSWORD_CHARS):
        return [{"path": "password", "message": f"must have 1 to {MAX_PASSWORD_CHARS} characters"}]
    # The other keys are not named: a password sent in the wrong place would be told.
    return [{"path": "", "message": "may hold nothing but password"}] if len(body) > 1 else []


def _open_session(rules: AccessRules, asked: Asked) -> Reply:
    token = asked.state.new_token()
    expires_at = asked.now + rules.lifetime
    asked.state.sessions.add(rules.hash_token(token), expires_at)
    told = {"authenticated": True, "token": token, "expiresAt": int(expires_at * 1000)}
    return json_reply(told, 200, ("set-cookie", rules.session_cookie(token)), _NOT_KEPT)


_Answer = Callable[[AccessRules, Asked, Json, Identity], Reply]

_ANSWERS: Final[Mapping[tuple[str, str], _Answer]] = {
    ("POST", "/api/auth/login"): log_in,
    ("POST", "/api/auth/logout"): log_out,
    ("GET", "/api/auth/status"): tell_status,
    ("GET", "/api/auth/whoami"): tell_identity,
    ("GET", "/api/system/health"): tell_health,
}
