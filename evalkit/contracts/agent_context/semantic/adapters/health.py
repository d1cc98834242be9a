"""What the body gets and does: drinks, nicotine, weight, workouts, and the sum of a day (spec C.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...javascript import to_string, trim
from ...store import Ledger
from ..nouns import Json, Moment
from . import local_time
from .bounds import blank, not_positive, outside
from .outcomes import counted, done, failed

_DRINKS: Final[Mapping[str, tuple[float, float]]] = {
    "beer": (12, 5),
    "wine": (5, 13),
    "whiskey": (1.5, 40),
    "shot": (1.5, 40),
    "cocktail": (3, 20),
}
"""Fluid ounces and percent of alcohol of one drink."""

_NICOTINE: Final[Mapping[str, float]] = {"cigarette": 1, "vape": 1, "pouch": 6}
"""Milligrams in one unit."""

_POUNDS_IN_KILOGRAM: Final = 2.2046226218
_MOST_POUNDS: Final = 800


def log_drink(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Append drinks of today. What is not said of a known drink comes from its preset."""
    name, count = trim(args["name"]), args.get("count", 1)
    usual_oz, usual_abv = _DRINKS.get(name.lower(), (None, None))
    oz, abv = args.get("oz", usual_oz), args.get("abv", usual_abv)
    if fault := blank("name", name):
        return failed(fault)
    if oz is None or abv is None:
        return failed(f"oz and abv must be given for a drink other than {', '.join(_DRINKS)}")
    if (
        fault := not_positive("count", count, 50)
        or not_positive("oz", oz, 128)
        or outside("abv", abv, 0, 100)
    ):
        return failed(fault)
    day = local_time.today(moment)
    row = {"kind": "drink", "date": day, "name": name, "count": count, "oz": oz, "abv": abv}
    ledger.append("health", row)
    return done(f"Logged {to_string(count)} × {name} ({to_string(oz)} oz, {to_string(abv)}%) for {day}.")


def log_nicotine(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Append nicotine of today. The strength of a known product comes from its preset."""
    product, count = trim(args["product"]), args.get("count", 1)
    strength = args.get("mgPerUnit", _NICOTINE.get(product.lower()))
    if fault := blank("product", product):
        return failed(fault)
    if strength is None:
        return failed(f"mgPerUnit must be given for a product other than {', '.join(_NICOTINE)}")
    if fault := not_positive("count", count, 100) or outside("mgPerUnit", strength, 0, 200):
        return failed(fault)
    day = local_time.today(moment)
    row = {"kind": "nicotine", "date": day, "product": product, "count": count, "mgPerUnit": strength}
    ledger.append("health", row)
    return done(f"Logged {to_string(count)} × {product} ({to_string(strength)} mg) for {day}.")


def log_weight(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Append a weight, of today where no day is named."""
    weight, unit = args["weight"], args.get("unit", "lb")
    day = args.get("date", local_time.today(moment))
    # An integer that no double holds cannot be multiplied with one; it is out of range in any unit.
    near = max(-1, min(weight, _MOST_POUNDS + 1))
    pounds = near * _POUNDS_IN_KILOGRAM if unit == "kg" else near
    fault = not_positive("weight", pounds, _MOST_POUNDS, " lb (362.87 kg)") or local_time.no_day(day)
    if fault:
        return failed(fault)
    ledger.append("health", {"kind": "weight", "date": day, "weight": weight, "unit": unit})
    return done(f"Logged a weight of {to_string(weight)} {unit} for {day}.")


def log_workout(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """Append a workout, of today where no day is named → `date`, `type`."""
    kind, day = trim(args["type"]), args.get("date", local_time.today(moment))
    fault = blank("type", kind) or not_positive("durationMinutes", args.get("durationMinutes"), 1440)
    if fault := fault or local_time.no_day(day):
        return failed(fault)
    said = {key: args[key] for key in ("durationMinutes", "intensity", "notes") if key in args}
    ledger.append("health", {"kind": "workout", "date": day, "type": kind, **said})
    return done(f"Logged a workout for {day}: {kind}.", date=day, type=kind)


def today(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """The sum of the owner's day, as a sentence and nothing else."""
    day = local_time.today(moment)
    rows = [row.body for row in ledger.rows("health") if row.body["date"] == day]
    parts = [part for part in (_drunk(rows), _smoked(rows), _weighed(rows), _moved(rows)) if part]
    return done(f"{day}: {', '.join(parts)}." if parts else f"{day}: nothing logged.")


def _drunk(rows: list[Json]) -> str:
    drinks = [row for row in rows if row["kind"] == "drink"]
    count = sum(row["count"] for row in drinks)
    ounces = sum(row["count"] * row["oz"] * row["abv"] / 100 for row in drinks)
    return f"{counted(round(count, 2), 'drink')} ({_rounded(ounces)} oz of alcohol)" if drinks else ""


def _smoked(rows: list[Json]) -> str:
    milligrams = [row["count"] * row["mgPerUnit"] for row in rows if row["kind"] == "nicotine"]
    return f"{_rounded(sum(milligrams))} mg of nicotine" if milligrams else ""


def _weighed(rows: list[Json]) -> str:
    weights = [row for row in rows if row["kind"] == "weight"]
    return f"weight {to_string(weights[-1]['weight'])} {weights[-1]['unit']}" if weights else ""


def _moved(rows: list[Json]) -> str:
    workouts = [row for row in rows if row["kind"] == "workout"]
    minutes = sum(row.get("durationMinutes", 0) for row in workouts)
    return f"{counted(len(workouts), 'workout')} ({_rounded(minutes)} minutes)" if workouts else ""


def _rounded(value: float) -> str:
    return to_string(round(value, 2))
