"""A batch of worlds and their screens: allocation, seeds, turns, results. All environments stand on it."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded

from fmgym.enums import Domain, Error
from fmgym.envs import kernel
from fmgym.envs.actions import N_ARGS, decode, encoding
from fmgym.envs.observation import layout
from fmgym.envs.stops import Office
from fmgym.errors import BadInput
from fmgym.params import Params
from fmgym.rng import key
from fmgym.session import Session
from fmgym.stamp import stamp
from fmgym.state import world_type
from fmgym.tools import ToolCall
from fmgym.tracks.solo import SOLO
from fmgym.tracks.track import Track
from fmgym.world import OPPONENTS, World, check_options, taken_seats

DRAFTS = ("agent", "auto")
REWARDS = ("score_delta", "final")
# Refusal codes by number; an accepted call has none.
CODES = np.array([None, *(error.name for error in list(Error)[1:])], dtype=object)
# Views of the screens' fields, by the batch's names for them.
_VIEWS = {
    "commands": "command",
    "actions": "action",
    "errors": "error",
    "overs": "over",
    "rewards": "reward",
    "masks": "mask",
}


class Batch:
    """``size`` worlds with a screen for each of their seats.

    ``worlds``: one record a world. ``screens``: one a seat, world by world; where a world has one seat, screen i is
    world i's. ``flats`` (screens, M) float32: the observations, in the screens' memory, as ``commands``,
    ``actions``, ``errors``, ``overs``, ``rewards`` (screens,) and ``masks`` (screens, N) are. ``seats``: which of
    the track's seats are held, by default all. Options are plain JSON values; ``BadInput`` says in one sentence
    what is wrong with one.
    """

    commands: np.ndarray
    actions: np.ndarray
    errors: np.ndarray
    overs: np.ndarray
    rewards: np.ndarray
    masks: np.ndarray

    def __init__(
        self,
        size: int,
        *,
        seasons: int,
        opponents: str,
        draft: str,
        reward: str,
        params: Mapping[str, Any] | None,
        track: Track = SOLO,
        seats: Collection[int] | None = None,
    ) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise BadInput(f"num_envs is a whole number from 1, not {size!r}")
        self.track = track
        self.params = track.fit(Params.default().replace(params))
        check_options(self.params, 0, seasons, opponents)
        _check_choice("draft", draft, DRAFTS)
        _check_choice("reward", reward, REWARDS)
        self.size = size
        self.seats: int = self.params.shape.seats  # in a world, held or not
        self.taken = taken_seats(self.params, seats)
        self.options: dict[str, Any] = {
            "seasons": seasons,
            "opponents": opponents,
            "draft": draft,
            "changes": dict(params or {}),
        }
        self.final_only = reward == "final"
        self.layout = layout(self.params.shape)
        self.encoding = encoding(self.params.shape)
        self._setups = _setup(self)
        self.office: Office | None = None  # plays whole stops as turns, where one has been hired
        self._allocate()

    def _allocate(self) -> None:
        shape = self.params.shape
        self.worlds = np.zeros(self.size, world_type(shape))
        self.screens = np.zeros(self.size * self.seats, kernel.screen_type(shape))
        self.streams = np.full(self.size, -1, np.int64)  # seed of the last seeded reset, -1: never
        self.episodes = np.zeros(self.size, np.int64)  # resets since then
        self._attach()

    def _attach(self) -> None:
        """Views into the screens, and the threads."""
        kind = self.screens.dtype
        self.flats = np.ndarray(
            (len(self.screens), self.layout.size),
            np.float32,
            self.screens,
            kind.fields["obs"][1],
            (kind.itemsize, 4),
        )
        self._tables = self.screens.reshape(self.size, self.seats)
        self._rows = self.flats.reshape(self.size, self.seats, self.layout.size)
        for view, field in _VIEWS.items():
            setattr(self, view, self.screens[field])
        self._all = self._part(slice(None))
        self._threads: ThreadPoolExecutor | None = None

    def seed(self, i: int, seed: int | None, entropy: np.random.Generator) -> None:
        """Say which world ``i`` opens next: the one of ``seed``, or the next of its stream."""
        if seed is not None:
            check_options(self.params, seed, 1, "tiered")
            self.streams[i], self.episodes[i] = seed, 0
        elif self.streams[i] < 0:
            self.streams[i], self.episodes[i] = entropy.integers(2**63), 0
        else:
            self.episodes[i] += 1
        first = i * self.seats
        self.screens["seed"][first] = episode_seed(int(self.streams[i]), int(self.episodes[i]))
        self.worlds[i : i + 1].view(np.uint8)[:] = 0
        self.commands[first : first + self.seats] = kernel.OPEN

    def run(self, threads: int = 1) -> None:
        """Carry out all commands. The result does not depend on the number of threads."""
        if threads == 1:
            self._run(slice(None), self._all)
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(threads - 1, "fmgym")
        edges = [self.size * i // threads for i in range(threads + 1)]
        parts = [slice(a, b) for a, b in itertools.pairwise(edges)]
        others = [self._threads.submit(self._run, part, self._part(part)) for part in parts[1:]]
        self._run(parts[0], self._part(parts[0]))
        for other in others:
            other.result()

    def _run(self, part: slice, arrays: tuple[np.ndarray, ...]) -> None:
        if self.office is None:
            kernel.run(*arrays)
        else:
            self.office.run(part, *arrays)

    def _part(self, part: slice) -> tuple[np.ndarray, ...]:
        """What ``kernel.run`` takes for some of the worlds."""
        return self.worlds[part], self.params.record, self._tables[part], self._rows[part], self._setups

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None

    def world(self, i: int) -> World:
        """World ``i``, on the batch's memory."""
        return World.over(self.worlds[i : i + 1], self.params)

    def action_index(self, action: Any, whose: str = "") -> int:
        """An action as the index it is. Raises ``InvalidAction`` for anything else."""
        try:
            index = operator.index(action)
        except TypeError:
            index = -1
        if not 0 <= index < self.encoding.size:
            most = self.encoding.size - 1
            raise InvalidAction(f"actions are whole numbers from 0 to {most}, not {action!r}{whose}")
        return index

    def check_begun(self, i: int) -> None:
        """Raise ``ResetNeeded`` unless world ``i`` has been opened once."""
        if self.streams[i] < 0:
            raise ResetNeeded("there is nothing to see yet: call reset() before render()")

    def tool_call(self, i: int, index: int, seat: int = 0) -> ToolCall:
        """The call an action index of a seat means in world ``i`` now."""
        args = np.zeros(N_ARGS, np.int64)
        screen = self._tables[i, seat]
        tool, n = decode(self.worlds[i], self.params.record[0], seat, screen, self.encoding.starts, index, args)
        return ToolCall(int(tool), tuple(int(a) for a in args[:n]))

    def final(self, i: int, seat: int = 0) -> dict[str, Any]:
        """How the run of a seat of world ``i`` ended, as ``run --json`` writes it."""
        session = Session(self.world(i), self.track)
        seed = int(self.worlds["seed"][i])
        policy = "agent" if self.seats == 1 else dict.fromkeys(np.flatnonzero(self.taken).tolist(), "agent")
        mark = stamp(policy=policy, seed=seed, track=self.track, **self.options)
        result = session.result(seat)
        return {"seed": seed, "seasons": self.options["seasons"]} | result | {"digest": session.digest(), "stamp": mark}

    def _options(self) -> dict[str, Any]:
        """What must be the same for a state to go on here."""
        return {name: self.options[name] for name in ("seasons", "opponents", "draft")} | {"params": self.params.hash}

    def get_state(self) -> dict[str, Any]:
        """All that play has changed, as bytes and numbers, and the options it was played under."""
        return {
            "options": self._options(),
            "worlds": self.worlds.tobytes(),
            "screens": self.screens.tobytes(),
            "streams": self.streams.tolist(),
            "episodes": self.episodes.tolist(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over a state from ``get_state`` of a batch with the same options; ``BadInput`` if it is not one."""
        if not isinstance(state, Mapping) or not {"options", "worlds", "screens", "streams", "episodes"} <= set(state):
            raise BadInput("a state is what get_state() gives")
        if state["options"] != self._options():
            raise BadInput(f"the state is of an environment with {state['options']}, not {self._options()}")
        for array, data in ((self.worlds, state["worlds"]), (self.screens, state["screens"])):
            if len(data) != array.nbytes:
                raise BadInput(f"a state of this environment has {array.nbytes} bytes here, not {len(data)}")
            array.view(np.uint8)[:] = np.frombuffer(data, np.uint8)
        self.streams[:] = state["streams"]
        self.episodes[:] = state["episodes"]

    def __getstate__(self) -> dict[str, Any]:
        # As bytes: numpy's own copies of records leave what lies between fields undefined, and digests see it.
        left_out = (
            "worlds",
            "screens",
            "streams",
            "episodes",
            "flats",
            "_tables",
            "_rows",
            "_all",
            "_threads",
            *_VIEWS,
        )
        kept = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return kept | {"state": self.get_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        played = state.pop("state")
        self.__dict__.update(state)
        self._allocate()
        self.set_state(played)


def episode_seed(stream: int, episode: int) -> int:
    """The world of an episode: the seed itself first, then a hash of seed and number, below 2**63."""
    return stream if episode == 0 else int(key(stream, Domain.EPISODES.value, episode, 0)) >> 1


def _setup(batch: Batch) -> np.ndarray:
    setups = np.zeros(1, kernel.setup_type(batch.params.shape))
    setups["seasons"] = batch.options["seasons"]
    setups["opponents"] = OPPONENTS[batch.options["opponents"]]
    setups["auto_draft"] = batch.options["draft"] == "auto"
    setups["sealed"] = batch.track.sealed
    setups["taken"][0] = batch.taken
    setups["final_only"] = batch.final_only
    for table in ("academy", "club", "market", "offers", "squad"):
        setups[table] = batch.layout.slices[table][0].start
    setups["starts"] = batch.encoding.starts
    setups["low"], setups["high"] = batch.layout.low, batch.layout.high
    return setups


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise BadInput(f"{name} must be one of {', '.join(choices)}, not {value!r}")
