"""DQN of Tianshou on single calls under the mask, with Tianshou's own collector.

Give it an environment of its own (tried with tianshou 2.0.1, torch 2.13):

    python -m venv tianshou && tianshou/bin/pip install tianshou==2.0.1 "torch<2.14" fmgym
    tianshou/bin/python examples/tianshou_dqn.py --steps 40960

prints a line in 4,096 calls: how many have been collected, how many of them were refused (none: the mask is kept), runs
ended, and the mean score of those that ended since the line before (nan: none did):

    calls   4096   refused 0   runs  14   score   5.11
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

import fmgym  # noqa: F401  (registers the environment)
from fmgym.wrappers import FlatObs

BETWEEN = 256  # calls collected between two rounds of updates


class Masked(gym.Wrapper):
    """The mask beside the observation, under the names by which Tianshou looks for them."""

    def __init__(self, env: gym.Env) -> None:
        super().__init__(env)
        self.refused = 0  # calls
        mask = spaces.MultiBinary(int(env.action_space.n))
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **options: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        obs, info = self.env.reset(**options)
        return {"obs": obs, "mask": info["action_mask"]}, {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.refused += info["error"] is not None
        return {"obs": obs, "mask": info["action_mask"]}, reward, terminated, truncated, {}


def solo(seasons: int) -> Masked:
    """One club."""
    return Masked(FlatObs(gym.make("FMBench-Solo-v0", seasons=seasons)))


def worlds(count: int, seasons: int) -> DummyVectorEnv:
    """Clubs side by side, in this process."""
    return DummyVectorEnv([lambda: solo(seasons) for _ in range(count)])


def main(steps: int, line: int = 4096, seasons: int = 1, width: int = 128, seed: int = 1) -> tuple[list[float], int]:
    """Train; the scores of all runs that ended, and how many calls were refused."""
    np.random.seed(seed)  # noqa: NPY002 (Tianshou explores with it)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    envs = worlds(4, seasons)
    envs.seed(seed)
    one = solo(seasons)  # a vector would name the spaces beneath its wrappers
    inputs, actions = one.env.observation_space.shape, one.action_space
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=inputs, action_shape=actions.n, hidden_sizes=[width, width]),
        action_space=actions,
        observation_space=one.observation_space,
        eps_training=0.1,
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=3e-4),
        gamma=0.99,
        n_step_return_horizon=5,
        target_update_freq=500,
    )
    buffer = VectorReplayBuffer(8192, 4, ignore_obs_next=True)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    scores: list[float] = []
    refused = told = 0
    with policy_within_training_step(policy):
        for played in range(BETWEEN, steps + 1, BETWEEN):
            scores += collector.collect(n_step=BETWEEN).returns.tolist()
            for _ in range(BETWEEN // 10):
                algorithm.update(buffer=buffer, sample_size=64)
            if played % line == 0:
                ended = scores[told:]
                told = len(scores)
                mean = sum(ended) / len(ended) if ended else float("nan")
                refused = sum(worker.env.refused for worker in envs.workers)
                print(f"calls {played:6d}   refused {refused}   runs {told:3d}   score {mean:6.2f}", flush=True)
    return scores, refused


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=40960)
    parser.add_argument("--seasons", type=int, default=1)
    arguments = parser.parse_args()
    main(arguments.steps, seasons=arguments.seasons)
