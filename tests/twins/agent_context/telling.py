"""Twins that say something of the contract that does not hold: manifest, schemas, annotations, profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evalkit.contracts.agent_context.inputs import input_schema
from evalkit.contracts.agent_context.manifest import (
    EXCLUSIONS,
    LIMITS,
    compose_manifest,
    compose_profile,
    describe,
)
from evalkit.contracts.agent_context.outputs import output_schema
from evalkit.contracts.agent_context.tools import TOOLS, visible_tools
from evalkit.contracts.agent_context.vocabulary import Json
from tests.twins.twin import twin

Schema = Callable[[str], Json]


def _said(change: Callable[[Json], dict[str, Json]]) -> Callable[..., Json]:
    """A manifest of which something is changed."""

    def composed(*parts: Any) -> Json:
        document = compose_manifest(*parts)
        return {**document, **change(document)}

    return composed


def _profile(change: Callable[[Json], dict[str, Json]]) -> Callable[..., Json]:
    """A profile of which something is changed."""

    def composed(*parts: Any) -> Json:
        profile = compose_profile(*parts)
        return {**profile, **change(profile)}

    return composed


def _described(change: Callable[[Json], dict[str, Json]]) -> Callable[..., Json]:
    """Rows of tools in which something is changed."""

    def row(*parts: Any) -> Json:
        tool = describe(*parts)
        return {**tool, **change(tool)}

    return row


def _another(key: str, said: Json) -> Callable[[Json], dict[str, Json]]:
    return lambda told: {key: said}


def _transport(key: str, said: Json) -> Callable[[Json], dict[str, Json]]:
    return lambda document: {"transport": {**document["transport"], key: said}}


def _flipped(hint: str) -> Callable[[Json], dict[str, Json]]:
    return lambda tool: {"annotations": {**tool["annotations"], hint: not tool["annotations"][hint]}}


def _without_hint(name: str) -> Callable[[Json], dict[str, Json]]:
    return lambda tool: {
        "annotations": {hint: on for hint, on in tool["annotations"].items() if hint != name}
    }


HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")

MANIFEST_TWINS = (
    *(
        twin(
            f"the limit {name} lied about",
            "man-limits",
            "prof-metadata",
            limits=tuple((one, most + (one == name)) for one, most in LIMITS),
        )
        for name, _ in LIMITS
    ),
    *(
        twin(
            f"the limit {name} not told",
            "man-limits",
            "prof-metadata",
            limits=tuple(one for one in LIMITS if one[0] != name),
        )
        for name, _ in LIMITS
    ),
    twin("limits lied about", "man-limits", "prof-metadata", limits=(("maxResults", 50),)),
    twin("a limit told that is not one of the six", "man-limits", limits=(*LIMITS, ("maxQueryChars", 200))),
    twin("an exclusion left out", "man-exclusions", "prof-metadata", exclusions=EXCLUSIONS[1:]),
    twin("exclusions in another order", "man-exclusions", "prof-metadata", exclusions=EXCLUSIONS[::-1]),
    twin(
        "an exclusion too many",
        "man-exclusions",
        "prof-metadata",
        exclusions=(*EXCLUSIONS, "everything else"),
    ),
    twin(
        "a tool listed that cannot be used",
        "man-no-nav-tool",
        "man-disabled-still-lists",
        visible_tools=lambda scopes: TOOLS,
    ),
    twin(
        "a tool not listed that can be used",
        "man-tools",
        "man-tools-covered",
        visible_tools=lambda scopes: visible_tools(scopes)[:-1],
    ),
    twin(
        "tools listed in another order", "man-tools", visible_tools=lambda scopes: visible_tools(scopes)[::-1]
    ),
    twin(
        "a tool listed twice",
        "man-tools",
        "man-names-safe",
        visible_tools=lambda scopes: (*visible_tools(scopes), TOOLS[0]),
    ),
    twin(
        "the resolver listed with whatever scope is first",
        "man-no-nav-tool",
        visible_tools=lambda scopes: visible_tools((*scopes, "navigation")),
    ),
    twin(
        "the resolver listed under default scopes only",
        "man-tools",
        visible_tools=lambda scopes: visible_tools(scopes[:0]),
    ),
    twin(
        "a tool listed that does not exist",
        "man-tools",
        "man-tools-covered",
        compose_manifest=_said(
            lambda document: {"tools": [*document["tools"], {**document["tools"][0], "name": "ghost"}]}
        ),
    ),
    twin(
        "a disabled context lists no tools",
        "man-default-closed",
        "man-disabled-still-lists",
        compose_manifest=_said(lambda document: {} if document["enabled"] else {"tools": []}),
    ),
    *(
        twin(
            f"the manifest names another {key}",
            "man-schema-version",
            compose_manifest=_said(_another(key, said)),
        )
        for key, said in (("kind", "portos"), ("schemaVersion", 2), ("protocolVersion", "2025-06-18"))
    ),
    twin(
        "the manifest says that it is enabled",
        "man-default-closed",
        "man-disabled-still-lists",
        compose_manifest=_said(lambda document: {"enabled": True}),
    ),
    twin(
        "the manifest says that it is disabled",
        "man-enabled-only",
        "man-profile",
        compose_manifest=_said(lambda document: {"enabled": False}),
    ),
    twin(
        "the manifest says that every configuration is valid",
        "man-invalid-unknown-key",
        "set-violation",
        compose_manifest=_said(lambda document: {"configurationValid": True}),
    ),
    twin(
        "the manifest says that no configuration is valid",
        "man-default-closed",
        "man-enabled-only",
        compose_manifest=_said(lambda document: {"configurationValid": False}),
    ),
    twin(
        "the manifest tells another profile",
        "man-profile",
        compose_manifest=_said(lambda document: {"profile": "metadata"}),
    ),
    twin(
        "the manifest sorts the scopes",
        "man-scope-order",
        compose_manifest=_said(lambda document: {"scopes": sorted(document["scopes"], reverse=True)}),
    ),
    twin(
        "the manifest grants what the settings do not",
        "man-default-closed",
        "set-grants[refused]",
        compose_manifest=_said(lambda document: {"actions": {"readPortos": True, "writePortos": True}}),
    ),
    twin(
        "the manifest tells no grants",
        "set-grants[read]",
        "set-grants[write]",
        compose_manifest=_said(lambda document: {"actions": {"readPortos": False, "writePortos": False}}),
    ),
    *(
        twin(
            f"the manifest lies about its transport: {key}",
            "man-default-closed",
            compose_manifest=_said(_transport(key, said)),
        )
        for key, said in (("type", "sse"), ("endpoint", "/mcp"), ("loopbackOnly", False), ("stateful", True))
    ),
    twin(
        "the manifest holds the label of a page",
        "man-no-private",
        compose_manifest=_said(lambda document: {"note": "Orchard"}),
    ),
    twin(
        "the profile lies", "prof-summary", compose_profile=_profile(lambda profile: {"profile": "metadata"})
    ),
    twin(
        "the profile tells the widest profile",
        "prof-metadata",
        compose_profile=_profile(lambda profile: {"profile": "summary"}),
    ),
    twin(
        "the profile sorts the scopes",
        "prof-summary",
        compose_profile=_profile(lambda profile: {"scopes": sorted(profile["scopes"])}),
    ),
    twin(
        "the profile tells no grants",
        "prof-summary",
        "set-grants[read]",
        "set-grants[write]",
        compose_profile=_profile(lambda profile: {"actions": {"readPortos": False, "writePortos": False}}),
    ),
    twin(
        "the profile tells no limits",
        "prof-metadata",
        compose_profile=_profile(lambda profile: {"limits": {**profile["limits"], "maxResults": 50}}),
    ),
    twin(
        "the profile tells other exclusions",
        "man-exclusions",
        "prof-metadata",
        compose_profile=_profile(lambda profile: {"exclusions": profile["exclusions"][1:]}),
    ),
    twin(
        "the profile holds the label of a page",
        "prof-no-private",
        compose_profile=_profile(lambda profile: {"exclusions": [*profile["exclusions"], "Orchard"]}),
    ),
    twin(
        "the profile says how fresh it is",
        "prof-metadata",
        compose_profile=_profile(lambda profile: {"sourceStatus": "fresh"}),
    ),
)

ANNOTATION_TWINS = (
    *(twin(f"{name} flipped", "man-annotations", describe=_described(_flipped(name))) for name in HINTS),
    *(
        twin(f"{name} not told", "man-annotations", describe=_described(_without_hint(name)))
        for name in HINTS
    ),
    twin("no annotations", "man-annotations", describe=_described(lambda tool: {"annotations": {}})),
    twin(
        "one tool that writes",
        "man-annotations",
        describe=_described(
            lambda tool: _flipped("readOnlyHint")(tool) if tool["name"] == "get_context" else {}
        ),
    ),
    *(
        twin(f"an empty {key}", "man-names-safe", describe=_described(_another(key, "")))
        for key in ("title", "description")
    ),
    twin(
        "a name that no client takes",
        "man-names-safe",
        "man-tools",
        describe=_described(lambda tool: {"name": f"context.{tool['name']}"}),
    ),
)


def _properties(schema: Schema, change: Callable[[Json], Json]) -> Schema:
    """A schema of which the properties are changed."""
    return lambda tool: {**schema(tool), "properties": change(schema(tool)["properties"])}


def _lacking(keyword: str, *places: str) -> Schema:
    """Input schemas that do not say one thing at some places."""

    def less(properties: Json) -> Json:
        return {
            name: {word: said for word, said in field.items() if name not in places or word != keyword}
            for name, field in properties.items()
        }

    return _properties(input_schema, less)


def _everywhere(schema: Json, change: Callable[[dict[str, Json]], dict[str, Json]]) -> Json:
    """A schema changed at each of its levels, from the inside out."""
    if isinstance(schema, list):
        return [_everywhere(one, change) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return change({key: _everywhere(value, change) for key, value in schema.items()})


def _without(keyword: str, where: Callable[[dict[str, Json]], bool]) -> Schema:
    """Output schemas that do not say one thing wherever something else is said."""
    return lambda tool: _everywhere(
        output_schema(tool),
        lambda node: {word: said for word, said in node.items() if word != keyword or not where(node)},
    )


def _opened_item(node: dict[str, Json]) -> dict[str, Json]:
    is_item = "ref" in node.get("properties", {})
    return {**node, "additionalProperties": True} if is_item else node


_DRAFT = {"$schema": "http://json-schema.org/draft-07/schema#"}

SCHEMA_TWINS = (
    twin(
        "schema open",
        "man-schemas-closed",
        "man-input-schema",
        "in-unknown-key",
        "prof-extra-arg",
        input_schema=lambda tool: {**input_schema(tool), "additionalProperties": True},
    ),
    twin(
        "an input schema does not say that it is closed",
        "man-schemas-closed",
        "in-unknown-key",
        input_schema=lambda tool: {
            key: said for key, said in input_schema(tool).items() if key != "additionalProperties"
        },
    ),
    twin(
        "an input schema demands nothing",
        "in-missing-query",
        "in-list-scope[missing]",
        "man-input-schema",
        input_schema=lambda tool: {**input_schema(tool), "required": []},
    ),
    twin(
        "an input schema says nothing of blank text",
        "in-blank-query[spaces]",
        "in-blank-query[unicode-spaces]",
        "in-blank-ref[spaces]",
        input_schema=_lacking("pattern", "query", "ref"),
    ),
    twin(
        "an input schema says nothing of the length of a query",
        "in-query-200-201",
        "in-padded-query",
        input_schema=_lacking("maxLength", "query"),
    ),
    twin(
        "an input schema says nothing of the length of a reference",
        "get-180-181",
        input_schema=_lacking("maxLength", "ref"),
    ),
    twin(
        "an input schema says nothing of repeated scopes",
        "in-dup-scopes",
        input_schema=_lacking("uniqueItems", "scopes"),
    ),
    twin(
        "an input schema says nothing of no scopes",
        "in-no-scopes",
        input_schema=_lacking("minItems", "scopes"),
    ),
    twin(
        "an input schema says nothing of which scopes there are",
        "in-bad-scope",
        input_schema=_lacking("items", "scopes"),
    ),
    twin(
        "an input schema says nothing of which scope can be listed",
        "in-list-scope[unknown]",
        input_schema=_lacking("enum", "scope"),
    ),
    twin(
        "an input schema says nothing of the largest limit",
        "in-limit-variants[limit=26]",
        "no-source-read",
        input_schema=_lacking("maximum", "limit"),
    ),
    twin(
        "an input schema says nothing of the smallest limit",
        "in-limit-variants[limit=0]",
        input_schema=_lacking("minimum", "limit"),
    ),
    twin(
        "an input schema says nothing of the kind of a limit",
        "in-limit-variants[limit=1.5]",
        input_schema=_lacking("type", "limit"),
    ),
    twin(
        "an input schema says nothing of the smallest cursor",
        "in-cursor-variants[cursor=-1]",
        input_schema=_lacking("minimum", "cursor"),
    ),
    twin(
        "an input schema says nothing of the largest cursor",
        "in-cursor-variants[cursor=9007199254740992]",
        input_schema=_lacking("maximum", "cursor"),
    ),
    twin(
        "an input schema refuses the cursor 0",
        "page-first",
        "man-input-schema[list_context]",
        input_schema=_properties(
            input_schema,
            lambda fields: {
                name: {**field, "minimum": 1} if name == "cursor" else field for name, field in fields.items()
            },
        ),
    ),
    twin(
        "an output schema open",
        "man-schemas-closed",
        "man-output-schema",
        output_schema=lambda tool: {**output_schema(tool), "additionalProperties": True},
    ),
    twin(
        "the schema of an item open",
        "man-schemas-closed",
        "man-item-schema",
        output_schema=lambda tool: _everywhere(output_schema(tool), _opened_item),
    ),
    twin(
        "an output schema promises nothing",
        "man-output-schema",
        output_schema=lambda tool: {**output_schema(tool), "required": []},
    ),
    twin(
        "an output schema of another tool",
        "list-ref-hash",
        "man-output-schema[search_context]",
        output_schema=lambda tool: output_schema("get_context"),
    ),
    twin(
        "no output schema",
        "man-schemas-closed",
        "list-ref-hash",
        describe=_described(_another("outputSchema", None)),
    ),
    twin("items without a bound", "man-item-schema", output_schema=_without("maxItems", lambda node: True)),
    twin("texts without a bound", "man-item-schema", output_schema=_without("maxLength", lambda node: True)),
    twin(
        "numbers without a lower bound",
        "man-output-schema[list_context]",
        output_schema=_without("minimum", lambda node: True),
    ),
    twin(
        "numbers without an upper bound",
        "man-output-schema[list_context]",
        output_schema=_without("maximum", lambda node: True),
    ),
    twin(
        "limits that need not be positive",
        "man-output-schema[context_profile]",
        output_schema=_without("exclusiveMinimum", lambda node: True),
    ),
    twin(
        "words that may be any text", "man-output-schema", output_schema=_without("enum", lambda node: True)
    ),
    twin(
        "an output schema does not say what is a text",
        "man-output-schema",
        output_schema=_without("type", lambda node: node.get("type") == "string"),
    ),
    twin(
        "an output schema does not say what is a boolean",
        "man-output-schema[list_context]",
        output_schema=_without("type", lambda node: node.get("type") == "boolean"),
    ),
    twin(
        "$schema left in", "man-schemas-closed", output_schema=lambda tool: {**_DRAFT, **output_schema(tool)}
    ),
    twin(
        "$schema left in an input schema",
        "man-schemas-closed",
        input_schema=lambda tool: {**_DRAFT, **input_schema(tool)},
    ),
)

TWINS = (*MANIFEST_TWINS, *ANNOTATION_TWINS, *SCHEMA_TWINS)
