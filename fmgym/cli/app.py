"""The commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

import fmgym
from fmgym.cli import (
    arena,
    bench,
    dataset,
    ladder,
    llm,
    mcp,
    reference,
    run,
    tokens,
    train,
    transcript,
    world,
)
from fmgym.cli.ending import end

app = typer.Typer(
    name="fmgym",
    help="A football-management benchmark: run policies, verify runs, look into the world.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run.run)
app.command()(ladder.ladder)
app.command()(arena.arena)
app.command()(run.replay)
app.command()(reference.tools)
app.command()(reference.rules)
app.command()(llm.llm)
app.command()(mcp.mcp)
app.command()(tokens.tokens)
app.command()(transcript.transcript)
app.command()(train.train)
app.command()(dataset.dataset)
app.command()(bench.bench)
app.command()(world.world)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"fmgym {fmgym.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    return end(app, "fmgym", arguments)
