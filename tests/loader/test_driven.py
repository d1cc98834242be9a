"""What a suite drives: a contract in memory or a live target, said by the suite or by the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from evalkit.model import Suite, Target
from evalkit.targets import WORLDS, parse, providing
from tests.lending import MANIFEST, MCP, NAME
from tests.playing import loaded, refused, suite_file

ORIGIN: Final = "http://127.0.0.1:5555"
URL: Final = ORIGIN + MCP
CASES: Final = """\
cases:
  - {id: one, title: It is so, operation: tool, tool: read, args: {note: a}, expect: {isError: false}}
"""


def text_of(*head: str) -> str:
    return "".join(f"{line}\n" for line in ("name: notebook", "version: 1", *head)) + CASES


def suite_of(folder: Path, *head: str, **options: object) -> Suite:
    return loaded(suite_file(folder, text_of(*head)), **options)


def test_a_suite_with_a_target_needs_no_contract_and_no_fixture(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, f"target: {ORIGIN}/mcp")
    assert (suite.contract, suite.target) == ("", Target(f"{ORIGIN}/mcp"))
    (case,) = suite.cases
    assert (case.fixture, case.fixture_name, case.steps[0].over) == (None, "", "mcp")


def test_without_a_contract_a_fixture_is_not_checked(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, f"target: {URL}", "fixtures: {odd: {x: [1]}}", "defaults: {fixture: odd}")
    assert suite.cases[0].fixture == {"x": [1]}


def test_a_contract_checks_the_fixtures_of_a_live_suite_too(tmp_path: Path) -> None:
    path = suite_file(tmp_path, text_of(f"target: {URL}", f"contract: {NAME}", "fixtures: {odd: {x: 1}}"))
    (mistake,) = refused(path)
    assert mistake.code == "fixture-invalid"


def test_the_contract_says_where_its_manifest_is(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, f"target: {URL}", f"contract: {NAME}")
    assert suite.target == Target(URL, manifest=MANIFEST)
    elsewhere = suite_of(tmp_path, f"target: {ORIGIN}/mcp", f"contract: {NAME}")
    assert elsewhere.target == Target(f"{ORIGIN}/mcp")


def test_the_shipped_contract_says_it_for_its_own_path(tmp_path: Path) -> None:
    url = f"{ORIGIN}/api/agent-context/mcp"
    suite = suite_of(tmp_path, f"target: {url}", "contract: agent-context")
    assert suite.target == Target(url, manifest="/api/agent-context/manifest")


def test_a_target_as_data_says_the_rest_itself(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        f"contract: {NAME}",
        f"target: {{http: {{url: '{URL}'}}, provides: [clock], manifest: {{http: /own}}, "
        "fixtureVia: {http: /worlds}}",
    )
    assert suite.target == Target(URL, frozenset({"clock", "fixtures"}), "/own", "/worlds")


def test_the_command_line_s_target_replaces_the_suite_s(tmp_path: Path) -> None:
    given = providing(parse(URL), ["fixtures"])
    suite = suite_of(tmp_path, f"target: {ORIGIN}/other", f"contract: {NAME}", target=given)
    assert suite.target == Target(URL, frozenset({"fixtures"}), MANIFEST, WORLDS)
    suite = suite_of(tmp_path, "target: stdio:server", target=given)
    assert suite.target == given


def test_what_the_command_line_says_is_provided_is_added_to_the_suite_s(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, f"target: {URL}", provides=("fixtures", "clock"))
    assert suite.target == Target(URL, frozenset({"fixtures", "clock"}), None, WORLDS)


def test_a_contract_on_the_command_line_drives_a_live_suite_in_memory(tmp_path: Path) -> None:
    fixture = "defaults: {fixture: {}}"
    suite = suite_of(tmp_path, f"target: {URL}", fixture, contract=NAME)
    assert (suite.contract, suite.target, suite.cases[0].steps[0].over) == (NAME, None, "direct")
    both = suite_of(tmp_path, f"target: {URL}", fixture, contract=NAME, target=parse(URL))
    assert (both.contract, both.target and both.target.url) == (NAME, URL)


@pytest.mark.parametrize(
    ("head", "options", "over"),
    [
        ((f"target: {URL}",), {}, "mcp"),
        ((f"target: {URL}", "defaults: {over: http}"), {}, "http"),
        ((f"target: {URL}", "defaults: {over: http}"), {"over": "direct"}, "direct"),
        ((f"contract: {NAME}", "defaults: {fixture: {}}"), {}, "direct"),
        ((f"contract: {NAME}", "defaults: {fixture: {}}"), {"over": "mcp"}, "mcp"),
    ],
)
def test_the_usual_way_in_is_mcp_where_the_target_is_live(
    head: tuple[str, ...], options: dict[str, str], over: str, tmp_path: Path
) -> None:
    assert suite_of(tmp_path, *head, **options).cases[0].steps[0].over == over


def test_settings_without_a_fixture_are_those_of_no_world(tmp_path: Path) -> None:
    (mistake,) = refused(suite_file(tmp_path, text_of(f"target: {URL}", "defaults: {settings: {a: 1}}")))
    assert mistake.code == "fixture-missing"


def test_a_file_beside_the_contract_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd.py").write_text("", encoding="utf-8")
    (tmp_path / "odd.live.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (mistake,) = refused(suite_file(tmp_path, text_of(f"target: {URL}", "contract: python:odd:open")))
    assert (mistake.code, "odd.live.json" in mistake.message) == ("file-unreadable", True)


# ── what a target takes from the environment, and what cases take from it ────────────────────────

TOKEN: Final = "token-" + "4" * 8


def http_target(more: str) -> str:
    return f"target: {{http: {{url: {ORIGIN}/mcp, {more}}}}}"


def test_a_header_of_a_target_takes_its_secret_from_the_environment(tmp_path: Path) -> None:
    head = http_target('headers: {Authorization: "Bearer ${{ env.TOKEN }}", X-Plain: p}')
    suite = suite_of(tmp_path, head, env={"TOKEN": TOKEN})
    assert suite.target is not None
    assert suite.target.headers == (("Authorization", f"Bearer {TOKEN}"), ("X-Plain", "p"))
    assert suite.target.secrets == (("target.headers.Authorization", TOKEN),)
    assert suite.cases[0].secrets == {"target.headers.Authorization": TOKEN}


def test_the_environment_of_a_program_does_too_and_several_names_are_told_apart(tmp_path: Path) -> None:
    head = 'target: {stdio: {command: [s], env: {KEY: "${{ env.A }}-${{ env.B }}", MODE: "${{ env.C }}"}}}'
    suite = suite_of(tmp_path, head, env={"A": "first-one", "B": "second-one", "C": "on"})
    assert suite.target is not None
    assert suite.target.secrets == (("target.env.KEY.A", "first-one"), ("target.env.KEY.B", "second-one"))


def test_a_name_that_is_not_given_is_a_mistake_and_so_is_one_anywhere_else(tmp_path: Path) -> None:
    head = http_target('headers: {Authorization: "${{ env.TOKEN }}"}')
    (mistake,) = refused(suite_file(tmp_path, text_of(head)))
    assert "--env TOKEN" in mistake.message
    for other in (
        'target: {http: {url: "http://${{ env.HOST }}/mcp"}}',
        'target: {stdio: {command: ["${{ env.HOST }}"]}}',
        http_target("headers: {A: {$join: [a, b]}}"),
    ):
        (mistake,) = refused(suite_file(tmp_path, text_of(other)), env={"HOST": "h"})
        assert mistake.code in ("wrong-value", "wrong-type")


PATH_CASE: Final = """\
  - {id: path, title: It is so, operation: http, path: "${{ target.path }}/x", expect: {status: 200}}
"""


@pytest.mark.parametrize(
    ("target", "path", "requires"),
    [
        (f"{ORIGIN}/deep/mcp", "/deep/mcp/x", ()),
        ("{unix: {socket: /s, path: /m}}", "/m/x", ()),
        ("unix:/s", "//x", ("target.path",)),
        ("stdio:s", "//x", ("target.path",)),
    ],
)
def test_a_step_may_go_to_the_path_that_takes_messages(
    tmp_path: Path, target: str, path: str, requires: tuple[str, ...]
) -> None:
    suite = loaded(suite_file(tmp_path, text_of(f"target: {target}") + PATH_CASE))
    first, case = suite.cases
    assert (case.steps[0].call.words["path"], case.requires) == (path, requires)
    assert first.requires == ()


def test_in_memory_no_path_takes_messages_and_the_case_is_left_out(tmp_path: Path) -> None:
    head = ("contract: agent-context", "fixtures: {f: {}}", "defaults: {fixture: f}")
    suite = loaded(suite_file(tmp_path, text_of(*head) + PATH_CASE))
    assert suite.cases[1].requires == ("target.path",)


def test_share_and_fresh_are_kept(tmp_path: Path) -> None:
    text = text_of("target: {stdio: {command: [s]}, share: true}").replace(
        "{id: one,", "{id: one, fresh: true,"
    )
    suite = loaded(suite_file(tmp_path, text))
    assert suite.target is not None
    assert (suite.target.share, suite.cases[0].fresh) == (True, True)
    assert suite_of(tmp_path, "target: stdio:s").cases[0].fresh is False
