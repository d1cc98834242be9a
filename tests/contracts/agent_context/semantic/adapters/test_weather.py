"""Tests for `adapters.weather`: the store's weather, here or elsewhere."""

from __future__ import annotations

import pytest

from evalkit.model import Json
from tests.contracts.agent_context.semantic.adapters.sem import Tools, sem


def test_the_weather_is_told_for_where_the_store_is() -> None:
    assert Tools().done("weather.now") == {
        "lat": 40.5,
        "lon": -100,
        "temperatureF": 33.8,
        "weatherCode": 71,
        "conditions": "light snow",
    }


@pytest.mark.parametrize(("lat", "lon"), [(0, 0), (-90, -180), (90, 180), (1.5, 2.5)])
def test_the_weather_is_told_for_where_it_is_asked_for(lat: float, lon: float) -> None:
    given = Tools().done("weather.now", lat=lat, lon=lon)
    assert (given["lat"], given["lon"], given["temperatureF"]) == (lat, lon, 33.8)


def test_a_code_that_the_wmo_does_not_have_is_unknown() -> None:
    weather = {"lat": 0, "lon": 0, "temperatureF": 50, "weatherCode": 4}
    assert Tools(sem(weather=weather)).done("weather.now")["conditions"] == "unknown"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"lat": 90.1, "lon": 0}, "lat must be between -90 and 90"),
        ({"lat": -91, "lon": 0}, "lat must be between -90 and 90"),
        ({"lat": 0, "lon": 180.5}, "lon must be between -180 and 180"),
        ({"lat": 0, "lon": -181}, "lon must be between -180 and 180"),
        ({"lat": 91}, "lat must be between -90 and 90"),
        ({"lat": 1}, "lat and lon must be given together"),
        ({"lon": 0}, "lat and lon must be given together"),
    ],
)
def test_a_place_that_is_none_is_refused(args: Json, text: str) -> None:
    assert Tools().refusal("weather.now", **args) == text


def test_a_store_without_weather_says_so() -> None:
    assert Tools({}).refusal("weather.now") == "No weather is known."
