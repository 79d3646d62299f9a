"""One step per stop: policy knobs that a scripted executor carries out through the tools."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import InvalidAction
from gymnasium.vector import AutoresetMode

from fmgym.envs import habits, stops
from fmgym.envs.batch import Batch
from fmgym.envs.solo import Obs
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput
from fmgym.tools import ToolCall


class ManagerKnobs(gym.Wrapper[np.ndarray, np.ndarray, Obs, Any], gym.utils.RecordConstructorArgs):
    """
    A step is a whole decision stop: about 375 of them make twenty seasons. With `every="season"` it is a season: its
    first stop shows how things stand, the knobs then hold for all of its stops, and 21 steps make a run, one of them
    the draft.

    **Action**: `MultiDiscrete`, one knob each; a knob's steps stand for these values:

    {knobs}

    A scripted executor plays the stops by these habits, with legal tool calls only (`calls()` names those of the last
    stop). All combinations are legal; the draft is a stop like any other.

    **Observation**: one `Box` of {width} numbers: the tables `calendar` and `club` of `SoloEnv`, then

    {columns}

    Rewards, seeds, episode ends and `info` are those of the environment below, but for `info["action_mask"]`, which is
    left out. The environment below belongs to this wrapper: its own `step` would play whole stops too.
    """

    def __init__(self, env: gym.Env[Obs, Any], every: str = "stop") -> None:
        gym.utils.RecordConstructorArgs.__init__(self, every=every)
        super().__init__(env)  # type: ignore[arg-type]  # mypy mixes Wrapper's types up
        self._batch: Batch = env.unwrapped.batch  # type: ignore[attr-defined]
        self._office = self._batch.office = stops.Office(1, self._batch.layout, every=every)
        self.action_space = spaces.MultiDiscrete(habits.STEPS)
        self.observation_space = stops.space()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, Any]:
        _, info = self.env.reset(seed=seed, options=options)
        return self._obs(), _without_mask(info)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, Any, bool, bool, dict[str, Any]]:
        habits.fill(self._office.habits, _checked(np.asarray(action)[None]))
        _, reward, terminated, truncated, info = self.env.step(_ADVANCE)
        return self._obs(), reward, terminated, truncated, _without_mask(info)

    def calls(self) -> list[ToolCall]:
        """The calls the executor made at the last stop, before the advance."""
        return stops.calls(self._office.desks[0])

    def _obs(self) -> np.ndarray:
        obs: np.ndarray = self._office.show(self._batch.flats)[0]
        return obs


class ManagerKnobsVector(gym.vector.VectorWrapper):
    """``ManagerKnobs`` for ``SoloVectorEnv``: actions (num_envs, number of knobs), observations one row a world."""

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any], every: str = "stop") -> None:
        super().__init__(env)
        base = env.unwrapped
        assert isinstance(base, SoloVectorEnv), "ManagerKnobsVector stands on SoloVectorEnv"
        if base.autoreset_mode == AutoresetMode.SAME_STEP:
            raise BadInput("ManagerKnobsVector keeps no final observations: choose autoreset mode NextStep or Disabled")
        self._batch = base.batch
        self._office = self._batch.office = stops.Office(base.num_envs, self._batch.layout, every=every)
        self.single_action_space = spaces.MultiDiscrete(habits.STEPS)
        self.single_observation_space = stops.space()
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, base.num_envs)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, base.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        _, infos = self.env.reset(seed=seed, options=options)
        return self._office.show(self._batch.flats), _without_mask(infos)

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        habits.fill(self._office.habits, _checked(np.asarray(actions)))
        _, rewards, terminations, truncations, infos = self.env.step(np.zeros(self.num_envs, np.int64))
        return self._office.show(self._batch.flats), rewards, terminations, truncations, _without_mask(infos)


_ADVANCE = np.zeros((), np.int64)  # the action that ends a stop


def _checked(chosen: np.ndarray) -> np.ndarray:
    fits = chosen.ndim == 2 and chosen.shape[1] == len(habits.STEPS)
    if not fits or (chosen < 0).any() or (chosen >= habits.STEPS).any():
        raise InvalidAction(f"knobs are {len(habits.STEPS)} numbers below {habits.STEPS.tolist()}, not {chosen!r}")
    return chosen


def _without_mask(info: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info.items() if name not in ("action_mask", "_action_mask")}


ManagerKnobs.__doc__ = str(ManagerKnobs.__doc__).format(
    knobs=habits.docs().replace("\n", "\n    "),
    columns=stops.docs().replace("\n", "\n    "),
    width=stops.width(),
)
