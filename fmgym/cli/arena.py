"""`fmgym arena`: many seats in one shared world."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import agents, common
from fmgym.cli.run import watch
from fmgym.errors import BadInput

if TYPE_CHECKING:
    from rich.table import Table

    from fmgym.arena import ArenaResult
    from fmgym.policy import Policy

SNAPSHOTS = (5, 10, 15, 20)  # seasons with a column of their own (paper, Table 9)
NAMED = 6  # seats with a colour and a name in the plot (paper, Figure 6)


def arena(
    seed: common.Seed,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=POLICY",
            help="Who holds seat N, which runs club N+1; 0-15=POLICY fills several. A policy, or a language model:"
            " llm:MODEL,OPTION=VALUE,... with the options of fmgym llm. May be repeated.",
        ),
    ] = None,
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    draft: common.Draft = "agent",
    set_: common.Changes = None,
    out: Annotated[
        Path | None, typer.Option(metavar="RUN_DIR", help="Keep the run here; the same command resumes it.")
    ] = None,
    plot: common.PlotFile = None,
    json_: common.JsonFile = None,
) -> None:
    """Play one shared world with a policy in every seat named and rank the seats by score.

    Scripted managers run the clubs of seats that nobody holds. Deals between clubs are sealed, so that no seat gains
    by acting before another; language models are asked at the same time. With --out the run can be interrupted or
    pause; the same command goes on where it stopped.

    Example: fmgym arena --seed 7 --seat 0-14=heuristic --seat 15=random --plot arena.png
    """
    from fmgym.run import arena as play

    seats, chosen, years = policies(seat or []), common.seed(seed), common.whole(seasons, "seasons")
    common.check_outputs(plot, json_)
    common.check_plot(plot)
    with common.resumable(out), common.Bar(f"arena of {len(seats)}, seed {seed}:", "days") as bar:
        result = play(seats, chosen, years, opponents, draft, common.changes(set_), out, watch(bar))
    try:
        common.write_json(json_, asdict(result))
        if plot:
            _draw(result, plot)
    finally:
        show(result)


def policies(texts: list[str]) -> dict[int, Policy]:
    """The policy of each seat, from ``3=heuristic`` and ``4-15=random``: an object for each."""
    found: dict[int, Policy] = {}
    for text in texts:
        numbers, equals, name = text.partition("=")
        first, dash, last = numbers.strip().partition("-")
        if not (equals and _small(first) and (_small(last) or not dash)):
            raise BadInput(f"--seat takes NUMBER=POLICY, such as 0=heuristic or 1-15=random, not {text!r}")
        for number in range(int(first), int(last or first) + 1):
            if number in found:
                raise BadInput(f"--seat names seat {number} twice")
            found[number] = _policy(name.strip())
    if not found:
        raise BadInput("an arena needs a policy in at least one seat: --seat 0=heuristic")
    return found


def _policy(name: str) -> Policy:
    """A reference policy, or with ``llm:MODEL`` a language model."""
    if name.startswith(agents.SEAT):
        return agents.in_seat(name)
    from fmgym import baselines

    return baselines.make(name)


def _small(text: str) -> bool:
    """Whether it is a number that a seat may have."""
    return text.isascii() and text.isdigit() and len(text) <= 3


def show(result: ArenaResult) -> None:
    """The seats by score (paper, Table 4), their snapshots (Table 9), and who won the titles."""
    console = common.out()
    board = _table("#", "seat", "policy", "score", "honors", "titles", "deaths", "settle")
    years = [year for year in SNAPSHOTS if year < result.seasons] + [result.seasons]
    snapshots = _table("seat", "policy", *[f"Y{year}" for year in years])
    for i, row in enumerate(result.ranking):
        titles = sum(champion["seat"] == row["seat"] for champion in result.champions)
        ended = row["settle"] if row["settle"] == "completed" else f"{row['settle']}, t={row['settle_year']:.1f}"
        cells = [i + 1, row["seat"], row["policy"], f"{row['score']:.2f}", row["honors"], titles, row["deaths"], ended]
        board.add_row(*map(str, cells))
        snapshots.add_row(str(row["seat"]), row["policy"], *[_snapshot(row, year) for year in years])
    console.print(board)
    console.print("\nplace, honors, net worth, squad value, score at the seasons' ends")
    console.print(snapshots)
    line = " ".join(str(row["seat"]) if row["seat"] is not None else row["club"] for row in result.champions)
    different = len({row["club"] for row in result.champions})
    console.print(f"\nchampions by season (seat): {line or '-'}", soft_wrap=True)
    console.print(
        f"{different} champions in {len(result.champions)} seasons, {result.repeats} times the one before;"
        f" {len(result.transfers)} transfers between seats, {result.seconds:.1f} s",
        soft_wrap=True,
    )


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in columns:
        words = name in ("policy", "settle")
        table.add_column(name, justify="left" if words else "right", no_wrap=True)
    return table


def _snapshot(row: dict[str, Any], year: int) -> str:
    """How a seat stood at a season's end; one that had settled keeps its score."""
    seasons = row["seasons_table"]
    if year > len(seasons):
        return f"{row['score']:.1f}"
    s = seasons[year - 1]
    return f"{s['position']} {s['honors']}H {s['net_worth']:.0f}M {s['squad_value']:.0f}M {s['score']:.1f}"


def _draw(result: ArenaResult, path: Path) -> None:
    """Score and league place by season (paper, Figure 6): the best seats in colour, the others grey."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(12, 5), layout="constrained")
    ranking = result.ranking
    for i, row in reversed(list(enumerate(ranking))):
        seasons = row["seasons_table"]
        style = {"color": f"C{i}", "label": f"seat {row['seat']}: {row['policy']}"} if i < NAMED else {"color": "0.8"}
        years = [s["season"] for s in seasons]
        panels[0].plot(years, [s["score"] for s in seasons], **style)
        panels[1].plot(years, [s["position"] for s in seasons], **style)
    panels[0].set_ylabel("score as if completed then")
    panels[1].set_ylabel("league place")
    panels[1].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    panels[0].legend(handles[::-1], labels[::-1], frameon=False)
    figure.supxlabel("season")
    figure.savefig(path)
    pyplot.close(figure)
