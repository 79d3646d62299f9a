"""`fmgym llm` in processes of its own: killed, resumed, interrupted, several seeds at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fmgym import runlog
from fmgym.baselines.llm import transcript
from fmgym.cli import main
from fmgym.run import replay

from .server import ChatServer

COMMAND = [sys.executable, "-m", "fmgym.cli"]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-this-test")


def options(server: ChatServer, folder: Path, seeds: str = "1") -> list[str]:
    named = {"model": "tester", "base-url": server.url, "seeds": seeds, "seasons": "1", "draft": "auto", "out": folder}
    return ["llm", *(word for name, value in named.items() for word in (f"--{name}", str(value)))]


def start(arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished_turns(folder: Path) -> set[tuple[int, int]]:
    """Stop and turn of every reply on disk."""
    path = folder / "seed-1" / transcript.NAME
    lines = transcript.read(path)[0] if path.exists() else []
    return {(line["stop"], line["turn"]) for line in lines if "reply" in line}


def kill_and_resume(tmp_path: Path, kills: int, seed: int) -> None:
    """Kill one run again and again at random moments; it ends as an undisturbed one, and pays for no turn twice."""
    with ChatServer() as server:
        assert main(options(server, tmp_path / "whole")) == 0
        whole = json.loads((tmp_path / "whole/seed-1/run.json").read_text())
        chance, total = random.Random(seed), len(server.requests)
        folder = tmp_path / "killed"
        places = sorted(chance.sample(range(1, total), kills))
        for place in places:
            known = finished_turns(folder)
            server.turns.clear()
            process = start(options(server, folder))
            while process.poll() is None and len(known) + len(server.turns) < place:
                time.sleep(0.002)
            time.sleep(chance.random() * 0.02)
            process.kill()
            process.communicate()
            assert not known & set(server.turns)
            assert len(finished_turns(folder) - known) >= len(server.turns) - 1
        known = finished_turns(folder)
        server.turns.clear()
        assert main(options(server, folder)) == 0
        assert not known & set(server.turns)
    kept = json.loads((folder / "seed-1/run.json").read_text())
    assert kept["result"]["digest"] == whole["result"]["digest"]
    assert kept["log"] == whole["log"]
    for name in ("usage", "turns", "text", "replies"):
        assert kept["account"][name] == whole["account"][name]
    assert replay(folder / "seed-1").score == whole["result"]["score"]


def test_killed_run_pays_for_no_turn_twice(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 2, 1)


@pytest.mark.slow
def test_run_killed_twenty_times_pays_for_no_turn_twice(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 20, 2)


def test_interrupt_ends_at_once_and_says_what_to_do(tmp_path: Path) -> None:
    with ChatServer(plan=lambda n: "503" if n > 5 else None) as server:
        process = start(options(server, tmp_path))
        while len(server.requests) < 8:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=60)
        assert process.returncode == 130
        assert told.splitlines()[-1] == "fmgym: interrupted; the same command goes on where it stopped"
        assert out == ""
        server.plan = lambda n: None
        known = finished_turns(tmp_path)
        server.turns.clear()
        assert main(options(server, tmp_path)) == 0
        assert len(known) == 6 and not known & set(server.turns)


def test_seeds_at_once_end_as_they_do_alone_and_fail_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer() as server:
        assert main([*options(server, tmp_path / "one", "3"), "--json", str(tmp_path / "one.json")]) == 0
        (tmp_path / "many" / "seed-2").mkdir(parents=True)
        (tmp_path / "many" / "seed-2" / "letter.txt").write_text("dear")
        capsys.readouterr()
        command = [*options(server, tmp_path / "many", "1-3"), "--jobs", "3", "--json", str(tmp_path / "many.json")]
        assert main(command) == 2
    out, told = capsys.readouterr()
    assert told.startswith("fmgym: seed 2: ") and "holds other files" in told
    assert [row.split()[0] for row in out.splitlines()] == ["seed", "1", "2", "3"]
    runs = json.loads((tmp_path / "many.json").read_text())["runs"]
    (alone,) = json.loads((tmp_path / "one.json").read_text())["runs"]
    assert runs[2]["result"]["digest"] == alone["result"]["digest"]
    assert runs[2]["account"]["usage"] == alone["account"]["usage"]
    assert runs[1]["result"] is None and "other files" in runs[1]["error"]


def test_finished_runs_are_shown_again_and_ask_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer() as server:
        assert main(options(server, tmp_path)) == 0
        first = capsys.readouterr().out
        asked = len(server.requests)
        assert main(options(server, tmp_path)) == 0
        assert capsys.readouterr().out == first
        assert len(server.requests) == asked


def test_contradicting_command_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(plan=lambda n: "401" if n > 2 else None) as server:
        assert main(options(server, tmp_path)) == 1
        assert "no_access" in capsys.readouterr().err
        for more in (["--temperature", "0.3"], ["--memory", "session"], ["--reasoning", "high"], ["--speaks", "json"]):
            assert main([*options(server, tmp_path), *more]) == 2
            assert "holds a run with agent" in capsys.readouterr().err
        assert runlog.kept(tmp_path / "seed-1")["result"] is None


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--seeds", "x"], "a seed is a whole number"),
        (["--temperature", "hot"], "--temperature takes a number from 0"),
        (["--max-usd", "-1"], "--max-usd takes a number from 0"),
        (["--max-tokens", "0"], "--max-tokens takes a whole number from 1"),
        (["--provider", "x"], "--provider takes openai or anthropic"),
        (["--speaks", "french"], "--speaks takes tools or json"),
        (["--memory", "all"], "memory must be stop or session"),
        (["--on-failure", "x"], "on-failure must be pause or continue"),
        (["--prices", "/nowhere"], "cannot be read"),
        (["--jobs", "0"], "--jobs takes a whole number from 1"),
        (["--seasons", "99"], "seasons must be 1 to 20"),
    ],
)
def test_bad_options_are_one_sentence_and_ask_nothing(
    more: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer() as server:
        assert main([*options(server, tmp_path / "run"), *more]) == 2
        assert server.requests == []
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_prices_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('dated = "2026-11-01"\n[models]\ntester = { input = 1.0, output = 2.0, cached = 0.1 }\n')
    with ChatServer() as server:
        assert main([*options(server, tmp_path / "run"), "--prices", str(table), "--max-usd", "0.001"]) == 1
        assert "max-usd is reached" in capsys.readouterr().err
        table.write_text("models = 7")
        assert main([*options(server, tmp_path / "run"), "--prices", str(table)]) == 2
        assert "no table of prices" in capsys.readouterr().err


def test_core_and_command_do_without_clients(tmp_path: Path) -> None:
    """Without the client there is one sentence that says how to get it."""
    (tmp_path / "openai.py").write_text("raise ImportError('not here')")
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    environment: dict[str, Any] = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(
        [*COMMAND, "llm", "--model", "m", "--seed", "1"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "fmgym: this needs the openai client; install it with: pip install 'fmgym[openai]'\n"
