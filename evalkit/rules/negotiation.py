"""Rules of how a session begins: which revision is agreed to, and what the capabilities promise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evalkit.errors import CapabilityMissing
from evalkit.model import Evidence, Json
from evalkit.rules import Fault, Rule
from evalkit.rules._answers import RPC, answer_of, error_of, message_of, params_of, result_of
from evalkit.values import ABSENT

UNSUPPORTED_VERSION: Final = -32022
"""With which a server of 2026-07-28 refuses a revision that it does not speak."""

PUBLISHED: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")

_REVISION: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _version_not_echoed(evidence: Evidence) -> Iterator[Fault]:
    asked = params_of(evidence).get("protocolVersion")
    told = result_of(evidence).get("protocolVersion", ABSENT)
    if told is not ABSENT and told == asked and asked not in PUBLISHED:
        message = f"the server agreed to the revision {asked}, which does not exist"
        yield Fault(message, "rpc.result.protocolVersion", actual=told)


def _version_published(evidence: Evidence) -> Iterator[Fault]:
    told = result_of(evidence).get("protocolVersion", ABSENT)
    if told is ABSENT:
        return
    if not isinstance(told, str) or not _REVISION.fullmatch(told):
        yield Fault(
            "the revision that the server chose is no date", "rpc.result.protocolVersion", actual=told
        )


def _initialize_answered(evidence: Evidence) -> Iterator[Fault]:
    answer = evidence.observation.roots.get("rpc", ABSENT)
    if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
        yield Fault("`initialize` got no answer", "rpc", actual=answer)


def _version_refused(evidence: Evidence) -> Iterator[Fault]:
    """Of a request whose `_meta` names a revision that does not exist."""
    error = error_of(evidence)
    if error is None:
        message = "the server answered a request of a revision that does not exist as if it knew it"
        yield Fault(message, "rpc", UNSUPPORTED_VERSION, evidence.observation.roots.get("rpc", ABSENT))
    elif error.get("code") != UNSUPPORTED_VERSION:
        message = "the refusal of an unknown revision has another code than the specification's"
        yield Fault(message, "rpc.error.code", UNSUPPORTED_VERSION, error.get("code", ABSENT))


def _discover_answered(evidence: Evidence) -> Iterator[Fault]:
    if "result" not in answer_of(evidence):
        return  # a server of an earlier revision refuses it, or does not answer
    versions = result_of(evidence).get("supportedVersions", ABSENT)
    if not isinstance(versions, list) or not versions or not all(isinstance(one, str) for one in versions):
        message = "`server/discover` does not say which revisions the server speaks"
        yield Fault(message, "rpc.result.supportedVersions", actual=versions)


def _capability_kept(evidence: Evidence) -> Iterator[Fault]:
    method, capability = _capability(evidence)
    if capability in _advertised(evidence) and error_of(evidence) is not None:
        code = error_of(evidence)
        message = f"`{capability}` is advertised, but `{method}` is refused"
        yield Fault(message, "rpc.error", actual=code)


def _capability_listed(evidence: Evidence) -> Iterator[Fault]:
    method, capability = _capability(evidence)
    listed = result_of(evidence).get(capability, ABSENT) if "result" in answer_of(evidence) else []
    if capability in _advertised(evidence) and not isinstance(listed, list):
        path = f"rpc.result.{capability}"
        yield Fault(f"the answer to `{method}` holds no list", path, actual=listed)


def _capability_said(evidence: Evidence) -> Iterator[Fault]:
    method, capability = _capability(evidence)
    if capability not in _advertised(evidence) and result_of(evidence).get(capability):
        message = f"`{method}` lists something, but `{capability}` is not advertised"
        yield Fault(message, "manifest.capabilities", actual=sorted(_advertised(evidence)))


def _capability(evidence: Evidence) -> tuple[str, str]:
    """The method that lists something, `prompts/list`, and what it is called in capability and answer."""
    method = str(message_of(evidence).get("method", ""))
    return method, method.partition("/")[0]


def _advertised(evidence: Evidence) -> Mapping[str, Json]:
    """The capabilities of the manifest that this step or an earlier one has read.

    Raises CapabilityMissing where the server has not told them.
    """
    for observation in (evidence.observation, *evidence.earlier.values()):
        manifest = observation.roots.get("manifest")
        if isinstance(manifest, dict) and isinstance(manifest.get("capabilities"), dict):
            return manifest["capabilities"]  # type: ignore[no-any-return]
    raise CapabilityMissing("the server has not told its capabilities as an object")


_ECHO: Final = """
breaks: {"protocolVersion": "1999-01-01"} in the answer to an `initialize` that offers 1999-01-01
keeps:  {"protocolVersion": "2025-11-25"}, or an error that names what the server speaks
"""

RULES: Final = (
    Rule(
        "version-not-echoed",
        "high",
        "A revision that does not exist is not agreed to.",
        "2025-11-25, basic/lifecycle, Version Negotiation",
        _ECHO,
        RPC,
        _version_not_echoed,
        until="2025-11-25",
    ),
    Rule(
        "version-published",
        "high",
        "The revision that the server chooses is one, and no placeholder.",
        "2025-11-25, basic/lifecycle, Version Negotiation",
        'breaks: {"protocolVersion": "%version%"}\nkeeps:  {"protocolVersion": "2025-11-25"}',
        RPC,
        _version_published,
        until="2025-11-25",
    ),
    Rule(
        "initialize-answered",
        "high",
        "An `initialize` that offers an unknown revision is answered, with a result or an error.",
        "2025-11-25, basic/lifecycle, Version Negotiation",
        "breaks: no answer\nkeeps:  a result with another revision, or error -32602",
        RPC,
        _initialize_answered,
        until="2025-11-25",
    ),
    Rule(
        "version-refused",
        "medium",
        "A request that names an unknown revision in `_meta` is refused with -32022.",
        "2026-07-28, basic, Protocol Version",
        "breaks: a result\nkeeps:  error -32022 with the revisions that the server speaks",
        RPC,
        _version_refused,
        since="2026-07-28",
    ),
    Rule(
        "discover-names-versions",
        "high",
        "A server that answers `server/discover` names the revisions that it speaks.",
        "2026-07-28, server/discover",
        'breaks: {"result": {}}\nkeeps:  {"result": {"supportedVersions": ["2026-07-28"]}}, or an error',
        RPC,
        _discover_answered,
    ),
    Rule(
        "capability-works",
        "high",
        "What a capability advertises can be listed.",
        "2025-11-25, basic/lifecycle, Capability Negotiation",
        'breaks: {"capabilities": {"prompts": {}}} and error -32601 to `prompts/list`\nkeeps:  a list',
        RPC,
        _capability_kept,
    ),
    Rule(
        "capability-lists",
        "high",
        "A listing that a capability advertises is an array.",
        "2025-11-25, server/prompts, Listing Prompts",
        'breaks: {"prompts": null}\nkeeps:  {"prompts": []}',
        RPC,
        _capability_listed,
    ),
    Rule(
        "capability-said",
        "low",
        "What can be listed is advertised as a capability.",
        "2025-11-25, basic/lifecycle, Capability Negotiation",
        'breaks: {"capabilities": {}} and prompts in `prompts/list`\nkeeps:  {"prompts": {}} there',
        RPC,
        _capability_said,
    ),
)
