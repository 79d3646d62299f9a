"""What clubs, seats and the public believe of a player. The one door through which truth is seen.

A report is truth + a permanent bias of that club's scouts on that player + noise that shrinks as his
matches are watched; the bias never averages out (paper, section 3.1). Reports are stored: owners' and the
public's in ``players``, a seat's in ``seats``; they change only when time moves.
"""

import math

from fmgym.calendar import age
from fmgym.enums import Domain, Status
from fmgym.jit import njit
from fmgym.kernels.valuation import market_value
from fmgym.rng import key, normal


@njit
def _noise_left(w, p, slot):
    """Share of an unwatched player's noise that is left after the matches scouts have seen."""
    return math.sqrt(p.scouting.watch / (p.scouting.watch + w.players[slot].watched))


@njit
def acuity(w, p, club, slot):
    """Factor on a club's scouting errors on a player: its tier's, and less for its own players."""
    c = w.clubs[club]
    factor = 1.0 if c.seat >= 0 else p.scouting.tier[c.tier]
    return factor * p.scouting.own if w.players[slot].club == club else factor


@njit
def _error(w, p, club, slot, which):
    """Bias and noise of a club's scouts on ability (which 0) or potential (1), before its factors."""
    uid = w.players[slot].uid
    clubs = len(w.clubs) + 1
    bias = normal(key(w.seed, Domain.SCOUT_BIAS, uid, club), which)
    noise = normal(key(w.seed, Domain.SCOUT_NOISE, uid, club + clubs * w.season), which)
    return p.scouting.bias * bias + p.scouting.noise * _noise_left(w, p, slot) * noise


@njit
def potential_factor(w, p, slot):
    """How much worse potential is seen than ability: the worse the younger."""
    years = max(24.0 - age(w.day, w.players[slot].born), 0.0)
    return p.scouting.potential + p.scouting.potential_young * years


@njit
def believed_ability(w, p, club, slot):
    """A club's report on a player's ability, now."""
    return w.truth[slot].ability + acuity(w, p, club, slot) * _error(w, p, club, slot, 0)


@njit
def believed_potential(w, p, club, slot):
    """A club's report on a player's potential, now."""
    error = acuity(w, p, club, slot) * potential_factor(w, p, slot) * _error(w, p, club, slot, 1)
    return w.truth[slot].potential + error


@njit
def report_sd(w, p, club, slot):
    """Standard deviation of a club's report on a player's ability."""
    noise = p.scouting.noise * _noise_left(w, p, slot)
    return acuity(w, p, club, slot) * math.sqrt(p.scouting.bias * p.scouting.bias + noise * noise)


@njit
def refresh_player(w, p, slot):
    """Bring a player's owner's and public estimates and his public value up to date."""
    pl = w.players[slot]
    if pl.club >= 0:
        pl.own_ability = believed_ability(w, p, pl.club, slot)
        pl.own_potential = max(believed_potential(w, p, pl.club, slot), pl.own_ability)
    bias = key(w.seed, Domain.SCOUT_BIAS, pl.uid, len(w.clubs))
    left = p.scouting.public * _noise_left(w, p, slot)
    noise = key(w.seed, Domain.SCOUT_NOISE, pl.uid, len(w.clubs) + (len(w.clubs) + 1) * w.season)
    pl.pub_ability = w.truth[slot].ability + p.scouting.public * normal(bias, 0) + left * normal(noise, 0)
    gap = (p.scouting.public * normal(bias, 1) + left * normal(noise, 1)) * potential_factor(w, p, slot)
    pl.pub_potential = max(w.truth[slot].potential + gap, pl.pub_ability)
    if pl.club < 0:
        pl.own_ability = pl.pub_ability
        pl.own_potential = pl.pub_potential
    pl.value = market_value(w, p, slot, pl.pub_ability, pl.pub_potential)


@njit
def refresh(w, p):
    """Monthly: all estimates and public values."""
    for slot in range(len(w.players)):
        if w.players[slot].status != Status.EMPTY:
            refresh_player(w, p, slot)


@njit
def report_to_seat(w, p, seat):
    """Store the reports a seat is shown until time moves again: on every living player."""
    s = w.seats[seat]
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status == Status.EMPTY:
            continue
        s.report_uid[slot] = pl.uid
        s.ability[slot] = believed_ability(w, p, s.club, slot)
        s.potential[slot] = max(believed_potential(w, p, s.club, slot), s.ability[slot])
        s.error[slot] = report_sd(w, p, s.club, slot)
        s.potential_error[slot] = s.error[slot] * potential_factor(w, p, slot)


@njit
def band(p, ability, error):
    """The ability band a report is shown as: its least and greatest whole number, within 1 to 99."""
    half = p.scouting.band * error
    low = math.floor(ability - half + 0.5)
    high = math.floor(ability + half + 0.5)
    return min(max(low, 1.0), 99.0), min(max(high, 1.0), 99.0)


@njit
def half_stars(p, potential):
    """The stars potential is shown as, in halves: 1 to 10."""
    steps = math.floor((potential - p.scouting.star_low) / p.scouting.star_step)
    return min(max(steps + 1.0, 1.0), 10.0)


@njit
def letter(p, error):
    """The confidence letter of a report: 0 (A, surest) to 3 (D)."""
    grade = 0
    for i in range(len(p.scouting.confidence)):
        if error > p.scouting.confidence[i]:
            grade = i + 1
    return grade
