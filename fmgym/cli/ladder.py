"""`fmgym ladder`: several policies on the same seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fmgym.cli import common
from fmgym.errors import BadInput

if TYPE_CHECKING:
    from fmgym.run import Ladder, RunResult


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
    json_: common.JsonFile = None,
) -> None:
    """Run every policy on every seed and compare them. Results are the same for any number of jobs.

    Example: fmgym ladder --policies heuristic,idle,random --seeds 1-20 --jobs 2 --json ladder.json

    Example: fmgym ladder --seeds 1-1000 --backend ray --address auto --keep ladder.jsonl
    """
    from fmgym import baselines
    from fmgym.run import ladder as climb

    names = [name.strip() for name in policies.split(",")]
    if len(set(names)) < len(names):
        raise BadInput(f"policies {policies!r} name one policy twice")
    players, chosen = [baselines.make(name) for name in names], common.seeds(seeds)
    workers, years = common.workers(jobs, backend, address), common.whole(seasons, "seasons")
    common.check_outputs(json_)
    done = 0
    try:
        with common.Bar("ladder", "runs") as bar:

            def watch(result: RunResult) -> None:
                nonlocal done
                done += 1
                bar.move(done, len(players) * len(chosen))
                bar.line(f"{result.policy} on seed {result.seed}: {result.score:.2f}, {result.settle}")

            found = climb(
                players,
                chosen,
                workers,
                seasons=years,
                opponents=opponents,
                draft=draft,
                params=common.changes(set_),
                keep=keep,
                progress=watch,
            )
    except KeyboardInterrupt:
        kept = f"; the same command goes on from {keep}" if keep else "; with --keep a ladder can be resumed"
        raise common.Interrupted(f"interrupted{kept}") from None
    try:
        common.write_json(json_, found.as_dict())
    finally:
        _show(found)


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
