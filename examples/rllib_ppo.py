"""PPO of RLlib on the knobs of one club, or on the sixteen seats of an Arena with one shared policy.

RLlib pins Gymnasium, so give it an environment of its own (tried with ray 2.60.0, gymnasium 1.2.2, torch 2.13):

    python -m venv rllib && rllib/bin/pip install "ray[rllib]==2.60.0" torch fmgym
    rllib/bin/python examples/rllib_ppo.py --iterations 20
    rllib/bin/python examples/rllib_ppo.py --arena --iterations 2 --steps 500

prints a line an iteration: steps sampled so far (of an Arena each with a call of every seat) and the mean score of the
runs that ended lately, in the Arena of a seat (nan: none did).

    iteration   2   steps   2000   score   9.02

The Arena's seats are shown their masks, which this plain example does not use: calls that are not legal are refused
and cost a turn. So a season would take them some 2,400 steps, and its runs are cut short instead. `fmgym train
--interface arena` is self-play done with care.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium as gym
import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

import fmgym  # noqa: F401  (registers the environment)
from fmgym.envs import arena_v0
from fmgym.wrappers import ManagerKnobs

CYCLES = 250  # steps after which an Arena is cut short


def solo(config: dict[str, Any]) -> gym.Env:
    """One club, a step a stop."""
    return ManagerKnobs(gym.make("FMBench-Solo-v0", seasons=config["seasons"]))


def arena(config: dict[str, Any]) -> ParallelPettingZooEnv:
    """Sixteen seats, a step a call."""
    return ParallelPettingZooEnv(arena_v0.parallel_env(seasons=config["seasons"], flat=True, max_cycles=CYCLES))


def main(iterations: int, seasons: int, steps: int, shared: bool, seed: int = 1) -> list[float]:
    """Train; the mean score of each iteration."""
    register_env("fmgym", arena if shared else solo)
    config = (
        PPOConfig()
        .environment("fmgym", env_config={"seasons": seasons})
        .env_runners(num_env_runners=0)
        .training(train_batch_size_per_learner=steps, minibatch_size=steps // 4, num_epochs=4, lr=3e-4, gamma=0.998)
        .debugging(seed=seed)
    )
    if shared:
        config = config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
    algorithm = config.build_algo()
    scores = []
    for done in range(1, iterations + 1):
        result = algorithm.train()["env_runners"]
        seats = result.get("agent_episode_returns_mean", {}).values() if shared else [result["episode_return_mean"]]
        scores.append(float(np.mean(list(seats))) if seats else float("nan"))
        print(f"iteration {done:3d}   steps {done * steps:6d}   score {scores[-1]:6.2f}", flush=True)
    algorithm.stop()
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--seasons", type=int, default=2)
    parser.add_argument("--steps", type=int, default=1000, help="sampled in an iteration")
    parser.add_argument("--arena", action="store_true")
    arguments = parser.parse_args()
    main(arguments.iterations, arguments.seasons, arguments.steps, arguments.arena)
