"""The weather, as the store was last told it (spec C.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...javascript import to_string
from ...store import Ledger
from ..nouns import Json, Moment
from .bounds import outside
from .outcomes import done, failed


def now(ledger: Ledger, args: Json, moment: Moment) -> Json:
    """→ `lat`, `lon` (as asked, or the store's own), `temperatureF`, `weatherCode` (WMO), `conditions`."""
    lat, lon = args.get("lat"), args.get("lon")
    if fault := outside("lat", lat, -90, 90) or outside("lon", lon, -180, 180):
        return failed(fault)
    if (lat is None) != (lon is None):
        return failed("lat and lon must be given together")
    rows = ledger.rows("weather")
    if not rows:
        return failed("No weather is known.")
    weather = rows[-1].body
    temperature, code = weather["temperatureF"], weather["weatherCode"]
    conditions = _CONDITIONS.get(code, "unknown")
    return done(
        f"{to_string(temperature)} °F, {conditions}.",
        lat=weather["lat"] if lat is None else lat,
        lon=weather["lon"] if lon is None else lon,
        temperatureF=temperature,
        weatherCode=code,
        conditions=conditions,
    )


_CONDITIONS: Final[Mapping[int, str]] = {
    0: "clear sky",
    1: "mainly clear",
    2: "partly cloudy",
    3: "overcast",
    45: "fog",
    48: "freezing fog",
    51: "light drizzle",
    53: "drizzle",
    55: "heavy drizzle",
    56: "light freezing drizzle",
    57: "freezing drizzle",
    61: "light rain",
    63: "rain",
    65: "heavy rain",
    66: "light freezing rain",
    67: "freezing rain",
    71: "light snow",
    73: "snow",
    75: "heavy snow",
    77: "snow grains",
    80: "light showers",
    81: "showers",
    82: "heavy showers",
    85: "light snow showers",
    86: "heavy snow showers",
    95: "thunderstorm",
    96: "thunderstorm with light hail",
    99: "thunderstorm with hail",
}
