"""Mistakes as they may be shown: without the secrets of the suite, in which a source line is quoted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from evalkit.errors import Mistake
from evalkit.literals import MIN_SECRET, LiteralError, Scope, evaluate
from evalkit.model import Json, Path, SourceFile
from evalkit.spellings import Needles, without_half
from evalkit.values import dotted

_CUT: Final = 200
_IN_PARTS: Final = re.compile(r"(?<=\$secret).*\$(?:join|repeat)\b(.*)")
_TEXT: Final = re.compile(r"""(\$secret["']?\s*:\s*)("(?:[^"\\]|\\.)*|'[^']*|[^\s{"'][^,}\]]*)""")
_WRITTEN: Final = re.compile(r"[^\s{}\[\],:\"'-]")


def without_secrets(mistakes: Sequence[Mistake], documents: Iterable[SourceFile]) -> Sequence[Mistake]:
    """The mistakes with every secret of the documents masked; in a quoted line by as many stars."""
    texts = {
        f"{document.file}#{name}": text
        for document in documents
        for name, text in _secrets(document.data, ())
    }
    needles = Needles(texts)
    return [
        one._replace(
            message=needles.mask(one.message),
            remedy=needles.mask(one.remedy),
            excerpt=_starred(one.excerpt, texts, needles),
        )
        for one in mistakes
    ]


def _secrets(value: Json, path: Path) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if value.keys() == {"$secret"}:
            try:
                text = evaluate(value["$secret"], Scope(_no_names))
            except LiteralError:
                return
            if isinstance(text, str) and len(text) >= MIN_SECRET:
                yield dotted(path), text
            return
        for key, inner in value.items():
            yield from _secrets(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _secrets(inner, (*path, index))


def _no_names(name: str) -> Json:
    raise LookupError(name)


def _starred(line: str, texts: Mapping[str, str], needles: Needles) -> str:
    line = without_half(line, texts.values()) if len(line) >= _CUT else line
    for text in texts.values():
        line = line.replace(text, "*" * len(text))
    line = _TEXT.sub(lambda match: match[1] + "*" * len(match[2]), line)
    line = _IN_PARTS.sub(lambda match: match[0].replace(match[1], _WRITTEN.sub("*", match[1])), line)
    return "" if needles.search(line) else line
