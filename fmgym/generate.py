"""Making a world from a seed: template pool, shells of clubs, drafts, first academies, fixtures.

Everything here is a function of (parameters, seed, options); the draft picks of seats are the first
input from outside (paper, section 3.1).
"""

import numpy as np

from fmgym.calendar import year_end
from fmgym.detmath import exp, exp2
from fmgym.enums import N_FACILITIES, N_POSITIONS, Domain, Ledger, Status, StopKind, Tier
from fmgym.jit import njit
from fmgym.kernels import academy, roster, scouting
from fmgym.kernels.lineup import mark_first_choice
from fmgym.kernels.money import book, thousands
from fmgym.kernels.valuation import age_factor, group_of, youth_weight
from fmgym.rng import below, key, normal, uniform
from fmgym.state import YEAR

TIERED = 3  # the value of `opponents` for a mix of tiers; 0-2 make all opponents one tier


@njit
def build(w, p, seed, opponents, seasons, auto_draft):
    """Fill a zeroed world record. Seats 0..n-1 run clubs 0..n-1.

    ``auto_draft`` drafts for seats as a medium manager would; otherwise day 0 waits for their picks.
    """
    w.seed = seed
    w.last_day = seasons * YEAR - 1
    _template_pool(w, p)
    for club in range(len(w.clubs)):
        _shell(w, p, club)
    for seat in range(len(w.seats)):
        _take_seat(w, p, seat)
    picks = np.zeros(len(w.templates), np.int64)
    for club in range(len(w.clubs)):
        if w.clubs[club].seat < 0 or auto_draft:
            n = draft_for(w, p, club, picks)
            hire(w, p, club, picks, n)
    assign_tiers(w, opponents)
    for club in range(len(w.clubs)):
        academy.first_class(w, p, club)
    w.draft_open = 0 if auto_draft else len(w.seats)
    for seat in range(len(w.seats)):
        w.seats[seat].kinds = 1 << StopKind.DRAFT if w.draft_open else 0
        w.seats[seat].drafted = 1 - min(w.draft_open, 1)


@njit
def _template_pool(w, p):
    """The shared pool all clubs draft copies from."""
    d = p.draft
    total = 0
    for i in range(len(d.positions)):
        total += d.positions[i]
    for t in range(len(w.templates)):
        _template(w, p, t, _position_at(d.positions, t * total // len(w.templates)))


@njit
def _position_at(counts, index):
    for position in range(len(counts)):
        if index < counts[position]:
            return position
        index -= counts[position]
    return len(counts) - 1


@njit
def _template(w, p, t, position):
    d = p.draft
    k = key(w.seed, Domain.POOL, t, 0)
    tm = w.templates[t]
    tm.position = position
    young = uniform(k, 0) < d.young_share
    low = d.ages[0] if young else 24
    high = 23 if young else d.ages[1]
    tm.age = low + below(k, 1, high - low + 1)
    mature = d.ability[0] + d.ability[1] * normal(k, 2)
    gap = max(p.age.peak_start[group_of(position)] - tm.age, 0.0) * (0.5 + uniform(k, 3))
    tm.ability = min(max(mature - 0.5 * gap, d.ability_clip[0]), d.ability_clip[1])
    tm.potential = tm.ability + gap
    w.public_ability[t] = tm.ability + p.scouting.public * normal(k, 4)
    w.public_potential[t] = max(tm.potential + p.scouting.public * normal(k, 5), w.public_ability[t])
    tm.price = max(thousands(_template_value(p, tm, w.public_ability[t], w.public_potential[t])
                             * exp(d.price_noise * normal(k, 6))), 100)
    level = exp2((w.public_ability[t] - p.value.reference) / p.wage.double)
    tm.wage = max(thousands(p.wage.norm * level * exp(p.wage.spread * normal(k, 7))), 20)
    tm.years = d.contract_years[0] + below(k, 8, d.contract_years[1] - d.contract_years[0] + 1)


@njit
def _template_value(p, tm, ability, potential):
    seen = ability + p.value.potential * (potential - ability) * youth_weight(p, float(tm.age))
    level = exp2((seen - p.value.reference) / p.value.double)
    return p.value.norm * level * age_factor(p, tm.position, float(tm.age))


@njit
def template_belief(w, p, club, t, which):
    """A club's scouts' report on a template's ability (which 0) or potential (1)."""
    tm = w.templates[t]
    error = p.scouting.bias * normal(key(w.seed, Domain.SCOUT_BIAS, t, len(w.clubs) + 1 + club), which)
    if which == 0:
        return tm.ability + error
    return tm.potential + error * p.scouting.potential


@njit
def _shell(w, p, club):
    """The same shell for every club (paper, section 4.1)."""
    c = w.clubs[club]
    c.seat = -1
    c.tier = Tier.MEDIUM.value
    c.reputation = p.club.reputation
    c.stadium = p.club.seats
    c.confidence = p.board.start
    c.lineup_auto = 1
    c.negative_since = -1
    c.position = club + 1
    c.last_position = (len(w.clubs) + 1) // 2
    c.target = len(w.clubs) // 2
    for i in range(N_FACILITIES):
        c.levels[i] = 1
    for i in range(len(c.squad)):
        c.squad[i] = -1
    for i in range(len(c.academy)):
        c.academy[i] = -1


@njit
def _take_seat(w, p, seat):
    s = w.seats[seat]
    s.club = seat
    s.last_batch = -YEAR
    w.clubs[seat].seat = seat
    for t in range(len(w.templates)):
        s.draft_ability[t] = template_belief(w, p, seat, t, 0)
        s.draft_potential[t] = max(template_belief(w, p, seat, t, 1), s.draft_ability[t])


@njit
def assign_tiers(w, opponents):
    """Hard, medium, easy in turn over scripted clubs ranked by opening cash (paper, appendix F)."""
    done = np.zeros(len(w.clubs), np.int64)
    for rank in range(len(w.clubs)):
        best = -1
        for club in range(len(w.clubs)):
            free = done[club] == 0 and w.clubs[club].seat < 0
            if free and (best < 0 or w.clubs[club].cash > w.clubs[best].cash):
                best = club
        if best < 0:
            return
        done[best] = 1
        tier = 2 - rank % 3 if opponents == TIERED else opponents
        w.clubs[best].tier = tier
        w.clubs[best].rotate = 1 if tier != Tier.EASY else 0


@njit
def draft_for(w, p, club, picks):
    """The picks of a scripted manager: the best believed squad over several price weights.

    Fills ``picks`` with template numbers and returns how many.
    """
    trial = np.zeros(len(w.templates), np.int64)
    belief = np.zeros(len(w.templates), np.float64)
    for t in range(len(w.templates)):
        ability = template_belief(w, p, club, t, 0)
        gap = max(template_belief(w, p, club, t, 1) - ability, 0.0)
        belief[t] = ability + 0.4 * gap * youth_weight(p, float(w.templates[t].age))
    best = -1e9
    n_best = 0
    for step in range(10):
        weight = 0.0002 * exp(0.35 * step)
        n = _greedy_draft(w, p, belief, weight, trial)
        quality = _draft_quality(belief, trial, n)
        if quality > best:
            best = quality
            n_best = n
            picks[:n] = trial[:n]
    return n_best


@njit
def _draft_quality(belief, picks, n):
    total = 0.0
    for i in range(n):
        total += exp(0.06 * belief[picks[i]])
    return total


@njit
def _greedy_draft(w, p, belief, weight, picks):
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
    """``complete_draft`` with its orders and tallies at hand; it keeps the tallies up to date."""
    for i in range(len(w.templates)):
        t = orders[0, i]
        position = w.templates[t].position
        floor = (p.manager.depth[position] + 1) // 2
        if n < p.draft.squad and count[position] < floor and taken[t] == 0:
            n = _take(taken, count, picks, n, t, position)
    for i in range(len(w.templates)):
        t = orders[1, i]
        if n < p.draft.squad and taken[t] == 0:
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
    scouting.refresh_player(w, p, slot)
