"""Youth: hidden traits of newcomers, yearly intakes, terms, promotion."""

from fmgym.calendar import season_of, year_end
from fmgym.detmath import exp
from fmgym.enums import N_STYLES, Domain, Facility, Inbox, Move, Status
from fmgym.jit import njit
from fmgym.kernels import inbox, roster, scouting
from fmgym.kernels.money import thousands
from fmgym.kernels.valuation import group_of, wage_norm
from fmgym.rng import below, key, normal, uniform
from fmgym.state import YEAR

# Share of newcomers by position: GK CB FB DM CM AM W ST.
_SHARES = (0.10, 0.18, 0.16, 0.10, 0.14, 0.08, 0.13, 0.11)


@njit
def hidden_traits(w, p, slot, ability, potential):
    """Set everything hidden of a new player; traits are his own, drawn by uid."""
    pl = w.players[slot]
    t = w.truth[slot]
    k = key(w.seed, Domain.TRAITS, pl.uid, 0)
    t.ability = ability
    t.potential = max(potential, ability)
    t.proneness = exp(0.35 * normal(k, 0))
    t.growth = exp(p.growth.rate_sd * normal(k, 1))
    t.onset = p.age.onset[group_of(pl.position)] + p.age.onset_sd * normal(k, 2)
    t.consistency = uniform(k, 3)
    t.style_fit = below(k, 4, N_STYLES)


@njit
def fresh(w, slot):
    """Reset all that is not hidden of a new player, for a slot that may have been used before."""
    pl = w.players[slot]
    pl.status = Status.EMPTY.value
    pl.club = -1
    pl.wage = 0
    pl.contract_end = 0
    pl.joined = w.day
    pl.fee_paid = 0
    pl.listed = 0
    pl.condition_day = w.day
    pl.injured_until = -1
    pl.banned = 0
    pl.academy_until = 0
    pl.value = 0
    pl.first_choice = 0
    pl.next_club = -1
    pl.morale_day = -YEAR
    pl.condition = 100.0
    pl.form = 0.0
    pl.morale = 60.0
    pl.playing = 0.5
    pl.watched = 0.0
    pl.career_apps = 0
    pl.career_minutes = 0
    pl.career_goals = 0
    pl.career_assists = 0
    clear_season(w, slot)


@njit
def clear_season(w, slot):
    """Statistics of a season start at nothing."""
    pl = w.players[slot]
    pl.apps = 0
    pl.starts = 0
    pl.minutes = 0
    pl.goals = 0
    pl.assists = 0
    pl.yellows = 0
    pl.reds = 0
    pl.rating_sum = 0.0


@njit
def first_class(w, p, club):
    """The prospects every academy opens with, aged 15 to 18."""
    _class(w, p, club, p.academy.first_class, p.academy.ages[0], p.academy.ages[1] + 1)


@njit
def intake(w, p):
    """The yearly class of every club (day 305); size and quality follow the academy level."""
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        k = key(w.seed, Domain.INTAKE, club, w.day)
        mean = p.academy.class_size[0] + p.academy.class_size[1] * (c.levels[Facility.ACADEMY] - 1)
        size = int(mean + uniform(k, 0))
        before = w.n_seen
        _class(w, p, club, size, p.academy.ages[0], p.academy.ages[1])
        inbox.tell(w, club, Inbox.YOUTH_INTAKE, w.n_seen - before, 0, 0)


@njit
def _class(w, p, club, size, youngest, oldest):
    c = w.clubs[club]
    edge = p.academy.level * (c.levels[Facility.ACADEMY] - mean_level(w, Facility.ACADEMY))
    drift = p.academy.thermostat * (p.academy.league_ability - mean_ability(w))
    for _ in range(size):
        if c.n_academy == len(c.academy):
            return
        slot = roster.take_slot(w)
        if slot < 0:
            return
        _prospect(w, p, club, slot, youngest, oldest, edge, drift)


@njit
def _prospect(w, p, club, slot, youngest, oldest, edge, drift):
    pl = w.players[slot]
    k = key(w.seed, Domain.INTAKE, pl.uid, 0)
    pl.position = _draw_position(uniform(k, 0))
    years = youngest + (oldest - youngest + 1) * uniform(k, 1)
    pl.born = w.day - int(years * YEAR)
    potential = p.academy.potential[0] + p.academy.potential[1] * normal(k, 2) + edge + drift
    gap = max(p.academy.gap[0] + p.academy.gap[1] * normal(k, 3) - 2.5 * (years - 16.0), 3.0)
    fresh(w, slot)
    hidden_traits(w, p, slot, potential - gap, potential)
    roster.make_prospect(w, slot, club, term_end(w, p, slot))
    scouting.refresh_player(w, p, slot)


@njit
def _draw_position(u):
    for position in range(len(_SHARES)):
        u -= _SHARES[position]
        if u < 0.0:
            return position
    return len(_SHARES) - 1


@njit
def term_end(w, p, slot):
    """The last day of the season in which a prospect turns the age at which terms lapse."""
    lapse = w.players[slot].born + int(p.academy.term_age * YEAR)
    return year_end(max(season_of(max(lapse, 0)), w.season))


@njit
def mean_level(w, kind):
    """The league's mean level of a facility."""
    total = 0
    for club in range(len(w.clubs)):
        total += w.clubs[club].levels[kind]
    return total / len(w.clubs)


@njit
def mean_ability(w):
    """Mean true ability of all seniors."""
    total = 0.0
    n = 0
    for slot in range(len(w.players)):
        if w.players[slot].status == Status.SENIOR:
            total += w.truth[slot].ability
            n += 1
    return total / max(n, 1)


@njit
def promotion_wage(w, p, slot):
    """The wage a prospect signs his first contract for, known to all: half the norm."""
    return max(thousands(0.5 * wage_norm(w, p, slot, w.players[slot].pub_ability)), 20)


@njit
def promote(w, p, club, slot):
    """A prospect becomes a senior on a three-year contract."""
    wage = promotion_wage(w, p, slot)
    roster.make_senior(w, slot, club, wage, year_end(w.season + 2), 0)
    roster.archive(w, slot, Move.PROMOTED, club, club, 0)


@njit
def lapse_terms(w, p):
    """Year's end: prospects whose term is over, and those beyond the places, become free agents."""
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        for i in range(c.n_academy - 1, -1, -1):
            slot = c.academy[i]
            if w.players[slot].academy_until <= w.day:
                let_go(w, club, slot, Move.LAPSED)
        while c.n_academy > p.academy.places:
            let_go(w, club, _least(w, club), Move.LAPSED)


@njit
def _least(w, club):
    """The prospect the club believes least in."""
    c = w.clubs[club]
    least = c.academy[0]
    for i in range(1, c.n_academy):
        if w.players[c.academy[i]].own_potential < w.players[least].own_potential:
            least = c.academy[i]
    return least


@njit
def let_go(w, club, slot, how):
    """A prospect leaves for the free list."""
    roster.archive(w, slot, how, club, -1, 0)
    roster.make_free(w, slot)


@njit
def warn_lapsing(w):
    """After the intake: tell seats whose prospects lapse at this year's end."""
    for seat in range(len(w.seats)):
        club = w.seats[seat].club
        c = w.clubs[club]
        for i in range(c.n_academy):
            pl = w.players[c.academy[i]]
            if pl.academy_until <= year_end(w.season):
                inbox.tell(w, club, Inbox.YOUTH_LAPSING, pl.uid, pl.academy_until, 0)
