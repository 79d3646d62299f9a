"""Random play over a batch that reaches stops and refusals of every kind."""

import numpy as np

from fmgym.envs import kernel
from fmgym.envs.actions import N_ARGS, decode
from fmgym.envs.batch import Batch
from fmgym.kernels.actions import check

ADVANCE = 0


def batch(size: int = 1, **options) -> Batch:
    return Batch(
        size,
        **{"seasons": 1, "opponents": "tiered", "draft": "agent", "reward": "score_delta", "params": None} | options,
    )


def reset(b: Batch, i: int, seed: int | None = None) -> None:
    """Open a world and leave the batch ready for turns."""
    b.commands[:] = kernel.SKIP
    b.seed(i, seed, np.random.default_rng(0))
    b.run()
    b.commands[:] = kernel.TURN


def opened(size: int = 1, seed: int = 1, **options) -> Batch:
    """A batch with world i at the first stop of seed ``seed + i``."""
    b = batch(size, **options)
    for i in range(size):
        reset(b, i, seed + i)
    return b


class Explorer:
    """Draws actions: mostly legal ones, each group as likely; some advances, some masked-out ones."""

    def __init__(self, b: Batch, seed: int, advance: float = 0.12, illegal: float = 0.15) -> None:
        self.b, self.rng, self.advance, self.illegal = b, np.random.default_rng(seed), advance, illegal
        starts = b.encoding.starts
        self.group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def draw(self, i: int) -> int:
        u = self.rng.random()
        if u < self.advance:
            return ADVANCE
        mask = self.b.masks[i]
        legal = np.flatnonzero(mask == (0 if u < self.advance + self.illegal else 1))
        groups = self.group[legal]
        return int(self.rng.choice(legal[groups == self.rng.choice(np.unique(groups))]))

    def turn(self) -> np.ndarray:
        """One turn of every world, new worlds opened where a run is over. Returns the masks it acted on."""
        for i in np.flatnonzero(self.b.screens["over"]):
            reset(self.b, int(i))
        masks = self.b.masks.copy()
        self.b.actions[:] = [self.draw(i) for i in range(self.b.size)]
        self.b.run()
        return masks


def mask_faults(b: Batch, i: int) -> list[int]:
    """The indices of world ``i`` whose mask bit differs from what the engine does with the call. The world stays."""
    kept = b.get_state()
    b.commands[:] = kernel.SKIP
    faults = []
    for index in range(b.encoding.size):
        b.commands[i], b.actions[i] = kernel.TURN, index
        promised = b.masks[i, index]
        b.run()
        if promised != (b.screens["error"][i] == 0):
            faults.append(index)
        b.set_state(kept)
    b.commands[:] = kernel.TURN
    return faults


def refusals(b: Batch, i: int) -> np.ndarray:
    """The engine's code for every index of world ``i``, asked without acting."""
    w, p, screen = b.worlds[i], b.params.record[0], b.screens[i]
    codes = np.zeros(b.encoding.size, np.int64)
    for index in range(b.encoding.size):
        args = np.zeros(N_ARGS, np.int64)
        tool, n = decode(w, p, kernel.SEAT, screen, b.encoding.starts, index, args)
        codes[index] = check(w, p, kernel.SEAT, tool, args, n)
    return codes
