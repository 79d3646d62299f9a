"""Random play over a batch that reaches stops and refusals of every kind."""

import numpy as np

from fmgym.envs import kernel
from fmgym.envs.batch import Batch

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
        self.starts = b.encoding.starts
        self.group = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def draw(self) -> np.ndarray:
        """An action for each world."""
        u = self.rng.random(self.b.size)
        wanted = np.where((u < self.illegal)[:, None], self.b.masks == 0, self.b.masks == 1)
        groups = np.add.reduceat(wanted, self.starts[:-1], axis=1) > 0
        group = (self.rng.random(groups.shape) * groups).argmax(1)
        inside = wanted & (self.group == group[:, None])
        drawn = (self.rng.random(inside.shape) * inside).argmax(1)
        return np.where(u > 1.0 - self.advance, ADVANCE, drawn)

    def turn(self) -> np.ndarray:
        """One turn of every world, new worlds opened where a run is over. Returns the masks it acted on."""
        for i in np.flatnonzero(self.b.overs):
            reset(self.b, int(i))
        masks = self.b.masks.copy()
        self.b.actions[:] = self.draw()
        self.b.run()
        return masks


def _options(b: Batch) -> dict:
    """What opens a batch like ``b``."""
    knobs = dict(b.options)
    changes = knobs.pop("changes")
    return knobs | {"params": changes, "reward": "score_delta"}


def mask_faults(b: Batch, i: int) -> list[int]:
    """The indices of world ``i`` whose mask bit differs from what the engine does with the call, tried on a copy."""
    probe = Batch(1, **_options(b))
    parts = [(probe.worlds, b.worlds[i]), (probe.screens, b.screens[i])]
    faults = []
    for index in range(b.encoding.size):
        for copy, original in parts:
            copy.view(np.uint8)[:] = np.frombuffer(original.tobytes(), np.uint8)
        probe.commands[0], probe.actions[0] = kernel.TURN, index
        probe.run()
        if b.masks[i, index] != (probe.errors[0] == 0):
            faults.append(index)
    return faults
