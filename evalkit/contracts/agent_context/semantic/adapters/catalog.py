"""The catalogue of what the owner's stories are made of: characters, places, ideas … (spec C.2)."""

from __future__ import annotations

from typing import Final

from ...javascript import cut, fold_whitespace, trim
from ...store import Ledger
from ..nouns import Json, Moment
from .bounds import blank, limit
from .outcomes import counted, done, failed

_SHOWN: Final = 5
_MOST: Final = 20
_SNIPPET_CHARS: Final = 200


def search(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """What holds the query in its name, then in its description, in any case → `count`, `results`."""
    query, kind = trim(args["query"]), args.get("type")
    if fault := blank("query", query) or blank("type", kind):
        return failed(fault)
    rows = [row.body for row in ledger.rows("catalog") if kind is None or _is_type(row.body, kind)]
    needle = query.lower()
    named = [row for row in rows if needle in row["name"].lower()]
    described = [row for row in rows if needle in _description(row).lower()]
    found = [*named, *(row for row in described if needle not in row["name"].lower())]
    results = [_shown(row) for row in found[: limit(args, _SHOWN, _MOST)]]
    return done(f'{counted(len(found), "result")} with "{query}".', count=len(results), results=results)


def _is_type(row: Json, kind: str) -> bool:
    same: bool = row["type"].lower() == trim(kind).lower()
    return same


def _description(row: Json) -> str:
    description: str = row.get("description", "")
    return description


def _shown(row: Json) -> Json:
    snippet = cut(fold_whitespace(_description(row)), _SNIPPET_CHARS)
    fields = {"id": row["id"], "name": row["name"], "type": row["type"], "snippet": snippet}
    return {**fields, "refsCount": row.get("refsCount", 0)}
