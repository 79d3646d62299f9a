"""Doors from Python into compiled code, for one world.

numba takes some 50 microseconds to find out the type of a record it is handed, and half of one for an
array. So what Python asks often goes in as arrays of one element, and what belongs together comes out at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fmgym import engine, score
from fmgym.calendar import window_open
from fmgym.enums import N_FACILITIES
from fmgym.jit import njit
from fmgym.kernels import academy, actions, contracts, deals, finance, roster, talks
from fmgym.kernels.condition import condition_now
from fmgym.kernels.money import debts_of
from fmgym.world import World


class Figures(NamedTuple):
    """A seat's club in numbers; money in thousands."""

    score: float  # as if the run were completed now
    net_worth: int
    squad_value: int
    expected_revenue: int
    wage_costs: int
    wage_ratio: float
    runway: int  # days
    debts: int
    window: int  # calendar.window_open


@njit
def _figures(worlds: Any, params: Any, seat: int) -> Any:
    w = worlds[0]
    p = params[0]
    club = w.seats[seat].club
    return (
        score.now(w, p, seat),
        score.net_worth(w, p, club),
        score.squad_value(w, club),
        finance.expected_revenue(w, p, club),
        finance.wage_costs(w, p, club),
        finance.wage_ratio(w, p, club),
        finance.runway(w, p, club),
        debts_of(w, club),
        window_open(p, w.day),
    )


def figures(world: World, seat: int) -> Figures:
    """The numbers of a seat's club."""
    return Figures(*_figures(world.array, world.params.record, seat))


@njit
def _conditions(worlds: Any, params: Any, slots: np.ndarray) -> np.ndarray:
    out = np.empty(len(slots))
    for i in range(len(slots)):
        out[i] = condition_now(worlds[0], params[0], slots[i])
    return out


def conditions(world: World, slots: Sequence[int]) -> list[float]:
    """Players' conditions today, 0 to 100."""
    found: list[float] = _conditions(world.array, world.params.record, np.array(slots, np.int64)).tolist()
    return found


@njit
def _promotion_wages(worlds: Any, params: Any, slots: np.ndarray) -> np.ndarray:
    out = np.empty(len(slots), np.int64)
    for i in range(len(slots)):
        out[i] = academy.promotion_wage(worlds[0], params[0], slots[i])
    return out


def promotion_wages(world: World, slots: Sequence[int]) -> list[int]:
    """The wages (k a year) prospects sign their first contracts for."""
    found: list[int] = _promotion_wages(world.array, world.params.record, np.array(slots, np.int64)).tolist()
    return found


@njit
def _upgrade_costs(worlds: Any, params: Any, club: int) -> np.ndarray:
    out = np.empty(N_FACILITIES, np.int64)
    for kind in range(N_FACILITIES):
        out[kind] = finance.upgrade_cost(worlds[0], params[0], club, kind)
    return out


def upgrade_costs(world: World, club: int) -> list[int]:
    """What the next level of each facility costs today, k."""
    found: list[int] = _upgrade_costs(world.array, world.params.record, club).tolist()
    return found


@njit
def _severance(worlds: Any, params: Any, slot: int) -> Any:
    return contracts.severance(worlds[0], params[0], slot)


def severance(world: World, slot: int) -> int:
    """What releasing a senior costs, k."""
    return int(_severance(world.array, world.params.record, slot))


@njit
def _slot_of(worlds: Any, uid: int) -> Any:
    return roster.slot_of(worlds[0], uid)


def slot_of(world: World, uid: int) -> int:
    """The slot of a living player, or -1."""
    return int(_slot_of(world.array, uid))


@njit
def _talk_index(worlds: Any, club: int, uid: int) -> Any:
    return talks.find(worlds[0], club, uid)


def talk_index(world: World, club: int, uid: int) -> int:
    """Index of a club's memory of a player, or -1."""
    return int(_talk_index(world.array, club, uid))


@njit
def _lodged_index(worlds: Any, seat: int, uid: int) -> Any:
    return deals.find(worlds[0], seat, uid)


def lodged_index(world: World, seat: int, uid: int) -> int:
    """Index of what a seat has lodged about a player, or -1."""
    return int(_lodged_index(world.array, seat, uid))


@njit
def _check(worlds: Any, params: Any, seat: int, tool: int, args: np.ndarray, n: int) -> Any:
    return actions.check(worlds[0], params[0], seat, tool, args, n)


def check(world: World, seat: int, tool: int, args: np.ndarray, n: int) -> int:
    """The refusal code of a call."""
    return int(_check(world.array, world.params.record, seat, tool, args, n))


@njit
def _begin_turn(worlds: Any, seat: int) -> None:
    actions.begin_turn(worlds[0], seat)


def begin_turn(world: World, seat: int) -> None:
    """Count a turn."""
    _begin_turn(world.array, seat)


@njit
def _play(worlds: Any, params: Any, seat: int, tool: int, args: np.ndarray, n: int) -> Any:
    return engine.play(worlds[0], params[0], seat, tool, args, n)


def play(world: World, seat: int, tool: int, args: np.ndarray, n: int) -> tuple[int, int, int]:
    """One call of one seat: error, outcome, value."""
    answer: tuple[int, int, int] = _play(world.array, world.params.record, seat, tool, args, n)
    return answer


@njit
def _end_turn(worlds: Any, params: Any, seat: int) -> None:
    actions.end_turn(worlds[0], params[0], seat)


def end_turn(world: World, seat: int) -> None:
    """Close the stop if this was its last turn."""
    _end_turn(world.array, world.params.record, seat)


@njit
def _move(worlds: Any, params: Any) -> None:
    engine.move(worlds[0], params[0])


def move(world: World) -> None:
    """Let time run if every live seat waits."""
    _move(world.array, world.params.record)
