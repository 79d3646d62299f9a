"""The soak's verdict: each of its three claims can fail."""

import importlib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def soak(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.soak")


def episodes(soak: Any, growth: float = 0.0, drift: float = 0.0) -> list[Any]:
    """Sixteen episodes; memory grows by ``growth`` MB and turns by ``drift`` seconds an episode."""
    return [soak.Episode(i, 100, 1.0 + 100 * drift * i, f"digest {i}", 300.0 + growth * i) for i in range(16)]


def test_a_steady_run_holds(soak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "fresh_digests", lambda seeds: [f"digest {seed}" for seed in seeds])
    verdict = soak.judged(episodes(soak), 4, 1.0)
    assert verdict.holds
    assert (verdict.episodes, verdict.turns, verdict.unequal) == (16, 1600, [])


def test_leaks_drifts_and_other_worlds_are_found(soak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "fresh_digests", lambda seeds: [f"digest {seed}" for seed in seeds])
    assert not soak.judged(episodes(soak, growth=0.5), 4, 1.0).holds
    assert not soak.judged(episodes(soak, drift=0.001), 4, 1.0).holds
    monkeypatch.setattr(soak, "fresh_digests", lambda seeds: ["another" if s == 15 else f"digest {s}" for s in seeds])
    verdict = soak.judged(episodes(soak), 4, 1.0)
    assert verdict.unequal == [15] and not verdict.holds
