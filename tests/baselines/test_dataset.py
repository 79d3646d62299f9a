"""Datasets of episodes: complete, loadable, and the same run as the policy's."""

import numpy as np
import pytest

from fmgym import cli
from fmgym.baselines import make
from fmgym.envs.actions import Group
from fmgym.run import run
from fmgym.session import Session
from fmgym.tools import ToolCall, unparse

minari = pytest.importorskip("minari")
dataset = pytest.importorskip("fmgym.baselines.dataset")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    return tmp_path


def test_calls_of_any_policy_make_the_same_run_again() -> None:
    dataset.record(make("heuristic"), [3, 4], "fmgym/heuristic-v0", seasons=1)
    kept = minari.load_dataset("fmgym/heuristic-v0")
    assert kept.total_episodes == 2
    for episode, seed in zip(kept.iterate_episodes(), (3, 4), strict=True):
        result = run(make("heuristic"), seed, seasons=1)
        assert episode.rewards.sum() == pytest.approx(result.score, abs=1e-9)
        assert len(episode.observations) == len(episode.actions) + 1 == len(episode.infos["action_mask"])
        assert episode.terminations[-1] and not episode.terminations[:-1].any()
        again = Session.open(seed, seasons=1)
        for action in episode.actions:
            call = ToolCall(int(action[0]), tuple(map(int, action[2 : 2 + action[1]])))
            answer = again.call(*unparse(again.world, call))
            assert answer.ok, answer.message
        assert again.finished and again.score() == pytest.approx(result.score, abs=1e-12)


def test_observations_and_masks_are_those_of_the_flat_environment() -> None:
    """An idle run advances only, which the flat environment can do too."""
    import gymnasium as gym

    from fmgym.wrappers import FlatObs

    dataset.record(make("idle"), [5], "fmgym/idle-v0", seasons=1)
    episode = next(iter(minari.load_dataset("fmgym/idle-v0").iterate_episodes()))
    env = FlatObs(gym.make("FMBench-Solo-v0", seasons=1))
    obs, info = env.reset(seed=5)
    for i in range(len(episode.actions)):
        assert np.array_equal(episode.observations[i], obs)
        assert np.array_equal(episode.infos["action_mask"][i], info["action_mask"])
        obs, reward, *_, info = env.step(0)
        assert reward == episode.rewards[i]
    assert np.array_equal(episode.observations[-1], obs)


@pytest.mark.parametrize("policy", ["strategist", "random"])
def test_actions_are_an_episode_of_the_flat_environment(policy) -> None:
    """Played again there they show, allow and reward the same."""
    import gymnasium as gym

    from fmgym.wrappers import FlatObs

    dataset.record(make(policy), [6], f"fmgym/{policy}-v0", "actions", seasons=2)
    episode = next(iter(minari.load_dataset(f"fmgym/{policy}-v0").iterate_episodes()))
    env = FlatObs(gym.make("FMBench-Solo-v0", seasons=2))
    obs, info = env.reset(seed=6)
    for i, action in enumerate(episode.actions):
        assert np.array_equal(episode.observations[i], obs)
        assert np.array_equal(episode.infos["action_mask"][i], info["action_mask"])
        assert info["action_mask"][action]
        obs, reward, *_, info = env.step(action)
        assert reward == episode.rewards[i]
    assert np.array_equal(episode.observations[-1], obs)
    assert episode.rewards.sum() == pytest.approx(info["final"]["score"], abs=1e-9)
    groups = np.searchsorted(env.unwrapped.batch.encoding.starts, episode.actions, "right") - 1
    if policy == "strategist":  # it drafts, renews, answers, lists: most of what it does is to be had there
        assert {Group.DRAFT, Group.RENEW, Group.REPLY, Group.LIST, Group.ADVANCE} <= set(groups)
        assert info["final"]["score"] > 0.0


def test_command_line(capsys) -> None:
    command = ["dataset", "fmgym/idle-v0", "--policy", "idle", "--seeds", "1", "--seasons", "1"]
    assert cli.main(command) == 0
    assert "fmgym/idle-v0: 1 episodes" in capsys.readouterr().out
    assert cli.main(command) == 2
    assert "raise its version" in capsys.readouterr().err
    assert cli.main(["dataset", "no version", "--policy", "idle"]) == 2
    assert "is named like" in capsys.readouterr().err
    assert cli.main(["dataset", "fmgym/x-v0", "--policy", "idle", "--view", "knobs"]) == 2
    assert "turns no knobs" in capsys.readouterr().err
