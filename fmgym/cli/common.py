"""What commands share: reading arguments, checking outputs before computing, progress, JSON."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from fmgym.errors import BadInput, Paused

if TYPE_CHECKING:
    from fmgym.sweep import Workers

MOST_SEEDS = 100_000
LAST_SEED = 2**63 - 1
PICTURES = (".png", ".svg", ".pdf")


class Interrupted(Exception):
    """Ctrl-C, and what to do about it."""


PolicyName = Annotated[
    str, typer.Option(metavar="NAME", help="A reference policy, such as heuristic, idle or random.", show_default=False)
]
Seed = Annotated[str, typer.Option(metavar="SEED", help="The world's seed, 0 to 2**63-1.", show_default=False)]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write what was computed as JSON.")]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Also draw it: .png, .svg or .pdf (extra `plot`).")
]
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
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(LAST_SEED))):
        raise BadInput(f"--{name} takes a whole number, not {_short(text)}")
    return int(text)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def seed(text: str) -> int:
    """One seed."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LAST_SEED)) and int(text) <= LAST_SEED):
        raise BadInput(f"a seed is a whole number from 0 to 2**63-1, not {_short(text)}")
    return int(text)


def seeds(text: str) -> list[int]:
    """A list of seeds: ``1,1024,2026`` or ``1-20`` or both mixed."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first or (dash and not last):
            raise BadInput(f"seeds are given like 1,2,3 or 1-20, not {_short(text)}")
        low = seed(first.strip())
        high = seed(last.strip()) if dash else low
        if high < low:
            raise BadInput(f"seeds {part.strip()!r} run backwards; write {high}-{low}")
        if high - low >= MOST_SEEDS - len(found):
            raise BadInput(f"at most {MOST_SEEDS} seeds at once")
        found.extend(range(low, high + 1))
    if len(set(found)) < len(found):
        raise BadInput(f"seeds {_short(text)} name one seed twice")
    return found


def changes(texts: Sequence[str] | None) -> dict[str, Any]:
    """Parameter changes given as ``match.home=1.3``; lists as ``board.reviews=[90,120]``."""
    found: dict[str, Any] = {}
    for text in texts or ():
        name, _, value = text.partition("=")
        try:
            content = json.loads(value)
        except (ValueError, RecursionError):
            raise BadInput(f"--set takes GROUP.NAME=NUMBER, not {_short(text)}") from None
        if name.strip() in found:
            raise BadInput(f"--set gives {name.strip()} twice")
        found[name.strip()] = content
    return found


def knobs(seasons: str, opponents: str, draft: str, set_: Sequence[str] | None) -> dict[str, Any]:
    """What a run is played under, as its runner takes it."""
    return {"seasons": whole(seasons, "seasons"), "opponents": opponents, "draft": draft, "params": changes(set_)}


def workers(jobs: str | None, backend: str, address: str | None) -> Workers:
    """Who does the runs."""
    from fmgym.sweep import Workers

    some = None if jobs is None else whole(jobs, "jobs")
    return Workers(1 if some is None and backend == "processes" else some, backend, address)


def check_outputs(*paths: Path | None) -> None:
    """Raise ``BadInput`` unless the files can be written and differ: before computing, not after."""
    given = [path for path in paths if path is not None]
    for path in given:
        if path.is_dir():
            raise BadInput(f"{path} is a folder; name a file in it")
        if not path.parent.is_dir():
            raise BadInput(f"there is no folder {path.parent}; make it first")
        try:
            _try(path)
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    if len({path.absolute() for path in given}) < len(given):
        raise BadInput(f"{given[0]} is named for two outputs; give each its own file")


def _try(path: Path) -> None:
    if _in_place(path):
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return
    new = not path.exists()
    path.open("ab").close()
    if new:
        path.unlink()


def _in_place(path: Path) -> bool:
    """Whether a file must not be replaced by another: a link, a device, a pipe, a file in a folder of others."""
    special = path.is_symlink() or (path.exists() and not path.is_file())
    return special or (path.exists() and not os.access(path.parent, os.W_OK))


def write_json(path: Path | None, content: Any) -> None:
    """Write the JSON file, whole or not at all. What is no number (the mean of nothing) becomes null."""
    if path is None:
        return
    text = json.dumps(_finite(content), indent=1, allow_nan=False) + "\n"
    try:
        if _in_place(path):
            path.write_text(text, "utf-8")
        else:
            partial = path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")
            partial.write_text(text, "utf-8")
            os.replace(partial, path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None


def _finite(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {name: _finite(value) for name, value in content.items()}
    return [_finite(value) for value in content] if isinstance(content, list | tuple) else content


def check_plot(path: Path | None) -> None:
    """Raise ``BadInput`` unless a picture can be drawn into the file."""
    if path is None:
        return
    if path.suffix not in PICTURES:
        raise BadInput(f"--plot draws {', '.join(PICTURES)} files, not {str(path)!r}")
    if importlib.util.find_spec("matplotlib") is None:
        raise BadInput("--plot needs matplotlib; install it with: pip install 'fmgym[plot]'")


@contextlib.contextmanager
def resumable(out: Path | None) -> Iterator[None]:
    """Tells on Ctrl-C, and when it has paused, how the run inside goes on."""
    kept = f"the same command resumes the run in {out}" if out else "with --out a run can be resumed"
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {kept}") from None
    except Paused as error:
        raise Paused(f"{error}; {kept}") from None


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
