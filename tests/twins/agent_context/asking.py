"""Twins that judge the arguments of a call wrongly, or say wrongly what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evalkit.contracts.agent_context.inputs import input_issues
from evalkit.contracts.agent_context.javascript import cut, trim, utf16_length
from evalkit.model import Json
from tests.twins.twin import twin

Judge = Callable[[str, Json], Sequence[str]]


def _without(field: str) -> Judge:
    return lambda tool, args: [path for path in input_issues(tool, args) if path.split(".")[0] != field]


def _mended(mend: Callable[[dict[str, Json]], dict[str, Json]]) -> Judge:
    """Judges arguments that were first made better than they are."""
    return lambda tool, args: input_issues(tool, mend(args) if isinstance(args, dict) else args)


def _mended_at(key: str, fits: Callable[[Json], bool], instead: Json) -> Judge:
    return _mended(lambda args: {**args, key: instead} if key in args and fits(args[key]) else args)


def _also(key: str, fits: Callable[[Json], bool]) -> Judge:
    """Refuses what is right, too."""

    def judge(tool: str, args: Json) -> Sequence[str]:
        refused = isinstance(args, dict) and key in args and fits(args[key])
        return [key] if refused else input_issues(tool, args)

    return judge


def _trimmed(args: dict[str, Json]) -> dict[str, Json]:
    return {key: trim(said) or said if isinstance(said, str) else said for key, said in args.items()}


def _echoing(tool: str, args: Json) -> Sequence[str]:
    return [
        f"{path} ({args.get(path.split('.')[0])})" if isinstance(args, dict) else path
        for path in input_issues(tool, args)
    ]


TWINS = (
    twin(
        "any input accepted",
        "in-missing-query",
        "in-blank-query",
        "in-dup-scopes",
        "in-bad-scope",
        "in-limit-variants",
        "in-cursor-variants",
        "in-array-args",
        "no-source-read",
        input_issues=lambda tool, args: (),
    ),
    twin("query not judged", "in-missing-query", "in-query-type", input_issues=_without("query")),
    twin("scopes not judged", "in-dup-scopes", "in-bad-scope", input_issues=_without("scopes")),
    twin("scope not judged", "in-list-scope", input_issues=_without("scope")),
    twin("limit not judged", "in-limit-variants", "in-search-limit", input_issues=_without("limit")),
    twin("cursor not judged", "in-cursor-variants", input_issues=_without("cursor")),
    twin("ref not judged", "in-blank-ref", "get-180-181", input_issues=_without("ref")),
    twin("unknown arguments ignored", "in-unknown-key", "prof-extra-arg", input_issues=_without("input")),
    twin(
        "arguments in a list taken for none",
        "in-array-args[empty-list]",
        input_issues=lambda tool, args: input_issues(tool, {"query": "x"} if args == [] else args),
    ),
    twin(
        "a blank query accepted",
        "in-blank-query",
        input_issues=_mended_at("query", lambda said: isinstance(said, str) and not trim(said), "x"),
    ),
    twin(
        "blank as Python sees it",
        "in-blank-query[unicode-spaces]",
        input_issues=_mended_at("query", lambda said: isinstance(said, str) and said.strip() != "", "x"),
    ),
    twin("text judged after trimming", "in-padded-query", input_issues=_mended(_trimmed)),
    twin(
        "a query of 201 characters accepted",
        "in-query-200-201",
        input_issues=_mended_at("query", lambda said: isinstance(said, str) and len(said) == 201, "x"),
    ),
    twin(
        "a query of 200 characters refused",
        "in-query-200-201",
        input_issues=_also("query", lambda said: isinstance(said, str) and len(said) == 200),
    ),
    twin(
        "a query counted in UTF-16 units",
        "in-query-astral",
        input_issues=_also("query", lambda said: isinstance(said, str) and utf16_length(said) > 200),
    ),
    twin(
        "a reference of 181 characters accepted",
        "get-180-181",
        input_issues=_mended_at("ref", lambda said: len(said) == 181, "x"),
    ),
    twin(
        "a reference of 180 characters refused",
        "get-180-181",
        "get-longest-found",
        input_issues=_also("ref", lambda said: len(said) == 180),
    ),
    twin(
        "no scopes at all accepted",
        "in-no-scopes",
        input_issues=_mended_at("scopes", lambda said: said == [], ["brain"]),
    ),
    twin(
        "a scope asked for twice accepted",
        "in-dup-scopes",
        input_issues=_mended_at("scopes", lambda said: said == ["brain", "brain"], ["brain"]),
    ),
    twin(
        "a limit of 0 accepted",
        "in-limit-variants[limit=0]",
        "in-search-limit[limit=0]",
        input_issues=_mended_at("limit", lambda said: said == 0 and said is not False, 1),
    ),
    twin(
        "a limit of 26 accepted",
        "in-limit-variants[limit=26]",
        "in-search-limit[limit=26]",
        input_issues=_mended_at("limit", lambda said: said == 26, 25),
    ),
    twin(
        "a limit of 25 refused",
        "in-limit-bounds[limit=25]",
        "page-exact-25",
        input_issues=_also("limit", lambda said: said == 25),
    ),
    twin(
        "a limit of 1 refused",
        "in-limit-bounds[limit=1]",
        "page-limit-one",
        input_issues=_also("limit", lambda said: said == 1 and said is not True),
    ),
    twin(
        "true taken for 1",
        "in-limit-variants[limit=true]",
        input_issues=_mended_at("limit", lambda said: said is True, 1),
    ),
    twin(
        "a number in a text accepted",
        "in-limit-variants[limit=5]",
        "in-search-limit[limit=5]",
        input_issues=_mended_at("limit", lambda said: said == "5", 5),
    ),
    twin(
        "null taken for left out",
        "in-limit-variants[limit=null]",
        "in-cursor-variants[cursor=null]",
        input_issues=_mended(lambda args: {key: said for key, said in args.items() if said is not None}),
    ),
    twin(
        "a fraction rounded",
        "in-limit-variants[limit=1.5]",
        input_issues=_mended_at("limit", lambda said: said == 1.5, 1),
    ),
    twin(
        "a whole number with a point refused",
        "limit-float-int",
        input_issues=_also("limit", lambda said: isinstance(said, float)),
    ),
    twin(
        "a negative cursor accepted",
        "in-cursor-variants[cursor=-1]",
        input_issues=_mended_at("cursor", lambda said: said == -1, 0),
    ),
    twin(
        "a cursor that JavaScript cannot hold accepted",
        "in-cursor-variants[cursor=9007199254740992]",
        input_issues=_mended_at("cursor", lambda said: said == 2**53, 0),
    ),
    twin(
        "a cursor past the end refused",
        "page-past-end",
        input_issues=_also("cursor", lambda said: isinstance(said, int) and said > 3),
    ),
    twin(
        "only the first issue told", "in-many", input_issues=lambda tool, args: input_issues(tool, args)[:1]
    ),
    twin(
        "unknown arguments told first",
        "in-many",
        input_issues=lambda tool, args: input_issues(tool, args)[::-1],
    ),
    twin(
        "each place told once",
        "in-scopes-text",
        input_issues=lambda tool, args: list(dict.fromkeys(input_issues(tool, args))),
    ),
    twin(
        "the place in a list not told",
        "in-bad-scope",
        input_issues=lambda tool, args: [path.split(".")[0] for path in input_issues(tool, args)],
    ),
    twin("a refusal tells what was sent", "in-values-not-echoed", input_issues=_echoing),
    twin("the issues not named", "in-many", invalid_input=lambda issues: "Invalid tool input."),
    twin(
        "the issues in lines",
        "in-many",
        invalid_input=lambda issues: "Invalid tool input at: " + "\n".join(issues),
    ),
    twin("the missing scope not named", "nav-scope-off", missing_scope=lambda scope: "No."),
    twin(
        "an unknown name echoed whole",
        "unknown-long",
        unknown_tool=lambda name: f"Unknown or ungranted tool: {name}",
    ),
    twin(
        "an unknown name cut too early",
        "unknown-long",
        unknown_tool=lambda name: f"Unknown or ungranted tool: {cut(name, 119)}",
    ),
    twin(
        "an unknown name cut in bytes",
        "unknown-astral",
        unknown_tool=lambda name: f"Unknown or ungranted tool: {name[:120]}",
    ),
    twin("an unknown name not told", "unknown-tool", unknown_tool=lambda name: "Unknown or ungranted tool"),
    twin(
        "padded text taken literally",
        "get-trimmed",
        "search-trim",
        "nav-exact[keyword]",
        trim=lambda text: text,
    ),
    twin("trimmed as Python does", "search-trim-unicode", trim=str.strip),
    twin(
        "a long refusal told whole",
        "refusal-500",
        failure=lambda text: {"isError": True, "content": [{"type": "text", "text": text}]},
    ),
)
