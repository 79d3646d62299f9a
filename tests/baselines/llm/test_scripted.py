"""The scripted chat agent plays five legal calls a stop, and what it reads stays within bounds."""

from __future__ import annotations

from fmgym.baselines.llm.policy import AgentPolicy
from fmgym.baselines.llm.protocol import Message, Request
from fmgym.baselines.llm.scripted import CALLS, ScriptedAgent
from fmgym.run import run

CHARS_A_TOKEN = 3  # fewer than any tokenizer makes of these texts
BUDGET, MOST_STOPS = 5_000_000, 400  # fresh input of a run of twenty seasons, and its stops


def test_five_calls_a_stop() -> None:
    policy = AgentPolicy(ScriptedAgent(lambda text: len(text) // CHARS_A_TOKEN))
    result = run(policy, 1, 1)
    account = policy.account()
    assert result.turns == CALLS * result.stops == result.calls + sum(account["text"]["errors"].values())
    assert sum(account["text"]["errors"].values()) < result.stops / 4
    assert account["usage"]["fresh_input"] / result.stops < BUDGET / MOST_STOPS


def request(stop: int, turn: int, *texts: str) -> Request:
    return Request(0, stop, turn, "rules", [], [Message("user", text) for text in texts], 1)


def test_only_what_follows_the_common_beginning_is_fresh() -> None:
    agent = ScriptedAgent(len)
    packet, more = "STOP 1\nClub: place 1\nNOTEBOOK\n", "answer"
    first = agent.ask(request(1, 1, packet)).usage
    again = agent.ask(request(1, 2, packet, more)).usage
    assert first and again and first.cached == 0
    assert again.cached == first.input and again.input > again.cached
    changed = agent.ask(request(1, 3, packet + "x", more)).usage
    assert changed and changed.cached == len("rules") + len("[]")
    new = agent.ask(request(2, 1, packet)).usage
    assert new and new.cached == 0, "the cache does not hold over stops"
