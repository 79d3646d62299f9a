"""Flat observations: the buffer behind the tables."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from fmgym.envs.solo import SoloEnv
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput
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


def test_other_environments_are_refused() -> None:
    for env in (gym.make("CartPole-v1"), FlatObs(SoloEnv(seasons=1))):
        with pytest.raises(BadInput, match="wraps FMBench-Solo-v0"):
            FlatObs(env)
    for envs in (gym.make_vec("CartPole-v1", 2), FlatVectorObs(SoloVectorEnv(2, seasons=1))):
        with pytest.raises(BadInput, match="vector_entry_point"):
            FlatVectorObs(envs)
