"""The batched turn: every world of a batch plays one action, or opens another world, in one compiled call.

The single environment is a batch of one. A world's ``Screen`` holds what its agent is shown and what the kernel
keeps between turns; both are plain bytes beside the world's own.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np

from fmgym import engine, score
from fmgym.enums import Error, OfferState, Outcome, Settle
from fmgym.envs import actions, fill, shortlist
from fmgym.envs.actions import N_ARGS, Group
from fmgym.envs.observation import MARKET_ROWS, layout
from fmgym.jit import njit
from fmgym.kernels import talks
from fmgym.kernels.actions import begin_turn, end_turn
from fmgym.kernels.lineup import pick
from fmgym.state import MATCH_PLAYERS, record

SKIP, TURN, OPEN, SHOW = 0, 1, 2, 3  # Screen.command
# The parts of ``run`` that reach the whole engine are inlined: each would take seconds more to compile apart.
SEAT = 0  # the seat under control


@functools.cache
def _screen_type(key: tuple[tuple[str, int], ...]) -> np.dtype:
    shape = SimpleNamespace(**dict(key))
    pool = shape.clubs * shape.pool_per_club
    return record(
        [
            ("command", np.int64),
            ("action", np.int64),
            ("seed", np.int64),  # of the world to open
            ("error", np.int64),  # enums.Error of the last turn
            ("over", np.int64),  # 1 when the run has settled
            ("score", np.float64),
            ("reward", np.float64),
            ("market", np.int64, (MARKET_ROWS,)),  # uids behind the market rows, 0: none
            ("eleven", np.int64, (MATCH_PLAYERS,)),  # slots of today's eleven and bench, -1: none
            ("cooling", np.int64),  # talks with the club that are broken off
            ("norm", np.float64, (pool,)),  # usual wages by slot, k ...
            ("norm_stop", np.int64, (pool,)),  # ... valid when this is the seat's running stop
            ("obs", layout(shape).dtype),
            ("mask", np.int8, (actions.encoding(shape).size,)),
        ]
    )


def screen_type(shape: SimpleNamespace) -> np.dtype:
    """The record type of a screen for ``Params.shape``."""
    return _screen_type(tuple(sorted(vars(shape).items())))


def setup_type(shape: SimpleNamespace) -> np.dtype:
    """The record type of what all worlds of a batch share."""
    size = layout(shape).size
    return record(
        [
            ("seasons", np.int64),
            ("opponents", np.int64),
            ("auto_draft", np.int64),
            ("final_only", np.int64),  # 1: the reward is the final score, at the end
            ("club", np.int64),  # where tables start in the flat buffer
            ("market", np.int64),
            ("offers", np.int64),
            ("squad", np.int64),
            ("starts", np.int64, (len(actions.GROUPS) + 1,)),
            ("low", np.float32, (size,)),
            ("high", np.float32, (size,)),
        ]
    )


@njit
def run(worlds, params, screens, flats, setups):
    """Carry out every screen's command.

    ``worlds``, ``screens``: one record each a world. ``flats`` (W, size): the same memory as ``screens.obs``.
    ``params``, ``setups``: one record. A world to be opened must have been zeroed.
    """
    p = params[0]
    setup = setups[0]
    for i in range(len(worlds)):
        if screens[i].command == TURN:
            turn(worlds[i], p, screens[i], flats[i], setup)
        elif screens[i].command == OPEN:
            open_world(worlds[i], p, screens[i], flats[i], setup)
        elif screens[i].command == SHOW:
            show(worlds[i], p, screens[i], flats[i], setup)


@njit(inline="always")
def open_world(w, p, screen, flat, setup):
    """Open the world of the screen's seed and show its first stop."""
    engine.reset(w, p, screen.seed, setup.opponents, setup.seasons, setup.auto_draft)
    screen.error = Error.OK.value
    screen.over = 0
    screen.reward = 0.0
    screen.score = 0.0  # so that rewards sum to the final score, whoever drafts
    screen.norm_stop[:] = 0
    _open_stop(w, p, screen, flat, setup)


@njit(inline="always")
def turn(w, p, screen, flat, setup):
    """One turn: the call an action means, then time if the stop is over, then reward and screen."""
    args = np.zeros(N_ARGS, np.int64)
    begin_turn(w, SEAT)
    tool, n = actions.decode(w, p, SEAT, screen, setup.starts, screen.action, args)
    screen.error, outcome, _ = engine.play(w, p, SEAT, tool, args, n)
    moved = end_turn(w, p, SEAT) and engine.move(w, p)
    screen.reward = 0.0
    if moved:
        _grade(w, p, screen, setup)
        _open_stop(w, p, screen, flat, setup)
    elif screen.error != Error.OK:
        fill.tick(w, p, SEAT, screen)
    elif _forgotten(w, screen, outcome) or not _shown_in_part(w, p, screen, flat, setup, outcome == Outcome.ACCEPTED):
        _grade(w, p, screen, setup)
        show(w, p, screen, flat, setup)


@njit
def _forgotten(w, screen, outcome):
    """Whether a call may have pushed another player's offer, or broken-off talks, out of a full memory."""
    s = w.seats[SEAT]
    if talks.cooling(w, s.club) != screen.cooling + (outcome == Outcome.TALKS_OFF):
        return True
    for i in range(len(s.offers)):
        if s.offers[i].state == OfferState.NONE:
            return False
    return True


@njit
def _shown_in_part(w, p, screen, flat, setup, agreed):
    """After calls that move neither players nor money: show what they change. Returns whether it was one.

    What is set freely (tactics, lineup, orders, the transfer list) never changes what is legal, nor the score.
    """
    group, row, _ = actions.locate(setup.starts, screen.action)
    if group == Group.BID or (group == Group.SIGN and not agreed):
        fill.market_talks(w, p, SEAT, screen, row, flat, setup)
        actions.mask_market_row(w, p, SEAT, screen, setup.starts, row)
        actions.mask_replies(w, p, SEAT, screen, setup.starts)
    elif group == Group.RENEW and not agreed:
        fill.squad_talks(w, p, SEAT, screen, row, flat, setup)
        actions.mask_squad_row(w, p, SEAT, screen, setup.starts, row)
        actions.mask_replies(w, p, SEAT, screen, setup.starts)
    elif group == Group.LIST:
        fill.squad_row(w, p, SEAT, screen, row, flat, setup)
    elif group == Group.TACTICS or group == Group.AUTO_LINEUP or group == Group.START or group == Group.ORDER:
        pick(w, p, w.seats[SEAT].club, screen.eleven)
        fill.plans(w, p, SEAT, screen, flat, setup)
    else:
        return False
    return True


@njit
def _grade(w, p, screen, setup):
    """The reward: what the turn changed in the score, or at the end the score itself."""
    before = screen.score
    screen.score = score.now(w, p, SEAT)
    screen.over = 1 if w.seats[SEAT].settled != Settle.LIVE else 0
    if setup.final_only == 0:
        screen.reward = screen.score - before
    elif screen.over == 1:
        screen.reward = screen.score


@njit(inline="always")
def _open_stop(w, p, screen, flat, setup):
    """Time has moved: new market rows, then everything."""
    shortlist.choose(w, p, SEAT, screen.market)
    show(w, p, screen, flat, setup)


@njit
def show(w, p, screen, flat, setup):
    """Bring the whole observation and the mask up to date."""
    pick(w, p, w.seats[SEAT].club, screen.eleven)
    fill.fill(w, p, SEAT, screen, flat, setup)
    actions.masks(w, p, SEAT, screen, setup.starts)
