"""Making a world from a seed: template pool, shells of clubs, drafts, first academies, fixtures.

Everything here is a function of (parameters, seed, options); the draft picks of seats are the first
input from outside (paper, section 3.1).
"""

import numpy as np

from fmgym.detmath import exp
from fmgym.enums import N_FACILITIES, Domain, Settle, StopKind, Tier
from fmgym.jit import njit
from fmgym.kernels import academy, draft
from fmgym.kernels.money import thousands
from fmgym.kernels.valuation import group_of, price, wage_at
from fmgym.rng import below, key, normal, uniform
from fmgym.state import YEAR

TIERED = 3  # the value of `opponents` for a mix of tiers; 0-2 make all opponents one tier


@njit(apart=True)
def build(w, p, seed, opponents, seasons, auto_draft, taken, sealed):
    """Fill a zeroed world record. Seat i runs club i where ``taken[i]`` is 1; else nobody holds it.

    ``auto_draft`` drafts for seats as a medium manager would; otherwise day 0 waits for their picks.
    """
    w.seed = seed
    w.sealed = sealed
    w.last_day = seasons * YEAR - 1
    _template_pool(w, p)
    for club in range(len(w.clubs)):
        _shell(w, p, club)
    n_taken = 0
    for seat in range(len(w.seats)):
        if taken[seat] == 1:
            _take_seat(w, p, seat)
            n_taken += 1
        else:
            _leave_vacant(w, seat)
    picks = np.zeros(len(w.templates), np.int64)
    for club in range(len(w.clubs)):
        if w.clubs[club].seat < 0 or auto_draft:
            n = draft.picks_for(w, p, club, picks)
            draft.hire(w, p, club, picks, n)
    assign_tiers(w, p, opponents)
    for club in range(len(w.clubs)):
        academy.first_class(w, p, club)
    w.draft_open = 0 if auto_draft else n_taken
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
    tm.price = max(
        thousands(
            price(p, d.price, position, float(tm.age), w.public_ability[t], w.public_potential[t])
            * exp(d.price_noise * normal(k, 6))
        ),
        100,
    )
    usual = wage_at(p, w.public_ability[t], float(tm.age))
    tm.wage = max(thousands(d.wage * usual * exp(p.wage.spread * normal(k, 7))), 20)
    tm.years = d.contract_years[0] + below(k, 8, d.contract_years[1] - d.contract_years[0] + 1)


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
    s.waiting = 1  # until its first stop opens
    s.last_batch = -YEAR
    w.clubs[seat].seat = seat
    w.clubs[seat].rotate = 1  # automatic elevens spare the tired
    for t in range(len(w.templates)):
        s.draft_ability[t] = draft.report(w, p, seat, t, 0)
        s.draft_potential[t] = max(draft.report(w, p, seat, t, 1), s.draft_ability[t])


@njit
def _leave_vacant(w, seat):
    s = w.seats[seat]
    s.club = seat
    s.settled = Settle.VACANT.value
    s.waiting = 1


@njit
def assign_tiers(w, p, opponents):
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
        w.clubs[best].rotate = p.manager.rotates[tier]
