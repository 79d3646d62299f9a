"""The batched turn: every seat of a batch's worlds plays one action, or worlds are opened, in one compiled call.

The single environment is a batch of one world with one seat. A seat's ``Screen`` holds what its agent is shown and
what the kernel keeps between turns; both are plain bytes beside the world's own.
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
from fmgym.kernels import deals, roster, talks
from fmgym.kernels.actions import begin_turn, end_turn
from fmgym.kernels.lineup import pick
from fmgym.state import MATCH_PLAYERS, record

SKIP, TURN, OPEN, SHOW = 0, 1, 2, 3  # Screen.command
# The parts of ``run`` that reach the whole engine are inlined: each would take seconds more to compile apart.


@functools.cache
def _screen_type(key: tuple[tuple[str, int], ...]) -> np.dtype:
    shape = SimpleNamespace(**dict(key))
    pool = shape.clubs * shape.pool_per_club
    return record(
        [
            ("command", np.int64),  # OPEN counts on a world's first screen and opens it for all seats
            ("action", np.int64),
            ("seed", np.int64),  # of the world to open, on its first screen
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
            ("sealed", np.int64),  # 1: deals wait for the day's end
            ("taken", np.int64, (shape.seats,)),  # 1 for seats that somebody holds
            ("final_only", np.int64),  # 1: the reward is the final score, at the end
            ("academy", np.int64),  # where tables start in the flat buffer
            ("club", np.int64),
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

    ``worlds`` (W,): one record each. ``screens`` (W, seats). ``flats`` (W, seats, size): the same memory as
    ``screens.obs``. ``params``, ``setups``: one record. A world to be opened must have been zeroed.
    """
    p = params[0]
    setup = setups[0]
    args = np.empty(N_ARGS, np.int64)  # of every call in turn
    for i in range(len(worlds)):
        if screens[i, 0].command == OPEN:
            open_world(worlds[i], p, screens[i], flats[i], setup)
        else:
            play(worlds[i], p, screens[i], flats[i], setup, args)


@njit(inline="always")
def open_world(w, p, screens, flats, setup):
    """Open the world of the first screen's seed and show every seat its first stop."""
    engine.reset(w, p, screens[0].seed, setup.opponents, setup.seasons, setup.auto_draft, setup.taken, setup.sealed)
    for seat in range(len(screens)):
        screen = screens[seat]
        screen.error = Error.OK.value
        screen.over = 0
        screen.reward = 0.0
        screen.score = 0.0  # so that rewards sum to the final score, whoever drafts
        screen.norm_stop[:] = 0
        if w.seats[seat].settled == Settle.LIVE:
            open_stop(w, p, seat, screen, flats[seat], setup)


@njit(inline="always")
def play(w, p, screens, flats, setup, args):
    """One turn of each seat that is to take one, then time if all wait, then rewards and screens."""
    turns = 0
    for seat in range(len(screens)):
        screen = screens[seat]
        if screen.command == SHOW:
            show(w, p, seat, screen, flats[seat], setup)
        elif screen.command == TURN:
            screen.reward = 0.0
            turns += 1
            if w.seats[seat].waiting == 0:
                _turn(w, p, seat, screen, flats[seat], setup, args)
            else:
                screen.error = Error.OK.value if screen.action == 0 else Error.WAITING.value
    if turns > 0 and engine.move(w, p):
        for seat in range(len(screens)):
            if screens[seat].over == 0 and setup.taken[seat] == 1:
                _after_move(w, p, seat, screens[seat], flats[seat], setup)


@njit(inline="always")
def _turn(w, p, seat, screen, flat, setup, args):
    """One turn of a seat: the call an action means. What it shows unless time moves on comes with it."""
    args[:] = 0
    begin_turn(w, seat)
    tool, n = actions.decode(w, p, seat, screen, setup.starts, screen.action, args)
    screen.error, outcome, _ = engine.play(w, p, seat, tool, args, n)
    if end_turn(w, p, seat):
        wait(screen)
    elif screen.error != Error.OK:
        fill.tick(w, p, seat, screen)
    else:
        _show_effect(w, p, seat, screen, flat, setup, args[0], outcome)


@njit
def wait(screen):
    """Between its stops a seat can only wait, and has no turns left; else it is shown what it last saw."""
    screen.mask[:] = 0
    screen.mask[0] = 1
    screen.obs.calendar.turns_left = 0.0


@njit
def _after_move(w, p, seat, screen, flat, setup):
    """Time has moved: the reward, and a seat that has a new stop, or none any more, is shown how things stand."""
    graded(w, p, seat, screen, setup)
    if w.seats[seat].waiting == 0 or screen.over == 1:
        open_stop(w, p, seat, screen, flat, setup)


@njit
def _show_effect(w, p, seat, screen, flat, setup, subject, outcome):
    """Show what an accepted call can have changed, and no more. ``subject``: its first argument.

    What is set freely (tactics, lineup, orders, the transfer list) never changes what is legal, nor the score.
    """
    group, row, column = actions.locate(setup.starts, screen.action)
    if group == Group.LIST:
        fill.listed(w, p, seat, screen, row, flat, setup)
    elif group == Group.ORDER:
        fill.orders(w, p, seat, screen)
    elif group == Group.TACTICS or group == Group.AUTO_LINEUP or group == Group.START:
        pick(w, p, w.seats[seat].club, screen.eleven)
        fill.plans(w, p, seat, screen, flat, setup)
    elif group == Group.DRAFT or _forgotten(w, seat, screen, outcome):
        graded(w, p, seat, screen, setup)
        show(w, p, seat, screen, flat, setup)
    else:
        uid = w.seats[seat].offers[row].uid if group == Group.REPLY else subject
        if group == Group.RENEW and outcome == Outcome.ACCEPTED:
            _show_renewal(w, p, seat, screen, flat, setup, row)
            _show_talks(w, p, seat, screen, flat, setup, uid)
        elif _is_talk(w, seat, group, column, uid, outcome):
            _show_talks(w, p, seat, screen, flat, setup, uid)
        else:
            _show_move(w, p, seat, screen, flat, setup, group, row, uid)


@njit
def _forgotten(w, seat, screen, outcome):
    """Whether a call may bear on other players: by the last place in a memory, or broken-off talks that are over."""
    s = w.seats[seat]
    if talks.cooling(w, s.club) != screen.cooling + (outcome == Outcome.TALKS_OFF) or not deals.has_room(w, seat):
        return True
    for i in range(len(s.offers)):
        if s.offers[i].state == OfferState.NONE:
            return False
    return True


@njit
def _is_talk(w, seat, group, column, uid, outcome):
    """Whether a call has changed nothing but the talks about a player: no club's players or cash, nothing lodged."""
    if group == Group.BID:
        return True
    if group == Group.REPLY and column == actions.REJECT:
        return w.sealed == 0
    if group != Group.SIGN and group != Group.REPLY and group != Group.RENEW:
        return False
    if group == Group.SIGN and outcome == Outcome.ACCEPTED:  # for the time after his contract, unless he has come
        return w.players[roster.slot_of(w, uid)].club != w.seats[seat].club
    return outcome != Outcome.ACCEPTED and outcome != Outcome.LODGED


@njit
def _show_talks(w, p, seat, screen, flat, setup, uid):
    """Talks about a player, who may be on a market row, in the squad, or on neither."""
    i, j = fill.market_row_of(screen, uid), fill.squad_row_of(w, seat, uid)
    fill.talked(w, p, seat, screen, i, j, uid, flat, setup)
    if i >= 0:
        actions.mask_market_row(w, p, seat, screen, setup.starts, i)
    if j >= 0:
        actions.mask_squad_row(w, p, seat, screen, setup.starts, j)
    actions.mask_replies(w, p, seat, screen, setup.starts, uid)


@njit
def _show_renewal(w, p, seat, screen, flat, setup, row):
    """A new contract can lift a senior's morale, and that put him into the eleven."""
    c = w.clubs[w.seats[seat].club]
    if w.players[c.squad[row]].morale_day == w.day:
        pick(w, p, w.seats[seat].club, screen.eleven)
    graded(w, p, seat, screen, setup)
    fill.renewed(w, p, seat, screen, flat, setup)


@njit
def _show_move(w, p, seat, screen, flat, setup, group, row, uid):
    """A player has come, gone or been promoted, cash been spent or a deal lodged. Newcomers are last in the squad."""
    graded(w, p, seat, screen, setup)
    pick(w, p, w.seats[seat].club, screen.eleven)
    first = w.clubs[w.seats[seat].club].n_squad - 1
    if group == Group.RELEASE or group == Group.REPLY:
        first = row if group == Group.RELEASE else 0
    fill.moved(w, p, seat, screen, uid, first, flat, setup)
    actions.masks(w, p, seat, screen, setup.starts)


@njit
def graded(w, p, seat, screen, setup):
    """The reward: what the turn changed in the score, or at the end the score itself."""
    before = screen.score
    screen.score = score.now(w, p, seat)
    screen.over = 1 if w.seats[seat].settled != Settle.LIVE else 0
    if setup.final_only == 0:
        screen.reward += screen.score - before
    elif screen.over == 1:
        screen.reward = screen.score


@njit
def open_stop(w, p, seat, screen, flat, setup):
    """Time has moved: new market rows, then everything."""
    shortlist.choose(w, p, seat, screen.market)
    show(w, p, seat, screen, flat, setup)


@njit
def show(w, p, seat, screen, flat, setup):
    """Bring the whole observation and the mask up to date."""
    pick(w, p, w.seats[seat].club, screen.eleven)
    fill.fill(w, p, seat, screen, flat, setup)
    actions.masks(w, p, seat, screen, setup.starts)
