"""What scripted managers reckon over whole squads: how players will grow, what they will cost, who plays where.

Compiled, because every player of the league is weighed in the squad of every coming season. Numbers of the rules
come from the parameters; beliefs about players come from the caller and may be anybody's.
"""

from __future__ import annotations

import numpy as np

from fmgym.enums import N_FORMATIONS
from fmgym.jit import njit
from fmgym.kernels.lineup import role_at, suitability
from fmgym.kernels.valuation import group_of, price, wage_at
from fmgym.state import LINEUP

STEP = 0.5  # years that growth is reckoned in
_FAR = 1e9


@njit
def forecast(params, men, spans, play):
    """Abilities (men, spans) after so many years each, without chance. ``play``: growth factor of play and training."""
    p = params[0]
    out = np.empty((len(men), len(spans)))
    for i in range(len(men)):
        m = men[i]
        ability, years, done = m.ability, m.age, 0.0
        for j in range(len(spans)):
            while done < spans[j] - 1e-9:
                step = min(STEP, spans[j] - done)
                if years < p.age.peak_start[group_of(m.position)]:
                    ability += p.growth.rate * m.growth * play * max(m.potential - ability, 0.0) * step
                elif years > m.onset:
                    ability -= (p.growth.decline[0] + p.growth.decline[1] * (years - m.onset)) * step
                years += step
                done += step
            out[i, j] = ability
    return out


@njit
def prices(params, men, abilities, span):
    """Market values (millions of the first season) of men ``span`` years older and of those abilities."""
    p = params[0]
    out = np.empty(len(men))
    for i in range(len(men)):
        m = men[i]
        seen = abilities[i] + m.hype
        out[i] = price(p, 0.001, m.position, m.age + span, seen, max(m.potential + m.hype, seen))
    return out


@njit
def wages(params, men, abilities):
    """Usual wages (millions a year, of the first season) of men of those abilities."""
    p = params[0]
    out = np.empty(len(men))
    for i in range(len(men)):
        out[i] = 0.001 * wage_at(p, abilities[i], men[i].age)
    return out


@njit
def _weights(p, formation, weight):
    """The share of each place in a side's strength. Returns what the formation itself adds, ability points."""
    c = p.match
    attack = midfield = defence = 0.0
    for r in range(LINEUP):
        role = role_at(p, formation, r)
        attack += c.attack[role]
        midfield += c.midfield[role]
        defence += c.defence[role]
    total = 2.0 * c.chance + 2.0 * c.finish + c.possession
    for r in range(LINEUP):
        role = role_at(p, formation, r)
        x = (c.chance + c.finish) * c.attack[role] / attack + c.possession * c.midfield[role] / midfield
        x += c.chance * c.defence[role] / defence + (c.finish if r == 0 else 0.0)
        weight[r] = x / total
    shift = 3 * formation
    own = (c.chance + c.finish) * c.formation[shift] + c.possession * c.formation[shift + 1]
    return (own + c.chance * c.formation[shift + 2]) / total


@njit
def _assign(p, formation, weight, position, ability, able, out):
    """The best eleven of those who are able: ``out`` gets their indices by place (-1: nobody). Returns its strength.

    The Hungarian method over places and men; a place may also stay empty.
    """
    n = len(position)
    columns = n + LINEUP
    u, v = np.zeros(LINEUP + 1), np.zeros(columns + 1)
    taken, way = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    least, used = np.empty(columns + 1), np.empty(columns + 1, np.bool_)
    for r in range(1, LINEUP + 1):
        taken[0] = r
        j0 = 0
        least[:] = _FAR
        used[:] = False
        while True:
            used[j0] = True
            i0 = taken[j0]
            role = role_at(p, formation, i0 - 1)
            delta, j1 = _FAR, -1
            for j in range(1, columns + 1):
                if used[j]:
                    continue
                x = p.match.absent
                if j <= n:
                    x = ability[j - 1] * suitability(p, position[j - 1], role) if able[j - 1] else 0.0
                cost = -weight[i0 - 1] * x - u[i0] - v[j]
                if cost < least[j]:
                    least[j] = cost
                    way[j] = j0
                if least[j] < delta:
                    delta = least[j]
                    j1 = j
            for j in range(columns + 1):
                if used[j]:
                    u[taken[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if taken[j0] == 0:
                break
        while j0 != 0:
            taken[j0] = taken[way[j0]]
            j0 = way[j0]
    out[:] = -1
    for j in range(1, n + 1):
        if taken[j] > 0:
            out[taken[j] - 1] = j - 1
    total = 0.0
    for r in range(LINEUP):
        total += _adds(p, formation, weight, position, ability, out[r], r)
    return total


@njit
def _adds(p, formation, weight, position, ability, i, r):
    """What man ``i`` (-1: nobody) in place ``r`` adds to a side's strength."""
    if i < 0:
        return weight[r] * p.match.absent
    return weight[r] * ability[i] * suitability(p, position[i], role_at(p, formation, r))


@njit
def _two(p, formation, weight, position, ability, able, out):
    """The best eleven (``out[0]``) and the best of the others (``out[1]``). Returns both strengths."""
    first = _assign(p, formation, weight, position, ability, able, out[0])
    rest = able.copy()
    for i in out[0]:
        if i >= 0:
            rest[i] = False
    return first, _assign(p, formation, weight, position, ability, rest, out[1])


@njit
def _follow(step, gain, end):
    """Extend changes of single places along the best chains of moves inside an eleven.

    ``gain[r]`` is what a change of place ``r`` brings, and ``end[r]`` the man at its end; ``step[r, q]`` is what place
    ``r`` brings when it passes the change on to place ``q``. Of a best eleven no ring of moves gains anything, so
    that chains of eleven moves are the longest.
    """
    for _ in range(LINEUP):
        changed = False
        for r in range(LINEUP):
            for q in range(LINEUP):
                if step[r, q] + gain[q] > gain[r] + 1e-12:
                    gain[r], end[r], changed = step[r, q] + gain[q], end[q], True
        if not changed:
            return


@njit
def _entries(p, formation, weight, position, ability, eleven, gain, leaver):
    """What the best eleven gains, his own part apart, when one more man takes each place; and who leaves for him."""
    step = np.full((LINEUP, LINEUP), -_FAR)
    for r in range(LINEUP):
        own = _adds(p, formation, weight, position, ability, eleven[r], r)
        gain[r], leaver[r] = -own, eleven[r]
        for q in range(LINEUP):
            if q != r and eleven[r] >= 0:  # who played there plays elsewhere
                step[r, q] = _adds(p, formation, weight, position, ability, eleven[r], q) - own
    _follow(step, gain, leaver)


@njit
def _departures(p, formation, weight, position, ability, free, eleven, gain, comer):
    """What the best eleven gains, a negative number, when the man of each place is gone; and who comes for him.

    He comes from those who are ``free``, or nobody does (-1).
    """
    step = np.full((LINEUP, LINEUP), -_FAR)
    for r in range(LINEUP):
        own = _adds(p, formation, weight, position, ability, eleven[r], r)
        gain[r], comer[r] = _adds(p, formation, weight, position, ability, -1, r) - own, -1
        for i in range(len(position)):
            x = _adds(p, formation, weight, position, ability, i, r) - own if free[i] else -_FAR
            if x > gain[r]:
                gain[r], comer[r] = x, i
        for q in range(LINEUP):
            if q != r and eleven[q] >= 0:  # who plays elsewhere comes here
                step[r, q] = _adds(p, formation, weight, position, ability, eleven[q], r) - own
    _follow(step, gain, comer)


@njit
def _enters(p, formation, weight, position, ability, gain):
    """What one more man adds to an eleven of those ``_entries`` (0: he is not in it); and his place, or -1."""
    most, place = 0.0, -1
    for r in range(LINEUP):
        x = weight[r] * ability * suitability(p, position, role_at(p, formation, r)) + gain[r]
        if x > most:
            most, place = x, r
    return most, place


@njit
def elevens(params, position, ability, able):
    """The best eleven of each formation (formations, 11) as indices, -1: nobody; and their strengths."""
    p = params[0]
    out = np.empty((N_FORMATIONS, LINEUP), np.int64)
    strengths, weight = np.empty(N_FORMATIONS), np.empty(LINEUP)
    for f in range(N_FORMATIONS):
        own = _weights(p, f, weight)
        strengths[f] = own + _assign(p, f, weight, position, ability, able, out[f])
    return out, strengths


@njit
def squad_strengths(params, formation, position, ability, second):
    """Strength of a whole squad in each season: ``ability`` is (men, seasons).

    It is that of the best eleven, and to a share ``second`` that of the best eleven without them.
    """
    p = params[0]
    weight, out = np.empty(LINEUP), np.empty((2, LINEUP), np.int64)
    _weights(p, formation, weight)
    able = np.ones(len(position), np.bool_)
    strengths = np.empty(ability.shape[1])
    for y in range(len(strengths)):
        first, other = _two(p, formation, weight, position, ability[:, y].copy(), able, out)
        strengths[y] = (1.0 - second) * first + second * other
    return strengths


@njit
def losses(params, formation, position, ability, second):
    """What a squad's strength loses in each season (men, seasons) without each of its men."""
    p = params[0]
    n, seasons = ability.shape
    weight, out, comer = np.empty(LINEUP), np.empty((2, LINEUP), np.int64), np.empty((2, LINEUP), np.int64)
    _weights(p, formation, weight)
    able, gain, lost = np.ones(n, np.bool_), np.empty((2, LINEUP)), np.zeros((n, seasons))
    for y in range(seasons):
        level, free = ability[:, y].copy(), able.copy()
        _two(p, formation, weight, position, level, able, out)
        for e in range(2):
            for i in out[e]:
                if i >= 0:
                    free[i] = False
            _departures(p, formation, weight, position, level, free, out[e], gain[e], comer[e])
        for r in range(LINEUP):
            if out[1, r] >= 0:
                lost[out[1, r], y] = -second * gain[1, r]
        for r in range(LINEUP):
            if out[0, r] >= 0:  # and the other eleven loses who comes for him
                further = lost[comer[0, r], y] if comer[0, r] >= 0 else 0.0
                lost[out[0, r], y] = further - (1.0 - second) * gain[0, r]
    return lost


@njit
def gains(params, formation, position, ability, position_new, ability_new, second):
    """What a squad's strength gains in each season (new men, seasons) with each of some new men."""
    p = params[0]
    seasons = ability.shape[1]
    weight, out, leaver = np.empty(LINEUP), np.empty((2, LINEUP), np.int64), np.empty((2, LINEUP), np.int64)
    _weights(p, formation, weight)
    able, gain = np.ones(len(position), np.bool_), np.empty((2, LINEUP))
    gained = np.zeros((len(position_new), seasons))
    for y in range(seasons):
        level = ability[:, y].copy()
        _two(p, formation, weight, position, level, able, out)
        for e in range(2):
            _entries(p, formation, weight, position, level, out[e], gain[e], leaver[e])
        for i in range(len(position_new)):
            first, r = _enters(p, formation, weight, position_new[i], ability_new[i, y], gain[0])
            other = 0.0
            if r < 0:  # not good enough for the first eleven, perhaps for the other
                other, _ = _enters(p, formation, weight, position_new[i], ability_new[i, y], gain[1])
            elif leaver[0, r] >= 0:  # whom he drives out of the first may go to the other
                left = leaver[0, r]
                other, _ = _enters(p, formation, weight, position[left], level[left], gain[1])
            gained[i, y] = (1.0 - second) * first + second * other
    return gained
