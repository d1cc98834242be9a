"""Tests for `adapters.health`: presets, ranges and the sum of a day."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem

TODAY = "2026-01-02"


def logged(tool: str, **args: Json) -> Json:
    """The row that a call appends."""
    tools = Tools()
    tools.done(tool, **args)
    (effect,) = tools.effects
    assert (effect["collection"], effect["change"]) == ("health", "append")
    return effect["row"]


@pytest.mark.parametrize(
    ("name", "oz", "abv"),
    [
        ("beer", 12, 5),
        ("wine", 5, 13),
        ("whiskey", 1.5, 40),
        ("shot", 1.5, 40),
        ("cocktail", 3, 20),
        (" Beer ", 12, 5),
    ],
)
def test_a_known_drink_has_a_preset(name: str, oz: float, abv: float) -> None:
    row = {"kind": "drink", "date": TODAY, "name": name.strip(), "count": 1, "oz": oz, "abv": abv}
    assert logged("health.log.drink", name=name) == row


def test_what_is_said_of_a_drink_goes_before_its_preset() -> None:
    row = logged("health.log.drink", name="beer", count=2, oz=16, abv=0)
    assert (row["count"], row["oz"], row["abv"]) == (2, 16, 0)
    assert logged("health.log.drink", name="beer", oz=16)["abv"] == 5


def test_an_unknown_drink_has_to_be_described() -> None:
    wanted = "oz and abv must be given for a drink other than beer, wine, whiskey, shot, cocktail"
    assert Tools().refusal("health.log.drink", name="cider") == wanted
    assert Tools().refusal("health.log.drink", name="cider", oz=12) == wanted
    assert logged("health.log.drink", name="cider", oz=12, abv=4.5)["name"] == "cider"


@pytest.mark.parametrize("value", [0.5, 50])
def test_counts_of_drinks_up_to_the_border_are_taken(value: float) -> None:
    assert logged("health.log.drink", name="beer", count=value)["count"] == value


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"name": " "}, "name must not be empty"),
        ({"count": 0}, "count must be more than 0 and at most 50"),
        ({"count": -1}, "count must be more than 0 and at most 50"),
        ({"count": 50.1}, "count must be more than 0 and at most 50"),
        ({"oz": 0}, "oz must be more than 0 and at most 128"),
        ({"oz": 128.5}, "oz must be more than 0 and at most 128"),
        ({"abv": -0.1}, "abv must be between 0 and 100"),
        ({"abv": 101}, "abv must be between 0 and 100"),
    ],
)
def test_a_drink_out_of_range_is_refused(args: Json, text: str) -> None:
    assert Tools().refusal("health.log.drink", **{"name": "beer", **args}) == text


@pytest.mark.parametrize("args", [{"oz": 128}, {"abv": 0}, {"abv": 100}])
def test_a_drink_at_the_border_is_taken(args: Json) -> None:
    assert logged("health.log.drink", **{"name": "beer", **args}).items() >= args.items()


@pytest.mark.parametrize(("product", "strength"), [("cigarette", 1), ("vape", 1), ("pouch", 6), ("POUCH", 6)])
def test_a_known_product_has_a_preset(product: str, strength: float) -> None:
    row = {"kind": "nicotine", "date": TODAY, "product": product, "count": 1, "mgPerUnit": strength}
    assert logged("health.log.nicotine", product=product) == row


def test_an_unknown_product_has_to_be_described() -> None:
    wanted = "mgPerUnit must be given for a product other than cigarette, vape, pouch"
    assert Tools().refusal("health.log.nicotine", product="gum") == wanted
    assert logged("health.log.nicotine", product="gum", mgPerUnit=2, count=3)["mgPerUnit"] == 2


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"product": ""}, "product must not be empty"),
        ({"count": 0}, "count must be more than 0 and at most 100"),
        ({"count": 101}, "count must be more than 0 and at most 100"),
        ({"mgPerUnit": -1}, "mgPerUnit must be between 0 and 200"),
        ({"mgPerUnit": 200.5}, "mgPerUnit must be between 0 and 200"),
    ],
)
def test_nicotine_out_of_range_is_refused(args: Json, text: str) -> None:
    assert Tools().refusal("health.log.nicotine", **{"product": "vape", **args}) == text


@pytest.mark.parametrize("args", [{"count": 100}, {"mgPerUnit": 0}, {"mgPerUnit": 200}])
def test_nicotine_at_the_border_is_taken(args: Json) -> None:
    assert logged("health.log.nicotine", **{"product": "vape", **args}).items() >= args.items()


def test_a_weight_is_in_pounds_and_of_today_unless_something_else_is_said() -> None:
    assert logged("health.log.weight", weight=800) == {
        "kind": "weight",
        "date": TODAY,
        "weight": 800,
        "unit": "lb",
    }
    row = logged("health.log.weight", weight=81.5, unit="kg", date="2025-12-31")
    assert (row["weight"], row["unit"], row["date"]) == (81.5, "kg", "2025-12-31")


@pytest.mark.parametrize(
    "args",
    [
        *({"weight": -1}, {"weight": 0}, {"weight": 800.1}, {"weight": 363, "unit": "kg"}),
        *({"weight": 10**400, "unit": "kg"}, {"weight": -(10**400), "unit": "kg"}),
    ],
)
def test_a_weight_out_of_range_is_refused_in_either_unit(args: Json) -> None:
    text = Tools().refusal("health.log.weight", **args)
    assert text == "weight must be more than 0 and at most 800 lb (362.87 kg)"


def test_a_weight_at_the_border_in_kilograms_is_taken() -> None:
    assert logged("health.log.weight", weight=362.87, unit="kg")["weight"] == 362.87


@pytest.mark.parametrize("tool", ["health.log.weight", "health.log.workout"])
@pytest.mark.parametrize(
    ("date", "text"),
    [
        ("2026-1-2", "date must be written YYYY-MM-DD"),
        ("20260102", "date must be written YYYY-MM-DD"),
        ("2026-W01-5", "date must be written YYYY-MM-DD"),
        ("2026-01-02T00:00", "date must be written YYYY-MM-DD"),
        ("٢٠٢٦-٠١-٠٢", "date must be written YYYY-MM-DD"),
        ("2026-01-02\n", "date must be written YYYY-MM-DD"),
        ("", "date must be written YYYY-MM-DD"),
        ("2025-02-29", "date must be a day that exists: 2025-02-29 does not"),
        ("2026-13-01", "date must be a day that exists: 2026-13-01 does not"),
    ],
)
def test_a_date_has_to_be_a_day_of_the_calendar(tool: str, date: str, text: str) -> None:
    assert Tools().refusal(tool, weight=1, type="run", date=date) == text


def test_a_workout_keeps_what_was_said_of_it() -> None:
    tools = Tools()
    args = {"durationMinutes": 1440, "intensity": "light", "notes": "flat"}
    given = tools.done("health.log.workout", type=" walk ", date="2024-02-29", **args)
    assert given == {"date": "2024-02-29", "type": "walk"}
    assert tools.effects[0]["row"] == {"kind": "workout", "date": "2024-02-29", "type": "walk", **args}


def test_a_workout_of_which_nothing_is_said_is_of_today() -> None:
    assert logged("health.log.workout", type="walk") == {"kind": "workout", "date": TODAY, "type": "walk"}


@pytest.mark.parametrize("minutes", [0, -5, 1441])
def test_a_workout_is_no_longer_than_a_day(minutes: float) -> None:
    text = Tools().refusal("health.log.workout", type="walk", durationMinutes=minutes)
    assert text == "durationMinutes must be more than 0 and at most 1440"


def test_a_workout_has_a_type() -> None:
    assert Tools().refusal("health.log.workout", type="\t") == "type must not be empty"


def test_today_is_a_sentence_and_nothing_else() -> None:
    tools = Tools()
    assert tools.call("health.today") == {"ok": True, "summary": "2026-01-02: nothing logged."}


def test_today_sums_up_what_was_logged_today() -> None:
    tools = Tools()
    tools.done("health.log.drink", name="beer", count=2)  # 2 × 12 × 5 % = 1.2
    tools.done("health.log.drink", name="shot")  # 1.5 × 40 % = 0.6
    tools.done("health.log.nicotine", product="pouch", count=3)
    tools.done("health.log.weight", weight=181)
    tools.done("health.log.weight", weight=180.5)
    tools.done("health.log.workout", type="run", durationMinutes=30)
    tools.done("health.log.workout", type="walk")
    tools.done("health.log.workout", type="walk", date="2026-01-03", durationMinutes=500)
    assert tools.call("health.today")["summary"] == (
        "2026-01-02: 3 drinks (1.8 oz of alcohol), 18 mg of nicotine, "
        "weight 180.5 lb, 2 workouts (30 minutes)."
    )


def test_one_drink_is_one_drink() -> None:
    tools = Tools(sem(health=[]))
    tools.done("health.log.drink", name="wine")  # 5 × 13 %
    assert tools.call("health.today")["summary"] == "2026-01-02: 1 drink (0.65 oz of alcohol)."


def test_today_is_the_day_of_the_owner() -> None:
    tools = Tools(timezone="America/New_York")  # five hours behind: still the evening before
    assert tools.call("health.today")["summary"] == "2026-01-01: weight 180 lb."
    tools.done("health.log.drink", name="beer")
    assert tools.effects[0]["row"]["date"] == "2026-01-01"
