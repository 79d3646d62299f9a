"""An agent as a policy: it is asked turn by turn, what it answers is kept and then played.

Its memory is the notebook: every stop is a new conversation (paper, section 3.2). With ``memory="session"``, a
condition of its own, earlier stops stay in the conversation as far as ``max_context`` lets them.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from fmgym.baselines.llm.account import UNKNOWN, Account, Prices, prices
from fmgym.baselines.llm.conversation import MEMORIES, Conversation
from fmgym.baselines.llm.protocol import TRANSIENT, Agent, Ended, Failure, Reply, Request, Usage, mapped, storable
from fmgym.baselines.llm.transcript import UNTIMED, Transcript
from fmgym.errors import BadInput, Paused
from fmgym.params import Params
from fmgym.rules import rules_text
from fmgym.stop import Stop
from fmgym.text import Broken, Reading, TextStop, count, read_calls, read_turn
from fmgym.tools import schemas
from fmgym.tracks import track_named

FAILURES = ("pause", "continue")
IDLE_TURNS = 3  # so many turns in a row without a readable call close the stop

SPEECH = {
    "tools": "Play by calling the tools. A reply may hold several calls; they are one turn, played in order.",
    "json": "Answer with JSON and nothing else: a list of calls, played in order as one turn, such as\n"
    '[{"tool": "get_squad", "args": {}}, {"tool": "set_tactics", "args": {"formation": "4-3-3", "style": "direct"}}]',
}
CLOSING = f"A reply without a readable call costs its turn; {IDLE_TURNS} of them in a row close the stop."
SESSION = "In this run earlier stops stay in the conversation as long as there is room."
NO_CALL = "Your reply held no call, and the turn is spent. End the stop with advance."


@dataclass(frozen=True)
class Patience:
    """How long a turn is tried again: waits grow from ``first`` by doubling to ``longest`` seconds; with the failed
    attempts they take ``total`` seconds at most."""

    total: float = 600.0
    first: float = 1.0
    longest: float = 60.0
    tries: int = 3  # of replies that came, were paid, and were empty or cut off

    def wait(self, failure: Failure, attempt: int, spent: float) -> float | None:
        """Seconds before the next attempt, or None when there is to be none.

        What the other side asks for (Retry-After) counts. A fifth by chance spreads runs that go on at once.
        """
        if failure.ended not in TRANSIENT:
            return None
        if failure.ended in (Ended.EMPTY, Ended.TRUNCATED) and attempt >= self.tries:
            return None
        growing = min(self.first * 2.0 ** min(attempt - 1, 60), self.longest) * random.uniform(1.0, 1.2)
        wait = round(max(growing, failure.retry_after or 0.0), 3)
        return wait if spent + wait <= self.total else None


@dataclass
class AgentPolicy:
    """Plays runs with an agent. An object plays one run at a time.

    ``on_failure``: what a turn without a usable reply leads to, ``pause`` (raises ``Paused``; the same call of the
    runner goes on later) or ``continue`` (the turn is spent and recorded as failed). ``max_usd`` and ``max_tokens``
    pause the run when they are reached. ``max_context``: see ``conversation``. Raises ``BadInput``.
    """

    agent: Agent
    memory: str = "stop"
    on_failure: str = "pause"
    patience: Patience = field(default_factory=Patience)
    max_usd: float | None = None
    max_tokens: int | None = None
    max_context: int = 100_000
    prices: Prices = field(default_factory=prices)

    def __post_init__(self) -> None:
        if self.memory not in MEMORIES:
            raise BadInput(f"memory must be {' or '.join(MEMORIES)}, not {self.memory!r}")
        if self.on_failure not in FAILURES:
            raise BadInput(f"on-failure must be {' or '.join(FAILURES)}, not {self.on_failure!r}")
        self.state = ""  # what it is doing now, for people
        self.stopped = threading.Event()  # set by others to pause it
        self.total = Account()  # of finished stops
        self.running = Account()  # of the stop under way
        self.late = Account()  # what recorded replies cost whose price was not known then
        self.transcript = Transcript(None, {})

    @property
    def name(self) -> str:
        """What results call it."""
        return self.agent.name

    @property
    def stamp(self) -> dict[str, Any]:
        """What bears on its play: the agent's own stamp and the conditions it is asked under."""
        return {
            **self.agent.stamp,
            "speaks": self.agent.speaks,
            "memory": self.memory,
            "max_context": self.max_context,
            "on_failure": self.on_failure,
        }

    def attach(self, folder: Path | None, stamp: Mapping[str, Any]) -> None:
        """Take up or begin the record of a run."""
        track = track_named(stamp["track"])
        params = track.fit(Params.default().replace(stamp["params"]))
        rules = rules_text(params, track, stamp["seasons"], tools=self.agent.speaks == "json")
        more = [SESSION] if self.memory == "session" else []
        self.system = "\n\n".join([rules.strip(), "## Your replies", SPEECH[self.agent.speaks], CLOSING, *more])
        self.tools = schemas("mcp", params)
        sent = self.tools if self.agent.speaks == "tools" else []
        self.apart = len(self.system.encode()) + len(msgspec.json.encode(sent))
        self.stopped.clear()
        self.transcript = Transcript(folder, {"stamp": stamp, "system": self.system, "tools": self.tools})
        self.total, self.running, self.late = Account(), Account(), Account()
        self.conversation = Conversation(self.memory, self.max_context)

    def detach(self) -> None:
        """End the run's record and the agent's connections; what still plays in a thread comes to its end."""
        self.stopped.set()
        self.transcript.close()
        self.agent.close()

    def account(self) -> dict[str, Any]:
        """What the run has cost so far, and the transcript's last hash."""
        return {**self.spent.as_dict(), "prices_dated": self.prices.dated, "transcript": self.transcript.hash}

    @property
    def spent(self) -> Account:
        """All accounted for so far."""
        spent = Account()
        spent.add(self.total)
        spent.add(self.running)
        spent.add(self.late)
        return spent

    def play(self, stop: Stop) -> None:
        """Play one stop."""
        talk = self.begin(stop)
        while not talk.over:
            talk.act(talk.ask())
        talk.end()

    def begin(self, stop: Stop) -> Talk:
        """Open a stop, to be played turn by turn: ``ask``, which waits for the agent, and ``act``."""
        for line in self.transcript.begin(stop.number):  # of a run taken up again
            self.conversation.recall(line)
            self.price(line)
            if "end" in line:
                self.count(msgspec.convert(line["account"], Account), line["wall"])
        return Talk(self, stop)

    def price(self, line: Mapping[str, Any]) -> None:
        """Price a recorded attempt by today's table if it had no price; the record stays as it is."""
        if "seconds" not in line or line["usd"] is not None:
            return
        reply = line.get("reply", {})
        usage = msgspec.convert(line.get("usage") or reply.get("usage"), Usage | None)
        usd = self.prices.cost(self.agent.stamp.get("model"), reply.get("model"), usage)
        if usd is not None:
            self.late.usd += usd
            self.late.usd_unknown -= 1

    def count(self, account: Account, wall: float) -> None:
        """Add a finished stop's account."""
        self.running = Account()
        self.total.add(account)
        self.total.wall_seconds += wall


class Talk:
    """One stop of one agent. Call ``ask`` and ``act`` in turn until ``over``, then ``end``."""

    def __init__(self, policy: AgentPolicy, stop: Stop) -> None:
        self._policy = policy
        self._transcript = policy.transcript
        self._conversation = policy.conversation
        self._stop = stop
        self._account = policy.running = Account(stops=1)
        self._text = TextStop(stop, self._account.text)
        self._turn = 0
        self._idle = 0
        self._ended = ""
        self._started = time.monotonic()
        packet = stop.packet
        line = {"date": packet.date, "kinds": packet.kinds, "packet": packet.to_text()}
        self._conversation.recall(self._write(line))

    @property
    def over(self) -> bool:
        """Whether the stop is closed, by the agent or for it."""
        return not self._stop.open or self._idle >= IDLE_TURNS

    def _write(self, line: dict[str, Any], durable: bool = False) -> dict[str, Any]:
        turn = {"turn": self._turn} if self._turn else {}
        return self._transcript.write({"stop": self._stop.number, **turn, **line}, durable)

    # Asking

    def ask(self) -> Reply | Failure:
        """The agent's next turn, from the record if it is there. Raises ``Paused``."""
        self._turn += 1
        self._leave_out(self._conversation.excess(self._policy.apart))
        attempt, spent = 0, 0.0
        while True:
            attempt += 1
            known = self._transcript.known("seconds")
            if known:
                self._policy.price(known)
            line = known or self._attempt(attempt, spent)
            answer, wait = self._accounted(line)
            if isinstance(answer, Reply):
                return answer
            if wait is not None:
                spent += line["seconds"] + wait
                self._again(answer, 0.0 if known else wait)
            elif self._transcript.replaying:
                return answer  # the run went on then
            elif known:
                attempt, spent = 0, 0.0  # the run paused then
            else:
                self._check_failure(answer)
                return answer

    def _attempt(self, attempt: int, spent: float) -> dict[str, Any]:
        """Ask once; the line of what came of it, on disk before anything else happens."""
        self._check_budget()
        policy = self._policy
        policy.state = "asking"
        request = self._request()
        start = time.monotonic()
        answer: Reply | Failure
        try:
            answer = policy.agent.ask(request)
        except Failure as failure:
            answer = failure
        seconds = round(time.monotonic() - start, 3)
        served = answer.model if isinstance(answer, Reply) else None
        usd = policy.prices.cost(policy.agent.stamp.get("model"), served, answer.usage)
        line: dict[str, Any] = {"attempt": attempt, "seconds": seconds, "usd": usd}
        if isinstance(answer, Reply):
            line["reply"] = mapped(msgspec.to_builtins(_with_ids(answer)), storable)
        else:
            line |= {
                "failure": answer.ended.value,
                "reason": answer.reason,
                "wait": self._wait(answer, attempt, spent + seconds),
            }
            line["usage"] = msgspec.to_builtins(answer.usage)
        return self._write(line, durable=True)

    def _request(self) -> Request:
        policy, stop = self._policy, self._stop
        messages, new = self._conversation.messages, self._conversation.unseen()
        return Request(stop.seat, stop.number, self._turn, policy.system, policy.tools, messages, new)

    def _wait(self, failure: Failure, attempt: int, spent: float) -> float | None:
        """Seconds until the next attempt; None when there is none to be made."""
        if failure.ended == Ended.CONTEXT:
            return 0.0 if self._conversation.all_excess() else None
        return self._policy.patience.wait(failure, attempt, spent)

    def _accounted(self, line: dict[str, Any]) -> tuple[Reply | Failure, float | None]:
        """Count an attempt; what came of it, and the wait before the next."""
        account, seconds = self._account, line["seconds"]
        account.agent_seconds += seconds
        account.slowest_seconds = max(account.slowest_seconds, seconds)
        if "failure" in line:
            usage = msgspec.convert(line["usage"], Usage | None)
            if usage:
                account.used(usage, line["usd"])
            account.waited_seconds += line["wait"] or 0.0
            count(account.failed_attempts, line["failure"])
            return Failure(Ended(line["failure"]), line["reason"], usage=usage), line["wait"]
        reply = msgspec.convert(line["reply"], Reply)
        account.used(reply.usage, line["usd"])
        account.replies += 1
        account.degraded += [setting for setting in reply.degraded if setting not in account.degraded]
        if reply.model:
            count(account.models, reply.model)
        self._conversation.recall(line)
        if not self._transcript.replaying:
            self._conversation.replied()
        return reply, None

    def _again(self, failure: Failure, wait: float) -> None:
        """Before another attempt: wait, and say so; or make the conversation shorter."""
        if failure.ended == Ended.CONTEXT:
            self._leave_out(self._conversation.all_excess())
        self._policy.state = f"waiting {wait:.0f} s: {failure.ended.value}"
        if self._policy.stopped.wait(wait):
            raise Paused("interrupted")

    def _leave_out(self, what: dict[str, int] | None) -> None:
        if what:
            self._account.left_out += what["stops"] + what["results"]
            self._conversation.recall(self._write({"left_out": what}))

    def _check_budget(self) -> None:
        """Pause when what may be spent is spent, or when that cannot be known."""
        policy = self._policy
        spent = policy.spent
        if policy.stopped.is_set():
            raise Paused("interrupted")
        if policy.max_tokens is not None:
            if spent.usage_unknown:
                raise Paused("max-tokens cannot be kept: the endpoint does not say what it uses")
            if spent.tokens >= policy.max_tokens:
                raise Paused(f"max-tokens is reached: {spent.tokens} of {policy.max_tokens}")
        if policy.max_usd is not None:
            if spent.usage_unknown:
                raise Paused("max-usd cannot be kept: the endpoint does not say what it uses")
            if spent.cost == UNKNOWN:
                raise Paused("max-usd cannot be kept: the price is not known; give --prices")
            if spent.usd >= policy.max_usd:
                raise Paused(f"max-usd is reached: {spent.usd:.4f} of {policy.max_usd:g}")

    def _check_failure(self, failure: Failure) -> None:
        """A turn without a reply pauses the run, unless it is to go on; what no turn can do better always does."""
        if self._policy.on_failure == "pause" or failure.ended == Ended.ACCESS:
            raise Paused(f"stop {self._stop.number}, turn {self._turn}: {failure.ended.value} ({failure.reason})")

    # Acting

    def act(self, answer: Reply | Failure) -> None:
        """Play a turn as asked for."""
        self._policy.state = "playing"
        reading = self._read(answer) if isinstance(answer, Reply) else None
        if reading is None:
            self._stop.turn([])
            self._idle += 1
            failed = isinstance(answer, Failure)
            self._told(answer.ended if isinstance(answer, Failure) else Ended.NO_CALL, {}, "" if failed else NO_CALL)
            self._ended = "failed" if failed else "idle"
            return
        texts = self._text.turn(reading)
        self._idle = self._idle + 1 if reading.unusable else 0
        if self._stop.open:
            self._ended = "idle"
            if warning := self._stop.turn_warning:
                texts[-1] += f"\nWARNING: {warning}"
        else:
            asked = any(not isinstance(call, Broken) and call[0] == "advance" for call in reading.calls)
            self._ended = "advanced" if asked else "last_turn"
        ids = [call.id for call in answer.calls] if isinstance(answer, Reply) else []
        self._told(Ended.CALLS, dict(zip(ids, texts, strict=True)) if ids else {}, "" if ids else "\n\n".join(texts))

    def _read(self, reply: Reply) -> Reading | None:
        """What a reply asks to be played; None when there is no call in it."""
        if reply.calls:
            return read_calls([(call.tool, call.args) for call in reply.calls])
        return read_turn(reply.text) if self._policy.agent.speaks == "json" and reply.text.strip() else None

    def _told(self, ended: Ended, results: dict[str, str], text: str) -> None:
        """Keep how a turn ended and what the agent is told of it."""
        count(self._account.turns, ended.value)
        self._conversation.recall(self._write({"ended": ended.value, "results": results, "text": text}))

    def end(self) -> None:
        """Close the stop for good and keep its account."""
        if self._stop.open:
            self._stop.call("advance")
        self._turn = 0
        self._account.stops_ended[self._ended] = 1
        wall = round(time.monotonic() - self._started, 3)
        line = {"end": self._ended, "account": msgspec.to_builtins(self._account), UNTIMED: wall}
        self._policy.count(self._account, self._write(line, durable=True)[UNTIMED])


def _with_ids(reply: Reply) -> Reply:
    """A reply whose calls can be told apart, whatever its agent has made of their ids."""
    ids = [call.id for call in reply.calls]
    if len(set(ids)) == len(ids) and all(ids):
        return reply
    calls = [msgspec.structs.replace(call, id=f"call_{i}") for i, call in enumerate(reply.calls, 1)]
    return msgspec.structs.replace(reply, calls=calls)
