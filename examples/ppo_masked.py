"""PPO with action masks in one file, after CleanRL's: the vector environment and plain PyTorch.

    pip install fmgym torch
    python examples/ppo_masked.py --steps 2000000 --seasons 1

prints, once in ten updates, how many calls have been played, how many a second, and the mean score of the last hundred
runs (random legal calls score about -6 in a season):

    calls  409600   5210/s   runs  1934   score  -2.31   entropy 2.10
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from dataclasses import dataclass, fields

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import fmgym  # noqa: F401  (registers the environment)
from fmgym.wrappers import FlatVectorObs


@dataclass
class Args:
    steps: int = 2_000_000  # calls in all
    seed: int = 1
    seasons: int = 1
    envs: int = 64
    rollout: int = 128  # calls of each world between updates
    epochs: int = 2
    minibatches: int = 8
    rate: float = 3e-4
    discount: float = 0.999
    smoothing: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5  # weight of the value's loss
    width: int = 128
    norm: float = 0.5  # gradients are cut to it


class Agent(nn.Module):
    """Two hidden layers for the policy, two for the value."""

    def __init__(self, inputs: int, actions: int, width: int) -> None:
        super().__init__()
        self.policy = self._tower(inputs, width, actions, 0.01)
        self.critic = self._tower(inputs, width, 1, 1.0)

    @staticmethod
    def _tower(inputs: int, width: int, outputs: int, last: float) -> nn.Sequential:
        layers = [nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs)]
        for layer, gain in zip(layers[::2], (2**0.5, 2**0.5, last), strict=True):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)
        return nn.Sequential(*layers)

    def forward(self, obs: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        # Illegal calls get no probability. The mask is never empty: advance is always legal.
        logits = self.policy(obs).masked_fill(~mask, -1e8)
        return Categorical(logits=logits), self.critic(obs).squeeze(-1)


def main(args: Args) -> list[float]:
    """Train; the scores of all runs that ended, in their order."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = FlatVectorObs(
        gym.make_vec(
            "FMBench-Solo-v0", num_envs=args.envs, vectorization_mode="vector_entry_point", seasons=args.seasons
        )
    )
    agent = Agent(envs.single_observation_space.shape[0], int(envs.single_action_space.n), args.width)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.rate, eps=1e-5)
    shape = (args.rollout, args.envs)
    kept_obs = torch.zeros(*shape, envs.single_observation_space.shape[0])
    kept_masks = torch.zeros(*shape, int(envs.single_action_space.n), dtype=torch.bool)
    actions, logs, values = torch.zeros(shape, dtype=torch.long), torch.zeros(shape), torch.zeros(shape)
    rewards, overs = torch.zeros(shape), torch.zeros(shape)
    scores: list[float] = []
    last = deque(maxlen=100)
    obs, infos = envs.reset(seed=args.seed)
    over = np.zeros(args.envs, np.bool_)  # worlds whose episode is over: the next step only resets them
    started = time.time()
    updates = max(args.steps // (args.rollout * args.envs), 1)
    for update in range(1, updates + 1):
        for t in range(args.rollout):
            kept_obs[t], kept_masks[t] = torch.from_numpy(obs), torch.from_numpy(infos["action_mask"] > 0)
            overs[t] = torch.from_numpy(over)
            with torch.no_grad():
                policy, values[t] = agent(kept_obs[t], kept_masks[t])
                actions[t] = policy.sample()
                logs[t] = policy.log_prob(actions[t])
            obs, gained, over, _, infos = envs.step(actions[t].numpy())
            rewards[t] = torch.from_numpy(gained).float()
            scores += [float(infos["final"]["score"][i]) for i in np.flatnonzero(over)]
            last.extend(scores[len(scores) - int(over.sum()) :])
        with torch.no_grad():
            _, following = agent(torch.from_numpy(obs), torch.from_numpy(infos["action_mask"] > 0))
        advantages = generalised(rewards, values, overs, following, torch.from_numpy(over).float(), args)
        # The step after an episode's end resets the world whatever was chosen: nothing is learnt from it.
        flat = (overs.reshape(-1) == 0).nonzero().squeeze(-1)
        data = [x.flatten(0, 1) for x in (kept_obs, kept_masks, actions, logs, advantages, advantages + values)]
        for _ in range(args.epochs):
            for part in flat[torch.randperm(len(flat))].chunk(args.minibatches):
                loss, entropy = losses(agent, *(x[part] for x in data), args)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.norm)
                optimizer.step()
        if update % 10 == 0 or update == updates:
            calls = update * args.rollout * args.envs
            mean = f"{np.mean(last):7.2f}" if last else "   none"
            rate = calls / (time.time() - started)
            print(
                f"calls {calls:8d}  {rate:6.0f}/s   runs {len(scores):5d}   score {mean}   entropy {entropy:.2f}",
                flush=True,
            )
    envs.close()
    return scores


def generalised(rewards, values, overs, following, over, args: Args) -> torch.Tensor:
    """Generalised advantage estimates (rollout, envs). ``overs[t]``: the world was over before step t."""
    advantages = torch.zeros_like(rewards)
    advantage = torch.zeros_like(following)
    for t in reversed(range(len(rewards))):
        goes_on = 1.0 - (over if t == len(rewards) - 1 else overs[t + 1])
        after = following if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + args.discount * after * goes_on - values[t]
        advantage = delta + args.discount * args.smoothing * goes_on * advantage
        advantages[t] = advantage
    return advantages


def losses(agent, obs, masks, actions, logs, advantages, returns, args: Args) -> tuple[torch.Tensor, float]:
    """The clipped objective, the value's error and the entropy bonus."""
    policy, values = agent(obs, masks)
    ratio = (policy.log_prob(actions) - logs).exp()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    gain = torch.min(ratio * advantages, ratio.clamp(1 - args.clip, 1 + args.clip) * advantages).mean()
    entropy = policy.entropy().mean()
    error = 0.5 * (values - returns).square().mean()
    return args.value * error - gain - args.entropy * entropy, float(entropy.detach())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for field in fields(Args):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    main(Args(**vars(parser.parse_args())))
