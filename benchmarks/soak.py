"""Many whole episodes in one process: does memory stay flat, does speed hold, are worlds those of fresh processes?

    python benchmarks/soak.py [--episodes 2000] [--minutes 60] [--fresh 8] [--json FILE]

Plays episodes of the single environment with random legal actions until either limit is reached, then opens some of
the same seeds in processes of their own. Ends with status 1 when one of the three does not hold.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script it finds itself alone

from benchmarks.measures import SOLO, choose
from fmgym.cli import bench, common
from fmgym.cli.ending import end
from fmgym.errors import BadInput

GROWTH = 2.0  # megabytes that memory may grow from the second quarter to the last
DRIFT = 0.10  # share by which a turn may take longer
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@dataclass(frozen=True)
class Episode:
    """One whole run. ``seconds`` by the processor, ``megabytes`` resident after it."""

    seed: int
    turns: int
    seconds: float
    digest: str
    megabytes: float


@dataclass(frozen=True)
class Verdict:
    """What came of it. Figures compare the second quarter of the episodes with the last."""

    episodes: int
    turns: int
    minutes: float
    growth: float  # MB
    drift: float  # share
    unequal: list[int]  # seeds whose digests are others in fresh processes

    @property
    def holds(self) -> bool:
        return self.growth <= GROWTH and self.drift <= DRIFT and not self.unequal


class Player:
    """An environment that plays episodes. The actions of an episode are a function of its seed."""

    def __init__(self) -> None:
        import gymnasium as gym

        import fmgym  # noqa: F401 (registers it)

        self.env = gym.make(SOLO)
        self.action = np.zeros(1, np.int64)

    def play(self, seed: int) -> Episode:
        """One episode to its end."""
        begun, turns, over = time.process_time(), 0, False
        _, info = self.env.reset(seed=seed)
        while not over:
            turns += 1
            choose(info["action_mask"][None], self.action, (seed << 20) + turns)
            _, _, over, _, info = self.env.step(int(self.action[0]))
        return Episode(seed, turns, time.process_time() - begun, info["final"]["digest"], resident())


def resident() -> float:
    """Megabytes of this process in memory; where the system does not tell, the most it ever had."""
    if os.path.exists("/proc/self/statm"):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def soak(episodes: int, minutes: float) -> list[Episode]:
    """Play until either limit. Ctrl-C ends it early."""
    player, done = Player(), []
    player.play(0)
    end = time.monotonic() + 60 * minutes
    with common.Bar("soak", "episodes") as bar:
        try:
            while len(done) < episodes and time.monotonic() < end:
                done.append(player.play(1 + len(done)))
                bar.move(len(done), episodes, f"{done[-1].megabytes:.0f} MB")
        except KeyboardInterrupt:
            print(f"stopped after {len(done)} episodes", file=sys.stderr)
    return done


def digest_of(seed: int) -> str:
    """The digest of one episode, played here."""
    return Player().play(seed).digest


def fresh_digests(seeds: list[int]) -> list[str]:
    """The digests of episodes played in a process each."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        return list(pool.map(digest_of, seeds))


def judged(done: list[Episode], fresh: int, minutes: float) -> Verdict:
    """Compare the second quarter with the last, and some episodes, first and last among them, with fresh ones."""
    quarter = len(done) // 4
    early, late = done[quarter : 2 * quarter], done[-quarter:]
    pace = [statistics.median(e.seconds / e.turns for e in part) for part in (early, late)]
    size = [statistics.median(e.megabytes for e in part) for part in (early, late)]
    chosen = [done[i] for i in sorted({round(k) for k in np.linspace(0, len(done) - 1, fresh)})] if fresh else []
    again = fresh_digests([e.seed for e in chosen])
    return Verdict(
        episodes=len(done),
        turns=sum(e.turns for e in done),
        minutes=minutes,
        growth=size[1] - size[0],
        drift=pace[1] / pace[0] - 1.0,
        unequal=[e.seed for e, digest in zip(chosen, again, strict=True) if e.digest != digest],
    )


@app.command()
def main(
    episodes: Annotated[int, typer.Option(min=8, help="Episodes at most.")] = 2000,
    minutes: Annotated[float, typer.Option(min=0.1, help="Minutes at most.")] = 60.0,
    fresh: Annotated[int, typer.Option(min=0, help="Episodes to play again in fresh processes.")] = 8,
    json_: common.JsonFile = None,
) -> None:
    """Play, judge, print."""
    common.check_outputs(json_)
    start = time.monotonic()
    done = soak(episodes, minutes)
    if len(done) < 8:
        raise BadInput(f"{len(done)} episodes are too few to tell anything: give it more minutes")
    verdict = judged(done, fresh, (time.monotonic() - start) / 60)
    content: dict[str, Any] = {"machine": bench.machine(), "holds": verdict.holds} | asdict(verdict)
    common.write_json(json_, content | {"runs": [asdict(episode) for episode in done]})
    print(f"{verdict.episodes} episodes, {verdict.turns:,} turns in {verdict.minutes:.1f} minutes")
    print(f"memory grew by {verdict.growth:+.1f} MB (at most {GROWTH})")
    print(f"a turn took {100 * verdict.drift:+.1f} % longer (at most {100 * DRIFT:.0f} %)")
    print(
        f"{fresh} digests against fresh processes: {f'seeds {verdict.unequal} differ' if verdict.unequal else 'equal'}"
    )
    raise typer.Exit(0 if verdict.holds else 1)


if __name__ == "__main__":
    sys.exit(end(app, "soak"))
