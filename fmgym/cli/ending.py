"""How a program ends: 0, 1 when a check failed, 2 for bad input, 130 after Ctrl-C; a line on stderr says why."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

import typer

from fmgym.cli.common import Interrupted
from fmgym.errors import BadInput, CheckFailed, Paused

INTERRUPTED = 130


def end(app: typer.Typer, name: str | None = None, arguments: Sequence[str] | None = None) -> int:
    """Run a program's command line (None: the process's own); the exit status.

    What went wrong is one line on stderr, which begins with ``name`` if there is one.
    """
    try:
        status = app(args=arguments, prog_name=name, standalone_mode=False)
    except (BadInput, CheckFailed, Paused) as error:
        return _fail(name, str(error), 2 if isinstance(error, BadInput) else 1)
    except Interrupted as error:
        return _fail(name, str(error), INTERRUPTED)
    except (BrokenPipeError, SystemExit):  # the reader, `head` say, has seen enough; Typer makes it a SystemExit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:  # a full disk, a file that went away
        return _fail(name, f"{error.filename or 'output'}: {error.strerror or error}", 2)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _fail(name, _usage(error), 2)
    if status == INTERRUPTED:  # Typer's answer to a Ctrl-C that no command has caught
        return _fail(name, "interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


def _usage(error: Any) -> str:
    """What Typer says of a wrong command line, and where to read more."""
    message: str = error.format_message()
    context = getattr(error, "ctx", None)
    return f"{message} See {context.command_path} --help" if message and context else message


def _fail(name: str | None, message: str, status: int) -> int:
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # leaving: a second Ctrl-C has nothing to add
    if message:  # a bare `fmgym` has printed its help instead
        print(f"{name}: " if name else "", " ".join(message.split()), sep="", file=sys.stderr)
    return status
