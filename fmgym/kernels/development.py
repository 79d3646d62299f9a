"""Growth towards potential, decline after a hidden onset, retirement. Monthly and at year's end."""

from fmgym.calendar import age
from fmgym.detmath import logistic
from fmgym.enums import Domain, Facility, Inbox, Move, Status
from fmgym.jit import njit
from fmgym.kernels import inbox, roster
from fmgym.kernels.academy import mean_level
from fmgym.kernels.valuation import group_of
from fmgym.rng import key, normal, uniform

MONTHS = 12


@njit
def develop(w, p):
    """One month of growth, ageing and noise for every living player."""
    level = mean_level(w, Facility.TRAINING)
    month = w.day // 30
    for slot in range(len(w.players)):
        if w.players[slot].status != Status.EMPTY:
            _develop_one(w, p, slot, level, month)


@njit
def _develop_one(w, p, slot, level, month):
    pl = w.players[slot]
    t = w.truth[slot]
    years = age(w.day, pl.born)
    peak = p.age.peak_start[group_of(pl.position)]
    change = 0.0
    if years < peak:
        change = p.growth.rate * t.growth * _growth_factor(w, p, slot, level) * max(t.potential - t.ability, 0.0)
    elif years > t.onset:
        change = -(p.growth.decline[0] + p.growth.decline[1] * (years - t.onset))
    noise = p.growth.noise * (p.growth.noise_young if years < 21.0 else 1.0)
    z = normal(key(w.seed, Domain.DEVELOPMENT, pl.uid, month), 0)
    # A year's noise is the sum of twelve months': each has 1/sqrt(12) of its deviation.
    t.ability = min(max(t.ability + change / MONTHS + noise * z * 0.28867513459481287, 20.0), 99.0)
    if years < peak:
        t.potential = max(t.potential, t.ability)
    else:
        t.potential = t.ability


@njit
def _growth_factor(w, p, slot, level):
    """How much of full growth a player gets: by playing and by his club's training ground."""
    pl = w.players[slot]
    if pl.status == Status.FREE:
        return p.growth.playing[0]
    train = 1.0 + p.growth.training * (w.clubs[pl.club].levels[Facility.TRAINING] - level)
    if pl.status == Status.ACADEMY:
        return p.growth.academy * train
    return (p.growth.playing[0] + p.growth.playing[1] * pl.playing) * train


@njit
def retirements(w, p):
    """Year's end: who gives up playing, by age, ability and whether a club still wants him."""
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status == Status.EMPTY or not retires(w, p, slot):
            continue
        if pl.club >= 0:
            inbox.tell(w, pl.club, Inbox.RETIREMENT, pl.uid, int(age(w.day, pl.born)), 0)
        roster.archive(w, slot, Move.RETIRED, pl.club, -1, 0)
        roster.retire(w, slot)


@njit
def retires(w, p, slot):
    """Whether a player retires at this year's end."""
    pl = w.players[slot]
    years = age(w.day, pl.born)
    if pl.status == Status.FREE and w.day - pl.joined > p.age.idle_days:
        return True
    weak = max(p.age.retire_ability - w.truth[slot].ability, 0.0)
    if years < p.age.retire_from:
        return pl.status == Status.FREE and weak > p.age.hopeless
    x = p.age.retire_slope * (years + weak * p.age.retire_weak - p.age.retire[group_of(pl.position)])
    return uniform(key(w.seed, Domain.RETIREMENT, pl.uid, w.season), 0) < logistic(x)
