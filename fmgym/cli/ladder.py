"""`fmgym ladder`: several policies on the same seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import common
from fmgym.errors import BadInput

if TYPE_CHECKING:
    from fmgym.policy import Policy
    from fmgym.run import Ladder, RunResult
    from fmgym.sweep import Workers

# What is drawn season by season, and how the axis is called (paper, Figure 2).
PLOTTED = {
    "score": "score, as if completed",
    "position": "league position",
    "net_worth": "net worth, M",
    "squad_value": "squad value, M",
}


def ladder(
    policies: Annotated[str, typer.Option(metavar="LIST", help="Policies, by comma.")] = "heuristic,idle,random",
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds: 1,2,3 or 1-20.")] = "1,1024,2026",
    jobs: common.Jobs = None,
    backend: common.Backend = "processes",
    address: common.Address = None,
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    draft: common.Draft = "agent",
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep each result here as it comes; started again, only the rest is run."),
    ] = None,
    set_: common.Changes = None,
    plot: common.PlotFile = None,
    json_: common.JsonFile = None,
) -> None:
    """Run every policy on every seed and compare them. Results are the same for any number of jobs.

    Example: fmgym ladder --policies heuristic,idle,random --seeds 1-20 --jobs 2 --json ladder.json

    Example: fmgym ladder --policies oracle,strategist --seeds 1-20 --plot ladder.png

    Example: fmgym ladder --seeds 1-1000 --backend ray --address auto --keep ladder.jsonl
    """
    from fmgym import baselines

    names = [name.strip() for name in policies.split(",")]
    if len(set(names)) < len(names):
        raise BadInput(f"policies {policies!r} name one policy twice")
    players, chosen = [baselines.make(name) for name in names], common.seeds(seeds)
    workers, years = common.workers(jobs, backend, address), common.whole(seasons, "seasons")
    common.check_outputs(plot, json_)
    common.check_plot(plot)
    found = climb(
        "ladder",
        players,
        chosen,
        workers,
        seasons=years,
        opponents=opponents,
        draft=draft,
        params=common.changes(set_),
        keep=keep,
    )
    try:
        common.write_json(json_, found.as_dict())
        if plot:
            _draw(found, plot)
    finally:
        _show(found)


def climb(
    what: str, players: Sequence[Policy], seeds: Sequence[int], workers: Workers, *, keep: Path | None, **options: Any
) -> Ladder:
    """``fmgym.run.ladder`` under a progress bar, each run a line above it; Ctrl-C says how it goes on."""
    from fmgym.run import ladder

    done = 0
    try:
        with common.Bar(what, "runs") as bar:

            def watch(result: RunResult) -> None:
                nonlocal done
                done += 1
                bar.move(done, len(players) * len(seeds))
                bar.line(f"{result.policy} on seed {result.seed}: {result.score:.2f}, {result.settle}")

            return ladder(players, seeds, workers, keep=keep, progress=watch, **options)
    except KeyboardInterrupt:
        kept = f"; the same command goes on from {keep}" if keep else "; with --keep a ladder can be resumed"
        raise common.Interrupted(f"interrupted{kept}") from None


def _show(found: Ladder) -> None:
    from rich.table import Table

    table = Table("policy", "n", "mean", "sd", "deaths", "completed", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, row in sorted(found.summary.items(), key=lambda item: -item[1]["mean"]):
        table.add_row(
            name,
            f"{row['n']:.0f}",
            f"{row['mean']:.2f}",
            f"{row['sd']:.2f}",
            f"{row['deaths']:.0f}",
            f"{row['completed']:.0f}",
        )
    common.out().print(table)


def _draw(found: Ladder, path: Path) -> None:
    """One panel a channel: each policy's mean over the seeds still playing, and the range of nine in ten of them."""
    import numpy as np
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 2, figsize=(10, 7), sharex=True, layout="constrained")
    for panel, (name, title) in zip(panels.flat, PLOTTED.items(), strict=True):
        for policy in found.summary:
            seasons = list(_by_season(found, policy, name))
            years = np.arange(1, len(seasons) + 1)
            spread = np.array([np.percentile(values, (5, 95)) for values in seasons]).reshape(-1, 2)
            (line,) = panel.plot(years, [np.mean(values) for values in seasons], label=policy)
            panel.fill_between(years, spread[:, 0], spread[:, 1], color=line.get_color(), alpha=0.15, linewidth=0)
        panel.set_title(title, fontsize=10)
    panels[0, 1].invert_yaxis()
    panels[0, 0].legend(fontsize=8)
    figure.supxlabel("season")
    figure.savefig(path)
    pyplot.close(figure)


def _by_season(found: Ladder, policy: str, name: str) -> Iterator[list[float]]:
    """A column of the seasons' table: season by season, the values of all runs that got so far."""
    tables = [result.seasons_table for result in found.results if result.policy == policy]
    for season in range(max(map(len, tables))):
        yield [rows[season][name] for rows in tables if season < len(rows)]
