"""`fmgym train`: reinforcement learning with Stable-Baselines3."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

from fmgym.cli import common
from fmgym.errors import BadInput

Out = Annotated[
    Path, typer.Option(metavar="DIR", help="Keep the training here; the same command resumes it.", show_default=False)
]


def _number(meaning: str) -> Any:
    return typer.Option(metavar="N", help=meaning)


def train(
    out: Out,
    interface: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="A step is: seasons, knobs (a stop), flat (a call), arena (a season of self-play)."
        ),
    ] = "seasons",
    steps: Annotated[int, _number("Environment steps in all.")] = 400_000,
    seed: common.Seed = "1",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    envs: Annotated[int, _number("Worlds stepped together.")] = 64,
    rollout: Annotated[int, _number("Steps of each world between two updates.")] = 64,
    batch: Annotated[int, _number("Steps in one gradient.")] = 512,
    epochs: Annotated[int, _number("Passes over a rollout.")] = 5,
    rate: Annotated[float | None, _number("Learning rate at first.  [default: by interface]")] = None,
    discount: Annotated[float, _number("Discount of rewards, a step.")] = 0.998,
    entropy: Annotated[float, _number("Weight of the entropy bonus.")] = 0.0,
    width: Annotated[int, _number("Width of the two hidden layers.")] = 64,
    worlds: Annotated[int, _number("Train on the worlds of seeds 0 to N - 1.")] = 900,
    held_out: Annotated[int, _number("Evaluate on so many seeds from there on.")] = 64,
    evaluations: Annotated[int, _number("How often, beside the untrained policy.")] = 10,
    threads: Annotated[int, _number("Threads that share the worlds; results do not depend on it.")] = 1,
    plot: common.PlotFile = None,
    json_: common.JsonFile = None,
) -> None:
    """Train a policy with PPO and print how it plays worlds it has not seen.

    The folder gets the learning curve, TensorBoard logs, checkpoints and (all but flat) policy.npz, which other
    commands take: fmgym run --policy DIR/policy.npz. Interrupted, the same command goes on; with more --steps it
    trains on, and with --plot draws the curve of a training that is done.

    Example: fmgym train --steps 80000 --rollout 21 --batch 224 --out training/first
    """
    chosen = {
        "interface": interface,
        "steps": steps,
        "seed": common.seed(seed),
        "seasons": common.whole(seasons, "seasons"),
        "opponents": opponents,
        "envs": envs,
        "rollout": rollout,
        "batch": batch,
        "epochs": epochs,
        "rate": rate,
        "discount": discount,
        "entropy": entropy,
        "width": width,
        "worlds": worlds,
        "held_out": held_out,
        "evaluations": evaluations,
        "threads": threads,
    }
    ppo = _learner()
    common.check_outputs(plot, json_)
    common.check_plot(plot)
    try:
        with common.Bar("train:", "steps") as bar:
            found = ppo.train(ppo.Args(**chosen), out, bar.move)
    except KeyboardInterrupt:
        raise common.Interrupted(f"interrupted; the same command goes on with the training in {out}") from None
    common.write_json(json_, found)
    if plot:
        draw(out / ppo.CURVE, plot)
    common.out().print(
        f"after {found['steps']} steps, on {held_out} unseen worlds: score {found['score']:.2f},"
        f" {found['deaths']:.2f} deaths a run, {100 * found['completed']:.0f} % completed, {found['seconds']:.0f} s",
        soft_wrap=True,
    )


def _learner() -> Any:
    """The training module, which needs the rl extra."""
    try:
        from fmgym.baselines import ppo
    except ModuleNotFoundError as error:
        raise BadInput(f"training needs {error.name}: install fmgym with its rl extra, fmgym[rl]") from None
    return ppo


def draw(curve: Path, path: Path) -> None:
    """A learning curve as a picture: scores above, deaths a run below. Raises ``BadInput``."""
    from matplotlib import pyplot

    with curve.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"steps", "score", "deaths", "training_score"} <= rows[0].keys():
        raise BadInput(f"{curve} is no learning curve of fmgym train")
    figure, (scores, deaths) = pyplot.subplots(2, 1, figsize=(7, 6), sharex=True, height_ratios=(3, 1))
    sampled = [row for row in rows if row["training_score"]]  # the untrained policy has not sampled yet
    steps = [int(row["steps"]) for row in rows]
    scores.plot(steps, [float(row["score"]) for row in rows], marker="o", label="likeliest actions, held-out worlds")
    played = [float(row["training_score"]) for row in sampled]
    scores.plot([int(row["steps"]) for row in sampled], played, marker=".", label="sampled actions, training worlds")
    deaths.plot(steps, [float(row["deaths"]) for row in rows], marker="o")
    scores.set_ylabel("score")
    scores.legend()
    deaths.set_ylabel("deaths a run")
    deaths.set_xlabel("steps")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
