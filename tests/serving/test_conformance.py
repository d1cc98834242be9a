"""The official conformance suite of the protocol, against the agent tools as they are served."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serving.serving import serving, settings_file

PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "node@22")
EXPECTED = Path(__file__).with_name("conformance-expected-failures.yaml")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not there to install the suite with"),
]


@pytest.fixture(name="tools", scope="module")
def tools_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the suite, and with the Node.js that it needs."""
    folder = tmp_path_factory.mktemp("conformance")
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    command = ["npm", "install", "--no-fund", "--no-audit", "--loglevel=error", *PACKAGES]
    installed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    if installed.returncode != 0:
        pytest.skip(f"the npm registry cannot be reached: {installed.stderr[-200:]}")
    return folder / "node_modules" / ".bin"


def test_every_scenario_that_applies_passes(tools: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    with serving("--demo", "--settings", settings_file(tmp_path)) as server:
        command = [
            str(tools / "node"),
            str(tools / "conformance"),
            *("server", "--url", server.url, "--suite", "all"),
            *("--expected-failures", str(EXPECTED), "--output-dir", str(results)),
        ]
        environment = {**os.environ, "NO_COLOR": "1"}
        ended = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=240, check=False
        )
    assert ended.returncode == 0, ended.stdout[-3000:]
    checks = [json.loads(file.read_text(encoding="utf-8")) for file in results.rglob("checks.json")]
    passed = [check for one in checks for check in one if check["status"] == "SUCCESS"]
    assert passed, "no check was made at all"
