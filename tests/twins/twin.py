"""A broken twin: a contract with one thing wrong, and the cases of the shipped suite that promise better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, TypeVar, cast

from evalkit.model import OpenSubject

Rule = TypeVar("Rule", bound=Callable[..., Any])


@dataclass(frozen=True)
class Twin:
    """`promised_by` names cases: a whole id, or the part before `[` for every row of that case.

    `change` maps the fields of the contract's rules that are broken to what stands there instead.
    `surround` is what goes wrong round a contract of which every rule holds.
    """

    name: str
    promised_by: tuple[str, ...]
    change: Mapping[str, Any]
    surround: Callable[[OpenSubject], OpenSubject] = lambda open_subject: open_subject


def twin(name: str, *promised_by: str, **change: Any) -> Twin:
    """A twin in which a rule is broken."""
    return Twin(name, promised_by, change)


def around(name: str, *promised_by: str, by: Callable[[OpenSubject], OpenSubject]) -> Twin:
    """A twin that is broken round its rules."""
    return Twin(name, promised_by, {}, by)


def open_with(rules: Any, open_subject: Callable[..., Any]) -> Callable[[Twin], OpenSubject]:
    """How each twin is opened, where `open_subject` takes the contract's rules."""
    from dataclasses import replace  # only here

    return lambda broken: broken.surround(partial(open_subject, rules=replace(rules, **broken.change)))


def altered(rule: Rule, **names: Any) -> Rule:
    """The same function, which finds something else under some names of its module."""
    function = cast("FunctionType", rule)
    unknown = names.keys() - function.__globals__.keys()
    if unknown:
        raise LookupError(f"{function.__module__} knows no {', '.join(sorted(unknown))}")
    copy = FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return cast("Rule", copy)


def names_of(twins: Iterable[Twin]) -> list[str]:
    """Their names, in order."""
    return [one.name for one in twins]
