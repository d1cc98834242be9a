"""Tests for `profiles`: the table of spec 2.2, and which ids a store may be asked for."""

from __future__ import annotations

import pytest

from evalkit.contracts.scriba.nouns import Profiles, ProfileUnavailable
from evalkit.contracts.scriba.profiles import is_slug, select_profile

TWO = Profiles(("personal", "work"), "personal")
LEGACY = Profiles((), "legacy")


@pytest.mark.parametrize(
    ("profiles", "requested", "selected"),
    [
        (TWO, "", "personal"),
        (TWO, "work", "work"),
        (TWO, "personal", "personal"),
        (Profiles(("work",), " work\n"), "", "work"),
        (Profiles(("default",), "  "), "", "default"),
        (Profiles(), "", "default"),
        (LEGACY, "", "legacy"),
        (LEGACY, "legacy", "legacy"),
        (Profiles((), " legacy "), "legacy", "legacy"),
        (Profiles((), ""), "", "default"),
        (Profiles((), ""), "default", "default"),
    ],
)
def test_a_profile_is_selected(profiles: Profiles, requested: str, selected: str) -> None:
    assert select_profile(profiles, requested) == selected


@pytest.mark.parametrize(
    ("profiles", "requested"),
    [
        *((TWO, "old"), (TWO, "nope"), (TWO, "Work"), (TWO, "wor"), (TWO, "work "), (TWO, " work")),
        *((TWO, "\twork"), (TWO, "work\n"), (TWO, " "), (TWO, "\u00a0"), (TWO, "default")),
        *((LEGACY, "other"), (LEGACY, "default"), (LEGACY, " legacy"), (LEGACY, " ")),
        (Profiles(("work",), "personal"), ""),
        (Profiles(("work",), ""), ""),
        (Profiles((" work",), "work"), " work"),
    ],
)
def test_there_is_no_other_profile_to_fall_back_on(profiles: Profiles, requested: str) -> None:
    with pytest.raises(ProfileUnavailable) as raised:
        select_profile(profiles, requested)
    assert str(raised.value) == "profile unavailable: profile_unavailable"


@pytest.mark.parametrize("profile_id", ["a", "0", "work", "a-b", "a1-2-c", "a" * 32])
def test_ids_a_store_may_be_asked_for(profile_id: str) -> None:
    assert is_slug(profile_id)


@pytest.mark.parametrize(
    "profile_id", ["", "a" * 33, "A", "-", "-a", "a-", "a--b", "a_b", "a b", "a\n", "\u00e9", "\u0661"]
)
def test_ids_no_store_is_asked_for(profile_id: str) -> None:
    assert not is_slug(profile_id)
