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
def _assign(p, formation, weight, position, ability, able, out, u):
    """The best eleven of those who are able: ``out`` gets their indices by place (-1: nobody). Returns its strength.

    The Hungarian method over places and men; a place may also stay empty. ``u`` gets the places' dual prices: a
    man who is worth no more than the price in any place would not change the eleven.
    """
    n = len(position)
    columns = n + LINEUP
    u[:] = 0.0
    v = np.zeros(columns + 1)
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
    total = 0.0
    out[:] = -1
    for j in range(1, columns + 1):
        if taken[j] > 0:
            r = taken[j] - 1
            if j <= n:
                out[r] = j - 1
                total += weight[r] * ability[j - 1] * suitability(p, position[j - 1], role_at(p, formation, r))
            else:
                total += weight[r] * p.match.absent
    return total


@njit
def _changes(p, formation, weight, position, ability, u):
    """Whether one more man of that position and ability would change an eleven with dual prices ``u``."""
    for r in range(LINEUP):
        x = weight[r] * ability * suitability(p, position, role_at(p, formation, r))
        if x > -u[r + 1] + 1e-12:
            return True
    return False


@njit
def _depth(p, formation, weight, position, ability, able, second, out, u):
    """Strength of a squad: of its best eleven, and to a share ``second`` of the best eleven without them.

    ``out`` (2, 11) and ``u`` (2, 12) get men and dual prices of both elevens.
    """
    first = _assign(p, formation, weight, position, ability, able, out[0], u[0])
    rest = able.copy()
    for r in range(LINEUP):
        if out[0, r] >= 0:
            rest[out[0, r]] = False
    return (1.0 - second) * first + second * _assign(p, formation, weight, position, ability, rest, out[1], u[1])


@njit
def elevens(params, position, ability, able):
    """The best eleven of each formation (formations, 11) as indices, -1: nobody; and their strengths."""
    p = params[0]
    out = np.empty((N_FORMATIONS, LINEUP), np.int64)
    strengths, weight, u = np.empty(N_FORMATIONS), np.empty(LINEUP), np.empty(LINEUP + 1)
    for f in range(N_FORMATIONS):
        own = _weights(p, f, weight)
        strengths[f] = own + _assign(p, f, weight, position, ability, able, out[f], u)
    return out, strengths


@njit
def squad_strengths(params, formation, position, ability, second):
    """Strength of a whole squad in each season: ``ability`` is (men, seasons)."""
    p = params[0]
    weight, out, u = np.empty(LINEUP), np.empty((2, LINEUP), np.int64), np.empty((2, LINEUP + 1))
    _weights(p, formation, weight)
    able = np.ones(len(position), np.bool_)
    strengths = np.empty(ability.shape[1])
    for y in range(len(strengths)):
        strengths[y] = _depth(p, formation, weight, position, ability[:, y].copy(), able, second, out, u)
    return strengths


@njit
def losses(params, formation, position, ability, second):
    """What a squad's strength loses in each season (men, seasons) without each of its men."""
    p = params[0]
    n, seasons = ability.shape
    weight, out, u = np.empty(LINEUP), np.empty((2, LINEUP), np.int64), np.empty((2, LINEUP + 1))
    _weights(p, formation, weight)
    able = np.ones(n, np.bool_)
    lost = np.zeros((n, seasons))
    for y in range(seasons):
        level = ability[:, y].copy()
        whole = _depth(p, formation, weight, position, level, able, second, out, u)
        for i in out.copy().ravel():  # who is in neither eleven is not missed
            if i < 0:
                continue
            able[i] = False
            lost[i, y] = whole - _depth(p, formation, weight, position, level, able, second, out, u)
            able[i] = True
    return lost


@njit
def gains(params, formation, position, ability, position_new, ability_new, second):
    """What a squad's strength gains in each season (new men, seasons) with each of some new men."""
    p = params[0]
    n, seasons = ability.shape
    weight, out = np.empty(LINEUP), np.empty((2, LINEUP), np.int64)
    base, u = np.empty((2, LINEUP + 1)), np.empty((2, LINEUP + 1))
    _weights(p, formation, weight)
    able = np.ones(n + 1, np.bool_)
    positions, level = np.zeros(n + 1, np.int64), np.zeros(n + 1)
    positions[:n] = position
    gained = np.zeros((len(position_new), seasons))
    for y in range(seasons):
        level[:n] = ability[:, y]
        able[n] = False
        whole = _depth(p, formation, weight, positions, level, able, second, out, base)
        able[n] = True
        for i in range(len(position_new)):
            positions[n] = position_new[i]
            level[n] = ability_new[i, y]
            useful = _changes(p, formation, weight, positions[n], level[n], base[0])
            if useful or _changes(p, formation, weight, positions[n], level[n], base[1]):
                gained[i, y] = _depth(p, formation, weight, positions, level, able, second, out, u) - whole
    return gained
