"""The reference pages tell what the tables hold now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(name="reference", scope="module")
def reference_fixture() -> ModuleType:
    """docs/reference.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_current(reference: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in reference.pages().items():
        if name == "commands.md" and sys.version_info[:2] != (3, 11):
            continue  # argparse words its help anew with each Python
        written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert text == written, f"docs/reference/{name} is not current: run `make reference`"


def test_no_page_is_left_over(reference: ModuleType) -> None:
    assert {path.name for path in (ROOT / "docs" / "reference").iterdir()} == set(reference.pages())
