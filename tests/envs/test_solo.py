"""The solo environment's contract with Gymnasium and with the design."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence

import fmgym  # noqa: F401  (registers the environment)
from fmgym.enums import Error, Tool
from fmgym.envs.batch import episode_seed
from fmgym.envs.solo import SoloEnv
from fmgym.errors import BadInput
from fmgym.session import Session
from fmgym.tools import unparse


def play(env: gym.Env, steps: int, seed: int = 0, reset: dict | None = None) -> list:
    """A trace of random masked turns, resets on the way included. Starts with a reset unless ``reset`` is None."""
    rng = np.random.default_rng(seed)
    trace = [] if reset is None else [env.reset(**reset)]
    for _ in range(steps):
        mask = env.unwrapped.action_masks()
        action = 0 if rng.random() < 0.3 else int(rng.choice(np.flatnonzero(mask)))
        trace.append(env.step(action))
        if trace[-1][2]:
            trace.append(env.reset())
    return trace


def same(a: object, b: object) -> bool:
    return data_equivalence(a, b, exact=True)


@pytest.mark.parametrize("action", [1.7, "3", None, np.float32(0.5), float("nan"), [0], np.array([0]), -1, 10**6])
def test_what_is_no_action_is_refused(action) -> None:
    env = SoloEnv(seasons=1, draft="auto")
    env.reset(seed=1)
    before = env.batch.world(0).digest()
    with pytest.raises(InvalidAction, match="whole numbers from 0 to"):
        env.step(action)
    assert env.batch.world(0).digest() == before
    for index in (0, np.int64(0), np.array(0)):
        env.step(index)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"params": [1]}, "changes of parameters are"),
        ({"params": "x"}, "changes of parameters are"),
        ({"params": {1: 2}}, "no parameter 1"),
        ({"opponents": ["easy"]}, "opponents must be one of"),
        ({"draft": ["auto"]}, "draft must be one of"),
    ],
)
def test_options_of_other_kinds_are_refused(options, says) -> None:
    with pytest.raises(BadInput, match=says):
        SoloEnv(**options)


def test_parameters_come_as_numpy_too() -> None:
    one = SoloEnv(seasons=1, params={"market.heat": np.float32(0.5), "calendar.rounds": np.array([65, 290])})
    two = SoloEnv(seasons=1, params={"market.heat": 0.5, "calendar.rounds": [65, 290]})
    assert one.batch.params.hash == two.batch.params.hash


def test_a_state_of_another_environment_is_refused() -> None:
    env, other = SoloEnv(seasons=1), SoloEnv(seasons=2)
    env.reset(seed=1)
    other.reset(seed=1)
    before = other.batch.world(0).digest()
    with pytest.raises(BadInput, match="'seasons': 1"):
        other.set_state(env.get_state())
    for nothing in ({}, None):
        with pytest.raises(BadInput, match="what get_state"):
            other.set_state(nothing)
    assert other.batch.world(0).digest() == before


def test_nothing_is_rendered_before_the_first_reset() -> None:
    with pytest.raises(ResetNeeded, match="before render"):
        SoloEnv(seasons=1, render_mode="ansi").render()


def test_gymnasium_check_env() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make("FMBench-Solo-v0", seasons=1).unwrapped)


def test_stable_baselines_check_env() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(SoloEnv(seasons=1))


def test_same_seed_same_play_other_seed_other_play() -> None:
    one, two, other = (play(SoloEnv(seasons=1), 150, reset={"seed": s}) for s in (5, 5, 6))
    assert same(one, two)
    assert not same(one, other)


def test_reset_opens_the_world_of_the_seed() -> None:
    env = SoloEnv()
    env.reset(seed=12)
    assert env.batch.world(0).digest() == Session.open(12).world.digest()


def test_unseeded_resets_follow_the_stream() -> None:
    env = SoloEnv(seasons=1)
    env.reset(seed=3)
    worlds = [int(env.batch.worlds["seed"][0])]
    for _ in range(3):
        env.reset()
        worlds.append(int(env.batch.worlds["seed"][0]))
    assert worlds == [episode_seed(3, k) for k in range(4)]
    assert len(set(worlds)) == 4
    assert all(0 <= s < 2**63 for s in worlds)


def test_never_seeded_starts_from_entropy() -> None:
    envs = [SoloEnv(seasons=1) for _ in range(2)]
    for env in envs:
        env.reset()
    assert envs[0].batch.worlds["seed"][0] != envs[1].batch.worlds["seed"][0]


@pytest.mark.parametrize("draft", ["agent", "auto"])
def test_rewards_sum_to_the_final_score(draft: str) -> None:
    env = SoloEnv(seasons=2, draft=draft)
    total, terminated = _run_out(env, seed=8)
    assert terminated["final"]["score"] != 0.0
    assert total == pytest.approx(terminated["final"]["score"], abs=1e-9)


def test_final_reward_comes_at_the_end() -> None:
    env = SoloEnv(seasons=1, reward="final")
    rewards = [step[1] for step in _steps(env, seed=8)]
    assert set(rewards[:-1]) == {0.0}
    assert rewards[-1] == env._get_info()["final"]["score"] != 0.0


def _steps(env: SoloEnv, seed: int) -> list:
    env.reset(seed=seed)
    rng = np.random.default_rng(1)
    steps = []
    while not steps or not steps[-1][2]:
        mask = env.action_masks()
        steps.append(env.step(0 if rng.random() < 0.4 else int(rng.choice(np.flatnonzero(mask)))))
    return steps


def _run_out(env: SoloEnv, seed: int) -> tuple[float, dict]:
    steps = _steps(env, seed)
    return sum(step[1] for step in steps), steps[-1][4]


def test_final_is_what_a_session_says() -> None:
    """The same calls through the tools end in the same result and digest."""
    env = SoloEnv(seasons=1, draft="auto")
    session = Session.open(4, seasons=1, draft="auto")
    env.reset(seed=4)
    rng = np.random.default_rng(2)
    terminated = False
    while not terminated:
        action = 0 if rng.random() < 0.3 else int(rng.choice(np.flatnonzero(env.action_masks())))
        call = env.tool_call(action)
        result = session.call(*unparse(session.world, call))
        _, _, terminated, truncated, info = env.step(action)
        assert result.ok == (info["error"] is None)
        assert not truncated
    assert session.finished
    final = info["final"]
    assert {name: final[name] for name in session.result()} == session.result()
    assert final["digest"] == session.digest()
    assert final["stamp"]["seed"] == final["seed"] == 4


def test_a_masked_out_action_is_answered_with_its_code() -> None:
    env = SoloEnv()
    env.reset(seed=1)
    outside = int(np.flatnonzero(env.action_masks() == 0)[-1])
    _obs, reward, terminated, truncated, info = env.step(outside)
    assert info["error"] in Error.__members__
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert env.step(0)[4]["error"] is None


def test_tool_call_shows_what_an_action_means() -> None:
    env = SoloEnv()
    env.reset(seed=1)
    assert env.tool_call(0).tool == Tool.ADVANCE
    first = int(env.batch.encoding.starts[5])
    assert unparse(env.batch.world(0), env.tool_call(first)) == ("submit_draft", {"template_ids": ["T01"]})
    env.step(first)
    assert env.tool_call(first).args == ()
    assert env.tool_call(first + 1).args == (0, 1)


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike_and_apart(twin) -> None:
    env = SoloEnv(seasons=1)
    env.action_space.seed(9)
    play(env, 40, reset={"seed": 2})
    other = twin(env)
    assert other.action_space.sample() == env.action_space.sample()
    assert same(play(env, 120, seed=7), play(other, 120, seed=7))
    before = env.batch.get_state()
    other.step(0)
    assert same(env.batch.get_state(), before)


def test_state_can_be_taken_and_given_back() -> None:
    env, other = SoloEnv(seasons=1), SoloEnv(seasons=1)
    play(env, 60, reset={"seed": 2})
    state = env.get_state()
    later = play(env, 60, seed=3)
    env.set_state(state)
    other.set_state(state)
    assert same(later, play(env, 60, seed=3))
    assert same(later, play(other, 60, seed=3))


def test_step_outside_an_episode_is_an_error() -> None:
    env = SoloEnv(seasons=1)
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)
    _steps(env, seed=1)
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"seasons": 0}, "seasons must be 1 to 20"),
        ({"seasons": 2.5}, "seasons is a whole number"),
        ({"opponents": "brutal"}, "opponents must be one of"),
        ({"draft": "none"}, "draft must be one of agent, auto"),
        ({"reward": "points"}, "reward must be one of score_delta, final"),
        ({"render_mode": "svg"}, "render_mode must be None or one of"),
        ({"params": {"market.nothing": 1}}, "no parameter 'market.nothing'"),
        ({"params": {"shape.seats": 4}}, "shape.seats must be 1 here"),
    ],
)
def test_bad_options_say_what_is_wrong(options: dict, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        SoloEnv(**options)


@pytest.mark.parametrize("seed", [2**63, -1])
def test_bad_seeds_are_refused(seed: int) -> None:
    with pytest.raises((BadInput, gym.error.Error)):
        SoloEnv(seasons=1).reset(seed=seed)


def test_the_docstring_is_the_docs_page() -> None:
    doc = str(SoloEnv.__doc__)
    assert "{" not in doc.replace('{"group.name": value}', "")
    assert f"`Discrete({SoloEnv().action_space.n})`" in doc
    assert SoloEnv().action_space.n < 1200


def test_stop_closes_by_itself() -> None:
    env = SoloEnv(seasons=1, draft="auto")
    env.reset(seed=1)
    days = []
    for _ in range(61):
        env.step(1)
        days.append(int(env.batch.worlds["day"][0]))
    assert len(set(days[:59])) == 1
    assert days[59] > days[58]
