"""Which players the market rows show: chosen once when a stop opens, from what the seat is shown.

First those it is dealing for, then (window open) the two best buys for each position, then the best bargains:
free agents, players who can sign for the time after their contract, listed ones. A row keeps its player for the
whole stop.
"""

import numpy as np

from fmgym.calendar import age, window_open
from fmgym.enums import N_POSITIONS, OfferKind, OfferState, Status
from fmgym.jit import njit
from fmgym.kernels import actions, contracts, market, roster, scouting, talks
from fmgym.kernels.valuation import youth_weight

TARGETS = 2  # best buys shown for each position
REACH = 2  # dearer players than so many times the seat's cash are left out
NOTHING = -1e9


@njit
def choose(w, p, seat, rows):
    """Fill ``rows`` with the uids of players the seat may deal for, 0 where there are no more."""
    rows[:] = 0
    if actions.in_draft(w, seat):
        return
    n = _dealing(w, seat, rows)
    target = np.full(N_POSITIONS * TARGETS, -1, np.int64)
    bargain = np.full(len(rows), -1, np.int64)
    _rank(w, p, seat, target, bargain)
    n = _append(w, rows, n, target)
    _append(w, rows, n, bargain)


@njit
def _append(w, rows, n, slots):
    """Add players who are not on a row yet, while there is room."""
    for i in range(len(slots)):
        if n == len(rows) or slots[i] < 0:
            continue
        uid = w.players[slots[i]].uid
        known = False
        for j in range(n):
            known = known or rows[j] == uid
        if not known:
            rows[n] = uid
            n += 1
    return n


@njit
def _dealing(w, seat, rows):
    """Players of other clubs, or of none, about whom the seat has a live offer."""
    s = w.seats[seat]
    n = 0
    for i in range(len(s.offers)):
        o = s.offers[i]
        if o.state != OfferState.LIVE or o.kind == OfferKind.BID_RECEIVED or n == len(rows):
            continue
        slot = roster.slot_of(w, o.uid)
        if slot < 0 or w.players[slot].club == s.club:
            continue
        known = False
        for j in range(n):
            known = known or rows[j] == o.uid
        if not known:
            rows[n] = o.uid
            n += 1
    return n


@njit
def _rank(w, p, seat, target, bargain):
    """The best buys by position, ``TARGETS`` each, and the best bargains, best first."""
    s = w.seats[seat]
    cash = w.clubs[s.club].cash
    level = np.empty(N_POSITIONS, np.float64)
    _levels(w, p, seat, level)
    gains = np.full(len(w.players), NOTHING, np.float64)
    opened = window_open(p, w.day) > 0
    cooling = talks.cooling(w, s.club) > 0
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.club == s.club or not (pl.status == Status.SENIOR or pl.status == Status.FREE):
            continue
        free = pl.status == Status.FREE or contracts.can_precontract(w, p, s.club, slot)
        buyable = (
            opened and pl.status == Status.SENIOR and market.for_sale(w, p, s.club, slot) and pl.value <= REACH * cash
        )
        if not free and not buyable:
            continue
        gains[slot] = seen(w, p, seat, slot, p.manager.potential) - level[pl.position]
        if not free:
            gains[slot] -= p.manager.thrift * pl.value / max(cash, 1)
        if buyable and not free:
            _insert(w, s.club, gains, target[pl.position * TARGETS : (pl.position + 1) * TARGETS], slot, cooling)
        if free or pl.listed == 1:
            _insert(w, s.club, gains, bargain, slot, cooling)


@njit
def _insert(w, club, gains, ranking, slot, cooling):
    """Put a slot into a ranking by gain, unless it is full of better ones or talks with him are off.

    ``cooling``: whether the club has any talks that are.
    """
    last = ranking[len(ranking) - 1]
    if last >= 0 and gains[last] >= gains[slot]:
        return
    uid = w.players[slot].uid
    if cooling and (talks.fee_cooling(w, club, uid) or talks.wage_cooling(w, club, uid)):
        return
    i = len(ranking) - 1
    while i > 0 and (ranking[i - 1] < 0 or gains[ranking[i - 1]] < gains[slot]):
        ranking[i] = ranking[i - 1]
        i -= 1
    ranking[i] = slot


@njit
def seen(w, p, seat, slot, weight):
    """How good the seat would take a player to be, as shown: band's middle, and ``weight`` of a young one's stars."""
    s = w.seats[seat]
    low, high = scouting.band(p, s.ability[slot], s.error[slot])
    ability = 0.5 * (low + high)
    gap = max(scouting.star_middle(p, s.potential[slot]) - ability, 0.0)
    return ability + weight * gap * youth_weight(p, age(w.day, w.players[slot].born))


@njit
def _levels(w, p, seat, level):
    """Fill ``level`` with the weakest of the seat's starters for each position."""
    c = w.clubs[w.seats[seat].club]
    worth = np.empty(c.n_squad, np.float64)
    for i in range(c.n_squad):
        worth[i] = seen(w, p, seat, c.squad[i], p.manager.potential)
    weakest(w, p, c, worth, level)


@njit
def weakest(w, p, c, worth, level):
    """For each position the n-th best of a squad by ``worth`` (place in the squad), n half the wished depth."""
    for position in range(N_POSITIONS):
        ceiling = 200.0
        for _ in range((p.manager.depth[position] + 1) // 2):
            best = p.manager.empty_level
            for i in range(c.n_squad):
                if w.players[c.squad[i]].position == position and best < worth[i] < ceiling:
                    best = worth[i]
            ceiling = best
        level[position] = ceiling
