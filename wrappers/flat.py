"""Observations as one flat vector."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from fmgym.envs.solo import Obs, SoloEnv
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput


class FlatObs(gym.ObservationWrapper[np.ndarray, Any, Obs]):
    """Hands over the flat float32 buffer behind the tables, as ``gymnasium.spaces.flatten`` would give them.

    The columns are those of the tables in the order of the observation space: see the docs of ``SoloEnv``.
    """

    def __init__(self, env: gym.Env[Obs, Any]) -> None:
        if not isinstance(env.unwrapped, SoloEnv) or isinstance(env.observation_space, gym.spaces.Box):
            raise BadInput(f"FlatObs wraps FMBench-Solo-v0 with its tables, not {env}")
        super().__init__(env)
        self.observation_space = env.unwrapped.batch.layout.flat_space()

    def observation(self, observation: Obs) -> np.ndarray:
        return np.concatenate([table.reshape(-1) for table in observation.values()])


class FlatVectorObs(gym.vector.VectorObservationWrapper):
    """``FlatObs`` for ``SoloVectorEnv``: one row a world, (num_envs, size)."""

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(env.unwrapped, SoloVectorEnv) or isinstance(env.observation_space, gym.spaces.Box):
            raise BadInput(f'FlatVectorObs wraps make_vec(..., vectorization_mode="vector_entry_point"), not {env}')
        super().__init__(env)
        self.single_observation_space = env.unwrapped.batch.layout.flat_space()
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, self.num_envs)

    def observations(self, observations: Obs) -> np.ndarray:
        return np.concatenate([t.reshape(self.num_envs, -1) for t in observations.values()], axis=1)
