"""``FMBench-Solo-v0`` as a batch: many worlds in one compiled call, under Gymnasium's vector interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from fmgym.envs import kernel, render
from fmgym.envs.batch import CODES, Batch
from fmgym.envs.solo import SoloEnv
from fmgym.errors import BadInput
from fmgym.tools import ToolCall

Obs = dict[str, np.ndarray]
_WORTH_A_THREAD = 16  # worlds


class SoloVectorEnv(VectorEnv[Obs, np.ndarray, np.ndarray]):
    """``num_envs`` worlds of ``SoloEnv``; world i goes the same way as a single environment with its seed.

    Arguments beside those of ``SoloEnv``:

    - ``num_envs``: worlds.
    - ``autoreset_mode``: ``AutoresetMode`` or its value; ``NextStep`` (default), ``SameStep``, ``Disabled``.
    - ``copy``: whether observations and masks are handed out as copies (default). With ``copy=False`` they are views
      of the batch's own buffers, which the next ``step`` or ``reset`` overwrites.
    - ``threads``: how many threads share the worlds; by default one a core, at least 16 worlds each. Results
      do not depend on it.

    ``infos`` has ``action_mask`` (num_envs, N) int8 and ``error``; in the step in which an episode ends also ``final``
    (in mode ``SameStep`` inside ``final_info``, beside ``final_obs``), in the form of Gymnasium's vector environments.
    ``reset(options={"reset_mask": mask})`` resets some worlds only, as mode ``Disabled`` needs it.
    """

    def __init__(
        self,
        num_envs: int = 1,
        seasons: int = 20,
        opponents: str = "tiered",
        draft: str = "agent",
        reward: str = "score_delta",
        render_mode: str | None = None,
        params: Mapping[str, Any] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int | None = None,
    ) -> None:
        render.check_mode(render_mode, SoloEnv.metadata["render_modes"])
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = SoloEnv.metadata | {"autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.copy = copy
        self.threads = threads or max(min(_cores(), num_envs // _WORTH_A_THREAD), 1)
        self.batch = Batch(num_envs, seasons=seasons, opponents=opponents, draft=draft, reward=reward, params=params)
        self.single_action_space = Discrete(self.batch.encoding.size)
        self.single_observation_space = self.batch.layout.space()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._done = np.zeros(num_envs, np.bool_)  # worlds whose episode is over
        self._begun = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Obs, dict[str, Any]]:
        """Reset all worlds, or those of ``options["reset_mask"]``. An int seed s gives world i the seed s + i."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        chosen = _reset_mask(options, self.num_envs)
        self._reset(chosen, _seeds(seed, self.num_envs))
        return self._get_obs(), self._get_infos(chosen)

    def step(self, actions: np.ndarray) -> tuple[Obs, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One turn in every world. In mode ``NextStep`` worlds that were over are reset instead."""
        if not self._begun.all():
            raise ResetNeeded("some worlds have not begun an episode: call reset() before step()")
        self._take(actions)
        if self._done.any():
            if self.autoreset_mode != AutoresetMode.NEXT_STEP:
                over = np.flatnonzero(self._done).tolist()
                raise ResetNeeded(f"the episodes of worlds {over} are over: reset them")
            self._mark_open(self._done, [None] * self.num_envs)
        self._run()
        rewards = self.batch.rewards.copy()
        terminations = self._done.copy()
        infos: dict[str, Any] = {}
        if terminations.any():
            infos = self._final_infos(terminations)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                self._reset(terminations, [None] * self.num_envs)
        infos = self._get_infos(np.ones(self.num_envs, np.bool_), infos)
        return self._get_obs(), rewards, terminations, np.zeros(self.num_envs, np.bool_), infos

    def _take(self, actions: np.ndarray) -> None:
        chosen = np.asarray(actions)
        n = self.batch.encoding.size
        whole = chosen.dtype.kind in "iu" and chosen.shape == (self.num_envs,)
        if not whole or chosen.min() < 0 or chosen.max() >= n:
            raise InvalidAction(
                f"actions are an array ({self.num_envs},) of whole numbers from 0 to {n - 1}, not {actions!r}"
            )
        self.batch.actions[:] = chosen
        self.batch.commands[:] = kernel.TURN

    def _reset(self, chosen: np.ndarray, seeds: Sequence[int | None]) -> None:
        self.batch.commands[:] = kernel.SKIP
        self._mark_open(chosen, seeds)
        self._run()
        self._begun |= chosen

    def _mark_open(self, chosen: np.ndarray, seeds: Sequence[int | None]) -> None:
        for i in map(int, np.flatnonzero(chosen)):
            self.batch.seed(i, seeds[i], self.np_random)

    def _run(self) -> None:
        self.batch.run(self.threads)
        np.not_equal(self.batch.overs, 0, out=self._done)

    def _get_obs(self) -> Obs:
        flats = self.batch.flats
        return self.batch.layout.split(flats.copy() if self.copy else flats)

    def _get_infos(self, shown: np.ndarray, infos: dict[str, Any] | None = None) -> dict[str, Any]:
        """Mask and error of the shown worlds, added to what ``infos`` has."""
        infos = {} if infos is None else infos
        infos["action_mask"] = self.batch.masks.copy() if self.copy else self.batch.masks
        infos["error"] = CODES[self.batch.errors]
        infos["_action_mask"], infos["_error"] = shown.copy(), shown.copy()
        if not shown.all():
            infos["action_mask"] = infos["action_mask"] * shown[:, None]
            infos["error"][~shown] = None
        return infos

    def _final_infos(self, terminations: np.ndarray) -> dict[str, Any]:
        """What the worlds that have just ended add to the infos."""
        infos: dict[str, Any] = {}
        for i in map(int, np.flatnonzero(terminations)):
            final = self.batch.final(i)
            if self.autoreset_mode != AutoresetMode.SAME_STEP:
                infos = self._add_info(infos, {"final": final}, i)
                continue
            last = {"action_mask": self.batch.masks[i].copy(), "error": CODES[self.batch.errors[i]], "final": final}
            obs = self.batch.layout.split(self.batch.flats[i].copy())
            infos = self._add_info(infos, {"final_obs": obs, "final_info": last}, i)
        return infos

    def action_masks(self) -> np.ndarray:
        """The masks (num_envs, N) int8: 1 where the engine accepts the action now."""
        return self.batch.masks.copy()

    def tool_call(self, i: int, index: int) -> ToolCall:
        """The call that an action index means in world ``i`` now."""
        return self.batch.tool_call(i, index)

    def render(self) -> tuple[Any, ...] | None:
        """One dashboard a world, in the form of the render mode."""
        if self.render_mode is None:
            logger.warn("render() needs a render_mode: make the environment with ansi, rgb_array or human")
            return None
        for i in range(self.num_envs):
            self.batch.check_begun(i)
        return tuple(render.render(self.batch.world(i), self.render_mode) for i in range(self.num_envs))

    def get_state(self) -> dict[str, Any]:
        """All that play has changed. A batch with the same options goes on from it the same way."""
        return self.batch.get_state() | {"done": self._done.tolist(), "begun": self._begun.tolist()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over a state from ``get_state``."""
        self.batch.set_state(state)
        self._done[:], self._begun[:] = state["done"], state["begun"]

    def close_extras(self, **kwargs: Any) -> None:
        self.batch.close()


def _cores() -> int:
    """The cores this process may use, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _seeds(seed: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """One seed a world, as Gymnasium spreads them."""
    if seed is None:
        return [None] * n
    if isinstance(seed, int | np.integer):
        if seed + n > 2**63:
            raise BadInput(f"{n} worlds from seed {seed} on go beyond the last seed, 2**63-1; give a list of seeds")
        return [int(seed) + i for i in range(n)]
    if isinstance(seed, str) or len(seed) != n:
        raise BadInput(f"seed is a whole number, or a list of {n}, one for each world, not {seed!r}")
    return list(seed)


def _reset_mask(options: Mapping[str, Any] | None, n: int) -> np.ndarray:
    """The worlds to reset: all, or those of a ``reset_mask``."""
    if not options or "reset_mask" not in options:
        return np.ones(n, np.bool_)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (n,) or not mask.any():
        raise ValueError(f"options['reset_mask'] must be a bool array of shape ({n},) with a True in it, not {mask!r}")
    return mask.copy()
