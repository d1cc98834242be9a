"""Puts the contract together: its rules, what stands behind them, and the app that carries them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from . import adapter, app, gatekeeper
from .access import policy as access_policy
from .access.endpoints import AccessEndpoints
from .access.nouns import AccessState, Identity, Sessions
from .access.rules import AccessRules
from .adapter import AdapterRules
from .boundary.policy import BOUNDARY
from .boundary.rules import BoundaryRules
from .exchange import Head, Reply
from .rules import Rules
from .semantic import policy as semantic_policy
from .semantic.nouns import Authority, Surroundings, ToolCall
from .semantic.rules import SemanticRules
from .sources import Sources
from .vocabulary import Json, Settings


class Policy(NamedTuple):
    """Every rule of the contract; a field of any part can be replaced by `changed`."""

    context: Rules = gatekeeper.RULES
    semantic: SemanticRules = semantic_policy.SEMANTIC
    boundary: BoundaryRules = BOUNDARY
    access: AccessRules = access_policy.ACCESS
    adapter: AdapterRules = adapter.ADAPTER

    def changed(self, part: str, **rules: Any) -> Policy:
        """The same policy but for some rules of one part. Raises ValueError for a rule that is not in it."""
        return self._replace(**{part: getattr(self, part)._replace(**rules)})


class AgentTools(NamedTuple):
    """The contract without a surface. `settings` is always the whole document, as it is now."""

    policy: Policy
    sources: Sources
    surroundings: Surroundings

    def is_open(self, settings: Json) -> bool:
        """Whether tools can be called at all."""
        rules = self.policy.context
        return rules.is_open(rules.read_settings(settings))

    def manifest(self, settings: Json) -> Json:
        """The contract's own manifest, with the semantic tools that are granted."""
        granted = partial(semantic_policy.granted_tools, self.policy.semantic)
        return gatekeeper.manifest(self.policy.context, settings, granted)

    def call_tool(self, settings: Json, name: str, args: Json, key: str | None = None) -> Json:
        """A tool result as MCP shapes it; only semantic tools look at the Idempotency-Key."""

        def act(effective: Settings, name: str, args: Json) -> Json | None:
            semantic = self.policy.semantic
            return semantic_policy.over_mcp(semantic, self.surroundings, effective, name, args, key)

        return gatekeeper.call_tool(self.policy.context, self.sources, settings, name, args, act)

    def catalogue(self, scope: str, form: str, settings: Json) -> Json:
        """The semantic tools as one scope sees them; only agents have what the settings grant."""
        semantic = self.policy.semantic
        granted = semantic.grants(self.policy.context.read_settings(settings))
        capabilities = granted if scope == "agent" else frozenset[str]()
        return semantic_policy.view_catalogue(semantic, scope, capabilities, form)

    def call(self, call: ToolCall, authority: Authority) -> Json:
        """The normalised result of a call in somebody's name. Raises Refused."""
        return semantic_policy.execute(self.policy.semantic, self.surroundings, call, authority)

    def stored(self, request_id: str) -> Json:
        """The normalised result of an earlier call. Raises Refused where none is remembered."""
        return semantic_policy.stored(self.policy.semantic, self.surroundings, request_id)


def assemble(
    tools: AgentTools,
    settings: Callable[[], Json],
    sessions: Sessions,
    new_token: Callable[[], str],
    *,
    run: app.Run = app.inline,
    within: app.Within = app.unbounded,
) -> app.App:
    """The ASGI app: the gate, its endpoints, the HTTP adapter and the boundary round the tools."""
    policy, now = tools.policy, tools.surroundings.now
    state = AccessState(sessions, new_token)

    def gate(head: Head, document: Json) -> Reply | Identity:
        return access_policy.admit(policy.access, state, head, document, now)

    endpoints = AccessEndpoints(policy.access, state, now)
    pages = adapter.HttpAdapter(policy.adapter, tools, now)
    return app.make_app(
        tools,
        settings,
        policy.boundary,
        now=now,
        gate=gate,
        routes=(endpoints.answer, pages.answer),
        run=run,
        within=within,
    )
