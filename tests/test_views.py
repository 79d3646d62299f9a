"""What a seat is shown: bands, tables, market, archive, inbox; as plain JSON and nothing more."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from fmgym import names, views
from fmgym.enums import Facility, Inbox, OfferKind, OrderAction, Position
from fmgym.params import Params
from fmgym.session import Session
from fmgym.tools import TOOLS
from fmgym.tracks.arena import ARENA
from fmgym.world import World

from .sessions import drafting, everything, own, prospect, put_event, put_offer, release, session_at, target


@pytest.mark.parametrize("day", [4, 89, 304, 360 + 89])
def test_every_query_is_plain_json(day: int) -> None:
    session = session_at(day)
    for name, args in everything(session.stop()):
        result = session.call(name, args)
        assert json.loads(json.dumps(result.data, allow_nan=False)) == result.data
        assert result.to_text().startswith(f"{name}: ")


def test_bands_letters_and_stars_follow_the_report() -> None:
    world = session_at().world
    assert views.band(world, 70.0, 2.5) == "66-74"  # half width 1.6 standard deviations
    assert views.band(world, 97.0, 5.0) == "89-99"
    assert [views.confidence(world, sd) for sd in (1.6, 2.0, 2.9, 3.0)] == list("ABCD")
    assert [views.stars(world, x) for x in (20.0, 58.0, 61.3, 200.0)] == [0.5, 0.5, 1.0, 5.0]


def test_own_players_are_seen_more_sharply() -> None:
    session = session_at(89)
    mine = session.call("get_squad").data["players"]
    others = session.call("get_transfer_market", {"kind": "all", "limit": 50}).data["players"]
    assert _width(mine) < _width(others)


def _width(rows: list[dict[str, Any]]) -> float:
    bands = [row["ability"].split("-") for row in rows]
    return sum(int(high) - int(low) for low, high in bands) / len(bands)


def test_player_view_tells_status_and_talks() -> None:
    session = session_at()
    mine = session.call("get_player", {"player_id": own(session)}).data
    assert mine["yours"] is True
    assert mine["status"] == "senior"
    assert mine["release_cost_m"] == pytest.approx(mine["wage_m"] / 2, abs=0.001)
    youth = session.call("get_player", {"player_id": prospect(session)}).data
    assert youth["status"] == "academy"
    assert "term_ends" in youth
    assert session.call("get_player", {"player_id": release(session)}).data["club"] is None
    bid = {"player_id": names.player_id(session.world.w.players[target(session)].uid), "amount_m": 0.05}
    for _ in range(session.world.params.market.cooldown_after):
        session.call("make_transfer_offer", bid)
    theirs = session.call("get_player", {"player_id": bid["player_id"]}).data
    assert theirs["no_bids_before"] > theirs["since"]
    assert "fee_paid_m" not in theirs


def test_fitness_says_until_when() -> None:
    session = session_at()
    pl = session.world.w.players[session.world.w.clubs[0].squad[0]]
    pl.injured_until = session.world.w.day + 10
    assert views.injured(session.world, 0) == [f"{own(session)} to {names.date(pl.injured_until)}"]
    assert session.call("get_player", {"player_id": own(session)}).data["fitness"] == "injured to Y01-D015"
    pl.injured_until, pl.banned = 0, 2
    assert session.call("get_player", {"player_id": own(session)}).data["fitness"] == "banned 2"


def test_table_and_fixtures_agree_with_reports() -> None:
    session = session_at(119)
    table = session.call("get_league_table").data["table"]
    assert [row["position"] for row in table] == list(range(1, 17))
    assert [row["club"] for row in table if row.get("you")] == ["C01"]
    played = session.call("get_fixtures", {"which": "played", "club_id": "C05"}).data["fixtures"]
    upcoming = session.call("get_fixtures", {"which": "upcoming", "club_id": "C05"}).data["fixtures"]
    assert len(played) + len(upcoming) == 30
    report = session.call("get_match_report", {"match_id": played[0]["id"]}).data
    home, away = (int(goals) for goals in report["score"].split("-"))
    assert "C05" in (report["home"], report["away"])
    assert sum(row["goals"] for row in report["players"]) <= home + away
    assert sum(row["minutes"] for row in report["players"] if row["side"] == "home") > 11 * 60
    assert upcoming[0]["result"] is None


def test_home_and_away_alternate() -> None:
    session = session_at()
    for club in range(1, 17):
        rows = session.call("get_fixtures", {"club_id": f"C{club:02d}"}).data["fixtures"]
        venues = "".join(row["venue"][0] for row in rows)
        assert venues.count("h") == 15
        assert max(len(run) for run in re.findall("h+|a+", venues)) <= 3


def test_market_filters_sorts_and_pages() -> None:
    session = session_at()
    everyone = session.call("get_transfer_market", {"kind": "all"}).data
    assert everyone["window"] == "summer"
    assert everyone["found"] > 300
    assert len(everyone["players"]) == 20
    second = session.call("get_transfer_market", {"kind": "all", "page": 2}).data["players"]
    assert not {row["id"] for row in everyone["players"]} & {row["id"] for row in second}
    asked = {"kind": "all", "position": "ST", "min_age": 20, "max_age": 24, "max_value_m": 5, "sort": "value"}
    rows = session.call("get_transfer_market", asked).data["players"]
    assert rows
    assert all(row["position"] == "ST" and 20 <= row["age"] < 25 and row["value_m"] <= 5 for row in rows)
    values = [row["value_m"] for row in rows]
    assert values == sorted(values, reverse=True)
    able = session.call("get_transfer_market", {"kind": "all", "min_ability": 70, "limit": 50}).data["players"]
    assert all(int(row["ability"].split("-")[1]) >= 70 for row in able)
    assert all(row["club"] != "C01" for row in (*everyone["players"], *rows, *able))
    for sort in ("age", "wage", "potential"):
        assert session.call("get_transfer_market", {"kind": "all", "sort": sort}).data["found"] == everyone["found"]


def test_market_kinds() -> None:
    session = session_at()
    w = session.world.w
    slot = target(session)
    w.players[slot].listed = 1
    found = session.call("get_transfer_market", {"kind": "listed", "limit": 50}).data["players"]
    assert names.player_id(w.players[slot].uid) in [row["id"] for row in found]
    free = release(session, 2)
    found = session.call("get_transfer_market", {"kind": "free"}).data["players"]
    assert [(row["id"], row["club"], row["wage_m"]) for row in found if row["id"] == free] == [(free, "free", 0.0)]
    w.players[slot].contract_end = w.day + 100
    found = session.call("get_transfer_market", {"kind": "expiring", "limit": 50}).data["players"]
    assert names.player_id(w.players[slot].uid) in [row["id"] for row in found]


def test_finances_add_up() -> None:
    session = session_at(149)
    view = session.call("get_finances").data
    assert sum(view["ledger_this_season_m"].values()) == pytest.approx(view["cash_m"], abs=0.01)
    assert view["debts"] == []
    w = session.world.w
    w.debts[0].payer, w.debts[0].payee, w.debts[0].amount, w.debts[0].left = 0, -1, 2000, 3
    w.n_debts = 1
    owed = session.call("get_finances").data
    assert owed["owed_m"] == 6.0
    assert owed["debts"][0]["to"] == "bank"


def test_warnings_speak_of_what_is_wrong() -> None:
    session = session_at()
    c = session.world.w.clubs[0]
    assert session.call("get_finances").data["warnings"] == []
    c.cash, c.confidence, c.n_squad, c.wage_bill = -1, 20.0, 17, 200_000
    told = " / ".join(session.call("get_finances").data["warnings"])
    for word in ("below zero", "confidence 20", "only 17 seniors", "of revenue"):
        assert word in told
    c.cash = 100
    assert "cash runs out" in " ".join(session.call("get_finances").data["warnings"])


def test_archive_keeps_seasons_and_other_clubs_fees_hidden() -> None:
    session = session_at(360 + 4)
    seasons = session.call("get_history", {"kind": "seasons"}).data["rows"]
    assert [row["season"] for row in seasons] == [1]
    assert "net_worth_m" in seasons[0]
    final = session.call("get_history", {"kind": "seasons", "season": 1}).data["rows"]
    assert [row["position"] for row in final] == list(range(1, 17))
    assert all("cash_m" not in row for row in final if row["club"] != "C01")
    honors = session.call("get_history", {"kind": "honors"}).data["rows"]
    assert honors[0]["champion"] == final[0]["club"]
    moves = session.call("get_history", {"kind": "transfers", "limit": 50}).data
    assert moves["found"] > 50
    assert [row["date"] for row in moves["rows"]] == sorted((row["date"] for row in moves["rows"]), reverse=True)
    bought = [row for row in moves["rows"] if row["kind"] == "transfer" and "C01" not in (row["from"], row["to"])]
    assert all(row["fee_m"] is None for row in bought)
    one = moves["rows"][0]
    his = session.call("get_history", {"kind": "transfers", "player_id": one["player"]}).data["rows"]
    assert one in his
    assert {row["player"] for row in his} == {one["player"]}


def test_draft_pool_shows_what_a_list_comes_to() -> None:
    session = drafting()
    view = session.call("get_draft_pool").data
    assert len(view["templates"]) == 50
    session.call("submit_draft", {"template_ids": ["T02", "T09"]})
    view = session.call("get_draft_pool").data
    assert view["submitted"] == ["T02", "T09"]
    assert len(view["completed_with"]) == 23
    assert view["opening_cash_m"] == pytest.approx(150 - view["cost_m"])
    session.call("advance")
    assert session.call("get_squad").data["size"] == 25
    assert session.call("get_finances").data["cash_m"] == view["opening_cash_m"]


def test_overview_shows_orders_and_lineup() -> None:
    session = session_at()
    eleven = [own(session, i) for i in range(11)]
    session.call("set_lineup", {"player_ids": eleven})
    order = {"place": 3, "condition": "condition_below", "threshold": 60, "action": "auto_lineup"}
    session.call("set_standing_order", order)
    session.call("invest", {"facility": "academy"})
    view = session.call("get_club_overview").data
    assert view["lineup"] == eleven
    assert view["standing_orders"] == [order | {"fired": 0}]
    assert view["facilities"][0]["ready"] == "Y01-D335"
    session.call("set_lineup", {})
    session.call("set_standing_order", {"place": 3, "condition": "clear"})
    view = session.call("get_club_overview").data
    assert (view["lineup"], view["standing_orders"]) == ("automatic", [])


def test_offers_of_every_kind() -> None:
    session = session_at()
    for kind in OfferKind:
        put_offer(session, kind, target(session))
    rows = session.call("get_inbox").data["offers"]
    assert [row["kind"] for row in rows] == [names.word(kind) for kind in OfferKind]
    assert rows[3]["wage_m_per_year"] == 0.5
    assert rows[0]["fee_m"] == 5.0


def facts(session: Session) -> dict[Inbox, tuple[int, int, int]]:
    """Likely a, b, c of an event of each kind."""
    mine = int(session.world.w.players[session.world.w.clubs[0].squad[0]].uid)
    return {
        Inbox.OFFER_RECEIVED: (mine, 3, 4500),
        Inbox.COUNTER_OFFER: (mine, 3, 4500),
        Inbox.OFFER_EXPIRED: (mine, 3, 12),
        Inbox.TRANSFER_COMPLETED: (mine, 3, 4500),
        Inbox.BID_LOST: (mine, 3, 0),
        Inbox.CONTRACT_EXPIRING: (mine, 359, 0),
        Inbox.CONTRACT_EXPIRED: (mine, -1, 0),
        Inbox.INJURY: (mine, 80, 1),
        Inbox.RETIREMENT: (mine, 36, 0),
        Inbox.FACILITY_COMPLETED: (int(Facility.TRAINING), 2, 0),
        Inbox.YOUTH_INTAKE: (3, 0, 0),
        Inbox.YOUTH_LAPSING: (mine, 359, 0),
        Inbox.BOARD_TARGET: (8, 0, 0),
        Inbox.BOARD_WARNING: (30, 15, 8),
        Inbox.INSOLVENCY_WARNING: (55, 0, 0),
        Inbox.ADMINISTRATION: (9, 0, 0),
        Inbox.REVIVAL: (1, 3, 12000),
        Inbox.SEASON_SETTLED: (4, 55, 20),
        Inbox.ORDER_EXECUTED: (2, mine, int(OrderAction.RENEW_CONTRACT)),
    }


@pytest.mark.parametrize("kind", Inbox)
def test_every_kind_of_event_has_its_text(kind: Inbox) -> None:
    session = session_at()
    session.world.w.seats[0].n_inbox = 0
    put_event(session, kind, *facts(session)[kind])
    (event,) = views.inbox(session.world, 0)
    assert event["kind"] == names.word(kind)
    assert event["action_required"] == (kind in views.TO_ANSWER)
    assert 10 < len(event["text"]) < 110
    assert event["text"].endswith(".")


def test_transfers_in_and_out_read_differently() -> None:
    session = session_at()
    w = session.world.w
    w.seats[0].n_inbox = 0
    put_event(session, Inbox.TRANSFER_COMPLETED, int(w.players[w.clubs[0].squad[0]].uid), 3, 0)
    put_event(session, Inbox.TRANSFER_COMPLETED, int(w.players[w.clubs[3].squad[0]].uid), 3, 9000)
    joined, left = views.inbox(session.world, 0)
    assert "joined from C04." in joined["text"]
    assert "went to C04 for 9M." in left["text"]


def test_names_are_our_own_and_stable() -> None:
    assert len({names.club_name(club) for club in range(200)}) == 200
    assert names.player_name(1, 5) == names.player_name(1, 5) != names.player_name(2, 5)
    assert len({names.player_name(1, n) for n in range(1, 500)}) > 480
    assert names.date(0) == "Y01-D001"
    assert names.match_id(2, 117) == "M03-117"
    assert names.money(-250) == "-0.25M"
    assert names.money(12_345_678) == "12345.678M"


def test_every_query_has_its_view() -> None:
    assert [names.word(tool) for tool in views.QUERIES] == [n for n, spec in TOOLS.items() if spec.kind == "query"]
    assert set(views.EVENTS) == set(Inbox)
    assert {row["position"] for row in session_at().call("get_squad").data["players"]} <= set(Position.__members__)


@pytest.mark.parametrize("frozen", [0, 1])
def test_others_are_known_as_they_were_when_the_clock_stopped(frozen: int) -> None:
    """Against the rule written out for each player; a club's own, now or then, are known as they are."""
    world = World(ARENA.fit(Params.default()))
    rng, array = np.random.default_rng(0), world.array
    array["seats"]["club"][0] = np.arange(16)
    columns = ("club", "status", "wage", "contract_end", "listed", "next_club")
    for table in ("players", "board"):
        for name in columns:
            array[table][name][0] = rng.integers(-1, 4, array[table].shape[1])
    array["frozen"][0] = frozen
    for seat in (0, 2, 15):
        for slot, (now, then) in enumerate(zip(array["players"][0], array["board"][0], strict=True)):
            right = now if not frozen or seat in (now["club"], then["club"]) else then
            known = views.known(world, seat, [slot])[0]
            assert [getattr(known, name) for name in columns] == [right[name] for name in columns]
        for name in columns:
            own = [getattr(pl, name) for pl in views.known(world, seat, range(array["players"].shape[1]))]
            assert views.known_columns(world, seat, name)[0].tolist() == own
