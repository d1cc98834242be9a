"""The report as JSON, indented: the document that every other format is rendered from."""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from evalkit.model import Report

_C1: Final = re.compile(b"\xc2[\x80-\x9f]")
_UNSEEN: Final = re.compile("[\x7f-\x9f\ud800-\udfff]")


def render(report: Report) -> str:
    """Strict JSON in the report's order; DEL, C1 controls and lone surrogates are escaped, NaN is null."""
    try:
        data = msgspec.json.format(msgspec.json.encode(report), indent=2)
    except UnicodeEncodeError:
        return _escaped(_with_lone_surrogates(report)) + "\n"
    text = data.decode() + "\n"
    return _escaped(text) if b"\x7f" in data or _C1.search(data) else text


def _with_lone_surrogates(report: Report) -> str:
    finite = json.loads(json.dumps(report), parse_constant=lambda word: None)
    return json.dumps(finite, ensure_ascii=False, indent=2)


def _escaped(text: str) -> str:
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
