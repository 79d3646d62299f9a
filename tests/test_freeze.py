"""The frozen world: parameters, score and every policy's play are those the published results were made with.

A change of what these tests hold is a new version: a line in CHANGELOG.md, the ladder run again
(``python -m benchmarks.calibrate report``), new values here.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from fmgym import __version__, score
from fmgym.baselines import POLICIES, make
from fmgym.params import Params
from fmgym.run import run

PUBLISHED = Path(__file__).parents[1] / "benchmarks" / "results" / "calibration.json"
PARAMS = "618e1d61d9bfa6f6"
SAMPLE = (3013, 3077)  # seeds of the published hundred that are played again
# Whole runs: what twenty seasons of each policy end in, by seed.
GOLDEN: dict[str, dict[int, str]] = {
    "oracle": {
        1: "29692df1ccdcad79f83af18c180277af 95.130715",
        1024: "c467d3233fb2b543599e165973177905 92.548660",
        2026: "ca2bc56c882ef06857667c623644ad67 92.342198",
    },
    "strategist": {
        1: "825a0845594e6a6585a2f7b0b4025c91 80.104706",
        1024: "7caab941f364a98a7dbef10eaa317ab9 69.086014",
        2026: "c2043130929bd4757b7645808c47d4f4 90.784665",
    },
    "heuristic": {
        1: "9873d8b879621f0db129d0b8d81183f7 -0.719214",
        1024: "34cbb2d92e89a1ee4bca24ae52d1dcf5 1.017510",
        2026: "78713fb36ca34699f6258ec9d3481a88 -5.208407",
    },
    "idle": {
        1: "a77e8c81b5378576f6b7c0b78be71cf5 -4.242226",
        1024: "19d4bb44c88174df930ecd1c0c3d596d -5.110921",
        2026: "cda86af06e5eaf6b1eba0fd85efb387a -3.809312",
    },
    "random": {
        1: "173053fab9e1da707b6d2d537de5d300 -16.381644",
        1024: "73105eff32e1365c40696a40d0532b6c -16.216652",
        2026: "2f513ea785dfd7497fe9fcb897f101b0 -17.746119",
    },
}


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    """The published report."""
    content: dict[str, Any] = json.loads(PUBLISHED.read_text())
    return content


def test_parameters_are_the_frozen_ones() -> None:
    assert Params.default().hash == PARAMS


def test_the_report_is_of_this_version(published: dict[str, Any]) -> None:
    assert (published["engine"], published["params_hash"]) == (__version__, Params.default().hash)
    assert published["score_version"] == score.VERSION


def test_the_report_has_every_policy_on_a_hundred_seeds(published: dict[str, Any]) -> None:
    assert set(published["runs"]) == set(POLICIES)
    for runs in published["runs"].values():
        assert sorted(map(int, runs)) == list(range(3001, 3101))


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", SAMPLE)
def test_published_runs_are_played_again(published: dict[str, Any], name: str, seed: int) -> None:
    told = published["runs"][name][str(seed)]
    result = run(make(name), seed)
    assert {key: getattr(result, key) for key in told} == told


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", [1, 1024, 2026])
def test_golden_runs(name: str, seed: int) -> None:
    result = run(make(name), seed)
    assert f"{result.digest} {result.score:.6f}" == GOLDEN[name][seed]
