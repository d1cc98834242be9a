"""Twins that read the wrong rows, or find the wrong ones among them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from evalkit.contracts.agent_context import navigation
from evalkit.contracts.agent_context.inspection import Inspected, inspect
from evalkit.contracts.agent_context.javascript import cut, to_string
from evalkit.contracts.agent_context.matching import matcher, search_text
from evalkit.contracts.agent_context.navigation import resolve
from evalkit.contracts.agent_context.redaction import redact
from evalkit.contracts.agent_context.sources import Reading, Sources, read
from evalkit.contracts.agent_context.vocabulary import SCOPES, Json, Row
from tests.twins.twin import altered, twin


def _swallow(sources: Sources, scope: str) -> Reading:
    try:
        return read(sources, scope)
    except Exception:
        return Reading([], "fresh")


def _swallow_into_stale(sources: Sources, scope: str) -> Reading:
    try:
        return read(sources, scope)
    except Exception:
        return Reading([], "stale")


def _ask_twice(sources: Sources, scope: str) -> Reading:
    read(sources, scope)
    return read(sources, scope)


def _ask_all(sources: Sources, scope: str) -> Reading:
    return {one: read(sources, one) for one in SCOPES}[scope]


def _status_of_any(sources: Sources, scope: str) -> Reading:
    statuses = [sources.status(one) for one in SCOPES]
    return read(sources, scope)._replace(status="stale" if "stale" in statuses else "fresh")


def _rows(change: Callable[[list[Row]], list[Row]]) -> Callable[[Sources, str], Reading]:
    """A reading of other rows than the source gave."""

    def reading(sources: Sources, scope: str) -> Reading:
        found = read(sources, scope)
        return found._replace(rows=change(list(found.rows)))

    return reading


SOURCE_TWINS = (
    twin(
        "a source error swallowed",
        "err-workspaces",
        "err-brain",
        "err-identity",
        "err-navigation",
        "err-get",
        "err-resolve",
        "err-one-of-many",
        read=_swallow,
    ),
    twin(
        "a source error told as staleness",
        "err-workspaces",
        "err-get",
        "err-one-of-many",
        read=_swallow_into_stale,
    ),
    twin(
        "a source asked twice", "scope-list-one-source", "get-one-source", "nav-one-source", read=_ask_twice
    ),
    twin(
        "every source asked",
        "scope-list-one-source",
        "scope-search-requested",
        "err-not-touched",
        "get-one-source",
        "nav-one-source",
        read=_ask_all,
    ),
    twin("freshness of every source counts", "stale-other", "stale-not-asked", read=_status_of_any),
    twin(
        "the source read backwards",
        "search-source-order",
        "brain-types-in-order",
        "get-duplicate-first",
        "page-last",
        read=_rows(lambda rows: rows[::-1]),
    ),
    twin(
        "the rows of a source sorted", "brain-types-in-order", read=_rows(lambda rows: sorted(rows, key=str))
    ),
    twin(
        "equal rows of a source read once",
        "cap-1000",
        read=_rows(lambda rows: [row for at, row in enumerate(rows) if at == 0 or row != rows[at - 1]]),
    ),
    twin("the first row left out", "list-ref-hash", "get-duplicate-first", read=_rows(lambda rows: rows[1:])),
)


def _capped(most: int) -> Callable[[str, Sequence[Row]], Inspected]:
    return altered(inspect, MAX_SOURCE_ITEMS=most)


def _capped_by_type(scope: str, rows: Sequence[Row]) -> Inspected:
    names = dict.fromkeys(name for name, _ in rows)
    parts = [inspect(scope, [row for row in rows if row[0] == name]) for name in names]
    return Inspected([row for part in parts for row in part.rows], any(part.truncated for part in parts))


def _the_last(scope: str, rows: Sequence[Row]) -> Inspected:
    return inspect(scope, rows[-1000:])._replace(truncated=len(rows) > 1000)


def _readable(scope: str, rows: Sequence[Row]) -> Inspected:
    kept: list[Row] = []
    for row in rows:
        try:
            kept += inspect(scope, [row]).rows
        except Exception:
            continue
    return inspect(scope, kept)


def _any_stale(*words: Json) -> Callable[[Iterable[Json]], str]:
    return lambda statuses: "stale" if any(status in words for status in statuses) else "fresh"


def _stale_at(index: int) -> Callable[[Iterable[Json]], str]:
    return lambda statuses: "stale" if [None, *statuses][index:][:1] == ["stale"] else "fresh"


INSPECTION_TWINS = (
    twin(
        "source cap off",
        "cap-1001",
        "get-beyond-cap",
        "cap-search-beyond",
        inspect=lambda scope, rows: Inspected(rows, False),
    ),
    twin("a source cap of 1,001", "cap-1001", "get-beyond-cap", "cap-search-beyond", inspect=_capped(1001)),
    twin("a source cap of 999", "cap-1000", inspect=_capped(999)),
    twin("a source cap for each type", "cap-brain-across-types", "get-beyond-cap", inspect=_capped_by_type),
    twin("the end of a source looked at", "get-beyond-cap", inspect=_the_last),
    twin(
        "source truncation not told",
        "cap-1001",
        "cap-search-beyond",
        "cap-search-some-scope",
        "get-beyond-cap",
        inspect=lambda scope, rows: inspect(scope, rows)._replace(truncated=False),
    ),
    twin(
        "a full source called truncated",
        "cap-1000",
        inspect=lambda scope, rows: inspect(scope, rows)._replace(truncated=len(rows) >= 1000),
    ),
    twin("unreadable records left out", "bad-record-null", "bad-aliases", inspect=_readable),
    twin(
        "a page without a list of aliases read all the same",
        "bad-aliases",
        "bad-aliases-resolve",
        inspect=lambda scope, rows: inspect("", rows),
    ),
    twin(
        "stale reported fresh",
        "stale-list",
        "stale-each",
        "stale-multi",
        "stale-get",
        "stale-get-null",
        "stale-resolve",
        "stale-from-now",
        freshness=lambda statuses: "fresh",
    ),
    twin(
        "fresh reported stale",
        "stale-other",
        "stale-not-asked",
        "stale-junk",
        "stale-from-now",
        "nav-miss",
        freshness=lambda statuses: "stale",
    ),
    twin(
        "only the first source can be stale",
        "stale-multi",
        "stale-any-place[middle]",
        "stale-any-place[last]",
        freshness=_stale_at(1),
    ),
    twin(
        "only the last source can be stale",
        "stale-any-place[first]",
        "stale-any-place[middle]",
        freshness=_stale_at(-1),
    ),
    twin(
        "a search is stale where every source is",
        "stale-multi",
        "stale-any-place",
        freshness=lambda statuses: "stale" if {*statuses} == {"stale"} else "fresh",
    ),
    twin(
        "stale in any case",
        "stale-junk[capitals]",
        freshness=lambda statuses: _any_stale("stale")(str(status).lower() for status in statuses),
    ),
    twin(
        "stale with space round it",
        "stale-junk[padded]",
        freshness=lambda statuses: _any_stale("stale")(str(status).strip() for status in statuses),
    ),
    twin(
        "whatever is not fresh is stale",
        "stale-junk",
        freshness=lambda statuses: "stale" if any(s not in ("fresh", None) for s in statuses) else "fresh",
    ),
)


def _followed_by(more: Callable[[Json], str], *scopes: str) -> Callable[[str, str, Json], str]:
    """A text to search with something behind it: in these scopes, or in all."""

    def text(scope: str, name: str, record: Json) -> str:
        known = search_text(scope, name, record)
        return f"{known} {more(record)}" if scope in (scopes or SCOPES) else known

    return text


def _also(scope: str, field: str) -> Callable[[str, str, Json], str]:
    """A text to search with one field more."""
    return _followed_by(lambda record: str(record.get(field)), scope)


def _lacking(scope: str, field: str) -> Callable[[str, str, Json], str]:
    """A text that can be found by one field fewer."""

    def text(asked: str, name: str, record: Json) -> str:
        known = {key: value for key, value in record.items() if asked != scope or key != field}
        return search_text(asked, name, known)

    return text


def _as_pattern(query: str) -> Callable[[str], bool]:
    pattern = re.compile(re.escape(query).replace(r"\.", "."), re.IGNORECASE)
    return lambda text: pattern.search(text) is not None


def _word_by_word(query: str) -> Callable[[str], bool]:
    return lambda text: all(matcher(word)(text) for word in query.split())


def _composed(query: str) -> Callable[[str], bool]:
    found = matcher(unicodedata.normalize("NFC", query))
    return lambda text: found(unicodedata.normalize("NFC", text))


def _beginning(query: str) -> Callable[[str], bool]:
    return lambda text: text.lower().startswith(query.lower())


MATCHING_TWINS = (
    twin(
        "private fields searched",
        "search-tags-not-searched",
        "search-nav-path-not-searched",
        "search-ws-private-not-searched",
        "search-identity-private-not-searched",
        search_text=_followed_by(json.dumps),
    ),
    *(
        twin(
            f"{field} of a brain record searched",
            "search-tags-not-searched",
            search_text=_also("brain", field),
        )
        for field in ("id", "tags", "status", "privateBody")
    ),
    *(
        twin(
            f"{field} of a page searched",
            "search-nav-path-not-searched",
            search_text=_also("navigation", field),
        )
        for field in ("id", "path")
    ),
    twin(
        "the folder of a workspace searched",
        "search-ws-private-not-searched[query=checkouts]",
        search_text=_also("workspaces", "repoPath"),
    ),
    twin(
        "the branch of a workspace searched",
        "search-ws-private-not-searched[query=payroll]",
        search_text=_also("workspaces", "savedBranch"),
    ),
    twin(
        "what an identity section holds searched",
        "search-identity-private-not-searched",
        search_text=_also("identity", "privateBody"),
    ),
    *(
        twin(
            f"{field} of a page not searched",
            "search-alias-keyword",
            search_text=_lacking("navigation", field),
        )
        for field in ("aliases", "keywords")
    ),
    *(
        twin(
            f"{field} of a page not searched",
            "search-text-of-scope[navigation]",
            search_text=_lacking("navigation", field),
        )
        for field in ("label", "section")
    ),
    *(
        twin(
            f"{field} of a workspace not searched",
            "search-text-of-scope[workspaces]",
            search_text=_lacking("workspaces", field),
        )
        for field in ("appName", "appId")
    ),
    twin(
        "the title of a brain record not searched",
        "search-text-of-scope[brain]",
        "search-metadata-match",
        search_text=_lacking("brain", "title"),
    ),
    twin(
        "the type of a brain record not searched",
        "search-text-of-scope[brain]",
        search_text=lambda scope, name, record: search_text(scope, name if scope != "brain" else "", record),
    ),
    twin(
        "the label of an identity section not searched",
        "search-text-of-scope[identity]",
        search_text=_lacking("identity", "label"),
    ),
    twin(
        "an absent section found as a present one",
        "search-absent-section",
        search_text=lambda scope, name, record: search_text(scope, name, {**record, "present": True}),
    ),
    twin(
        "what is null searched as a word",
        "search-missing-fields[query=null]",
        search_text=_followed_by(lambda record: to_string(record.get("label"))),
    ),
    twin(
        "what is missing searched as a word",
        "search-missing-fields[query=undefined]",
        search_text=_followed_by(lambda record: to_string(record.get("other", ...))),
    ),
    twin(
        "what is null searched as Python calls it",
        "search-missing-fields[query=none]",
        search_text=_followed_by(lambda record: str(record.get("label"))),
    ),
    twin(
        "redacted text searched",
        "search-raw-secret-probe",
        "search-marker-not-searchable",
        search_text=lambda *parts: redact(search_text(*parts), 2000),
    ),
    twin(
        "the text of a record searched unfolded",
        "search-ws-folding",
        "search-query-spaces-kept",
        search_text=altered(search_text, fold_whitespace=lambda text: text),
    ),
    twin(
        "search text not capped",
        "search-2000-cap",
        "search-2000-edge[beyond]",
        search_text=altered(search_text, cut=lambda text, most: text),
    ),
    twin(
        "a search text of 1,999 characters",
        "search-2000-edge[within]",
        search_text=lambda *parts: cut(search_text(*parts), 1999),
    ),
    twin(
        "a search text of 2,001 characters",
        "search-2000-edge[beyond]",
        search_text=altered(search_text, _SEARCHABLE_CHARS=2001),
    ),
    twin("the query is a pattern", "search-literal", matcher=_as_pattern),
    twin(
        "the case of a query counts", "search-case-insens", matcher=lambda query: lambda text: query in text
    ),
    twin(
        "a query folds case",
        "search-no-case-folding",
        matcher=lambda query: lambda text: query.casefold() in text.casefold(),
    ),
    twin("a query composes letters", "search-nfc-nfd", matcher=_composed),
    twin(
        "the spaces of a query folded",
        "search-query-spaces-kept",
        matcher=lambda query: matcher(" ".join(query.split())),
    ),
    twin(
        "a query taken word by word",
        "search-query-spaces-kept",
        "search-words-together",
        matcher=_word_by_word,
    ),
    twin(
        "a query finds beginnings only", "search-raw-secret-probe", "search-alias-keyword", matcher=_beginning
    ),
    twin("every query finds everything", "search-nothing", matcher=lambda query: lambda text: True),
    twin(
        "no query finds anything",
        "search-case-insens",
        "search-metadata-match",
        "search-raw-secret-probe",
        matcher=lambda query: lambda text: False,
    ),
)

REFERENCE_TWINS = (
    twin(
        "get falls back to a prefix",
        "get-whole[beginning]",
        "get-whole[scope-alone]",
        "get-whole[one-less]",
        is_same=lambda ref, wanted: ref.startswith(wanted),
    ),
    twin(
        "get takes more than a reference",
        "get-whole[one-more]",
        is_same=lambda ref, wanted: wanted.startswith(ref),
    ),
    twin(
        "get takes a reference in any case",
        "get-case[name]",
        "get-case[first-letter]",
        is_same=lambda ref, wanted: ref.lower() == wanted.lower(),
    ),
    twin(
        "get finds nothing",
        "get-roundtrip",
        "get-roundtrip-scope",
        "get-longest-found",
        is_same=lambda ref, wanted: False,
    ),
    twin(
        "get gives the first item",
        "get-unknown-record",
        "get-raw-appid[spelt-out]",
        "get-raw-appid[without-kind]",
        is_same=lambda ref, wanted: True,
    ),
)


def _tiers() -> Iterator[tuple[str, navigation.Tier]]:
    rows = (
        "punctuation",
        "begins-with-alias",
        "begins-alias",
        "ends-with-alias",
        "holds-longest-alias",
        "within-alias",
        "last-word",
    )
    yield from zip(rows, navigation._TIERS, strict=True)


def _reading(index: int, fits: Callable[[str, str], bool]) -> Callable[[str, Sequence[Row]], Row | None]:
    """One of the seven readings replaced: the first alias that fits the phrase."""

    def tier(phrase: str, aliases: Sequence[navigation.Alias]) -> Row | None:
        return next((row for alias, row in aliases if fits(alias, phrase)), None)

    tiers = navigation._TIERS
    return altered(resolve, _TIERS=(*tiers[:index], tier, *tiers[index + 1 :]))


def _exactly(query: str, rows: Sequence[Row]) -> Row | None:
    return altered(resolve, _TIERS=())(query, rows)


def _lacking_name(field: str) -> Callable[[str, Sequence[Row]], Row | None]:
    """Pages that are not called by one of their names."""

    def found(query: str, rows: Sequence[Row]) -> Row | None:
        known = [("", {key: value for key, value in record.items() if key != field}) for _, record in rows]
        row = resolve(query, known)
        return None if row is None else rows[known.index(row)]

    return found


def _in_this_case(query: str, rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if query in json.dumps(row[1])), None)


RESOLVER_TWINS = (
    twin("no phrase finds a page", "nav-alias", "nav-exact", "nav-loose", resolve=lambda query, rows: None),
    twin(
        "any phrase finds a page",
        "nav-miss",
        "stale-resolve",
        resolve=lambda query, rows: resolve(query, rows) or rows[0],
    ),
    twin("only exact names find a page", "nav-loose", resolve=_exactly),
    *(
        twin(f"no page found by its {field}", f"nav-exact[{case}]", resolve=_lacking_name(field))
        for field, case in (("id", "id"), ("label", "label"), ("path", "path"), ("keywords", "keyword"))
    ),
    twin("no page found by its aliases", "nav-alias", resolve=_lacking_name("aliases")),
    twin("the case of a phrase counts", "nav-exact[id]", "nav-exact[keyword]", resolve=_in_this_case),
    *(
        twin(
            f"no page found by the reading {case}",
            f"nav-loose[{case}]",
            resolve=altered(resolve, _TIERS=tuple(one for one in navigation._TIERS if one is not tier)),
        )
        for case, tier in _tiers()
    ),
    twin(
        "the loosest reading first",
        "nav-loose[begins-alias]",
        "nav-loose[begins-with-alias]",
        resolve=altered(resolve, _TIERS=navigation._TIERS[::-1]),
    ),
    twin(
        "a short alias begins a phrase",
        "nav-short-alias[beginning]",
        resolve=_reading(1, lambda alias, phrase: phrase.startswith(alias)),
    ),
    twin(
        "an alias of three letters begins no phrase",
        "nav-loose[begins-with-three]",
        resolve=_reading(1, lambda alias, phrase: len(alias) > 3 and phrase.startswith(alias)),
    ),
    twin(
        "a short alias held by a phrase",
        "nav-short-alias[middle]",
        resolve=_reading(4, lambda alias, phrase: alias in phrase),
    ),
    twin(
        "an alias of four letters held by no phrase",
        "nav-loose[holds-four]",
        resolve=_reading(4, lambda alias, phrase: len(alias) > 4 and alias in phrase),
    ),
    twin(
        "the first alias that a phrase holds",
        "nav-loose[holds-longest-alias]",
        resolve=_reading(4, lambda alias, phrase: len(alias) > 3 and alias in phrase),
    ),
    twin(
        "punctuation alone finds a page",
        "nav-punctuation",
        resolve=lambda query, rows: resolve(query, rows) or (rows[0] if not query.strip("?!.") else None),
    ),
    twin(
        "of equal pages the last is found",
        "nav-first",
        resolve=lambda query, rows: resolve(query, rows[::-1]),
    ),
)

TWINS = (*SOURCE_TWINS, *INSPECTION_TWINS, *MATCHING_TWINS, *REFERENCE_TWINS, *RESOLVER_TWINS)
