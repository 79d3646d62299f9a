"""PPO of TorchRL on single calls under the mask, through TorchRL's own Gymnasium wrapper.

TorchRL follows PyTorch closely, so give it an environment of its own (tried with torchrl 0.14.1, torch 2.13):

    python -m venv torchrl && torchrl/bin/pip install torchrl==0.14.1 "torch<2.14" fmgym
    torchrl/bin/python examples/torchrl_ppo.py --steps 40960

prints a line a batch: calls played, how many of them the mask did not allow (none), runs ended, and their mean score:

    calls   4096   outside the mask 0   runs   4   score   1.68
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary
from torchrl.envs import (
    Compose,
    DTypeCastTransform,
    GymWrapper,
    InitTracker,
    RewardSum,
    TransformedEnv,
    default_info_dict_reader,
)
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import fmgym  # noqa: F401  (registers the environment)
from fmgym.wrappers import FlatObs


def solo(seasons: int) -> TransformedEnv:
    """One club; the mask is read out of the info and kept beside the observation."""
    env = GymWrapper(FlatObs(gym.make("FMBench-Solo-v0", seasons=seasons)), categorical_action_encoding=True)
    mask = Binary(env.action_spec.n, dtype=torch.int8)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], [mask]))
    truth = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(env, Compose(truth, RewardSum(), InitTracker()))


def tower(inputs: int, outputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs)
    )


def main(steps: int, batch: int = 4096, seasons: int = 1, width: int = 128, seed: int = 1) -> tuple[list[float], int]:
    """Train; the scores of all runs that ended, and how many calls the mask did not allow."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env = solo(seasons)
    env.set_seed(seed)
    inputs = env.observation_spec["observation"].shape[-1]
    logits = TensorDictModule(tower(inputs, env.action_spec.n, width), in_keys=["observation"], out_keys=["logits"])
    actor = ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(tower(inputs, 1, width), in_keys=["observation"])
    advantages = GAE(gamma=0.999, lmbda=0.95, value_network=critic)
    objective = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(objective.parameters(), lr=3e-4)
    scores: list[float] = []
    outside = played = 0
    collector = Collector(env, actor, frames_per_batch=batch, total_frames=steps)
    for data in collector:
        allowed = data["action_mask"].gather(-1, data["action"].unsqueeze(-1))
        outside += int((~allowed).sum())
        played += data.numel()
        over = data["next", "done"].squeeze(-1)
        ended = data["next", "episode_reward"][over].flatten().tolist()
        scores += ended
        mean = sum(ended) / len(ended) if ended else float("nan")
        print(f"calls {played:6d}   outside the mask {outside}   runs {len(scores):3d}   score {mean:6.2f}", flush=True)
        for _ in range(2):
            with torch.no_grad():
                advantages(data)
            for part in torch.randperm(data.numel()).chunk(8):
                losses = objective(data[part])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(objective.parameters(), 0.5)
                optimizer.step()
    collector.shutdown()
    return scores, outside


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=40960)
    parser.add_argument("--seasons", type=int, default=1)
    arguments = parser.parse_args()
    main(arguments.steps, seasons=arguments.seasons)
