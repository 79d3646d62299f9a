"""Agents that are programs: one JSON line in, one JSON line out (docs/agents.md).

A process is asked on its standard input and answers on its standard output. It sees each message once; one that
was started anew, after a resume or a time-out, is given the whole conversation again.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
import weakref
from contextlib import suppress
from typing import IO, Any, Literal

import msgspec

from fmgym.baselines.llm.protocol import TRANSIENT, Ended, Failure, Message, Reply, Request, ToolUse, Usage
from fmgym.errors import BadInput

MOST_BYTES = 4_000_000  # of a line that is read
TAIL = 400  # characters of what a process wrote last to its standard error, told when it fails
GRACE = 1.0  # seconds a process has to end when its standard input has
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")  # environment variables of such names are kept out of records
SECRET_CHARS = 8  # shorter values are no secrets, and would blot out words
HIDDEN = "[secret]"


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line to a process. ``messages`` are those it has not seen; its first line has ``system`` and ``tools``."""

    seat: int
    stop: int
    turn: int
    messages: list[Message]
    system: str = ""
    tools: list[dict[str, Any]] = []


class Called(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call as a process makes it."""

    tool: str
    args: dict[str, Any] | str = {}


class Answered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line from a process: a turn, or with ``failure`` why there is none."""

    calls: list[Called] = []
    text: str = ""
    usage: Usage | None = None
    model: str | None = None
    failure: Ended | None = None
    reason: str = ""
    retry_after: float | None = None


class ProcessAgent:
    """An agent that is a program. ``kept``: one process for the whole run instead of a new one at each stop."""

    def __init__(
        self,
        command: str,
        *,
        name: str | None = None,
        speaks: Literal["tools", "json"] = "tools",
        kept: bool = False,
        timeout: float = 600.0,
    ) -> None:
        """``command`` is split as a shell does it, but run without one. Raises ``BadInput``."""
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise BadInput(f"the agent's command cannot be read: {error}") from None
        if not self._arguments or shutil.which(self._arguments[0]) is None:
            raise BadInput(f"the agent's command must name a program that can be run, not {command!r}")
        self.name = name or command
        self.speaks: Literal["tools", "json"] = speaks
        self._command, self._kept, self._timeout = command, kept, timeout
        self._process: _Process | None = None
        self._stop = 0

    @property
    def stamp(self) -> dict[str, Any]:
        """The command and how long a process lives."""
        return {"client": "process", "command": self._command, "model": self.name, "kept": self._kept}

    def ask(self, request: Request) -> Reply:
        """One line to the process, and its answer."""
        if self._process and self._stop != request.stop and not self._kept:
            self.close()
        fresh = self._process is None
        self._process = self._process or _Process(self._arguments)
        self._stop = request.stop
        try:
            line = _hidden(self._process.exchange(_line(request, fresh), self._timeout))
            answered = msgspec.json.decode(line, type=Answered)
        except Failure:
            self.close()
            raise
        except (msgspec.MsgspecError, RecursionError) as error:
            self.close()
            raise Failure(Ended.AGENT, f"the agent's line is no answer: {error}"[:TAIL]) from None
        return _reply(answered)

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.end()
            self._process = None


def _line(request: Request, fresh: bool) -> bytes:
    place = request.seat, request.stop, request.turn
    if fresh:
        asked = Asked(*place, request.messages, request.system, request.tools)
    else:
        asked = Asked(*place, request.messages[len(request.messages) - request.new :])
    return msgspec.json.encode(asked) + b"\n"


def _reply(answered: Answered) -> Reply:
    """The reply in an answer. Raises the failure that it tells."""
    if answered.failure is not None:
        known = answered.failure in TRANSIENT
        raise Failure(
            answered.failure if known else Ended.AGENT, answered.reason[:TAIL], answered.retry_after, answered.usage
        )
    calls = [ToolUse(f"call_{i}", call.tool, call.args) for i, call in enumerate(answered.calls, 1)]
    return Reply(text=answered.text, calls=calls, usage=answered.usage, model=answered.model)


def _hidden(line: bytes) -> bytes:
    """A text for the record, without the secrets of the environment."""
    for name, value in os.environ.items():
        if len(value) >= SECRET_CHARS and any(word in name.upper() for word in SECRET):
            line = line.replace(value.encode(), HIDDEN.encode())
    return line


class _Process:
    """A running program in a process group of its own, so that what it starts ends with it."""

    def __init__(self, arguments: list[str]) -> None:
        try:
            self._popen = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Failure(Ended.AGENT, f"the agent cannot be started: {error.strerror}") from None
        self._told = bytearray()
        self._listener = threading.Thread(target=_listen, args=(self._popen.stderr, self._told), daemon=True)
        self._listener.start()
        self._finalizer = weakref.finalize(self, _kill, self._popen)  # also when the program is left in a hurry

    def exchange(self, line: bytes, timeout: float) -> bytes:
        """Write a line and read one. Raises ``Failure`` when none comes in time."""
        late = threading.Event()

        def expire() -> None:
            late.set()
            _kill(self._popen)

        timer = threading.Timer(timeout, expire)
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchange(line)
        finally:
            timer.cancel()
        if answer.endswith(b"\n"):
            return answer
        if late.is_set():
            raise Failure(Ended.TIMEOUT, f"no answer within {timeout:g} s")
        if len(answer) == MOST_BYTES:
            raise Failure(Ended.AGENT, f"the agent's line is longer than {MOST_BYTES} bytes")
        raise Failure(Ended.AGENT, self._last_words())

    def _exchange(self, line: bytes) -> bytes:
        stdin, stdout = self._popen.stdin, self._popen.stdout
        assert stdin and stdout
        try:
            stdin.write(line)
            stdin.flush()
        except OSError:  # it has ended, which reading tells
            return b""
        return stdout.readline(MOST_BYTES)

    def _last_words(self) -> str:
        """How the process ended."""
        try:
            status = f"ended with status {self._popen.wait(GRACE)}"
        except subprocess.TimeoutExpired:
            status = "closed its standard output"
        self._listener.join(GRACE)
        told = _hidden(bytes(self._told)).decode("utf-8", "replace").strip()
        return f"the agent {status}" + (f": {told[-TAIL:]}" if told else "")

    def end(self) -> None:
        """Close its input, then end it and all that it has started."""
        assert self._popen.stdin and self._popen.stdout
        with suppress(OSError):
            self._popen.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(GRACE)
        self._finalizer()
        self._popen.wait()
        self._listener.join(GRACE)
        self._popen.stdout.close()


def _listen(stream: IO[bytes], told: bytearray) -> None:
    """Keep the end of what a process writes to its standard error."""
    with stream:
        while chunk := stream.read1(4096):  # type: ignore[attr-defined]
            told += chunk
            del told[: -4 * TAIL]


def _kill(popen: subprocess.Popen[bytes]) -> None:
    """End a process and its group."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(popen.pid, signal.SIGKILL)
        else:
            popen.kill()
