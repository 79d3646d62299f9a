"""Dashboards: shapes, what they show, and no screen needed."""

import gymnasium as gym
import numpy as np
import pytest

from fmgym.envs.render import HEIGHT, WIDTH
from fmgym.envs.solo import SoloEnv
from fmgym.envs.vector import SoloVectorEnv


@pytest.mark.parametrize("draft", ["agent", "auto"])
def test_picture(draft: str) -> None:
    env = SoloEnv(seasons=1, draft=draft, render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    assert frame.shape == (HEIGHT, WIDTH, 3)
    assert frame.dtype == np.uint8
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 20
    for _ in range(30):
        env.step(0) if env._open else env.reset()
    assert not np.array_equal(frame, env.render())


def test_text_shows_table_squad_and_money() -> None:
    env = SoloEnv(seasons=1, draft="auto", render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    club = env.batch.world(0)
    assert text.count("\n") > 20
    assert "cash" in text
    assert "confidence" in text
    assert f"seniors {club.w.clubs[0].n_squad}" in text


def test_human_prints(capsys: pytest.CaptureFixture[str]) -> None:
    env = SoloEnv(seasons=1, draft="auto", render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert "League" in capsys.readouterr().out


def test_without_a_mode_render_warns() -> None:
    env = SoloEnv(seasons=1)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_vector_renders_every_world() -> None:
    envs = SoloVectorEnv(2, seasons=1, draft="auto", render_mode="ansi")
    envs.reset(seed=1)
    assert len({*envs.render()}) == 2


def test_rendering_changes_nothing() -> None:
    env = gym.make("FMBench-Solo-v0", seasons=1, draft="auto", render_mode="rgb_array")
    env.reset(seed=1)
    before = env.unwrapped.batch.get_state()
    env.render()
    assert env.unwrapped.batch.get_state() == before
