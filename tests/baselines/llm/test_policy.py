"""The harness against a real HTTP server that misbehaves, through the real `openai` client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fmgym.baselines.llm import transcript
from fmgym.baselines.llm.account import Price, Prices
from fmgym.baselines.llm.openai_chat import OpenAIAgent
from fmgym.baselines.llm.policy import AgentPolicy, Patience
from fmgym.baselines.llm.protocol import Ended
from fmgym.errors import BadInput, CheckFailed, Paused
from fmgym.session import Session
from fmgym.stamp import stamp

from .server import MODES, ChatServer, stop_of, turn_of

KEY = "sk-secret-of-this-test"
QUICK = Patience(total=3.0, first=0.01, longest=0.05)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Played:
    """A run's first stops, played against a server."""

    def __init__(self, server: ChatServer, folder: Path | None, stops: int = 1, after: int = 0, **options: Any) -> None:
        settings = {name: options.pop(name) for name in ("temperature", "reasoning", "speaks") if name in options}
        self.policy = self.policy_of(server, settings, options)
        self.session = Session.open(1, seasons=1, draft="auto")
        for _ in range(after):
            self.session.call("advance")
        self.folder = folder
        self.error: Exception | None = None
        try:
            self.policy.attach(folder, self.mark())
            for _ in range(stops):
                self.policy.play(self.session.stop())
        except (Paused, CheckFailed) as error:
            self.error = error
        finally:
            self.account = self.policy.account()
            self.policy.detach()

    def policy_of(self, server: ChatServer, settings: dict[str, Any], options: dict[str, Any]) -> AgentPolicy:
        agent = OpenAIAgent("tester", base_url=server.url, timeout=1.0, **settings)
        return AgentPolicy(agent, **{"patience": QUICK} | options)

    def mark(self) -> dict[str, Any]:
        """The stamp, the same for every port."""
        told = self.policy.stamp | {"endpoint": "here"}
        return stamp(policy="tester", seed=1, seasons=1, opponents="tiered", draft="auto", agent=told)

    def lines(self) -> list[dict[str, Any]]:
        assert self.folder
        return transcript.read(self.folder / transcript.NAME)[0]


def first(mode: str, times: int = 1) -> Any:
    """A plan: the first requests are treated so."""
    return lambda n: mode if n < times else None


# What passes is tried again


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("rate limit", Ended.RATE_LIMIT),
        ("500", Ended.SERVER),
        ("503", Ended.SERVER),
        ("slow", Ended.TIMEOUT),
        ("cut", Ended.CONNECTION),
        ("drop", Ended.CONNECTION),
        ("malformed", Ended.SERVER),
        ("html", Ended.SERVER),
        ("no choices", Ended.SERVER),
        ("other form", Ended.SERVER),
        ("a list", Ended.SERVER),
        ("empty", Ended.EMPTY),
        ("truncated", Ended.TRUNCATED),
    ],
)
def test_what_may_pass_is_asked_again(tmp_path: Path, mode: str, reason: Ended) -> None:
    with ChatServer() as well:
        good = Played(well, None)
    with ChatServer(plan=first(mode, 2)) as server:
        run = Played(server, tmp_path)
    assert run.error is None
    assert run.account["failed_attempts"] == {reason.value: 2}
    assert run.account["turns"] == good.account["turns"] == {"calls": 4}
    assert run.session.digest() == good.session.digest()  # nothing of it looks like play
    assert len(server.requests) == 6
    assert server.requests[0] == server.requests[1] == server.requests[2]
    if mode == "rate limit":
        assert server.times[1] - server.times[0] >= 0.3
        assert run.account["waited_seconds"] >= 0.6 > run.account["agent_seconds"]
    if mode in ("empty", "truncated"):  # paid for
        assert run.account["usage"]["input"] == 6000


@pytest.mark.parametrize("mode", ["500", "drop", "empty", "truncated", "far rate limit"])
def test_what_does_not_pass_within_the_budget_pauses_the_run(tmp_path: Path, mode: str) -> None:
    with ChatServer(plan=lambda n: mode if n >= 1 else None) as server:
        run = Played(server, tmp_path, patience=Patience(total=0.5, first=0.01, longest=0.05))
    assert isinstance(run.error, Paused)
    assert "stop 1, turn 2" in str(run.error)
    assert run.session.world.w.seats[0].total_turns == 1
    if mode in ("empty", "truncated"):
        assert len(server.requests) == 1 + 3
    asked = len(server.requests)
    with ChatServer() as server:  # later: only what is missing is asked for
        run = Played(server, tmp_path)
    assert run.error is None
    assert server.turns == [(1, 2), (1, 3), (1, 4)]
    assert asked >= 2


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("401", Ended.ACCESS),
        ("404", Ended.ACCESS),
        ("no quota", Ended.ACCESS),
        ("bad request", Ended.REQUEST),
        ("too long", Ended.CONTEXT),
        ("filtered", Ended.FILTERED),
    ],
)
def test_what_cannot_pass_is_never_asked_again(tmp_path: Path, mode: str, reason: Ended) -> None:
    with ChatServer(plan=lambda n: mode) as server:
        run = Played(server, tmp_path)
    assert isinstance(run.error, Paused)
    assert reason.value in str(run.error)
    assert len(server.requests) == 1
    assert run.account["failed_attempts"] == {reason.value: 1}


def test_failed_turns_are_recorded_and_the_run_goes_on_if_told_to(tmp_path: Path) -> None:
    with ChatServer(plan=lambda n: "bad request" if stop_of(server.requests[n]) == 2 else None) as server:
        run = Played(server, tmp_path, stops=3, on_failure="continue")
    assert run.error is None
    assert run.account["turns"] == {"calls": 8, "bad_request": 3}
    assert run.account["stops_ended"] == {"advanced": 2, "failed": 1}
    assert run.account["text"]["turns"] == 8  # failures are no turns of play
    assert [line["ended"] for line in run.lines() if line.get("stop") == 2 and "ended" in line] == ["bad_request"] * 3
    with ChatServer() as again:
        twin = Played(again, tmp_path, stops=0, on_failure="continue")
        assert twin.error is None
        assert again.requests == []
    with ChatServer(plan=lambda n: "401") as server:  # what no turn can do better pauses all the same
        assert isinstance(Played(server, None, on_failure="continue").error, Paused)


# What a model may answer


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("cut arguments", "UNREADABLE"),
        ("wrong tool", "UNKNOWN_TOOL"),
        ("wrong arguments", "ARGUMENT_TYPE"),
        ("nan", "UNREADABLE"),
        ("key twice", "UNREADABLE"),
        ("deep", "UNREADABLE"),
        ("giant", "UNREADABLE"),
        ("surrogate", "ARGUMENT_VALUE"),
        ("many calls", "QUERY_BUDGET"),
    ],
)
def test_hostile_calls_are_errors_and_harm_nothing(tmp_path: Path, mode: str, code: str) -> None:
    with ChatServer(plan=first(mode)) as server:
        run = Played(server, tmp_path)
    assert run.error is None
    assert code in run.account["text"]["errors"]
    assert len(json.dumps(server.requests[1])) < 500_000
    results = [m for m in server.requests[1]["messages"] if m["role"] == "tool"]
    assert any(code in m["content"] for m in results)
    assert all(len(m["content"].encode()) < 9000 for m in results)
    asked = server.requests[1]["messages"][2]["tool_calls"]
    assert [c["id"] for c in asked] == [m["tool_call_id"] for m in results]
    for call in asked:
        json.loads(call["function"]["arguments"])
    assert len(run.session.notebooks[0]) < 100
    with ChatServer() as silent:  # and the record can be read again
        assert Played(silent, tmp_path).session.digest() == run.session.digest()
        assert silent.requests == []


@pytest.mark.parametrize("mode", ["unicode", "prompt", "same ids"])
def test_odd_but_valid_calls_are_played(tmp_path: Path, mode: str) -> None:
    with ChatServer(plan=first(mode)) as server:
        run = Played(server, tmp_path, stops=2)
    assert run.error is None
    assert run.account["text"]["errors"] == {}
    assert run.account["stops_ended"] == {"advanced": 2}
    if mode == "unicode":
        assert run.session.notebooks[0].startswith("🏆 é \x00 \x1b[2J \u202e")
    if mode == "same ids":
        results = [m["tool_call_id"] for m in server.requests[1]["messages"] if m["role"] == "tool"]
        assert results == ["call_1", "call_2"]


@pytest.mark.parametrize("mode", ["prose", "giant prose"])
def test_replies_without_a_call_cost_turns_and_three_close_the_stop(tmp_path: Path, mode: str) -> None:
    with ChatServer(plan=first(mode, 3)) as server:
        run = Played(server, tmp_path, stops=2)
    assert run.account["turns"] == {"no_call": 3, "calls": 4}
    assert run.account["stops_ended"] == {"idle": 1, "advanced": 1}
    assert "no call" in server.requests[1]["messages"][-1]["content"]
    assert len(json.dumps(server.requests[2])) < 100_000
    assert run.session.world.w.seats[0].total_turns == 3 + 1 + 4


def test_models_without_tool_calls_play_in_json(tmp_path: Path) -> None:
    with ChatServer() as plain, ChatServer() as server:
        server.as_json = True
        good, run = Played(plain, None), Played(server, tmp_path, speaks="json")
    assert run.session.digest() == good.session.digest()
    assert "tools" not in server.requests[0] and len(plain.requests[0]["tools"]) == 26
    assert {m["role"] for m in server.requests[-1]["messages"]} == {"system", "user", "assistant"}
    assert "## Tools" in server.requests[0]["messages"][0]["content"]
    assert "## Tools" not in plain.requests[0]["messages"][0]["content"]


# Conversations


def test_every_stop_is_a_new_conversation_and_the_notebook_goes_on(tmp_path: Path) -> None:
    with ChatServer() as server:
        Played(server, tmp_path, stops=2)
    second = next(r for r in server.requests if stop_of(r) == 2)
    assert [m["role"] for m in second["messages"]] == ["system", "user"]
    assert "stop 1: looked and listed ⚽" in second["messages"][1]["content"]


def test_session_memory_keeps_earlier_stops_also_over_a_pause(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.brain = lambda body: [("advance", {})]
        Played(server, tmp_path, stops=2, memory="session")
        Played(server, tmp_path, after=2, memory="session")
    last = server.requests[-1]["messages"]
    assert [m["role"] for m in last] == ["system", *["user", "assistant", "tool"] * 2, "user"]
    assert [m["content"].split()[1] for m in last if m["role"] == "user"] == ["1", "2", "3"]
    assert "earlier stops stay" in last[0]["content"]


def test_conversations_that_grow_too_long_are_cut_by_the_rule(tmp_path: Path) -> None:
    def reader(body: dict[str, Any]) -> list[tuple[str, Any]]:
        turn = turn_of(body)
        return [("get_transfer_market", {"kind": "all", "limit": 50, "page": turn})] if turn < 9 else [("advance", {})]

    with ChatServer(reader) as server:
        run = Played(server, tmp_path, max_context=11_000)
        assert run.error is None
        assert run.account["left_out"] > 2
        last = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
        assert last[0].startswith("(left out") and last[-1].startswith("get_transfer_market: ok")
        with ChatServer() as silent:
            assert Played(silent, tmp_path, max_context=11_000).session.digest() == run.session.digest()
            assert silent.requests == []
    with ChatServer(reader, plan=lambda n: "small") as server:  # the model's own limit
        (tmp_path / "small").mkdir()
        run = Played(server, tmp_path / "small")
        assert run.error is None
        assert set(run.account["failed_attempts"]) == {"context_too_long"}
        assert run.account["left_out"] > 2


# What is kept


def test_replies_are_on_disk_before_they_are_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: Any) -> Any:
        raise Killed

    with ChatServer() as server:
        monkeypatch.setattr(Session, "turn", killed)
        with pytest.raises(Killed):
            Played(server, tmp_path)
        monkeypatch.undo()
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        lines = transcript.read(tmp_path / transcript.NAME)[0]
        assert lines[-1]["reply"]["calls"][0]["tool"] == "get_squad"


def test_a_second_process_is_kept_out(tmp_path: Path) -> None:
    with ChatServer() as server:
        held = transcript.Transcript(tmp_path, {"stamp": {}})
        with pytest.raises(BadInput, match="another process"):
            Played(server, tmp_path)
        held.close()


def test_transcript_that_differs_from_the_log_is_found(tmp_path: Path) -> None:
    with ChatServer() as server:
        Played(server, tmp_path)
        head, *lines = transcript.read(tmp_path / transcript.NAME)[0]
        forged = next(line for line in lines if line.get("turn") == 2 and "results" in line)
        forged["results"]["c0"] = "list_player: ok. He has left."
        (tmp_path / transcript.NAME).unlink()
        written = transcript.Transcript(tmp_path, {k: v for k, v in head.items() if k != "transcript"})
        for line in lines:
            written.write(line)
        written.close()
        assert "does not hold" in str(Played(server, tmp_path).error)


@pytest.mark.parametrize("damage", [b"\x00" * 40, b"not gzip"])
def test_damaged_transcripts_are_refused(tmp_path: Path, damage: bytes) -> None:
    with ChatServer() as server:
        Played(server, tmp_path)
        path = tmp_path / transcript.NAME
        data = path.read_bytes()
        path.write_bytes(data[:100] + damage + data[140:])
        with pytest.raises(BadInput, match=r"damaged|another run"):
            Played(server, tmp_path)


def test_the_key_stands_nowhere(tmp_path: Path) -> None:
    modes = ["401", "echo", None]
    with ChatServer(plan=lambda n: modes[min(n, 2)]) as server:
        run = Played(server, tmp_path)
        assert KEY not in str(run.error) and "[key]" in str(run.error)
        run = Played(server, tmp_path)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert run.error is None
    kept = json.dumps([run.lines(), run.account, run.session.notebooks, repr(run.policy)])
    assert KEY not in kept
    assert kept.count("[key]") >= 3
    assert KEY not in json.dumps(server.requests)


def test_addresses_are_stamped_without_what_may_be_secret() -> None:
    agent = OpenAIAgent("m", base_url="http://me:secret@127.0.0.1:9/v1?token=secret")
    assert agent.stamp["endpoint"] == "http://127.0.0.1:9/v1"
    agent.close()


def test_no_key_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(BadInput, match="OPENAI_API_KEY is not set"):
        OpenAIAgent("gpt-4.1-mini")
    OpenAIAgent("local", base_url="http://127.0.0.1:9/v1").close()


def test_settings_are_sent_and_stamped_and_what_is_refused_is_recorded(tmp_path: Path) -> None:
    with ChatServer(plan=lambda n: "strict") as server:
        run = Played(server, tmp_path, temperature=0.5, reasoning="low")
    assert (server.requests[0]["temperature"], server.requests[0]["reasoning_effort"]) == (0.5, "low")
    assert "temperature" not in server.requests[-1]
    assert run.policy.stamp["temperature"] == 0.5
    assert run.account["degraded"] == [
        "temperature is refused by the endpoint and left out",
        "reasoning is refused by the endpoint and left out",
    ]
    assert len(server.requests) == 4 + 2
    assert run.account["models"] == {"tester-0613": 4}


# What it costs


PRICES = Prices("2026-01-01", {"tester": Price(input=2.0, cached=0.5, output=10.0)})


def test_account_adds_up(tmp_path: Path) -> None:
    with ChatServer() as server:
        run = Played(server, tmp_path, stops=2, prices=PRICES)
    account = run.account
    assert account["usage"] == {
        "input": 8000, "output": 400, "cached": 6400, "cache_written": 0, "reasoning": 160, "fresh_input": 1600,
    }  # fmt: skip
    assert account["cost_usd"] == pytest.approx((1600 * 2 + 6400 * 0.5 + 400 * 10) / 1e6)
    assert (account["stops"], account["replies"], account["prices_dated"]) == (2, 8, "2026-01-01")
    assert account["text"]["calls"] == {
        "get_squad": 2, "get_finances": 2, "list_player": 2, "get_player": 2, "append_note": 2, "advance": 2,
    }  # fmt: skip
    ends = [line["account"] for line in run.lines() if "end" in line]
    assert sum(end["usage"]["input"] for end in ends) == 8000
    assert account["latency_seconds"] > 0
    assert account["wall_seconds"] >= account["agent_seconds"] > 0


def test_unknown_is_unknown_not_zero(tmp_path: Path) -> None:
    with ChatServer(plan=lambda n: "no usage") as server:
        run = Played(server, tmp_path, prices=PRICES)
        assert run.account["usage"] == run.account["cost_usd"] == "unknown"
        paused = Played(server, None, max_tokens=10**9)
        assert "cannot be kept" in str(paused.error)
    with ChatServer() as server:
        assert Played(server, None).account["cost_usd"] == "unknown"
        assert "price is not known" in str(Played(server, None, max_usd=1.0).error)


@pytest.mark.parametrize(("budget", "replies"), [({"max_tokens": 3000}, 3), ({"max_usd": 0.0025}, 2)])
def test_budgets_stop_cleanly_and_resumably(tmp_path: Path, budget: dict[str, Any], replies: int) -> None:
    with ChatServer() as server:
        run = Played(server, tmp_path, prices=PRICES, **budget)
        assert isinstance(run.error, Paused) and "reached" in str(run.error)
        assert len(server.requests) == replies
        more = Played(server, tmp_path, prices=PRICES)
        assert more.error is None
        assert len(server.requests) == 4
        assert more.session.digest() == Played(server, None).session.digest()


def test_prices_given_later_price_what_was_recorded_without(tmp_path: Path) -> None:
    with ChatServer(plan=lambda n: "401" if n == 6 else None) as server:
        assert Played(server, tmp_path).account["cost_usd"] == "unknown"
        assert "no_access" in str(Played(server, tmp_path, after=1).error)  # in the middle of the second stop
        assert "give --prices" in str(Played(server, tmp_path, after=1, max_usd=1.0).error)
        run = Played(server, tmp_path, after=1, stops=2, prices=PRICES, max_usd=1.0)
        assert run.error is None
        assert len(server.requests) == 3 * 4 + 1
        once = Played(server, None, stops=3, prices=PRICES)
    assert run.account["cost_usd"] == once.account["cost_usd"] > 0
    with ChatServer(plan=lambda n: "no usage") as server:  # no table prices this
        assert "does not say what it uses" in str(Played(server, None, prices=PRICES, max_usd=1.0).error)


@pytest.mark.parametrize("options", [{"memory": "all"}, {"on_failure": "panic"}])
def test_bad_conditions_are_refused(options: dict[str, str]) -> None:
    with ChatServer() as server, pytest.raises(BadInput, match="must be"):
        Played(server, None, **options)


def test_every_mode_of_the_server_is_tried() -> None:
    source = Path(__file__).read_text()
    assert all(f'"{mode}"' in source for mode in MODES)
