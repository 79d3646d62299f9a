"""Flat observations: the buffer behind the tables."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from fmgym.envs.solo import SoloEnv
from fmgym.envs.vector import SoloVectorEnv
from fmgym.wrappers import FlatObs, FlatVectorObs


def test_flat_is_what_gymnasium_would_flatten() -> None:
    env, plain = FlatObs(gym.make("FMBench-Solo-v0", seasons=1)), SoloEnv(seasons=1)
    flat, _ = env.reset(seed=1)
    obs, _ = plain.reset(seed=1)
    for _ in range(5):
        assert flat in env.observation_space
        assert flat.dtype == np.float32
        np.testing.assert_array_equal(flat, spaces.flatten(plain.observation_space, obs))
        np.testing.assert_array_equal(flat, env.unwrapped.batch.flats[0])
        flat, obs = env.step(0)[0], plain.step(0)[0]
    assert env.observation_space == spaces.flatten_space(plain.observation_space)


def test_what_is_handed_over_is_kept() -> None:
    env = FlatObs(SoloEnv(seasons=1))
    first, _ = env.reset(seed=1)
    kept = first.copy()
    env.step(0)
    np.testing.assert_array_equal(first, kept)


def test_vector_rows_are_the_singles() -> None:
    envs = FlatVectorObs(SoloVectorEnv(2, seasons=1))
    rows, _ = envs.reset(seed=4)
    assert rows in envs.observation_space
    for i, row in enumerate(rows):
        np.testing.assert_array_equal(row, FlatObs(SoloEnv(seasons=1)).reset(seed=4 + i)[0])
