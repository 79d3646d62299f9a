"""The Arena: a seat for each club in one shared world, as a PettingZoo parallel environment."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import ParallelEnv

from fmgym.envs import kernel, render
from fmgym.envs.batch import CODES, Batch
from fmgym.errors import BadInput
from fmgym.tools import ToolCall
from fmgym.tracks.arena import ARENA

Obs = dict[str, np.ndarray] | np.ndarray


class ArenaEnv(ParallelEnv[str, Obs, int]):  # type: ignore[misc]  # pettingzoo has no types
    """
    ## Description

    Up to sixteen seats run the clubs of one league, drafting from one pool and trading on one market; scripted managers
    run the clubs that nobody holds. The world stops for a seat as it does in `FMBench-Solo-v0`, and it moves on
    when every seat that has a stop has ended it. A stop of one seat does not stop another.

    ## Agents

    `seat_0` to `seat_15`; seat i runs club i + 1 (`C01` to `C16`). A seat whose revivals are spent leaves `agents` with
    its score frozen; its club goes on by default handling. All leave when the last season ends.

    ## Action and observation spaces

    Each seat has the spaces, the encoding and the exact mask (`infos[agent]["action_mask"]`) of `SoloEnv`. A seat that
    has ended its stop, or has none, can only wait: its mask has action 0 alone, and waiting costs no turn. What
    it is shown meanwhile is what it last saw, with no turns left (`turns_left` of `calendar`).

    ## Deals are sealed

    While the clock stands a seat changes its own club only; others see it as it was. What two clubs are to do together
    is lodged, and carried out when all seats have ended their stops: for each player the highest fee wins, then the
    highest wage, ties fall by the seed. Losers learn that they lost, not the price. So the order in which seats
    act never matters.

    - A bid on a scripted club's player is answered at once; with terms agreed the deal is lodged.
    - A bid on another seat's player reaches its owner with his next batch of offers. He accepts, counters or rejects;
      what he agrees to comes back as an offer to agree terms with the player.
    - Free agents and players in their last half-year sign for the highest wage lodged.

    ## Rewards, end

    As in `SoloEnv`, for each seat: its rewards sum to its final score, and its last info has `final`. Rewards of
    waiting seats come when time moves. `max_cycles` truncates all seats after so many steps.

    ## Arguments

    | Parameter | Values | Default | Meaning |
    |---|---|---|---|
    | `seasons` | 1 to 20 | `20` | length of the run |
    | `seats` | list of seat numbers | all | which clubs are under outside control |
    | `opponents` | `"tiered"`, `"easy"`, `"medium"`, `"hard"` | `"tiered"` | managers of the other clubs |
    | `draft` | `"agent"`, `"auto"` | `"agent"` | who drafts the squads |
    | `reward` | `"score_delta"`, `"final"` | `"score_delta"` | as in `SoloEnv` |
    | `flat` | bool | `False` | observations as one vector, as `fmgym.wrappers.FlatObs` gives them |
    | `max_cycles` | whole number or `None` | `None` | truncate after so many steps |
    | `render_mode` | `None`, `"ansi"`, `"rgb_array"`, `"human"` | `None` | the league and its seats |
    | `params` | `{"group.name": value}` | `None` | changes to the simulation's constants |
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "fmgym_arena_v0",
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 4,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        seasons: int = 20,
        seats: Collection[int] | None = None,
        opponents: str = "tiered",
        draft: str = "agent",
        reward: str = "score_delta",
        flat: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        render.check_mode(render_mode, self.metadata["render_modes"])
        if max_cycles is not None and (
            isinstance(max_cycles, bool) or not isinstance(max_cycles, int) or max_cycles < 1
        ):
            raise BadInput(f"max_cycles is None or a whole number from 1, not {max_cycles!r}")
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.flat = flat
        self.batch = Batch(
            1,
            seasons=seasons,
            opponents=opponents,
            draft=draft,
            reward=reward,
            params=params,
            track=ARENA,
            seats=seats,
        )
        self.possible_agents = [f"seat_{seat}" for seat in np.flatnonzero(self.batch.taken)]
        self.agents: list[str] = []
        self._seat = {agent: int(agent.removeprefix("seat_")) for agent in self.possible_agents}
        layout = self.batch.layout
        self._observation_spaces: dict[str, Dict | Box] = {
            agent: layout.flat_space() if flat else layout.space() for agent in self.possible_agents
        }
        self._action_spaces = {agent: Discrete(self.batch.encoding.size) for agent in self.possible_agents}
        self._entropy = np.random.default_rng()
        self._cycles = 0

    def observation_space(self, agent: str) -> Dict | Box:
        """The same for every seat, and always the same object for a seat."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The same for every seat, seeded apart."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Obs], dict[str, dict[str, Any]]]:
        """Open the world of ``seed``, or the next one of the last seed's stream, as ``SoloEnv`` does."""
        self.batch.seed(0, seed, self._entropy)
        self.batch.run()
        self.agents = list(self.possible_agents)
        self._cycles = 0
        if self.render_mode == "human":
            self.render()
        return self._observations(self.agents), self._infos(self.agents)

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Obs], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One action of each live seat, in no order; then time, if none has a stop to play any more."""
        live = self.agents
        self._take(actions)
        self.batch.run()
        terminations = {agent: bool(self.batch.overs[self._seat[agent]]) for agent in live}
        truncations = self.end_cycle(terminations)
        if self.render_mode == "human":
            self.render()
        rewards = {agent: float(self.batch.rewards[self._seat[agent]]) for agent in live}
        return self._observations(live), rewards, terminations, truncations, self._infos(live)

    def end_cycle(self, terminations: Mapping[str, bool]) -> dict[str, bool]:
        """Count a step over; which of its agents are truncated. Those that are done leave ``agents``."""
        self._cycles += 1
        cut = self.max_cycles is not None and self._cycles >= self.max_cycles
        truncations = {agent: cut and not over for agent, over in terminations.items()}
        self.agents = [agent for agent, over in terminations.items() if not (over or truncations[agent])]
        return truncations

    def _take(self, actions: Mapping[str, int]) -> None:
        if not self.agents:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        if set(actions) != set(self.agents):
            wrong = sorted(set(actions) ^ set(self.agents))
            raise InvalidAction(f"step() takes an action of each live agent and of nobody else; see {', '.join(wrong)}")
        chosen = {agent: self.batch.action_index(action, f" of {agent}") for agent, action in actions.items()}
        self.batch.commands[:] = kernel.SKIP
        for agent, index in chosen.items():
            self.batch.commands[self._seat[agent]] = kernel.TURN
            self.batch.actions[self._seat[agent]] = index

    def _observations(self, agents: list[str]) -> dict[str, Obs]:
        flats = self.batch.flats.copy()
        rows = {agent: flats[self._seat[agent]] for agent in agents}
        return rows if self.flat else {agent: self.batch.layout.split(row) for agent, row in rows.items()}

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        masks = self.batch.masks.copy()
        infos: dict[str, dict[str, Any]] = {}
        for agent in agents:
            seat = self._seat[agent]
            infos[agent] = {"action_mask": masks[seat], "error": CODES[self.batch.errors[seat]]}
            if self.batch.overs[seat]:
                infos[agent]["final"] = self.batch.final(0, seat)
        return infos

    def action_mask(self, agent: str) -> np.ndarray:
        """The mask (N,) int8 of a seat: 1 where the engine accepts the action now."""
        mask: np.ndarray = self.batch.masks[self._seat[agent]].copy()
        return mask

    def tool_call(self, agent: str, index: int) -> ToolCall:
        """The call that an action index of a seat means now."""
        return self.batch.tool_call(0, index, self._seat[agent])

    def render(self) -> str | np.ndarray | None:
        """The league and its seats: text for ``ansi``, a picture (H, W, 3) for ``rgb_array``, printed for ``human``."""
        if self.render_mode is None:
            logger.warn("render() needs a render_mode: make the environment with ansi, rgb_array or human")
            return None
        self.batch.check_begun(0)
        return render.render_arena(self.batch.world(0), self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""
        self.batch.close()

    def get_state(self) -> dict[str, Any]:
        """All that play has changed. An environment with the same options goes on from it the same way."""
        return self.batch.get_state() | {"agents": list(self.agents), "cycles": self._cycles}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over a state from ``get_state``. What it shows next comes with the next step."""
        self.batch.set_state(state)
        self.agents, self._cycles = list(state["agents"]), int(state["cycles"])
