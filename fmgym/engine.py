"""The whole turn in compiled code: reset, one call of one seat, and the world's advance.

Everything above (envs, sessions, runners) drives worlds through these functions.
"""

import numpy as np

from fmgym import generate
from fmgym.enums import Settle
from fmgym.jit import njit
from fmgym.kernels import actions, day, deals, draft, season
from fmgym.score import net_worth


@njit
def reset(w, p, seed, opponents, seasons, auto_draft, taken, sealed):
    """Open the world of ``seed`` in a zeroed record and go to its first stop.

    ``taken``: 1 for each seat that somebody holds. ``sealed``: 1 when deals wait for the day's end.
    """
    generate.build(w, p, seed, opponents, seasons, auto_draft, taken, sealed)
    if w.draft_open > 0:
        for seat in range(len(w.seats)):
            if w.seats[seat].settled == Settle.LIVE:
                day.open_stop(w, p, seat)
        return
    begin(w, p)
    day.advance(w, p)


@njit
def begin(w, p):
    """Day 0 after the drafts: the first season opens and every club's baseline is taken."""
    season.open_season(w, p)
    for club in range(len(w.clubs)):
        w.clubs[club].start_net_worth = net_worth(w, p, club)


@njit
def play(w, p, seat, tool, args, n):
    """One call of one seat. Returns (error, outcome, value). The clock does not move."""
    return actions.act(w, p, seat, tool, args, n)


@njit
def move(w, p):
    """Let time run to the next stop when every live seat waits. Returns whether it did."""
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        if s.settled == Settle.LIVE and s.waiting == 0:
            return False
    if w.finished == 1:
        return False
    if w.draft_open > 0:
        _close_draft(w, p)
    deals.resolve(w, p)
    day.advance(w, p)
    return True


@njit
def _close_draft(w, p):
    """Complete every seat's list with the cheapest templates and hire the squads."""
    picks = np.zeros(len(w.templates), np.int64)
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        if s.settled != Settle.LIVE:
            continue
        for i in range(s.n_draft):
            picks[i] = s.draft[i]
        draft.hire(w, p, s.club, picks, draft.complete_draft(w, p, picks, s.n_draft))
        s.drafted = 1
    w.draft_open = 0
    begin(w, p)
