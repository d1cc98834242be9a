"""Tests for `catalogue` and `formats`: the 22 tools, their names and the documents that show them."""

from __future__ import annotations

import re

import pytest
from jsonschema_rs import Draft202012Validator

from evalkit.contracts.agent_context.semantic import catalogue, formats
from evalkit.contracts.agent_context.semantic.catalogue import TOOLS, find, input_schema, mcp_name
from evalkit.contracts.agent_context.semantic.policy import SEMANTIC, granted_tools, view_catalogue
from evalkit.contracts.agent_context.tools import find_tool
from evalkit.contracts.agent_context.vocabulary import Settings
from evalkit.model import Json

# The table of spec C.2: id, MCP name, R or W, the legacy names, the required arguments, the others.
TABLE = """
brain.capture         brain_capture         W - text -
brain.search          brain_search          R - query limit
brain.recent          brain_recent          R brain_list_recent - limit
health.log.drink      health_log_drink      W meatspace_log_drink name count,oz,abv
health.log.nicotine   health_log_nicotine   W meatspace_log_nicotine product count,mgPerUnit
health.today          health_today          R meatspace_summary_today - -
health.log.weight     health_log_weight     W meatspace_log_weight weight unit,date
health.log.workout    health_log_workout    W meatspace_log_workout type durationMinutes,intensity,notes,date
goals.list            goals_list            R goal_list - limit
goals.update-progress goals_update_progress W goal_update_progress goalQuery,progress -
goals.log-note        goals_log_note        W goal_log_note goalQuery,note durationMinutes
system.processes.status system_processes_status R pm2_status - -
feeds.digest          feeds_digest          R - - limit
feeds.mark-read       feeds_mark_read       W - - query,all,feedQuery
journal.append        journal_append        W daily_log_append text date
journal.read          journal_read          R daily_log_read - date
time.now              time_now              R - - -
calendar.today        calendar_today        R - - limit
calendar.next         calendar_next         R - - -
weather.now           weather_now           R - - lat,lon
cos.agents.status     cos_agents_status     R code_agent_status - -
catalog.search        catalog_search        R catalog_lookup query type,limit
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
BOTH = frozenset({"readPortos", "writePortos"})
READ = frozenset({"readPortos"})


def names(cell: str) -> list[str]:
    return [] if cell == "-" else cell.split(",")


def test_the_catalogue_is_the_table_of_the_specification_in_its_order() -> None:
    told = [
        [tool.id, mcp_name(tool), tool.effect[0].upper(), list(tool.aliases), list(tool.required)]
        for tool in TOOLS
    ]
    assert told == [[row[0], row[1], row[2], names(row[3]), names(row[4])] for row in ROWS]
    assert [sorted(tool.properties) for tool in TOOLS] == [
        sorted(names(row[4]) + names(row[5])) for row in ROWS
    ]
    assert [tool.effect for tool in TOOLS].count("read") == 13


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_tool_is_found_by_its_id_its_mcp_name_and_its_legacy_name(row: list[str]) -> None:
    for name in (row[0], row[1], *names(row[3])):
        found = find(name)
        assert found is not None
        assert found.id == row[0]


@pytest.mark.parametrize("name", ["Brain.Search", " brain.search", "brain", "", "__proto__", "pm2_restart"])
def test_no_other_spelling_finds_a_tool(name: str) -> None:
    assert find(name) is None


def test_names_are_unique_safe_and_no_context_tool_s() -> None:
    called = [mcp_name(tool) for tool in TOOLS]
    every = [name for tool in TOOLS for name in {tool.id, mcp_name(tool), *tool.aliases}]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in called)
    assert len(set(every)) == len(every)
    assert not any(map(find_tool, every))


def test_a_description_is_one_sentence_of_at_most_280_characters() -> None:
    for tool in TOOLS:
        assert len(tool.description) <= 280
        assert re.fullmatch(r"[A-Z][^.\n]*\.", tool.description), tool.description


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.id)
def test_schemas_are_valid_and_the_input_is_closed_and_holds_types_and_enums_only(tool: Json) -> None:
    closed = input_schema(tool)
    Draft202012Validator(closed)
    Draft202012Validator(catalogue.output_schema(tool))
    assert list(closed) == ["type", "properties", "required", "additionalProperties"]
    assert closed["additionalProperties"] is False
    assert all(schema.keys() <= {"type", "enum"} for schema in closed["properties"].values())


def test_an_integer_a_number_and_an_enum_are_advertised_as_such() -> None:
    weight = input_schema(TOOLS[6])
    assert weight["properties"] == {
        "weight": {"type": "number"},
        "unit": {"type": "string", "enum": ["lb", "kg"]},
        "date": {"type": "string"},
    }
    assert input_schema(TOOLS[2])["properties"] == {"limit": {"type": "integer"}}
    assert input_schema(TOOLS[13])["properties"]["all"] == {"type": "boolean"}


def test_an_entry_carries_names_schemas_and_policy() -> None:
    tool = find("journal.append")
    assert tool is not None
    assert formats.entry(tool, {"in": 1}, {"out": 1}) == {
        "type": "portos_tool",
        "name": "journal.append",
        "version": 1,
        "providerName": "journal_append",
        "aliases": ["daily_log_append", "journal_append"],
        "description": tool.description,
        "input_schema": {"in": 1},
        "output_schema": {"out": 1},
        "policy": {
            "scopes": ["agent", "mind", "ui", "voice"],
            "requiredCapabilities": ["writePortos"],
            "sideEffect": "write",
            "idempotent": False,
            "async": False,
            "confirmation": "capability-grant",
        },
    }


def test_a_reading_entry_is_idempotent_and_asks_for_no_confirmation() -> None:
    told = view_catalogue(SEMANTIC, "agent", BOTH, "portos")["tools"][1]
    assert told["aliases"] == ["brain_search"]
    assert told["policy"]["requiredCapabilities"] == ["readPortos"]
    assert (told["policy"]["sideEffect"], told["policy"]["idempotent"]) == ("read", True)
    assert told["policy"]["confirmation"] == "none"


@pytest.mark.parametrize(
    ("scope", "capabilities", "read", "write", "granted"),
    [
        ("agent", BOTH, True, True, 22),
        ("agent", READ, True, False, 13),
        ("mind", frozenset({"writePortos"}), False, True, 9),
        ("agent", frozenset(), False, False, 0),
        ("ui", BOTH, None, None, 0),
        ("voice", frozenset(), None, None, 0),
        ("all", BOTH, None, None, 0),
    ],
)
def test_a_catalogue_says_what_is_granted_where_grants_decide(
    scope: str, capabilities: frozenset[str], read: bool | None, write: bool | None, granted: int
) -> None:
    told = view_catalogue(SEMANTIC, scope, capabilities, "portos")
    assert list(told) == ["type", "schemaVersion", "scope", "tools", "stats"]
    assert (told["type"], told["schemaVersion"], told["scope"]) == ("portos_tool_catalog", 1, scope)
    assert told["stats"] == {"total": 22, "read": 13, "write": 9, "granted": granted}
    assert [tool["name"] for tool in told["tools"]] == [row[0] for row in ROWS]
    assert [tool["granted"] for tool in told["tools"]] == [read if row[2] == "R" else write for row in ROWS]
    assert all(tool["availableInScope"] is True for tool in told["tools"])


def test_a_tool_is_not_available_in_a_scope_that_its_policy_does_not_name() -> None:
    entry = {"policy": {"scopes": ["mind"]}}
    assert formats.seen_from(entry, "agent", False)["availableInScope"] is False
    assert formats.seen_from(entry, "all", None)["availableInScope"] is True


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp"])
def test_a_provider_s_form_leaves_out_what_is_not_granted(form: str) -> None:
    assert len(view_catalogue(SEMANTIC, "agent", READ, form)["tools"]) == 13
    assert view_catalogue(SEMANTIC, "agent", READ, form)["stats"]["total"] == 22
    assert len(view_catalogue(SEMANTIC, "ui", frozenset(), form)["tools"]) == 22


def test_each_form_tells_a_tool_in_its_provider_s_words() -> None:
    tool = TOOLS[0]
    schema = input_schema(tool)
    told = {form: view_catalogue(SEMANTIC, "agent", BOTH, form)["tools"][0] for form in formats.FORMATS}
    name, description = "brain_capture", tool.description
    assert told["openai"] == {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }
    assert told["anthropic"] == {"name": name, "description": description, "input_schema": schema}
    assert told["mcp"] == {
        "name": name,
        "description": description,
        "inputSchema": schema,
        "outputSchema": catalogue.output_schema(tool),
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": False,
        },
    }


@pytest.mark.parametrize(("read", "write", "count"), [(0, 0, 0), (1, 0, 13), (0, 1, 9), (1, 1, 22)])
def test_mcp_lists_what_is_granted_in_the_order_of_the_catalogue(read: int, write: int, count: int) -> None:
    settings = Settings(enabled=True, read_portos=bool(read), write_portos=bool(write))
    listed = [tool["name"] for tool in granted_tools(SEMANTIC, settings)]
    assert listed == [row[1] for row in ROWS if (read if row[2] == "R" else write)]
    assert len(listed) == count


def test_a_reading_tool_is_annotated_as_harmless_and_repeatable() -> None:
    for row, tool in zip(
        ROWS, granted_tools(SEMANTIC, Settings(read_portos=True, write_portos=True)), strict=True
    ):
        reads = row[2] == "R"
        assert tool["annotations"] == {
            "readOnlyHint": reads,
            "destructiveHint": False,
            "idempotentHint": reads,
            "openWorldHint": False,
        }
        assert "title" not in tool
