"""The Arena: what sixteen seats in one world come to, whether the seat number matters, what a turn costs.

    python -m benchmarks.arena games --policy strategist --seeds 1-10 --keep runs/arena --json FILE
    python -m benchmarks.arena rotations --seed 7 --keep runs/rotations --json FILE
    python -m benchmarks.arena cost --json FILE

``games`` and ``rotations`` keep each game in a folder below ``--keep``: stopped at any moment, the same command
goes on.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from fmgym import baselines
from fmgym.arena import ArenaResult
from fmgym.cli import common
from fmgym.cli.ending import end
from fmgym.run import arena, run
from fmgym.sweep import Workers, sweep

SEATS = 16
TABLE = ("strategist",) * 4 + ("heuristic",) * 4 + ("idle",) * 4 + ("random",) * 4  # what is rotated over the seats
Keep = Annotated[Path, typer.Option(metavar="DIR", help="Keep the games here; the same command goes on.")]

app = typer.Typer(add_completion=False, help=__doc__, pretty_exceptions_enable=False)


def game(names: Sequence[str], seed: int, seasons: int, folder: Path) -> ArenaResult:
    """One game with a policy for each seat, kept in its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return arena({seat: baselines.make(name) for seat, name in enumerate(names)}, seed, seasons, out=folder)


def played(
    tables: Mapping[str, tuple[Sequence[str], int]], seasons: int, keep: Path, jobs: int
) -> dict[str, ArenaResult]:
    """Games by name, each of a table of policies and a seed."""
    tasks = [(names, seed, seasons, keep / name) for name, (names, seed) in tables.items()]
    found: dict[int, ArenaResult] = {}
    with common.Bar("arena", "games") as bar:
        for i, result in sweep(game, tasks, Workers(jobs)):
            found[i] = result
            bar.move(len(found), len(tasks))
            bar.line(result.headline)
    return {name: found[i] for i, name in enumerate(tables)}


@app.command()
def games(
    keep: Keep,
    policy: common.PolicyName = "strategist",
    seeds: Annotated[str, typer.Option(metavar="LIST")] = "1-10",
    seasons: common.Seasons = "20",
    jobs: common.Jobs = "1",
    json_: common.JsonFile = None,
) -> None:
    """A policy in all sixteen seats: champions, repeats and scores, beside what the same seeds give it solo."""
    common.check_outputs(json_)
    years, chosen = common.whole(seasons, "seasons"), common.seeds(seeds)
    tables = {f"{policy}-{seed}": ((policy,) * SEATS, seed) for seed in chosen}
    found = played(tables, years, keep, common.whole(jobs or "1", "jobs"))
    alone = [run(baselines.make(policy), seed, years, out=keep / f"solo-{policy}-{seed}").score for seed in chosen]
    scores = [row["score"] for result in found.values() for row in result.seats]
    champions = [len({row["club"] for row in result.champions}) for result in found.values()]
    repeats = [result.repeats / max(len(result.champions) - 1, 1) for result in found.values()]
    report = {
        "policy": policy,
        "seeds": chosen,
        "seasons": years,
        "champions": statistics.fmean(champions),
        "repeats": statistics.fmean(repeats),
        "score": statistics.fmean(scores),
        "score_sd": statistics.pstdev(scores),
        "solo_score": statistics.fmean(alone),
        "transfers_between_seats": statistics.fmean(len(result.transfers) for result in found.values()),
        "games": {name: _brief(result) for name, result in found.items()},
    }
    _tell(report, json_)


def _brief(result: ArenaResult) -> dict[str, Any]:
    return {
        "scores": [row["score"] for row in result.seats],
        "deaths": [row["deaths"] for row in result.seats],
        "champions": [row["seat"] for row in result.champions],
        "transfers": len(result.transfers),
        "digest": result.digest,
        "stamp": result.stamp,
    }


@app.command()
def rotations(
    keep: Keep,
    seed: common.Seed = "7",
    seasons: common.Seasons = "20",
    jobs: common.Jobs = "1",
    json_: common.JsonFile = None,
) -> None:
    """One table of policies in sixteen rotations over the seats of one world: does the seat number matter?

    A score less the mean of its place in the table over all rotations is what the seat (and luck) made of it.
    """
    common.check_outputs(json_)
    years, number = common.whole(seasons, "seasons"), common.seed(seed)
    tables = {f"rotation-{k}": (TABLE[k:] + TABLE[:k], number) for k in range(SEATS)}
    found = list(played(tables, years, keep, common.whole(jobs or "1", "jobs")).values())
    scores = [[row["score"] for row in result.seats] for result in found]  # by rotation and seat
    places = [statistics.fmean(scores[k][(i - k) % SEATS] for k in range(SEATS)) for i in range(SEATS)]
    left = [[scores[k][seat] - places[(seat + k) % SEATS] for k in range(SEATS)] for seat in range(SEATS)]
    between = SEATS * statistics.variance([statistics.fmean(row) for row in left])
    within = statistics.fmean(statistics.variance(row) for row in left)
    report = {
        "seed": number,
        "seasons": years,
        "table": list(TABLE),
        "seat_effects": [statistics.fmean(row) for row in left],
        "standard_error": (within / SEATS) ** 0.5,
        "f": between / within,  # about 1 when the seat number does not matter; 1.7 is exceeded once in twenty times
        "scores": scores,
    }
    _tell(report, json_)


@app.command()
def cost(
    policies: Annotated[str, typer.Option(metavar="LIST")] = "idle,random,heuristic,strategist",
    seasons: common.Seasons = "20",
    json_: common.JsonFile = None,
) -> None:
    """Processor time of a game of sixteen alike seats, and of its turns against the turns of a solo run."""
    common.check_outputs(json_)
    years = common.whole(seasons, "seasons")
    report: dict[str, Any] = {"seasons": years}
    for name in policies.split(","):
        for years_ in (1, years):  # the first, short round compiles and warms
            together, turns = _clocked(partial(_game_turns, name, years_))
            solo, own = _clocked(partial(_solo_turns, name, years_))
        report[name] = {
            "game_s": together,
            "turn_us": 1e6 * together / turns,
            "solo_turn_us": 1e6 * solo / own,
            "ratio": together / turns / (solo / own),
        }
    _tell(report, json_)


def _game_turns(name: str, seasons: int) -> int:
    result = arena({seat: baselines.make(name) for seat in range(SEATS)}, 7, seasons)
    return sum(row["turns"] for row in result.seats)


def _solo_turns(name: str, seasons: int) -> int:
    return run(baselines.make(name), 7, seasons).turns


def _clocked(what: Any) -> tuple[float, int]:
    start = time.process_time()
    turns = what()
    return time.process_time() - start, turns


def _tell(report: dict[str, Any], path: Path | None) -> None:
    common.write_json(path, report)
    for name, value in report.items():
        if not isinstance(value, dict) or name in baselines.POLICIES:
            common.out().print(f"{name}: {value}", soft_wrap=True)


if __name__ == "__main__":
    raise SystemExit(end(app))
