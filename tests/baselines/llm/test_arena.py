"""Language models in seats of one Arena: asked at the same time, alike whatever the timing, failing alone."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from fmgym.baselines import make
from fmgym.baselines.llm import reader
from fmgym.baselines.llm.openai_chat import OpenAIAgent
from fmgym.baselines.llm.policy import AgentPolicy
from fmgym.cli import main
from fmgym.cli.agents import in_seat
from fmgym.errors import BadInput, Paused
from fmgym.policy import Policy
from fmgym.run import arena, replay

from .server import Calls, ChatServer, steady
from .test_policy import QUICK


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-this-test")


def slowly(seconds: dict[str, float]) -> Any:
    """A brain that takes its time, by model."""

    def brain(body: dict[str, Any]) -> Calls:
        time.sleep(seconds.get(body["model"], 0.0))
        return steady(body)

    return brain


def table(server: ChatServer, **options: Any) -> dict[int, Policy]:
    models = {
        seat: AgentPolicy(OpenAIAgent(f"model-{seat}", base_url=server.url), **{"patience": QUICK} | options)
        for seat in (3, 5, 8)
    }
    return {0: make("idle"), 1: make("random"), **models}


def play(server: ChatServer, out: Path | None = None, **options: Any) -> Any:
    return arena(table(server, **options), 7, 1, draft="auto", out=out)


def test_timing_changes_nothing_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    digests = set()
    for n, seconds in enumerate(({}, {"model-3": 0.03}, {"model-8": 0.02, "model-5": 0.01})):
        with ChatServer(slowly(seconds)) as server:  # type: ignore[arg-type]
            result = play(server, tmp_path / str(n))
        digests.add(result.digest)
        assert replay(tmp_path / str(n)).digest == result.digest
        account = json.loads((tmp_path / str(n) / "run.json").read_text())["account"]
        assert set(account) == {"3", "5", "8"}
        assert sum(a["replies"] for a in account.values()) == len(server.requests)
    assert len(digests) == 1
    _, stops = reader.read(tmp_path / "0" / "seat_5")
    assert "(C06)" in stops[1].opening["packet"]


def test_seats_are_asked_at_the_same_time() -> None:
    seen: list[int] = []
    under_way = 0

    def brain(body: dict[str, Any]) -> Calls:
        nonlocal under_way
        under_way += 1
        seen.append(under_way)
        time.sleep(0.02)
        under_way -= 1
        return steady(body)

    with ChatServer(brain) as server:
        play(server)
    assert max(seen) == 3


def recorded(folder: Path, seat: int) -> int:
    """How many turns of a seat are on disk."""
    _, stops = reader.read(folder / f"seat_{seat}")
    return sum(turn.reply is not None for told in stops.values() for turn in told.turns)


def test_one_seats_failure_is_not_anothers(tmp_path: Path) -> None:
    with ChatServer() as server:
        good = play(server)
    with ChatServer() as server:
        server.plan = lambda n: "401" if server.requests[n]["model"] == "model-5" and n > 40 else None
        with pytest.raises(Paused, match=r"^seat 5: stop \d+, turn \d: no_access[^;]*$"):
            play(server, tmp_path)
        known = {seat: recorded(tmp_path, seat) for seat in (3, 5, 8)}
        for seat in (3, 8):  # the others have played their stops to the end
            assert all(told.end for told in reader.read(tmp_path / f"seat_{seat}")[1].values())
        server.requests.clear()
        server.plan = lambda n: None
        assert play(server, tmp_path).digest == good.digest
    for seat in known:
        asked = sum(body["model"] == f"model-{seat}" for body in server.requests)
        assert recorded(tmp_path, seat) == known[seat] + asked


def test_a_pause_names_every_seat_that_failed_and_what_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer() as server:
        server.plan = lambda n: None if server.requests[n]["model"] == "fine" else "401"
        seats = [f"{seat}=llm:{name},base-url={server.url}" for seat, name in enumerate(("fine", "one", "two"))]
        command = ["arena", "--seed", "7", "--seasons", "1", "--draft", "auto", "--out", str(tmp_path)]
        assert main([*command, *(word for seat in seats for word in ("--seat", seat))]) == 1
        told = capsys.readouterr().err
        assert "seat 1: stop 1, turn 1: no_access" in told and "seat 2: stop 1, turn 1: no_access" in told
        assert "seat 0" not in told and told.endswith(f"; the same command resumes the run in {tmp_path}\n")


def test_with_continue_a_failing_seat_idles_and_the_others_play_on() -> None:
    with ChatServer() as server:
        server.plan = lambda n: "bad request" if server.requests[n]["model"] == "model-5" else None
        policies = table(server, on_failure="continue")
        result = arena(policies, 7, 1, draft="auto")
    accounts = {seat: policies[seat].account() for seat in (3, 5, 8)}  # type: ignore[attr-defined]
    assert set(accounts[5]["stops_ended"]) == {"failed"}
    assert set(accounts[3]["stops_ended"]) == set(accounts[8]["stops_ended"]) == {"advanced"}
    assert result.seats[3]["settle"] == "completed"


def test_rules_are_those_of_the_arena() -> None:
    with ChatServer() as server:
        play(server)
    assert "other agents like you" in server.requests[0]["messages"][0]["content"]


def test_command_line_mixes_seats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer() as server:
        model = f"llm:tester,base-url={server.url},temperature=0.5"
        command = ["arena", "--seed", "7", "--seasons", "1", "--draft", "auto", "--out", str(tmp_path / "run")]
        assert main([*command, "--seat", "0=idle", "--seat", f"2-3={model}"]) == 0
        assert server.requests[0]["temperature"] == 0.5
    assert capsys.readouterr().out.count("tester") >= 2
    assert main(["transcript", str(tmp_path / "run" / "seat_2")]) == 0
    assert main(["replay", str(tmp_path / "run")]) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("llm:", "takes llm:MODEL"),
        ("llm:m,hot", "OPTION=VALUE"),
        ("llm:m,colour=red", "OPTION=VALUE"),
        ("llm:m,temperature=hot", "--temperature takes a number"),
        ("llm:m,provider=x", "--provider takes openai"),
    ],
)
def test_bad_seats_are_refused(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        in_seat(text)
