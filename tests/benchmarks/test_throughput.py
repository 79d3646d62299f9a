"""The benchmark's arithmetic, its comparison of two runs, and that its measures measure what they say."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def measures(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.measures")


@pytest.fixture
def throughput(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.throughput")


def compare(*arguments: Any) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, str(ROOT / "benchmarks" / "throughput.py")]
    return subprocess.run([*script, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


def written(path: Path, measures: Any, *samples: float, better: str | None = None) -> Path:
    figure = measures.Figure("a turn", "us", samples, better=better or measures.FEWER)
    path.write_text(json.dumps({"machine": {}, "figures": [figure.to_json()], "curves": []}))
    return path


def test_exponent_is_the_slope(measures: Any) -> None:
    curve = measures.Curve("a turn", "worlds", tuple((n, 0.003 * n**1.5) for n in (1, 4, 16, 64)))
    assert curve.exponent == pytest.approx(1.5)


def test_spread_is_of_the_quartiles(measures: Any) -> None:
    figure = measures.Figure("a turn", "us", (1.0, 2.0, 3.0, 4.0, 5.0))
    assert figure.median == 3.0
    assert figure.spread == pytest.approx(1.0 / 3.0)
    assert measures.Figure("once", "s", (2.0,)).spread == 0.0


def test_only_what_follows_the_first_call_is_timed(measures: Any) -> None:
    calls: list[str] = []
    taken = measures.seconds(lambda: calls.append("run"), 3, lambda: calls.append("prepare"))
    assert calls == ["prepare", "run"] * 4
    assert len(taken.wall) == len(taken.cpu) == 3


def test_the_slowest_hundredth_is_left_out(measures: Any) -> None:
    assert measures.undisturbed([1.0] * 198 + [50.0, 60.0]) == 1.0
    assert measures.undisturbed([1.0, 3.0]) == 2.0


def test_chosen_actions_are_legal_and_every_one_comes_up(measures: Any) -> None:
    masks = np.zeros((40, 9), np.int8)
    masks[:, [0, 4, 8]] = 1
    found: set[int] = set()
    for seed in range(20):
        actions = np.full(40, -1, np.int64)
        measures.choose(masks, actions, seed)
        found |= set(actions.tolist())
    assert found == {0, 4, 8}


def test_counts_are_those_of_the_calendar(measures: Any) -> None:
    world = measures.alone.World()
    world.reset(1)
    counts = measures.counted(world)
    assert world.w.finished
    assert counts["matches"] == 20 * 240
    assert counts["market days"] == 20 * 17
    assert 440 * 240 < counts["player-months"] < 500 * 240


def test_slower_is_a_regression_whichever_way_it_counts(measures: Any, throughput: Any) -> None:
    for better, worse in ((measures.FEWER, 120.0), (measures.MORE, 80.0)):
        old, same, new = (measures.Figure("x", "", (x,), better=better).to_json() for x in (100.0, 105.0, worse))
        assert throughput.is_regression(old, new)
        assert not throughput.is_regression(new, old)
        assert not throughput.is_regression(old, same)


def test_what_scatters_more_than_it_changed_is_none(measures: Any, throughput: Any) -> None:
    old = measures.Figure("x", "", (80.0, 100.0, 120.0)).to_json()
    assert not throughput.is_regression(old, measures.Figure("x", "", (95.0, 119.0, 143.0)).to_json())


def test_comparison_says_what_became_slower(tmp_path: Path, measures: Any) -> None:
    old = written(tmp_path / "old.json", measures, 10.0)
    new = written(tmp_path / "new.json", measures, 15.0)
    worse = compare("--compare", old, new)
    assert worse.returncode == 1, worse.stderr
    assert "+50 %" in worse.stdout and "slower" in worse.stdout
    assert compare("--compare", new, old).returncode == 0


@pytest.mark.parametrize("content", [None, "", "{}", '{"figures": 3, "machine": {}}'])
def test_files_of_another_kind_are_refused(tmp_path: Path, measures: Any, content: str | None) -> None:
    old = written(tmp_path / "old.json", measures, 10.0)
    new = tmp_path / "new.json"
    if content is not None:
        new.write_text(content)
    refused = compare("--compare", old, new)
    assert refused.returncode == 2
    assert refused.stderr.startswith("throughput: ") and refused.stderr.count("\n") == 1
