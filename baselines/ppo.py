"""PPO of Stable-Baselines3 on the batched environment: ``fmgym train``.

Knobs are learnt with ``PPO`` (all of them are always legal), single calls with ``MaskablePPO``. A run is a function of
its arguments: interrupted and resumed it ends with the same weights.
"""

from __future__ import annotations

import csv
import json
import pickle
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import set_random_seed

from fmgym import __version__
from fmgym.baselines import network
from fmgym.baselines.vecenv import ArenaVecEnv, SoloVecEnv
from fmgym.envs import habits
from fmgym.errors import BadInput
from fmgym.params import Params
from fmgym.stamp import commit

Progress = Callable[[int, int, str], None]  # steps done, steps in all, a note

ARGS, CURVE, POLICY, STATE, MODEL = "args.json", "curve.csv", "policy.npz", "state.pkl", "model.zip"
SEATED = (0, 4, 8, 12)  # seats of an Arena in which a policy is evaluated
KEPT = 2  # checkpoints
SPACING = 60.0  # seconds between two of them
RATES = {"seasons": 5e-3, "knobs": 1e-3, "flat": 3e-4, "arena": 5e-3}  # where steps are few and long, each says more


@dataclass(frozen=True)
class Args:
    """One training run. Times are counted in environment steps over all worlds."""

    interface: str = "seasons"  # a step is a season (also arena: sixteen seats), a stop (knobs), a call (flat)
    steps: int = 400_000  # in all
    seed: int = 1
    seasons: int = 20
    opponents: str = "tiered"
    envs: int = 64  # worlds stepped together
    rollout: int = 64  # steps of each world between updates
    batch: int = 512  # of an update, in steps
    epochs: int = 5  # over each rollout
    rate: float | None = None  # of learning at first, falling to 0 at the end; None: what suits the interface
    discount: float = 0.998
    smoothing: float = 0.97  # lambda of generalised advantages
    entropy: float = 0.0  # weight of its bonus
    width: int = 64  # of two hidden layers
    scale: float = 0.1  # of rewards
    leaning: float = 1.5  # of the untrained policy towards the usual habits: added to their logits
    worlds: int = 900  # the training worlds are those of seeds 0 to this
    evaluations: int = 10  # during training, evenly spaced
    held_out: int = 64  # worlds of each evaluation, the next seeds after the training worlds
    threads: int = 1  # that share the worlds; results do not depend on it

    def __post_init__(self) -> None:
        if self.interface not in RATES:
            raise BadInput(f"--interface must be one of {', '.join(RATES)}, not {self.interface!r}")
        for name in ("steps", "envs", "rollout", "batch", "epochs", "width", "worlds", "held_out", "threads"):
            if getattr(self, name) < 1:
                raise BadInput(f"--{name.replace('_', '-')} is a whole number from 1, not {getattr(self, name)}")


def train(args: Args, out: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Train, or go on with the training kept in ``out``; its last evaluation.

    ``out`` then has ``policy.npz`` (all but flat: the best on held-out worlds, which ``fmgym run --policy`` takes),
    ``model.zip`` for Stable-Baselines3, ``curve.csv``, ``tensorboard`` and the last checkpoints. ``BadInput`` when the
    folder holds another run.
    """
    _claim(out, args)
    torch.set_num_threads(1)  # so that sums run in one order
    env = _environment(args, args.seed, range(args.worlds))
    model, keeper = _open(args, env, out, progress)
    left = args.steps - model.num_timesteps
    if left > 0:
        model.learn(left, callback=keeper, reset_num_timesteps=False, tb_log_name="train")
    keeper.finish()
    env.close()
    return keeper.rows[-1]


def _claim(out: Path, args: Args) -> None:
    """Make the folder this run's own; more steps than before are the only change allowed."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / ARGS
    mine = asdict(args)
    if path.exists():
        kept = json.loads(path.read_text("utf-8"))
        other = [name for name in mine if kept.get(name) != mine[name] and name not in ("steps", "threads")]
        if other:
            raise BadInput(f"{out} holds a training run with another {', '.join(other)}; name a new folder")
    elif any(out.iterdir()):
        raise BadInput(f"{out} is not empty and holds no training run; name a new folder")
    path.write_text(json.dumps(mine, indent=1) + "\n", "utf-8")


def _environment(args: Args, seed: int, seeds: Sequence[int]) -> SoloVecEnv | ArenaVecEnv:
    """The environment to learn in."""
    options: dict[str, Any] = {"seasons": args.seasons, "opponents": args.opponents, "threads": args.threads}
    if args.interface == "arena":
        return ArenaVecEnv(args.envs, seeds, seed, args.scale, **options)
    return SoloVecEnv(args.envs, args.interface, seeds, seed, args.scale, **options)


def _open(args: Args, env: SoloVecEnv | ArenaVecEnv, out: Path, progress: Progress | None) -> tuple[Any, Keeper]:
    """The model and its keeper: new, or as the last checkpoint has them."""
    kind = MaskablePPO if args.interface == "flat" else PPO
    keeper = Keeper(args, out, progress)
    kept = _checkpoints(out)
    if kept:
        model = kind.load(kept[-1] / MODEL, env=env, force_reset=False, tensorboard_log=str(out / "tensorboard"))
        keeper.restore(env, pickle.loads((kept[-1] / STATE).read_bytes()))
        return model, keeper
    set_random_seed(args.seed)
    model = kind(
        "MlpPolicy",
        env,
        seed=args.seed,
        n_steps=args.rollout,
        batch_size=args.batch,
        n_epochs=args.epochs,
        learning_rate=_falling(RATES[args.interface] if args.rate is None else args.rate),
        gamma=args.discount,
        gae_lambda=args.smoothing,
        ent_coef=args.entropy,
        policy_kwargs={"net_arch": [args.width] * 2, "activation_fn": torch.nn.ReLU},
        tensorboard_log=str(out / "tensorboard"),
        device="cpu",
    )
    if args.interface != "flat":
        _lean(model, args.leaning)
    return model, keeper


def _falling(rate: float) -> Callable[[float], float]:
    """The learning rate by what is left of the training, 1 to 0; the last rollout may go a little beyond the end."""
    return lambda left: rate * max(left, 0.0)


def _lean(model: Any, amount: float) -> None:
    """Let the untrained policy prefer the usual step of every knob: its logit is raised by ``amount``."""
    starts = np.concatenate([[0], np.cumsum(habits.STEPS)[:-1]])
    with torch.no_grad():
        model.policy.action_net.bias[starts + habits.USUAL] += amount


def _checkpoints(out: Path) -> list[Path]:
    """The whole checkpoints in a folder, oldest first."""
    return sorted(p for p in out.glob("checkpoint-*") if not p.name.endswith(".tmp"))


class Keeper(BaseCallback):
    """Keeps checkpoints, evaluates on held-out worlds, writes the learning curve. All of it between rollouts."""

    def __init__(self, args: Args, out: Path, progress: Progress | None) -> None:
        super().__init__()
        self.args, self.out, self.progress = args, out, progress
        self.rows: list[dict[str, Any]] = []  # of the curve
        self.seconds = 0.0  # of training, evaluations included
        self.best = float("-inf")
        self._started = self._saved = time.perf_counter()
        self._ended: list[dict[str, Any]] = []  # runs that ended since the last row

    def restore(self, env: SoloVecEnv | ArenaVecEnv, state: dict[str, Any]) -> None:
        """Take over what a checkpoint holds beside the model."""
        env.set_state(state["env"])
        torch.set_rng_state(state["torch"])
        np.random.set_state(state["numpy"])  # noqa: NPY002 (Stable-Baselines3 shuffles with it)
        self.rows, self.seconds, self._ended, self.best = state["rows"], state["seconds"], state["ended"], state["best"]

    def _on_step(self) -> bool:
        self._ended += [info["final"] for info in self.locals["infos"] if "final" in info]
        return True

    def _on_rollout_start(self) -> None:
        self._settle(self.model.num_timesteps)

    def finish(self) -> None:
        """After the last update."""
        self._settle(self.model.num_timesteps)
        self.model.save(self.out / MODEL)

    def _settle(self, steps: int) -> None:
        """Between two rollouts: evaluate when it is time, keep a checkpoint, tell the progress."""
        now = time.perf_counter()
        self.seconds += now - self._started
        self._started = now
        last = self.rows[-1]["steps"] if self.rows else -1  # the untrained policy comes first
        every = max(self.args.steps // max(self.args.evaluations, 1), 1)
        if steps > last and (steps // every > last // every or steps >= self.args.steps):
            self._evaluate(steps)
        if steps and (now - self._saved > SPACING or steps >= self.args.steps):
            self._keep(steps)
            self._saved = now
        if self.progress:
            note = f"held-out score {self.rows[-1]['score']:.1f}" if self.rows else ""
            self.progress(min(steps, self.args.steps), self.args.steps, note)

    def _evaluate(self, steps: int) -> None:
        random = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
        first = self.args.worlds
        found = evaluate(self.model, self.args, range(first, first + self.args.held_out))
        np.random.set_state(random[0])  # noqa: NPY002
        torch.set_rng_state(random[1])
        scores = [run["score"] for run in self._ended]
        row: dict[str, Any] = {
            "steps": steps,
            "episodes": len(scores),
            "training_score": float(np.mean(scores)) if scores else None,
        }
        row |= summary(found) | {"seconds": round(self.seconds, 1)}
        self.rows.append(row)
        self._ended = []
        for name in ("score", "deaths", "completed"):
            self.logger.record(f"held_out/{name}", row[name])
        with (self.out / CURVE).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerows(self.rows)
        if self.args.interface != "flat" and row["score"] >= self.best:
            self.best = row["score"]
            export(self.model, self.args, self.out / POLICY, row)

    def _keep(self, steps: int) -> None:
        """Write a checkpoint, whole or not at all, and drop the oldest."""
        folder = self.out / f"checkpoint-{steps:012d}"
        if folder.exists():
            return
        partial = folder.with_name(folder.name + ".tmp")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        self.model.save(partial / MODEL)
        state = {
            "env": self.model.get_env().get_state(),  # type: ignore[union-attr]
            "torch": torch.get_rng_state(),
            "numpy": np.random.get_state(),  # noqa: NPY002
            "rows": self.rows,
            "seconds": self.seconds,
            "ended": self._ended,
            "best": self.best,
        }
        (partial / STATE).write_bytes(pickle.dumps(state))
        partial.replace(folder)
        for old in _checkpoints(self.out)[:-KEPT]:
            shutil.rmtree(old)


def evaluate(model: Any, args: Args, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """One whole run on each seed, always the likeliest action; how the runs ended.

    In the Arena four seats of each world, among scripted managers.
    """
    options: dict[str, Any] = {"seasons": args.seasons, "opponents": args.opponents, "threads": args.threads}
    env: SoloVecEnv | ArenaVecEnv
    if args.interface == "arena":
        env = ArenaVecEnv(len(seeds), seats=SEATED, **options)
    else:
        env = SoloVecEnv(len(seeds), args.interface, seeds, **options)

    def likeliest(obs: Any) -> Any:
        masks = {"action_masks": get_action_masks(env)} if args.interface == "flat" else {}
        return model.predict(obs, deterministic=True, **masks)[0]

    found = env.final_scores(likeliest, seeds)
    env.close()
    return found


def summary(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means over runs: score, deaths, and the share that completed."""
    return {
        "score": float(np.mean([run["score"] for run in found])),
        "deaths": float(np.mean([run["deaths"] for run in found])),
        "completed": float(np.mean([run["settle"] == "completed" for run in found])),
    }


def export(model: Any, args: Args, path: Path, row: dict[str, Any]) -> None:
    """Write the policy network without torch (``fmgym.baselines.network``)."""
    policy = model.policy
    linear = [m for m in policy.mlp_extractor.policy_net if isinstance(m, torch.nn.Linear)] + [policy.action_net]
    layers = [(m.weight.detach().numpy(), m.bias.detach().numpy()) for m in linear]
    engine = {"engine": __version__, "commit": commit(), "params_hash": Params.default().hash}
    every = "stop" if args.interface == "knobs" else "season"
    network.save(path, layers, every, {"training": asdict(args), "held_out": row} | engine)
