"""The batch equals its worlds played singly, across episode ends and in every autoreset mode."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import fmgym  # noqa: F401  (registers the environment)
from fmgym.envs.solo import SoloEnv
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput

MODES = list(AutoresetMode)
STEPS = 180


def batch(size: int, mode: AutoresetMode, **options) -> gym.vector.VectorEnv:
    return gym.make_vec(
        "FMBench-Solo-v0",
        num_envs=size,
        vectorization_mode="vector_entry_point",
        seasons=1,
        autoreset_mode=mode,
        **options,
    )


def singles(size: int, mode: AutoresetMode) -> SyncVectorEnv:
    return SyncVectorEnv([lambda: gym.make("FMBench-Solo-v0", seasons=1)] * size, autoreset_mode=mode)


def trace(envs: gym.vector.VectorEnv, steps: int = STEPS, seed: int = 5) -> list:
    """All that random masked play hands out; in mode Disabled finished worlds are reset by hand."""
    rng = np.random.default_rng(0)
    out = [envs.reset(seed=seed)]
    masks = out[0][1]["action_mask"].copy()
    for _ in range(steps):
        drawn = (rng.random(masks.shape) * masks).argmax(1)
        out.append(envs.step(np.where(rng.random(len(masks)) < 0.4, 0, drawn)))
        masks = out[-1][4]["action_mask"].copy()
        ended = out[-1][2]
        if envs.metadata["autoreset_mode"] == AutoresetMode.DISABLED and ended.any():
            out.append(envs.reset(options={"reset_mask": ended.copy()}))
            masks[ended] = out[-1][1]["action_mask"][ended]
    return out


def ends(steps: list) -> int:
    return sum(int(step[2].sum()) for step in steps if len(step) == 5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [1, 3, 8])
def test_batch_equals_singles(size: int, mode: AutoresetMode) -> None:
    """Observations, rewards, ends and infos (final ones included) equal Gymnasium's own vector of singles."""
    together, apart = trace(batch(size, mode)), trace(singles(size, mode))
    assert ends(together) > size
    assert data_equivalence(together, apart, exact=True)


@pytest.mark.parametrize("size", [1, 3, 8])
def test_an_unequal_trace_is_found(size: int) -> None:
    """The comparison above sees one changed number in one world, and another seed."""
    mode = AutoresetMode.NEXT_STEP
    one, two, other = (trace(batch(size, mode), 40, seed) for seed in (5, 5, 6))
    assert data_equivalence(one, two, exact=True)
    assert not data_equivalence(one, other, exact=True)
    one[-1][0]["club"][-1, 0] += np.float32(1e-3)
    assert not data_equivalence(one, two, exact=True)


def test_autoreset_next_step_as_a_trace() -> None:
    envs = SoloVectorEnv(2, seasons=1, draft="auto")
    envs.reset(seed=[1, 1])
    seen = _advance_to_the_end(envs)
    assert seen["terminations"].all()
    assert "final" in seen["infos"]
    assert "final_obs" not in seen["infos"]
    obs, rewards, terminations, _, infos = envs.step(np.zeros(2, np.int64))
    assert rewards.tolist() == [0.0, 0.0]
    assert not terminations.any()
    assert "final" not in infos
    assert data_equivalence(obs, _first_obs([1, 1], episode=1), exact=True)


def test_autoreset_same_step_as_a_trace() -> None:
    envs = SoloVectorEnv(2, seasons=1, draft="auto", autoreset_mode="SameStep")
    envs.reset(seed=[1, 1])
    seen = _advance_to_the_end(envs)
    infos = seen["infos"]
    assert data_equivalence(seen["obs"], _first_obs([1, 1], episode=1), exact=True)
    assert infos["_final_obs"].all()
    assert infos["final_obs"][0]["calendar"].shape == seen["obs"]["calendar"][0].shape
    assert not data_equivalence(infos["final_obs"][0], {k: v[0] for k, v in seen["obs"].items()}, exact=True)
    assert infos["final_info"]["final"]["settle"].tolist() == ["completed", "completed"]
    assert infos["final_info"]["action_mask"].shape == (2, envs.single_action_space.n)


def test_autoreset_disabled_as_a_trace() -> None:
    envs = SoloVectorEnv(2, seasons=1, draft="auto", autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=[1, 1])
    last = _advance_to_the_end(envs)["obs"]
    with pytest.raises(ResetNeeded, match=r"worlds \[0, 1\] are over"):
        envs.step(np.zeros(2, np.int64))
    obs, infos = envs.reset(options={"reset_mask": np.array([False, True])})
    assert data_equivalence(_row(obs, 0), _row(last, 0), exact=True)
    assert data_equivalence(_row(obs, 1), _row(_first_obs([1, 1], episode=1), 1), exact=True)
    assert infos["_action_mask"].tolist() == [False, True]
    assert not infos["action_mask"][0].any()


def _advance_to_the_end(envs: SoloVectorEnv) -> dict:
    terminations = np.zeros(envs.num_envs, bool)
    while not terminations.any():
        obs, rewards, terminations, _, infos = envs.step(np.zeros(envs.num_envs, np.int64))
    return {"obs": obs, "rewards": rewards, "terminations": terminations, "infos": infos}


def _first_obs(seeds: list[int], episode: int) -> dict[str, np.ndarray]:
    """What singles show at the first stop of their n-th episode."""
    rows = []
    for seed in seeds:
        env = SoloEnv(seasons=1, draft="auto")
        obs, _ = env.reset(seed=seed)
        for _ in range(episode):
            obs, _ = env.reset()
        rows.append(obs)
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _row(obs: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    return {name: table[i] for name, table in obs.items()}


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    mode = AutoresetMode.SAME_STEP
    one, many = (trace(batch(7, mode, threads=n), 60) for n in (1, threads))
    assert data_equivalence(one, many, exact=True)


def digests(envs: SoloVectorEnv, seeds: list[int]) -> list[str]:
    """State of each world after half a season in which the world's own seed says what is played."""
    _, infos = envs.reset(seed=seeds)
    dice = [np.random.default_rng(seed) for seed in seeds]
    for _ in range(150):
        masks = infos["action_mask"]
        drawn = [
            rng.choice(np.flatnonzero(mask)) if rng.random() < 0.7 else 0 for rng, mask in zip(dice, masks, strict=True)
        ]
        infos = envs.step(np.array(drawn))[4]
    return [envs.batch.world(i).digest() for i in range(len(seeds))]


def test_a_world_has_one_digest_alone_and_among_eight_on_one_thread_and_two() -> None:
    seeds = [11, 12, 13, 14, 15, 16, 17, 18]
    one = digests(SoloVectorEnv(8, seasons=1, threads=1), seeds)
    assert digests(SoloVectorEnv(8, seasons=1, threads=2), seeds) == one
    assert digests(SoloVectorEnv(1, seasons=1), seeds[5:6]) == one[5:6]
    assert len(set(one)) == 8


def test_nothing_is_rendered_before_the_first_reset() -> None:
    with pytest.raises(ResetNeeded, match="before render"):
        SoloVectorEnv(2, seasons=1, render_mode="ansi").render()


def test_what_are_no_actions_or_seeds_is_refused() -> None:
    envs = SoloVectorEnv(2, seasons=1)
    envs.reset(seed=1)
    for actions in ([0.5, 0], [float("nan"), 0], ["a", "b"], [0], [0, -1], [0, 10**6], None):
        with pytest.raises(InvalidAction, match="whole numbers from 0"):
            envs.step(actions)
    for seed in ("x", "xy", [1], [1, 2, 3]):
        with pytest.raises(BadInput, match="a list of 2"):
            envs.reset(seed=seed)
    with pytest.raises(BadInput, match="beyond the last seed"):
        envs.reset(seed=2**63 - 1)


def test_what_is_handed_out_is_a_copy_unless_asked() -> None:
    kept, viewed = SoloVectorEnv(2, seasons=1), SoloVectorEnv(2, seasons=1, copy=False)
    for envs, shares in ((kept, False), (viewed, True)):
        obs, infos = envs.reset(seed=1)
        after = envs.step(np.zeros(2, np.int64))
        assert np.shares_memory(obs["club"], after[0]["club"]) == shares
        assert np.shares_memory(infos["action_mask"], after[4]["action_mask"]) == shares
        assert not np.shares_memory(after[1], envs.step(np.zeros(2, np.int64))[1])


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copies_go_on_alike(twin) -> None:
    envs = SoloVectorEnv(3, seasons=1, threads=2)
    trace(envs, 30)
    other = twin(envs)
    actions = np.zeros(3, np.int64)
    for _ in range(40):
        assert data_equivalence(envs.step(actions), other.step(actions), exact=True)


def test_state_can_be_taken_and_given_back() -> None:
    envs = SoloVectorEnv(3, seasons=1)
    trace(envs, 30)
    state = envs.get_state()
    first = [envs.step(np.zeros(3, np.int64)) for _ in range(30)]
    envs.set_state(state)
    assert data_equivalence(first, [envs.step(np.zeros(3, np.int64)) for _ in range(30)], exact=True)


def test_seeds_are_spread_as_gymnasium_does() -> None:
    envs = SoloVectorEnv(3, seasons=1)
    envs.reset(seed=7)
    assert envs.batch.worlds["seed"].tolist() == [7, 8, 9]
    envs.reset(seed=[3, None, 1])
    assert envs.batch.streams.tolist() == [3, 8, 1]
    assert envs.batch.episodes.tolist() == [0, 1, 0]


def test_spaces_batch_the_single_ones() -> None:
    envs = SoloVectorEnv(3, seasons=1)
    obs, infos = envs.reset(seed=1)
    assert obs in envs.observation_space
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert infos["action_mask"].shape == (3, envs.single_action_space.n)
    assert np.array_equal(envs.action_masks(), infos["action_mask"])


def test_wrong_use_says_what_would_be_right() -> None:
    envs = SoloVectorEnv(2, seasons=1)
    with pytest.raises(ResetNeeded, match="reset"):
        envs.step(np.zeros(2, np.int64))
    envs.reset(seed=1)
    for actions in (np.zeros(3, np.int64), np.array([0, 9999]), np.array([-1, 0])):
        with pytest.raises(InvalidAction, match="actions are an array"):
            envs.step(actions)
    for mask in (np.zeros(2, bool), np.ones(3, bool), [True, False]):
        with pytest.raises(ValueError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="a list of 2"):
        envs.reset(seed=[1])
    with pytest.raises(BadInput, match="num_envs"):
        SoloVectorEnv(0)
