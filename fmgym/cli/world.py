"""`fmgym world`: the world alone, with nobody playing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import common

if TYPE_CHECKING:
    from rich.table import Table

    from fmgym.alone import Measure, Study

SHOWN = (1, 2, 3, 5, 8, 10, 13, 15, 18, 20)  # seasons with a column of their own
PLOTTED = ("ability", "seniors", "alive", "wage_ratio", "injuries", "goals", "cash", "value", "spread")


def world(
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds: 1,2,3 or 1-20.")] = "1-20",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    set_: common.Changes = None,
    plot: common.PlotFile = None,
    json_: common.JsonFile = None,
) -> None:
    """Run the world with scripted clubs only and print its yearly means over seeds.

    A mean outside its realistic band is marked red.

    Example: fmgym world --seeds 1-100 --set market.heat=0.3 --plot world.png
    """
    chosen = common.seeds(seeds)
    common.check_outputs(plot, json_)
    common.check_plot(plot)
    from fmgym import alone
    from fmgym.params import Params

    params = Params.default().replace(common.changes(set_))
    years = common.whole(seasons, "seasons")
    with common.Bar("world alone", "seeds") as bar:
        study = alone.study(
            chosen,
            seasons=years,
            opponents=opponents,
            params=params,
            progress=lambda done: bar.move(done, len(chosen)),
        )
    try:
        common.write_json(json_, _as_json(study, params.hash))
        if plot:
            _draw(study, plot)
    finally:
        _print(study)


def _print(study: Study) -> None:
    from fmgym.alone import MEASURES, RUN_MEASURES

    console = common.out()
    shown = [year for year in SHOWN if year <= study.rows.shape[1]]
    table = _table("yearly", *[f"Y{year}" for year in shown])
    for name, measure in MEASURES.items():
        yearly = study.yearly(name)
        cells = [_number(yearly[year - 1]) for year in shown]
        table.add_row(name, *cells, *_against_band(study.mean(name), measure), measure.doc)
    console.print(table)
    table = _table("whole run")
    for name, value in study.summary().items():
        measure = RUN_MEASURES[name]
        table.add_row(name, *_against_band(value, measure), measure.doc)
    console.print(table)


def _table(first: str, *columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for column in (*columns, "mean", "band"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("means over seeds of", no_wrap=True, overflow="ellipsis")
    return table


def _against_band(mean: float, measure: Measure) -> tuple[str, str]:
    style = "red" if not measure.holds(mean) else "default"
    if measure.low is None:
        return f"[{style}]{_number(mean)}[/]", ""
    high = "" if measure.high is None else f"{measure.high:g}"
    return f"[{style}]{_number(mean)}[/]", f"{measure.low:g}-{high}"


def _number(value: float) -> str:
    if value != value:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _as_json(study: Study, params_hash: str) -> dict[str, Any]:
    from fmgym.alone import MEASURES

    return {
        "seeds": study.seeds,
        "params_hash": params_hash,
        "yearly": {name: study.yearly(name).tolist() for name in MEASURES},
        "run": study.summary(),
        "by_seed": {name: study.rows[name].tolist() for name in MEASURES},
        "places": study.places.tolist(),
        "points": study.points.tolist(),
    }


def _draw(study: Study, path: Path) -> None:
    """One small panel a measure: the mean over seeds and the range of nine seeds in ten."""
    import numpy as np
    from matplotlib import pyplot

    from fmgym.alone import MEASURES

    figure, panels = pyplot.subplots(3, 3, figsize=(12, 8), sharex=True, layout="constrained")
    years = np.arange(1, study.rows.shape[1] + 1)
    for panel, name in zip(panels.flat, PLOTTED, strict=True):
        low, high = np.percentile(study.rows[name], (5, 95), axis=0)
        panel.fill_between(years, low, high, alpha=0.2)
        panel.plot(years, study.yearly(name))
        panel.set_title(MEASURES[name].doc, fontsize=9)
    figure.supxlabel("season")
    figure.savefig(path)
    pyplot.close(figure)
