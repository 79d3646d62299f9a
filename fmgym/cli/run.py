"""`fmgym run` and `fmgym replay`: one run, and its verification."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import common

if TYPE_CHECKING:
    from collections.abc import Callable

    from fmgym.run import RunResult
    from fmgym.session import Session

RunFolder = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="The folder of a run.", show_default=False)]


def run(
    seed: common.Seed,
    policy: common.PolicyName = "heuristic",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    draft: common.Draft = "agent",
    set_: common.Changes = None,
    out: Annotated[
        Path | None, typer.Option(metavar="RUN_DIR", help="Keep the run here; the same command resumes it.")
    ] = None,
    json_: common.JsonFile = None,
) -> None:
    """Play one run with a reference policy and print its seasons and its score.

    With --out the run can be interrupted at any moment; the same command goes on where it stopped.

    Example: fmgym run --policy heuristic --seed 1 --out runs/heuristic-1 --json result.json
    """
    from fmgym import baselines
    from fmgym.run import run as play

    player, chosen, years = baselines.make(policy), common.seed(seed), common.whole(seasons, "seasons")
    common.check_outputs(json_)
    with common.resumable(out), common.Bar(f"{policy}, seed {seed}:", "days") as bar:
        result = play(player, chosen, years, opponents, draft, common.changes(set_), out, watch(bar))
    try:
        common.write_json(json_, asdict(result))
    finally:
        show(result)


def replay(folder: RunFolder, json_: common.JsonFile = None) -> None:
    """Verify a finished run: play its log again and compare every digest and the score.

    Exits with 1 and names the first line that does not hold.

    Example: fmgym replay runs/heuristic-1
    """
    from fmgym.run import replay as verify

    common.check_outputs(json_)
    with common.Bar(f"{folder}:", "days") as bar:
        result = verify(folder, watch(bar))
    common.write_json(json_, asdict(result))
    common.out().print(f"{folder} holds: {result.headline}")


def watch(bar: common.Bar) -> Callable[[Session], None] | None:
    """Moves the bar after every stop, and prints each season that has ended for the first seat."""
    if not bar.shown:
        return None
    told = 0

    def after_stop(session: Session) -> None:
        nonlocal told
        w = session.world.w
        bar.move(int(w.day), int(w.last_day))
        for row in session.result(session.seats[0])["seasons_table"][told:]:
            bar.line("  ".join(f"{name} {_cell(value)}" for name, value in row.items()))
            told += 1

    return after_stop


def show(result: RunResult) -> None:
    """The seasons of a run and how it ended."""
    from rich.table import Table

    console = common.out()
    if result.seasons_table:
        table = Table(*[name.replace("_", " ") for name in result.seasons_table[0]], box=None, pad_edge=False)
        for column in table.columns:
            column.justify = "right"
        for row in result.seasons_table:
            table.add_row(*[_cell(value) for value in row.values()])
        console.print(table)
    console.print(
        f"{result.policy} on seed {result.seed}: score {result.score:.2f}, {result.settle}"
        f" after {result.settle_year:g} years, {result.deaths} deaths, {result.honors} honors,"
        f" value added {result.value_added:.0f}M and squad {result.squad_value:.0f}M in money of day 0,"
        f" {result.stops} stops, {result.turns} turns, {result.calls} calls, {result.seconds:.1f} s",
        soft_wrap=True,
    )


def _cell(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
