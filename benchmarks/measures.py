"""What ``benchmarks/throughput.py`` measures: each function times one thing and gives its figures.

Times are wall clock; beside each stands the same by processor time, which is less when the machine was busy with
other things, and more when several threads were at work. Every figure keeps all its samples. Compiling never falls
into one: each measure begins with a call that is not timed.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fmgym import alone
from fmgym.cli import bench
from fmgym.enums import Status
from fmgym.jit import njit
from fmgym.params import Params
from fmgym.rng import bits
from fmgym.world import World

SOLO = "FMBench-Solo-v0"
BLOCK = 64  # actions counted at a time when one is chosen
BATCH = 64  # worlds of the vector environment, unless said otherwise
FEWER, MORE = "fewer is better", "more is better"

MEMORY = """
import resource
from fmgym.envs.batch import Batch
options = {"seasons": 20, "opponents": "tiered", "draft": "auto", "reward": "score_delta", "params": None}
def opened(size):
    import numpy as np
    batch = Batch(size, **options)
    for i in range(size):
        batch.seed(i, i, np.random.default_rng(0))
    batch.run()
    return batch
few = opened(16)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
many = opened(256)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 256 / 1024)
"""


class Taken(NamedTuple):
    """Seconds of several calls, by the clock on the wall and by the processor."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...]

    def map(self, change: Callable[[float], float]) -> Taken:
        """The same in another unit."""
        return Taken(tuple(map(change, self.wall)), tuple(map(change, self.cpu)))

    def rates(self, count: int) -> Taken:
        """So many things a call, a second."""
        return self.map(lambda each: count / max(each, 1e-9))


@dataclass(frozen=True)
class Figure:
    """Samples of one quantity."""

    name: str
    unit: str
    samples: tuple[float, ...]
    cpu: tuple[float, ...] = ()
    better: str = FEWER

    @classmethod
    def of(cls, name: str, unit: str, taken: Taken, better: str = FEWER) -> Figure:
        return cls(name, unit, *taken, better)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles over the median; 0 with a single sample."""
        if len(self.samples) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.samples, n=4, method="inclusive")
        return 0.5 * (high - low) / self.median

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "unit": self.unit,
            "better": self.better,
            "median": self.median,
            "cpu": statistics.median(self.cpu) if self.cpu else None,
            "spread": self.spread,
            "samples": list(self.samples),
        }


def seconds(run: Callable[[], object], times: int, prepare: Callable[[], object] = int) -> Taken:
    """How long ``run`` takes, several times, each after its preparation; one more comes before, untimed."""
    prepare()
    run()
    wall, cpu = [], []
    for _ in range(times):
        prepare()
        start, begun = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - begun)
    return Taken(tuple(wall), tuple(cpu))


def undisturbed(taken: list[float]) -> float:
    """The mean of many short times but for the slowest hundredth, in which the system was at other things."""
    return statistics.fmean(sorted(taken)[: -(len(taken) // 100) or None])


# Kernel


@njit
def _draws(n: int) -> Any:
    total = np.uint64(0)
    for i in range(n):
        total ^= bits(7, i)
    return total


@njit
def _touch(values: np.ndarray) -> Any:
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total


def world_alone(quick: bool) -> list[Figure]:
    """Twenty seasons with nobody acting, one core; opening the world apart."""
    world = alone.World()
    seeds = iter(range(1, 10_000))
    times = 5 if quick else 20
    played = seconds(world.run, times, lambda: world.reset(next(seeds)))
    opened = seconds(lambda: world.reset(next(seeds)), times)
    return [Figure.of("kernel: 20 seasons alone", "s", played), Figure.of("kernel: open a world", "s", opened)]


def floor(quick: bool) -> list[Figure]:
    """What twenty seasons cannot do without: draws and bytes, at this machine's price of each."""
    n = 1_000_000
    price = seconds(lambda: _draws(n), 5)
    world = alone.World()
    world.reset(1)
    words = world.array.view(np.int64)
    read = seconds(lambda: _touch(words), 20)
    counts = counted(world)
    draw = min(price.cpu) / n
    passes = counts["monthly passes"] + counts["market days"] + counts["free-agent days"]
    least = counts["draws"] * draw + passes * min(read.wall)
    return [
        Figure.of("floor: a draw", "ns", price.map(lambda each: each / n * 1e9)),
        Figure.of("floor: read a world once", "us", read.map(lambda each: each * 1e6)),
        Figure("floor: 20 seasons, draws and passes alone", "s", (least,)),
    ]


def counted(world: alone.World) -> dict[str, int]:
    """What twenty seasons alone consist of. ``draws`` counts one a minute and those of months and market scans."""
    p = world.params
    seasons, clubs, calendar = p.shape.seasons, p.shape.clubs, p.calendar
    world.run()
    alive = int((world.array["players"]["status"] != Status.EMPTY).sum())
    matches = seasons * clubs * (clubs - 1)
    open_days = [d for low, high in (calendar.window_summer, calendar.window_winter) for d in range(low - 1, high)]
    found = {
        "matches": matches,
        "minutes": matches * round(2 * p.match.half + sum(p.match.stoppage) / 2),
        "monthly passes": seasons * 12,
        "player-months": seasons * 12 * alive,
        "player-days": seasons * 360 * alive,
        "market days": seasons * sum(day % calendar.market_step == 0 for day in open_days),
        "free-agent days": seasons * (360 // calendar.free_agent_step),
        "bytes": world.array.nbytes,
    }
    found["market scans"] = found["market days"] * clubs
    # A month of a player: growth and injury. A scan: two or four draws on each of about a hundred players.
    found["draws"] = found["minutes"] + 2 * found["player-months"] + 300 * found["market scans"]
    return found


# Start-up


def start_up(quick: bool) -> list[Figure]:
    """Import and first reset of processes of their own; the compile of everything unless it has to be quick."""
    times = 2 if quick else 5
    importing = "import time; s = time.perf_counter(); import fmgym; print(time.perf_counter() - s)"
    bench.elsewhere(bench.FIRST_RESET)
    found = [
        Figure("start: import", "s", tuple(bench.elsewhere(importing) for _ in range(times))),
        Figure("start: import and first reset", "s", tuple(bench.elsewhere(bench.FIRST_RESET) for _ in range(times))),
    ]
    return found if quick else [*found, Figure("start: compile everything", "s", (bench.compile_all(),))]


def memory(quick: bool) -> list[Figure]:
    """Megabytes a world of the vector environment takes, by its arrays and by what the process grows."""
    from fmgym.envs.batch import Batch

    batch = Batch(1, seasons=20, opponents="tiered", draft="auto", reward="score_delta", params=None)
    found = [
        Figure("memory: a world's state", "MB", (World().array.nbytes / 2**20,)),
        Figure("memory: a world with its screen", "MB", ((batch.worlds.nbytes + batch.screens.nbytes) / 2**20,)),
    ]
    if importlib.util.find_spec("resource"):
        found.append(Figure("memory: peak growth a world, W=256", "MB", (bench.elsewhere(MEMORY),)))
    return found


# Turns


@njit
def choose(masks: np.ndarray, actions: np.ndarray, seed: int) -> None:
    """A legal action for each row, every one as likely."""
    for i in range(len(masks)):
        n = 0
        for j in range(masks.shape[1]):
            n += masks[i, j]
        k = int(bits(seed, i) % np.uint64(n))
        at = 0
        while at + BLOCK <= masks.shape[1]:  # a loop of fixed length counts several at a time
            n = 0
            for j in range(BLOCK):
                n += masks[i, at + j]
            if k < n:
                break
            k -= n
            at += BLOCK
        while k >= 0:
            k -= masks[i, at]
            at += 1
        actions[i] = at - 1


def single(quick: bool) -> list[Figure]:
    """Turns through ``gym.make``, beside CartPole's steps in turn; only the calls of ``step`` are timed."""
    import gymnasium as gym

    n, times = (500, 4) if quick else (2000, 15)
    ours, cart = _SingleTurns(), gym.make("CartPole-v1")
    cart.reset(seed=1)
    cart.action_space.seed(1)
    ours.play(500)
    staying, mixed, peer = [], [], []
    for _ in range(times):
        stayed, moved = ours.play(n)
        staying.append(undisturbed(stayed) * 1e6)
        mixed.append(1.0 / undisturbed(stayed + moved))
        peer.append(undisturbed(_cart_steps(cart, n)) * 1e6)
    ratio = tuple(a / b for a, b in zip(staying, peer, strict=True))
    return [
        Figure("env: turn that does not advance", "us", tuple(staying)),
        Figure("env: CartPole-v1 step", "us", tuple(peer)),
        Figure("env: turn over CartPole step", "ratio", ratio),
        Figure("env: random legal turns", "turns/s", tuple(mixed), better=MORE),
    ]


class _SingleTurns:
    """Random legal turns of the single environment."""

    def __init__(self) -> None:
        import gymnasium as gym

        self.env = gym.make(SOLO)
        self.seats = self.env.unwrapped.batch.worlds["seats"]  # type: ignore[attr-defined]
        self.action = np.zeros(1, np.int64)
        self.turn = 0
        _, self.info = self.env.reset(seed=1)

    def play(self, n: int) -> tuple[list[float], list[float]]:
        """Seconds of each turn: of those that stayed at their stop, and of those that let time run."""
        stayed: list[float] = []
        moved: list[float] = []
        for _ in range(n):
            self.turn += 1
            choose(self.info["action_mask"][None], self.action, self.turn)
            action, stop = int(self.action[0]), int(self.seats["stop"][0, 0])
            start = time.perf_counter()
            _, _, terminated, _, self.info = self.env.step(action)
            taken = time.perf_counter() - start
            (stayed if stop == self.seats["stop"][0, 0] else moved).append(taken)
            if terminated:
                _, self.info = self.env.reset()
        return stayed, moved


def _cart_steps(env: Any, n: int) -> list[float]:
    taken = []
    for _ in range(n):
        action = env.action_space.sample()
        start = time.perf_counter()
        _, _, terminated, truncated, _ = env.step(action)
        taken.append(time.perf_counter() - start)
        if terminated or truncated:
            env.reset()
    return taken


class VectorTurns:
    """Random legal turns of the vector environment; choosing the actions is part of what is timed."""

    def __init__(self, worlds: int, threads: int | None = None) -> None:
        import gymnasium as gym

        options: dict[str, Any] = {"copy": False, "threads": threads}
        self.envs = gym.make_vec(SOLO, num_envs=worlds, vectorization_mode="vector_entry_point", **options)
        self.actions = np.zeros(worlds, np.int64)
        self.step = 0
        _, self.infos = self.envs.reset(seed=1)
        self.play(130)  # past the drafts, and worlds apart from each other

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self.step += 1
            choose(self.infos["action_mask"], self.actions, self.step)
            _, _, _, _, self.infos = self.envs.step(self.actions)

    def rates(self, steps: int, times: int) -> Taken:
        """Turns a second, several times."""
        return seconds(lambda: self.play(steps), times).rates(steps * len(self.actions))


def vector(quick: bool) -> list[Figure]:
    """Random legal turns of the vector environment, on one core and on all."""
    steps, times = (50, 4) if quick else (200, 15)
    cores = _cores()
    name = f"vector: random legal turns, W={BATCH}, {{}} thread{{}}"
    found = [Figure.of(name.format(1, ""), "turns/s", VectorTurns(BATCH, 1).rates(steps, times), MORE)]
    if cores > 1:
        rate = VectorTurns(BATCH, cores).rates(steps, times)
        found.append(Figure.of(name.format(cores, "s"), "turns/s", rate, MORE))
    return found


def arena(quick: bool) -> list[Figure]:
    """Random legal calls of sixteen seats in one world, where this version has the Arena."""
    if importlib.util.find_spec("fmgym.envs.arena_v0") is None:
        return []
    from fmgym.envs import arena_v0

    env = arena_v0.parallel_env()
    _, infos = env.reset(seed=1)
    state = {"infos": infos, "turn": 0}

    def play(steps: int) -> None:
        action = np.zeros(1, np.int64)
        for _ in range(steps):
            actions = {}
            for agent in env.agents:
                state["turn"] += 1
                choose(state["infos"][agent]["action_mask"][None], action, state["turn"])
                actions[agent] = int(action[0])
            _, _, _, _, state["infos"] = env.step(actions)
            if not env.agents:
                _, state["infos"] = env.reset()

    steps, times = (10, 3) if quick else (60, 8)
    taken = seconds(lambda: play(steps), times)
    return [Figure.of("arena: random legal turns, 16 seats", "turns/s", taken.rates(16 * steps), MORE)]


def learner(quick: bool) -> list[Figure]:
    """A small masked policy network in torch: turns a second while it plays and learns (W=64, 64 turns a batch)."""
    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    torch.manual_seed(1)
    turns, horizon = VectorTurns(BATCH), 16 if quick else 64
    observation = turns.envs.unwrapped.batch.flats  # type: ignore[attr-defined]
    n = int(turns.envs.single_action_space.n)  # type: ignore[attr-defined]
    policy = torch.nn.Sequential(torch.nn.Linear(observation.shape[1], 128), torch.nn.Tanh(), torch.nn.Linear(128, n))
    optimiser = torch.optim.Adam(policy.parameters(), 3e-4)

    def batch() -> None:
        logs, rewards = [], []
        for _ in range(horizon):
            legal = torch.as_tensor(turns.infos["action_mask"]) == 1
            scores = policy(torch.as_tensor(observation).clone()).masked_fill(~legal, -1e9)
            chosen = torch.distributions.Categorical(logits=scores)
            action = chosen.sample()
            logs.append(chosen.log_prob(action))
            _, reward, _, _, turns.infos = turns.envs.step(action.numpy())
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
        loss = -(torch.stack(logs) * torch.stack(rewards)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    taken = seconds(batch, 2 if quick else 6)
    return [Figure.of(f"learner: policy gradient, W={BATCH}", "turns/s", taken.rates(horizon * BATCH), MORE)]


# Scaling


@dataclass(frozen=True)
class Curve:
    """Least seconds against a size. ``exponent``: the slope of the line through their logarithms."""

    name: str
    size: str
    points: tuple[tuple[int, float], ...]

    @property
    def exponent(self) -> float:
        x, y = (np.log([point[i] for point in self.points]) for i in (0, 1))
        return float(np.polyfit(x, y, 1)[0]) if len(self.points) > 1 else math.nan

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "size": self.size, "points": self.points, "exponent": self.exponent}


def over_worlds(quick: bool) -> Curve:
    """A turn of every world of a batch, on one thread."""
    sizes = (1, 4, 16, 64) if quick else (1, 4, 16, 64, 256, 1024)
    points = []
    for size in sizes:
        steps = max(1600 // size, 5) if quick else max(12_000 // size, 30)
        taken = seconds(functools.partial(VectorTurns(size, 1).play, steps), 3)
        points.append((size, min(taken.wall) / steps))
    return Curve("a step of the vector environment", "worlds", tuple(points))


def over_threads(quick: bool) -> Curve:
    """A step of 64 worlds, by threads; ideal is -1."""
    steps = 25 if quick else 200
    points = []
    for threads in sorted({1, *(2**k for k in range(1, 8) if 2**k <= _cores()), _cores()}):
        taken = seconds(functools.partial(VectorTurns(BATCH, threads).play, steps), 5)
        points.append((threads, min(taken.wall) / steps))
    return Curve(f"a step of {BATCH} worlds", "threads", tuple(points))


def over_clubs(quick: bool) -> Curve:
    """A season alone, by clubs. The season's matches grow as their square."""
    points = []
    for clubs in (16, 40) if quick else (16, 40, 120):
        world = alone.World(Params.default().replace({"shape.clubs": clubs}))
        taken = seconds(world.run, 3, functools.partial(world.reset, 1, seasons=2))
        points.append((clubs, min(taken.wall) / 2))
    return Curve("a season alone", "clubs", tuple(points))


def over_seasons(quick: bool) -> Curve:
    """A run alone, by seasons."""
    world = alone.World()
    points = []
    for seasons in (5, 20) if quick else (2, 5, 10, 20):
        taken = seconds(world.run, 5, functools.partial(world.reset, 1, seasons=seasons))
        points.append((seasons, min(taken.wall)))
    return Curve("a run alone", "seasons", tuple(points))


# Peers


def peers(quick: bool) -> list[Figure]:
    """Steps a second of other environments in this process, random actions, where they are installed."""
    steps, times = (2000, 3) if quick else (10_000, 7)
    found = []
    for name, module, make in PEERS:
        if importlib.util.find_spec(module) is not None:
            taken = seconds(make(steps), times)
            found.append(Figure.of(f"peer: {name}", "steps/s", taken.rates(steps), MORE))
    return found


def _gym_peer(name: str, module: str) -> Callable[[int], Callable[[], None]]:
    def make(steps: int) -> Callable[[], None]:
        import gymnasium as gym

        importlib.import_module(module)  # registers it
        env = gym.make(name)
        env.reset(seed=1)
        env.action_space.seed(1)
        actions = [env.action_space.sample() for _ in range(steps)]

        def play() -> None:
            for action in actions:
                _, _, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    env.reset()

        return play

    return make


def _zoo_peer(steps: int) -> Callable[[], None]:
    from pettingzoo.butterfly import knights_archers_zombies_v10

    env = knights_archers_zombies_v10.parallel_env()
    env.reset(seed=1)
    for agent in env.agents:
        env.action_space(agent).seed(1)

    def play() -> None:
        left = steps
        while left > 0:
            left -= len(env.agents)
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
            if not env.agents:
                env.reset()

    return play


PEERS = (
    ("nle, NetHackScore-v0", "nle", _gym_peer("NetHackScore-v0", "nle")),
    ("minigrid, MiniGrid-Empty-8x8-v0", "minigrid", _gym_peer("MiniGrid-Empty-8x8-v0", "minigrid")),
    ("CartPole-v1", "gymnasium", _gym_peer("CartPole-v1", "gymnasium")),
    ("pettingzoo, knights_archers_zombies_v10", "pygame", _zoo_peer),
)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


FIGURES: tuple[Callable[[bool], list[Figure]], ...] = (
    start_up,
    floor,
    world_alone,
    memory,
    single,
    vector,
    arena,
    learner,
    peers,
)
CURVES: tuple[Callable[[bool], Curve], ...] = (over_worlds, over_threads, over_clubs, over_seasons)
