"""The formats of a report, one file each; the table below is all that registers them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final, cast

from evalkit.plugins import Reporter

FORMATS: Final[Mapping[str, str]] = {
    "json": "the report itself",
    "text": "for people: every failure with its place in the suite, then a summary",
    "junit": "JUnit XML, for CI systems",
    "github": "annotations in GitHub Actions",
    "sarif": "SARIF 2.1.0, for code scanning",
    "ctrf": "the Common Test Report Format",
    "markdown": "a job summary, for pages that show Markdown",
}
"""Format → what it is for. The module has the format's name and is imported on first use."""


def find(name: str) -> Reporter:
    """The reporter of a format. KeyError where there is none."""
    if name not in FORMATS:
        raise KeyError(name)
    return cast("Reporter", import_module(f"evalkit.reporters.{name}"))
