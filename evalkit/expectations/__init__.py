"""The words of `expect:`, one file each, named like the word."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import Final, cast

from evalkit.plugins import Expectation

WORDS: Final[Mapping[str, str]] = {
    "isError": "isError",
    "inputSchemaValid": "inputSchemaValid",
    "outputSchemaValid": "outputSchemaValid",
    "contentParity": "contentParity",
    "advertisedToolsCovered": "advertisedToolsCovered",
    "readOnlyTools": "readOnlyTools",
    "annotations": "annotations",
    "withinBudgets": "withinBudgets",
    "budget": "budget",
    "equals": "equals",
    "differs": "differs",
    "subset": "subset",
    "contains": "contains",
    "lacks": "lacks",
    "matches": "matches",
    "type": "type",
    "oneOf": "oneOf",
    "range": "range",
    "count": "count",
    "unique": "unique",
    "sorted": "sorted",
    "present": "present",
    "absent": "absent",
    "excludes": "excludes",
    "absentKeys": "absentKeys",
    "maxItems": "maxItems",
    "maxChars": "maxChars",
    "schema": "schema",
    "follows": "follows",
    "status": "status",
    "headers": "headers",
    "exitCode": "exitCode",
    "rpcError": "rpcError",
    "sameAs": "sameAs",
    "parity": "parity",
    "repeatable": "repeatable",
    "unchanged": "unchanged",
    "noSourceReads": "noSourceReads",
}


@cache
def find(word: str) -> Expectation:
    """The module of a word, imported when first asked for. KeyError where there is no such word."""
    return cast("Expectation", importlib.import_module(f"{__name__}.{WORDS[word]}"))
