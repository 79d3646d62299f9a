"""The environments as text environments: a turn is JSON, what comes back is what a model reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import msgspec
from gymnasium import spaces
from gymnasium.error import InvalidAction, ResetNeeded
from pettingzoo.utils import BaseParallelWrapper

from fmgym.enums import Settle
from fmgym.envs.arena import ArenaEnv
from fmgym.envs.batch import Batch
from fmgym.envs.solo import Obs
from fmgym.session import Session
from fmgym.text import MOST_CHARS, Tally, TextStop, read_turn

MOST_SHOWN = 2_000_000  # characters of an observation: a hundred answers of a turn, packet and notebook
OVER = "The run is over."
WAIT = "You wait: your stop is closed, and time moves when every seat has closed its own."


class AnyText(spaces.Text):
    """Text of any characters, up to a length; samples are alphanumeric."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


class TextSeat:
    """One seat of a session played through text: its stop, its counts, its rewards."""

    def __init__(self, session: Session, seat: int) -> None:
        self.session, self.seat = session, seat
        self.tally = Tally()
        self.errors: list[str] = []  # codes of the last turn
        self._score = 0.0
        self._stop = TextStop(session.stop(seat), self.tally)

    @property
    def settled(self) -> bool:
        """Whether its run is over."""
        return bool(self.session.world.w.seats[self.seat].settled != Settle.LIVE)

    def turn(self, text: str) -> list[str]:
        """Play a turn; its answers, and the warning that the stop will close by itself."""
        self.errors = []
        if not self._stop.stop.open:
            return []
        before = dict(self.tally.errors)
        answers = self._stop.turn(read_turn(text))
        self.errors = [code for code, n in self.tally.errors.items() for _ in range(n - before.get(code, 0))]
        if self._stop.stop.open and (warning := self._stop.stop.turn_warning):
            answers.append(f"WARNING: {warning}")
        return answers

    def news(self) -> list[str]:
        """What there is to read now beside the answers: the next packet once the stop is closed."""
        if self._stop.stop.open:
            return []
        if self.settled:
            return [OVER]
        if not self.session.is_open(self.seat):
            return [WAIT]
        self._stop = TextStop(self.session.stop(self.seat), self.tally)
        return [self.session.packet(self.seat).to_text()]

    def reward(self, final_only: bool) -> float:
        """The change of the score, or at the end the score itself."""
        before, self._score = self._score, self.session.score(self.seat)
        if final_only:
            return self._score if self.settled else 0.0
        return self._score - before

    def info(self, batch: Batch) -> dict[str, Any]:
        """Errors of the last turn, counts so far, and at the end how the run ended."""
        info: dict[str, Any] = {"errors": self.errors, "text": msgspec.to_builtins(self.tally)}
        if self.settled:
            info["final"] = batch.final(0, self.seat) | {"digest": self.session.digest()}
        return info

    def __getstate__(self) -> dict[str, Any]:
        """Without session and stop, which lie on an environment's memory."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("session", "_stop")}
        return kept | {"made": self._stop.made, "shown": self._stop.shown, "number": self._stop.stop.number}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._memory = (state.pop("number"), state.pop("made"), state.pop("shown"))
        self.__dict__.update(state)

    def sit(self, session: Session) -> None:
        """After a copy: take the seat at the copy's session again."""
        number, made, shown = self.__dict__.pop("_memory")
        self.session = session
        self._stop = TextStop(session.stop(self.seat), self.tally)
        self._stop.stop.number = number
        self._stop.made, self._stop.shown = made, shown


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
        self._seat: TextSeat | None = None

    @property
    def _batch(self) -> Batch:
        batch: Batch = self.unwrapped.batch  # type: ignore[attr-defined]
        return batch

    @property
    def session(self) -> Session:
        """The running episode, for tools that look at it."""
        if self._seat is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        return self._seat.session

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """The packet of the first stop."""
        self.env.reset(seed=seed, options=options)
        self._seat = TextSeat(Session(self._batch.world(0)), 0)
        return self.session.packet().to_text(), self._seat.info(self._batch)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play a turn."""
        seat = self._seat
        if seat is None or seat.settled:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        text = "\n\n".join([*seat.turn(action), *seat.news()])
        return text, seat.reward(self._batch.final_only), seat.settled, False, seat.info(self._batch)

    def __getstate__(self) -> dict[str, Any]:
        played = self._seat and self._seat.session.notebooks
        return self.__dict__ | {"notebooks": played}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The session lies on the wrapped environment's memory, in a copy too."""
        notebooks = state.pop("notebooks")
        self.__dict__.update(state)
        if self._seat:
            self._seat.sit(_session(self._batch, notebooks))


class TextArena(BaseParallelWrapper):  # type: ignore[misc]  # pettingzoo has no types
    """``arena_v0.parallel_env()`` played through text: ``TextActions`` for every seat.

    ``step`` takes a turn of each live seat. The text of a seat that waits is not read; it is told that it waits, and
    gets its next packet when time has moved. In which order seats act makes no difference, for deals are sealed.

        env = TextArena(arena_v0.parallel_env(seasons=20))
        texts, infos = env.reset(seed=7)
    """

    def __init__(self, env: ArenaEnv) -> None:
        super().__init__(env)
        self._observation_spaces = {agent: AnyText(MOST_SHOWN, min_length=0) for agent in env.possible_agents}
        self._action_spaces = {agent: AnyText(MOST_CHARS, min_length=0) for agent in env.possible_agents}
        self._seats: dict[str, TextSeat] = {}

    @property
    def _batch(self) -> Batch:
        batch: Batch = self.unwrapped.batch
        return batch

    def observation_space(self, agent: str) -> AnyText:
        """Text, the same object for a seat always."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> AnyText:
        """Text, seeded apart."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
        """Every seat's first packet."""
        self.env.reset(seed=seed, options=options)
        self.session = Session(self._batch.world(0), self._batch.track)
        self._seats = {agent: TextSeat(self.session, int(agent.removeprefix("seat_"))) for agent in self.agents}
        texts = {agent: self.session.packet(seat.seat).to_text() for agent, seat in self._seats.items()}
        return texts, self._infos(self.agents)

    def step(
        self, actions: Mapping[str, str]
    ) -> tuple[dict[str, str], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """A turn of each live seat, then what each has to read."""
        live = list(self.agents)
        if not live or not self._seats:
            raise ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        if set(actions) != set(live):
            wrong = ", ".join(sorted(set(actions) ^ set(live)))
            raise InvalidAction(f"step() takes a turn of each live agent and of nobody else; see {wrong}")
        answers = {agent: self._seats[agent].turn(actions[agent]) for agent in live}
        texts = {agent: "\n\n".join([*answers[agent], *self._seats[agent].news()]) for agent in live}
        terminations = {agent: self._seats[agent].settled for agent in live}
        truncations = self.unwrapped.end_cycle(terminations)
        rewards = {agent: self._seats[agent].reward(self._batch.final_only) for agent in live}
        return texts, rewards, terminations, truncations, self._infos(live)

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        return {agent: self._seats[agent].info(self._batch) for agent in agents}

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name != "session"}
        return kept | {"notebooks": self.session.notebooks if self._seats else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The session lies on the wrapped environment's memory, in a copy too."""
        notebooks = state.pop("notebooks")
        self.__dict__.update(state)
        if self._seats:
            self.session = _session(self._batch, notebooks)
            for seat in self._seats.values():
                seat.sit(self.session)


def _session(batch: Batch, notebooks: list[str]) -> Session:
    """A session over the world of an environment."""
    session = Session(batch.world(0), batch.track)
    session.notebooks = list(notebooks)
    return session
