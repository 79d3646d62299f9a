"""Knobs: a step is a stop, played by legal calls that see only what the seat is shown."""

import copy
import functools
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from fmgym.envs import executor, habits, stops
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput
from fmgym.session import Session
from fmgym.tools import ToolCall, unparse
from fmgym.wrappers import ManagerKnobs, ManagerKnobsVector

from ..sessions import session_at
from ..test_secrecy import scramble

SEASONS = 2


def env(seasons: int = SEASONS) -> ManagerKnobs:
    return ManagerKnobs(gym.make("FMBench-Solo-v0", seasons=seasons))


def knobs(seed: int, n: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, habits.STEPS, (n, len(habits.STEPS)))


@functools.cache
def played(seed: int) -> tuple[list[list[ToolCall]], list[float], dict]:
    """A run with other random knobs at every stop: its calls stop by stop, rewards, final info."""
    e = env()
    e.reset(seed=seed)
    calls, rewards, ended, n = [], [], False, 0
    while not ended:
        obs, reward, ended, _, info = e.step(knobs(1000 * seed + n)[0])
        assert e.observation_space.contains(obs)
        calls.append(e.calls())
        rewards.append(reward)
        n += 1
    return calls, rewards, info


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasium_accepts_it() -> None:
    check_env(env(1), skip_render_check=True)


def test_a_step_is_a_stop() -> None:
    calls, rewards, info = played(1)
    assert len(calls) == info["final"]["stops"]
    assert sum(map(len, calls)) + len(calls) == info["final"]["turns"] == info["final"]["calls"]
    assert sum(rewards) == pytest.approx(info["final"]["score"], abs=1e-9)
    assert "action_mask" not in info


def test_executor_uses_many_tools() -> None:
    names = {call.tool for seed in (1, 2) for stop in played(seed)[0] for call in stop}
    assert len(names) >= 8


@pytest.mark.parametrize("seed", [1, 2])
def test_the_calls_are_legal_and_make_the_same_run(seed: int) -> None:
    calls, _, info = played(seed)
    session = Session.open(seed, seasons=SEASONS)
    for stop in calls:
        for call in stop:
            name, args = unparse(session.world, call)
            result = session.call(name, args)
            assert result.ok, result.message
        session.call("advance")
    assert session.digest() == info["final"]["digest"]


def test_batch_equals_singles() -> None:
    envs = ManagerKnobsVector(SoloVectorEnv(3, seasons=1))
    singles = [env(1) for _ in range(3)]
    obs, _ = envs.reset(seed=5)
    assert all((single.reset(seed=5 + i)[0] == obs[i]).all() for i, single in enumerate(singles))
    over, ends = np.zeros(3, bool), 0
    for n in range(40):
        actions = knobs(n, 3)
        obs, rewards, ended, _, infos = envs.step(actions)
        assert "action_mask" not in infos
        for i, single in enumerate(singles):
            expected = (single.reset()[0], 0.0, False) if over[i] else single.step(actions[i])[:3]
            assert (expected[0] == obs[i]).all() and expected[1:] == (rewards[i], ended[i])
        over = ended
        ends += ended.sum()
    assert ends >= 3


def test_a_season_is_its_stops_by_the_same_knobs() -> None:
    whole, parts = ManagerKnobs(gym.make("FMBench-Solo-v0", seasons=3), every="season"), env(3)
    whole.reset(seed=8)
    parts.reset(seed=8)
    worlds = parts.unwrapped.batch.worlds
    for n in range(4):  # the draft is a step of its own
        obs, reward, ended, _, info = whole.step(knobs(n)[0])
        total, over = 0.0, False
        while not over and stops.season(worlds[0]) == n - 1:
            shown, part, over, _, info2 = parts.step(knobs(n)[0])
            total += part
        assert over == ended and total == pytest.approx(reward, abs=1e-9)
        assert ended or (shown == obs).all()  # once it is over either shows what it last saw
    assert ended and info["final"]["digest"] == info2["final"]["digest"]


def test_knobs_are_set_every_stop_or_season() -> None:
    with pytest.raises(BadInput, match="every must be one of stop, season"):
        ManagerKnobs(gym.make("FMBench-Solo-v0", seasons=1), every="year")


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_goes_the_same_way(twin) -> None:
    e = env(1)
    e.reset(seed=3)
    e.step(knobs(0)[0])
    other = twin(e)
    for n in range(1, 5):
        a, b = (x.step(knobs(n)[0]) for x in (e, other))
        assert (a[0] == b[0]).all() and a[1:4] == b[1:4]


@pytest.mark.parametrize("bad", [[0], habits.STEPS, -np.ones(len(habits.STEPS), int)])
def test_bad_knobs_are_refused(bad) -> None:
    e = env(1)
    e.reset(seed=1)
    with pytest.raises(InvalidAction, match="knobs are 19 numbers"):
        e.step(np.array(bad))


def test_same_step_autoreset_is_refused() -> None:
    with pytest.raises(BadInput, match="NextStep or Disabled"):
        ManagerKnobsVector(SoloVectorEnv(2, autoreset_mode=AutoresetMode.SAME_STEP))


def test_docs_name_every_knob_and_column() -> None:
    for name in (*(habit.name for habit in habits.HABITS), *(column.name for column in stops.OFFICE)):
        assert f"`{name}`" in ManagerKnobs.__doc__


def looked_and_planned(session: Session) -> tuple[np.ndarray, list[list[ToolCall]]]:
    """The office's columns, and the executor's calls by several knobs, each on a world of its own."""
    world = session.world
    office = np.zeros((1, 1), stops.ROW)
    stops.look(world.array, world.params.record, office)
    plans = []
    for n in range(6):
        chosen, desks = np.zeros(1, habits.RECORD), np.zeros(1, executor.DESK)
        habits.fill(chosen, knobs(n))
        twin = session.copy()
        stops.play_at(twin.world.array, world.params.record, 0, chosen, desks)
        plans.append(stops.calls(desks[0]))
    return office, plans


@pytest.mark.parametrize("day", [4, 180, 304])
def test_hidden_truth_moves_neither_columns_nor_calls(day: int) -> None:
    session = session_at(day)
    other = session.copy()
    scramble(other)
    (office, plans), (office2, plans2) = looked_and_planned(session), looked_and_planned(other)
    assert office.tobytes() == office2.tobytes()
    assert plans == plans2
    assert any(plans)


def test_beliefs_of_others_move_no_column_and_no_first_call() -> None:
    """What owners and the public believe answers bids, so only what is done before the first answer must agree."""
    session = session_at(4)
    other = session.copy()
    pl = other.world.w.players
    theirs = pl["club"] != 0
    for name in ("own_ability", "own_potential", "pub_ability", "pub_potential"):
        pl[name][theirs] += 20.0
    (office, plans), (office2, plans2) = looked_and_planned(session), looked_and_planned(other)
    assert office.tobytes() == office2.tobytes()
    assert [plan[:1] for plan in plans] == [plan[:1] for plan in plans2]
