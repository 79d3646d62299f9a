"""The commands and how they end: 0, 1 when a check failed, 2 for bad input, 130 after Ctrl-C, a line on stderr."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import fmgym
from fmgym.cli import arena, bench, common, ladder, llm, mcp, reference, run, tokens, transcript, world
from fmgym.errors import BadInput, CheckFailed, Paused

INTERRUPTED = 130

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
    except common.Interrupted as error:
        return _fail(str(error), INTERRUPTED)
    except (BrokenPipeError, SystemExit):  # the reader, `head` say, has seen enough; Typer makes it a SystemExit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:  # a full disk, a file that went away
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}", 2)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _fail(_usage(error), 2)
    if status == INTERRUPTED:  # Typer's answer to a Ctrl-C that no command has caught
        return _fail("interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


def _usage(error: Any) -> str:
    """What Typer says of a wrong command line, and where to read more."""
    message: str = error.format_message()
    context = getattr(error, "ctx", None)
    return f"{message} See {context.command_path} --help" if message and context else message


def _fail(message: str, status: int) -> int:
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # leaving: a second Ctrl-C has nothing to add
    if message:  # a bare `fmgym` has printed its help instead
        print(f"fmgym: {' '.join(message.split())}", file=sys.stderr)
    return status
