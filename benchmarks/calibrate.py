"""Calibration: search the parameters that matter on training seeds, then report on seeds it never saw.

    python -m benchmarks.calibrate search --stage world --trials 300 --journal world.journal --json FILE
    python -m benchmarks.calibrate search --stage ladder --trials 60 --journal ladder.journal --json FILE
    python -m benchmarks.calibrate report --jobs 2 --keep FILE --json benchmarks/results/calibration.json

``search`` needs optuna (extra ``calibrate``). Every finished trial is kept in the journal: a search that was
stopped goes on from there. It starts from the values in ``params.toml`` and prints the best changes it found;
a person decides which of them go into the file. ``report`` plays the file's values; its runs are kept as they end.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks import rows
from fmgym import alone, baselines
from fmgym.cli import common
from fmgym.cli.ending import end
from fmgym.cli.ladder import climb
from fmgym.errors import BadInput
from fmgym.params import Params
from fmgym.policy import Policy
from fmgym.run import RunResult, run
from fmgym.sweep import Workers

# What each stage may move, and how far. ``name[i]`` is one number of a table.
WORLD = {
    "academy.potential[0]": (61.0, 66.0),
    "academy.potential[1]": (4.0, 6.5),
    "condition.spend": (0.38, 0.6),
    "facility.cost[0]": (12000.0, 26000.0),
    "growth.decline[0]": (0.25, 0.6),
    "growth.decline[1]": (0.12, 0.34),
    "growth.rate": (0.18, 0.28),
    "manager.bargain": (0.0, 8.0),
    "manager.free_age": (18.0, 21.0),
    "manager.keep": (0.0, 0.6),
    "manager.potential": (0.05, 0.4),
    "manager.promote_gap": (1.0, 9.0),
    "manager.reserve": (0.2, 0.5),
    "manager.thrift": (2.0, 14.0),
    "manager.wage_share": (0.58, 0.70),
    "manager.gap_unit": (0.3, 1.5),
    "manager.squad_size[0]": (23, 26),
    "market.ask": (0.8, 1.0),
    "market.buyer_cap": (1.05, 1.3),
    "market.first_choice": (1.0, 1.3),
    "market.heat": (0.01, 0.08),
    "match.chance": (0.044, 0.060),
    "match.pick_condition": (0.10, 0.30),
    "money.reputation_rate": (0.15, 0.35),
    "money.sponsors_power": (1.5, 2.8),
    "wage.norm": (1900.0, 2500.0),
    "wage.youth": (0.5, 0.9),
}
LADDER = {
    "board.loss": (1.2, 4.5),
    "board.gain": (0.5, 2.4),
    "board.target_cushion": (1, 3),
    "board.target_worst": (0.55, 0.85),
    "market.ask": (0.8, 1.2),
    "market.heat": (0.005, 0.10),
    "market.mispricing": (0.15, 0.35),
    "match.chance": (0.044, 0.060),
    "match.style_cost": (1.0, 4.0),
    "money.prize[0]": (20000.0, 40000.0),
    "ruin.honors": (10, 50),
    "scouting.bias": (1.5, 3.5),
    "wage.norm": (1900.0, 2500.0),
}
TIERED = ("heuristic", "strategist")  # policies played against each tier
STAGES = {"world": WORLD, "ladder": LADDER}
FROZEN = ("engine", "params_hash", "score_version")  # what a report holds for
EDGE = 0.02  # what a figure at the edge of its band costs, against one at its middle
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)


class Team:
    """Processes that play runs; kept for the whole search, since each loads the simulator once."""

    def __init__(self, jobs: int) -> None:
        self._pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))

    def ladder(self, policies: Sequence[str], seeds: Sequence[int], **knobs: Any) -> list[RunResult]:
        """Runs of each policy on each seed, in order."""
        tasks = [self._pool.submit(_play, name, seed, knobs) for name in policies for seed in seeds]
        return [task.result() for task in tasks]

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)


def world_rows(seeds: Sequence[int], changes: dict[str, Any]) -> list[rows.Row]:
    """Rows of the world alone."""
    return rows.of_world(alone.study(seeds, params=Params.default().replace(changes)))


def _play(name: str, seed: int, knobs: dict[str, Any]) -> RunResult:
    return run(baselines.make(name), seed, **knobs)


def changes_of(values: dict[str, float]) -> dict[str, Any]:
    """Parameter changes from values by ``group.name`` or ``group.name[i]``."""
    tree = Params.default().tree()
    found: dict[str, Any] = {}
    for key, value in values.items():
        name, bracket, index = key.partition("[")
        group, _, entry = name.partition(".")
        if not bracket:
            found[name] = value
            continue
        table = list(found.get(name, tree[group][entry]))
        table[int(index[:-1])] = value
        found[name] = table
    return found


def present(key: str) -> float:
    """The value that ``params.toml`` has."""
    name, bracket, index = key.partition("[")
    group, _, entry = name.partition(".")
    value = Params.default().tree()[group][entry]
    return value[int(index[:-1])] if bracket else value  # type: ignore[index, return-value]


def loss(found: Sequence[rows.Row]) -> float:
    """What a set of rows costs: squares of the misses, and a little for nearness to an edge."""
    return sum(10.0 * row.miss**2 + EDGE * min(row.edge, 1.0) ** 2 + (not row.holds) * 0.1 for row in found)


@app.command()
def search(
    stage: Annotated[str, typer.Option(help="world or ladder.")] = "world",
    trials: Annotated[int, typer.Option(help="Trials to make, beside those in the journal.")] = 100,
    seeds: Annotated[str, typer.Option(help="Training seeds.")] = "1-8",
    policies: Annotated[str, typer.Option(help="For the ladder.")] = "idle,heuristic,strategist,oracle",
    journal: Annotated[Path | None, typer.Option(help="Keep finished trials in this file.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes for the ladder.")] = 2,
    json_: common.JsonFile = None,
) -> None:
    """Look for better values, from those of params.toml on."""
    if stage not in STAGES:
        raise BadInput(f"--stage is world or ladder, not {stage!r}")
    common.check_outputs(json_)
    optuna = _optuna()
    chosen, names = common.seeds(seeds), policies.split(",")
    space = STAGES[stage]
    storage = None
    if journal:
        storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(journal)))
    study = optuna.create_study(
        study_name=f"{stage} {Params.default().hash} {seeds}",
        storage=storage,
        load_if_exists=True,
    )
    study.sampler = optuna.samplers.TPESampler(seed=len(study.trials), multivariate=True, n_startup_trials=20)
    if not study.trials:
        study.enqueue_trial({key: present(key) for key in space})
    with closing(Team(jobs)) as workers, common.Bar(f"calibration: {stage}", "trials") as bar:

        def objective(trial: Any) -> float:
            values = {key: _suggest(trial, key, *bounds) for key, bounds in space.items()}
            changes = changes_of(values)
            found = world_rows(chosen, changes)
            if stage == "ladder":
                found += rows.of_ladder(workers.ladder(names, chosen, params=changes))
            trial.set_user_attr("rows", [asdict(row) for row in found])
            return loss(found)

        def moved(study: Any, trial: Any) -> None:
            bar.move(trial.number + 1, trials, f"best {study.best_value:.3f}")

        study.optimize(objective, n_trials=trials, callbacks=[moved])
    best = study.best_trial
    _table([rows.Row(**row) for row in best.user_attrs["rows"]])
    for key, value in best.params.items():
        common.out().print(f"{key} = {value:.4g}    (was {present(key):.4g})")
    content = {"stage": stage, "seeds": chosen, "loss": best.value, "values": best.params, **best.user_attrs}
    common.write_json(json_, content | {"trials": len(study.trials), "start": Params.default().hash})


def _suggest(trial: Any, key: str, low: float, high: float) -> float:
    if isinstance(present(key), int):
        return int(trial.suggest_int(key, int(low), int(high)))
    return float(trial.suggest_float(key, low, high))


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise BadInput("search needs optuna; install it with: pip install 'fmgym[calibrate]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


@app.command()
def report(
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds that calibration never saw.")] = "3001-3100",
    policies: Annotated[str, typer.Option(metavar="LIST", help="Policies to play.")] = ",".join(rows.POLICIES),
    jobs: common.Jobs = None,
    keep: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep each run here as it ends.")] = None,
    json_: common.JsonFile = None,
) -> None:
    """Every row of world rules 12 with the values of params.toml."""
    chosen, workers = common.seeds(seeds), common.workers(jobs, "processes", None)
    common.check_outputs(json_)
    players = [baselines.make(name) for name in policies.split(",")]
    results = climb("calibration: ladder", players, chosen, workers, keep=keep).results
    tiered = [player for player in players if player.name in TIERED]
    tiers = _tiers(workers, tiered, chosen[: len(chosen) // 4 or 1], keep)
    found = world_rows(chosen, {}) + rows.of_ladder(results)
    _table(found)
    for name, scores in tiers.items():
        common.out().print(f"{name}: " + ", ".join(f"{tier} {value:.1f}" for tier, value in scores.items()))
    mark = results[0].stamp
    content: dict[str, Any] = {name: mark[name] for name in FROZEN} | {"seeds": seeds}
    content["rows"] = [asdict(row) | {"holds": row.holds} for row in found]
    content["tiers"] = tiers
    content["runs"] = {player.name: _runs(player.name, results) for player in players}
    common.write_json(json_, content)


def _runs(name: str, results: Sequence[RunResult]) -> dict[str, dict[str, Any]]:
    """What is written of a policy's runs, by seed."""
    kept = ("score", "honors", "deaths", "settle", "settle_year", "digest")
    return {str(r.seed): {key: getattr(r, key) for key in kept} for r in results if r.policy == name}


def _tiers(
    workers: Workers, players: Sequence[Policy], seeds: Sequence[int], keep: Path | None
) -> dict[str, dict[str, float]]:
    """Mean scores against opponents of one tier, on a quarter of the seeds; kept in files beside the ladder's."""
    found: dict[str, dict[str, float]] = {player.name: {} for player in players}
    for tier in ("easy", "medium", "hard"):
        kept = keep and keep.with_name(f"{keep.stem}-{tier}{keep.suffix}")
        runs = climb(f"calibration: {tier}", players, seeds, workers, keep=kept, opponents=tier)
        for name, summary in runs.summary.items():
            found[name][tier] = summary["mean"]
    return found


def _table(found: Sequence[rows.Row]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("row", "value", "low", "high", ""):
        table.add_column(column, justify="left" if column == "row" else "right")
    for row in found:
        mark = "" if row.holds else "[red]misses[/]"
        table.add_row(row.name, f"{row.value:.3g}", f"{row.low:g}", f"{row.high:g}", mark)
    common.out().print(table)


if __name__ == "__main__":
    raise SystemExit(end(app))
