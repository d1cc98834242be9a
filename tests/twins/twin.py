"""A broken twin: a contract with one thing wrong, and the cases of the shipped suite that promise better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar, cast

from evalkit.model import OpenSubject

Rule = TypeVar("Rule", bound=Callable[..., Any])


@dataclass(frozen=True)
class Twin:
    """`promised_by` names cases: a whole id, or the part before `[` for every row of that case.

    `change` says which of the contract's rules are broken, and what stands in their place.
    `part` names the part of the contract's policy that these rules belong to.
    `surround` is what goes wrong round a contract, though its rules hold.
    """

    name: str
    promised_by: tuple[str, ...]
    change: Mapping[str, Any]
    surround: Callable[[OpenSubject], OpenSubject]
    part: str = "context"


def twin(name: str, *promised_by: str, **change: Any) -> Twin:
    """A twin in which rules are broken: one of them, if that is enough for anyone to see it."""
    return Twin(name, promised_by, change, lambda open_subject: open_subject)


def twin_of(part: str, name: str, *promised_by: str, **change: Any) -> Twin:
    """A twin in which rules of one part of the policy are broken."""
    return Twin(name, promised_by, change, lambda open_subject: open_subject, part)


def around(surround: Callable[[OpenSubject], OpenSubject], name: str, *promised_by: str) -> Twin:
    """A twin that is broken round its rules."""
    return Twin(name, promised_by, {}, surround)


def altered(rule: Rule, **names: Any) -> Rule:
    """The same function, but that it finds other values under some names of its module."""
    function = cast("FunctionType", rule)
    unknown = names.keys() - function.__globals__.keys()
    if unknown:
        raise LookupError(f"{function.__module__} has no {', '.join(sorted(unknown))}")
    known = {**function.__globals__, **names}
    copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return cast("Rule", copy)
