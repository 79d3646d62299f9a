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
PARAMS = "?"
SAMPLE = (1013, 1077)  # seeds of the published hundred that are played again
# Whole runs: what twenty seasons of each policy end in, by seed.
GOLDEN: dict[str, dict[int, str]] = {}


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
        assert sorted(map(int, runs)) == list(range(1001, 1101))


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", SAMPLE)
def test_published_runs_are_played_again(published: dict[str, Any], name: str, seed: int) -> None:
    told = published["runs"][name][str(seed)]
    result = run(make(name), seed)
    assert {key: getattr(result, key) for key in told} == told


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", (1, 1024, 2026))
def test_golden_runs(name: str, seed: int) -> None:
    result = run(make(name), seed)
    assert f"{result.digest} {result.score:.6f}" == GOLDEN[name][seed]
