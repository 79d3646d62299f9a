"""The backend ray gives what processes give, and a node that dies midway takes nothing with it."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fmgym.baselines import make
from fmgym.errors import BadInput
from fmgym.run import RunResult, ladder
from fmgym.sweep import Workers

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without cores, to which nodes can be added."""
    from ray.cluster_utils import Cluster

    monkeypatch.chdir(tmp_path)  # Ray's workers import from the driver's folder: not from a checkout, in a test
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def untimed(results: list[RunResult]) -> list[RunResult]:
    return [replace(result, seconds=0) for result in results]


def test_a_killed_node_loses_nothing(cluster: Any) -> None:
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    seeds = list(range(1, 13))
    seen = 0

    def kill_one(_: RunResult) -> None:
        nonlocal seen
        seen += 1
        if seen == 2:  # others are running, and waiting, on both
            cluster.remove_node(nodes.pop(), allow_graceful=False)

    spread = ladder([make("random")], seeds, Workers(None, "ray"), seasons=1, progress=kill_one)
    assert len(nodes) == 1
    assert seen == len(seeds)
    assert untimed(spread.results) == untimed(ladder([make("random")], seeds, seasons=1).results)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:port", "nonsense"])
def test_no_cluster_is_a_bad_address(address: str) -> None:
    with pytest.raises(BadInput, match=f"no Ray cluster answers at '{address}'"):
        ladder([make("idle")], [1], Workers(1, "ray", address), seasons=1)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r'pip install "fmgym\[cluster\]"'):
        ladder([make("idle")], [1], Workers(1, "ray"), seasons=1)
