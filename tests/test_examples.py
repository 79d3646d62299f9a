"""The examples run, at tiny size, and do what they say."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

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
