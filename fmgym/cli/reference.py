"""`fmgym tools` and `fmgym rules`: what an agent is told, printed."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from fmgym.cli import common
from fmgym.errors import BadInput

FORMATS = ("markdown", "openai", "anthropic", "mcp")


def tools(
    format_: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")
    ] = "markdown",
) -> None:
    """Print the 26 tools: as a table to read, or as the JSON schemas a model's interface takes.

    Example: fmgym tools --format openai > tools.json
    """
    if format_ not in FORMATS:
        raise BadInput(f"--format takes one of {', '.join(FORMATS)}, not {format_!r}")
    from fmgym.tools import schemas

    text = schemas(format_)
    print(text if isinstance(text, str) else json.dumps(text, indent=1))


def rules(
    track: Annotated[str, typer.Option(metavar="NAME", help="solo or arena.")] = "solo",
    seasons: common.Seasons = "20",
    set_: common.Changes = None,
) -> None:
    """Print the rules of a run, with the numbers of the parameters in force: what its stamp's rules_hash is taken of.

    Example: fmgym rules > rules.md
    """
    from fmgym.params import Params
    from fmgym.rules import rules_text
    from fmgym.tracks import track_named
    from fmgym.world import check_options

    chosen, years = track_named(track), common.whole(seasons, "seasons")
    params = chosen.fit(Params.default().replace(common.changes(set_)))
    check_options(params, 0, years, "tiered")
    print(rules_text(params, chosen, years), end="")
