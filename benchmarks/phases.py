"""Where the time of twenty seasons goes: cycles of the processor's counter, phase by phase of a day.

    python benchmarks/phases.py [--runs 30] [--seed 1]

Runs one world alone several times and takes the least time of each phase of each day: what other programs take
of the machine falls out. The days are those of ``fmgym.kernels.day.step``: a run must end in the digest of
``World.run``, or this program's order of phases is an old one and it ends with status 1.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script it finds itself alone

from fmgym import alone
from fmgym.calendar import day_of_year, season_of, window_open
from fmgym.jit import njit
from fmgym.kernels import board, condition, day, deals, development, finance, managers, orders, scouting, season
from fmgym.kernels.lineup import mark_first_choice
from fmgym.state import YEAR

PHASES = (
    "season's start",
    "matches",
    "money of a month",
    "growth of a month",
    "training injuries",
    "morale",
    "reports and values",
    "first choices and renewals",
    "market days",
    "free agents",
    "settlement",
    "intake",
    "offers, orders, boards",
    "turn of the year",
)
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@intrinsic  # type: ignore[untyped-decorator]
def cycles(context: Any) -> Any:
    """The processor's cycle counter."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])

    return types.int64(), code


@njit
def _count(row, phase, since):
    now = cycles()
    row[phase] += now - since
    return now


@njit
def run(w, p, taken):
    """A world to its end. ``taken`` (days, phases): cycles."""
    while w.finished == 0:
        row = taken[w.day + 1]
        t = cycles()
        w.day += 1
        w.season = season_of(w.day)
        doy = day_of_year(w.day)
        finance.finish_upgrades(w, p)
        if doy == 1:
            season.open_season(w, p)
        elif doy == 2:
            day._preseason(w, p)
        t = _count(row, 0, t)
        day._matches(w, p)
        t = _count(row, 1, t)
        if w.day % day.MONTH == day.MONTH - 1:
            _month(w, p, row, t)
            t = cycles()
        if window_open(p, w.day) > 0 and w.day % p.calendar.market_step == 0:
            managers.market_day(w, p)
        t = _count(row, 8, t)
        if w.day % p.calendar.free_agent_step == 0:
            managers.free_agents(w, p)
        t = _count(row, 9, t)
        if doy == p.calendar.settlement_day:
            day._settlement(w, p)
        t = _count(row, 10, t)
        if doy == p.calendar.intake_day:
            day._intake(w, p)
        t = _count(row, 11, t)
        day._offers(w, p)
        orders.run(w, p)
        deals.resolve(w, p)
        board.judge(w, p)
        t = _count(row, 12, t)
        if doy == YEAR:
            season.turn_year(w, p)
            day._end_of_year(w, p)
        _count(row, 13, t)
        for seat in range(len(w.seats)):
            w.seats[seat].kinds = 0
            w.seats[seat].n_inbox = 0


@njit
def _month(w, p, row, t):
    finance.month(w, p)
    t = _count(row, 2, t)
    development.develop(w, p)
    t = _count(row, 3, t)
    condition.training_injuries(w, p)
    t = _count(row, 4, t)
    condition.morale_month(w, p)
    t = _count(row, 5, t)
    scouting.refresh(w, p)
    t = _count(row, 6, t)
    for club in range(len(w.clubs)):
        mark_first_choice(w, p, club)
        if managers.scripted(w, club):
            managers.renew_contracts(w, p, club)
        else:
            managers.default_handling(w, p, club)
    _count(row, 7, t)


@app.command()
def main(
    runs: Annotated[int, typer.Option(min=1, help="Runs of the same world.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Its seed.")] = 1,
) -> None:
    """Print milliseconds of twenty seasons by phase."""
    world = alone.World()
    world.reset(seed)
    world.run()
    expected = world.digest()
    least = np.full((world.w.last_day + 1, len(PHASES)), np.iinfo(np.int64).max)
    rate = 0.0  # cycles a second
    for _ in range(runs + 1):
        world.reset(seed)
        taken = np.zeros_like(least)
        start = time.perf_counter()
        run(world.w, world.p, taken)
        rate = max(rate, taken.sum() / (time.perf_counter() - start))
        least = np.minimum(least, taken)
    if world.digest() != expected:
        print("phases: the days of fmgym.kernels.day have other phases than these", file=sys.stderr)
        raise typer.Exit(1)
    spent = least.sum(axis=0) / rate * 1000
    for i in np.argsort(-spent):
        print(f"{PHASES[i]:28s}{spent[i]:8.2f} ms{100 * spent[i] / spent.sum():6.1f} %")
    print(f"{'twenty seasons':28s}{spent.sum():8.2f} ms")


if __name__ == "__main__":
    app()
