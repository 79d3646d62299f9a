"""The Arena: what sixteen seats in one world come to, whether the seat number matters, what a turn costs.

    python -m benchmarks.arena games --policy strategist --seeds 1-10 --keep runs/arena --json FILE
    python -m benchmarks.arena rotations --seeds 7-9 --keep runs/rotations --json FILE
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
from fmgym.errors import BadInput
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
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Two seeds or more.")] = "7-9",
    seasons: common.Seasons = "20",
    jobs: common.Jobs = "1",
    json_: common.JsonFile = None,
) -> None:
    """One table of policies in sixteen rotations over the seats of each world: does the seat number matter?

    A score less the mean of its place in the table over all rotations of a world is what the club (and luck) made of
    it. Clubs of one world do differ: each has its own scouts and draws. A seat number that mattered would be worth
    the same in every world; so effects of seats are compared with how far they change from world to world.
    """
    common.check_outputs(json_)
    years, chosen = common.whole(seasons, "seasons"), common.seeds(seeds)
    if len(chosen) < 2:
        raise BadInput("--seeds takes two seeds or more: seats are compared over worlds")
    tables = {f"seed-{number}-rotation-{k}": (TABLE[k:] + TABLE[:k], number) for number in chosen for k in range(SEATS)}
    found = played(tables, years, keep, common.whole(jobs or "1", "jobs"))
    scores = {
        number: [[row["score"] for row in found[f"seed-{number}-rotation-{k}"].seats] for k in range(SEATS)]
        for number in chosen
    }
    effects = [_seat_effects(of_seed) for of_seed in scores.values()]
    by_seat = list(zip(*effects, strict=True))
    between = len(chosen) * statistics.variance([statistics.fmean(seat) for seat in by_seat])
    within = statistics.fmean(statistics.variance(seat) for seat in by_seat)
    report = {
        "seeds": list(chosen),
        "seasons": years,
        "table": list(TABLE),
        "seat_effects": [statistics.fmean(seat) for seat in by_seat],
        "standard_error": (within / len(chosen)) ** 0.5,
        "f": between / within,  # about 1 when the seat number does not matter; of three seeds above 2.0 once in twenty
        "scores": scores,
    }
    _tell(report, json_)


def _seat_effects(scores: Sequence[Sequence[float]]) -> list[float]:
    """What each seat adds to a score, from one world's ``scores`` by rotation and seat."""
    places = [statistics.fmean(scores[k][(i - k) % SEATS] for k in range(SEATS)) for i in range(SEATS)]
    return [
        statistics.fmean(scores[k][seat] - places[(seat + k) % SEATS] for k in range(SEATS)) for seat in range(SEATS)
    ]


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
