"""The commands and how they end: 0, 1 when a check failed, 2 for bad input, with one line on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import fmgym
from fmgym.cli import arena, bench, common, dataset, ladder, llm, reference, run, train, world
from fmgym.errors import BadInput, CheckFailed, Paused

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
    try:
        status = app(args=arguments, prog_name="fmgym", standalone_mode=False)
    except (BadInput, CheckFailed, Paused) as error:
        return _fail(str(error), 2 if isinstance(error, BadInput) else 1)
    except (KeyboardInterrupt, common.Interrupted) as error:
        return _fail(str(error) or "interrupted", 130)
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _fail(error.format_message(), 2)  # Typer's own: bad usage
    return status if isinstance(status, int) else 0


def _fail(message: str, status: int) -> int:
    if message:  # a bare `fmgym` has printed its help instead
        print(f"fmgym: {' '.join(message.split())}", file=sys.stderr)
    return status
