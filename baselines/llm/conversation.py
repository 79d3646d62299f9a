"""What an agent is shown of its own run: the messages of the running stop, or also of those before.

What grows too long is handled by one rule. When the conversation is estimated (four bytes a token) above
``max_context`` tokens, it is cut back to half of that: first whole stops go, the oldest first, never the running
one; then the answers to calls of the running stop are emptied, the oldest first, never the newest. When a model's
own limit is met all at once go that this rule lets go. What was left out is recorded, counted, and said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from fmgym.baselines.llm.protocol import Message, Reply

MEMORIES = ("stop", "session")
BYTES_A_TOKEN = 4
LEFT_OUT = "(left out to save room; call again if you need it)"
MOST_KEPT = 400_000  # characters of a reply that are shown to its agent again
SHOWN = 2_000  # characters of the text of a longer one


class Conversation:
    """The messages of a run as its transcript's lines lead to them."""

    def __init__(self, memory: str, max_context: int) -> None:
        self._memory = memory
        self._max_bytes = max_context * BYTES_A_TOKEN
        self._stops: list[list[Message]] = []
        self._seen = 0  # so many messages has the agent in its own context

    def recall(self, line: Mapping[str, Any]) -> None:
        """What a line of the transcript adds."""
        if "packet" in line:
            if self._memory == "stop":
                self._stops, self._seen = [], 0
            self._stops.append([Message("user", line["packet"])])
        elif "reply" in line:
            self._stops[-1].append(_kept(msgspec.convert(line["reply"], Reply)))
        elif "ended" in line and (line["results"] or line["text"]):
            results, text = line["results"], line["text"]
            self._stops[-1].append(Message("results", results=results) if results else Message("user", text))
        elif "left_out" in line:
            self._leave_out(**line["left_out"])

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first."""
        return [message for stop in self._stops for message in stop]

    def unseen(self) -> int:
        """So many of the last messages the agent has not been shown."""
        return len(self.messages) - self._seen

    def replied(self) -> None:
        """The agent has seen all there is, its own reply included."""
        self._seen = len(self.messages)

    def excess(self, apart: int) -> dict[str, int] | None:
        """What is to be left out before the next request; ``apart``: bytes of what is sent beside the messages."""
        if self._bytes() + apart <= self._max_bytes:
            return None
        stops, results = 0, 0
        while self._bytes(stops, results) + apart > self._max_bytes / 2:
            if stops < len(self._stops) - 1:
                stops += 1
            elif results < self._droppable():
                results += 1
            else:
                break
        return {"stops": stops, "results": results} if stops or results else None

    def all_excess(self) -> dict[str, int] | None:
        """All that may be left out."""
        stops, results = len(self._stops) - 1, self._droppable()
        return {"stops": stops, "results": results} if stops or results else None

    def _answered(self) -> list[int]:
        """Places in the running stop of answers that are still whole."""
        return [i for i, m in enumerate(self._stops[-1]) if i and m.role != "assistant" and m != _emptied(m)]

    def _droppable(self) -> int:
        return max(len(self._answered()) - 1, 0)

    def _bytes(self, stops: int = 0, results: int = 0) -> int:
        """The size with so many stops and answers left out."""
        emptied = set(self._answered()[:results])
        running = [_emptied(m) if i in emptied else m for i, m in enumerate(self._stops[-1])]
        return sum(_size(m) for stop in [*self._stops[stops:-1], running] for m in stop)

    def _leave_out(self, stops: int, results: int) -> None:
        self._seen -= min(self._seen, sum(len(stop) for stop in self._stops[:stops]))
        del self._stops[:stops]
        for i in self._answered()[:results]:
            self._stops[-1][i] = _emptied(self._stops[-1][i])


def _emptied(message: Message) -> Message:
    if message.results:
        return msgspec.structs.replace(message, results=dict.fromkeys(message.results, LEFT_OUT))
    return msgspec.structs.replace(message, text=LEFT_OUT)


def _kept(reply: Reply) -> Message:
    """A reply as its agent is shown it again: whole, unless it is out of all proportion."""
    message = Message("assistant", reply.text, reply.calls, raw=reply.raw)
    if _size(message) <= MOST_KEPT:
        return message
    calls = [msgspec.structs.replace(call, args="{}") for call in reply.calls]
    return Message("assistant", f"{reply.text[:SHOWN]}\n(the rest of an overlong reply is left out)", calls)


def _size(message: Message) -> int:
    """Bytes of a message, about."""
    return len(msgspec.json.encode(message))
