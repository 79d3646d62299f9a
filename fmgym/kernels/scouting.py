"""What clubs, seats and the public believe of a player. The one door through which truth is seen.

A report is truth + a permanent bias of that club's scouts on that player + noise that shrinks as his
matches are watched; the bias never averages out (paper, section 3.1). Reports are stored: owners' and the
public's in ``players``, a seat's in ``seats``; they change only when time moves.
"""

import math

import numpy as np

from fmgym.calendar import age
from fmgym.enums import Domain, Status
from fmgym.jit import njit
from fmgym.kernels.valuation import market_value
from fmgym.rng import bell, key_at, subject
from fmgym.state import record

# What any club's report on a player starts from. For those who look at many players, or with many clubs' eyes.
SIGHT = record(
    [("bias", np.uint64), ("noise", np.uint64), ("owner", np.int64)]
    + [(name, np.float64) for name in ("ability", "potential", "left", "wider")]
)


@njit
def _noise_left(w, p, slot):
    """Share of an unwatched player's noise that is left after the matches scouts have seen."""
    return math.sqrt(p.scouting.watch / (p.scouting.watch + w.players[slot].watched))


@njit
def acuity(w, p, club, owner):
    """Factor on a club's scouting errors on a player of ``owner``: its tier's, and less for its own players."""
    c = w.clubs[club]
    factor = 1.0 if c.seat >= 0 else p.scouting.tier[c.tier]
    return factor * p.scouting.own if owner == club else factor


@njit
def _draws(w, club, bias, noise, which):
    """What is behind a club's report on ability (which 0) or potential (1): its bias and the season's noise, SD 1.

    ``bias`` and ``noise`` are the player's subjects of the two domains.
    """
    return bell(key_at(bias, club), which), bell(key_at(noise, _season_of_club(w, club)), which)


@njit
def _season_of_club(w, club):
    """The time of a season's noise: clubs, and the public after the last of them, count for themselves."""
    return club + (len(w.clubs) + 1) * w.season


@njit
def potential_factor(w, p, slot):
    """How much worse potential is seen than ability: the worse the younger."""
    years = max(24.0 - age(w.day, w.players[slot].born), 0.0)
    return p.scouting.potential + p.scouting.potential_young * years


@njit
def look_at(w, p, slot, sight):
    """Note in a ``SIGHT`` what any club's report on a player starts from today."""
    uid = w.players[slot].uid
    sight.bias = subject(w.seed, Domain.SCOUT_BIAS, uid)
    sight.noise = subject(w.seed, Domain.SCOUT_NOISE, uid)
    sight.owner = w.players[slot].club
    sight.ability = w.truth[slot].ability
    sight.potential = w.truth[slot].potential
    sight.left = p.scouting.noise * _noise_left(w, p, slot)
    sight.wider = potential_factor(w, p, slot)


@njit
def ability_in(w, p, club, sight):
    """A club's report, today, on the ability of a player looked at."""
    return sight.ability + acuity(w, p, club, sight.owner) * _error(w, p, club, sight, 0)


@njit
def potential_in(w, p, club, sight):
    """A club's report, today, on the potential of a player looked at."""
    return sight.potential + acuity(w, p, club, sight.owner) * sight.wider * _error(w, p, club, sight, 1)


@njit
def _error(w, p, club, sight, which):
    """Bias and noise of a club's scouts on ability (which 0) or potential (1), before its factors."""
    bias, noise = _draws(w, club, sight.bias, sight.noise, which)
    return p.scouting.bias * bias + sight.left * noise


@njit
def believed(w, p, club, slot):
    """A club's report on a player, today: ability and potential."""
    return _believed_in(w, p, club, slot, np.empty(1, SIGHT))


@njit
def _believed_in(w, p, club, slot, room):
    """``believed`` in an array of one that the caller holds: a record does not keep its array alive."""
    sight = room[0]
    look_at(w, p, slot, sight)
    return ability_in(w, p, club, sight), potential_in(w, p, club, sight)


@njit
def _sd_in(w, p, club, sight):
    """Standard deviation of a club's report on the ability of a player looked at."""
    return acuity(w, p, club, sight.owner) * math.sqrt(p.scouting.bias * p.scouting.bias + sight.left * sight.left)


@njit
def refresh_player(w, p, slot):
    """Bring a player's owner's and public estimates and his public value up to date."""
    pl = w.players[slot]
    t = w.truth[slot]
    _draw(w, slot)
    left = _noise_left(w, p, slot)
    wider = potential_factor(w, p, slot)
    public = p.scouting.public * left
    pl.pub_ability = t.ability + p.scouting.public * t.public_bias[0] + public * t.public_noise[0]
    gap = (p.scouting.public * t.public_bias[1] + public * t.public_noise[1]) * wider
    pl.pub_potential = max(t.potential + gap, pl.pub_ability)
    if pl.club >= 0:
        factor = acuity(w, p, pl.club, pl.club)
        noise = p.scouting.noise * left
        pl.own_ability = t.ability + factor * (p.scouting.bias * t.own_bias[0] + noise * t.own_noise[0])
        gap = factor * wider * (p.scouting.bias * t.own_bias[1] + noise * t.own_noise[1])
        pl.own_potential = max(t.potential + gap, pl.own_ability)
    else:
        pl.own_ability = pl.pub_ability
        pl.own_potential = pl.pub_potential
    pl.value = market_value(w, p, slot, pl.pub_ability, pl.pub_potential)


@njit
def _draw(w, slot):
    """Draw anew what stands behind the reports of a player's owner and of the public, if it can have changed."""
    pl = w.players[slot]
    t = w.truth[slot]
    if t.drawn_uid == pl.uid and t.drawn_club == pl.club and t.drawn_season == w.season:
        return
    t.drawn_uid = pl.uid
    t.drawn_club = pl.club
    t.drawn_season = w.season
    public = len(w.clubs)  # takes a place beside the clubs
    bias, noise = subject(w.seed, Domain.SCOUT_BIAS, pl.uid), subject(w.seed, Domain.SCOUT_NOISE, pl.uid)
    for which in range(2):
        t.public_bias[which], t.public_noise[which] = _draws(w, public, bias, noise, which)
        if pl.club >= 0:
            t.own_bias[which], t.own_noise[which] = _draws(w, pl.club, bias, noise, which)


@njit
def refresh(w, p):
    """Monthly: all estimates and public values."""
    for slot in range(len(w.players)):
        if w.players[slot].status != Status.EMPTY:
            refresh_player(w, p, slot)


@njit
def report_to_seat(w, p, seat):
    """Store the reports a seat is shown until time moves again: on every living player."""
    _report_in(w, p, seat, np.empty(1, SIGHT))


@njit
def _report_in(w, p, seat, room):
    """``report_to_seat`` in an array of one that the caller holds."""
    s = w.seats[seat]
    sight = room[0]
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status == Status.EMPTY:
            continue
        look_at(w, p, slot, sight)
        s.report_uid[slot] = pl.uid
        s.ability[slot] = ability_in(w, p, s.club, sight)
        s.potential[slot] = max(potential_in(w, p, s.club, sight), s.ability[slot])
        s.error[slot] = _sd_in(w, p, s.club, sight)
        s.potential_error[slot] = s.error[slot] * sight.wider


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
def star_middle(p, potential):
    """The potential that its stars stand for: the middle of their half star."""
    return p.scouting.star_low + p.scouting.star_step * (half_stars(p, potential) - 0.5)


@njit
def letter(p, error):
    """The confidence letter of a report: 0 (A, surest) to 3 (D)."""
    grade = 0
    for i in range(len(p.scouting.confidence)):
        if error > p.scouting.confidence[i]:
            grade = i + 1
    return grade
