"""The Arena as a PettingZoo environment: the contract, masks, waiting, deaths, seeds, seats alone and together."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from fmgym.envs import arena_v0, kernel
from fmgym.envs.arena import ArenaEnv
from fmgym.envs.batch import Batch
from fmgym.envs.solo import SoloEnv
from fmgym.errors import BadInput
from fmgym.tracks.arena import ARENA

from .play import ADVANCE


class Seats:
    """An action for every live seat, each drawn by its own dice: mostly legal, some advances, some refused ones."""

    def __init__(self, env: Any, seed: int = 0, advance: float = 0.1, illegal: float = 0.0) -> None:
        self.env, self.advance, self.illegal = env, advance, illegal
        self.dice = {agent: np.random.default_rng((seed, i)) for i, agent in enumerate(env.possible_agents)}

    def draw(self, infos: Mapping[str, Any]) -> dict[str, int]:
        return {agent: self._one(agent, infos[agent]["action_mask"]) for agent in self.env.agents}

    def _one(self, agent: str, mask: np.ndarray) -> int:
        rng = self.dice[agent]
        u = rng.random()
        if u < self.advance:
            return ADVANCE
        return int(rng.choice(np.flatnonzero(mask == (0 if u > 1.0 - self.illegal else 1))))


def play(env: Any, seats: Seats, infos: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """To the end; checks rewards and masks on the way. The last infos of all seats."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    finals: dict[str, dict[str, Any]] = {}
    while env.agents:
        drawn = seats.draw(infos)
        masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
        _, rewards, terminations, _, infos = env.step(drawn)
        for agent, reward in rewards.items():
            totals[agent] += reward
            assert (masks[agent][drawn[agent]] == 1) == (infos[agent]["error"] is None)
            if terminations[agent]:
                finals[agent] = infos[agent]["final"]
    for agent, final in finals.items():
        assert totals[agent] == pytest.approx(final["score"], abs=1e-9)
    assert set(finals) == set(env.possible_agents)
    return finals


# The contract


def test_the_parallel_api_holds() -> None:
    parallel_api_test(arena_v0.parallel_env(seasons=1), num_cycles=400)
    parallel_api_test(arena_v0.parallel_env(seasons=1, flat=True, seats=[2, 5]), num_cycles=400)


def test_the_aec_api_holds(capsys: pytest.CaptureFixture[str]) -> None:
    api_test(arena_v0.env(seasons=1), num_cycles=200)
    api_test(arena_v0.raw_env(seasons=1), num_cycles=200)


def test_max_cycles_truncates_all() -> None:
    max_cycles_test(arena_v0)


def test_render_modes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda **options: arena_v0.env(seasons=1, **options))
    assert "to play" in capsys.readouterr().out


def test_pettingzoo_seed_tests() -> None:
    parallel_seed_test(lambda: arena_v0.parallel_env(seasons=1))
    seed_test(lambda: arena_v0.env(seasons=1), num_cycles=40)


def trace(env: Any, seed: int, steps: int = 60) -> list[Any]:
    """Everything a seeded play is shown."""
    observations, infos = env.reset(seed=seed)
    seats, out = Seats(env), [observations, infos]
    for _ in range(steps):
        out.append(env.step(seats.draw(infos)))
        infos = out[-1][4]
    return out


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(np.array_equal(a, b))


def test_one_seed_gives_one_play_and_another_another() -> None:
    """Our own: it compares all values of all seats, and knows that seeds differ."""
    first, again, other = (trace(arena_v0.parallel_env(seasons=1), seed) for seed in (3, 3, 4))
    assert alike(first, again)
    assert not alike(first, other)
    again[-1][0]["seat_3"]["squad"][7] += 1e-3
    assert not alike(first, again)


def test_resets_go_through_the_stream_of_the_seed() -> None:
    env, twin = arena_v0.parallel_env(seasons=1), arena_v0.parallel_env(seasons=1)
    firsts = [e.reset(seed=9) for e in (env, twin)]
    seconds = [e.reset() for e in (env, twin)]
    assert alike(firsts[0], firsts[1]) and alike(seconds[0], seconds[1])
    assert not alike(firsts[0], seconds[0])


def test_supersuit_makes_a_vector_env_of_it() -> None:
    supersuit = pytest.importorskip("supersuit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        flat = supersuit.black_death_v3(arena_v0.parallel_env(seasons=1, flat=True))
        envs = supersuit.pettingzoo_env_to_vec_env_v1(flat)
        plain = arena_v0.parallel_env(seasons=1, flat=True)
        observations, _ = envs.reset(seed=2)
        expected, infos = plain.reset(seed=2)
        seats = Seats(plain)
        while plain.agents:
            np.testing.assert_array_equal(observations, np.stack(list(expected.values())))
            drawn = seats.draw(infos)
            observations, rewards, *_ = envs.step(np.array(list(drawn.values())))
            expected, own, _, _, infos = plain.step(drawn)
            np.testing.assert_array_equal(rewards, np.array(list(own.values()), np.float32))


# Spaces and calls


def test_each_seat_has_the_spaces_of_solo() -> None:
    env, solo = arena_v0.parallel_env(seasons=1), SoloEnv(seasons=1)
    observations, infos = env.reset(seed=1)
    for agent in env.possible_agents:
        assert env.observation_space(agent) == solo.observation_space
        assert env.action_space(agent) == solo.action_space
        assert env.observation_space(agent).contains(observations[agent])
    assert infos["seat_4"]["action_mask"].shape == (solo.action_space.n,)


def test_flat_observations_are_the_tables_in_a_row() -> None:
    tables, _ = arena_v0.parallel_env(seasons=1).reset(seed=1)
    flat, _ = arena_v0.parallel_env(seasons=1, flat=True).reset(seed=1)
    for agent, vector in flat.items():
        np.testing.assert_array_equal(vector, np.concatenate(list(tables[agent].values())))


def test_wrong_calls_are_refused_in_words() -> None:
    env = arena_v0.parallel_env(seasons=1, seats=[0, 1])
    with pytest.raises(ResetNeeded, match=r"reset\(\)"):
        env.step({"seat_0": 0, "seat_1": 0})
    env.reset(seed=1)
    for actions in ({"seat_0": 0}, {"seat_0": 0, "seat_1": 0, "seat_2": 0}, {}):
        with pytest.raises(InvalidAction, match="each live agent"):
            env.step(actions)
    with pytest.raises(InvalidAction, match="seat_1"):
        env.step({"seat_0": 0, "seat_1": 99_999})
    for options in ({"seats": [16]}, {"seats": []}, {"max_cycles": 0}, {"draft": "x"}, {"render_mode": "x"}):
        with pytest.raises(BadInput):
            arena_v0.parallel_env(**options)


# Waiting


@pytest.mark.parametrize("action", [1.7, "3", None, float("nan"), [0]])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = arena_v0.parallel_env(seasons=1, seats=[0, 1])
    env.reset(seed=1)
    before = env.batch.world(0).digest()
    with pytest.raises(InvalidAction, match=r"whole numbers from 0 to .* of seat_1"):
        env.step({"seat_0": 0, "seat_1": action})
    assert env.batch.world(0).digest() == before


def test_nothing_is_rendered_before_the_first_reset() -> None:
    with pytest.raises(ResetNeeded, match="before render"):
        arena_v0.parallel_env(seasons=1, render_mode="ansi").render()


def test_the_docstring_is_for_readers() -> None:
    assert "{{" not in str(ArenaEnv.__doc__)
    assert "C01" in str(ArenaEnv.__doc__)


def test_a_seat_that_has_ended_its_stop_can_only_wait() -> None:
    env = arena_v0.parallel_env(seasons=1, seats=[0, 1], draft="auto")
    _, infos = env.reset(seed=1)
    day = int(env.batch.worlds[0].day)
    observations, _, _, _, infos = env.step({"seat_0": ADVANCE, "seat_1": 1})
    assert infos["seat_0"]["action_mask"].nonzero()[0].tolist() == [ADVANCE]
    assert infos["seat_1"]["action_mask"].sum() > 1
    turns = int(env.batch.worlds[0].seats[0].total_turns)
    for action, error in ((ADVANCE, None), (5, "WAITING")):
        before = env.batch.worlds.tobytes()
        _, _, _, _, infos = env.step({"seat_0": action, "seat_1": 10**6 % 7 + 1})
        assert infos["seat_0"]["error"] == error
        assert before != env.batch.worlds.tobytes()  # the other seat's turn counts
        assert int(env.batch.worlds[0].seats[0].total_turns) == turns
    assert int(env.batch.worlds[0].day) == day
    left = env.batch.layout.split(env.batch.flats)["calendar"]
    assert left[0].shape == observations["seat_0"]["calendar"].shape
    _, _, _, _, infos = env.step({"seat_0": ADVANCE, "seat_1": ADVANCE})
    assert int(env.batch.worlds[0].day) > day
    assert all(infos[agent]["action_mask"].sum() > 1 for agent in env.agents)


def test_what_a_turn_shows_is_what_showing_all_anew_would() -> None:
    """Where deals are lodged as well: most turns write only what they can have changed."""
    env = ArenaEnv(seasons=1, draft="auto")
    _, infos = env.reset(seed=5)
    seats, b = Seats(env, seed=3, advance=0.03, illegal=0.03), env.batch
    lodged = 0
    for _ in range(150):
        *_, infos = env.step(seats.draw(infos))
        lodged += int(b.worlds["seats"]["n_lodged"].sum())
        playing = b.worlds["seats"]["waiting"][0] == 0
        shown = b.flats[playing], b.masks[playing]
        b.commands[:] = np.where(playing, kernel.SHOW, kernel.SKIP)
        b.run()
        np.testing.assert_array_equal(shown[0], b.flats[playing])
        np.testing.assert_array_equal(shown[1], b.masks[playing])
    assert lodged > 100


def test_masks_are_exact_for_every_seat() -> None:
    """Each bit against what the engine does with the call, tried on copies."""
    env = arena_v0.parallel_env(seasons=1)
    _, infos = env.reset(seed=5)
    seats, rng = Seats(env, advance=0.25), np.random.default_rng(1)
    for step in range(260):
        _, _, _, _, infos = env.step(seats.draw(infos))
        if step % 26 == 0:
            seat = int(rng.integers(16))
            assert faults(env, f"seat_{seat}", infos) == []


def faults(env: Any, agent: str, infos: Mapping[str, Any]) -> list[int]:
    """Indices whose mask bit differs from what the engine does with the call."""
    kept, probe = env.get_state(), arena_v0.parallel_env(seasons=1)
    mask, wrong = infos[agent]["action_mask"], []
    for index in range(len(mask)):
        probe.set_state(kept)
        probe.batch.commands[:] = kernel.SKIP
        seat = int(agent.removeprefix("seat_"))
        probe.batch.commands[seat], probe.batch.actions[seat] = kernel.TURN, index
        probe.batch.run()
        if mask[index] != (probe.batch.errors[seat] == 0):
            wrong.append(index)
    return wrong


# Order


def rounds(order: int, sealed: bool = True) -> tuple[list[bytes], list[bytes]]:
    """Seats play their whole stops one after another, upwards or downwards: worlds by round, screens by seat."""
    b = Batch(
        1, seasons=1, opponents="tiered", draft="agent", reward="score_delta", params=None, track=ARENA, seats=range(12)
    )
    b.seed(0, 6, np.random.default_rng(0))
    b.run()
    b.worlds["sealed"] = int(sealed)
    dice = [np.random.default_rng(seat) for seat in range(12)]
    worlds, shown = [], [b""] * 12
    while not b.worlds[0].finished and b.worlds[0].day < 220:
        day = int(b.worlds[0].day)
        for seat in range(12)[::order]:
            while b.worlds[0].seats[seat].waiting == 0 and int(b.worlds[0].day) == day:
                shown[seat] += b.screens[seat].obs.tobytes() + b.masks[seat].tobytes()
                b.commands[:] = kernel.SKIP
                b.commands[seat] = kernel.TURN
                legal = np.flatnonzero(b.masks[seat])
                b.actions[seat] = 0 if dice[seat].random() < 0.06 else dice[seat].choice(legal)
                b.run()
        worlds.append(b.worlds.tobytes())
    return worlds, shown


def test_the_order_of_seats_changes_neither_world_nor_screens() -> None:
    up, down = rounds(1), rounds(-1)
    assert len(up[0]) > 12
    assert up[0] == down[0]
    assert up[1] == down[1]
    assert rounds(1, sealed=False)[0] != rounds(-1, sealed=False)[0]  # where nothing is sealed it does


def test_the_order_of_the_actions_dictionary_changes_nothing() -> None:
    envs = [arena_v0.parallel_env(seasons=1) for _ in range(2)]
    infos = [env.reset(seed=8)[1] for env in envs]
    seats = Seats(envs[0], illegal=0.1)
    for _ in range(300):
        drawn = seats.draw(infos[0])
        a = envs[0].step(drawn)
        b = envs[1].step(dict(reversed(drawn.items())))
        assert alike(a, b)
        infos[0] = a[4]
    assert envs[0].batch.worlds.tobytes() == envs[1].batch.worlds.tobytes()


# Whole games


@pytest.mark.slow
def test_twenty_seasons_of_random_legal_seats() -> None:
    env = arena_v0.parallel_env()
    _, infos = env.reset(seed=7)
    finals = play(env, Seats(env, advance=0.3), infos)
    assert {final["settle"] for final in finals.values()} <= {"completed", "fired", "insolvent"}


def idle_game(**options: Any) -> tuple[Any, dict[str, dict[str, Any]], list[int]]:
    """Sixteen idle seats to the end: the environment, the last infos, the days on which seats left."""
    env = arena_v0.parallel_env(draft="auto", **options)
    env.reset(seed=7)
    left: list[int] = []
    totals = dict.fromkeys(env.possible_agents, 0.0)
    finals = {}
    while env.agents:
        before = list(env.agents)
        _, rewards, terminations, truncations, infos = env.step(dict.fromkeys(env.agents, ADVANCE))
        assert set(rewards) == set(terminations) == set(truncations) == set(infos) == set(before)
        for agent in before:
            totals[agent] += rewards[agent]
            if terminations[agent]:
                finals[agent] = infos[agent]["final"]
                left.append(int(env.batch.worlds[0].day))
    for agent, final in finals.items():
        assert totals[agent] == pytest.approx(final["score"], abs=1e-9)
    assert set(finals) == set(env.possible_agents)
    return env, finals, left


def test_twenty_seasons_of_idle_seats() -> None:
    _, finals, left = idle_game()
    assert len(set(left)) > 1  # some are gone before the end
    for final in finals.values():
        assert (final["settle"] == "completed") == (final["deaths"] < 4)


def test_when_nobody_is_left_alive_the_episode_ends() -> None:
    """Boards without patience: each seat leaves with its own score, and the last one closes the world."""
    env, finals, left = idle_game(params={"board.fire_review": 49.0, "board.loss": 9.0, "ruin.confidence": 50.0})
    assert max(left) < env.batch.worlds[0].last_day
    assert len(set(left)) > 1
    assert {(final["settle"], final["deaths"]) for final in finals.values()} <= {("fired", 4), ("insolvent", 4)}
    assert env.batch.worlds[0].finished == 1


def test_a_single_seat_plays_among_scripts() -> None:
    env = arena_v0.parallel_env(seasons=1, seats=[9])
    _, infos = env.reset(seed=3)
    assert env.possible_agents == ["seat_9"]
    finals = play(env, Seats(env, illegal=0.1), infos)
    assert finals["seat_9"]["stamp"]["track"] == "arena"
    assert finals["seat_9"]["stamp"]["policy"] == {"9": "agent"}


def test_final_rewards_come_once() -> None:
    env = arena_v0.parallel_env(seasons=1, reward="final", draft="auto")
    _, infos = env.reset(seed=3)
    totals = play(env, Seats(env, advance=0.5), infos)
    assert len(totals) == 16


# State


def test_copies_pickles_and_states_go_on_alike() -> None:
    env = arena_v0.parallel_env(seasons=1)
    _, infos = env.reset(seed=5)
    seats = Seats(env)
    for _ in range(40):
        _, _, _, _, infos = env.step(seats.draw(infos))
    other = arena_v0.parallel_env(seasons=1)
    other.set_state(env.get_state())
    twins = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env)), other]
    steps = [[twin.step(actions) for twin in twins] for actions in [seats.draw(infos)]]
    assert all(alike(steps[0][0], step) for step in steps[0][1:])
    worlds = {twin.batch.worlds.tobytes() for twin in twins}
    assert len(worlds) == 1
