"""Stable-Baselines3's view of the batch: masks, episodes, copies, state."""

import numpy as np
import pytest

from fmgym.envs import habits, stops
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput
from fmgym.wrappers import FlatVectorObs, ManagerKnobsVector

VecEnv = pytest.importorskip("stable_baselines3").common.vec_env.VecEnv
vecenv = pytest.importorskip("fmgym.baselines.vecenv")
SoloVecEnv, ArenaVecEnv = vecenv.SoloVecEnv, vecenv.ArenaVecEnv

N = 3


def flat(**options):
    return SoloVecEnv(N, "flat", seeds=range(50), seed=4, seasons=1, **options)


def knobs(**options):
    return SoloVecEnv(N, "knobs", seeds=range(50), seed=4, seasons=1, **options)


def draw(env, rng: np.random.Generator) -> np.ndarray:
    if env.interface == "knobs":
        return rng.integers(0, env.action_space.nvec, (N, len(env.action_space.nvec)))
    masks = np.stack(env.env_method("action_masks"))
    return np.where(rng.random(N) < 0.4, 0, (rng.random(masks.shape) * masks).argmax(1))


def play(env, steps: int, seed: int = 0) -> list:
    rng = np.random.default_rng(seed)
    return [env.step(draw(env, rng)) for _ in range(steps)]


@pytest.mark.parametrize("make", [flat, knobs])
def test_it_is_a_vec_env_that_hands_out_copies(make) -> None:
    env = make()
    assert isinstance(env, VecEnv)
    first = env.reset()
    kept = first.copy()
    for obs, rewards, ended, infos in play(env, 5):
        assert obs.shape == (N, *env.observation_space.shape) and obs.dtype == np.float32
        assert rewards.shape == ended.shape == (N,) and len(infos) == N
        obs[:] = np.nan  # what a learner does to it stays with the learner
    assert (first == kept).all()
    assert not np.isnan(env.step(draw(env, np.random.default_rng(1)))[0]).any()


def test_masks_are_the_batchs_own_and_only_of_the_flat_interface() -> None:
    env = flat()
    env.reset()
    masks = env.env_method("action_masks")
    assert env.has_attr("action_masks") and (np.stack(masks) == env.envs.unwrapped.batch.masks).all()
    assert env.env_method("action_masks", indices=[1])[0].any()
    other = knobs()
    assert not other.has_attr("action_masks")
    with pytest.raises(AttributeError, match="no method"):
        other.env_method("action_masks")


@pytest.mark.parametrize(("make", "wrapper", "steps"), [(flat, FlatVectorObs, 260), (knobs, ManagerKnobsVector, 50)])
def test_episodes_are_those_of_the_batch(make, wrapper, steps) -> None:
    """Step by step the same as the vector environment under Gymnasium, reset by hand to the seeds the stream names."""
    env, rng = make(scale=0.5), np.random.default_rng(2)
    other = wrapper(SoloVectorEnv(N, seasons=1, autoreset_mode="Disabled"))
    obs, episodes, total = env.reset(), np.zeros(N, int), np.zeros(N)
    expected = other.reset(seed=[env.world_seed(i, 0) for i in range(N)])[0]
    assert (obs == expected).all()
    for _ in range(steps):
        actions = draw(env, rng)
        obs, rewards, ended, infos = env.step(actions)
        expected, gained, over, _, told = other.step(actions)
        total += gained
        assert (rewards == (0.5 * gained).astype(np.float32)).all() and (ended == over).all()
        for i in np.flatnonzero(over):
            assert (infos[i]["terminal_observation"] == expected[i]).all()
            assert infos[i]["episode"]["r"] == pytest.approx(told["final"]["score"][i], abs=1e-9)
            assert infos[i]["final"]["settle"] == told["final"]["settle"][i]
            episodes[i] += 1
        if over.any():
            seeds = [env.world_seed(i, int(episodes[i])) for i in range(N)]
            expected = other.reset(seed=seeds, options={"reset_mask": over.copy()})[0]
        assert (obs == expected).all()
    assert episodes.min() >= 1


def test_worlds_come_from_the_seeds_named() -> None:
    env = knobs()
    opened = {env.world_seed(i, k) for i in range(N) for k in range(40)}
    assert opened <= set(range(50)) and len(opened) > 30
    assert {SoloVecEnv(1, "knobs", seed=5).world_seed(0, k) for k in range(40)} != opened


@pytest.mark.parametrize("make", [flat, knobs])
def test_a_state_goes_on_the_same_way(make) -> None:
    env = make()
    env.reset()
    play(env, 12)
    state = env.get_state()
    a = play(env, 30, 7)
    other = make()
    other.reset()
    other.set_state(state)
    b = play(other, 30, 7)
    for x, y in zip(a, b, strict=True):
        assert (x[0] == y[0]).all() and (x[1] == y[1]).all() and (x[2] == y[2]).all()


def test_unknown_interfaces_are_refused() -> None:
    with pytest.raises(BadInput, match="interface must be one of seasons, knobs, flat"):
        SoloVecEnv(1, "dict")


def arena(seasons=1, **options):
    return ArenaVecEnv(1, seeds=range(50), seed=4, seasons=seasons, **options)


def test_sixteen_seats_learn_in_one_world() -> None:
    """Every seat's rewards sum to its score; a state goes on the same way; the next world opens by itself."""
    env, twin = arena(seasons=3), arena(seasons=3)
    assert env.num_envs == 16
    obs, rng = env.reset(), np.random.default_rng(0)
    assert obs.shape == (16, *env.observation_space.shape)
    returns, ended, steps = np.zeros(16), np.zeros(16, bool), 0
    while not ended.all():
        actions = rng.integers(0, env.action_space.nvec, (16, len(env.action_space.nvec)))
        if steps == 2:
            twin.reset()
            twin.set_state(env.get_state())
        assert stops.seasons(env.batch.worlds)[0] == steps - 1  # the draft is a step, then each season
        obs, rewards, over, infos = env.step(actions)
        if steps >= 2:
            same = twin.step(actions)
            assert (same[0] == obs).all() and (same[1] == rewards).all()
        returns += np.where(ended, 0.0, rewards)
        for i in np.flatnonzero(over):
            assert returns[i] == pytest.approx(infos[i]["final"]["score"], abs=1e-4)
            assert infos[i]["episode"]["l"] == steps + 1
        ended |= over
        steps += 1
    assert steps == 4
    assert not env._dead.any() and env.batch.worlds["day"][0] < 5


def test_seats_not_held_are_played_by_scripted_managers() -> None:
    env = arena(seats=(0, 5))
    found = env.final_scores(lambda obs: np.tile(habits.USUAL, (2, 1)), [7])
    assert len(found) == 2 and all(np.isfinite(run["score"]) for run in found)
