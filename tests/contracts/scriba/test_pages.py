"""Event pages: what is checked first, how far a page leads, and when a cursor has expired (spec 5, 12.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from evalkit.contracts.scriba import expiry, times
from evalkit.contracts.scriba.cursors import read_cursor
from evalkit.contracts.scriba.ledger_nouns import Batch, Ledger, Retained
from evalkit.contracts.scriba.nouns import Json, PageUnavailable, ProfileUnavailable, StoreUnreadable
from evalkit.contracts.scriba.pages import PAGE_RULES, PageRules, check_request, page
from evalkit.contracts.scriba.seed import profiles_of, seed
from evalkit.contracts.scriba.seeding.canaries import account_ref
from evalkit.contracts.scriba.service import ScribaService
from evalkit.contracts.scriba.store.ledger import SqliteLedger
from evalkit.contracts.scriba.store.opening import open_store
from evalkit.contracts.scriba.writer import Writer
from tests.contracts.scriba.worlds import CFG2, E4, NOW, P1, P2, P4, S_2P, S_EMPTY, W3

ZERO = "v1.0000000000000000"
GONE = ("e00", "e08", "e14")
P, W = account_ref("acctP"), account_ref("acctW")
_NOW = times.parse(NOW)
assert _NOW is not None
INSTANT = _NOW


def cursor(sequence: int) -> str:
    """Its text, by hand."""
    return "v1." + hex(sequence)[2:].rjust(16, "0")


class Page(NamedTuple):
    """A page in short: the ids of its events, and its two cursors as numbers."""

    ids: list[str]
    next: int | None
    high: int | None


def short(document: Json) -> Page:
    """The document without what a test does not look at."""
    ids = [event["id"] for event in document["events"]]
    return Page(ids, read_cursor(document["cursor"]["next"]), read_cursor(document["cursor"]["highWater"]))


class Reader:
    """Asks for pages of a store; `between` happens after the high-water was read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rules: PageRules = PAGE_RULES
        self.between: Callable[[], None] = lambda: None

    def replay(self, after: int, limit: int = 20, account: str | None = P) -> Page:
        """The events after a sequence."""
        return short(self.ask("replay", cursor(after), limit, account))

    def latest(self, limit: int = 20, account: str | None = P) -> Page:
        """The newest events."""
        return short(self.ask("latest", "", limit, account))

    def capture(self, account: str | None = P) -> Page:
        """Where the ledger ends."""
        return short(self.ask("capture", "", 20, account))

    def ask(self, mode: str, at: str, limit: int, account: str | None = P) -> Json:
        """The whole document."""
        return page(self.rules, account, self._ledger, INSTANT, mode, at, limit, "personal")

    @contextmanager
    def _ledger(self) -> Iterator[Ledger]:
        with closing(open_store(self.path)) as connection:
            yield _Interrupted(SqliteLedger(connection), self.between)


class _Interrupted:
    def __init__(self, ledger: Ledger, between: Callable[[], None]) -> None:
        self.ledger, self.between = ledger, between

    def retained(self, account: str) -> Retained:
        retained = self.ledger.retained(account)
        self.between()
        return retained

    def after(self, account: str, sequence: int, ceiling: int, limit: int) -> Batch:
        return self.ledger.after(account, sequence, ceiling, limit)

    def newest(self, account: str, ceiling: int, limit: int) -> Batch:
        return self.ledger.newest(account, ceiling, limit)


@pytest.fixture
def over(tmp_path: Path) -> Callable[[Json], Reader]:
    """Makes a store and a reader of it."""
    return lambda store: Reader(seed({"store": store}, tmp_path / "seeded").state_path)


def code(ask: Callable[[], object]) -> str:
    """Why there is no page."""
    with pytest.raises(PageUnavailable) as caught:
        ask()
    assert str(caught.value) == f"event page unavailable: {caught.value.code}"
    return caught.value.code


Over = Callable[[Json], Reader]


def test_a_page_is_a_document_with_its_members_in_order(over: Over) -> None:
    document = over(E4).ask("replay", cursor(2), 20)
    assert list(document) == ["schemaVersion", "generatedAt", "events", "cursor"]
    assert document["schemaVersion"] == "scriba.events.v1"
    assert document["generatedAt"] == NOW
    assert document["cursor"] == {"next": "v1.0000000000000004", "highWater": "v1.0000000000000004"}
    (event,) = document["events"]
    assert (event["id"], event["profileId"], event["detectedAt"]) == ("p4", "personal", P4["detectedAt"])


def test_a_replay_goes_on_where_the_page_before_ended(over: Over) -> None:
    """EV01, EV02, EV03."""
    reader = over(E4)
    assert reader.replay(0, 2) == (["p1", "p2"], 2, 4)
    assert reader.replay(2, 2) == (["p4"], 4, 4)
    assert reader.replay(4) == ([], 4, 4)


def test_an_account_whose_newest_row_is_not_the_last_needs_one_more_page(over: Over) -> None:
    """EV04."""
    reader = over(E4)
    assert reader.replay(0, account=W) == (["w3"], 3, 4)
    assert reader.replay(3, account=W) == ([], 4, 4)


def test_the_latest_events_come_in_ascending_order(over: Over) -> None:
    """EV05."""
    reader = over(E4)
    assert reader.latest(1) == (["p4"], 4, 4)
    assert reader.latest(20) == (["p1", "p2", "p4"], 4, 4)


def test_a_capture_only_says_where_the_ledger_ends(over: Over) -> None:
    """EV06."""
    assert over(E4).capture() == ([], 4, 4)


def test_an_empty_ledger_ends_at_zero(over: Over) -> None:
    """EV07."""
    reader = over(S_2P)
    assert reader.replay(0) == reader.latest() == reader.capture() == ([], 0, 0)
    assert reader.ask("latest", "", 20)["cursor"] == {"next": ZERO, "highWater": ZERO}


def test_a_cursor_past_the_high_water_is_of_the_future(over: Over) -> None:
    """EV08, and HT12's last cursor."""
    reader = over(E4)
    assert code(lambda: reader.replay(5)) == "cursor_future"
    assert code(lambda: reader.replay(2**63 - 1)) == "cursor_future"


def test_a_tombstone_expires_what_is_before_it_for_its_own_account(over: Over) -> None:
    """EV09, EV10, EV11, EV12."""
    reader = over({**E4, "then": [{"delete": ["p1"]}]})
    assert code(lambda: reader.replay(0)) == "cursor_expired"
    assert reader.replay(1).ids == ["p2", "p4"]
    assert reader.replay(0, account=W).ids == ["w3"]
    assert reader.latest().ids == ["p2", "p4"]


def test_a_row_that_leads_nowhere_expires_nothing_and_uses_a_place(over: Over) -> None:
    """EV13."""
    reader = over({**E4, "then": [{"dangle": ["p1"]}]})
    assert reader.replay(0).ids == ["p2", "p4"]
    assert reader.replay(0, 1) == ([], 1, 4)


@pytest.mark.parametrize(
    "poison",
    [
        {"payloadText": "{}"},
        {"kind": "radar_alert"},
        {"kind": "unheard_of", "ruleKind": "reset_transition"},
        {"ruleKind": "grant_available"},
        {"payloadVersion": 2},
    ],
)
def test_a_poisoned_row_is_passed_over_and_moves_the_cursor(over: Over, poison: Json) -> None:
    """EV14, HT21."""
    reader = over({**S_2P, "events": [P1, {**P2, **poison}, W3, P4]})
    assert reader.replay(0, 2) == (["p1"], 2, 4)
    assert reader.replay(1, 1) == ([], 2, 4)
    assert reader.latest().ids == ["p1", "p4"]


def test_when_all_was_pruned_the_newest_tombstone_is_the_floor(over: Over) -> None:
    """EV15: w3 has a notification to be told of, and stays."""
    pending = {**W3, "outbox": "pending"}
    reader = over(
        {**S_2P, "events": [P1, P2, pending, P4], "then": [{"prune": "2026-07-13T11:54:00Z"}]},
    )
    assert code(lambda: reader.replay(3)) == "cursor_expired"
    assert reader.replay(4) == ([], 4, 4)
    assert code(lambda: reader.replay(0)) == "cursor_expired"
    assert reader.replay(0, account=W).ids == ["w3"]
    assert reader.latest() == ([], 4, 4)


def test_gaps_that_other_accounts_own_expire_nothing(over: Over) -> None:
    """EV16: seven of acctP, of which tombstone 7 is left; 8 and 9 are acctW's; 10 is acctP's."""
    seven = [{**P1, "id": f"old{number}"} for number in range(1, 8)]
    others = [{**W3, "id": name} for name in ("w8", "w9")]
    ten = {**P4, "id": "p10"}
    reader = over(
        {**S_2P, "events": [*seven, *others, ten], "then": [{"prune": "2026-07-13T11:50:01Z"}]},
    )
    assert reader.replay(7) == (["p10"], 10, 10)
    assert code(lambda: reader.replay(6)) == "cursor_expired"


@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_limit_is_from_one_to_a_hundred(over: Over, limit: int) -> None:
    """EV17."""
    assert code(lambda: over(E4).latest(limit)) == "invalid_limit"


def test_a_page_of_a_hundred_is_given(over: Over) -> None:
    many = [{**P1, "id": f"e{number:03}"} for number in range(101)]
    reader = over({**S_2P, "events": many})
    assert reader.replay(0, 100) == ([f"e{number:03}" for number in range(100)], 100, 101)
    assert reader.latest(100).ids == [f"e{number:03}" for number in range(1, 101)]


@pytest.mark.parametrize("mode", ["", "tail", "Replay", "replay "])
def test_a_mode_is_one_of_three(over: Over, mode: str) -> None:
    """EV18."""
    assert code(lambda: over(E4).ask(mode, "", 20)) == "invalid_mode"


@pytest.mark.parametrize(
    ("mode", "at"),
    [
        *(("latest", ZERO), ("capture", ZERO), ("latest", "nonsense"), ("replay", "")),
        *(("replay", text) for text in ("v1.", "v2.0000000000000001", "v1.01", "v1.-000000000000001")),
        *(("replay", text) for text in ("v1.000000000000000A", "v1.8000000000000000", f" {ZERO}")),
    ],
)
def test_a_cursor_is_for_a_replay_and_well_formed(over: Over, mode: str, at: str) -> None:
    """EV19, EV20."""
    assert code(lambda: over(E4).ask(mode, at, 20)) == "invalid_cursor"


@pytest.mark.parametrize("account", [None, ""])
def test_without_an_account_there_are_no_events(over: Over, account: str | None) -> None:
    """EV22, as far as a page knows."""
    reader = over(E4)
    assert code(lambda: reader.latest(account=account)) == "events_unavailable"


def test_a_store_that_cannot_be_opened_or_read_is_a_read_error(over: Over, tmp_path: Path) -> None:
    """Check 9."""
    gone = Reader(str(tmp_path / "nowhere.sqlite"))
    assert code(gone.latest) == "read_error"
    assert code(lambda: gone.replay(0)) == "read_error"
    assert code(over({**E4, "without": ["policy_event_replay"]}).capture) == "read_error"


def test_the_first_check_that_fails_is_the_one_that_is_told(over: Over) -> None:
    """EV25 and the order of spec 5.2; whoever selects a profile makes these checks alone before."""
    reader = over({**E4, "then": [{"delete": ["p4"]}]})
    for mode, at, limit, why in (
        ("bad", "nonsense", 0, "invalid_limit"),
        ("bad", "nonsense", 20, "invalid_mode"),
        ("latest", "nonsense", 20, "invalid_cursor"),
        ("replay", "nonsense", 20, "invalid_cursor"),
    ):
        assert code(partial(reader.ask, mode, at, limit, None)) == why
        assert code(partial(check_request, PAGE_RULES, mode, at, limit)) == why
    gone = Reader("/nowhere/at/all")
    assert code(lambda: gone.replay(9, account=None)) == "events_unavailable"
    assert code(lambda: gone.replay(9)) == "read_error"


def test_a_request_says_after_what_to_replay() -> None:
    assert check_request(PAGE_RULES, "replay", cursor(9), 1) == 9
    assert check_request(PAGE_RULES, "latest", "", 100) is None
    assert check_request(PAGE_RULES, "capture", "", 1) is None


def test_what_comes_after_the_high_water_was_read_is_not_in_the_page(over: Over) -> None:
    """EV26."""
    reader = over(E4)
    late = iter(range(99))

    def append() -> None:
        with Writer(reader.path) as writer:
            writer.append([{**P4, "id": f"late{next(late)}"}])

    reader.between = append
    assert reader.replay(2) == (["p4"], 4, 4)
    assert reader.latest(1) == (["late0"], 5, 5)
    assert reader.capture() == ([], 6, 6)


def test_what_comes_to_a_ledger_that_was_empty_is_in_the_page(over: Over) -> None:
    """The quirk of spec 5.3: a high-water of zero is no ceiling; the reader then goes on after the row."""
    reader = over(S_2P)

    def append() -> None:
        with Writer(reader.path) as writer:
            writer.append([P1])

    reader.between = append
    assert reader.replay(0) == (["p1"], 1, 0)


def test_what_is_pruned_after_the_high_water_was_read_expires_the_cursor(over: Over) -> None:
    """Otherwise the pruned events would be passed over in silence."""
    reader = over(E4)

    def prune() -> None:
        with Writer(reader.path) as writer:
            writer.prune("2026-07-13T11:50:30Z")

    reader.between = prune
    assert code(lambda: reader.replay(0)) == "cursor_expired"
    reader.between = lambda: None
    assert reader.replay(1).ids == ["p2", "p4"]


def test_reading_page_by_page_gives_every_event_once_and_in_order(over: Over) -> None:
    """Whatever the limit, with rows of others, tombstones, dangling and poisoned ones in between."""
    names = [f"e{number:02}" for number in range(30)]
    owners = ["acctW" if number % 3 == 1 else "acctP" for number in range(30)]
    events = [{**P1, "id": name, "account": owner} for name, owner in zip(names, owners, strict=True)]
    events[8] |= {"payloadText": "{}"}
    reader = over({**S_2P, "events": events, "then": [{"delete": ["e00"]}, {"dangle": ["e14"]}]})
    expected = [
        name for name, owner in zip(names, owners, strict=True) if owner == "acctP" and name not in GONE
    ]
    for limit in (1, 2, 7, 100):
        at, seen = 1, list[str]()
        for _ in range(40):
            found = reader.replay(at, limit)
            seen += found.ids
            assert found.next is not None
            at = found.next
            if found.next == found.high:
                break
        assert (at, seen) == (30, expected)


def test_a_page_holds_nothing_private(over: Over) -> None:
    assert "CANARY" not in str(over(E4).ask("latest", "", 20))


@pytest.mark.parametrize(
    ("after", "retained", "by_account", "by_ledger"),
    [
        (0, Retained(0, 0, 0), False, False),
        (7, Retained(10, 7, 8), False, False),
        (6, Retained(10, 7, 8), True, True),
        (7, Retained(10, 0, 8), False, False),
        (0, Retained(4, 0, 1), False, False),
        (0, Retained(4, 0, 2), False, True),
        (1, Retained(4, 0, 2), False, False),
        (3, Retained(4, 0, 0), False, True),
        (4, Retained(4, 0, 0), False, False),
        (0, Retained(4, 1, 1), True, False),
    ],
)
def test_each_revision_has_its_own_rule_of_expiry(
    after: int, retained: Retained, by_account: bool, by_ledger: bool
) -> None:
    assert expiry.by_account_floor(after, retained) is by_account
    assert expiry.by_whole_ledger(after, retained) is by_ledger


def test_the_older_rule_can_take_the_place_of_the_newer(over: Over) -> None:
    """The ledger begins at 2 for all accounts, whoever owned 1."""
    reader = over({**E4, "then": [{"delete": ["p1", "p2"]}, {"prune": "2026-01-01T00:00:00Z"}]})
    reader.rules = PAGE_RULES._replace(is_expired=expiry.by_whole_ledger)
    assert code(lambda: reader.replay(0, account=W)) == "cursor_expired"
    assert reader.replay(1, account=W).ids == ["w3"]


class Failing:
    """A ledger that still tells what it has, and no rows any more."""

    def __init__(self, retained: Retained) -> None:
        self._retained = retained

    def retained(self, account: str) -> Retained:
        return self._retained

    def after(self, account: str, sequence: int, ceiling: int, limit: int) -> Batch:
        raise StoreUnreadable

    def newest(self, account: str, ceiling: int, limit: int) -> Batch:
        raise StoreUnreadable


def ask_failing(mode: str, at: str, retained: Retained) -> Json:
    """A page of it."""
    ledger = nullcontext(Failing(retained))
    return page(PAGE_RULES, P, lambda: ledger, INSTANT, mode, at, 20, "personal")


def test_a_ledger_that_fails_halfway_gives_no_page() -> None:
    for mode, at in (("replay", ZERO), ("latest", ""), ("capture", "")):
        assert code(partial(ask_failing, mode, at, Retained(4, 0, 1))) == "read_error"


def test_a_cursor_that_has_expired_reads_no_rows() -> None:
    assert code(lambda: ask_failing("replay", ZERO, Retained(4, 2, 1))) == "cursor_expired"
    assert code(lambda: ask_failing("replay", cursor(5), Retained(4, 2, 1))) == "cursor_future"


# What a service adds: it selects the profile and finds the account.


@pytest.fixture
def serve(tmp_path: Path) -> Callable[[Json], ScribaService]:
    """Makes files and a service over them."""

    def make(fixture: Json) -> ScribaService:
        paths = seed(fixture, tmp_path / "seeded")
        return ScribaService(paths, profiles_of(fixture), lambda: INSTANT)

    return make


Serve = Callable[[Json], ScribaService]


def test_a_profile_that_is_not_enabled_is_unavailable(serve: Serve) -> None:
    """EV21, and EV25 with three things wrong."""
    service = serve({"config": CFG2, "store": E4})
    for name in ("nope", "old", " work"):
        with pytest.raises(ProfileUnavailable):
            service.events("latest", "", 20, name)
    assert code(lambda: service.events("bad", "", 0, "nope")) == "invalid_limit"


def test_a_profile_without_an_observation_has_no_events(serve: Serve) -> None:
    """EV22."""
    service = serve({"config": CFG2, "cache": {}, "store": S_EMPTY})
    for mode, at in (("latest", ""), ("replay", ZERO), ("capture", "")):
        assert code(partial(service.events, mode, at, 20, None)) == "events_unavailable"


def test_without_a_store_the_cache_decides_which_error_it_is(serve: Serve, tmp_path: Path) -> None:
    """EV23, EV24."""
    assert code(lambda: serve({"cache": {}}).events("latest", "", 20, None)) == "read_error"
    codex = {
        "providerId": "codex",
        "lines": [{"type": "progress", "label": "Weekly limit", "used": 99}],
    }
    status = {"generatedAt": "2026-07-13T11:59:00Z", "providers": [codex]}
    paths = seed({"cache": {"status": status}}, tmp_path / "other")
    service = ScribaService(paths, profiles_of({}), lambda: INSTANT)
    assert code(lambda: service.events("latest", "", 20, None)) == "events_unavailable"


def test_a_cursor_outlives_a_change_of_account(serve: Serve) -> None:
    """EV27: the rows are then the new account's only."""
    service = serve({"config": CFG2, "store": E4})
    assert short(service.events("replay", ZERO, 1, None)) == (["p1"], 1, 4)
    with Writer(service.paths.state_path) as writer:
        writer.remap("work", None)
        writer.remap("personal", "acctW")
    assert short(service.events("replay", cursor(1), 20, None)) == (["w3"], 3, 4)


def test_the_page_of_the_parity_fixture_is_the_one_of_the_specification(serve: Serve) -> None:
    """Spec 8.5."""
    payload = {
        "label": "5h limit",
        "threshold_remaining": 20,
        "used_percent": 81,
        "remaining_percent": 19,
        "reset_at": "2026-07-12T09:01:00Z",
    }
    event = {"id": "parity-event", "account": "PRIVATE_ACCOUNT", "detectedAt": "2026-07-12T08:01:00Z"}
    seen = {"observedAt": "2026-07-12T08:00:00Z", "windows": [{"label": "5h limit", "usedPercent": 81}]}
    store = {
        "profiles": [{"id": "default", "default": True, "accounts": ["PRIVATE_ACCOUNT"]}],
        "accounts": {"PRIVATE_ACCOUNT": {"observations": [seen]}},
        "events": [{**event, "payload": payload}],
    }
    nine = times.parse("2026-07-12T09:00:00Z")
    assert nine is not None
    service = serve({"cache": {}, "store": store})._replace(clock=lambda: nine)
    written = json.dumps(service.events("replay", ZERO, 20, None), separators=(",", ":"))
    assert written == (
        '{"schemaVersion":"scriba.events.v1","generatedAt":"2026-07-12T09:00:00Z","events":[{'
        '"schemaVersion":"scriba.event.v1","id":"parity-event","providerId":"codex","profileId":"default",'
        '"kind":"remaining_checkpoint","detectedAt":"2026-07-12T08:01:00Z","data":{'
        '"windowKey":"primary.five_hour","checkpointPercent":20,"usedPercent":81,'
        '"remainingPercentPoints":19,"resetAt":"2026-07-12T09:01:00Z"}}],'
        '"cursor":{"next":"v1.0000000000000001","highWater":"v1.0000000000000001"}}'
    )
