"""Behaviour cloning of a knobs policy from a Minari dataset, in plain PyTorch.

    pip install "fmgym[rl,data]"
    fmgym dataset fmgym/ppo-v0 --policy ppo --view knobs --seeds 1-60
    python examples/behaviour_cloning.py --dataset fmgym/ppo-v0 --out clone.npz
    fmgym run --policy clone.npz --seed 1001

prints, after each pass over the data, the mean cross-entropy of a knob and how many knobs are set as in episodes kept
apart:

    pass  20   loss 0.214   agreement 0.93
"""

from __future__ import annotations

import argparse

import minari
import numpy as np
import torch
from torch import nn

from fmgym.baselines import network
from fmgym.envs import habits, stops


def main(dataset: str, out: str, passes: int = 20, width: int = 128, seed: int = 1, every: str = "season") -> float:
    """Train on all episodes but every fifth; the agreement on those. ``every``: how often the knobs were set."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    episodes = list(minari.load_dataset(dataset).iterate_episodes())
    apart = [i % 5 == 4 for i in range(len(episodes))]
    learnt = _stack([e for e, kept in zip(episodes, apart, strict=True) if not kept])
    tested = _stack([e for e, kept in zip(episodes, apart, strict=True) if kept] or episodes)
    steps = [int(n) for n in habits.STEPS]
    layers = [nn.Linear(learnt[0].shape[1], width), nn.Linear(width, width), nn.Linear(width, sum(steps))]
    model = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    agreement = 0.0
    for done in range(1, passes + 1):
        total = 0.0
        for part in torch.randperm(len(learnt[0])).split(256):
            loss = _loss(model(learnt[0][part]), learnt[1][part], steps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(part)
        with torch.no_grad():
            chosen = torch.stack([knob.argmax(1) for knob in model(tested[0]).split(steps, 1)], 1)
        agreement = float((chosen == tested[1]).float().mean())
        print(f"pass {done:3d}   loss {total / len(learnt[0]):.3f}   agreement {agreement:.2f}", flush=True)
    weights = [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in layers]
    network.save(out, weights, every, {"cloned": dataset})
    return agreement


def _stack(episodes: list) -> tuple[torch.Tensor, torch.Tensor]:
    """Observations and knobs of all steps; the last observation of an episode has no knobs."""
    observations = np.concatenate([e.observations[:-1] for e in episodes])
    return torch.from_numpy(observations), torch.from_numpy(np.concatenate([e.actions for e in episodes]))


def _loss(logits: torch.Tensor, knobs: torch.Tensor, steps: list[int]) -> torch.Tensor:
    """Mean cross-entropy over knobs."""
    parts = logits.split(steps, 1)
    return torch.stack([nn.functional.cross_entropy(part, knobs[:, k]) for k, part in enumerate(parts)]).mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", default="season", choices=stops.EVERY, help="how often the knobs were set")
    arguments = parser.parse_args()
    main(arguments.dataset, arguments.out, arguments.passes, seed=arguments.seed, every=arguments.every)
