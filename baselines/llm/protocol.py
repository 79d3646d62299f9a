"""What an agent is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Literal, Protocol

import msgspec


class Ended(StrEnum):
    """How a turn's asking ended."""

    CALLS = "calls"  # a reply with calls, readable or not
    NO_CALL = "no_call"  # a reply without any
    # No usable reply, and asking again may help:
    RATE_LIMIT = "rate_limit"
    SERVER = "server_error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    # ... and it cannot help:
    CONTEXT = "context_too_long"
    REQUEST = "bad_request"
    FILTERED = "filtered"
    AGENT = "agent_failed"  # an agent's process has died or answers nonsense
    ACCESS = "no_access"  # no or a wrong key, no such model: no turn of the run can do better


TRANSIENT = frozenset({Ended.RATE_LIMIT, Ended.SERVER, Ended.TIMEOUT, Ended.CONNECTION, Ended.EMPTY, Ended.TRUNCATED})


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens of one request. ``input`` includes ``cached`` and ``cache_written``, ``output`` includes ``reasoning``."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


class ToolUse(msgspec.Struct, frozen=True):
    """A call as an agent makes it: ``args`` is JSON text, as it came, or an object."""

    id: str
    tool: str
    args: str | dict[str, Any]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a stop's conversation.

    ``user``: ``text`` from the harness. ``assistant``: a former reply; ``raw`` is what its agent wanted to be
    shown again. ``results``: one text for each call of the reply before, by the call's id.
    """

    role: Literal["user", "assistant", "results"]
    text: str = ""
    calls: list[ToolUse] = []
    results: dict[str, str] = {}
    raw: Any = None


class Request(msgspec.Struct, frozen=True):
    """One turn asked for. ``tools`` are name, description and inputSchema, as MCP has them."""

    seat: int
    stop: int  # number of the seat's decision stop in the run
    turn: int  # from 1 in each stop
    system: str
    tools: list[dict[str, Any]]
    messages: list[Message]
    new: int  # so many of the last messages came since this agent was last asked


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """An agent's turn. ``usage`` is None when it is not known; ``model`` is what says it has served.

    ``thought`` is shown to people who read the transcript, and to nobody else.
    """

    text: str = ""
    thought: str = ""
    calls: list[ToolUse] = []
    usage: Usage | None = None
    model: str | None = None
    raw: Any = None
    degraded: list[str] = []  # what could not be asked for as set, a sentence each


class Failure(Exception):
    """No usable reply. ``retry_after``: seconds the other side asked to be left alone."""

    def __init__(self, ended: Ended, reason: str, retry_after: float | None = None, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.ended = ended
        self.reason = reason
        self.retry_after = retry_after
        self.usage = usage


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A tree of JSON values with every string changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {mapped(name, change): mapped(item, change) for name, item in value.items()}
    return [mapped(item, change) for item in value] if isinstance(value, list) else value


def storable(text: str) -> str:
    """Text without lone surrogates, which no file could hold."""
    return text.encode("utf-8", "replace").decode()


class Agent(Protocol):
    """Anything that can be asked for turns. Agents of several runs at once are separate objects."""

    @property
    def name(self) -> str:
        """What results call it."""

    @property
    def speaks(self) -> Literal["tools", "json"]:
        """Whether turns come as ``Reply.calls`` or as JSON in ``Reply.text``."""

    @property
    def stamp(self) -> dict[str, Any]:
        """All settings that bear on what it answers, as JSON values; never a key."""

    def ask(self, request: Request) -> Reply:
        """One turn. Raises ``Failure``."""

    def close(self) -> None:
        """End processes and connections."""
