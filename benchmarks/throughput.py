"""How fast fmgym is on this machine, layer by layer, beside its peers.

    python benchmarks/throughput.py [--json FILE] [--plot FILE] [--quick]
    python benchmarks/throughput.py --compare OLD.json NEW.json

``--quick`` takes about a minute and compiles nothing anew; the whole takes some ten. Measures what is installed:
torch for the learner, nle, minigrid and pygame for peers, matplotlib for the plot. ``--compare`` says what has become
slower, and ends with status 1 when something has by more than both runs' spreads and a tenth.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script it finds itself alone

from benchmarks import measures
from fmgym.cli import bench, common
from fmgym.cli.ending import end
from fmgym.errors import BadInput

SLACK = 0.10  # what is slower by less is no regression
BESIDES = ("torch", "nle", "minigrid", "pettingzoo", "pygame", "gymnasium", "llvmlite")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def throughput(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer samples, no compile, small sizes.")] = False,
    json_: common.JsonFile = None,
    plot: common.PlotFile = None,
    compare: Annotated[
        tuple[Path, Path] | None, typer.Option(metavar="OLD NEW", help="Compare two files written by --json.")
    ] = None,
) -> None:
    """Measure, or compare two measurements."""
    if compare is not None:
        raise typer.Exit(1 if show_comparison(*(read(path) for path in compare)) else 0)
    common.check_outputs(json_, plot)
    common.check_plot(plot)
    content = measured(quick)
    common.write_json(json_, content)
    show(content)
    if plot is not None:
        draw(content["curves"], plot)


def measured(quick: bool) -> dict[str, Any]:
    """Everything, in the order in which it is shown."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # before this program adds to it
    figures: list[measures.Figure] = []
    curves: list[measures.Curve] = []
    total = len(measures.FIGURES) + len(measures.CURVES)
    with common.Bar("throughput", "parts") as bar:
        for i, layer in enumerate(measures.FIGURES):
            bar.move(i, total, layer.__name__)
            figures += layer(quick)
        for i, curve in enumerate(measures.CURVES, len(measures.FIGURES)):
            bar.move(i, total, curve.__name__)
            curves.append(curve(quick))
    return {
        "quick": quick,
        "machine": bench.machine() | {"load": load} | {name: _version(name) for name in BESIDES},
        "counts": measures.counted(_world()),
        "figures": [figure.to_json() for figure in figures],
        "curves": [curve.to_json() for curve in curves],
    }


def _world() -> Any:
    world = measures.alone.World()
    world.reset(1)
    return world


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def show(content: dict[str, Any]) -> None:
    """Print tables."""
    from rich.table import Table

    console = common.out()
    table = Table("measure", "median", "spread", "by processor", "unit", box=None, pad_edge=False)
    for column in (1, 2, 3):
        table.columns[column].justify = "right"
    for row in content["figures"]:
        spread = f"±{100 * row['spread']:.0f} %" if len(row["samples"]) > 1 else ""
        cpu = "" if row["cpu"] is None else _number(row["cpu"])
        table.add_row(row["name"], _number(row["median"]), spread, cpu, row["unit"])
    console.print(table, "")
    table = Table("cost of", "against", "exponent", "seconds at each size", box=None, pad_edge=False)
    for row in content["curves"]:
        points = ", ".join(f"{size}: {_number(taken)}" for size, taken in row["points"])
        table.add_row(row["name"], row["size"], f"{row['exponent']:.2f}", points)
    console.print(table, "")
    console.print("20 seasons alone:", ", ".join(f"{n:,} {name}" for name, n in content["counts"].items()))
    known = {name: value for name, value in content["machine"].items() if value is not None}
    console.print(", ".join(f"{name} {value}" for name, value in known.items()), soft_wrap=True)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def read(path: Path) -> dict[str, Any]:
    """What ``--json`` wrote. ``BadInput`` if it is anything else."""
    try:
        content = json.loads(path.read_text("utf-8"))
        figures = content["figures"]
        return {"machine": content["machine"], "figures": {row["name"]: row for row in figures if row["median"] > 0}}
    except OSError as error:
        raise BadInput(f"cannot read {str(path)!r}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{str(path)!r} was not written by benchmarks/throughput.py --json") from None


def slowed(old: dict[str, Any], new: dict[str, Any]) -> float:
    """By what share a figure has become worse; negative: better."""
    ratio: float = new["median"] / old["median"]
    return (1.0 / ratio if old["better"] == measures.MORE else ratio) - 1.0


def is_regression(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether it has become worse by more than the slack and what the samples scatter."""
    return slowed(old, new) > SLACK + old["spread"] + new["spread"]


def show_comparison(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Print what both have. Returns whether something is a regression."""
    from rich.table import Table

    table = Table("measure", "old", "new", "unit", "worse by", "", box=None, pad_edge=False)
    worse = False
    for name, before in old["figures"].items():
        if name in new["figures"]:
            after = new["figures"][name]
            regression = is_regression(before, after)
            worse = worse or regression
            values = _number(before["median"]), _number(after["median"]), before["unit"]
            table.add_row(name, *values, f"{100 * slowed(before, after):+.0f} %", "slower" if regression else "")
    console = common.out()
    console.print(table)
    if old["machine"] != new["machine"]:
        console.print("machines or versions differ: compare with care")
    return worse


def draw(curves: list[dict[str, Any]], path: Path) -> None:
    """The scaling curves, one panel each, on logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(curves), figsize=(3.2 * len(curves), 3), layout="constrained")
    for panel, curve in zip(panels, curves, strict=True):
        sizes, taken = zip(*curve["points"], strict=True)
        panel.loglog(sizes, taken, "o-")
        panel.set_title(f"{curve['name']}\nexponent {curve['exponent']:.2f}", fontsize=9)
        panel.set_xlabel(curve["size"])
        panel.set_xticks(sizes, map(str, sizes))
        panel.minorticks_off()
    panels[0].set_ylabel("seconds")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(end(app, "throughput"))
