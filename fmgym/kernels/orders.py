"""Standing orders: one threshold and a fixed action each, carried out between stops (paper, section 3.1).

They use the same checks and effects as the seat's own calls and spend no budget.
"""

import numpy as np

from fmgym.enums import (
    Condition,
    Error,
    Facility,
    Inbox,
    OfferKind,
    OfferState,
    OrderAction,
    Reply,
    Settle,
    Style,
    Tool,
)
from fmgym.jit import njit
from fmgym.kernels import actions, inbox, roster
from fmgym.kernels.condition import condition_now
from fmgym.kernels.money import thousands
from fmgym.kernels.valuation import contract_left
from fmgym.state import LINEUP, MAX_ARGS, ORDERS

MONTH = 30


@njit
def run(w, p):
    """Carry out every live seat's orders whose condition holds today."""
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        if s.settled != Settle.LIVE:
            continue
        for i in range(ORDERS):
            if s.orders[i].active == 1:
                _run_one(w, p, seat, i)


@njit
def _run_one(w, p, seat, i):
    o = w.seats[seat].orders[i]
    club = w.seats[seat].club
    if o.condition == Condition.OFFER_ABOVE_VALUE or o.condition == Condition.OFFER_BELOW_VALUE:
        _answer_offers(w, p, seat, i)
    elif o.condition == Condition.CONTRACT_MONTHS_BELOW:
        if w.day % MONTH == 0:
            _renew(w, p, seat, i)
    elif o.condition == Condition.CONDITION_BELOW:
        if w.clubs[club].lineup_auto == 0 and _tired(w, p, club, o.threshold):
            w.clubs[club].lineup_auto = 1
            w.clubs[club].rotate = 1
            _report(w, seat, i, 0)
    elif o.condition == Condition.CASH_ABOVE:
        if w.clubs[club].cash > 1000 * o.threshold:
            kind = o.action - OrderAction.INVEST_ACADEMY.value + Facility.ACADEMY.value
            _call(w, p, seat, i, Tool.INVEST.value, kind, 0, 0)
    elif w.clubs[club].confidence < o.threshold and w.clubs[club].style != Style.DEFENSIVE:
        actions.set_tactics(w, club, w.clubs[club].formation, Style.DEFENSIVE.value)
        _report(w, seat, i, 0)


@njit
def _report(w, seat, i, uid):
    """Count the order's work and tell its seat."""
    o = w.seats[seat].orders[i]
    o.fired += 1
    inbox.tell(w, w.seats[seat].club, Inbox.ORDER_EXECUTED, i, uid, o.action)


@njit
def _call(w, p, seat, i, tool, a, b, c):
    """A call as the seat itself would make it; quietly dropped when it is not legal now."""
    args = np.zeros(MAX_ARGS, np.int64)
    args[0] = a
    args[1] = b
    args[2] = c
    if actions.check_order_call(w, p, seat, tool, args) == Error.OK:
        uid = a if tool == Tool.OFFER_CONTRACT else 0
        actions.apply(w, p, seat, tool, args, 3)
        _report(w, seat, i, uid)


@njit
def _answer_offers(w, p, seat, i):
    s = w.seats[seat]
    order = s.orders[i]
    for j in range(len(s.offers)):
        o = s.offers[j]
        if o.state != OfferState.LIVE or o.kind != OfferKind.BID_RECEIVED:
            continue
        slot = roster.slot_of(w, o.uid)
        if slot < 0:
            continue
        line = w.players[slot].value * order.threshold // 100
        holds = o.fee >= line if order.condition == Condition.OFFER_ABOVE_VALUE else o.fee < line
        if holds:
            accept = order.action == OrderAction.ACCEPT_OFFER
            reply = Reply.ACCEPT.value if accept else Reply.REJECT.value
            _call(w, p, seat, i, Tool.RESPOND_TO_OFFER.value, o.id, reply, 0)


@njit
def _renew(w, p, seat, i):
    """Offer players whose contracts run down their wage and a share more."""
    c = w.clubs[w.seats[seat].club]
    months = w.seats[seat].orders[i].threshold
    for j in range(c.n_squad):
        slot = c.squad[j]
        pl = w.players[slot]
        if contract_left(w, slot) < months * MONTH:
            wage = thousands(pl.wage * p.stop.order_raise)
            _call(w, p, seat, i, Tool.OFFER_CONTRACT.value, pl.uid, wage, p.stop.order_years)


@njit
def _tired(w, p, club, threshold):
    c = w.clubs[club]
    for i in range(LINEUP):
        slot = roster.slot_of(w, c.lineup[i])
        if slot >= 0 and condition_now(w, p, slot) < threshold:
            return True
    return False
