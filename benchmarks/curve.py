"""The learning curve that a training wrote, as a picture.

    python -m benchmarks.curve benchmarks/results/ppo-curve.csv benchmarks/results/ppo-curve.png

draws what ``fmgym train --plot`` draws, out of a ``curve.csv`` that was kept. Needs matplotlib (extra ``plot``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fmgym.cli import common
from fmgym.cli.ending import end
from fmgym.cli.train import draw

app = typer.Typer(add_completion=False)


@app.command()
def curve(
    table: Annotated[Path, typer.Argument(metavar="CSV", help="The curve.csv of a training.")],
    picture: Annotated[Path, typer.Argument(metavar="PICTURE", help="Draw it into this file.")],
) -> None:
    """Draw the learning curve of a training."""
    common.check_outputs(picture)
    common.check_plot(picture)
    draw(table, picture)


if __name__ == "__main__":
    raise SystemExit(end(app))
