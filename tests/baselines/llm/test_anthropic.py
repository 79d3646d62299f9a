"""Anthropic's messages through the real client, against a server of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fmgym.baselines.llm.anthropic_messages import AnthropicAgent
from fmgym.baselines.llm.policy import AgentPolicy
from fmgym.baselines.llm.protocol import Ended
from fmgym.errors import BadInput, Paused

from .server import ChatServer, send, stop_of, turn_of
from .test_policy import QUICK, Played

KEY = "sk-ant-secret-of-this-test"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """A request in the form that the brains of the chat server read."""
    out: list[dict[str, Any]] = [{"role": "system", "content": body["system"][0]["text"]}]
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_result":
                out.append({"role": "tool", "content": block["content"]})
            elif block["type"] == "text" and message["role"] == "user":
                out.append({"role": "user", "content": block["text"]})
        if message["role"] == "assistant":
            out.append({"role": "assistant", "content": ""})
    return {"messages": out}


class MessagesServer(ChatServer):
    """Speaks Anthropic's messages; thinks before each call and signs its thoughts."""

    def answer(self, to: Any, n: int, body: dict[str, Any]) -> None:
        mode, chat = self.plan(n), as_chat(body)
        if mode in ERRORS:
            status, kind, message = ERRORS[mode]
            send(to, status, {"type": "error", "error": {"type": kind, "message": message}}, Retry_After="0")
            return
        if mode == "strict" and "temperature" in body:
            refused = {"type": "invalid_request_error", "message": "temperature: extra inputs are not permitted"}
            send(to, 400, {"type": "error", "error": refused})
            return
        stop = {"cut": "max_tokens", "refusal": "refusal", "full": "model_context_window_exceeded"}.get(mode or "")
        calls = [] if mode == "empty" else self.brain(chat)
        content: list[dict[str, Any]] = [{"type": "thinking", "thinking": f"turn {turn_of(chat)}", "signature": "sig"}]
        content += [{"type": "tool_use", "id": f"t{n}_{i}", "name": t, "input": a} for i, (t, a) in enumerate(calls)]
        usage = {
            "input_tokens": 100,
            "cache_read_input_tokens": 700,
            "cache_creation_input_tokens": 200,
            "output_tokens": 60,
        }
        message = {"id": "m", "type": "message", "role": "assistant", "model": f"{body['model']}-20260101"}
        send(to, 200, message | {"content": content, "stop_reason": stop or "tool_use", "usage": usage})
        if mode is None:
            with self.lock:
                self.turns.append((stop_of(chat), turn_of(chat)))


ERRORS = {
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "rate limit": (429, "rate_limit_error", "slow down"),
    "internal": (500, "api_error", "oops"),
    "no key": (401, "authentication_error", f"invalid x-api-key {KEY}"),
    "no model": (404, "not_found_error", "model: nobody"),
    "too long": (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "wrong": (400, "invalid_request_error", "messages: at least one message is required"),
}


class PlayedByMessages(Played):
    def policy_of(self, server: ChatServer, settings: dict[str, Any], options: dict[str, Any]) -> AgentPolicy:
        agent = AnthropicAgent("tester", base_url=server.url.removesuffix("/v1"), timeout=2.0, **settings)
        return AgentPolicy(agent, **{"patience": QUICK} | options)


def first(mode: str, times: int) -> Callable[[int], str | None]:
    return lambda n: mode if n < times else None


def test_it_plays_as_over_chat_completions(tmp_path: Path) -> None:
    with MessagesServer() as server, ChatServer() as chat:
        run, other = PlayedByMessages(server, tmp_path, stops=2), Played(chat, None, stops=2)
    assert run.error is None
    assert run.session.digest() == other.session.digest()
    assert run.account["usage"] == {
        "input": 8000, "output": 480, "cached": 5600, "cache_written": 1600, "reasoning": 0, "fresh_input": 2400,
    }  # fmt: skip
    assert run.account["models"] == {"tester-20260101": 8}
    assert KEY in " ".join(server.headers[0].values())  # x-api-key or authorization, by version


def test_requests_have_tools_thoughts_results_and_cache_marks(tmp_path: Path) -> None:
    with MessagesServer() as server:
        PlayedByMessages(server, tmp_path)
    last = server.requests[3]
    assert len(last["tools"]) == 26 and last["max_tokens"] == 16_000
    assert "temperature" not in last and "thinking" not in last
    assert [m["role"] for m in last["messages"]] == ["user", *["assistant", "user"] * 3]
    assert last["messages"][1]["content"][0] == {"type": "thinking", "thinking": "turn 1", "signature": "sig"}
    asked = [b["id"] for m in last["messages"] for b in m["content"] if b["type"] == "tool_use"]
    told = [b["tool_use_id"] for m in last["messages"] for b in m["content"] if b["type"] == "tool_result"]
    assert asked == told and len(asked) == 5
    assert "cache_control" in last["system"][0] and "cache_control" in last["messages"][-1]["content"][-1]
    assert str(last).count("cache_control") == 2


@pytest.mark.parametrize(
    ("reasoning", "sent"),
    [
        ("2048", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("off", {"thinking": {"type": "disabled"}}),
        ("high", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
    ],
)
def test_reasoning_is_sent_in_the_endpoints_form(reasoning: str, sent: dict[str, Any]) -> None:
    with MessagesServer() as server:
        run = PlayedByMessages(server, None, reasoning=reasoning, temperature=1.0)
    assert server.requests[0].items() >= (sent | {"temperature": 1.0}).items()
    assert run.policy.stamp["reasoning"] == reasoning


def test_refused_settings_are_left_out_and_recorded() -> None:
    with MessagesServer(plan=lambda n: "strict" if n == 0 else None) as server:
        run = PlayedByMessages(server, None, temperature=0.2)
    assert run.account["degraded"] == ["temperature is refused by the endpoint and left out"]
    assert "temperature" not in server.requests[1]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("overloaded", Ended.SERVER),
        ("internal", Ended.SERVER),
        ("rate limit", Ended.RATE_LIMIT),
        ("cut", Ended.TRUNCATED),
        ("empty", Ended.EMPTY),
    ],
)
def test_what_may_pass_is_asked_again(mode: str, reason: Ended) -> None:
    with MessagesServer(plan=first(mode, 2)) as server:
        run = PlayedByMessages(server, None)
    assert run.error is None
    assert run.account["failed_attempts"] == {reason.value: 2}
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("no key", Ended.ACCESS),
        ("no model", Ended.ACCESS),
        ("too long", Ended.CONTEXT),
        ("full", Ended.CONTEXT),
        ("wrong", Ended.REQUEST),
        ("refusal", Ended.FILTERED),
    ],
)
def test_what_cannot_pass_is_not(mode: str, reason: Ended) -> None:
    with MessagesServer(plan=first(mode, 9)) as server:
        run = PlayedByMessages(server, None)
    assert isinstance(run.error, Paused)
    assert reason.value in str(run.error) and KEY not in str(run.error)
    assert len(server.requests) == 1


def test_it_plays_in_json_too(tmp_path: Path) -> None:
    class Writer(MessagesServer):
        def answer(self, to: Any, n: int, body: dict[str, Any]) -> None:
            told = "\n".join(m["content"] for m in as_chat(body)["messages"][2:])
            text = '[{"tool": "get_squad"}]' if "get_squad: ok" not in told else '{"tool": "advance"}'
            message = {"id": "m", "type": "message", "role": "assistant", "model": "w", "stop_reason": "end_turn"}
            usage = {"input_tokens": 1, "output_tokens": 1}
            send(to, 200, message | {"content": [{"type": "text", "text": text}], "usage": usage})

    with Writer() as server:
        run = PlayedByMessages(server, tmp_path, speaks="json", stops=2)
    assert run.error is None
    assert run.account["stops_ended"] == {"advanced": 2}
    assert "tools" not in server.requests[0]


def test_no_key_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(BadInput, match="ANTHROPIC_API_KEY is not set"):
        AnthropicAgent("claude")
