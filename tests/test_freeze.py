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
        1: "dd1db6f53d9fbd602e7b596be13ce521 91.265754",
        1024: "638bde9cfac66a73dccfba72af80ba65 92.109881",
        2026: "11cb28c9ba14eb6f2467d25499b9ba8b 89.447678",
    },
    "strategist": {
        1: "8513ce5831ee675a81319ab5f8570fa0 41.250039",
        1024: "a5d6dc21d2ebde86b91040eba70c607d 85.344574",
        2026: "3054fcdb9c302ee12e0f58b702b84457 84.468876",
    },
    "heuristic": {
        1: "28d9da1ec21e6c62c7d4d963538850ed -2.034952",
        1024: "0f8fb47f99203571f664b98eca44c044 28.037030",
        2026: "79c48436087318f9709d0c62efe414e7 10.634970",
    },
    "idle": {
        1: "07d5f059490d57d87afef5cda2a6551d -4.369430",
        1024: "3a2428626289aff5af9e183ec0cfcb0c -5.223143",
        2026: "8f489c7b31c21afe3293728f32fae466 -3.941703",
    },
    "random": {
        1: "f75fa9cf4d0b3d599a96aae60c6515da -16.378208",
        1024: "2d19ce7b78b2ad3dd1c4dc888ad6ead4 -16.443767",
        2026: "b9f2ed2370ae769a2fbe52ca8ef5a66c -18.047015",
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
