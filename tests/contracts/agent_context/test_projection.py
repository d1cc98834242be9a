"""Tests for `projection` and `records`: what each scope shows, seen through the whole contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalkit.contracts.agent_context.records import BRAIN_TEXTS, is_truthy, text
from evalkit.model import Json

if TYPE_CHECKING:
    from tests.contracts.agent_context.conftest import Open

EMAIL = "alice@example.com"


@pytest.mark.parametrize("profile", ["metadata", "summary"])
def test_a_navigation_command_shows_label_section_and_path(opened: Open, profile: str) -> None:
    command = {"id": "nav.goals", "label": "Goals", "section": "Life", "path": "/goals", "aliases": ["aims"]}
    assert opened({"navigation": [command]}, profile).items("navigation") == [
        {
            "ref": "navigation:nav.goals",
            "scope": "navigation",
            "kind": "page",
            "title": "Goals",
            "summary": "Life page in PortOS.",
            "path": "/goals",
        }
    ]


def test_a_navigation_command_without_a_path_has_none(opened: Open) -> None:
    (item,) = opened({"navigation": [{"id": "n", "label": "L", "section": "S"}]}).items("navigation")
    assert "path" not in item


def test_a_workspace_shows_its_name_only_in_the_summary_profile(opened: Open) -> None:
    fixture = {"workspaces": [{"appId": "a", "appName": "Garden", "taskCount": 2, "repoPath": "/tmp/x"}]}
    shown = {
        "ref": "workspaces:workspace:ca978112ca1bbdcafac2",
        "scope": "workspaces",
        "kind": "workspace",
        "title": "Garden",
        "summary": "Active workspace with 2 task(s).",
        "path": "/apps",
    }
    assert opened(fixture, "summary").items("workspaces") == [shown]
    assert opened(fixture, "metadata").items("workspaces") == [{**shown, "title": "Workspace"}]


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (3, "3"),
        (3.0, "3"),
        (2.5, "2.5"),
        ("4", "4"),
        (" 4 ", "4"),
        ("0x10", "16"),
        (True, "1"),
        ([7], "7"),
        ("Infinity", "Infinity"),
        ("abc", "0"),
        (None, "0"),
        ({}, "0"),
        ([], "0"),
        ("", "0"),
        (-0.0, "0"),
    ],
)
def test_tasks_are_counted_as_number_or_0(opened: Open, count: Json, told: str) -> None:
    (item,) = opened({"workspaces": [{"appId": "a", "taskCount": count}]}).items("workspaces")
    assert item["summary"] == f"Active workspace with {told} task(s)."


def test_a_missing_count_is_0(opened: Open) -> None:
    (item,) = opened({"workspaces": [{"appId": "a"}]}).items("workspaces")
    assert item["summary"] == "Active workspace with 0 task(s)."


def test_metadata_shows_no_text_of_a_brain_record(opened: Open) -> None:
    record = {"id": "1", "title": "T", "description": "private words"}
    assert opened({"brain": {"ideas": [record]}}, "metadata").items("brain") == [
        {
            "ref": "brain:ideas:6b86b273ff34fce19d6b",
            "scope": "brain",
            "kind": "ideas",
            "title": "ideas record",
            "summary": "Read-only ideas record metadata.",
            "path": "/brain/ideas",
        }
    ]


def test_a_brain_summary_joins_its_texts_in_a_fixed_order(opened: Open) -> None:
    letters = dict(zip(BRAIN_TEXTS, "ABCDEFGHIJKL", strict=True))
    record = {"id": 1, **dict(reversed(letters.items()))}
    (item,) = opened({"brain": {"ideas": [record]}}).items("brain")
    assert (item["title"], item["summary"]) == ("A", "A B C D E F G H I J K L")


@pytest.mark.parametrize("record", [{}, {"title": ""}, {"content": "  \n "}, {"content": {"text": "z"}}])
def test_a_brain_record_without_text_says_so(opened: Open, record: Json) -> None:
    (item,) = opened({"brain": {"ideas": [record]}}).items("brain")
    assert (item["title"], item["summary"]) == ("ideas record", "Read-only ideas record.")


@pytest.mark.parametrize(
    ("record", "title"),
    [
        ({"name": "N", "title": "T"}, "N"),
        ({"name": "", "title": "T"}, "T"),
        ({"name": 0, "title": None, "oneLiner": "O"}, "O"),
        ({"capturedText": "C"}, "C"),
        ({"name": 5, "content": {"text": "z"}, "tags": ["x"]}, "5"),
        ({"name": "   "}, ""),
        ({"name": []}, ""),
        ({"name": {}}, "[object Object]"),
        ({"description": "D"}, "ideas record"),
    ],
)
def test_the_first_true_label_names_a_brain_record(opened: Open, record: Json, title: str) -> None:
    (item,) = opened({"brain": {"ideas": [record]}}).items("brain")
    assert item["title"] == title


def test_what_is_no_text_field_is_never_shown(opened: Open) -> None:
    record = {
        "id": 7,
        "name": 5,
        "content": {"text": "zed"},
        "tags": ["xray"],
        "status": "yank",
        "title": "T",
    }
    (item,) = opened({"brain": {"ideas": [record]}}).items("brain")
    assert item["summary"] == "T"


@pytest.mark.parametrize("profile", ["metadata", "summary"])
def test_an_identity_section_shows_its_presence_only(opened: Open, profile: str) -> None:
    fixture = {"identity": {"music": {"label": "Music", "present": True, "privateBody": "x"}, "k": {}}}
    assert opened(fixture, profile).items("identity") == [
        {
            "ref": "identity:section:music",
            "scope": "identity",
            "kind": "identity-export-section",
            "title": "Music",
            "summary": "Present in the local identity export; raw records are excluded.",
            "path": "/digital-twin/time-capsule",
        },
        {
            "ref": "identity:section:k",
            "scope": "identity",
            "kind": "identity-export-section",
            "title": "k",
            "summary": "No local identity-export data is present for this section.",
            "path": "/digital-twin/time-capsule",
        },
    ]


@pytest.mark.parametrize(
    ("present", "said"), [("false", "Present"), ([], "Present"), (0, "No"), ("", "No"), (None, "No")]
)
def test_presence_is_javascripts_truth(opened: Open, present: Json, said: str) -> None:
    (item,) = opened({"identity": {"k": {"present": present}}}).items("identity")
    assert item["summary"].startswith(said)


@pytest.mark.parametrize("profile", ["metadata", "summary"])
def test_labels_of_pages_and_sections_are_redacted_in_every_profile(opened: Open, profile: str) -> None:
    fixture = {
        "navigation": [{"id": "n", "label": f"Mail {EMAIL}", "section": EMAIL}],
        "identity": {"k": {"label": f"Of {EMAIL}"}},
    }
    contract = opened(fixture, profile)
    (page,) = contract.items("navigation")
    (section,) = contract.items("identity")
    assert page["title"] == "Mail [REDACTED EMAIL]"
    assert page["summary"] == "[REDACTED EMAIL] page in PortOS."
    assert section["title"] == "Of [REDACTED EMAIL]"


def test_an_identity_key_that_is_private_is_in_no_answer(opened: Open) -> None:
    contract = opened({"identity": {EMAIL: {"present": True}}})
    (item,) = contract.items("identity")
    assert item["title"] == "[REDACTED EMAIL]"
    assert item["ref"] == "identity:section:ff8d9819fc0e12bf0d24"
    assert contract.output("get_context", {"ref": item["ref"]})["item"] == item


def test_texts_are_redacted_in_the_summary_profile(opened: Open) -> None:
    fixture = {
        "workspaces": [{"appId": "a", "appName": f"{EMAIL} box"}],
        "brain": {"ideas": [{"id": "r", "title": f"For {EMAIL}", "description": "at 192.0.2.10."}]},
    }
    contract = opened(fixture)
    assert contract.items("workspaces")[0]["title"] == "[REDACTED EMAIL] box"
    (record,) = contract.items("brain")
    assert record["title"] == "For [REDACTED EMAIL]"
    assert record["summary"] == "For [REDACTED EMAIL] at [REDACTED IP]."


def test_truth_and_text_are_javascripts() -> None:
    true: list[Json] = [[], {}, "0", 1]
    false: list[Json] = [None, "", 0, 0.0, False]
    texts: list[Json] = [None, 1.0, True, [1, None]]
    assert all(map(is_truthy, true))
    assert not any(map(is_truthy, false))
    assert list(map(text, texts)) == ["", "1", "true", "1,"]


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("t" * 160, "t" * 160),
        ("t" * 161, "t" * 160),
        ("t" * 159 + "😀", "t" * 159),
        ("t" * 158 + "😀", "t" * 158 + "😀"),
        ("😀" * 81, "😀" * 80),
        ("t" * 142 + " " + EMAIL, "t" * 142 + " [REDACTED EMAIL]"),
        ("t" * 144 + " " + EMAIL, "t" * 144),
    ],
)
def test_a_title_is_cut_between_characters_and_markers(opened: Open, label: str, title: str) -> None:
    fixture = {
        "navigation": [{"id": "n", "label": label}],
        "workspaces": [{"appId": "a", "appName": label}],
        "brain": {"ideas": [{"id": "1", "name": label}]},
        "identity": {"k": {"label": label}},
    }
    contract = opened(fixture)
    assert [contract.items(scope)[0]["title"] for scope in fixture] == [title] * 4


def test_a_summary_is_cut_at_320_units_and_a_path_at_300(opened: Open) -> None:
    pages = [{"section": "s" * 400, "path": "/" + "p" * 400}, {"path": "/" + "p" * 298 + "😀"}]
    contract = opened({"navigation": pages, "brain": {"ideas": [{"id": 1, "content": "w " * 200}]}})
    long, emoji = contract.items("navigation")
    assert long["summary"] == "s" * 304 + " page in PortOS."
    assert long["path"] == "/" + "p" * 299
    assert emoji["path"] == "/" + "p" * 298
    assert contract.items("brain")[0]["summary"] == ("w " * 160).rstrip()


def test_a_secret_that_lies_across_the_cut_is_gone(opened: Open) -> None:
    key = "sk-" + "a1" * 12
    (item,) = opened({"brain": {"ideas": [{"id": 1, "content": "x " * 150 + key}]}}).items("brain")
    assert item["summary"] == "x " * 150 + "[REDACTED]"
