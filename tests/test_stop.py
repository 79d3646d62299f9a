"""The packet and its text, results as text, and the stop as policies play it."""

from __future__ import annotations

import json
import random

import pytest

from fmgym.enums import Inbox, OfferKind, StopKind
from fmgym.names import word
from fmgym.session import Session
from fmgym.stop import MOST_CHARS, Packet, Result

from .sessions import drafting, everything, put_event, put_offer, session_at, target
from .test_views import facts

TOKEN = 4  # characters


def test_packet_has_what_a_stop_delivers() -> None:
    session = session_at()
    session.call("append_note", {"text": "Plan."})
    session.call("set_tactics", {"formation": "4-3-3", "style": "counter"})
    packet = session.packet()
    assert packet.kinds == ["summer_plan"]
    assert packet.date == "Y01-D005"
    assert packet.notebook == "Plan."
    assert packet.recent[-1].args == {"formation": "4-3-3", "style": "counter"}
    assert packet.digest.window == "summer"
    assert packet.digest.next_fixture is not None
    assert packet.digest.score == round(session.score(), 2)
    assert (packet.budgets.turns, packet.budgets.queries, packet.budgets.negotiations) == (58, 30, 10)
    assert packet.turn_warning is None


def test_packet_is_json_too() -> None:
    session = session_at(89)
    data = json.loads(session.packet().to_json())
    assert data["digest"]["season"] == 1
    assert data["kinds"] == ["monthly_report"]


@pytest.mark.parametrize("kind", StopKind)
def test_every_kind_of_stop_is_named(kind: StopKind) -> None:
    session = session_at()
    session.world.w.seats[0].kinds = 1 << kind
    assert session.packet().kinds == [word(kind)]
    assert word(kind) in session.packet().to_text().splitlines()[0]


def test_draft_packet_says_what_to_do() -> None:
    assert "submit_draft" in drafting().packet().to_text()


def body(packet: Packet) -> str:
    """The text without the notebook."""
    return packet.to_text().partition("\nNOTEBOOK\n")[0]


def quiet(packet: Packet) -> bool:
    return len(packet.inbox) <= 3 and not packet.offers


def test_texts_keep_their_budgets_over_a_whole_run() -> None:
    """Twenty seasons with a seat that tries everything once in a while; every kind of calendar stop comes."""
    session = Session.open(5, draft="auto")
    chance = random.Random(1)
    seen: set[str] = set()
    quiet_ones = 0
    while not session.finished:
        packet = session.packet()
        seen |= set(packet.kinds)
        text = body(packet)
        assert len(text) <= MOST_CHARS
        if quiet(packet):
            quiet_ones += 1
            assert len(text) < 900 * TOKEN
        stop = session.stop()
        if chance.random() < 0.1:
            stop.turn(everything(stop))
        stop.call("advance")
        keep_alive(session)
    assert session.world.w.season == 19
    assert quiet_ones > 100
    assert {word(kind) for kind in range_of_calendar()} <= seen


def keep_alive(session: Session) -> None:
    """A board that never loses patience and owners who pay: the run goes its whole length."""
    c = session.world.w.clubs[0]
    c.confidence, c.cash = 60.0, max(c.cash, 20_000)


def range_of_calendar() -> list[StopKind]:
    return [StopKind(kind) for kind in range(StopKind.PRESEASON_BOARD, StopKind.YOUTH_INTAKE + 1)]


def test_a_flooded_stop_is_clipped_with_a_count() -> None:
    session = session_at()
    w = session.world.w
    c, s = w.clubs[0], w.seats[0]
    s.n_inbox = 0
    for i in range(len(s.inbox)):
        kind = list(Inbox)[i % len(Inbox)]
        put_event(session, kind, *facts(session)[kind])
    s.lost_inbox = 7
    for _ in range(len(s.offers)):
        put_offer(session, OfferKind.BID_RECEIVED, int(c.squad[0]), instalments=3)
    for slot in c.squad[: c.n_squad]:
        w.players[slot].injured_until = w.day + 50
    c.cash, c.confidence, c.wage_bill = -1, 10.0, 500_000
    for _ in range(10):
        session.call(
            "set_standing_order",
            {"place": 1, "condition": "contract_months_below", "threshold": 12, "action": "renew_contract"},
        )
    s.turns = 50
    packet = session.packet()
    text = body(packet)
    assert len(text) <= MOST_CHARS < 2500 * TOKEN
    shown = [line for line in text.splitlines() if line[:2] in ("! ", "- ")]
    assert f"... and {len(packet.inbox) - len(shown)} more, see get_inbox" in text
    assert "7 older events were lost" in text
    assert "... and 12 more, see get_inbox" in text
    required = sum(event.action_required for event in packet.inbox)
    assert sum(line.startswith("! ") for line in shown) == required


def test_results_read_as_tables() -> None:
    assert Result(False, "invest", "CASH_SHORT", "Too dear.").to_text() == "invest: ERROR CASH_SHORT. Too dear."
    data = {
        "a": 1.5,
        "b": None,
        "rows": [{"x": 1, "y": True}, {"x": 2, "z": "q"}],
        "c": {"d": 2},
        "e": [],
        "f": ["P1"],
    }
    lines = Result(True, "get_squad", data=data).to_text().splitlines()
    assert lines[0] == "get_squad: ok"
    assert lines[1:] == ["a: 1.5", "b: -", "rows:", "x|y|z", "1|yes|-", "2|-|q", "c: d 2", "e: none", "f: P1"]
    assert json.loads(Result(True, "advance").to_json())["ok"] is True


def test_stop_is_played_until_it_is_closed() -> None:
    session = session_at()
    stop = session.stop()
    assert (stop.open, stop.seed, stop.seat) == (True, 1, 0)
    number = stop.number
    assert stop.call("get_squad").ok
    assert stop.packet.budgets.queries == 29
    results = stop.turn([("invest", {"facility": "stadium"}), ("advance", {}), ("get_squad", {})])
    assert [r.error for r in results] == [None, None, "WAITING"]
    assert not stop.open
    before = session.digest()
    assert stop.call("advance").error == "WAITING"
    assert session.digest() == before
    assert session.stop().number == number + 1


def test_turns_warn_and_then_close_the_stop() -> None:
    session = session_at()
    stop = session.stop()
    for _ in range(39):
        stop.turn([])
    assert stop.packet.turn_warning is None
    stop.turn([])
    assert stop.packet.turn_warning == "20 turns left before this stop closes by itself"
    assert "WARNING: 20 turns left" in stop.packet.to_text()
    for _ in range(19):
        stop.turn([])
    assert stop.open
    stop.call("get_squad")
    assert not stop.open
    assert session.stop().number == stop.number + 1


def test_offers_about_free_agents_read_well() -> None:
    session = session_at()
    put_offer(session, OfferKind.WAGE_COUNTERED, target(session), club=-1)
    assert "(free agent) 0.5M a year for 2 years" in session.packet().to_text()
