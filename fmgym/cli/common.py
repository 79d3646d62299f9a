"""What commands share: reading arguments, checking outputs before computing, progress, JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from fmgym.errors import BadInput

if TYPE_CHECKING:
    from fmgym.sweep import Workers

MOST_SEEDS = 100_000
LAST_SEED = 2**63 - 1


class Interrupted(Exception):
    """Ctrl-C, and what to do about it."""


PolicyName = Annotated[
    str, typer.Option(metavar="NAME", help="A reference policy, such as heuristic, idle or random.", show_default=False)
]
Seed = Annotated[str, typer.Option(metavar="SEED", help="The world's seed, 0 to 2**63-1.", show_default=False)]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write what was computed as JSON.")]
Seasons = Annotated[str, typer.Option(metavar="N", help="Seasons to play, 1 to 20.")]
Opponents = Annotated[str, typer.Option(metavar="TIER", help="Scripted clubs: tiered, easy, medium or hard.")]
Draft = Annotated[str, typer.Option(metavar="WHO", help="Who drafts the squad: agent (the policy) or auto.")]
Jobs = Annotated[
    str | None, typer.Option(metavar="N", help="Runs at once. [default: 1; with ray: as many as the cluster has cores]")
]
Backend = Annotated[str, typer.Option(metavar="NAME", help="Where runs go: processes, or ray (extra `cluster`).")]
Address = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="The Ray cluster's, or auto. [default: a new one, on this machine]"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="GROUP.NAME=VALUE", help="Change a parameter; may be repeated."),
]


def out() -> Console:
    """The console of results; wide where no terminal sets a width."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=140)


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


def workers(jobs: str | None, backend: str, address: str | None) -> Workers:
    """Who does the runs."""
    from fmgym.sweep import Workers

    some = None if jobs is None else whole(jobs, "jobs")
    return Workers(1 if some is None and backend == "processes" else some, backend, address)


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


def pyplot() -> Any:
    """Matplotlib's pyplot, or one sentence that says how to get it."""
    try:
        from matplotlib import pyplot  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise BadInput("--plot needs matplotlib; install it with: pip install 'fmgym[plot]'") from None
    return pyplot


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format its file name asks for, and let go of it."""
    try:
        figure.savefig(path)
    except ValueError as error:
        raise BadInput(f"{path} cannot be drawn: {error}") from None
    pyplot().close(figure)


class Bar:
    """A progress bar on stderr. Where stderr is no terminal it does nothing."""

    def __init__(self, what: str, unit: str) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        text = f"{what} {{task.completed:.0f}}/{{task.total:.0f}} {unit}"
        columns = (TextColumn(text), BarColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
        console = Console(stderr=True, highlight=False)
        self.shown = console.is_terminal
        self._bar = Progress(*columns, console=console, transient=True, disable=not self.shown)
        self._task = self._bar.add_task("", total=1)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def move(self, done: int, total: int, note: str = "") -> None:
        """How far the computation has come."""
        self._bar.update(self._task, completed=done, total=total, description=note)

    def line(self, text: str) -> None:
        """A line that stays, above the bar."""
        if self.shown:
            self._bar.console.print(text)
