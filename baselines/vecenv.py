"""Stable-Baselines3's VecEnv over the batched environment: no subprocesses, masks through ``action_masks``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium.spaces import MultiDiscrete
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from fmgym.enums import Domain, Settle
from fmgym.envs import habits, kernel, stops
from fmgym.envs.batch import Batch
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput
from fmgym.rng import below, key
from fmgym.tracks.arena import ARENA
from fmgym.wrappers import FlatVectorObs, ManagerKnobsVector

FINAL = ("score", "deaths", "settle", "settle_year", "honors", "value_added", "squad_value")  # told of a run's end
INTERFACES: dict[str, Callable[[SoloVectorEnv], Any]] = {
    "seasons": partial(ManagerKnobsVector, every="season"),
    "knobs": ManagerKnobsVector,
    "flat": FlatVectorObs,
}


class _Worlds(VecEnv):
    """What the two batches below have in common. Returns and lengths are of the running episodes."""

    _actions: np.ndarray
    _returns: np.ndarray
    _lengths: np.ndarray

    def _first(self, seeds: Sequence[int]) -> np.ndarray:
        """Begin an episode on each of these worlds."""
        raise NotImplementedError

    def final_scores(self, policy: Callable[[Any], Any], seeds: Sequence[int]) -> list[dict[str, Any]]:
        """How runs end on these worlds (one seed a world) under a policy: observations to actions."""
        obs: Any = self._first(seeds)
        found: dict[int, dict[str, Any]] = {}
        while len(found) < self.num_envs:
            obs, _, ended, infos = self.step(policy(obs))
            found = {int(i): infos[i]["final"] for i in np.flatnonzero(ended)} | found
        return [found[i] for i in range(self.num_envs)]

    def _told(
        self, obs: np.ndarray, ended: np.ndarray, final: Callable[[int], Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """The infos of a step: of the episodes that have just ended."""
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in map(int, np.flatnonzero(ended)):
            how = final(i)
            told[i] = {
                "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i])},
                "terminal_observation": obs[i].copy(),
                "final": {name: how[name] for name in FINAL},
            }
        return told

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise AttributeError(f"the environments of this batch have no method {method_name!r} of their own")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"{attr_name!r} cannot be set: the environments of a batch share their options")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]


class SoloVecEnv(_Worlds):
    """``num_envs`` worlds for Stable-Baselines3.

    - ``interface``: ``seasons`` or ``knobs`` (a step is a season, or a stop: ``ManagerKnobs``) or ``flat`` (a step is a
      call, ``FlatObs``; masked).
    - ``seeds``: the worlds to learn on. Which one an episode opens is a function of ``seed``, the world's place in the
      batch and the number of its episode, so that training is the same however often it is interrupted.
    - ``scale``: rewards are multiplied by it; the episode returns in ``infos`` are not.
    - ``options``: of ``SoloVectorEnv``.

    What it hands out are copies: nothing is overwritten by the next step. ``infos[i]["episode"]`` has return ``r`` and
    length ``l`` of an episode that has just ended, ``infos[i]["final"]`` how its run ended.
    """

    def __init__(
        self,
        num_envs: int,
        interface: str = "flat",
        seeds: Sequence[int] = range(1000),
        seed: int = 0,
        scale: float = 1.0,
        **options: Any,
    ) -> None:
        if interface not in INTERFACES:
            raise BadInput(f"interface must be one of {', '.join(INTERFACES)}, not {interface!r}")
        # Its wrapper copies what it hands out.
        batch = SoloVectorEnv(num_envs, autoreset_mode=AutoresetMode.DISABLED, copy=False, **options)
        self.envs: Any = INTERFACES[interface](batch)
        self.interface = interface
        self.seeds, self.scale, self.stream = seeds, scale, seed
        self.render_mode = None
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self._episodes = np.zeros(num_envs, np.int64)  # begun in each world
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions = np.zeros(0)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Start the stream of worlds anew, with the next ``reset``."""
        self.stream = self.stream if seed is None else seed
        self._episodes[:] = 0
        return [self.stream] * self.num_envs

    def reset(self) -> np.ndarray:
        obs: np.ndarray = self._open(np.ones(self.num_envs, np.bool_))
        return obs

    def _first(self, seeds: Sequence[int]) -> np.ndarray:
        obs: np.ndarray = self._open(np.ones(self.num_envs, np.bool_), seeds)
        return obs

    def _open(self, chosen: np.ndarray, seeds: Sequence[int] | None = None) -> Any:
        """Begin the next episodes of the chosen worlds."""
        drawn = seeds or [self.world_seed(i, int(self._episodes[i])) for i in range(self.num_envs)]
        worlds: list[int | None] = [drawn[i] if chosen[i] else None for i in range(self.num_envs)]
        self._episodes += chosen
        self._returns[chosen], self._lengths[chosen] = 0.0, 0
        return self.envs.reset(seed=worlds, options={"reset_mask": chosen})[0]

    def world_seed(self, i: int, episode: int) -> int:
        """The seed of an episode of world ``i``, counted from 0."""
        return _drawn(self.seeds, self.stream, i, episode)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        obs, rewards, ended, _, infos = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        told = self._told(obs, ended, lambda i: {name: infos["final"][name][i] for name in FINAL})
        if ended.any():
            obs = self._open(ended)
        return obs, (self.scale * rewards).astype(np.float32), ended, told

    def action_masks(self) -> np.ndarray:
        """The masks (num_envs, N), True where an action is legal now; only the flat interface has them."""
        masks: np.ndarray = self.envs.unwrapped.action_masks().astype(np.bool_)
        return masks

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        if method_name != "action_masks" or self.interface != "flat":
            return super().env_method(method_name)
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "action_masks" and self.interface != "flat":
            raise AttributeError("all knobs are always legal: there are no masks")
        return super().get_attr(attr_name, indices)

    def get_state(self) -> dict[str, Any]:
        """All that play has changed."""
        own = {"episodes": self._episodes, "returns": self._returns, "lengths": self._lengths}
        return {name: value.tolist() for name, value in own.items()} | {"envs": self.envs.unwrapped.get_state()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over a state from ``get_state`` of an environment with the same arguments."""
        self.envs.unwrapped.set_state(state["envs"])
        self._episodes[:], self._returns[:], self._lengths[:] = state["episodes"], state["returns"], state["lengths"]

    def close(self) -> None:
        self.envs.close()


class ArenaVecEnv(_Worlds):
    """Arenas for Stable-Baselines3 and one policy shared by all their seats: ``worlds`` x ``seats`` environments.

    A step is a season, and the draft one of its own: knobs are set when all live seats of a world have a stop in the
    new season, and hold until then for every stop a seat has. ``seats``: those under the policy's control, by default
    all; scripted managers run the other clubs. A seat that has died is done, and idles until its world ends.
    The rest is as in ``SoloVecEnv``.
    """

    def __init__(
        self,
        worlds: int,
        seeds: Sequence[int] = range(1000),
        seed: int = 0,
        scale: float = 1.0,
        seats: Sequence[int] | None = None,
        seasons: int = 20,
        opponents: str = "tiered",
        threads: int = 1,
    ) -> None:
        self.batch = Batch(
            worlds,
            seasons=seasons,
            opponents=opponents,
            draft="agent",
            reward="score_delta",
            params=None,
            track=ARENA,
            seats=seats,
        )
        self.office = self.batch.office = stops.Office(worlds, self.batch.layout, self.batch.seats)
        self.held = np.flatnonzero(np.tile(self.batch.taken, worlds))  # rows of the batch's screens
        self.seeds, self.scale, self.stream, self.threads = seeds, scale, seed, threads
        self.render_mode = None
        super().__init__(len(self.held), stops.space(), MultiDiscrete(habits.STEPS))
        self._episodes = np.zeros(worlds, np.int64)
        self._returns, self._lengths = np.zeros(self.num_envs), np.zeros(self.num_envs, np.int64)
        self._dead = np.zeros(self.num_envs, np.bool_)
        self._actions = np.zeros(0)

    def reset(self) -> np.ndarray:
        self._open(np.ones(self.batch.size, np.bool_))
        return self._obs()

    def _open(self, chosen: np.ndarray, seeds: Sequence[int] | None = None) -> None:
        """Begin the next episodes of the chosen worlds."""
        self.batch.commands[:] = kernel.SKIP
        for i in map(int, np.flatnonzero(chosen)):
            drawn = _drawn(self.seeds, self.stream, i, int(self._episodes[i])) if seeds is None else seeds[i]
            self.batch.seed(i, drawn, np.random.default_rng(0))
        self._episodes += chosen
        again = chosen[self.held // self.batch.seats]
        self._returns[again], self._lengths[again], self._dead[again] = 0.0, 0, False
        self.batch.run(self.threads)

    def _first(self, seeds: Sequence[int]) -> np.ndarray:
        self._open(np.ones(self.batch.size, np.bool_), seeds)
        return self._obs()

    def _final(self, i: int) -> dict[str, Any]:
        return self.batch.final(*divmod(int(self.held[i]), self.batch.seats))

    def _obs(self) -> np.ndarray:
        obs: np.ndarray = self.office.show(self.batch.flats)[self.held]
        return obs

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        chosen = np.zeros((len(self.office.habits), len(habits.STEPS)), np.int64)
        chosen[self.held] = self._actions
        habits.fill(self.office.habits, chosen)
        rewards = self._play()
        self._returns += rewards
        self._lengths += 1
        ended = (self.batch.overs[self.held] == 1) & ~self._dead
        obs = self._obs()
        told = self._told(obs, ended, self._final)
        self._dead |= ended
        over = np.asarray(self._dead.reshape(self.batch.size, -1).all(1))
        if over.any():
            self._open(over)
            obs = self._obs()
        return obs, (self.scale * rewards).astype(np.float32), ended, told

    def _play(self) -> np.ndarray:
        """Play until all live seats have a stop in the next season; the rewards."""
        rewards, begun = np.zeros(len(self.batch.screens)), stops.seasons(self.batch.worlds)
        self.batch.actions[:] = 0
        going = np.ones(self.batch.size, np.bool_)
        while going.any():
            live = np.repeat(going, self.batch.seats) & np.tile(self.batch.taken == 1, self.batch.size)
            live &= self.batch.overs == 0
            self.batch.commands[:] = np.where(live, kernel.TURN, kernel.SKIP)
            self.batch.run(self.threads)
            rewards[live] += self.batch.rewards[live]
            seats = self.batch.worlds["seats"]
            alive = seats["settled"] == Settle.LIVE
            between = (alive & (seats["waiting"] == 1)).any(1)
            going = alive.any(1) & (between | (stops.seasons(self.batch.worlds) == begun))
        return rewards[self.held]

    def get_state(self) -> dict[str, Any]:
        """All that play has changed."""
        names = ("_episodes", "_returns", "_lengths", "_dead")
        return {name: getattr(self, name).tolist() for name in names} | {"batch": self.batch.get_state()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over a state from ``get_state`` of an environment with the same arguments."""
        self.batch.set_state(state["batch"])
        for name in ("_episodes", "_returns", "_lengths", "_dead"):
            getattr(self, name)[:] = state[name]

    def close(self) -> None:
        self.batch.close()


def _drawn(seeds: Sequence[int], stream: int, world: int, episode: int) -> int:
    """The seed of a world's episode, drawn from those to learn on."""
    k = np.uint64(key(stream, Domain.EPISODES.value, world, episode))
    return int(seeds[int(below(k, 0, len(seeds)))])
