"""Who plays: an eleven for the club's formation and a bench, from what the club believes of its players.

The players of each position are kept in a list sorted by worth. Each place goes to the best of its own
position; then, as long as it helps, the best free man of some position takes the place where he gains most
over the man who holds it. Ties go to the earlier position, role and place in the squad.
"""

import numpy as np

from fmgym.enums import N_POSITIONS, Position
from fmgym.jit import njit
from fmgym.kernels.condition import FULL, available, condition_now
from fmgym.state import LINEUP, MATCH_PLAYERS

_PREFERRED = 1e6  # any preferred player comes before any other
_NONE = -1
_NOBODY = -1.0  # value where nobody is left; worths are taken as 0 at least
_NEVER = 1e9  # more than any worth
_PER_MIDDLE = 2.0 / FULL  # scales morale to 1 at its middle
_ROOM = 64  # no squad is larger (shape.squad)
# Parts of the scratch arrays. Of integers: by position, the best free man; by role, its first place, how many
# it has and where its weakest man is; by place in the squad, the next best man of his position.
_HEAD, _FIRST, _PLACES, _WEAKEST, _NEXT = range(0, 5 * N_POSITIONS, N_POSITIONS)
# Of floats: by place in the squad, worth; by place in the eleven, its man's worth there; by role, the least.
_VALUE, _LEAST = _ROOM, _ROOM + MATCH_PLAYERS
SCRATCH = _NEXT + _ROOM


@njit
def suitability(p, position, role):
    """The share of his ability that a player of ``position`` keeps in a role."""
    return p.match.suit[position * N_POSITIONS + role]


@njit
def role_at(p, formation, index):
    """The role (a Position code) at ``index`` of a formation's eleven."""
    return p.match.roles[formation * LINEUP + index]


@njit
def worth(w, p, slot, rotate):
    """What a manager takes a player for today: belief, form, morale and, if he rotates, condition."""
    pl = w.players[slot]
    m = p.match
    x = pl.own_ability + m.pick_form * pl.form + m.pick_morale * (pl.morale * _PER_MIDDLE - 1.0)
    if rotate == 1:
        x -= m.pick_condition * (FULL - condition_now(w, p, slot))
    return max(x, 0.0)


@njit
def pick(w, p, club, out):
    """Fill ``out`` with the slots of today's eleven in role order, and of a bench (-1: lacking)."""
    pick_into(w, p, club, out, np.empty(SCRATCH), np.empty(SCRATCH, np.int64))


@njit
def pick_into(w, p, club, out, worths, lists):
    """``pick`` with two arrays of ``SCRATCH`` elements to work in."""
    c = w.clubs[club]
    _open_roles(p, c.formation, lists)
    for j in range(c.n_squad):
        slot = c.squad[j]
        if available(w, p, slot):
            x = worth(w, p, slot, c.rotate)
            if c.lineup_auto == 0 and _is_preferred(c, w.players[slot].uid) and fit(w, p, slot):
                x += _PREFERRED
            _insert(lists, worths, w.players[slot].position, j, x)
    _fill_eleven(w, p, c, lists, worths, out)
    _fill_bench(c, lists, worths, out)


@njit
def best_eleven_strength(w, p, club):
    """Mean believed ability, in its roles, of the best eleven, whatever its condition and injuries."""
    out = np.empty(MATCH_PLAYERS, np.int64)
    _best(w, p, club, out)
    total = 0.0
    for r in range(LINEUP):
        role = role_at(p, w.clubs[club].formation, r)
        if out[r] == _NONE:
            total += p.match.absent
        else:
            pl = w.players[out[r]]
            total += pl.own_ability * suitability(p, pl.position, role)
    return total / LINEUP


@njit
def mark_first_choice(w, p, club):
    """Set ``first_choice`` for the best eleven, whatever its condition and injuries."""
    out = np.empty(MATCH_PLAYERS, np.int64)
    _best(w, p, club, out)
    c = w.clubs[club]
    for j in range(c.n_squad):
        w.players[c.squad[j]].first_choice = 0
    for r in range(LINEUP):
        if out[r] != _NONE:
            w.players[out[r]].first_choice = 1


@njit
def _best(w, p, club, out):
    """The eleven by believed ability alone."""
    c = w.clubs[club]
    worths, lists = np.empty(SCRATCH), np.empty(SCRATCH, np.int64)
    _open_roles(p, c.formation, lists)
    for j in range(c.n_squad):
        pl = w.players[c.squad[j]]
        _insert(lists, worths, pl.position, j, max(pl.own_ability, 0.0))
    _fill_eleven(w, p, c, lists, worths, out)


@njit
def fit(w, p, slot):
    """Whether a player of the preferred eleven is fresh enough to start; the unfit are replaced."""
    return condition_now(w, p, slot) >= p.match.unfit


@njit
def _is_preferred(c, uid):
    found = False
    for r in range(LINEUP):
        found = found or c.lineup[r] == uid
    return found


@njit
def _open_roles(p, formation, lists):
    """Empty lists; where the places of each role are."""
    for q in range(N_POSITIONS):
        lists[_HEAD + q] = _NONE
        lists[_PLACES + q] = 0
    for r in range(LINEUP):
        role = role_at(p, formation, r)
        lists[_PLACES + role] += 1
        lists[_FIRST + role] = r + 1 - lists[_PLACES + role]


@njit
def _insert(lists, worths, position, j, x):
    """Put squad place ``j`` into its position's list, best first."""
    worths[j] = x
    before = _HEAD + position
    while lists[before] != _NONE and worths[lists[before]] >= x:
        before = _NEXT + lists[before]
    lists[_NEXT + j] = lists[before]
    lists[before] = j


@njit
def _value(p, x, position, role):
    """Worth ``x`` in a role; preference counts where the role is one the man can play."""
    suit = suitability(p, position, role)
    preferred = _PREFERRED if x >= _PREFERRED else 0.0
    return (x - preferred) * suit + (preferred if suit >= p.match.playable else 0.0)


@njit
def _fill_eleven(w, p, c, lists, worths, out):
    """Every place to its own position, then improve."""
    for role in range(N_POSITIONS):
        for place in range(lists[_FIRST + role], lists[_FIRST + role] + lists[_PLACES + role]):
            j = lists[_HEAD + role]
            out[place] = j
            worths[_VALUE + place] = _NOBODY if j == _NONE else worths[j]
            if j != _NONE:
                lists[_HEAD + role] = lists[_NEXT + j]
        _find_weakest(lists, worths, role)
    for _ in range(_ROOM):
        if not _improve(w, p, c, lists, worths, out):
            break
    for place in range(LINEUP):
        if out[place] != _NONE:
            out[place] = c.squad[out[place]]


@njit
def _find_weakest(lists, worths, role):
    """Note the weakest man of a role; a role the formation has not is never improved."""
    weakest, least = _NONE, _NEVER
    for place in range(lists[_FIRST + role], lists[_FIRST + role] + lists[_PLACES + role]):
        x = worths[_VALUE + place]
        weakest = place if x < least else weakest
        least = min(x, least)
    lists[_WEAKEST + role] = weakest
    worths[_LEAST + role] = least


@njit
def _improve(w, p, c, lists, worths, out):
    """The free man who gains most over the weakest of some role takes his place. False when none gains."""
    position, into, most = _NONE, _NONE, 0.0
    for q in range(N_POSITIONS):
        if lists[_HEAD + q] != _NONE:
            x = worths[lists[_HEAD + q]]
            for role in range(N_POSITIONS):
                gain = _value(p, x, q, role) - worths[_LEAST + role]
                position = q if gain > most else position
                into = role if gain > most else into
                most = max(gain, most)
    if position == _NONE:
        return False
    place, j = lists[_WEAKEST + into], lists[_HEAD + position]
    lists[_HEAD + position] = lists[_NEXT + j]
    if out[place] != _NONE:  # he is free again, ahead of the others of his position
        his = _HEAD + w.players[c.squad[out[place]]].position
        lists[_NEXT + out[place]] = lists[his]
        lists[his] = out[place]
    out[place] = j
    worths[_VALUE + place] += most
    _find_weakest(lists, worths, into)
    return True


@njit
def _greatest(values):
    """Index of the greatest of the positions' values, the first of equals."""
    best, most = 0, values[0]
    for q in range(1, N_POSITIONS):
        x = values[q]
        best = q if x > most else best
        most = max(x, most)
    return best


@njit
def _fill_bench(c, lists, worths, out):
    """A goalkeeper first, if there is one, then the best of the others."""
    place = LINEUP
    for i in range(LINEUP, MATCH_PLAYERS):
        out[i] = _NONE
    keeper = lists[_HEAD + Position.GK]
    if keeper != _NONE:
        out[place] = c.squad[keeper]
        place += 1
    values = worths[_VALUE:]
    for q in range(N_POSITIONS):
        j = lists[_HEAD + q]
        values[q] = _NOBODY if j == _NONE or q == Position.GK else worths[j]
    while place < MATCH_PLAYERS:
        q = _greatest(values)
        if values[q] == _NOBODY:
            return
        j = lists[_HEAD + q]
        out[place] = c.squad[j]
        place += 1
        lists[_HEAD + q] = lists[_NEXT + j]
        values[q] = _NOBODY if lists[_NEXT + j] == _NONE else worths[lists[_NEXT + j]]
