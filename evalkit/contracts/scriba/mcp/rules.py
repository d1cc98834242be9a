"""The MCP surface as one value: every rule under its name, each replaceable on its own (spec 7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .. import documents, writing
from ..nouns import Json
from . import arguments, catalogue, results, versions


class McpRules(NamedTuple):
    """Every rule; `messages` knows their order."""

    negotiate: Callable[[str], str] = versions.negotiate

    # what there is
    tools: tuple[catalogue.Tool, ...] = catalogue.TOOLS
    describe: Callable[[catalogue.Tool, Callable[[catalogue.Document], Json]], Json] = catalogue.describe
    output_schema: Callable[[catalogue.Document], Json] = documents.output_schema

    # what is asked
    context_problem: Callable[[Json], str] = arguments.context_problem
    events_problem: Callable[[Json], str] = arguments.events_problem
    profile_of: Callable[[Json], str | None] = arguments.profile_of
    page_of: Callable[[Json], arguments.PageAsked] = arguments.page_of

    # how it is answered
    write: Callable[[Json], bytes] = writing.alphabetical
    success: Callable[[str], Json] = results.success
    failure: Callable[[str], Json] = results.failure
    reason: Callable[[Exception], str] = results.reason
