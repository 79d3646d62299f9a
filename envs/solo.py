"""``FMBench-Solo-v0``: one club among scripted ones, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from fmgym.envs import actions, kernel, observation, render
from fmgym.envs.batch import CODES, Batch
from fmgym.params import Params
from fmgym.tools import ToolCall

Obs = dict[str, np.ndarray]


class SoloEnv(gym.Env[Obs, np.int64]):
    """
    ## Description

    You manage one football club for twenty seasons against fifteen scripted ones: draft a squad, buy and sell on a
    market that adapts to you, keep board and bank content, bring up youth, build. The world stops for you
    about nineteen times a season; a stop is a sequence of turns, one tool call each, ended by `advance`
    (or by itself after 60 turns). What players are truly worth is hidden: you see scouts' reports.

    ## Action space

    `Discrete({n_actions})`. Each index is one concrete tool call about a row of the current observation:

    {action_table}

    `info["action_mask"]` (int8) is exact: a masked-in action is accepted, a masked-out one is answered with a code
    in `info["error"]` and changes nothing but the number of turns. `advance` is always masked in.
    `env.unwrapped.action_masks()` gives the mask, `env.unwrapped.tool_call(index)` the call an index means now.
    Bids and answers to offers count towards the ten negotiation moves of a stop. Market rows are chosen when a
    stop opens, from what you can see: players you are dealing for, the two best buys for each position while a
    window is open, then the best free agents, expiring contracts and listed players.

    Query tools and the notebook have no index: their answers are in the observation.

    ## Observation space

    A `Dict` of float32 `Box`es, {n_observation} numbers in all. Money is inflation-adjusted (4 % a year) and shown as a
    square root; abilities are the ends of a scouted band, potential is in half stars, as the tools show them.
    All values are clipped to their bounds. Each table is a vector, row after row, as most learners want it:
    `obs["squad"].reshape(40, -1)` gives rows and columns back. `fmgym.wrappers.FlatObs` gives one vector for all.

    {observation_table}

    ## Rewards

    - `reward="score_delta"` (default): the change of the composite score as if the run were completed now. Rewards
      of an episode sum to its final score; when a run settles, the last one closes the difference.
    - `reward="final"`: the final score with the last step, 0 before.

    ## Starting state

    `reset(seed=s)` opens the world of seed `s` (0 to 2^63-1). `reset()` opens the next world of the stream of the
    last seed: a function of that seed and the number of resets since. Without any seed the stream starts from
    entropy. `env.action_space` is seeded apart, with `env.action_space.seed(s)`.

    ## Episode end

    `terminated` when the run completes its last season, or settles early: fired or insolvent with no revival
    left. `info["final"]` then has score, channels, deaths, settle, digest and stamp, as `fmgym run --json` writes them.
    `truncated` is never set.

    ## Arguments

    | Parameter | Values | Default | Meaning |
    |---|---|---|---|
    | `seasons` | 1 to 20 | `20` | length of the run |
    | `opponents` | `"tiered"`, `"easy"`, `"medium"`, `"hard"` | `"tiered"` | scripted managers |
    | `draft` | `"agent"`, `"auto"` | `"agent"` | who drafts the squad |
    | `reward` | `"score_delta"`, `"final"` | `"score_delta"` | see above |
    | `render_mode` | `None`, `"ansi"`, `"rgb_array"`, `"human"` | `None` | `"human"` prints the `"ansi"` dashboard |
    | `params` | `{{"group.name": value}}` | `None` | changes to the simulation's constants |

    ```python
    import gymnasium as gym, fmgym

    env = gym.make("FMBench-Solo-v0", seasons=20)
    env.action_space.seed(1)
    obs, info = env.reset(seed=1)
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    ```

    ## Version history

    - v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        seasons: int = 20,
        opponents: str = "tiered",
        draft: str = "agent",
        reward: str = "score_delta",
        render_mode: str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        render.check_mode(render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.batch = Batch(1, seasons=seasons, opponents=opponents, draft=draft, reward=reward, params=params)
        self.action_space = spaces.Discrete(self.batch.encoding.size)
        self.observation_space = self.batch.layout.space()  # type: ignore[assignment]
        self._open = False  # whether an episode is running

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Obs, dict[str, Any]]:
        super().reset(seed=seed)
        self.batch.seed(0, seed, self.np_random)
        self.batch.run()
        self.batch.commands[0] = kernel.TURN
        self._open = True
        if self.render_mode == "human":
            self.render()
        return self._get_obs(), self._get_info()

    def step(self, action: SupportsIndex) -> tuple[Obs, float, bool, bool, dict[str, Any]]:
        if not self._open:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        self.batch.actions[0] = self.batch.action_index(action)
        self.batch.run()
        terminated = bool(self.batch.overs[0])
        self._open = not terminated
        if self.render_mode == "human":
            self.render()
        return self._get_obs(), float(self.batch.rewards[0]), terminated, False, self._get_info()

    def _get_obs(self) -> Obs:
        return self.batch.layout.split(self.batch.flats[0].copy())

    def _get_info(self) -> dict[str, Any]:
        info = {"action_mask": self.action_masks(), "error": CODES[self.batch.errors[0]]}
        if self.batch.overs[0]:
            info["final"] = self.batch.final(0)
        return info

    def action_masks(self) -> np.ndarray:
        """The mask (N,) int8: 1 where the engine accepts the action now."""
        mask: np.ndarray = self.batch.masks[0].copy()
        return mask

    def tool_call(self, index: int) -> ToolCall:
        """The call that an action index means now."""
        return self.batch.tool_call(0, index)

    def render(self) -> str | np.ndarray | None:
        """The dashboard: text for ``ansi``, a picture (H, W, 3) for ``rgb_array``, printed for ``human``."""
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode: make the environment with ansi, rgb_array or human")
            return None
        self.batch.check_begun(0)
        return render.render(self.batch.world(0), self.render_mode)

    def get_state(self) -> dict[str, Any]:
        """All that play has changed. An environment with the same options goes on from it the same way."""
        return self.batch.get_state() | {"open": self._open}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over a state from ``get_state``. What it shows next comes with the next step.

        Raises ``BadInput`` for what is no such state, or one of an environment with other options.
        """
        self.batch.set_state(state)
        self._open = bool(state["open"])


def _write_docs() -> None:
    """The docstring is the docs page: its tables come from the schemas."""
    shape = Params.default().shape
    SoloEnv.__doc__ = str(SoloEnv.__doc__).format(
        n_actions=actions.encoding(shape).size,
        n_observation=observation.layout(shape).size,
        action_table=_indented(actions.docs(shape)),
        observation_table=_indented(observation.docs(shape)),
    )


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


_write_docs()
