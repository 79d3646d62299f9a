"""Sessions at known points, opened once and handed out as copies, and a seat that tries everything."""

from __future__ import annotations

import functools
from typing import Any

from fmgym.enums import Inbox, OfferKind, OfferState
from fmgym.kernels import market, roster
from fmgym.session import Session
from fmgym.stop import Stop
from fmgym.tools import TOOLS
from fmgym.tracks.arena import ARENA


@functools.cache
def _at(day: int, draft: str, seasons: int) -> Session:
    session = Session.open(1, seasons=seasons, draft=draft)
    while session.world.w.day < day and not session.finished:
        session.call("advance")
    return session


def session_at(day: int = 4, draft: str = "auto", seasons: int = 2) -> Session:
    """A session of seed 1 at its first stop from ``day`` (day 4: the summer window opens)."""
    return _at(day, draft, seasons).copy()


def drafting() -> Session:
    """A session that waits for the draft."""
    return session_at(0, "agent")


@functools.cache
def _arena_at(day: int, seats: tuple[int, ...]) -> Session:
    session = Session.open(1, seasons=2, draft="auto", track=ARENA, seats=seats)
    while session.world.w.day < day and not session.finished:
        end_round(session)
    return session


def arena_at(day: int = 4, seats: tuple[int, ...] = tuple(range(16))) -> Session:
    """An Arena of seed 1 at its first stop from ``day``, nobody having acted (day 4: the summer window opens)."""
    return _arena_at(day, seats).copy()


def end_round(session: Session) -> None:
    """Every seat that has a stop ends it, and the world moves on."""
    for seat in session.open_seats:
        session.call("advance", seat=seat)


def own(session: Session, i: int = 0, seat: int = 0) -> str:
    """The id of a senior of a seat."""
    w = session.world.w
    return f"P{w.players[w.clubs[seat].squad[i]].uid:05d}"


def prospect(session: Session) -> str:
    """The id of a prospect of seat 0."""
    w = session.world.w
    return f"P{w.players[w.clubs[0].academy[0]].uid:05d}"


def target(session: Session, club: int = 1) -> int:
    """The slot of a senior of another club who is neither listed nor promised away."""
    w = session.world.w
    return next(int(s) for s in w.clubs[club].squad if w.players[s].next_club < 0)


def uid(session: Session, slot: int) -> str:
    return f"P{session.world.w.players[slot].uid:05d}"


def ask(session: Session, slot: int) -> float:
    """What the owner of a player asks seat 0, in millions. Tests may look behind the curtain."""
    return int(market.ask(session.world.w, session.world.p, 0, slot)) / 1000


def release(session: Session, club: int = 1) -> str:
    """Make a free agent of another club's senior; his id."""
    slot = target(session, club)
    roster.make_free(session.world.w, slot)
    return uid(session, slot)


def put_offer(session: Session, kind: OfferKind, slot: int, **fields: int) -> str:
    """Put a live offer about a player into seat 0's list; its id."""
    w, p = session.world.w, session.world.p
    i = market.add_offer(w, p, 0, int(kind), int(OfferState.LIVE), 1, w.players[slot].uid, 5000, 0, 500, 2)
    for name, value in fields.items():
        w.seats[0].offers[i][name] = value
    return f"O{w.seats[0].offers[i].id:05d}"


def put_event(session: Session, kind: Inbox, a: int = 0, b: int = 0, c: int = 0) -> None:
    """Put an event into seat 0's inbox."""
    s = session.world.w.seats[0]
    e = s.inbox[s.n_inbox]
    e.kind, e.day, e.a, e.b, e.c = int(kind), session.world.w.day, a, b, c
    s.n_inbox += 1


def everything(stop: Stop) -> list[tuple[str, dict[str, Any]]]:
    """A call of every query tool (with ids that exist), and of some actions that may be refused."""
    squad = stop.call("get_squad").data["players"]
    found = stop.call("get_transfer_market", kind="all").data["players"]
    calls = [
        (name, {}) for name, spec in TOOLS.items() if spec.kind == "query" and not any(a.required for a in spec.args)
    ]
    calls += [("get_history", {"kind": kind}) for kind in ("honors", "seasons", "transfers")]
    calls += [("get_player", {"player_id": row["id"]}) for row in (*squad[:2], *found[:2])]
    for row in found[:3]:
        calls.append(("make_transfer_offer", {"player_id": row["id"], "amount_m": round(row["value_m"], 2) + 0.1}))
        calls.append(("offer_contract", {"player_id": row["id"], "wage_m_per_year": 9, "years": 3}))
    for row in squad[:2]:
        calls.append(("offer_contract", {"player_id": row["id"], "wage_m_per_year": row["wage_m"] or 1, "years": 4}))
        calls.append(("list_player", {"player_id": row["id"]}))
    return [*calls, ("invest", {"facility": "academy"}), ("append_note", {"text": f"stop {stop.number}"})]
