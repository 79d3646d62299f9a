"""A trained manager: a network that sets the knobs, and the executor that carries them out through the tools."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from fmgym.baselines import network
from fmgym.envs import habits, stops
from fmgym.envs.batch import Batch
from fmgym.stop import Stop
from fmgym.tools import ToolCall, unparse
from fmgym.world import World


class Pilot:
    """Plays by the knobs that a policy network chooses at each stop.

    A network that was trained to set them once a season is asked at a season's first stop alone; what it chose stands
    in the notebook for the stops to come. The executor works on a copy of the world and its calls are then made here,
    one by one: the same calls lead to the same answers, so each is made knowing no more than the answers before it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name, self.network = Path(path).stem, network.load(path)
        self._desk: Desk | None = None

    def play(self, stop: Stop) -> None:
        """Play one stop."""
        world, desk = stop._table.world, self._at(stop)
        knobs = self._noted(stop)
        if knobs is None:
            knobs = self.choose(desk.observe(world, stop.seat))[0]
            self._note(stop, knobs)
        for call in desk.plan(world, stop.seat, knobs[None]):
            name, args = unparse(world, call)
            stop.call(name, **args)
        stop.call("advance")

    def asked(self, stop: Stop) -> bool:
        """Whether the network is asked at this stop, not bound by what it chose before."""
        return self._noted(stop) is None

    def _at(self, stop: Stop) -> Desk:
        if self._desk is None or self._desk.params is not stop._table.world.params:
            self._desk = Desk(stop._table.world)
        return self._desk

    def _note(self, stop: Stop, knobs: np.ndarray) -> None:
        """Keep a season's knobs."""
        if self.network.every == "season":
            steps = " ".join(map(str, knobs))
            stop.call("rewrite_notes", text=f"{_label(stop)}{steps}")

    def _noted(self, stop: Stop) -> np.ndarray | None:
        """The knobs (number of knobs,) chosen at an earlier stop of this season."""
        notes, label = stop.packet.notebook, _label(stop)
        if self.network.every != "season" or not notes.startswith(label):
            return None
        return np.array(notes.removeprefix(label).split(), np.int64)

    def choose(self, obs: np.ndarray) -> np.ndarray:
        """The knobs for observations (W, width), (W, number of knobs)."""
        knobs: np.ndarray = network.decide(self.network.numbers, self.network.sizes, habits.STEPS, obs)
        return knobs

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_desk": None}


def _label(stop: Stop) -> str:
    """How a note of this season begins."""
    return f"season {stops.season(stop._table.world.w) + 1} knobs "


class Desk:
    """Room to look at a world and to work out a stop's calls on a copy of it."""

    def __init__(self, world: World) -> None:
        self.params = world.params
        self._batch = Batch(1, seasons=1, opponents="tiered", draft="agent", reward="score_delta", params=None)
        self._office = stops.Office(1, self._batch.layout)
        self._copy = np.zeros_like(world.array)

    def observe(self, world: World, seat: int) -> np.ndarray:
        """What ``ManagerKnobs`` would show, (1, width)."""
        b = self._batch
        stops.observe(world.array, self.params.record, seat, b.screens, b.flats, b._setups, self._office.rows)
        return self._office.show(b.flats)

    def plan(self, world: World, seat: int, knobs: np.ndarray) -> list[ToolCall]:
        """The calls by which the executor plays the stop."""
        habits.fill(self._office.habits, knobs)
        self._copy.view(np.uint8)[:] = world.array.view(np.uint8)
        stops.play_at(self._copy, self.params.record, seat, self._office.habits, self._office.desks)
        return stops.calls(self._office.desks[0])
