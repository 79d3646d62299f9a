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
_HALF = 0.5 * FULL  # middle of morale
_HEAD, _OPEN, _ROLE, _NEXT = 0, N_POSITIONS, 2 * N_POSITIONS, 3 * N_POSITIONS  # parts of the scratch array


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
    x = pl.own_ability + m.pick_form * pl.form + m.pick_morale * (pl.morale - _HALF) / _HALF
    return x - m.pick_condition * (FULL - condition_now(w, p, slot)) if rotate == 1 else x


@njit
def pick(w, p, club, out):
    """Fill ``out`` with the slots of today's eleven in role order and up to five on the bench (-1: lacking)."""
    c = w.clubs[club]
    worths = np.empty(len(c.squad))
    lists = np.empty(_NEXT + len(c.squad), np.int64)
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
    worths = np.empty(len(c.squad))
    lists = np.empty(_NEXT + len(c.squad), np.int64)
    _open_roles(p, c.formation, lists)
    for j in range(c.n_squad):
        pl = w.players[c.squad[j]]
        _insert(lists, worths, pl.position, j, pl.own_ability)
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
        lists[_OPEN + role_at(p, formation, r)] += 1


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
    if lists[_OPEN + position] > 0:
        return position
    best, most = _NONE, -1.0
    for role in range(N_POSITIONS):
        if lists[_OPEN + role] > 0 and suitability(p, position, role) > most:
            best, most = role, suitability(p, position, role)
    return best


@njit
def _in_role(p, x, position, role):
    """Worth ``x`` in a role; preference counts only where the role is one he can play."""
    suit = suitability(p, position, role)
    if x < 0.5 * _PREFERRED:
        return x * suit
    return (x - _PREFERRED) * suit + (_PREFERRED if suit >= p.match.playable else 0.0)


@njit
def _fill_eleven(p, c, lists, worths, out):
    """Give the roles out, the greatest worth first."""
    for i in range(MATCH_PLAYERS):
        out[i] = _NONE
    for position in range(N_POSITIONS):
        lists[_ROLE + position] = _best_role(p, lists, position)
    for _ in range(LINEUP):
        position = _strongest(p, lists, worths)
        if position == _NONE:
            return
        role = lists[_ROLE + position]
        j = lists[_HEAD + position]
        lists[_HEAD + position] = lists[_NEXT + j]
        _seat(p, c, out, role, c.squad[j])
        lists[_OPEN + role] -= 1
        if lists[_OPEN + role] == 0:
            for q in range(N_POSITIONS):
                if lists[_ROLE + q] == role:
                    lists[_ROLE + q] = _best_role(p, lists, q)


@njit
def _strongest(p, lists, worths):
    """The position whose best free player is worth most in his best open role, or -1."""
    best, most = _NONE, -1e9
    for position in range(N_POSITIONS):
        j = lists[_HEAD + position]
        if j != _NONE:
            x = _in_role(p, worths[j], position, lists[_ROLE + position])
            if x > most:
                best, most = position, x
    return best


@njit
def _seat(p, c, out, role, slot):
    """Put a player into the first empty place of that role."""
    for r in range(LINEUP):
        if out[r] == _NONE and role_at(p, c.formation, r) == role:
            out[r] = slot
            return


@njit
def _fill_bench(c, lists, worths, out):
    """A goalkeeper first, if there is one, then the best of the others."""
    place = LINEUP
    keeper = lists[_HEAD + Position.GK]
    if keeper != _NONE:
        out[place] = c.squad[keeper]
        place += 1
    while place < MATCH_PLAYERS:
        best, most = _NONE, -1e9
        for position in range(Position.GK + 1, N_POSITIONS):
            j = lists[_HEAD + position]
            if j != _NONE and worths[j] > most:
                best, most = position, worths[j]
        if best == _NONE:
            return
        j = lists[_HEAD + best]
        lists[_HEAD + best] = lists[_NEXT + j]
        out[place] = c.squad[j]
        place += 1
