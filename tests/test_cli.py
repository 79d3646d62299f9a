"""The command line: what it prints, what it writes, and how it ends on bad input."""

import hashlib
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
from fmgym.stamp import stamp
from fmgym.tracks import ARENA, SOLO
from fmgym.tracks.track import Track

COMMANDS = [
    "run",
    "ladder",
    "arena",
    "replay",
    "tools",
    "rules",
    "bench",
    "world",
    "llm",
    "transcript",
    "mcp",
    "tokens",
    "train",
    "dataset",
]


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


@pytest.mark.parametrize("track", [SOLO, ARENA])
def test_printed_rules_are_those_of_the_stamp(capsys: pytest.CaptureFixture[str], track: Track) -> None:
    printed = out_of(capsys, "rules", "--track", track.name, "--seasons", "3", "--set", "stop.queries=12").encode()
    mark = stamp(
        policy="idle", seed=1, seasons=3, opponents="tiered", draft="agent", changes={"stop.queries": 12}, track=track
    )
    assert hashlib.blake2b(printed, digest_size=8).hexdigest() == mark["rules_hash"]


def test_rules_of_no_track_or_length_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--track", "cup"]) == 2
    assert "there is no track" in one_line(capsys)
    assert main(["rules", "--seasons", "21"]) == 2
    assert "seasons must be 1 to 20" in one_line(capsys)


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
        ([*RUN, "--set", "market.heat=NaN"], "must lie in"),
        ([*RUN, "--set", "calendar.market_step=1e999"], "must lie in"),
        ([*RUN, "--set", "calendar.market_step=1.5"], "whole numbers"),
        ([*RUN, "--set", "market.heat=" + "9" * 5000], "GROUP.NAME=NUMBER"),
        ([*RUN, "--set", "market.heat=" + "9" * 400], "a number that large"),
        ([*RUN, "--set", "market.heat=" + "[" * 100_000], "GROUP.NAME=NUMBER"),
        ([*RUN, "--set", "market.heat=0.3", "--set", "market.heat=0.4"], "twice"),
        ([*RUN, "--set", "calendar.window_summer=[59,5]"], "must not fall"),
        ([*RUN, "--set", "calendar.settlement_day=1"], "must follow each other"),
        ([*RUN, "--set", "shape.clubs=5"], "must be even"),
        ([*RUN, "--set", "draft.positions=[1,1,1,1,1,1,1,1]"], "must sum to"),
        ([*RUN, "--seasons", "1_0"], "whole number"),
        ([*RUN, "--seasons", "9" * 5000], "whole number"),
        (["run", "--policy", "idle", "--seed", "9" * 5000], "0 to 2**63-1"),
        ([*RUN, "--json", "x" * 300], "File name too long"),
        (["run", "--policy", "idle"], "See fmgym run --help"),
        ([*RUN, "--set", "market.hest=1"], "market.hest"),
        ([*RUN, "--json", "no/such/folder/file.json"], "no folder"),
        ([*RUN, "--json", "."], "is a folder"),
        ([*RUN, "--out", "/dev/null"], "cannot hold a run"),
        (["replay", "no/such/folder"], "no run folder"),
        (["replay"], "RUN_DIR"),
        (["ladder", "--seeds", "1,,2"], "like 1,2,3 or 1-20"),
        (["ladder", "--seeds", "-1"], "not '-1'"),
        (["ladder", "--seeds", "1-"], "not '1-'"),
        (["ladder", "--backend", "slurm"], "processes or ray"),
        (["ladder", "--keep", "no/such/file"], "cannot hold results"),
        (["world", "--plot", "out.foo"], ".png, .svg, .pdf"),
        (["world", "--plot", "out"], ".png, .svg, .pdf"),
        (["world", "--plot", "same.png", "--json", "same.png"], "two outputs"),
        (["ladder", "--plot", "out.foo"], ".png, .svg, .pdf"),
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
    assert err.splitlines()[-1] == f"fmgym: interrupted; the same command resumes the run in {folder}"


def test_interrupted_ladder_keeps_what_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "ladder.jsonl"
    command = [sys.executable, "-m", "fmgym", "ladder", "--policies", "heuristic", "--seeds", "1-1000"]
    process = subprocess.Popen(
        [*command, "--seasons", "1", "--jobs", "2", "--keep", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not file.exists() or file.read_bytes().count(b"\n") < 2:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err == f"fmgym: interrupted; the same command goes on from {file}\n"
    assert file.read_bytes().count(b"\n") >= 2


def test_an_interrupt_while_importing_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("fmgym.cli.app.main", interrupted)
    assert main([]) == 130
    assert one_line(capsys) == "fmgym: interrupted\n"


# Where JSON goes


def test_json_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "target.json")
    assert main([*RUN, "--seasons", "1", "--json", str(tmp_path / "link.json")]) == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "target.json").read_text())["policy"] == "idle"


def test_json_into_a_pipe_reaches_its_reader(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert main([*RUN, "--seasons", "1", "--json", str(pipe)]) == 0
    assert json.loads(reader.communicate()[0])["policy"] == "idle"
    assert pipe.is_fifo()


def test_json_leaves_nothing_else_behind(tmp_path: Path) -> None:
    assert main([*RUN, "--seasons", "1", "--json", str(tmp_path / "file.json")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["file.json"]


def test_what_is_no_number_is_null_in_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    text = out_of(capsys, "world", "--seeds", "1", "--seasons", "1", "--json", str(file))
    assert "nan" not in text

    def refuse(word: str) -> None:
        raise AssertionError(word)

    assert None in json.loads(file.read_text(), parse_constant=refuse)["run"].values()


def test_a_full_disk_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fmgym.rules.rules_text", full)
    assert main(["rules"]) == 2
    assert "No space left on device" in one_line(capsys)


def test_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "fmgym.cli", "tools"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.stderr == ""


def test_ladder_draws_its_seasons(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "ladder.svg"
    assert main(["ladder", "--policies", "idle", "--seeds", "1,2", "--seasons", "2", "--plot", str(picture)]) == 0
    drawn = picture.read_text("utf-8")
    assert drawn.startswith("<?xml") and drawn.count("<path") > 8
