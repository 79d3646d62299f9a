"""What commands share: reading arguments, checking outputs before computing, progress, JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console

from fmgym.errors import BadInput

MOST_SEEDS = 100_000
LAST_SEED = 2**63 - 1

JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write what was computed as JSON.")
]
Seasons = Annotated[str, typer.Option(metavar="N", help="Seasons to play, 1 to 20.")]
Opponents = Annotated[
    str, typer.Option(metavar="TIER", help="Scripted clubs: tiered, easy, medium or hard.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="GROUP.NAME=VALUE", help="Change a parameter; may be repeated."),
]


def out() -> Console:
    """The console of results; wide where no terminal sets a width."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=140)


def err() -> Console:
    """The console of progress."""
    return Console(stderr=True, highlight=False)


def whole(text: str, name: str) -> int:
    """A whole number given as text."""
    try:
        return int(text)
    except ValueError:
        raise BadInput(f"--{name} takes a whole number, not {text!r}") from None


def seed(text: str) -> int:
    """One seed."""
    if not (text.isascii() and text.isdigit() and int(text) <= LAST_SEED):
        raise BadInput(f"a seed is a whole number from 0 to 2**63-1, not {text!r}")
    return int(text)


def seeds(text: str) -> list[int]:
    """A list of seeds: ``1,1024,2026`` or ``1-20`` or both mixed."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = seed(first.strip())
        high = seed(last.strip()) if dash else low
        if high < low:
            raise BadInput(f"seeds {part.strip()!r} run backwards; write {high}-{low}")
        if high - low >= MOST_SEEDS - len(found):
            raise BadInput(f"at most {MOST_SEEDS} seeds at once")
        found.extend(range(low, high + 1))
    if len(set(found)) < len(found):
        raise BadInput(f"seeds {text!r} name one seed twice")
    return found


def changes(texts: Sequence[str] | None) -> dict[str, Any]:
    """Parameter changes given as ``match.home=1.3``; lists as ``board.reviews=[90,120]``."""
    found: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        try:
            found[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            raise BadInput(f"--set takes GROUP.NAME=NUMBER, not {text!r}") from None
        if not equals:
            raise BadInput(f"--set takes GROUP.NAME=NUMBER, not {text!r}")
    return found


def check_writable(path: Path | None) -> None:
    """Raise ``BadInput`` unless the file can be written: before computing, not after."""
    if path is None:
        return
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise BadInput(f"there is no folder {path.parent}; make it first")
    new = not path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    if new:
        path.unlink()


def write_json(path: Path | None, content: Any) -> None:
    """Write the JSON file, whole or not at all."""
    if path is None:
        return
    partial = path.with_name(path.name + ".tmp")
    partial.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    os.replace(partial, path)


class Bar(Protocol):
    """Reports how far a computation has come."""

    def __call__(self, done: int, note: str = "") -> None: ...


@contextmanager
def progress(what: str, total: int) -> Iterator[Bar]:
    """A progress bar on stderr; none where stderr is no terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    console = err()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)

        def report(done: int, note: str = "") -> None:
            bar.update(task, completed=done, description=note)

        yield report
