"""Twins that let the wrong calls in: the gate, the settings, the tools, the scopes, the arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evalkit.contracts.agent_context.gatekeeper import GATE, RULES
from evalkit.contracts.agent_context.inputs import input_issues
from evalkit.contracts.agent_context.rules import Request, Rules
from evalkit.contracts.agent_context.settings import read_settings
from evalkit.contracts.agent_context.tools import TOOLS, find_tool
from evalkit.contracts.agent_context.vocabulary import SCOPES, Settings
from evalkit.model import Json
from tests.twins.twin import Twin, twin

CLOSED, UNKNOWN_TOOL, MISSING_SCOPE, INVALID_INPUT = GATE


def _read_early(rules: Rules, request: Request) -> str | None:
    rules.read(request.sources, "workspaces")
    return None


GATE_TWINS = (
    twin(
        "disabled still answers",
        "off-list",
        "off-every-tool",
        "invalid-every-call",
        "set-off-at-once",
        gate=(UNKNOWN_TOOL, MISSING_SCOPE, INVALID_INPUT),
    ),
    twin("no look at the name of a tool", "unknown-tool", gate=(CLOSED, MISSING_SCOPE, INVALID_INPUT)),
    twin("resolve ignores its scope", "nav-scope-off", gate=(CLOSED, UNKNOWN_TOOL, INVALID_INPUT)),
    twin("arguments not judged", "no-source-read", "in-many", gate=(CLOSED, UNKNOWN_TOOL, MISSING_SCOPE)),
    twin(
        "a disabled contract tells which tools it has",
        "off-unknown-tool",
        gate=(UNKNOWN_TOOL, CLOSED, MISSING_SCOPE, INVALID_INPUT),
    ),
    twin(
        "a disabled contract judges arguments",
        "off-before-input",
        gate=(UNKNOWN_TOOL, MISSING_SCOPE, INVALID_INPUT, CLOSED),
    ),
    twin(
        "input judged before the scope",
        "nav-scope-before-input",
        gate=(CLOSED, UNKNOWN_TOOL, INVALID_INPUT, MISSING_SCOPE),
    ),
    twin("a source read before all", "off-list", gate=(_read_early, *GATE)),
    twin("a source read before the tool is known", "unknown-tool", gate=(CLOSED, _read_early, *GATE[1:])),
    twin("a source read before the scope is looked at", "nav-scope-off", gate=(*GATE[:2], _read_early, *GATE[2:])),
    twin(
        "a source read before the input is judged",
        "no-source-read",
        "in-missing-query",
        gate=(*GATE[:3], _read_early, INVALID_INPUT),
    ),
    twin("a source read before the answer", "err-profile-immune", "prof-metadata", gate=(*GATE, _read_early)),
)


def _slice(document: Json) -> Json:
    return document.get("agentContext") if isinstance(document, dict) else None


def _after(change: Callable[[dict[str, Json]], dict[str, Json]]) -> Callable[[Json], Settings]:
    """Settings that are read after the slice was made better than it is."""

    def read(document: Json) -> Settings:
        found = _slice(document)
        return read_settings({"agentContext": change(dict(found))} if isinstance(found, dict) else document)

    return read


def _then(change: Callable[[Settings], Settings]) -> Callable[[Json], Settings]:
    """Settings that are made worse after they were read."""
    return lambda document: change(read_settings(document))


def _changed(key: str, change: Callable[[Json], Json]) -> Callable[[Json], Settings]:
    return _after(lambda found: {**found, key: change(found[key])} if key in found else found)


def _without_nulls(found: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in found.items() if value is not None}


def _known(*names: str) -> Callable[[Json], Json]:
    return lambda found: {key: value for key, value in found.items() if key in names}


def _truthy_grants(actions: Json) -> Json:
    return {name: bool(granted) for name, granted in actions.items()} if isinstance(actions, dict) else actions


def _known_grants(actions: Json) -> Json:
    return _known("readPortos", "writePortos")(actions) if isinstance(actions, dict) else actions


def _listed(scopes: Json) -> Json:
    return [scopes] if isinstance(scopes, str) else scopes


def _known_scopes(scopes: Json) -> Json:
    return [scope for scope in scopes if scope in SCOPES] if isinstance(scopes, list) else scopes


def _lowered(value: Json) -> Json:
    if isinstance(value, list):
        return [_lowered(one) for one in value]
    return value.lower() if isinstance(value, str) else value


def _once_each(scopes: Json) -> Json:
    return list(dict.fromkeys(map(str, scopes))) if isinstance(scopes, list) else scopes


def _in_any_case(document: Json) -> Settings:
    lowered = {key.lower(): value for key, value in (document or {}).items()}
    return read_settings({"agentContext": lowered.get("agentcontext")})


def _only_objects(document: Json) -> Settings:
    return read_settings(document) if isinstance(_slice(document), dict) else Settings()


def _enabled_unless_said(document: Json) -> Settings:
    found = _slice(document)
    return read_settings({"agentContext": {"enabled": True, **found}} if isinstance(found, dict) else document)


def _keeps_what_was_said(document: Json) -> Settings:
    found, settings = _slice(document), read_settings(document)
    if settings.valid or not isinstance(found.get("scopes"), list):
        return settings
    return replace(settings, scopes=tuple(scope for scope in SCOPES if scope in found["scopes"]))


def _not_null_proof(document: Json) -> Settings:
    return read_settings({"agentContext": document.get("agentContext")})


SETTINGS_TWINS = (
    twin(
        "invalid settings ignored",
        "man-default-closed",
        "man-invalid-unknown-key",
        "set-violation",
        read_settings=_then(lambda settings: replace(settings, enabled=True, valid=True)),
    ),
    twin(
        "invalid settings called valid",
        "man-invalid-unknown-key",
        "man-invalid-array",
        "set-violation",
        read_settings=_then(lambda settings: replace(settings, valid=True)),
    ),
    twin("no settings called invalid", "man-default-closed", "man-null-slice", "set-null-document",
         read_settings=lambda document: replace(read_settings(document), valid=bool(_slice(document)))),
    twin("invalid settings keep their scopes", "invalid-scopes-kept", read_settings=_keeps_what_was_said),
    twin("unknown settings ignored", "man-invalid-unknown-key", "invalid-every-call",
         read_settings=_after(_known("enabled", "profile", "scopes", "actions"))),
    twin("settings that are no object ignored", "man-invalid-array", read_settings=_only_objects),
    twin("open unless the settings say otherwise", "set-enabled-unsaid", read_settings=_enabled_unless_said),
    twin("settings of any case", "set-other-settings", read_settings=_in_any_case),
    twin("null settings count as unsaid", "set-violation[enabled-null]", "set-violation[profile-null]",
         "set-violation[scopes-null]", "set-violation[actions-null]", read_settings=_after(_without_nulls)),
    twin("enabled by whatever is truthy", "man-invalid-string-bool", "set-violation[enabled-number]",
         read_settings=_changed("enabled", bool)),
    twin("an unknown profile means metadata", "man-invalid-profile",
         read_settings=_changed("profile", lambda said: said if said == "summary" else "metadata")),
    twin("profiles in any case", "set-violation[profile-case]", read_settings=_changed("profile", _lowered)),
    twin("unknown scopes dropped", "set-violation[scopes-unknown]", read_settings=_changed("scopes", _known_scopes)),
    twin("scopes in any case", "set-violation[scopes-case]", read_settings=_changed("scopes", _lowered)),
    twin("one scope without a list", "set-violation[scopes-text]", read_settings=_changed("scopes", _listed)),
    twin("repeated scopes folded", "man-invalid-dup-scope", read_settings=_changed("scopes", _once_each)),
    twin("no scopes mean the default ones", "man-invalid-empty-scope",
         read_settings=_changed("scopes", lambda said: said or ["navigation", "workspaces"])),
    twin("grants truthy", "man-invalid-actions", "set-violation[grant-number]", "set-violation[grant-text]",
         read_settings=_changed("actions", _truthy_grants)),
    twin("unknown grants ignored", "man-unknown-grant", read_settings=_changed("actions", _known_grants)),
    twin("grants as a list", "set-violation[actions-list]",
         read_settings=_changed("actions", lambda said: dict.fromkeys(said, True) if isinstance(said, list) else said)),
    twin("all granted unless the settings say otherwise", "set-grants[unsaid]", "man-enabled-only",
         read_settings=lambda document: replace(
             read_settings(document),
             read_portos=((_slice(document) or {}).get("actions") or {}).get("readPortos", True) is True
             if isinstance(_slice(document), dict) else False)),
    twin("to write means to read", "set-grants[write]",
         read_settings=_then(lambda settings: replace(settings, read_portos=settings.read_portos or settings.write_portos))),
    twin("to read means to write", "set-grants[read]",
         read_settings=_then(lambda settings: replace(settings, write_portos=settings.read_portos))),
    twin("grants forgotten", "set-grants[read]", "set-grants[write]", "prof-summary",
         read_settings=_then(lambda settings: replace(settings, read_portos=False, write_portos=False))),
    twin("summary unless the settings say otherwise", "man-default-closed", "man-enabled-only",
         read_settings=_after(lambda found: {"profile": "summary", **found})),
    twin("all scopes unless the settings say otherwise", "man-enabled-only",
         read_settings=_after(lambda found: {"scopes": list(SCOPES), **found})),
    twin("order of scopes lost", "man-scope-order", "search-order-config", "prof-summary",
         read_settings=_then(lambda settings: replace(settings, scopes=tuple(s for s in SCOPES if s in settings.scopes)))),
    twin("settings that are null as a whole raise", "set-null-document", read_settings=_not_null_proof),
    twin("always open", "off-list", "off-every-tool", "man-default-closed", is_open=lambda settings: True),
    twin("invalid settings still answer", "invalid-every-call", "man-invalid-array",
         is_open=lambda settings: settings.enabled or not settings.valid),
    twin("valid settings always answer", "off-list", "man-default-closed", is_open=lambda settings: settings.valid),
    twin("never open", "prof-metadata", is_open=lambda settings: False),
)
