"""The examples run, at tiny size, and do what they say."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmgym.baselines import make

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name: str) -> ModuleType:
    """An example as a module, without running it."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_masked_ppo() -> None:
    pytest.importorskip("torch")
    ppo = example("ppo_masked")
    scores = ppo.main(ppo.Args(steps=2 * 160 * 8, envs=2, rollout=160, epochs=1, minibatches=2, width=16))
    assert len(scores) >= 1 and np.isfinite(scores).all()


def test_text_agent(capsys: pytest.CaptureFixture[str]) -> None:
    final = example("text_agent").main(seed=1, seasons=1)
    shown = capsys.readouterr().out
    assert final["settle"] == "completed" and "errors" in shown
    assert shown.count("score") >= 13 and "UNUSABLE" not in shown
    assert final["calls"] > final["stops"] * 2  # it does more than ask and advance


def test_behaviour_cloning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It learns: calls of an episode kept apart become likely that were not."""
    pytest.importorskip("fmgym.baselines.vecenv")
    recorder = pytest.importorskip("fmgym.baselines.dataset")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    recorder.record(make("strategist"), [1, 2, 3], "fmgym/few-v0", "actions", seasons=1)
    cloning = example("behaviour_cloning")
    difference = cloning.main("fmgym/few-v0", [7, 8], passes=20, width=32, seasons=1)
    lines = capsys.readouterr().out.splitlines()
    apart = [float(re.search(r"apart (\d+\.\d+)", line).group(1)) for line in lines[:20]]
    assert apart[-1] < apart[0] - 0.85  # 1.2 as it is, 0.5 with its labels shuffled
    assert f"difference {difference:.2f}" in lines[-1] and "on 2 seeds" in lines[-1]


APART = "has an environment of its own: see the docstring of examples/"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("shared", [False, True])
def test_rllib(shared: bool) -> None:
    pytest.importorskip("ray.rllib.algorithms.ppo", reason=f"RLlib {APART}rllib_ppo.py", exc_type=ImportError)
    scores = example("rllib_ppo").main(iterations=1, seasons=1, steps=260 if shared else 100, shared=shared)
    assert len(scores) == 1 and np.isfinite(scores).all()


@pytest.mark.filterwarnings("default")
def test_torchrl() -> None:
    pytest.importorskip("torchrl", reason=f"TorchRL {APART}torchrl_ppo.py")
    scores, outside = example("torchrl_ppo").main(steps=800, batch=400, width=16)
    assert len(scores) >= 1 and np.isfinite(scores).all() and outside == 0


@pytest.mark.filterwarnings("default")
def test_tianshou() -> None:
    pytest.importorskip("tianshou", reason=f"Tianshou {APART}tianshou_dqn.py")
    scores, refused = example("tianshou_dqn").main(steps=4096, width=16)
    assert len(scores) >= 1 and np.isfinite(scores).all() and refused == 0
