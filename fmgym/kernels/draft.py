"""The draft: what clubs believe of templates, scripted picks, completing short lists, hiring copies.

Every club picks from the same pool on the same budget; picks are independent copies (paper, section 3.1).
"""

import numpy as np

from fmgym.calendar import year_end
from fmgym.detmath import exp
from fmgym.enums import N_POSITIONS, Domain, Ledger, Status
from fmgym.jit import njit
from fmgym.kernels import academy, roster, scouting
from fmgym.kernels.lineup import mark_first_choice
from fmgym.kernels.money import book
from fmgym.kernels.valuation import youth_weight
from fmgym.rng import below, key, normal
from fmgym.state import YEAR


@njit
def report(w, p, club, t, which):
    """A club's scouts' report on a template's ability (which 0) or potential (1)."""
    tm = w.templates[t]
    error = p.scouting.bias * normal(key(w.seed, Domain.SCOUT_BIAS, t, len(w.clubs) + 1 + club), which)
    if which == 0:
        return tm.ability + error
    return tm.potential + error * p.scouting.potential


@njit
def picks_for(w, p, club, picks):
    """The picks of a scripted manager: the best believed squad over several price weights.

    Fills ``picks`` with template numbers and returns how many.
    """
    trial = np.zeros(len(w.templates), np.int64)
    belief = np.zeros(len(w.templates), np.float64)
    for t in range(len(w.templates)):
        ability = report(w, p, club, t, 0)
        gap = max(report(w, p, club, t, 1) - ability, 0.0)
        belief[t] = ability + 0.4 * gap * youth_weight(p, float(w.templates[t].age))
    best = -1e9
    n_best = 0
    for step in range(10):
        weight = 0.0002 * exp(0.35 * step)
        n = greedy(w, p, belief, weight, trial)
        quality = squad_quality(belief, trial, n)
        if quality > best:
            best = quality
            n_best = n
            for i in range(n):
                picks[i] = trial[i]
    return n_best


@njit
def squad_quality(belief, picks, n):
    total = 0.0
    for i in range(n):
        total += exp(0.06 * belief[picks[i]])
    return total


@njit
def greedy(w, p, belief, weight, picks):
    """Take the best of belief - weight x price again and again while a full squad stays affordable."""
    taken = np.zeros(len(w.templates), np.int64)
    count = np.zeros(len(p.manager.depth), np.int64)
    budget = p.draft.budget
    for n in range(p.draft.squad):
        reserve = (p.draft.squad - n - 1) * 2 * _cheapest_price(w, taken)
        best = -1
        best_gain = 0.0
        for t in range(len(w.templates)):
            tm = w.templates[t]
            full = count[tm.position] > p.manager.depth[tm.position]
            if taken[t] == 1 or full or tm.price + reserve > budget:
                continue
            gain = belief[t] - weight * tm.price
            if best < 0 or gain > best_gain:
                best = t
                best_gain = gain
        if best < 0:
            return n
        picks[n] = best
        taken[best] = 1
        count[w.templates[best].position] += 1
        budget -= w.templates[best].price
    return p.draft.squad


@njit
def _cheapest_price(w, taken):
    least = 1 << 40
    for t in range(len(w.templates)):
        if taken[t] == 0:
            least = min(least, w.templates[t].price)
    return least


@njit
def complete_draft(w, p, picks, n):
    """Complete a short list with the cheapest templates that leave a playable squad. Returns the count."""
    orders = price_orders(w)
    taken, count = tally(w, picks, n)
    return complete(w, p, orders, taken, count, picks, n)


@njit
def price_orders(w):
    """Template numbers from the cheapest up, position by position (row 0) and over all (row 1)."""
    orders = np.empty((2, len(w.templates)), np.int64)
    for t in range(len(w.templates)):
        tm = w.templates[t]
        for row in range(2):
            i = t
            while i > 0 and _dearer(w.templates[orders[row, i - 1]], tm, row):
                orders[row, i] = orders[row, i - 1]
                i -= 1
            orders[row, i] = t
    return orders


@njit
def _dearer(a, b, row):
    """Whether template ``a`` comes after ``b`` in an order; equal prices keep theirs."""
    if row == 0 and a.position != b.position:
        return a.position > b.position
    return a.price > b.price


@njit
def tally(w, picks, n):
    """Which templates a list takes, and how many it has at each position."""
    taken = np.zeros(len(w.templates), np.int64)
    count = np.zeros(N_POSITIONS, np.int64)
    for i in range(n):
        taken[picks[i]] = 1
        count[w.templates[picks[i]].position] += 1
    return taken, count


@njit
def complete(w, p, orders, taken, count, picks, n):
    """``complete_draft`` with its orders and tallies at hand; it keeps the tallies up to date.

    The first ``n`` of ``picks`` are not read, only their tallies are.
    """
    for i in range(len(w.templates)):
        t = orders[0, i]
        position = w.templates[t].position
        floor = (p.manager.depth[position] + 1) // 2
        if n < p.draft.squad and count[position] < floor and taken[t] == 0:
            n = _take(taken, count, picks, n, t, position)
    for i in range(len(w.templates)):
        if n == p.draft.squad:
            break
        t = orders[1, i]
        if taken[t] == 0:
            n = _take(taken, count, picks, n, t, w.templates[t].position)
    return n


@njit
def _take(taken, count, picks, n, t, position):
    picks[n] = t
    taken[t] = 1
    count[position] += 1
    return n + 1


@njit
def hire(w, p, club, picks, n):
    """Copies of the picked templates join the club; what is left of the budget is its opening cash."""
    spent = 0
    for i in range(n):
        spent += w.templates[picks[i]].price
        _copy_template(w, p, club, picks[i])
    book(w, club, Ledger.OPENING, p.draft.budget + p.draft.stipend - spent)
    mark_first_choice(w, p, club)


@njit
def _copy_template(w, p, club, t):
    tm = w.templates[t]
    slot = roster.take_slot(w)
    pl = w.players[slot]
    pl.position = tm.position
    birthday = below(key(w.seed, Domain.TRAITS, pl.uid, 1), 0, YEAR)
    pl.born = -tm.age * YEAR - birthday
    academy.hidden_traits(w, p, slot, tm.ability, tm.potential)
    academy.fresh(w, slot)
    pl.club = -1
    pl.status = Status.EMPTY.value
    roster.make_senior(w, slot, club, tm.wage, year_end(tm.years - 1), tm.price)
    pl.joined = -YEAR  # nobody has only just joined when the world opens
    scouting.refresh_player(w, p, slot)
