"""Run folders: nothing can be changed unseen, and a kill at any moment loses nothing."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fmgym.baselines import make
from fmgym.errors import BadInput, CheckFailed
from fmgym.run import RunResult, replay, run
from fmgym.runlog import ACTIONS, RUN, RunLog, parse, render
from fmgym.session import Session
from fmgym.stamp import stamp

SEED, SEASONS = 3, 1


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunResult]:
    """A finished run folder and its result."""
    folder = tmp_path_factory.mktemp("runs") / "random"
    return folder, run(make("random"), SEED, SEASONS, out=folder)


@pytest.fixture
def folder(played: tuple[Path, RunResult], tmp_path: Path) -> Path:
    """A copy of a finished run folder."""
    return Path(shutil.copytree(played[0], tmp_path / "run"))


def test_finished_run_replays(folder: Path, played: tuple[Path, RunResult]) -> None:
    assert replay(folder) == played[1]


def test_log_makes_no_difference_to_the_run(played: tuple[Path, RunResult]) -> None:
    assert run(make("random"), SEED, SEASONS).digest == played[1].digest


def test_finished_run_is_not_played_again(folder: Path, played: tuple[Path, RunResult]) -> None:
    before = (folder / ACTIONS).read_bytes()
    assert run(Untouchable("random"), SEED, SEASONS, out=folder) == played[1]
    assert (folder / ACTIONS).read_bytes() == before


class Untouchable:
    """A policy that must not be asked."""

    def __init__(self, name: str) -> None:
        self.name = name

    def play(self, stop: object) -> None:
        raise AssertionError("asked again")


# Tampering


def edit(folder: Path, change: Callable[[list[bytes]], object]) -> None:
    lines = (folder / ACTIONS).read_bytes().splitlines(keepends=True)
    change(lines)
    (folder / ACTIONS).write_bytes(b"".join(lines))


def rechain(folder: Path, change: Callable[[list[dict[str, object]]], object]) -> None:
    """Change contents and recompute every hash after them, in run.json too: what a forger would do."""
    contents = [line.content for line in parse((folder / ACTIONS).read_bytes())]
    change(contents)
    texts, last = [], ""
    for content in contents:
        text, last = render(content, last)
        texts.append(text)
    (folder / ACTIONS).write_text("".join(texts), "utf-8")
    kept = json.loads((folder / RUN).read_text())
    (folder / RUN).write_text(json.dumps(kept | {"log": last}))


def swap(lines: list[bytes]) -> None:
    lines[20], lines[21] = lines[21], lines[20]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines.__setitem__(9, lines[9].replace(b'"turn":', b'"turn":1')), 10),
        (lambda lines: lines.__setitem__(9, lines[9].replace(b",", b", ", 1)), 10),
        (lambda lines: lines.__setitem__(0, lines[0].replace(b'"seed":3', b'"seed":4')), 1),
        (lambda lines: lines.__delitem__(14), 15),
        (lambda lines: lines.insert(14, lines[14]), 16),
        (swap, 21),
        (lambda lines: lines.__setitem__(30, b"{}\n"), 31),
        (lambda lines: lines.__setitem__(-1, lines[-1][:-5]), "last"),
        (lambda lines: lines.append(b'{"day":1}\n'), "beyond"),
    ],
)
def test_tampered_line_is_named(folder: Path, change: Callable[[list[bytes]], object], line: int | str) -> None:
    count = len((folder / ACTIONS).read_bytes().splitlines())
    edit(folder, change)
    number = {"last": count, "beyond": count + 1}.get(line, line)  # type: ignore[call-overload]
    with pytest.raises(CheckFailed, match=f"line {number} does not hold"):
        replay(folder)


def test_dropped_end_is_seen(folder: Path) -> None:
    edit(folder, lambda lines: lines.pop())
    with pytest.raises(CheckFailed, match="is the last"):
        replay(folder)


def forge_call(contents: list[dict[str, object]]) -> None:
    row = next(c for c in contents if c.get("tool") == "set_tactics")
    row["args"] = {"formation": "3-5-2", "style": "direct"}


def forge_outcome(contents: list[dict[str, object]]) -> None:
    next(c for c in contents if c.get("tool") == "set_tactics")["value"] = 77


def forge_digest(contents: list[dict[str, object]]) -> None:
    next(c for c in contents if "digest" in c)["digest"] = "0" * 32


def drop_turn(contents: list[dict[str, object]]) -> None:
    del contents[next(i for i, c in enumerate(contents) if c.get("tool") == "get_squad")]


@pytest.mark.parametrize("forge", [forge_call, forge_outcome, forge_digest, drop_turn])
def test_forged_chain_is_found_by_playing_it(folder: Path, forge: Callable[[list[dict[str, object]]], object]) -> None:
    rechain(folder, forge)
    with pytest.raises(CheckFailed, match=r"actions\.jsonl line \d+ does not hold"):
        replay(folder)


@pytest.mark.parametrize("field", ["score", "deaths", "digest", "seasons_table", "policy"])
def test_forged_result_is_found(folder: Path, field: str) -> None:
    kept = json.loads((folder / RUN).read_text())
    kept["result"][field] = 99
    (folder / RUN).write_text(json.dumps(kept))
    with pytest.raises(CheckFailed, match=f"{field} is 99"):
        replay(folder)


def test_forged_stamp_is_found(folder: Path) -> None:
    kept = json.loads((folder / RUN).read_text())
    kept["stamp"]["policy"] = "oracle"
    (folder / RUN).write_text(json.dumps(kept))
    with pytest.raises(CheckFailed, match="line 1 does not hold"):
        replay(folder)


def test_log_of_another_engine_is_not_verified(folder: Path) -> None:
    rechain(folder, lambda contents: contents[0]["stamp"].update(engine="9.9"))  # type: ignore[attr-defined]
    kept = json.loads((folder / RUN).read_text())
    kept["stamp"]["engine"] = "9.9"
    (folder / RUN).write_text(json.dumps(kept))
    with pytest.raises(CheckFailed, match=r"engine '9\.9'"):
        replay(folder)


# Going on


def cut(folder: Path, size: int) -> None:
    """What a kill leaves behind: no result, and the log up to some byte."""
    kept = json.loads((folder / RUN).read_text())
    (folder / RUN).write_text(json.dumps({"stamp": kept["stamp"], "result": None}))
    os.truncate(folder / ACTIONS, size)


@pytest.mark.parametrize("share", [0.0, 0.003, 0.2, 0.5, 0.77, 0.999, 1.0])
def test_cut_log_goes_on_to_the_same_end(folder: Path, played: tuple[Path, RunResult], share: float) -> None:
    whole = (folder / ACTIONS).read_bytes()
    cut(folder, int(share * len(whole)))
    result = run(make("random"), SEED, SEASONS, out=folder)
    assert result.digest == played[1].digest
    assert (folder / ACTIONS).read_bytes() == whole
    assert replay(folder).score == played[1].score


def test_finished_stops_are_not_asked_again(folder: Path) -> None:
    cut(folder, (folder / ACTIONS).stat().st_size)
    assert run(Untouchable("random"), SEED, SEASONS, out=folder).settle == "completed"


def test_paid_turns_are_kept_inside_a_stop(tmp_path: Path) -> None:
    """With every_turn a log resumes after the last whole turn, not after the last whole stop."""
    mark = stamp(policy="x", seed=1, seasons=1, opponents="tiered", draft="auto")
    session = Session.open(1, 1, draft="auto")
    log = RunLog.open(tmp_path / "run", mark, every_turn=True)
    log.follow(session)
    session.call("append_note", {"text": "an idea"})
    session.turn([("get_squad", {}), ("set_tactics", {"formation": "4-3-3", "style": "direct"})])
    session.call("no_such_tool")
    log.close()
    data = (tmp_path / "run" / ACTIONS).read_bytes()
    for extra in (b"", b'{"seat":0,"st'):
        (tmp_path / "run" / ACTIONS).write_bytes(data + extra)
        again = RunLog.open(tmp_path / "run", mark, every_turn=True)
        fresh = Session.open(1, 1, draft="auto")
        again.resume(fresh)
        again.close()
        assert fresh.digest() == session.digest()
        assert fresh.notebooks == ["an idea"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 4}, "seed 3, not 4"),
        ({"seasons": 2}, "seasons 1, not 2"),
        ({"opponents": "hard"}, "opponents 'tiered', not 'hard'"),
        ({"draft": "auto"}, "draft 'agent', not 'auto'"),
        ({"params": {"market.heat": 0.1}}, "params {}, not {'market.heat': 0.1}"),
        ({"policy": make("idle")}, "policy 'random', not 'idle'"),
    ],
)
def test_contradicting_command_is_refused(folder: Path, options: dict[str, object], message: str) -> None:
    knobs = {"policy": make("random"), "seed": SEED, "seasons": SEASONS, "out": folder} | options
    with pytest.raises(BadInput, match=message):
        run(**knobs)  # type: ignore[arg-type]


def test_damaged_log_is_not_resumed(folder: Path) -> None:
    edit(folder, lambda lines: lines.__delitem__(10))
    cut(folder, (folder / ACTIONS).stat().st_size)
    with pytest.raises(BadInput, match="line 11"):
        run(make("random"), SEED, SEASONS, out=folder)


def test_log_that_leads_elsewhere_is_not_resumed(folder: Path) -> None:
    rechain(folder, forge_digest)
    cut(folder, (folder / ACTIONS).stat().st_size)
    with pytest.raises(CheckFailed, match="another state"):
        run(make("random"), SEED, SEASONS, out=folder)


def test_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match="other files"):
        run(make("idle"), 1, 1, out=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot hold a run"):
        run(make("idle"), 1, 1, out=tmp_path / "file")


def test_folder_without_a_run_cannot_be_replayed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no run folder"):
        replay(tmp_path)


# Folders that are not this run's


def foreign_result(folder: Path) -> None:
    (folder / RUN).write_text('{"mine": "precious"}')


def no_stamp(folder: Path) -> None:
    (folder / ACTIONS).unlink()
    foreign_result(folder)


def foreign_log(folder: Path) -> None:
    (folder / RUN).unlink()
    (folder / ACTIONS).write_text("dear diary")


def lost_log(folder: Path) -> None:
    (folder / ACTIONS).unlink()


def empty_log(folder: Path) -> None:
    (folder / ACTIONS).write_text("")


def shorter_log(folder: Path) -> None:
    edit(folder, lambda lines: lines.pop())


def broken_log(folder: Path) -> None:
    edit(folder, lambda lines: lines.__setitem__(-1, lines[-1][:-5]))


def deep_log(folder: Path) -> None:
    edit(folder, lambda lines: lines.__setitem__(-1, b"[" * 100_000 + b"\n"))


def better_score(folder: Path) -> None:
    kept = json.loads((folder / RUN).read_text())
    kept["result"]["score"] = 99.0
    (folder / RUN).write_text(json.dumps(kept))


def one_field_more(folder: Path) -> None:
    kept = json.loads((folder / RUN).read_text())
    kept["result"]["rank"] = 1
    (folder / RUN).write_text(json.dumps(kept))


def result_in_words(folder: Path) -> None:
    kept = json.loads((folder / RUN).read_text())
    (folder / RUN).write_text(json.dumps(kept | {"result": "x"}))


CHANGES = [
    foreign_result,
    no_stamp,
    foreign_log,
    lost_log,
    empty_log,
    shorter_log,
    broken_log,
    deep_log,
    better_score,
    one_field_more,
    result_in_words,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_folder_is_left_alone(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BadInput):
        run(make("random"), SEED, SEASONS, out=folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises((BadInput, CheckFailed)):
        replay(folder)


def test_a_lost_result_is_played_out_of_the_log(folder: Path, played: tuple[Path, RunResult]) -> None:
    (folder / RUN).unlink()
    assert replace(run(make("random"), SEED, SEASONS, out=folder), seconds=0) == replace(played[1], seconds=0)


def test_another_commit_goes_on(folder: Path, played: tuple[Path, RunResult], monkeypatch: pytest.MonkeyPatch) -> None:
    cut(folder, (folder / ACTIONS).stat().st_size // 2)
    monkeypatch.setattr("fmgym.stamp.commit", lambda: "f" * 40)
    assert run(make("random"), SEED, SEASONS, out=folder).stamp == played[1].stamp
    assert replay(folder).digest == played[1].digest


# Kills


def killed_run(folder: Path, bytes_first: int) -> None:
    """Start a run in another process and kill it when its log has grown to that size."""
    command = [sys.executable, "-m", "fmgym.cli", "run", "--policy", "heuristic", "--seed", "3"]
    process = subprocess.Popen([*command, "--seasons", "1", "--out", str(folder)], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        if bytes_first == 0 and folder.exists():
            break
        if (folder / ACTIONS).exists() and (folder / ACTIONS).stat().st_size >= max(bytes_first, 1):
            break
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()


def check_kills(tmp_path: Path, kills: int, seed: int) -> None:
    whole = run(make("heuristic"), 3, 1, out=tmp_path / "whole")
    size = (tmp_path / "whole" / ACTIONS).stat().st_size
    chance = random.Random(seed)
    for i in range(kills):
        folder = tmp_path / f"killed-{i}"
        killed_run(folder, 0 if i == 0 else chance.randrange(size))
        assert run(make("heuristic"), 3, 1, out=folder).digest == whole.digest
        assert (folder / ACTIONS).read_bytes() == (tmp_path / "whole" / ACTIONS).read_bytes()


def test_killed_run_goes_on(tmp_path: Path) -> None:
    check_kills(tmp_path, 3, 1)


@pytest.mark.slow
def test_run_killed_twenty_times_goes_on(tmp_path: Path) -> None:
    check_kills(tmp_path, 20, 2)
