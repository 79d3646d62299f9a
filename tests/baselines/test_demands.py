"""The experiments on the four demands: what their table says of runs, and that each changes one habit."""

import importlib.util
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from fmgym.baselines.strategist import HABITS
from fmgym.run import Ladder, RunResult

# Benchmarks are not installed: the program is taken from the checkout, wherever pytest was started.
SPEC = importlib.util.spec_from_file_location("demands", Path(__file__).parents[2] / "benchmarks" / "demands.py")
assert SPEC and SPEC.loader
demands = sys.modules["demands"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(demands)
EXPERIMENTS, as_dict, table = demands.EXPERIMENTS, demands.as_dict, demands.table


def result(policy: str, seed: int, score: float) -> RunResult:
    ended = {"settle": "completed", "settle_year": 20.0, "stops": 1, "turns": 1, "calls": 1, "seconds": 0.0}
    channels = {"s_raw": score, "rho": 1.0, "honors": 0, "value_added": 0.0, "squad_value": 0.0, "deaths": 0}
    kept = {"digest": "", "seasons_table": [], "stamp": {"policy": policy, "seed": seed, "engine": "x"}}
    return RunResult(policy=policy, seed=seed, seasons=20, score=score, **ended, **channels, **kept)


def found(cost: float) -> Ladder:
    """Every habit costs ``cost`` on the mean of ten seeds, a little more or less by seed."""
    runs = [result("strategist", seed, 80.0 + seed) for seed in range(10)]
    runs += [result(name, seed, 80.0 + seed - cost + (-1) ** seed) for name in EXPERIMENTS for seed in range(10)]
    return Ladder(runs)


@pytest.mark.parametrize(("cost", "real"), [(3.0, True), (0.3, False), (-3.0, False)])
def test_a_cost_is_real_when_its_interval_excludes_zero(cost: float, real: bool) -> None:
    rows = table(found(cost))
    assert [row.habit for row in rows] == list(EXPERIMENTS)
    for row in rows:
        assert row.cost == pytest.approx(cost)
        assert row.low < row.cost < row.high
        assert row.real is real


def test_costs_are_paired_over_seeds() -> None:
    """Seeds differ by far more than the habit costs, and the interval is narrow all the same."""
    row = table(found(3.0))[0]
    assert row.high - row.low < 2.0


def test_json_keeps_every_score() -> None:
    content = as_dict(found(3.0), table(found(3.0)))
    assert len(content["scores"]) == 1 + len(EXPERIMENTS)
    assert set(map(len, content["scores"].values())) == {10}
    assert content["stamp"] == {"engine": "x"}


def test_the_command_writes_and_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demands, "climb", lambda *_, **__: found(0.3))
    monkeypatch.setattr(sys, "argv", ["demands", "--seeds", "1-10", "--json", str(tmp_path / "out.json")])
    with pytest.raises(SystemExit) as ended:
        demands.main()
    assert ended.value.code == 1  # no habit costs anything for certain
    assert (tmp_path / "out.json").exists()


def test_an_unwritable_json_is_refused_before_computing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demands, "climb", lambda *_, **__: pytest.fail("computed first"))
    monkeypatch.setattr(sys, "argv", ["demands", "--json", "no/such/folder/file.json"])
    with pytest.raises(SystemExit) as ended:
        demands.main()
    assert ended.value.code == 2
    assert "no folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_changes_one_habit(name: str) -> None:
    usual, changed = asdict(HABITS), asdict(EXPERIMENTS[name].habits)
    assert sum(usual[habit] != changed[habit] for habit in usual) == 1
