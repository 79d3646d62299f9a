"""Several seats in one world: sealed deals, stops, what a seat may know of another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fmgym.enums import Inbox, OfferKind, OfferState, Settle, Status
from fmgym.errors import BadInput
from fmgym.kernels import contracts, market, roster
from fmgym.session import Session
from fmgym.tracks.arena import ARENA

from ..sessions import arena_at, end_round, everything, own, release, uid

HALF = tuple(range(8))  # seats held where scripted clubs are wanted too


def slot_of(session: Session, player: str) -> int:
    return int(roster.slot_of(session.world.w, int(player[1:])))


def club_of(session: Session, player: str) -> int:
    return int(session.world.w.players[slot_of(session, player)].club)


def cash(session: Session, club: int) -> int:
    return int(session.world.w.clubs[club].cash)


def enrich(session: Session, *clubs: int) -> None:
    for club in clubs:
        session.world.w.clubs[club].cash = 500_000


def post(session: Session) -> None:
    """Let everybody know what a test has changed while the clock stands."""
    session.world.w.board[:] = session.world.w.players
    session.world.w.shown_free = session.world.w.n_free


def events(session: Session, seat: int) -> list[tuple[Inbox, int]]:
    """Kind and last figure of a seat's inbox."""
    s = session.world.w.seats[seat]
    return [(Inbox(e.kind), int(e.c)) for e in s.inbox[: s.n_inbox]]


def texts(session: Session, seat: int) -> list[str]:
    return [e.text for e in session.packet(seat).inbox]


def agree(session: Session, seat: int, player: str, fee_m: float) -> None:
    """A bid above a scripted club's ask and the wage the player demands, both lodged."""
    bid = session.call("make_transfer_offer", {"player_id": player, "amount_m": fee_m}, seat)
    assert bid.data["status"] == "accepted", bid
    terms = session.call("respond_to_offer", {"offer_id": bid.data["offer_id"], "response": "accept"}, seat)
    assert terms.ok, terms
    assert terms.data["status"] == "lodged"


def wanted(session: Session) -> str:
    """A player of a scripted club whom two seats can bid for."""
    w = session.world.w
    return uid(session, int(w.clubs[12].squad[0]))


# Sealed bids


def two_bids(first: int, second: int, fees: dict[int, float]) -> tuple[Session, str]:
    """Seats 0 and 1 bid for one player, in the order given."""
    session = arena_at(4, HALF)
    enrich(session, 0, 1)
    player = wanted(session)
    for seat in (first, second):
        agree(session, seat, player, fees[seat])
    return session, player


@pytest.mark.parametrize("first", [0, 1])
def test_the_highest_sealed_bid_wins_whoever_lodged_it_first(first: int) -> None:
    session, player = two_bids(first, 1 - first, {0: 80.0, 1: 90.0})
    assert club_of(session, player) == 12  # nothing happens while the clock stands
    before = cash(session, 1), cash(session, 0)
    end_round(session)
    assert club_of(session, player) == 1
    assert before[0] - cash(session, 1) >= 90_000  # the first price: what the winner bid
    assert cash(session, 0) > before[1] - 5_000  # the loser pays nothing


def test_both_orders_lead_to_the_same_digest() -> None:
    a, b = (two_bids(first, 1 - first, {0: 80.0, 1: 90.0})[0] for first in (0, 1))
    end_round(a)
    end_round(b)
    assert a.digest() == b.digest()


def test_losers_learn_that_they_lost_and_no_price() -> None:
    session, player = two_bids(0, 1, {0: 80.0, 1: 90.0})
    end_round(session)
    lost = [text for text in texts(session, 0) if player in text]
    assert lost == [text for text in lost if "went to C02" in text]
    assert lost
    seen = " ".join(texts(session, 0)) + session.call("get_player", {"player_id": player}, 0).to_text()
    seen += session.call("get_history", {"kind": "transfers"}, 0).to_text()
    assert "90" not in [word.strip("M.,") for word in seen.split()]
    assert (Inbox.TRANSFER_COMPLETED, 90_000) in events(session, 1)


def test_ties_fall_by_the_seed_alone() -> None:
    winners = set()
    for seed in range(1, 9):
        found = []
        for first in (0, 1):
            session = Session.open(seed, seasons=1, draft="auto", track=ARENA, seats=HALF)
            end_round(session)
            enrich(session, 0, 1)
            player = wanted(session)
            for seat in (first, 1 - first):
                bid = session.call("make_transfer_offer", {"player_id": player, "amount_m": 90}, seat)
                assert bid.data["status"] == "accepted"
                wage = {"player_id": player, "wage_m_per_year": 20, "years": 3}
                assert session.call("offer_contract", wage, seat).data["status"] == "lodged"
            end_round(session)
            found.append(club_of(session, player))
        assert found[0] == found[1]
        winners.add(found[0])
    assert winners == {0, 1}


def test_a_free_agent_signs_for_the_highest_wage() -> None:
    session = arena_at(4, HALF)
    player = release(session, 12)
    post(session)
    for seat, wage in ((2, 20.0), (5, 21.0), (3, 20.5)):
        call = {"player_id": player, "wage_m_per_year": wage, "years": 2}
        enrich(session, seat)
        assert session.call("offer_contract", call, seat).data["status"] == "lodged"
    end_round(session)
    assert club_of(session, player) == 5
    assert any("went to C06" in text for text in texts(session, 2) if player in text)


def test_what_is_lodged_is_committed() -> None:
    """Money and places that lodged deals will need cannot be used twice."""
    session = arena_at(4, HALF)
    player, other = wanted(session), uid(session, int(session.world.w.clubs[13].squad[0]))
    session.world.w.clubs[0].cash = 100_000
    agree(session, 0, player, 90.0)
    refused = session.call("make_transfer_offer", {"player_id": other, "amount_m": 50}, 0)
    assert refused.error == "CASH_SHORT"
    assert "beside its lodged deals" in refused.message
    again = session.call("make_transfer_offer", {"player_id": player, "amount_m": 5}, 0)
    assert again.error == "NO_CHANGE"


def test_a_lodged_deal_can_be_given_up() -> None:
    session = arena_at(4, HALF)
    enrich(session, 0)
    player = wanted(session)
    agree(session, 0, player, 90.0)
    (offer,) = session.packet(0).offers
    assert session.call("respond_to_offer", {"offer_id": offer["id"], "response": "reject"}, 0).ok
    end_round(session)
    assert club_of(session, player) == 12


# Between seats


def bid_for(session: Session, buyer: int, player: str, fee_m: float, **more: Any) -> Any:
    return session.call("make_transfer_offer", {"player_id": player, "amount_m": fee_m, **more}, buyer)


def until_offer(session: Session, seat: int, kind: str, most: int = 12) -> dict[str, Any]:
    """Rounds without acting until a seat has an offer of a kind at its stop."""
    for _ in range(most):
        end_round(session)
        if session.is_open(seat):
            for offer in session.packet(seat).offers:
                if offer["kind"] == kind:
                    return offer
    raise AssertionError(f"no {kind} reached seat {seat}")


def test_a_bid_on_a_seats_player_reaches_its_owner_and_goes_through_whole() -> None:
    session = arena_at(4)
    enrich(session, 0)
    player = own(session, 0, seat=1)
    answer = bid_for(session, 0, player, 30.0, instalments=1)
    assert answer.data["status"] == "lodged"
    assert "C02" in answer.message
    offer = until_offer(session, 1, "bid_received")
    assert (offer["player"], offer["club"], offer["fee_m"], offer["instalments"]) == (player, "C01", 30.0, 1)
    assert (
        session.call("respond_to_offer", {"offer_id": offer["id"], "response": "accept"}, 1).data["status"] == "lodged"
    )
    assert club_of(session, player) == 1
    fee = until_offer(session, 0, "fee_agreed")
    assert (fee["player"], fee["fee_m"], fee["instalments"]) == (player, 30.0, 1)
    cashes = cash(session, 0), cash(session, 1)
    debts = int(session.world.w.n_debts)
    assert session.call("respond_to_offer", {"offer_id": fee["id"], "response": "accept"}, 0).data["status"] == "lodged"
    day = int(session.world.w.day)
    end_round(session)
    w = session.world.w
    pl = w.players[slot_of(session, player)]
    assert (pl.club, pl.joined, pl.wage) == (0, day, round(fee["wage_m_per_year"] * 1000))
    assert w.clubs[0].ledger[0, 8] == -15_000
    assert w.clubs[1].ledger[0, 5] == 15_000
    assert int(w.n_debts) == debts + 1
    assert cash(session, 0) < cashes[0] and cash(session, 1) > cashes[1] - 5_000
    assert any(kind == Inbox.TRANSFER_COMPLETED for kind, _ in events(session, 1))


def test_a_counter_binds_who_made_it() -> None:
    session = arena_at(4)
    enrich(session, 0)
    player = own(session, 0, seat=1)
    bid_for(session, 0, player, 30.0)
    offer = until_offer(session, 1, "bid_received")
    reply = {"offer_id": offer["id"], "response": "counter", "amount_m": 40}
    assert session.call("respond_to_offer", reply, 1).data["status"] == "lodged"
    counter = until_offer(session, 0, "bid_countered")
    assert (counter["fee_m"], counter["club"]) == (40.0, "C02")
    taken = session.call("respond_to_offer", {"offer_id": counter["id"], "response": "accept_counter"}, 0)
    assert taken.data["status"] == "accepted"
    agreed = next(o for o in session.packet(0).offers if o["kind"] == "fee_agreed")
    assert session.call("respond_to_offer", {"offer_id": agreed["id"], "response": "accept"}, 0).ok
    end_round(session)
    assert club_of(session, player) == 0


def test_a_refused_bidder_is_told_and_talks_cool_down() -> None:
    session = arena_at(4)
    enrich(session, 0)
    player = own(session, 0, seat=1)
    bid_for(session, 0, player, 30.0)
    offer = until_offer(session, 1, "bid_received")
    session.call("respond_to_offer", {"offer_id": offer["id"], "response": "reject"}, 1)
    end_round(session)
    assert f"C02 turn down your bid for {session.packet(0).inbox[0].text.split(' for ')[1]}" in texts(session, 0)


def test_a_deal_that_cannot_be_done_leaves_everything_as_it_was() -> None:
    """The owner releases the man on the day the buyer signs: no money moves, no contract, the buyer is told."""
    session = arena_at(4)
    enrich(session, 0)
    player = own(session, 0, seat=1)
    bid_for(session, 0, player, 30.0)
    offer = until_offer(session, 1, "bid_received")
    session.call("respond_to_offer", {"offer_id": offer["id"], "response": "accept"}, 1)
    fee = until_offer(session, 0, "fee_agreed")
    w = session.world.w
    w.seats[1].waiting = 0  # give the owner a stop on the same day
    assert session.call("release_player", {"player_id": player}, 1).ok
    assert session.call("respond_to_offer", {"offer_id": fee["id"], "response": "accept"}, 0).data["status"] == "lodged"
    fees = int(w.clubs[0].ledger[0, 8])
    end_round(session)
    pl = session.world.w.players[slot_of(session, player)]
    assert (pl.club, pl.status) == (-1, Status.FREE)
    assert int(session.world.w.clubs[0].ledger[0, 8]) == fees
    assert any(player in text and "over" in text for text in texts(session, 0))


def test_two_sales_to_one_scripted_buyer_go_through_while_it_can_pay() -> None:
    """Bids of a club with cash for one of two: the dearer deal is done, the other seat is told."""
    session = arena_at(4, HALF)
    w, p = session.world.w, session.world.p
    w.clubs[12].cash = 25_000
    players = {}
    for seat, fee in ((0, 20_000), (1, 22_000)):
        players[seat] = own(session, 0, seat)
        number = int(players[seat][1:])
        i = market.add_offer(w, p, seat, int(OfferKind.BID_RECEIVED), int(OfferState.LIVE), 12, number, fee, 0, 0, 0)
        reply = {"offer_id": f"O{w.seats[seat].offers[i].id:05d}", "response": "accept"}
        assert session.call("respond_to_offer", reply, seat).data["status"] == "lodged"
    end_round(session)
    assert (club_of(session, players[0]), club_of(session, players[1])) == (0, 12)
    assert any("could not be carried out" in text for text in texts(session, 0))


# Order and secrecy


class Player:
    """A seat that draws legal-looking calls of every kind from what it is shown, by its own dice."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.rng = np.random.default_rng(seat)
        self.shown: list[str] = []

    def turn(self, session: Session) -> None:
        seat, rng = self.seat, self.rng
        self.stop = session.stop(seat)
        self.shown.append(self.stop.packet.to_json())
        names = ["market", "renew", "release", "list", "promote", "reply", "invest", "tactics", "advance"]
        getattr(self, "_" + str(rng.choice(names, p=[0.4, 0.08, 0.08, 0.08, 0.08, 0.12, 0.04, 0.04, 0.08])))(session)

    def _call(self, session: Session, name: str, **args: Any) -> Any:
        result = self.stop.call(name, **args)
        self.shown.append(result.to_json())
        return result

    def _row(self, rows: list[Any]) -> Any:
        return rows[int(self.rng.integers(len(rows)))] if rows else None

    def _market(self, session: Session) -> None:
        kind = str(self.rng.choice(["all", "free", "expiring", "listed"]))
        row = self._row(self._call(session, "get_transfer_market", kind=kind).data.get("players", []))
        if row is None:
            return
        if kind in ("all", "listed"):
            amount = round(row["value_m"] * float(self.rng.choice([0.8, 1.2, 2.0])) + 0.1, 2)
            bid = self._call(session, "make_transfer_offer", player_id=row["id"], amount_m=amount)
            if bid.ok and bid.data.get("status") != "accepted":
                return
        wage = round((row["wage_m"] or 1.0) * 1.5 + 0.1, 2)
        self._call(session, "offer_contract", player_id=row["id"], wage_m_per_year=wage, years=3)

    def _own(self, session: Session) -> Any:
        return self._row(self._call(session, "get_squad").data.get("players", []))

    def _renew(self, session: Session) -> None:
        if row := self._own(session):
            wage = round(row["wage_m"] * 1.3 + 0.1, 2)
            self._call(session, "offer_contract", player_id=row["id"], wage_m_per_year=wage, years=4)

    def _release(self, session: Session) -> None:
        if row := self._own(session):
            self._call(session, "release_player", player_id=row["id"])

    def _list(self, session: Session) -> None:
        if row := self._own(session):
            self._call(session, "list_player", player_id=row["id"])

    def _promote(self, session: Session) -> None:
        if row := self._row(self._call(session, "get_youth_academy").data.get("prospects", [])):
            tool = str(self.rng.choice(["promote_youth", "release_player"]))
            self._call(session, tool, player_id=row["id"])

    def _reply(self, session: Session) -> None:
        if row := self._row(self._call(session, "get_inbox").data.get("offers", [])):
            reply = str(self.rng.choice(["accept", "reject", "counter"]))
            more = {"amount_m": round(row["fee_m"] * 1.2 + 0.1, 2)} if reply == "counter" and "fee_m" in row else {}
            self._call(session, "respond_to_offer", offer_id=row["id"], response=reply, **more)

    def _invest(self, session: Session) -> None:
        self._call(session, "invest", facility=str(self.rng.choice(["academy", "training", "stadium"])))

    def _tactics(self, session: Session) -> None:
        self._call(session, "set_tactics", formation="4-3-3", style=str(self.rng.choice(["pressing", "counter"])))

    def _advance(self, session: Session) -> None:
        self._call(session, "advance")


def one_by_one(order: int) -> Any:
    """Seats play their whole stops one after another, up or down."""

    def round_(session: Session, players: list[Player]) -> None:
        day = int(session.world.w.day)
        for player in players[::order]:
            while session.is_open(player.seat) and int(session.world.w.day) == day:
                player.turn(session)

    return round_


def in_turns(session: Session, players: list[Player]) -> None:
    """Seats take a turn each until all have ended their stops."""
    day = int(session.world.w.day)
    while not session.finished and int(session.world.w.day) == day:
        for player in players:
            if session.is_open(player.seat) and int(session.world.w.day) == day:
                player.turn(session)


def played(
    round_: Any, seats: tuple[int, ...], sealed: bool = True, until: int = 200
) -> tuple[list[str], list[Player]]:
    """Digests at the rounds' ends, and the players with what they were shown."""
    session = arena_at(4, seats)
    session.world.w.sealed = session.world.w.frozen = int(sealed)
    players = [Player(seat) for seat in seats]
    digests = []
    while not session.finished and session.world.w.day < until:
        round_(session, players)
        digests.append(session.digest())
    return digests, players


@pytest.mark.parametrize("seats", [tuple(range(16)), HALF], ids=["sixteen", "eight"])
def test_the_order_in_which_seats_act_changes_nothing(seats: tuple[int, ...]) -> None:
    """Neither the world nor anything a seat is shown depends on who acts first, whole stops or turn by turn."""
    up, down, mixed = (played(way, seats) for way in (one_by_one(1), one_by_one(-1), in_turns))
    assert up[0] == down[0] == mixed[0]
    for a, b, c in zip(up[1], down[1], mixed[1], strict=True):
        assert a.shown == b.shown == c.shown


def test_the_order_would_show_in_a_world_that_is_not_sealed() -> None:
    """So the test above means something."""
    seats = tuple(range(16))
    assert played(one_by_one(1), seats, sealed=False, until=30)[0] != played(one_by_one(-1), seats, False, 30)[0]


def test_the_play_above_reaches_deals_of_every_kind() -> None:
    session = arena_at(4, HALF)
    players = [Player(seat) for seat in HALF]
    while session.world.w.day < 200:
        one_by_one(1)(session, players)
    shown = " ".join(text for player in players for text in player.shown)
    for sign in ("joined as a free agent", "joined from", "went to C", "turn down your bid", "talks are over"):
        assert sign in shown, sign


def disturb(session: Session, seats: list[int]) -> None:
    """Change all that other clubs may not know of these seats."""
    rng = np.random.default_rng(3)
    w, p = session.world.w, session.world.p
    for seat in seats:
        s, c = w.seats[seat], w.clubs[seat]
        session.notebooks[seat] = f"secret {seat}"
        for name in ("ability", "potential", "error", "potential_error"):
            s[name][:] = rng.uniform(1, 99, len(s[name]))
        for i in range(4):
            number = int(w.players[w.clubs[(seat + 1) % 16].squad[i]].uid)
            market.add_offer(w, p, seat, int(OfferKind(i)), int(OfferState.LIVE), 0, number, 9_000, 0, 500, 2)
            c.talks[i].uid, c.talks[i].rise, c.talks[i].cooldown = number, 0.5, w.day + 90
        s.orders[0].active, s.negotiations, s.queries = 1, 3, 7
        c.cash, c.confidence, c.target, c.formation, c.style = 1, 20.0, 16, 2, 3
        c.levels[:] = 5
        own_players = w.players["club"] == seat
        for name in ("own_ability", "own_potential"):
            w.players[name][own_players] = rng.uniform(40, 99, int(own_players.sum()))
    session.world.array["pairs"]["markup"][0][np.ix_(seats, seats)] = 0.9


def shown_to(session: Session, seat: int) -> list[str]:
    """All that a seat can be shown at its stop, actions that open offers included."""
    stop = session.stop(seat)
    calls = everything(stop)
    squads = [uid(session, int(session.world.w.clubs[club].squad[0])) for club in range(16) if club != seat]
    calls += [("get_player", {"player_id": player}) for player in squads]
    calls += [("offer_contract", {"player_id": player, "wage_m_per_year": 1, "years": 3}) for player in squads]
    out = [stop.packet.to_json(), stop.packet.to_text()]
    out += [result.to_json() for call in calls for result in session.turn([call], seat)]
    out += [session.call(name, {}, seat).to_json() for name in ("get_inbox", "get_finances")]
    return [*out, session.packet(seat).to_json(), str(session.result(seat))]


@pytest.mark.parametrize("day", [4, 180, 304])
def test_nothing_secret_of_another_seat_changes_what_a_seat_is_shown(day: int) -> None:
    plain = arena_at(day)
    for pl in plain.world.w.players[:200]:  # some can be signed for the time after their contracts
        if pl.status == Status.SENIOR and pl.uid % 3 == 0:
            pl.contract_end = plain.world.w.day + 100
    post(plain)
    disturbed = plain.copy()
    disturb(disturbed, list(range(1, 16)))
    assert disturbed.digest() != plain.digest()
    assert [(a, b) for a, b in zip(shown_to(plain, 0), shown_to(disturbed, 0), strict=True) if a != b] == []


def test_the_beliefs_of_scripted_owners_do_move_what_players_want() -> None:
    """In the reservation wage a seat's beliefs are left out, a scripted club's are not: the secrecy has a subject."""
    w, p = (session := arena_at(4, HALF)).world.w, session.world.p
    for club, moved in ((1, False), (12, True)):
        slot = int(w.clubs[club].squad[0])
        before = contracts.reservation(w, p, 0, slot)
        w.players[slot].own_ability += 10.0
        assert (contracts.reservation(w, p, 0, slot) != before) == moved


def test_what_a_seat_does_now_is_not_known_to_others_until_the_day_ends() -> None:
    session = arena_at(4)
    listed, sacked, renewed = (own(session, i, seat=1) for i in range(3))
    quiet = session.copy()
    promoted = uid(session, int(session.world.w.clubs[1].academy[0]))
    calls = [
        ("list_player", {"player_id": listed}),
        ("release_player", {"player_id": sacked}),
        ("offer_contract", {"player_id": renewed, "wage_m_per_year": 9, "years": 5}),
        ("promote_youth", {"player_id": promoted}),
    ]
    for name, args in calls:
        assert session.call(name, args, seat=1).ok, name
    asked = [listed, sacked, renewed, promoted]

    def view(s: Session, seat: int) -> list[str]:
        s = s.copy()
        answers = [s.call("get_player", {"player_id": player}, seat).to_json() for player in asked]
        answers += [s.call("get_transfer_market", {"kind": kind}, seat).to_json() for kind in ("listed", "free", "all")]
        return [*answers, s.call("get_history", {"kind": "transfers"}, seat).to_json()]

    assert view(session, 0) == view(quiet, 0)
    assert view(session, 1) != view(quiet, 1)
    for s in (session, quiet):
        end_round(s)
    assert view(session, 0) != view(quiet, 0)


# Stops, deaths, seats


def test_an_event_stop_of_one_seat_does_not_stop_another() -> None:
    session = arena_at(4)
    enrich(session, 0)
    bid_for(session, 0, own(session, 0, seat=1), 30.0)
    end_round(session)
    assert session.open_seats == [1]
    assert session.call("get_squad", seat=0).error == "WAITING"
    assert session.packet(1).kinds == ["offer_batch"]


def test_a_seat_at_its_turn_cap_is_advanced() -> None:
    session = arena_at(4)
    for seat in session.open_seats[1:]:
        session.call("advance", seat=seat)
    day = int(session.world.w.day)
    for _ in range(session.world.params.stop.last_turn):
        assert int(session.world.w.day) == day
        session.call("get_squad", seat=0)
    assert int(session.world.w.day) > day


def test_a_seat_whose_revivals_are_spent_keeps_its_score_and_its_club_goes_on() -> None:
    session = Session.open(1, seasons=6, draft="auto", track=ARENA)
    while session.world.w.seats[0].settled == Settle.LIVE:
        session.world.w.clubs[0].confidence = 0.0
        end_round(session)
    w = session.world.w
    frozen, played_then = session.score(0), int(w.day)
    assert (w.clubs[0].deaths, w.clubs[0].seat, w.clubs[0].unmanned) == (4, -1, 1)
    assert 0 not in session.open_seats
    while not session.finished and w.day < played_then + 400:
        end_round(session)
    assert session.score(0) == frozen
    assert w.clubs[0].n_squad >= 16
    assert w.clubs[0].played > 0


def test_seats_that_nobody_holds_are_run_by_scripts() -> None:
    session = Session.open(1, seasons=1, draft="auto", track=ARENA, seats=(3, 7))
    assert session.seats == [3, 7]
    assert [int(c.seat) for c in session.world.w.clubs] == [3 if i == 3 else 7 if i == 7 else -1 for i in range(16)]
    while not session.finished:
        end_round(session)
    assert [session.result(seat)["settle"] for seat in (3, 7)] == ["completed", "completed"]


@pytest.mark.parametrize("seats", [(), (16,), (-1,), (1, 1), ("0",), (True,)])
def test_wrong_seats_are_refused(seats: tuple[Any, ...]) -> None:
    with pytest.raises(BadInput, match="seats"):
        Session.open(1, track=ARENA, seats=seats)
