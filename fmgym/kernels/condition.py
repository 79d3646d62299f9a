"""Condition, injuries and morale: what a player brings to a day.

``players.condition`` is what he had at the end of ``condition_day``; today's is a closed form of it, so that
nothing passes over players daily. A player is out on every day before ``injured_until``.
"""

import math

from fmgym.calendar import age
from fmgym.detmath import exp
from fmgym.enums import Domain, Facility, Inbox, Status, StopKind
from fmgym.jit import njit
from fmgym.kernels.inbox import stop, tell
from fmgym.rng import key, normal, uniform
from fmgym.state import YEAR

FULL = 100.0  # scale of condition and of morale
HOURS = 1000.0  # injury rates are per so many hours
_YEARS = 1.0 / YEAR


@njit
def condition_now(w, p, slot):
    """A player's condition today, 0 to 100: what was missing on ``condition_day`` fades, and is back after
    ``1 / recovery`` days, sooner when he is young."""
    pl = w.players[slot]
    c = p.condition
    slower = c.recovery_age[1] * ((w.day - pl.born) * _YEARS - c.recovery_age[0])
    still = max(1.0 - c.recovery * (1.0 - slower) * (w.day - pl.condition_day), 0.0)
    return FULL - (FULL - pl.condition) * still * still


@njit
def injured(w, slot):
    """Whether a player is injured today."""
    return w.day < w.players[slot].injured_until


@njit
def available(w, p, slot):
    """Whether a player can be fielded today: a senior, not injured, not banned."""
    pl = w.players[slot]
    return pl.status == Status.SENIOR and pl.banned == 0 and w.day >= pl.injured_until


@njit
def injury_days(p, z):
    """Length of an injury for a standard normal draw ``z``: lognormal, at least one day."""
    c = p.condition
    days = math.floor(c.injury_days[0] * exp(c.injury_days[1] * z) + 0.5)
    return min(max(days, 1), c.injury_most)


@njit
def risk(w, p, slot):
    """Injury risk of a player relative to the mean: his proneness, eased by the club's training ground."""
    level = w.clubs[w.players[slot].club].levels[Facility.TRAINING]
    eased = max(1.0 - p.facility.injuries * max(level - 1, 0), 0.0)
    return w.truth[slot].proneness * eased


@njit
def match_injury(w, p, slot, missing, u):
    """Whether a player struck in a match is hurt, ``missing`` points below full condition. ``u``: uniform."""
    c = p.condition
    fatigue = c.risk[0] + c.risk[1] * missing / FULL
    return u * c.risk_most < risk(w, p, slot) * fatigue


@njit
def match_hazard(p):
    """Chance a minute that one given player is struck, before his own risk thins it out."""
    return p.condition.match_injury * p.condition.risk_most / HOURS / 60.0  # minutes of an hour


@njit
def injure(w, p, slot, days):
    """Put a player out for ``days`` and tell his seat; a long loss of a first choice stops the world."""
    pl = w.players[slot]
    pl.injured_until = w.day + days
    tell(w, pl.club, Inbox.INJURY.value, pl.uid, days, pl.first_choice)
    if pl.first_choice == 1 and days >= p.calendar.injury_stop_days:
        stop(w, pl.club, StopKind.MAJOR_INJURY.value)


@njit
def training_injuries(w, p):
    """The injuries that a month of training brings. Run once every ``p.condition.month`` days."""
    c = p.condition
    base = c.training_injury * c.training_hours / HOURS
    for slot in range(len(w.players)):
        if w.players[slot].status == Status.SENIOR and not injured(w, slot):
            k = key(w.seed, Domain.INJURY, w.players[slot].uid, w.day)
            if uniform(k, 0) < base * risk(w, p, slot):
                injure(w, p, slot, injury_days(p, normal(k, 1)))


@njit
def morale_month(w, p):
    """Move every senior's morale by a month: play, results, contract, and a pull to the middle."""
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status == Status.SENIOR:
            move = p.condition.morale_pull * (p.condition.morale_middle - pl.morale)
            move += _from_season(w, p, slot) + _from_contract(w, p, slot)
            pl.morale = min(max(pl.morale + move, 0.0), FULL)


@njit
def _from_season(w, p, slot):
    """Morale from playing more or less than his standing lets him expect, and from results."""
    pl = w.players[slot]
    club = w.clubs[pl.club]
    c = p.condition
    if club.played == 0:
        return 0.0
    move = c.morale_results * ((3 * club.won + club.drawn) / club.played - c.points_mean)
    if not injured(w, slot):
        expects = c.expects[pl.first_choice]
        if age(w.day, pl.born) < c.expects_young[0]:
            expects *= c.expects_young[1]
        move += c.morale_playing * (pl.playing - expects)
    return move


@njit
def _from_contract(w, p, slot):
    """Morale lost while a contract runs out."""
    left = w.players[slot].contract_end - w.day
    return -p.condition.morale_contract[1] if left < p.condition.morale_contract[0] else 0.0
