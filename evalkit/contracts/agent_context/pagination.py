"""Pages through what was found: which rows are shown, and how the page says what it left out (spec A.8)."""

from __future__ import annotations

from .vocabulary import DEFAULT_RESULTS, Json


def window(args: Json) -> tuple[int, int]:
    """Where a page begins and how many rows it may show."""
    return int(args.get("cursor", 0)), int(args.get("limit", DEFAULT_RESULTS))


def search_page(items: list[Json], total: int, source_truncated: bool, status: str) -> Json:
    """A search result; `total` counts all matches among the inspected rows."""
    return {
        "items": items,
        "total": total,
        "truncated": len(items) < total or source_truncated,
        "sourceTruncated": source_truncated,
        "sourceStatus": status,
    }


def list_page(items: list[Json], total: int, cursor: int, source_truncated: bool, status: str) -> Json:
    """A page that starts at the offset `cursor`; past the end it is empty, which is no error."""
    end = cursor + len(items)
    more = end < total
    return {
        "items": items,
        "total": total,
        "nextCursor": end if more else None,
        "truncated": more or source_truncated,
        "sourceTruncated": source_truncated,
        "sourceStatus": status,
    }
