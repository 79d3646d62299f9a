"""Who plays: an eleven for the club's formation and a bench, from what the club believes of its players.

The players of each position are kept in a list sorted by worth. The greatest worth x suitability over all
positions takes the best role still open to it, until the eleven is full; ties go to the earlier position
and the earlier place in the squad.
"""

import numpy as np

from fmgym.enums import N_POSITIONS, Position
from fmgym.jit import njit
from fmgym.kernels.condition import FULL, available, condition_now
from fmgym.state import LINEUP, MATCH_PLAYERS

_PREFERRED = 1e6  # any preferred player comes before any other
_NONE = -1
_NOBODY = -1.0  # value where nobody is left; worths are taken as 0 at least
_PER_MIDDLE = 2.0 / FULL  # scales morale to 1 at its middle
# Parts of the scratch array of integers: by position the best free man and the role he would take, by role the
# places still open and the next place in the eleven, by place in the squad the next best man of his position.
_HEAD, _TAKES, _OPEN, _PLACE, _NEXT = range(0, 5 * N_POSITIONS, N_POSITIONS)
_VALUES = 64  # of the scratch array of floats, after the worths of the squad: by position, the best man's value
SCRATCH = _NEXT + _VALUES  # no squad is larger than 64 (shape.squad)


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
    """What a manager takes a player for today: believed ability, form, morale and, if he rotates, condition."""
    pl = w.players[slot]
    m = p.match
    x = pl.own_ability + m.pick_form * pl.form + m.pick_morale * (pl.morale * _PER_MIDDLE - 1.0)
    if rotate == 1:
        x -= m.pick_condition * (FULL - condition_now(w, p, slot))
    return max(x, 0.0)


@njit
def pick(w, p, club, out):
    """Fill ``out`` with the slots of today's eleven in role order and up to five on the bench (-1: lacking)."""
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
            if c.lineup_auto == 0 and _is_preferred(c, w.players[slot].uid):
                x += _PREFERRED
            _insert(lists, worths, w.players[slot].position, j, x)
    _fill_eleven(p, c, lists, worths, out)
    _fill_bench(c, lists, worths, out)


@njit
def best_eleven_strength(w, p, club):
    """Mean believed ability, in their roles, of the club's best eleven, whatever their condition or injuries."""
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
    """Set ``first_choice`` for the players of the club's best eleven, whatever their condition or injuries."""
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
    _fill_eleven(p, c, lists, worths, out)


@njit
def _is_preferred(c, uid):
    for r in range(LINEUP):
        if c.lineup[r] == uid:
            return True
    return False


@njit
def _open_roles(p, formation, lists):
    """Empty lists; count the roles of the formation."""
    for q in range(N_POSITIONS):
        lists[_HEAD + q] = _NONE
        lists[_OPEN + q] = 0
    for r in range(LINEUP):
        role = role_at(p, formation, r)
        lists[_OPEN + role] += 1
        lists[_PLACE + role] = r + 1 - lists[_OPEN + role]


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
def _best_role(p, lists, position):
    """The open role that suits a position best, or -1 when all are taken."""
    best, most = _NONE, 0.0
    for role in range(N_POSITIONS):
        suit, still = suitability(p, position, role), lists[_OPEN + role]
        x = suit if still > 0 else 0.0
        best = role if x > most else best
        most = x if x > most else most
    return best


@njit
def _value(p, lists, worths, position):
    """Worth of the best free man of a position in the role he would take."""
    j, role = lists[_HEAD + position], lists[_TAKES + position]
    if j == _NONE or role == _NONE:
        return _NOBODY
    suit = suitability(p, position, role)
    if worths[j] < 0.5 * _PREFERRED:
        return worths[j] * suit
    return (worths[j] - _PREFERRED) * suit + (_PREFERRED if suit >= p.match.playable else 0.0)


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
def _fill_eleven(p, c, lists, worths, out):
    """Give the roles out, the greatest worth first. A position looks for another role when its turn comes and
    the role it would take is full: until then its value is an upper bound."""
    for i in range(MATCH_PLAYERS):
        out[i] = _NONE
    values = worths[_VALUES:]
    for q in range(N_POSITIONS):
        lists[_TAKES + q] = q
        values[q] = _value(p, lists, worths, q)
    filled = 0
    while filled < LINEUP:
        q = _greatest(values)
        if values[q] == _NOBODY:
            return
        role = lists[_TAKES + q]
        if lists[_OPEN + role] == 0:
            lists[_TAKES + q] = _best_role(p, lists, q)
        else:
            _assign(c, lists, out, q, role)
            filled += 1
        values[q] = _value(p, lists, worths, q)


@njit
def _assign(c, lists, out, position, role):
    """The best free man of a position takes the next place of a role."""
    j = lists[_HEAD + position]
    lists[_HEAD + position] = lists[_NEXT + j]
    out[lists[_PLACE + role]] = c.squad[j]
    lists[_PLACE + role] += 1
    lists[_OPEN + role] -= 1


@njit
def _fill_bench(c, lists, worths, out):
    """A goalkeeper first, if there is one, then the best of the others."""
    place = LINEUP
    keeper = lists[_HEAD + Position.GK]
    if keeper != _NONE:
        out[place] = c.squad[keeper]
        place += 1
    values = worths[_VALUES:]
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
