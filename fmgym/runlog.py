"""Run folders: ``run.json`` with stamp and result, ``actions.jsonl`` with every accepted call.

The log's first line has the stamp. Then comes a line for each accepted call, and a line with the world's
digest each time a stop has ended. A turn without an accepted call leaves a line without a tool, since turns
count. Every line ends in a hash of the line before it and its own text, and ``run.json`` keeps the last one,
so that no line can be changed, dropped or added unseen.

A log can be executed again to the very state it was written in. That is how a killed run goes on, and how a
finished one is verified.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fmgym.errors import BadInput, CheckFailed
from fmgym.session import Played, Session

RUN = "run.json"
ACTIONS = "actions.jsonl"
PARTIAL = RUN + ".tmp"
VERSION = 1
UNTIMED = "seconds"  # the one field of a result that another execution need not reproduce


@dataclass(frozen=True)
class Line:
    """A line of a log that holds: its number from 1, its content, its hash, where it ends in the file."""

    number: int
    content: dict[str, Any]
    hash: str
    end: int


class Fault(Exception):
    """The first line that does not hold."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"{ACTIONS} line {line} does not hold: {reason}")


def render(content: Mapping[str, Any], previous: str) -> tuple[str, str]:
    """A line's text, newline included, and its hash."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.blake2b((previous + text).encode(), digest_size=16).hexdigest()
    return f'{text[:-1]},"hash":"{digest}"}}\n', digest


def parse(data: bytes) -> Iterator[Line]:
    """The lines of a log, each checked against the one before; what follows the last newline is left out.

    Raises ``Fault`` at the first line that does not hold.
    """
    previous, end = "", 0
    for number, raw in enumerate(data.splitlines(keepends=True), 1):
        if not raw.endswith(b"\n"):
            return
        content, digest = _checked(number, raw, previous)
        end += len(raw)
        yield Line(number, content, digest, end)
        previous = digest


def _checked(number: int, raw: bytes, previous: str) -> tuple[dict[str, Any], str]:
    try:
        content = json.loads(raw)
        written = content.pop("hash")
        text, digest = render(content, previous)
    except (ValueError, AttributeError, KeyError, RecursionError):
        raise Fault(number, "it is not a line this program writes") from None
    if digest != written or text.encode() != raw:
        raise Fault(number, "its hash does not follow from the line before it and its own text")
    return content, digest


class RunLog:
    """The folder of a run that goes on. ``open`` makes it or takes it up again.

    ``every_turn`` writes through after every turn, for agents whose turns are paid; otherwise after every stop.
    Then a run resumes inside a stop, unless with ``whole_stops`` it begins its last stop anew: for agents that
    keep a record of their turns and play them again out of it.
    """

    def __init__(self, folder: Path, stamp: dict[str, Any], every_turn: bool, whole_stops: bool) -> None:
        self.folder = folder
        self.stamp = stamp
        self.every_turn = every_turn
        self._inside = every_turn and not whole_stops
        self.result: dict[str, Any] | None = None
        self._lines: list[Line] = []
        self._pending: list[str] = []
        self._last = ""
        self._file: IO[bytes] | None = None

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        stamp: Mapping[str, Any],
        *,
        every_turn: bool = False,
        whole_stops: bool = False,
    ) -> RunLog:
        """The log in ``folder``. Raises ``BadInput`` when it is of another run, damaged or not writable."""
        log = cls(Path(folder), dict(stamp), every_turn, whole_stops)
        try:
            log._open()
        except OSError as error:
            raise BadInput(f"{folder} cannot hold a run: {error.strerror}") from None
        except Fault as fault:
            raise BadInput(f"{folder} cannot be resumed: {fault}; use another folder") from None
        return log

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        names = set(os.listdir(self.folder)) - {PARTIAL}
        if names and not names & {RUN, ACTIONS}:
            raise BadInput(f"{self.folder} holds other files; name a new folder or one of a run")
        path = self.folder / ACTIONS
        told = kept(self.folder) if RUN in names else None
        data = path.read_bytes() if path.exists() else b""
        self._lines = list(parse(data))
        if told is not None:
            self._same_stamp(told.get("stamp"))
            self.result = told.get("result")
        if self.result is not None:
            self._check_finished(told or {}, data)
        elif self._lines:
            self._same_stamp(self._lines[0].content.get("stamp"))
        elif not self._header().encode().startswith(data):
            raise BadInput(f"{path} is not the log of a run; name another folder")
        self._cut(path)
        if not self._lines:
            self._write_run()
            self._append(self._first())
            self._flush()

    def _first(self) -> dict[str, Any]:
        return {"log": VERSION, "stamp": self.stamp}

    def _header(self) -> str:
        """The log's first line."""
        return render(self._first(), "")[0]

    def _check_finished(self, told: Mapping[str, Any], data: bytes) -> None:
        """Raise ``BadInput`` unless a finished run's two files fit each other."""
        last = self._lines[-1] if self._lines else None
        if last is None or last.end != len(data) or told.get("seal") != seal(told["result"], last.hash):
            raise BadInput(f"{self.folder} holds a finished run that was changed since; use another folder")
        self._same_stamp(self._lines[0].content.get("stamp"))

    def _same_stamp(self, other: Any) -> None:
        """Take over the stamp of what is there if it is of this run.

        The commit may be another one: the engine's version and the parameters say what must be the same, and a
        log that another engine has written does not play again to its own digests.
        """
        other = other if isinstance(other, dict) else {}
        for name in sorted(self.stamp, key="params".__ne__):  # the parameters say more than their hash
            if name != "commit" and other.get(name) != self.stamp[name]:
                raise BadInput(
                    f"{self.folder} holds a run with {name} {other.get(name)!r}, not {self.stamp[name]!r};"
                    " give the same options or another folder"
                )
        self.stamp = dict(other)

    def _cut(self, path: Path) -> None:
        """Drop what a kill left half done, and open the file for appending."""
        if self.result is None:
            while self._lines and not self._whole(self._lines[-1].content):
                self._lines.pop()
        end = self._lines[-1].end if self._lines else 0
        self._last = self._lines[-1].hash if self._lines else ""
        self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        self._file.truncate(end)
        self._file.seek(end)

    def _whole(self, content: Mapping[str, Any]) -> bool:
        """Whether a log may end with this line."""
        return "tool" not in content or (self._inside and content["left"] == 0)

    def resume(self, session: Session) -> None:
        """Bring a fresh session to where the log ends. Raises ``CheckFailed`` when it does not get there."""
        try:
            execute(session, self._lines[1:])
        except Fault as fault:
            raise CheckFailed(f"{self.folder} cannot be resumed: {fault}") from None
        self._lines = []

    def follow(self, session: Session) -> None:
        """Log every turn of a session from now on."""

        def turn(seat: int, number: int, calls: Sequence[Played]) -> None:
            self._turn(turn_lines(seat, int(session.world.w.seats[seat].stop), number, calls))

        session.listeners.append(turn)

    def _turn(self, lines: Sequence[Mapping[str, Any]]) -> None:
        for content in lines:
            self._append(content)
        if self.every_turn:
            self._flush()

    def stop_ended(self, session: Session) -> None:
        """Log the state after a stop, and make sure it is on disk."""
        self._append({"day": int(session.world.w.day), "digest": session.digest()})
        self._flush()

    def finish(self, result: Mapping[str, Any], **more: Any) -> None:
        """Keep the result, and what else there is to say of the run."""
        self.result = dict(result)
        self._write_run(**more)
        self.close()

    def close(self) -> None:
        """Let go of the file. What was not yet flushed is dropped: the stop will be played again."""
        if self._file:
            self._file.close()

    def _append(self, content: Mapping[str, Any]) -> None:
        text, self._last = render(content, self._last)
        self._pending.append(text)

    def _flush(self) -> None:
        assert self._file is not None
        self._file.write("".join(self._pending).encode())
        os.fsync(self._file.fileno())
        self._pending = []

    def _write_run(self, **more: Any) -> None:
        content: dict[str, Any] = {"stamp": self.stamp, "result": self.result, **more}
        if self.result is not None:
            content |= {"log": self._last, "seal": seal(self.result, self._last)}
        self._write_whole(json.dumps(content, indent=1) + "\n")

    def _write_whole(self, text: str) -> None:
        """Write ``run.json`` so that a kill leaves the old one or the new one."""
        with (self.folder / PARTIAL).open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.folder / PARTIAL, self.folder / RUN)


def seal(result: Mapping[str, Any], last: str) -> str:
    """The hash that ties a result to the last line of its log."""
    text = json.dumps(result, separators=(",", ":"), sort_keys=True)
    return hashlib.blake2b((last + text).encode(), digest_size=16).hexdigest()


def turn_lines(seat: int, stop: int, number: int, calls: Sequence[Played]) -> list[dict[str, Any]]:
    """The lines of one turn, the seat's ``number``-th; ``left`` counts the lines of it that follow."""
    head = {"seat": seat, "stop": stop, "turn": number}
    told = [{"tool": call.tool, "args": call.args, "outcome": call.outcome, "value": call.value} for call in calls] or [
        {"tool": None}
    ]
    return [head | content | {"left": len(told) - 1 - i} for i, content in enumerate(told)]


def execute(session: Session, lines: Sequence[Line], progress: Callable[[Session], None] | None = None) -> None:
    """Play a log's lines in a session. Raises ``Fault`` at the first line that does not hold."""
    turn: list[Line] = []
    for line in lines:
        if "tool" in line.content:
            turn.append(line)
            if line.content.get("left") == 0:
                _play(session, turn)
                turn = []
        else:
            _same_state(session, line)
            if progress:
                progress(session)


def _play(session: Session, turn: Sequence[Line]) -> None:
    """Play one turn again and compare what the engine makes of it, line by line."""
    told: list[dict[str, Any]] = []

    def listen(seat: int, number: int, calls: Sequence[Played]) -> None:
        told.extend(turn_lines(seat, int(session.world.w.seats[seat].stop), number, calls))

    session.listeners.append(listen)
    try:
        calls = [(line.content["tool"], line.content["args"]) for line in turn if line.content["tool"] is not None]
        results = session.turn(calls, turn[0].content["seat"])
    except (KeyError, TypeError, IndexError):
        raise Fault(turn[0].number, "it is no turn of this run") from None
    finally:
        session.listeners.remove(listen)
    for i, line in enumerate(turn):
        if i >= len(told) or told[i] != line.content:
            refused = i < len(results) and not results[i].ok
            raise Fault(line.number, results[i].message if refused else "the engine makes something else of it")


def _same_state(session: Session, line: Line) -> None:
    if session.digest() != line.content.get("digest"):
        raise Fault(line.number, "the calls before it lead to another state than the one it names")


def read(folder: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Line]]:
    """What ``run.json`` says and the lines of a finished run. Raises ``BadInput`` or ``CheckFailed``."""
    path = Path(folder)
    try:
        data = (path / ACTIONS).read_bytes()
    except OSError as error:
        raise BadInput(f"{path} is no run folder: {ACTIONS} cannot be read ({error.strerror})") from None
    try:
        lines = list(parse(data))
        if data and not data.endswith(b"\n"):
            raise Fault(len(lines) + 1, "it breaks off")
        if not lines or not isinstance(lines[0].content.get("stamp"), dict):
            raise Fault(1, "it has no stamp")
    except Fault as fault:
        raise CheckFailed(str(fault)) from None
    return kept(path), lines


def kept(folder: Path) -> dict[str, Any]:
    """What ``run.json`` says. Raises ``BadInput``."""
    try:
        content = json.loads((folder / RUN).read_bytes())
    except OSError as error:
        raise BadInput(f"{folder / RUN} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise BadInput(f"{folder / RUN} is not JSON") from None
    if not isinstance(content, dict):
        raise BadInput(f"{folder / RUN} is not the file of a run")
    return content
