"""The contracts that ship with evalkit, and how a contract's name leads to its code and fixture schema."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

BUILT_IN: Final[Mapping[str, str]] = {
    "agent-context": "evalkit.contracts.agent_context.subject",
    "echo": "evalkit.contracts.echo",
    "scriba": "evalkit.contracts.scriba.subject",
}
ENTRY_POINTS: Final = "evalkit.contracts"


class UnknownContract(LookupError):
    """No contract has this name; the message says which are near, or how to write one's own."""


class Located(NamedTuple):
    """Where a contract is: the module and the name in it, found without importing either."""

    name: str
    module: str
    attribute: str = "open_subject"


def locate(name: str) -> Located:
    """A row of the table, `python:package.module:name`, or an entry point. Raises UnknownContract."""
    if name in BUILT_IN:
        return Located(name, BUILT_IN[name])
    if name.startswith("python:"):
        module, _, attribute = name.removeprefix("python:").partition(":")
        if not module or not attribute:
            raise UnknownContract(f"{name!r} names no object: write python:package.module:name")
        if module not in sys.modules and _spec(module) is None:
            raise UnknownContract(
                f"there is no module {module!r} in the working folder or where Python looks"
            )
        return Located(name, module, attribute)
    from importlib.metadata import entry_points  # start-up: only a name that is not in the table asks

    installed = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    if name in installed:
        module, _, attribute = installed[name].partition(":")
        return Located(name, module, attribute or "open_subject")
    from difflib import get_close_matches  # start-up: only a slip asks

    near = get_close_matches(name, [*BUILT_IN, *installed], 1)
    known = (
        f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted({*BUILT_IN, *installed}))}"
    )
    raise UnknownContract(f"no contract is called {name!r}; {known}")


def schema_file(located: Located) -> Path | None:
    """The fixture schema beside the contract (`NAME.schema.json`, `fixture.schema.json`), if any."""
    return _beside(located, "schema.json", "fixture.schema.json")


def live_file(located: Located) -> Path | None:
    """The paths of a server of the contract's own (`NAME.live.json`, `live.json` beside it), if any.

    It holds `mcp`, the path that takes MCP messages, and `manifest`, that of the contract's own document.
    """
    return _beside(located, "live.json")


def opener(located: Located) -> Callable[..., Any]:
    """Import the contract and give its `open_subject`. Whatever importing it raises goes through."""
    return getattr(_imported(located), located.attribute)  # type: ignore[no-any-return]


def spoken(name: str, how: str) -> Callable[[str, Any], Any]:
    """How a contract's tools are called where there is no MCP: its `argv_of` or `request_of`.

    The contract is imported with the first call of what this gives; without that name it says None to all.
    """

    def say(tool: str, args: Any) -> Any:
        own = getattr(_imported(locate(name)), how, None)
        return None if own is None else own(tool, args)

    return say


def _imported(located: Located) -> ModuleType:
    if located.name.startswith("python:") and "" not in sys.path:
        sys.path.insert(0, "")
    return importlib.import_module(located.module)


def _beside(located: Located, ending: str, shared: str = "") -> Path | None:
    """The file called like the contract's own but for its ending, else the one that its folder shares."""
    origin = _origin(located.module)
    if origin is None:
        return None
    found = (origin.with_suffix(f".{ending}"), origin.parent / (shared or ending))
    return next((path for path in found if path.is_file()), None)


def _origin(module: str) -> Path | None:
    """The file of a module, found without running any of its packages."""
    if module.startswith("evalkit.contracts."):
        parts = module.split(".")[2:]
        return Path(__file__).parent.joinpath(*parts).with_suffix(".py")
    spec = _spec(module)
    return Path(spec.origin) if spec and spec.origin else None


def _spec(module: str) -> importlib.machinery.ModuleSpec | None:
    search: list[str] | None = [str(Path.cwd()), *sys.path]
    spec = None
    for depth in range(module.count(".") + 1):
        name = ".".join(module.split(".")[: depth + 1])
        spec = importlib.machinery.PathFinder.find_spec(name, search)
        if spec is None:
            return None
        search = list(spec.submodule_search_locations or [])
    return spec
