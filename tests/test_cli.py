"""The command line: what it prints, what it writes, and how it ends on bad input."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fmgym.cli import main
from fmgym.cli.common import seeds
from fmgym.errors import BadInput

COMMANDS = ["run", "ladder", "arena", "replay", "tools", "rules", "bench", "world"]


def out_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = out_of(capsys, "--help")
    assert all(name in text for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert f"Example: fmgym {command}" in out_of(capsys, command, "--help")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert out_of(capsys, "--version").startswith("fmgym 0.")


def test_run_prints_seasons_and_writes_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    arguments = ["run", "--policy", "idle", "--seed", "1", "--seasons", "1", "--json", str(file)]
    text = out_of(capsys, *arguments, "--out", str(tmp_path / "run"))
    assert "idle on seed 1: score" in text
    assert "position" in text
    result = json.loads(file.read_text())
    assert result["policy"] == "idle"
    assert result["stamp"]["seasons"] == 1
    again = out_of(capsys, "replay", str(tmp_path / "run"))
    assert "holds" in again
    assert f"{result['score']:.2f}" in again


def test_failed_check_exits_with_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    assert main(["run", "--policy", "idle", "--seed", "1", "--seasons", "1", "--out", folder]) == 0
    log = tmp_path / "run" / "actions.jsonl"
    log.write_text(log.read_text().replace('"turn":3', '"turn":4', 1))
    assert main(["replay", folder]) == 1
    assert "line" in one_line(capsys)


def test_ladder_writes_results_and_summary(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "ladder.json"
    text = out_of(
        capsys, "ladder", "--policies", "idle,random", "--seeds", "1-2", "--seasons", "1", "--json", str(file)
    )
    assert "idle" in text
    content = json.loads(file.read_text())
    assert [(r["policy"], r["seed"]) for r in content["results"]] == [
        ("idle", 1),
        ("idle", 2),
        ("random", 1),
        ("random", 2),
    ]
    assert set(content["summary"]["idle"]) == {"n", "mean", "sd", "deaths", "completed"}


def test_world_prints_yearly_means(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    text = out_of(capsys, "world", "--seeds", "1,2", "--seasons", "2", "--json", str(file))
    assert "wage_ratio" in text
    content = json.loads(file.read_text())
    assert len(content["yearly"]["ability"]) == 2
    assert 50 < content["yearly"]["ability"][0] < 80
    assert content["seeds"] == [1, 2]


def test_parameters_can_be_set(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    out_of(
        capsys,
        *["world", "--seeds", "1", "--seasons", "1", "--json", str(file)],
        *["--set", "money.overhead=0", "--set", "ruin.runway_days=[50,20]"],
    )
    changed = json.loads(file.read_text())
    out_of(capsys, "world", "--seeds", "1", "--seasons", "1", "--json", str(file))
    plain = json.loads(file.read_text())
    assert changed["params_hash"] != plain["params_hash"]
    assert changed["yearly"]["cash"][0] > plain["yearly"]["cash"][0]


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp"])
def test_tools_are_printed_as_schemas(capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert len(json.loads(out_of(capsys, "tools", "--format", form))) == 26


def test_tools_and_rules_are_printed_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert "| get_squad" in out_of(capsys, "tools").replace("`", "")
    assert len(out_of(capsys, "rules")) > 2000


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert captured.err.startswith("fmgym: ")
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err


RUN = ["run", "--policy", "idle", "--seed", "1"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nonsense"], "nonsense"),
        (["run", "--policy", "idle"], "--seed"),
        (["run", "--polici", "idle"], "--policy"),
        (["run", "--policy", "clever", "--seed", "1"], "random, idle, heuristic"),
        (["run", "--policy", "idle", "--seed", "one"], "0 to 2**63-1"),
        (["run", "--policy", "idle", "--seed", "-1"], "0 to 2**63-1"),
        (["run", "--policy", "idle", "--seed", str(2**63)], "0 to 2**63-1"),
        ([*RUN, "--seasons", "0"], "1 to 20"),
        ([*RUN, "--seasons", "21"], "1 to 20"),
        ([*RUN, "--seasons", "two"], "whole number"),
        ([*RUN, "--opponents", "tough"], "tiered"),
        ([*RUN, "--draft", "mine"], "agent or auto"),
        ([*RUN, "--set", "market.heat"], "GROUP.NAME=NUMBER"),
        ([*RUN, "--set", "market.heat=hot"], "GROUP.NAME=NUMBER"),
        ([*RUN, "--set", "market.heat=99"], "market.heat"),
        ([*RUN, "--set", "market.hest=1"], "market.hest"),
        ([*RUN, "--json", "no/such/folder/file.json"], "no folder"),
        ([*RUN, "--json", "."], "is a folder"),
        ([*RUN, "--out", "/dev/null"], "cannot hold a run"),
        (["replay", "no/such/folder"], "no run folder"),
        (["replay"], "RUN_DIR"),
        (["ladder", "--seeds", "1,,2"], "0 to 2**63-1"),
        (["ladder", "--seeds", "5-1"], "1-5"),
        (["ladder", "--seeds", "1,1"], "twice"),
        (["ladder", "--seeds", f"0-{2**62}"], "at most"),
        (["ladder", "--jobs", "0"], "from 1"),
        (["ladder", "--policies", "idle,idle"], "twice"),
        (["ladder", "--policies", ""], "known are"),
        (["ladder", "--json", "no/such/file.json"], "no folder"),
        (["world", "--seeds", "x"], "0 to 2**63-1"),
        (["world", "--seeds", "1", "--seasons", "0"], "1 to 20"),
        (["world", "--plot", "no/such/file.png"], "no folder"),
        (["tools", "--format", "latin"], "openai"),
        (["bench", "--json", "no/such/file.json"], "no folder"),
    ],
)
def test_bad_input_ends_with_two_and_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(arguments) == 2
    assert says in one_line(capsys)


def test_unwritable_json_is_refused_before_computing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("computed first")

    monkeypatch.setattr("fmgym.run.run", fail)
    monkeypatch.setattr(Path, "open", lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    assert main([*RUN, "--json", str(tmp_path / "file.json")]) == 2
    assert "Permission denied" in one_line(capsys)


def test_lists_of_seeds() -> None:
    assert seeds("1,1024,2026") == [1, 1024, 2026]
    assert seeds("7, 1-3") == [7, 1, 2, 3]
    with pytest.raises(BadInput):
        seeds("")


def test_interrupt_says_how_to_resume(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "fmgym.cli", "run", "--policy", "heuristic", "--seed", "1"]
    process = subprocess.Popen(
        [*command, "--out", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while not (folder / "actions.jsonl").exists() or (folder / "actions.jsonl").stat().st_size < 3000:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err == f"fmgym: interrupted; the same command resumes the run in {folder}\n"


def test_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "fmgym.cli", "tools"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.stderr == ""
