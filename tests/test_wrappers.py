"""The exit code reaches CI through the wrappers that people start evalkit with: npm, pnpm, uv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.door import echo, said

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
CODES = {"good": 0, "bad": 1, "none": 2}
"""Case → the exit code of a run of it alone."""

INSTALL_SECONDS = 240


def ran(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(BIN), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "HOME": str(folder)}
    return subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
    )


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose package.json names evalkit as PortOS names its own command."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "mine.json").write_text(echo(said("good"), said("bad", "goodbye")), encoding="utf-8")
    script = "evalkit run ./mine.json --failure-threshold 0 --case"
    package = {"name": "project", "private": True, "scripts": {"eval:agent-context": script}}
    (folder / "package.json").write_text(json.dumps(package), encoding="utf-8")
    return folder


def check(project: Path, *wrapper: str) -> None:
    for case, code in CODES.items():
        assert ran(project, *wrapper, case).returncode == code, case


def test_npm_run(project: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not there")
    check(project, "npm", "run", "--silent", "eval:agent-context", "--")


def test_pnpm_run(project: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not there to install pnpm with")
    tools = project / "tools"
    quiet = ("--no-fund", "--no-audit", "--loglevel=error")
    installed = ran(project, "npm", "install", "--prefix", str(tools), *quiet, "pnpm@9")
    if installed.returncode:
        pytest.skip(f"the npm registry cannot be reached: {installed.stderr[-200:]}")
    check(project, str(tools / "node_modules" / ".bin" / "pnpm"), "run", "--silent", "eval:agent-context")


def test_uv_run(project: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        to = project / "uv"
        installed = ran(project, sys.executable, "-m", "pip", "install", "--quiet", "--target", str(to), "uv")
        if installed.returncode:
            pytest.skip(f"the package index cannot be reached: {installed.stderr[-200:]}")
        uv = str(to / "bin" / "uv")
    check(project, uv, "run", "--no-project", "--offline", "evalkit", "run", "./mine.json", "--case")
