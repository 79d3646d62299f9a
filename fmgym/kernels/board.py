"""The board: season targets, confidence, warnings, firing; insolvency, administration, revival.

Targets scale with squad strength; results and finances are judged together (paper, section 3.1). Boards
judge seats only: scripted managers are kept for the whole run.
"""

import numpy as np

from fmgym.calendar import day_of_year
from fmgym.enums import Inbox, Ledger, Move, Settle, StopKind
from fmgym.jit import njit
from fmgym.kernels import contracts, finance, inbox, market
from fmgym.kernels.lineup import best_eleven_strength
from fmgym.kernels.money import book, inflation, owe, thousands
from fmgym.score import settle
from fmgym.state import YEAR


@njit
def set_targets(w, p):
    """Preseason: every club's target place from its strength rank and a cushion."""
    clubs = len(w.clubs)
    strength = np.zeros(clubs, np.float64)
    for club in range(clubs):
        strength[club] = best_eleven_strength(w, p, club)
    for club in range(clubs):
        rank = 1
        for other in range(clubs):
            if strength[other] > strength[club] + p.board.stronger:
                rank += 1
        easiest = max(int(p.board.target_worst * clubs + 0.5), 1)
        floor = max(rank, p.board.target_floor)
        w.clubs[club].target = min(floor + p.board.target_cushion, easiest)
        inbox.tell(w, club, Inbox.BOARD_TARGET, w.clubs[club].target, 0, 0)


@njit
def review_due(w, p):
    """Whether the boards review today."""
    doy = day_of_year(w.day)
    for i in range(len(p.board.reviews)):
        if p.board.reviews[i] == doy:
            return True
    return False


@njit
def review(w, p, seat):
    """One review of a seat: results against target, wages against revenue, cash."""
    c = w.clubs[w.seats[seat].club]
    b = p.board
    gap = max(c.target - c.position, -b.worst)
    change = b.gain * gap if gap > 0 else b.loss * gap
    over = finance.wage_ratio(w, p, w.seats[seat].club) - b.wage_ratio
    if over > 0.0:
        change -= b.wage_loss * over
    if c.cash < 0:
        change -= b.debt_loss
    change += b.drift * (b.start - c.confidence)
    c.confidence = min(max(c.confidence + change, 0.0), 100.0)


@njit
def judge(w, p):
    """The day's verdicts for every live seat: warnings, firing, insolvency."""
    reviewing = review_due(w, p)
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        if s.settled != Settle.LIVE:
            continue
        if reviewing:
            review(w, p, seat)
        _watch_cash(w, p, seat)
        if s.settled == Settle.LIVE:
            _watch_confidence(w, p, seat, reviewing)


@njit
def _watch_confidence(w, p, seat, reviewing):
    s = w.seats[seat]
    c = w.clubs[s.club]
    if c.confidence < p.board.fire_once or (reviewing and c.confidence < p.board.fire_review):
        die(w, p, seat, Settle.FIRED)
    elif reviewing and c.confidence < p.board.warn:
        inbox.tell(w, s.club, Inbox.BOARD_WARNING, int(c.confidence), c.position, c.target)
        if w.season != c.warned_board - 1:
            inbox.stop(w, s.club, StopKind.BOARD_WARNING)
        c.warned_board = w.season + 1


@njit
def _watch_cash(w, p, seat):
    """Warnings at 60 and 30 days of runway; negative cash for too long is insolvency."""
    s = w.seats[seat]
    c = w.clubs[s.club]
    if c.cash < 0:
        if c.negative_since < 0:
            c.negative_since = w.day
        if w.day - c.negative_since >= p.ruin.grace:
            die(w, p, seat, Settle.INSOLVENT)
            return
    else:
        c.negative_since = -1
    if w.day % 5 != 0:
        return
    left = finance.runway(w, p, s.club)
    stage = 0
    for i in range(len(p.ruin.runway_days)):
        if left <= p.ruin.runway_days[i]:
            stage = i + 1
    if stage > c.warned_runway:
        inbox.tell(w, s.club, Inbox.INSOLVENCY_WARNING, left, 0, 0)
        inbox.stop(w, s.club, StopKind.INSOLVENCY_WARNING)
    if stage > c.warned_runway or left > 2 * p.ruin.runway_days[0]:
        c.warned_runway = stage


@njit
def die(w, p, seat, how):
    """A seat is fired or insolvent: honors lost, then a revival if one is left, else the run settles."""
    s = w.seats[seat]
    c = w.clubs[s.club]
    c.deaths += 1
    c.honors -= p.ruin.honors
    if how == Settle.INSOLVENT:
        administer(w, p, s.club)
        inbox.tell(w, s.club, Inbox.ADMINISTRATION, p.ruin.deduction, 0, 0)
        inbox.stop(w, s.club, StopKind.ADMINISTRATION)
    if s.revivals == p.ruin.revivals:
        settle(w, p, seat, how)
        _leave_unmanned(c)
        return
    _revive(w, p, seat)


@njit
def _leave_unmanned(c):
    """The club goes on by default handling: nobody buys, renews or decides, and bids meet its asks."""
    c.seat = -1
    c.unmanned = 1
    c.lineup_auto = 1


@njit
def _revive(w, p, seat):
    """The same club with a new board's patience and enough cash, which is owed (paper, section 4.2)."""
    s = w.seats[seat]
    c = w.clubs[s.club]
    s.revivals += 1
    c.confidence = p.ruin.confidence
    c.negative_since = -1
    c.warned_runway = 0
    c.warned_board = 0
    short = thousands(p.ruin.cash * inflation(p, w.day)) - c.cash
    if short > 0:
        years = p.ruin.loan_years
        part = short // years
        book(w, s.club, Ledger.GRANTS, short)
        owe(w, s.club, -1, part, years, w.day + YEAR)
    inbox.tell(w, s.club, Inbox.REVIVAL, s.revivals, p.ruin.revivals, max(short, 0))
    inbox.stop(w, s.club, StopKind.REVIVAL)


@njit
def administer(w, p, club):
    """Administration: points deducted and players sold by force until cash is positive."""
    c = w.clubs[club]
    c.administered = w.season + 1
    c.deduction += p.ruin.deduction
    c.points -= p.ruin.deduction
    for _ in range(p.ruin.forced_most):
        if c.cash >= 0 or c.n_squad <= p.market.squad_min:
            return
        if not _force_sale(w, p, club):
            return


@njit
def _force_sale(w, p, club):
    """Sell the most valuable player to the richest club with room, under value. False if nobody can pay."""
    c = w.clubs[club]
    slot = c.squad[0]
    for i in range(1, c.n_squad):
        if w.players[c.squad[i]].value > w.players[slot].value:
            slot = c.squad[i]
    buyer = -1
    for other in range(len(w.clubs)):
        o = w.clubs[other]
        if other == club or o.seat >= 0 or o.n_squad >= p.market.squad_max:
            continue
        if buyer < 0 or o.cash > w.clubs[buyer].cash:
            buyer = other
    if buyer < 0:
        return False
    fee = min(thousands(p.ruin.forced * w.players[slot].value), w.clubs[buyer].cash)
    if fee <= 0:
        return False
    pl = w.players[slot]
    book(w, buyer, Ledger.FEES, -fee)
    book(w, club, Ledger.SALES, fee)
    wage = pl.wage
    contracts.join(w, p, buyer, slot, wage, max(pl.contract_end, contracts.end_of(w, 2)), fee, Move.FORCED)
    market.drop_offers(w, pl.uid, buyer)
    inbox.tell(w, club, Inbox.TRANSFER_COMPLETED, pl.uid, buyer, fee)
    return True


@njit
def bail_out(w, p):
    """Scripted clubs in the red at year's end: administration, and owners cover what is left."""
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        if c.seat < 0 and c.cash < 0:
            administer(w, p, club)
            if c.cash < 0:
                book(w, club, Ledger.GRANTS, -c.cash)
