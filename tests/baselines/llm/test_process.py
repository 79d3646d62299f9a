"""Programs as agents: the documented example plays, and misbehaviour has its typed end."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from pathlib import Path

import pytest

from fmgym.baselines.llm.process import ProcessAgent
from fmgym.baselines.llm.protocol import Ended, Failure, Message, Reply, Request, Usage
from fmgym.cli import main
from fmgym.errors import BadInput
from fmgym.run import replay

DOCS = Path(__file__).parents[3] / "docs" / "agents.md"

# Answers with what it was asked, or misbehaves as the last message's text says.
ECHO = """
import json, os, subprocess, sys, time
lines = 0
for line in sys.stdin:
    lines += 1
    asked = json.loads(line)
    text = asked["messages"][-1]["text"]
    if text == "die":
        print("last words", os.environ["A_TEST_KEY"], file=sys.stderr)
        sys.exit(3)
    if text == "sleep":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        time.sleep(60)
    if text == "nonsense":
        print("no json", flush=True)
    elif text == "long":
        print("x" * 5_000_000, flush=True)
    elif text == "busy":
        print(json.dumps({"failure": "rate_limit", "reason": "later", "retry_after": 2}), flush=True)
    elif text == "odd":
        print(json.dumps({"failure": "calls"}), flush=True)
    else:
        told = [lines, len(asked["messages"]), "system" in asked, len(asked.get("tools", []))]
        calls = [{"tool": "get_player", "args": '{"player_id": "P0'}, {"tool": "advance"}]
        usage = {"input": 7, "output": 1}
        print(json.dumps({"text": json.dumps(told), "calls": calls, "usage": usage, "model": "echo"}), flush=True)
"""


def agent(tmp_path: Path, source: str = ECHO, timeout: float = 20.0, **more: bool) -> ProcessAgent:
    program = tmp_path / "agent.py"
    program.write_text(source)
    return ProcessAgent(shlex.join([sys.executable, str(program)]), timeout=timeout, **more)


def request(text: str, stop: int = 1, turn: int = 1, new: int = 1) -> Request:
    messages = [Message("user", "x"), Message("assistant", "y"), Message("user", text)]
    return Request(0, stop, turn, "rules", [{"name": "advance"}], messages, new)


def told(reply: Reply) -> list[object]:
    shown: list[object] = json.loads(reply.text)
    return shown


def test_a_process_sees_every_message_once(tmp_path: Path) -> None:
    echo = agent(tmp_path)
    first = echo.ask(request("a"))
    assert told(first) == [1, 3, True, 1], "a new process is given everything"
    assert [(call.tool, call.args) for call in first.calls] == [("get_player", '{"player_id": "P0'), ("advance", {})]
    assert first.usage == Usage(7, 1) and first.model == "echo"
    assert told(echo.ask(request("a", turn=2, new=2))) == [2, 2, False, 0]
    assert told(echo.ask(request("a", stop=2))) == [1, 3, True, 1], "a new stop is a new process"
    echo.close()


def test_a_kept_process_lives_through_stops(tmp_path: Path) -> None:
    echo = agent(tmp_path, kept=True)
    assert told(echo.ask(request("a"))) == [1, 3, True, 1]
    assert told(echo.ask(request("a", stop=2))) == [2, 1, False, 0]
    assert echo.stamp["kept"] is True
    echo.close()


@pytest.mark.parametrize(
    ("text", "ended", "reason"),
    [
        ("die", Ended.AGENT, "the agent ended with status 3: last words [secret]"),
        ("nonsense", Ended.AGENT, "the agent's line is no answer"),
        ("long", Ended.AGENT, "longer than 4000000 bytes"),
        ("busy", Ended.RATE_LIMIT, "later"),
        ("odd", Ended.AGENT, ""),
    ],
)
def test_failures_are_typed(
    text: str, ended: Ended, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TEST_KEY", "do-not-tell-this")
    echo = agent(tmp_path)
    with pytest.raises(Failure) as failure:
        echo.ask(request(text))
    assert failure.value.ended == ended and reason in failure.value.reason
    assert failure.value.retry_after == (2 if text == "busy" else None)
    assert told(echo.ask(request("a"))), "the next turn is asked of a new process"
    echo.close()


def test_a_late_process_is_ended_with_all_it_started(tmp_path: Path) -> None:
    sleeper = agent(tmp_path, timeout=1.0)
    start = time.monotonic()
    with pytest.raises(Failure) as failure:
        sleeper.ask(request("sleep"))
    assert failure.value.ended == Ended.TIMEOUT
    assert time.monotonic() - start < 50, "its child holds the pipe for a minute"
    sleeper.close()


@pytest.mark.parametrize("command", ["", "no-such-program-anywhere --x", "'unbalanced"])
def test_a_command_that_cannot_run_is_refused(command: str) -> None:
    with pytest.raises(BadInput, match="the agent's command"):
        ProcessAgent(command)


def test_the_example_of_the_docs_plays_a_season(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert len(example) == 1 and len(example[0].splitlines()) <= 55
    (tmp_path / "agent.py").write_text(example[0])
    program = shlex.join([sys.executable, str(tmp_path / "agent.py")])
    out = tmp_path / "runs"
    command = ["llm", "--agent-cmd", program, "--seed", "1", "--seasons", "1", "--out", str(out)]
    assert main(command) == 0
    result = replay(out / "seed-1")
    assert result.settle == "completed" and result.policy == program
    account = json.loads((out / "seed-1" / "run.json").read_text())["account"]
    assert account["text"]["errors"] == {}, "all its calls are legal"
    assert account["text"]["calls"]["submit_draft"] == 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--agent-cmd", "python", "--model", "x"], "one of --model, --agent-cmd and --local"),
        ([], "one of --model, --agent-cmd and --local"),
        (["--agent-cmd", "python", "--temperature", "1"], "--temperature is for models behind endpoints"),
    ],
)
def test_options_that_contradict(options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["llm", "--seed", "1", *options]) == 2
    assert complaint in capsys.readouterr().err
