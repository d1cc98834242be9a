"""Twins that let the wrong calls in: the gate, the settings, the tools, the scopes."""

from __future__ import annotations

from collections.abc import Callable

from evalkit.contracts.agent_context.gatekeeper import GATE
from evalkit.contracts.agent_context.rules import Request, Rules
from evalkit.contracts.agent_context.settings import read_settings
from evalkit.contracts.agent_context.tools import TOOLS, find_tool
from evalkit.contracts.agent_context.vocabulary import DEFAULT_SCOPES, SCOPES, Settings, Tool
from evalkit.model import Json
from tests.twins.twin import twin

_CLOSED, _UNKNOWN_TOOL, _MISSING_SCOPE, _INVALID_INPUT = GATE


def _read_early(rules: Rules, request: Request) -> str | None:
    try:
        rules.read(request.sources, "workspaces")
    except Exception as problem:
        return rules.unavailable(problem)
    return None


def _judge_early(rules: Rules, request: Request) -> str | None:
    return None if isinstance(request.args, dict) else rules.invalid_input(["input"])


GATE_TWINS = (
    twin(
        "disabled still answers",
        "off-list",
        "off-every-tool",
        "invalid-every-call",
        "set-off-at-once",
        gate=(_UNKNOWN_TOOL, _MISSING_SCOPE, _INVALID_INPUT),
    ),
    twin(
        "a tool that does not exist passes the gate",
        "unknown-tool",
        gate=(_CLOSED, _MISSING_SCOPE, _INVALID_INPUT),
    ),
    twin("resolve ignores its scope", "nav-scope-off", gate=(_CLOSED, _UNKNOWN_TOOL, _INVALID_INPUT)),
    twin(
        "arguments pass the gate unjudged",
        "no-source-read",
        "in-many",
        gate=(_CLOSED, _UNKNOWN_TOOL, _MISSING_SCOPE),
    ),
    twin(
        "a disabled contract tells which tools it has",
        "off-unknown-tool",
        gate=(_UNKNOWN_TOOL, _CLOSED, _MISSING_SCOPE, _INVALID_INPUT),
    ),
    twin(
        "a disabled contract judges arguments",
        "off-before-input",
        gate=(_UNKNOWN_TOOL, _MISSING_SCOPE, _INVALID_INPUT, _CLOSED),
    ),
    twin(
        "input judged before the scope",
        "nav-scope-before-input",
        gate=(_CLOSED, _UNKNOWN_TOOL, _INVALID_INPUT, _MISSING_SCOPE),
    ),
    twin(
        "input judged before the tool is known",
        "unknown-before-input",
        gate=(_CLOSED, _judge_early, *GATE[1:]),
    ),
    twin("a source read before all else", "off-list", gate=(_read_early, *GATE)),
    twin("a source read before the tool is known", "unknown-tool", gate=(*GATE[:1], _read_early, *GATE[1:])),
    twin(
        "a source read before the scope is judged", "nav-scope-off", gate=(*GATE[:2], _read_early, *GATE[2:])
    ),
    twin(
        "a source read before the input is judged",
        "no-source-read",
        gate=(*GATE[:3], _read_early, *GATE[3:]),
    ),
    twin(
        "a source read that nothing needs",
        "prof-metadata",
        "scope-list-one-source",
        "err-profile-immune",
        gate=(*GATE, _read_early),
    ),
)


def _slice(document: Json) -> Json:
    return document.get("agentContext") if isinstance(document, dict) else None


def _mended(mend: Callable[[dict[str, Json]], dict[str, Json]]) -> Callable[[Json], Settings]:
    """Reads a slice that was first made better than it is."""

    def read(document: Json) -> Settings:
        found = _slice(document)
        return read_settings({"agentContext": mend(found)} if isinstance(found, dict) else document)

    return read


def _mended_at(key: str, kind: type, mend: Callable[[Json], Json]) -> Callable[[Json], Settings]:
    """As above, where one key holds a value of one kind."""
    return _mended(
        lambda found: {**found, key: mend(found[key])} if isinstance(found.get(key), kind) else found
    )


def _spoilt(spoil: Callable[[Settings], Settings]) -> Callable[[Json], Settings]:
    """Settings that are changed after they were read."""
    return lambda document: spoil(read_settings(document))


def _known(*names: str) -> Callable[[dict[str, Json]], dict[str, Json]]:
    return lambda found: {key: value for key, value in found.items() if key in names}


def _in_any_case(document: Json) -> Settings:
    lowered = {key.lower(): value for key, value in (document or {}).items()}
    return read_settings({"agentContext": lowered.get("agentcontext")})


def _scopes_that_were_meant(document: Json) -> Settings:
    found, settings = _slice(document), read_settings(document)
    meant = found.get("scopes") if isinstance(found, dict) else None
    return settings._replace(scopes=tuple(meant)) if meant and isinstance(meant, list) else settings


SETTINGS_TWINS = (
    twin(
        "invalid settings ignored",
        "man-default-closed",
        "man-invalid-unknown-key",
        "set-violation",
        read_settings=_spoilt(lambda settings: settings._replace(enabled=True, valid=True)),
    ),
    twin(
        "invalid settings called valid",
        "man-invalid-unknown-key",
        "man-invalid-array",
        "set-violation",
        read_settings=_spoilt(lambda settings: settings._replace(valid=True)),
    ),
    twin(
        "no settings called invalid",
        "man-default-closed",
        "man-null-slice",
        "set-null-document",
        read_settings=lambda document: read_settings(document)._replace(valid=_slice(document) is not None),
    ),
    twin(
        "settings that are null as a whole raise",
        "set-null-document",
        read_settings=lambda document: read_settings(dict(document)),
    ),
    twin(
        "settings that are no object ignored",
        "man-invalid-array",
        "set-violation[primitive-text]",
        read_settings=lambda document: (
            read_settings(document) if isinstance(_slice(document), dict) else Settings()
        ),
    ),
    twin(
        "unknown settings ignored",
        "man-invalid-unknown-key",
        "invalid-every-call",
        read_settings=_mended(_known("enabled", "profile", "scopes", "actions")),
    ),
    twin("settings of another name taken", "set-other-settings", read_settings=_in_any_case),
    twin(
        "null settings count as unsaid",
        "set-violation[enabled-null]",
        "set-violation[profile-null]",
        "set-violation[scopes-null]",
        "set-violation[actions-null]",
        read_settings=_mended(lambda found: {key: said for key, said in found.items() if said is not None}),
    ),
    twin(
        "invalid settings keep their scopes",
        "man-invalid-unknown-key",
        "man-invalid-dup-scope",
        read_settings=_scopes_that_were_meant,
    ),
    twin(
        "open unless the settings say otherwise",
        "set-enabled-unsaid",
        read_settings=_mended(lambda found: {"enabled": True, **found}),
    ),
    twin("enabled by a text", "man-invalid-string-bool", read_settings=_mended_at("enabled", str, bool)),
    twin(
        "enabled by a number", "set-violation[enabled-number]", read_settings=_mended_at("enabled", int, bool)
    ),
    twin(
        "an unknown profile means metadata",
        "man-invalid-profile",
        read_settings=_mended_at("profile", str, lambda said: said if said == "summary" else "metadata"),
    ),
    twin(
        "profiles in any case",
        "set-violation[profile-case]",
        read_settings=_mended_at("profile", str, str.lower),
    ),
    twin(
        "summary unless the settings say otherwise",
        "man-enabled-only",
        read_settings=_mended(lambda found: {"profile": "summary", **found}),
    ),
    twin(
        "unknown scopes dropped",
        "set-violation[scopes-unknown]",
        read_settings=_mended_at("scopes", list, lambda said: [scope for scope in said if scope in SCOPES]),
    ),
    twin(
        "scopes in any case",
        "set-violation[scopes-case]",
        read_settings=_mended_at("scopes", list, lambda said: list(map(str.lower, said))),
    ),
    twin(
        "a scope without a list",
        "set-violation[scopes-text]",
        read_settings=_mended_at("scopes", str, lambda one: [one]),
    ),
    twin(
        "repeated scopes folded",
        "man-invalid-dup-scope",
        read_settings=_mended_at("scopes", list, lambda said: list(dict.fromkeys(said))),
    ),
    twin(
        "no scopes mean the default ones",
        "man-invalid-empty-scope",
        read_settings=_mended_at("scopes", list, lambda said: said or list(DEFAULT_SCOPES)),
    ),
    twin(
        "all scopes unless the settings say otherwise",
        "man-enabled-only",
        read_settings=_mended(lambda found: {"scopes": list(SCOPES), **found}),
    ),
    twin(
        "order of scopes lost",
        "man-scope-order",
        "search-order-config",
        read_settings=_spoilt(
            lambda settings: settings._replace(scopes=tuple(sorted(settings.scopes)[::-1]))
        ),
    ),
    twin(
        "grants truthy",
        "man-invalid-actions",
        "set-violation[grant-number]",
        "set-violation[grant-text]",
        read_settings=_mended_at("actions", dict, lambda said: {name: bool(said[name]) for name in said}),
    ),
    twin(
        "unknown grants ignored",
        "man-unknown-grant",
        read_settings=_mended_at("actions", dict, _known("readPortos", "writePortos")),
    ),
    twin(
        "grants as a list",
        "set-violation[actions-list]",
        read_settings=_mended_at("actions", list, lambda said: dict.fromkeys(said, True)),
    ),
    twin(
        "granted unless the settings say otherwise",
        "set-grants[unsaid]",
        read_settings=_mended_at("actions", dict, lambda said: {"readPortos": True, **said}),
    ),
    twin(
        "who may write may read",
        "set-grants[write]",
        read_settings=_spoilt(lambda s: s._replace(read_portos=s.read_portos or s.write_portos)),
    ),
    twin(
        "who may read may write",
        "set-grants[read]",
        read_settings=_spoilt(lambda s: s._replace(write_portos=s.read_portos or s.write_portos)),
    ),
    twin(
        "always open",
        "off-list",
        "off-every-tool",
        "man-default-closed",
        is_open=lambda settings: True,
    ),
    twin(
        "invalid settings still answer",
        "invalid-every-call",
        "man-invalid-array",
        is_open=lambda settings: settings.enabled or not settings.valid,
    ),
    twin(
        "whatever is valid is open", "off-list", "man-default-closed", is_open=lambda settings: settings.valid
    ),
    twin("never open", "prof-metadata", "set-off-at-once", is_open=lambda settings: False),
)


def _by_beginning(name: str) -> Tool | None:
    return next((tool for tool in TOOLS if name and tool.name.startswith(name)), None)


def _except(left_out: str) -> Callable[[str], Tool | None]:
    return lambda name: None if name == left_out else find_tool(name)


TOOL_TWINS = (
    twin(
        "an unknown tool succeeds",
        "unknown-tool",
        "unknown-proto",
        "unknown-long",
        find_tool=lambda name: find_tool(name) or TOOLS[-1],
    ),
    twin("tool names in any case", "tool-case[capitals]", find_tool=lambda name: find_tool(name.lower())),
    twin("tool names trimmed", "tool-case[padded]", find_tool=lambda name: find_tool(name.strip())),
    twin(
        "a dash in a tool name", "tool-case[dash]", find_tool=lambda name: find_tool(name.replace("-", "_"))
    ),
    twin("the beginning of a tool name", "tool-case[beginning]", find_tool=_by_beginning),
    twin(
        "what every object has is a tool",
        "unknown-proto",
        find_tool=lambda name: (
            TOOLS[-1] if name in ("__proto__", "constructor", "toString") else find_tool(name)
        ),
    ),
    twin(
        "a tool that was not granted",
        "unknown-ungranted",
        find_tool=lambda name: TOOLS[-1] if name == "brain_capture" else find_tool(name),
    ),
    *(
        twin(f"the tool {tool.name} not found", "iso-no-network", find_tool=_except(tool.name))
        for tool in TOOLS
    ),
)

SCOPE_TWINS = (
    twin(
        "scope check off",
        "scope-off-list",
        "scope-off-each",
        "scope-off-search",
        "get-disabled-scope",
        "nav-scope-off",
        is_enabled=lambda scope, configured: True,
    ),
    twin(
        "navigation always in scope",
        "scope-off-list",
        "nav-scope-off",
        is_enabled=lambda scope, configured: scope == "navigation" or scope in configured,
    ),
    *(
        twin(
            f"{scope} always in scope",
            f"scope-off-each[scope={scope}]",
            is_enabled=lambda asked, configured, scope=scope: asked == scope or asked in configured,
        )
        for scope in SCOPES[1:]
    ),
    twin(
        "a scope that does not exist looked into",
        "get-unknown-scope[unknown]",
        is_enabled=lambda scope, configured: scope in configured or scope not in SCOPES,
    ),
    twin(
        "search order canonical",
        "search-order-requested",
        "search-order-config",
        choose_scopes=lambda asked, configured: tuple(
            s for s in SCOPES if s in (configured if asked is None else asked)
        ),
    ),
    twin(
        "scopes that are asked for ignored",
        "scope-search-requested",
        "scope-off-search",
        choose_scopes=lambda asked, configured: configured,
    ),
    twin(
        "scopes that are not configured left out of a search",
        "scope-off-search",
        "scope-off-each",
        choose_scopes=lambda asked, configured: tuple(s for s in asked or configured if s in configured),
    ),
    twin(
        "a search without scopes looks into the default ones",
        "scope-search-configured",
        choose_scopes=lambda asked, configured: DEFAULT_SCOPES if asked is None else tuple(asked),
    ),
    twin(
        "a search without scopes looks everywhere",
        "scope-search-configured",
        choose_scopes=lambda asked, configured: SCOPES if asked is None else tuple(asked),
    ),
    twin(
        "a search looks into its first scope only",
        "search-order-requested",
        "err-one-of-many",
        choose_scopes=lambda asked, configured: tuple(asked or configured)[:1],
    ),
    twin(
        "a foreign reference looked up all the same",
        "get-unknown-scope",
        scope_of=lambda ref: ref.partition(":")[0] if ref.partition(":")[0] in SCOPES else "brain",
    ),
    twin(
        "scopes of a reference in any case",
        "get-unknown-scope[case]",
        scope_of=lambda ref: ref.partition(":")[0].lower(),
    ),
    twin(
        "every reference looked up in one scope",
        "get-unknown-scope",
        "get-roundtrip-scope[scope=brain,profile=metadata]",
        scope_of=lambda ref: "workspaces",
    ),
    twin(
        "a reference in any case",
        "get-case",
        scope_of=lambda ref: ref.partition(":")[0].lower(),
        is_same=lambda ref, wanted: ref.lower() == wanted.lower(),
    ),
    twin(
        "the end of a reference is enough",
        "get-whole[end]",
        scope_of=lambda ref: ref.partition(":")[0] if ":" in ref else "navigation",
        is_same=lambda ref, wanted: ref.endswith(wanted),
    ),
    twin(
        "a hash without a scope is a reference",
        "get-raw-appid[hash-alone]",
        scope_of=lambda ref: ref.partition(":")[0] if ":" in ref else "workspaces",
        is_same=lambda ref, wanted: ref.endswith(wanted),
    ),
    twin(
        "the scope of a reference ends at its last colon",
        "get-roundtrip",
        scope_of=lambda ref: ref.rpartition(":")[0],
    ),
)

TWINS = (*GATE_TWINS, *SETTINGS_TWINS, *TOOL_TWINS, *SCOPE_TWINS)
