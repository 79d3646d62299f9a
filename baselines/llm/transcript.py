"""The record of a run's asking: ``transcript.jsonl.gz``, one line an event, each chained to the line before.

The first line has the stamp, the system text and the tools; then, stop by stop: the packet, failed attempts,
replies, what they led to, and an account when the stop ends. A request is all of that up to it, so that it is
not written again. A reply is on disk before it is played, which is why no turn is ever paid twice: a run that was
killed plays the replies it finds again, and asks only for what is missing.

The file is a row of gzip members, one a write, so that ``zcat`` reads it and a kill damages the last at most.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from fmgym import runlog
from fmgym.errors import BadInput, CheckFailed, Paused

VERSION = 1
NAME = "transcript.jsonl.gz"
PIECE = 1 << 16  # bytes of a transcript unpacked at a time
UNTIMED = "wall"  # the one field of an end that playing it again need not reproduce


def members(data: bytes) -> Iterator[tuple[bytes, int]]:
    """The contents of a file's whole gzip members, and where each ends. A broken end is left out."""
    view, end = memoryview(data), 0
    while end < len(data):
        member, parts, at = zlib.decompressobj(wbits=31), [], end
        while at < len(data) and not member.eof:  # piece by piece: what follows the member is handed back as a copy
            parts.append(member.decompress(view[at : at + PIECE]))
            at += PIECE
        if not member.eof:
            return
        end = min(at, len(data)) - len(member.unused_data)
        yield b"".join(parts), end


def read(path: Path) -> tuple[list[dict[str, Any]], int, str]:
    """The lines of a transcript, where the whole part of its file ends, and its last line's hash."""
    parts: list[bytes] = []
    end = 0
    try:
        for content, place in members(path.read_bytes()):
            parts.append(content)
            end = place
        lines = list(runlog.parse(b"".join(parts)))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except zlib.error:
        raise BadInput(f"{path} is damaged: it is no row of gzip members") from None
    except runlog.Fault as fault:
        raise BadInput(f"{path} is damaged: {fault}") from None
    return [line.content for line in lines], end, lines[-1].hash if lines else ""


def _lock(file: IO[bytes]) -> None:
    """Hold a file for this process. Two at one run would both pay."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BadInput(f"{file.name} is being written by another process") from None


class Transcript:
    """A transcript being written. Without a folder it is kept nowhere."""

    def __init__(self, folder: Path | None, head: Mapping[str, Any]) -> None:
        """Open ``folder``'s transcript, or begin one. Raises ``BadInput`` when it is damaged or another run's."""
        self._past: list[dict[str, Any]] = []  # what was there, the head apart, until the first stop begins
        self._pending: deque[dict[str, Any]] = deque()
        self._unwritten: list[str] = []
        self._last = ""
        self._file: IO[bytes] | None = None
        self._closed = False
        head = json.loads(json.dumps({"transcript": VERSION, **head}))
        lines: list[dict[str, Any]] = []
        try:
            if folder:
                lines = self._open(folder / NAME)
            if not lines:
                self._append(head)
                self._flush()
            elif lines[0] != head:
                raise BadInput(f"{folder} holds the transcript of another run; name another folder")
        except BaseException:
            self.close()
            raise
        self._past = lines[1:]

    def _open(self, path: Path) -> list[dict[str, Any]]:
        self._path = path
        self._file = self._path.open("r+b" if self._path.exists() else "w+b", buffering=0)
        _lock(self._file)
        lines, end, self._last = read(self._path)
        self._file.truncate(end)
        self._file.seek(end)
        return lines

    @property
    def hash(self) -> str:
        """The hash of the last line."""
        return self._last

    def begin(self, stop: int) -> list[dict[str, Any]]:
        """A stop begins: what is known of it is to be played again. The first time, returns what came before it."""
        past, self._past = self._past, []
        if any(line["stop"] > stop for line in past):
            raise BadInput(f"{self._path} is ahead of {runlog.ACTIONS}; both must be of one run")
        self._pending = deque(line for line in past if line["stop"] == stop)
        return [line for line in past if line["stop"] < stop]

    def known(self, kind: str) -> dict[str, Any] | None:
        """The next line if it is known already and has that key."""
        return self._pending.popleft() if self._pending and kind in self._pending[0] else None

    @property
    def replaying(self) -> bool:
        """Whether the running stop has known lines left."""
        return bool(self._pending)

    def write(self, line: dict[str, Any], durable: bool = True) -> dict[str, Any]:
        """Keep a line, unless it is known; then it must be the same. Returns the line as kept."""
        if self._pending:
            known = self._pending.popleft()
            if {**known, UNTIMED: 0} != {**line, UNTIMED: 0}:
                raise CheckFailed(f"the transcript does not hold at stop {line['stop']}: played again, it differs")
            return known
        if self._closed:
            raise Paused("interrupted")
        self._append(line)
        if durable:
            self._flush()
        return line

    def _append(self, line: Mapping[str, Any]) -> None:
        text, self._last = runlog.render(line, self._last)
        self._unwritten.append(text)

    def _flush(self) -> None:
        if self._file:
            self._file.write(gzip.compress("".join(self._unwritten).encode(), mtime=0))
            os.fsync(self._file.fileno())
        self._unwritten = []

    def close(self) -> None:
        """Let go of the file. Nothing can be written any more."""
        self._closed = True
        if self._file:
            self._file.close()
            self._file = None
