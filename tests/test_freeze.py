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
PARAMS = "446f5077b7a80d0f"
SAMPLE = (3013, 3077)  # seeds of the published hundred that are played again
# Whole runs: what twenty seasons of each policy end in, by seed.
GOLDEN: dict[str, dict[int, str]] = {
    "oracle": {
        1: "9b89ef1a731130f2f8082275f71dbb07 95.104578",
        1024: "4961f3a2a21d7eff223bb35aee9f393a 91.712648",
        2026: "a63efec5632e1dd30126a894ff37debb 97.216401",
    },
    "strategist": {
        1: "e9407a134508d8da025f98711628e282 78.035189",
        1024: "618cb5bbe00e8ac2649362861bb24e7e 52.247867",
        2026: "fdfaeedbde80a42c632662488aea0545 84.764689",
    },
    "heuristic": {
        1: "6cfc18f54cbc27dc60ebfaea24644b22 -2.761246",
        1024: "1259f8fba94ed052de2e4d090b84b9b6 -0.789917",
        2026: "898fca52b98120b8c5654f2475ec0d92 19.454328",
    },
    "idle": {
        1: "2ff4c1d60aae61a126707d97ceedc262 -3.752535",
        1024: "7a29fc18dd60c024b5af7c027f948653 -2.829776",
        2026: "34c2037f5a5a85dc41f8c2360be59613 -1.973159",
    },
    "random": {
        1: "e1d9857bf1935abf863a16cedb95ca3a -11.633638",
        1024: "ed2f94d0c6634fc2843742f3a2fd7905 -16.611460",
        2026: "5083ea8c667aea4b58b172139a9df4f3 -18.552541",
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
