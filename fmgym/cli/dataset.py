"""`fmgym dataset`: episodes as Minari datasets."""

from __future__ import annotations

from typing import Annotated

import typer

from fmgym.cli import common
from fmgym.errors import BadInput


def dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as fmgym/strategist-v0.", show_default=False)],
    policy: common.PolicyName = "strategist",
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds: 1,2,3 or 1-20.")] = "1-10",
    view: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="A step is: a call (flat), an action of the flat environment (actions), what a trained policy sets "
            "knobs for (knobs).",
        ),
    ] = "flat",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
) -> None:
    """Play a policy on every seed and keep what it saw and did as a Minari dataset.

    Minari keeps datasets in its own folder, or the one that MINARI_DATASETS_PATH names.

    Example: fmgym dataset fmgym/strategist-v0 --policy strategist --seeds 1-20
    """
    from fmgym import baselines

    try:
        from fmgym.baselines import dataset as recorder
    except ModuleNotFoundError as error:
        raise BadInput(f"datasets need {error.name}: install fmgym with its data extra, fmgym[data]") from None
    player, chosen = baselines.make(policy), common.seeds(seeds)
    years = common.whole(seasons, "seasons")
    with common.Bar("dataset:", "episodes") as bar:
        made = recorder.record(player, chosen, name, view, years, opponents, lambda done: bar.move(done, len(chosen)))
    common.out().print(
        f"{name}: {made.total_episodes} episodes, {made.total_steps} steps, in {recorder.where()}", soft_wrap=True
    )
