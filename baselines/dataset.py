"""Episodes of any policy as Minari datasets: what the seat saw, which calls it made, which were legal."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import minari
import numpy as np
from gymnasium import spaces
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_dataset import parse_dataset_id
from minari.storage.datasets_root_dir import get_dataset_path

from fmgym import __version__
from fmgym.baselines.pilot import Desk, Pilot
from fmgym.enums import Error, Outcome, Tool
from fmgym.envs import habits, kernel, shortlist, stops
from fmgym.envs.actions import N_ARGS, Group, nearest
from fmgym.envs.batch import Batch
from fmgym.envs.solo import SoloEnv
from fmgym.errors import BadInput
from fmgym.kernels.actions import is_query
from fmgym.params import Params
from fmgym.policy import Policy
from fmgym.session import NOTES, Played, Session
from fmgym.state import MAX_ARGS
from fmgym.stop import Call, Result, Stop, closed
from fmgym.tools import CallError, ToolCall, fill, parse, unparse
from fmgym.world import World
from fmgym.wrappers import FlatObs

VIEWS = ("flat", "actions", "knobs")
_FAR = np.iinfo(np.int64).max


def record(
    policy: Policy,
    seeds: Sequence[int],
    dataset_id: str,
    view: str = "flat",
    seasons: int = 20,
    opponents: str = "tiered",
    progress: Callable[[int], None] | None = None,
) -> minari.MinariDataset:
    """Play a run on each seed and keep them as one Minari dataset.

    - ``view="flat"``, any policy: a step is an accepted state-changing call. Observations are those of ``FlatObs``, an
      action is the call as integers (tool, number of arguments, arguments), ``infos["action_mask"]`` the flat mask.
    - ``view="actions"``, any policy: it plays ``FlatObs(gym.make("FMBench-Solo-v0"))``, and a step is a step there. Its
      calls are answered by the legal actions nearest to them; a call that has none is refused. What it asks and notes
      down costs no turn.
    - ``view="knobs"``, policies with a network: a step is what ``ManagerKnobs`` has as one, a stop or a season.

    Rewards are changes of the score and sum to the final one. Where datasets are kept is Minari's affair
    (``MINARI_DATASETS_PATH``). Raises ``BadInput``.
    """
    if view not in VIEWS:
        raise BadInput(f"view must be one of {', '.join(VIEWS)}, not {view!r}")
    if view == "knobs" and not isinstance(policy, Pilot):
        raise BadInput(f"{policy.name} turns no knobs; record it with the flat view")
    _check_id(dataset_id)
    recorders: dict[str, type[Recorder]] = {"flat": Calls, "actions": Actions, "knobs": Knobs}
    episodes = []
    for i, seed in enumerate(seeds):
        session = recorders[view].open_at(seed, seasons, opponents)
        episodes.append(session.play(policy, seed, i))
        if progress:
            progress(i + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Minari would have an author and a link to the code
        return minari.create_dataset_from_buffers(
            dataset_id,
            episodes,
            observation_space=session.observation_space,
            action_space=session.action_space,
            algorithm_name=policy.name,
            description=f"fmgym {__version__}, {policy.name}, {seasons} seasons, {opponents} opponents, {view} view",
            requirements=[f"fmgym=={__version__}"],
        )


def _check_id(dataset_id: str) -> None:
    try:
        parse_dataset_id(dataset_id)
    except ValueError:
        raise BadInput(f"a dataset is named like fmgym/strategist-v0, not {dataset_id!r}") from None
    if dataset_id in minari.list_local_datasets():
        raise BadInput(f"there is a dataset {dataset_id} already; raise its version, or delete it with minari")


class Recorder(Session):
    """A session that keeps what one seat was shown and what it did."""

    observation_space: spaces.Box
    action_space: spaces.Space[Any]

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._rows: list[dict[str, Any]] = []

    @classmethod
    def open_at(cls, seed: int, seasons: int, opponents: str) -> Recorder:
        """A recorder at the first stop of a run."""
        return cls(World.open(seed, seasons=seasons, opponents=opponents, auto_draft=False, params=Params.default()))

    def play(self, policy: Policy, seed: int, number: int) -> EpisodeBuffer:
        """The whole run of a policy."""
        if reset := getattr(policy, "reset", None):
            reset(seed)
        while not self.finished:
            stop = self.stop()
            self._play_stop(policy, stop)
            if stop.open:
                stop.call("advance")
        shown = [*self._rows, self._last()]
        steps = len(self._rows)
        return EpisodeBuffer(
            id=number,
            seed=seed,
            observations=np.stack([row["observation"] for row in shown]),
            actions=np.stack([row["action"] for row in self._rows]),
            rewards=[row["reward"] for row in self._rows],
            terminations=[False] * (steps - 1) + [True],
            truncations=[False] * steps,
            infos={name: np.stack([row["infos"][name] for row in shown]) for name in shown[0]["infos"]},
        )

    def _play_stop(self, policy: Policy, stop: Stop) -> None:
        policy.play(stop)

    def _last(self) -> dict[str, Any]:
        """What is shown when the run is over."""
        raise NotImplementedError


class Calls(Recorder):
    """A step is an accepted call that is no query."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._batch = Batch(1, seasons=1, opponents="tiered", draft="agent", reward="score_delta", params=None)
        self.observation_space = self._batch.layout.flat_space()
        self.action_space = spaces.Box(-_FAR, _FAR, (2 + MAX_ARGS,), np.int64)
        self._day, self._score = -2, 0.0  # the draft is held on day -1
        self._played: list[np.ndarray] = []
        self.listeners.append(self._keep)

    def turn(self, calls: Iterable[Call], seat: int = 0) -> list[Result]:
        """One turn, all of its calls under what was shown before it."""
        before = self._look()
        self._played = []
        results = super().turn(calls, seat)
        for action in self._played:
            self._rows.append(before | {"action": action, "reward": 0.0})
        if self._rows:
            score = self.score()
            self._rows[-1]["reward"] += score - self._score
            self._score = score
        return results

    def _keep(self, seat: int, turn: int, played: list[Played]) -> None:
        for call in played:
            meant = parse(call.tool, call.args, self.world, seat)
            if not is_query(meant.tool) and meant.tool not in NOTES:
                row = np.zeros(2 + MAX_ARGS, np.int64)
                row[:2] = meant.tool, fill(meant, row[2:])
                self._played.append(row)

    def _look(self) -> dict[str, Any]:
        b, w = self._batch, self.world.w
        if w.day != self._day:  # time has moved: new market rows
            self._day = int(w.day)
            shortlist.choose(w, self.world.p, 0, b.screens[0]["market"])
        b.commands[:] = kernel.SHOW
        kernel.run(self.world.array, self.world.params.record, b._tables, b._rows, b._setups)
        return {"observation": b.flats[0].copy(), "infos": {"action_mask": b.masks[0].copy()}}

    def _last(self) -> dict[str, Any]:
        return self._look()


class Actions(Recorder):
    """A step is an action of the flat environment, in whose world the policy plays."""

    def __init__(self, env: FlatObs, seed: int) -> None:
        self._env = env
        self._shown, self._info = env.reset(seed=seed)
        self._batch: Batch = env.unwrapped.batch  # type: ignore[attr-defined]
        super().__init__(self._batch.world(0))
        self.observation_space, self.action_space = self._batch.layout.flat_space(), env.action_space

    @classmethod
    def open_at(cls, seed: int, seasons: int, opponents: str) -> Actions:
        return cls(FlatObs(SoloEnv(seasons, opponents)), seed)

    def turn(self, calls: Iterable[Call], seat: int = 0) -> list[Result]:
        """Each call by itself, until the stop is closed."""
        stop = Stop(self, seat)
        return [self._translated(name, args) if stop.open else closed(name) for name, args in calls]

    def _translated(self, name: str, args: Any) -> Result:
        try:
            call = self._parsed(name, args, 0)
        except CallError as error:
            return Result(False, str(name), error.code.name, error.message)
        if is_query(call.tool):
            return self._answer(call, call, 0, Outcome.DONE, 0)
        if call.tool in NOTES:
            self._note(call, 0)
            return Result(True, name)
        answer = Result(False, name, Error.BAD_ARGUMENT.name, "The flat environment has no such action now.")
        for index in self._indices(call):
            answer = self._step(index)
        return answer

    def _indices(self, call: ToolCall) -> list[int]:
        """The actions that a call comes to: a draft list is put together one by one."""
        starts = self._batch.encoding.starts
        if call.tool == Tool.SUBMIT_DRAFT:
            s = self.world.w.seats[0]
            changed = set(call.args) ^ set(s.draft[: s.n_draft].tolist())
            return [int(starts[Group.DRAFT]) + template for template in sorted(changed)]
        args = np.zeros(N_ARGS, np.int64)
        n = fill(call, args)
        screen = self._batch.screens[0]
        index = nearest(self.world.w, self.world.p, 0, screen, starts, int(call.tool), args, n)
        return [int(index)] if index >= 0 else []

    def _step(self, index: int) -> Result:
        """Play an action. Its answer is heard from a copy of the world, for the environment does not tell it."""
        name, args = unparse(self.world, self._batch.tool_call(0, index))
        answer = self.copy().call(name, args)
        row = self._last() | {"action": np.int64(index)}
        self._shown, reward, _, _, self._info = self._env.step(np.int64(index))
        self._rows.append(row | {"reward": reward})
        return answer

    def _last(self) -> dict[str, Any]:
        """What is shown now."""
        return {"observation": self._shown, "infos": {"action_mask": self._info["action_mask"]}}


class Knobs(Recorder):
    """A step is what the policy's network names knobs for, a stop or a season."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._desk, self._score = Desk(world), 0.0
        self.observation_space = stops.space()
        self.action_space = spaces.MultiDiscrete(habits.STEPS)

    def _play_stop(self, policy: Policy, stop: Stop) -> None:
        assert isinstance(policy, Pilot)
        if policy.asked(stop):
            obs = self._desk.observe(self.world, 0)
            self._rows.append({"observation": obs[0], "infos": {}, "action": policy.choose(obs)[0], "reward": 0.0})
        policy.play(stop)
        score = self.score()
        self._rows[-1]["reward"] += score - self._score
        self._score = score

    def _last(self) -> dict[str, Any]:
        return {"observation": self._desk.observe(self.world, 0)[0], "infos": {}}


def where() -> str:
    """The folder Minari keeps datasets in."""
    return str(get_dataset_path(""))
