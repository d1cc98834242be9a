"""Places: home folders, which tell a name, and coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .shadow import BLANK, DEGREE, LETTER, Claim, found

_HOME = "~"
_LATITUDE = "latitude=[REDACTED]"
_LONGITUDE = "longitude=[REDACTED]"
_NUMBER = "[REDACTED]"


def homes(text: str) -> list[Claim]:
    """Spec A.10 rule 13, and Windows folders, encoded slashes, and names of several words."""
    return found(_HOME_FOLDER, text, _HOME) if any(word in text for word in _HOME_WORDS) else []


def root_homes(text: str) -> list[Claim]:
    """The home folder of root, `/root` or `/var/root`."""
    return found(_ROOT, text, _HOME) if "/root" in text else []


def latitudes(text: str) -> list[Claim]:
    """Spec A.10 rule 15, with a plus, a decimal comma, and no digit left over."""
    return found(_LATITUDE_FORM, text, _LATITUDE) if "lat" in text.lower() else []


def longitudes(text: str) -> list[Claim]:
    """Spec A.10 rule 16, likewise, and `long` before what can only be a coordinate."""
    lowered = text.lower()
    return found(_LONGITUDE_FORM, text, _LONGITUDE) if "lon" in lowered or "lng" in lowered else []


def quoted_coordinates(text: str) -> list[Claim]:
    """The number behind a quoted key, as in JSON; the key stays."""
    return found(_JSON_COORDINATE, text, _NUMBER, "number") if ":" in text or "=" in text else []


def coordinate_pairs(text: str) -> list[Claim]:
    """Two bare numbers that can only be a latitude and a longitude."""
    return list(_pairs(text)) if "," in text else []


def degrees(text: str) -> list[Claim]:
    """Degrees with minutes, or with a point of the compass."""
    return list(_degrees(text)) if DEGREE in text else []


def _pairs(text: str) -> Iterator[Claim]:
    for pair in _PAIR.finditer(text):
        first, second = pair["first"], pair["second"]
        sizes = abs(float(first)), abs(float(second))
        if min(sizes) > 90 or max(sizes) > 180 or not _is_precise(first, second):
            continue
        # GeoJSON puts the longitude first; where both would do, most people do not.
        markers = (_LATITUDE, _LONGITUDE) if sizes[0] <= 90 else (_LONGITUDE, _LATITUDE)
        yield Claim(*pair.span("first"), markers[0])
        yield Claim(*pair.span("second"), markers[1])


def _is_precise(*numbers: str) -> bool:
    """Three decimals each, or a sign somewhere; anything less may be prices."""
    decimals = min(len(number.partition(".")[2]) for number in numbers)
    return decimals >= 3 or any(number[0] in "+-" for number in numbers)


def _degrees(text: str) -> Iterator[Claim]:
    for place in _DEGREES.finditer(text):
        side = place["side"]
        if side or place["minutes"]:
            yield Claim(*place.span(), _MARKERS[side] if side else _NUMBER)


_MARKERS = {"N": _LATITUDE, "S": _LATITUDE, "E": _LONGITUDE, "W": _LONGITUDE}
_HOME_WORDS = ("home", "Users", "users", "USERS", "Documents and Settings")
_CAPITALISED = rf" [A-Z{LETTER}][^\\/\s:,;\"'()<>]*+"
_NAMES = (
    # A second word belongs to the name if the path goes on behind it, or if both are capitalised.
    r"(?!~(?:[\\/\s]|\Z)|(?:Users|home)[\\/])"
    rf"(?:[A-Z{LETTER}][\w{LETTER}-]*+(?:{_CAPITALISED}){{1,2}}"
    rf"|[^\\/\s]++(?:(?:{_CAPITALISED}){{1,3}}(?=[\\/])|(?: [\w{LETTER}.-]++){{1,3}}(?=\\))?|(?<=/)[^/\s]++)"
)
_DRIVE_FOLDER = r"(?<=(?<![A-Za-z])[A-Za-z]:)[\\/]{1,4}(?i:users|documents and settings)"
_ENCODED_SLASH = "%(?:2[Ff]|5[Cc])"
_HOME_FOLDER = re.compile(
    rf"(?:[\\/](?:Users|home)|{_DRIVE_FOLDER})(?:\\?/++|\\++){_NAMES}"
    rf"|{_ENCODED_SLASH}(?:Users|home){_ENCODED_SLASH}(?:(?!{_ENCODED_SLASH})[^\s\\/\"'&?#])+",
    re.ASCII,
)
_ROOT = re.compile(
    rf"(?:(?<![\w.~/\\){LETTER}{BLANK}-])|(?<=://))(?:/var)?/root(?![\w{LETTER}-])(?!\.\w)", re.ASCII
)
_COORDINATE = r"[+-]?[0-9]+(?:[.,][0-9]+)?"
_PRECISE = r"[+-]?[0-9]{1,3}\.[0-9]{2,}"
# `long` is also a word and a type: behind it only a sign or a fraction makes a coordinate.
_SIGNED = rf"(?:[+-]{_COORDINATE}|{_PRECISE})"
_QUOTED = r"\\{0,3}[\"']\]?\s*[:=]\s*(?:\\{0,3}[\"'])?"
_LATITUDE_FORM = re.compile(
    rf"(?<![a-z0-9])(?:latitude|lat)(?:\s*[:=]\s*{_COORDINATE}|\s+{_PRECISE})", re.ASCII | re.IGNORECASE
)
_LONGITUDE_FORM = re.compile(
    rf"(?<![a-z0-9])(?:(?:longitude|lon|lng)(?:\s*[:=]\s*{_COORDINATE}|\s+{_PRECISE})"
    rf"|long\s*[:=]\s*{_SIGNED})",
    re.ASCII | re.IGNORECASE,
)
_JSON_COORDINATE = re.compile(
    rf"(?<![a-z0-9])(?:(?:latitude|lat|longitude|lon|lng){_QUOTED}|long{_QUOTED}(?={_SIGNED}))"
    rf"(?P<number>{_COORDINATE})",
    re.ASCII | re.IGNORECASE,
)
_PAIR = re.compile(
    r"(?<![\w.+-])(?P<first>[+-]?[0-9]{1,3}\.[0-9]{2,}+)\s?,\s?(?P<second>[+-]?[0-9]{1,3}\.[0-9]{2,}+)(?!\w)",
    re.ASCII,
)
_DEGREES = re.compile(
    rf"(?<![\w.])[+-]?[0-9]{{1,3}}(?:\.[0-9]+)?\s?{DEGREE}\s?"
    r"(?P<minutes>[0-9]{1,2}(?:\.[0-9]+)?\s?'\s?(?:[0-9]{1,2}(?:\.[0-9]+)?\s?(?:\"|''))?)?"
    r"(?:\s?(?P<side>[NSEW])(?![A-Za-z]))?",
    re.ASCII,
)
