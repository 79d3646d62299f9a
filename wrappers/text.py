"""The environments as text environments: a turn is JSON, what comes back is what a model reads."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import msgspec
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from fmgym.envs.solo import Obs
from fmgym.session import Session
from fmgym.text import MOST_CHARS, Tally, TextStop, read_turn

MOST_SHOWN = 2_000_000  # characters of an observation: a hundred answers of a turn, packet and notebook


class AnyText(spaces.Text):
    """Text of any characters, up to a length; samples are alphanumeric."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


class TextActions(gym.Wrapper[str, str, Obs, Any]):
    """``FMBench-Solo-v0`` played through text.

    The observation after ``reset`` is the stop packet; after ``step`` it is the answers to the turn's calls, and the
    next packet once the stop is closed. An action is a turn: a JSON object, or a list of them, with ``tool`` and
    ``args`` (see ``fmgym.text`` for what is repaired). A text that cannot be read is answered with an error and spends
    its turn. Rewards and ends are those of the wrapped environment, whose own observation and mask stand still.

    ``info``: ``errors``, the codes of refused calls; ``text``, the counts of the episode so far (``fmgym.text.Tally``:
    malformed, repaired, unusable turns and more); ``final`` at the end, as ``fmgym run --json`` writes it.

        env = TextActions(gym.make("FMBench-Solo-v0"))
        text, info = env.reset(seed=1)
        text, reward, terminated, truncated, info = env.step('{"tool": "get_squad"}')
    """

    def __init__(self, env: gym.Env[Obs, Any]) -> None:
        super().__init__(env)  # type: ignore[arg-type, unused-ignore]
        self.observation_space = AnyText(MOST_SHOWN, min_length=0)
        self.action_space = AnyText(MOST_CHARS, min_length=0)
        self._open = False

    @property
    def _batch(self) -> Any:
        return self.unwrapped.batch  # type: ignore[attr-defined]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """The packet of the first stop."""
        self.env.reset(seed=seed, options=options)
        self.tally = Tally()
        self._begin(Session(self._batch.world(0)))
        self._score = 0.0
        self._open = True
        return self.session.packet().to_text(), self._info([])

    def _begin(self, session: Session) -> None:
        self.session = session
        self._stop = TextStop(session.stop(), self.tally)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play a turn."""
        if not self._open:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        before = dict(self.tally.errors)
        answers = self._stop.turn(read_turn(action))
        errors = [code for code, n in self.tally.errors.items() for _ in range(n - before.get(code, 0))]
        if not self._stop.stop.open:
            answers.append("The run is over." if self.session.finished else self.session.packet().to_text())
            self._stop = TextStop(self.session.stop(), self.tally)
        elif warning := self._stop.stop.packet.turn_warning:
            answers.append(f"WARNING: {warning}")
        self._open = not self.session.finished
        return "\n\n".join(answers), self._reward(), self.session.finished, False, self._info(errors)

    def _reward(self) -> float:
        before, self._score = self._score, self.session.score()
        if self._batch.final_only:
            return self._score if self.session.finished else 0.0
        return self._score - before

    def _info(self, errors: list[str]) -> dict[str, Any]:
        info: dict[str, Any] = {"errors": errors, "text": msgspec.to_builtins(self.tally)}
        if self.session.finished:
            info["final"] = self._batch.final(0) | {"digest": self.session.digest()}
        return info

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("session", "_stop")}
        if hasattr(self, "session"):
            state["played"] = (self.session.notebooks, self._stop.made, self._stop.shown)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The session lies on the wrapped environment's memory, in a copy too."""
        notebooks, made, shown = state.pop("played", (None, {}, {}))
        self.__dict__.update(state)
        if notebooks is not None:
            self._begin(Session(self._batch.world(0)))
            self.session.notebooks = list(notebooks)
            self._stop.made, self._stop.shown = dict(made), dict(shown)
