"""`fmgym transcript`: what was said in a run of a text agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fmgym.cli import common
from fmgym.cli.run import RunFolder
from fmgym.errors import BadInput

if TYPE_CHECKING:
    from fmgym.baselines.llm.reader import Told


def transcript(
    folder: RunFolder,
    stop: Annotated[
        str | None, typer.Option(metavar="N", help="Show this stop word by word.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with all stops, or the one asked for.")
    ] = None,
) -> None:
    """List the stops of a run played through text, show one, or write a page.

    Example: fmgym transcript runs/gpt-4.1-mini/seed-1 --stop 12
    """
    from fmgym.baselines.llm import reader

    common.check_outputs(html)
    head, stops = reader.read(folder)
    if stop is not None:
        number = common.whole(stop, "stop")
        if number not in stops:
            shown = f"stops 1 to {max(stops)}" if stops else "no stop yet"
            raise BadInput(f"the transcript has {shown}, not {number}")
        stops = {number: stops[number]}
    if html is not None:
        title = f"{head['stamp']['policy']}, seed {head['stamp']['seed']}"
        html.write_text(reader.as_page(head, stops.values(), title), "utf-8")
    elif stop is not None:
        print(reader.as_text(stops[number]))
    else:
        _list(stops)


def _list(stops: dict[int, Told]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from fmgym.baselines.llm.reader import cost_text, tokens_text

    table = Table("stop", "date", "kinds", "turns", "ended", "tokens", "cost", box=None, pad_edge=False)
    for number, told in stops.items():
        account = told.end["account"] if told.end else None
        spent = (tokens_text(account), cost_text(account)) if account else ("", "")
        cells = (str(number), told.opening["date"], ", ".join(told.opening["kinds"]), str(len(told.turns)))
        table.add_row(*map(escape, (*cells, told.end["end"] if told.end else "under way", *spent)))
    common.out().print(table)
