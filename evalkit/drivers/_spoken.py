"""A tool call over a way in without MCP: said in the words that the surface has for it, and answered plainly.

`output` is the structured result, and `toolResult` only tells of it and whether the call failed: there is no
`content` and no `manifest`. What the answer looked like on its own surface stands beside, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from evalkit.errors import CapabilityMissing
from evalkit.model import Call, Json, Observation, Session
from evalkit.values import ABSENT

TOOL: Final = "tool"
UNSAID: Final = ("headers", "meta", "client")
"""Words of a tool call that mean something over MCP only."""


class Answer(NamedTuple):
    """Whether a call failed, and what it gave where it did not; ABSENT where that is no JSON."""

    failed: bool
    document: Json = ABSENT


class SpokenSession:
    """A session over `way`, of which a tool can be asked too.

    `words_of` gives the words of the surface's own operation for a tool and its args, or None;
    `answer_of` reads the roots that this filled, and gives None for what is neither success nor failure.
    """

    def __init__(
        self,
        session: Session,
        way: str,
        words_of: Callable[[str, Json], Mapping[str, Json] | None],
        answer_of: Callable[[Mapping[str, Json]], Answer | None],
    ) -> None:
        """Speak through another session."""
        self._session, self._way, self._words_of, self._answer_of = session, way, words_of, answer_of

    def send(self, call: Call) -> Observation:
        """Ask once. Raises CapabilityMissing for a tool call for which the surface has no words."""
        if call.operation != TOOL:
            return self._session.send(call)
        observation = self._session.send(Call(self._way, self._said(call.words)))
        return _told(observation, self._answer_of(observation.roots))

    def close(self) -> Observation | None:
        """Close the session that was spoken through."""
        return self._session.close()

    def _said(self, words: Mapping[str, Json]) -> Mapping[str, Json]:
        for word in UNSAID:
            if word in words:
                raise CapabilityMissing(f"`{word}` of a tool call cannot be said over `{self._way}`")
        said = self._words_of(words["tool"], words.get("args"))
        if said is None:
            raise CapabilityMissing(f"the target does not say how this tool is called over `{self._way}`")
        return said


def _told(observation: Observation, answer: Answer | None) -> Observation:
    if answer is None:
        return observation
    roots: dict[str, Json] = {**observation.roots, "toolResult": {"isError": answer.failed}}
    if answer.failed:
        return observation._replace(roots=roots)
    if answer.document is ABSENT:
        noise = (*observation.noise, "the answer to a tool call is no JSON document")
        return observation._replace(roots=roots, noise=noise)
    roots["toolResult"]["structuredContent"] = roots["output"] = answer.document
    return observation._replace(roots=roots)
