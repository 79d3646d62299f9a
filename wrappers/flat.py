"""Observations as one flat vector."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from fmgym.envs.solo import Obs


class FlatObs(gym.ObservationWrapper[np.ndarray, Any, Obs]):
    """Hands over the flat float32 buffer behind the tables, as ``gymnasium.spaces.flatten`` would give them.

    The columns are those of the tables in the order of the observation space: see the docs of ``SoloEnv``.
    """

    def __init__(self, env: gym.Env[Obs, Any]) -> None:
        super().__init__(env)
        self.observation_space = self.unwrapped.batch.layout.flat_space()  # type: ignore[attr-defined]

    def observation(self, observation: Obs) -> np.ndarray:
        return np.concatenate([table.reshape(-1) for table in observation.values()])


class FlatVectorObs(gym.vector.VectorObservationWrapper):
    """``FlatObs`` for ``SoloVectorEnv``: one row a world, (num_envs, size)."""

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self.single_observation_space = self.unwrapped.batch.layout.flat_space()  # type: ignore[attr-defined]
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, self.num_envs)

    def observations(self, observations: Obs) -> np.ndarray:
        return np.concatenate([t.reshape(self.num_envs, -1) for t in observations.values()], axis=1)
