"""Text environments: the same play as through the tools, counted, rewarded and ended alike."""

import copy
import json
import pickle
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

import fmgym  # noqa: F401
from fmgym.envs import arena_v0
from fmgym.session import Session
from fmgym.tools import TOOLS
from fmgym.tracks.arena import ARENA
from fmgym.wrappers import TextActions, TextArena

from ..sessions import everything

ADVANCE = '{"tool": "advance"}'


def make(**options: Any) -> TextActions:
    return TextActions(gym.make("FMBench-Solo-v0", **{"seasons": 1, "draft": "auto"} | options))


def as_text(calls: Any) -> str:
    return json.dumps([{"tool": name, "args": args} for name, args in calls])


def test_gymnasium_accepts_it() -> None:
    check_env(make().unwrapped, skip_render_check=True)
    env = make(draft="agent")
    text, _ = env.reset(seed=1)
    assert text in env.observation_space
    env.action_space.seed(1)
    text, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert text in env.observation_space
    assert (reward, terminated, truncated, info["errors"]) == (0.0, False, False, ["UNREADABLE"])


def test_every_tool_through_text_is_the_same_as_through_the_session() -> None:
    env, session = make(), Session.open(5, seasons=1, draft="auto")
    text, _ = env.reset(seed=5)
    assert text == session.packet().to_text()
    used: set[str] = set()
    while not session.finished:
        examples = [(name, args) for name, spec in TOOLS.items() if name != "advance" for args in spec.examples]
        calls = everything(session.copy().stop()) + examples
        used |= {name for name, _ in calls}
        text, _, _, _, info = env.step(as_text(calls))
        results = session.turn(calls)
        assert text.startswith(results[0].to_text())
        assert info["errors"].count("WAITING") == sum(r.error == "WAITING" for r in results)
        assert sorted(info["errors"]) == sorted(r.error for r in results if r.error)
        text, _, terminated, _, info = env.step(ADVANCE)
        session.call("advance")
        assert env.session.digest() == session.digest()
        assert session.packet().to_text() in text or terminated
    assert used == set(TOOLS) - {"advance"}
    assert info["final"]["digest"] == session.digest()
    assert info["final"]["score"] == session.score()


@pytest.mark.parametrize("reward", ["score_delta", "final"])
def test_rewards_sum_to_the_final_score(reward: str) -> None:
    env = make(reward=reward, draft="agent")
    env.reset(seed=2)
    rewards, terminated = [], False
    while not terminated:
        _, r, terminated, _, info = env.step(ADVANCE)
        rewards.append(r)
    assert sum(rewards) == pytest.approx(info["final"]["score"], abs=1e-9)
    assert any(rewards[:-1]) == (reward == "score_delta")
    with pytest.raises(ResetNeeded):
        env.step(ADVANCE)
    assert env.reset(seed=3)[0].startswith("STOP 1")


def test_step_wants_a_reset_first() -> None:
    with pytest.raises(ResetNeeded):
        make().step(ADVANCE)


def test_counts_stand_beside_the_score() -> None:
    env = make()
    _, info = env.reset(seed=1)
    assert info["text"]["malformed"] == 0
    for written in ('{"tool": "GET_SQUAD"}', "no idea", '[{"tool": "get_squad"},]', '{"tool": "get_squad"}'):
        *_, info = env.step(written)
    counts = info["text"]
    assert (counts["malformed"], counts["repaired"], counts["unusable"], counts["repeated"]) == (3, 2, 1, 2)
    assert counts["repairs"] == {"letter_case": 1, "trailing_comma": 1}
    assert env.reset(seed=1)[1]["text"]["malformed"] == 0


def test_a_stop_closes_by_itself_after_a_warning() -> None:
    env = make()
    env.reset(seed=1)
    texts = [env.step("nothing")[0] for _ in range(60)]
    assert "WARNING" not in texts[38]
    assert "WARNING: 20 turns left" in texts[39]
    assert "STOP 2" in texts[59] and "STOP 2" not in texts[58]


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike_and_apart(twin_of: Any) -> None:
    env = make()
    env.reset(seed=1)
    env.step(as_text([("append_note", {"text": "kept"}), ("get_squad", {})]))
    twin = twin_of(env)
    turns = [as_text([("get_squad", {}), ("append_note", {"text": "more"})]), ADVANCE]
    told = [[e.step(turn) for turn in turns] for e in (env, twin)]
    assert told[0] == told[1]
    assert "very call" in told[0][0][0]
    assert env.session.digest() == twin.session.digest()
    env.step(ADVANCE)
    assert env.session.digest() != twin.session.digest()


def test_seeds_open_worlds_as_the_plain_environment_does() -> None:
    env, other = make(), make()
    assert env.reset(seed=7)[0] == other.reset(seed=7)[0]
    second = env.reset()[0]
    assert second == other.reset()[0] != env.reset(seed=7)[0]


# Arena


def as_turns(env: TextArena, written: str) -> dict[str, str]:
    return dict.fromkeys(env.agents, written)


def arena(**options: Any) -> TextArena:
    return TextArena(arena_v0.parallel_env(**{"seasons": 1, "draft": "auto", "seats": [0, 4, 9]} | options))


def test_pettingzoo_accepts_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of observations that are no arrays
        parallel_api_test(arena(), num_cycles=30)


def test_arena_through_text_is_the_same_as_through_the_session() -> None:
    env = arena()
    session = Session.open(5, seasons=1, draft="auto", track=ARENA, seats=[0, 4, 9])
    texts, _ = env.reset(seed=5)
    assert texts == {f"seat_{seat}": session.packet(seat).to_text() for seat in (0, 4, 9)}
    totals = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        open_ = session.open_seats
        calls = {seat: everything(session.copy().stop(seat))[seat : seat + 12] for seat in open_}
        turns = {f"seat_{seat}": as_text(calls[seat]) for seat in open_}
        infos = env.step(as_turns(env, "not read") | turns)[4]
        for seat in reversed(open_):  # the order does not matter
            errors = [result.error for result in session.turn(calls[seat], seat) if result.error]
            assert sorted(infos[f"seat_{seat}"]["errors"]) == sorted(errors)
        texts, rewards, terminations, _, infos = env.step(as_turns(env, ADVANCE))
        for seat in open_:
            session.call("advance", seat=seat)
        assert env.session.digest() == session.digest()
        for agent, reward in rewards.items():
            totals[agent] += reward
            seat = int(agent.removeprefix("seat_"))
            if session.is_open(seat):
                assert session.packet(seat).to_text() in texts[agent]
            else:
                assert "You wait" in texts[agent] or terminations[agent]
            if terminations[agent]:
                assert infos[agent]["final"]["digest"] == session.digest()
    assert session.finished


def test_arena_rewards_sum_to_the_final_scores() -> None:
    env = arena(seats=[1, 2])
    env.reset(seed=3)
    totals = {"seat_1": 0.0, "seat_2": 0.0}
    finals: dict[str, float] = {}
    while env.agents:
        _, rewards, _, _, infos = env.step(as_turns(env, ADVANCE))
        for agent, reward in rewards.items():
            totals[agent] += reward
            if "final" in infos[agent]:
                finals[agent] = infos[agent]["final"]["score"]
    assert totals == pytest.approx(finals, abs=1e-9)


def test_arena_wants_a_turn_of_each_live_seat() -> None:
    env = arena()
    with pytest.raises(ResetNeeded):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(InvalidAction, match="seat_4"):
        env.step({"seat_0": ADVANCE, "seat_9": ADVANCE})


def test_arena_tells_who_waits_and_cuts_after_max_cycles() -> None:
    env = arena(max_cycles=3)
    env.reset(seed=1)
    texts, *_ = env.step({"seat_0": ADVANCE, "seat_4": '{"tool": "get_squad"}', "seat_9": "hm"})
    assert (
        "You wait" in texts["seat_0"]
        and texts["seat_4"].startswith("get_squad: ok")
        and "UNREADABLE" in texts["seat_9"]
    )
    turns = int(env.session.world.w.seats[0].total_turns)
    texts, *_ = env.step(as_turns(env, ADVANCE) | {"seat_0": '{"tool": "get_squad"}'})
    assert env.session.world.w.seats[0].total_turns == turns
    assert "get_squad" not in texts["seat_0"] and "STOP 2" in texts["seat_0"]
    *_, truncations, _ = env.step(as_turns(env, ADVANCE))
    assert truncations == dict.fromkeys(("seat_0", "seat_4", "seat_9"), True)
    assert env.agents == []


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_arena_copies_go_on_alike_and_apart(twin_of: Any) -> None:
    env = arena()
    env.reset(seed=1)
    env.step(
        {"seat_0": ADVANCE, "seat_4": as_text([("append_note", {"text": "kept"})]), "seat_9": '{"tool": "get_squad"}'}
    )
    twin = twin_of(env)
    turns = [as_turns(env, '{"tool": "get_squad"}'), as_turns(env, ADVANCE), as_turns(env, '{"tool": "get_finances"}')]
    told = [[e.step(turn) for turn in turns] for e in (env, twin)]
    assert told[0] == told[1]
    assert "very call" in told[0][0][0]["seat_9"] and "kept" in told[0][1][0]["seat_4"]
    env.step(as_turns(env, ADVANCE))
    assert env.session.digest() != twin.session.digest()
