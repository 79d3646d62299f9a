"""The four demands as experiments: the strategist with one habit changed, on the same seeds as the strategist.

    python -m benchmarks.demands --seeds 3001-3100 --jobs 2 --keep demands.jsonl --json benchmarks/results/demands.json

A demand of the benchmark is real when ignoring it costs score. Each row gives what a changed habit costs on the
mean over seeds, with the paired 95 % interval; the exit status is 1 unless every habit certainly
costs score. Every run is kept in the file of ``--keep`` as it ends: the same command goes on where it was stopped.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fmgym.baselines.desk import Habits
from fmgym.baselines.strategist import HABITS, Strategist
from fmgym.cli import common
from fmgym.cli.ending import end
from fmgym.cli.ladder import climb
from fmgym.errors import CheckFailed
from fmgym.run import Ladder, RunResult

Z = 1.96  # standard errors to each side of a mean that hold 95 %


@dataclass(frozen=True)
class Experiment:
    """One habit changed, and the demand that it ignores."""

    demand: str
    habits: Habits


EXPERIMENTS = {
    "bids by one fixed rule": Experiment("counter-adaptive market, hidden information", replace(HABITS, fixed_bid=0.8)),
    "hoards cash": Experiment("cumulative consequences", replace(HABITS, reserve=3.0)),
    "renews in the last six months": Experiment("cumulative consequences", replace(HABITS, renew_days=180)),
    "never develops youth": Experiment("cumulative consequences", replace(HABITS, youth=False)),
    "builds to the end": Experiment("cumulative consequences", replace(HABITS, builds_on=True)),
    "never rotates": Experiment("several goals judged together", replace(HABITS, rotates=False)),
    "rewrites tactics at every stop": Experiment("several goals judged together", replace(HABITS, restless=True)),
}


@dataclass(frozen=True)
class Row:
    """What an experiment's habit costs: the mean paired difference to the strategist and its interval."""

    habit: str
    demand: str
    mean: float  # score with the habit
    deaths: int
    cost: float
    low: float
    high: float

    @property
    def real(self) -> bool:
        """Whether the habit certainly costs score."""
        return self.low > 0.0


def table(found: Ladder) -> list[Row]:
    """The rows of a ladder of the strategist and its variants on the same seeds."""
    by_name: dict[str, dict[int, RunResult]] = {}
    for result in found.results:
        by_name.setdefault(result.policy, {})[result.seed] = result
    base = by_name["strategist"]
    return [_row(name, experiment, base, by_name[name]) for name, experiment in EXPERIMENTS.items()]


def _row(name: str, experiment: Experiment, base: Mapping[int, RunResult], runs: Mapping[int, RunResult]) -> Row:
    costs = [base[seed].score - runs[seed].score for seed in runs]
    cost = statistics.fmean(costs)
    half = Z * statistics.stdev(costs) / math.sqrt(len(costs)) if len(costs) > 1 else math.inf
    mean = statistics.fmean(run.score for run in runs.values())
    deaths = sum(run.deaths for run in runs.values())
    return Row(name, experiment.demand, mean, deaths, cost, cost - half, cost + half)


def as_dict(found: Ladder, rows: Sequence[Row]) -> dict[str, Any]:
    """What ``--json`` writes: the table, every score by policy and seed, and under which conditions."""
    mark = found.results[0].stamp
    scores: dict[str, dict[str, float]] = {}
    for result in found.results:
        scores.setdefault(result.policy, {})[str(result.seed)] = result.score
    return {
        "stamp": {name: value for name, value in mark.items() if name not in ("policy", "seed")},
        "strategist": found.summary["strategist"],
        "rows": [vars(row) | {"real": row.real} for row in rows],
        "scores": scores,
    }


app = typer.Typer(add_completion=False)


@app.command()
def demands(
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds: 1,2,3 or 3001-3100.")] = "3001-3100",
    jobs: common.Jobs = None,
    keep: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep each run here as it ends.")] = None,
    json_: common.JsonFile = None,
) -> None:
    """Run the strategist with one habit changed at a time and print what each change costs."""
    chosen, workers = common.seeds(seeds), common.workers(jobs, "processes", None)
    common.check_outputs(json_)
    players = [Strategist(), *(Strategist(experiment.habits, name) for name, experiment in EXPERIMENTS.items())]
    found = climb("demands", players, chosen, workers, keep=keep)
    rows = table(found)
    common.write_json(json_, as_dict(found, rows))
    _show(found, rows)
    if idle := [row.habit for row in rows if not row.real]:
        raise CheckFailed(f"no certain cost: {', '.join(idle)}")


def _show(found: Ladder, rows: Sequence[Row]) -> None:
    from rich.table import Table

    shown = Table("habit", "demand", "score", "cost", "95 %", "deaths", box=None, pad_edge=False)
    for column in shown.columns[2:]:
        column.justify = "right"
    base = found.summary["strategist"]
    shown.add_row("strategist", "", f"{base['mean']:.1f}", "", "", f"{base['deaths']:.0f}")
    for row in sorted(rows, key=lambda row: -row.cost):
        interval = f"{row.low:.1f} to {row.high:.1f}"
        shown.add_row(row.habit, row.demand, f"{row.mean:.1f}", f"{row.cost:.1f}", interval, str(row.deaths))
    common.out().print(shown)


def main() -> None:
    """Run the program: status 1 when a habit costs nothing for certain, 2 with one line for bad input."""
    raise SystemExit(end(app))


if __name__ == "__main__":
    main()
