"""Property tests of the world's laws over random play, at several league sizes; and that they can fail."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fmgym import engine
from fmgym.enums import Error, Settle, Status, Tool
from fmgym.params import Params
from fmgym.state import MAX_ARGS
from fmgym.testing import broken_laws
from fmgym.world import World


class RandomPlayer:
    """Draws calls that are often legal, of every state-changing tool, for seat 0."""

    def __init__(self, world: World, rng: random.Random) -> None:
        self.w, self.rng = world.w, rng
        self.seat, self.club = world.w.seats[0], world.w.clubs[world.w.seats[0].club]

    def call(self) -> tuple[int, np.ndarray, int]:
        tool = Tool(self.rng.randrange(Tool.SET_LINEUP, Tool.ADVANCE + 1))
        args = np.zeros(MAX_ARGS, np.int64)
        drawn = list(getattr(self, tool.name.lower(), tuple)())
        args[: len(drawn)] = drawn
        return int(tool), args, len(drawn)

    def someone(self) -> int:
        return int(self.rng.choice(self.w.players).uid)

    def own(self) -> int:
        squad = self.club.squad[: self.club.n_squad]
        return int(self.w.players[self.rng.choice(squad)].uid) if len(squad) else 1

    def set_lineup(self):
        if self.club.n_squad < 11 or self.rng.random() < 0.5:
            return ()
        return [int(self.w.players[s].uid) for s in self.rng.sample(list(self.club.squad[: self.club.n_squad]), 11)]

    def set_tactics(self):
        return self.rng.randrange(3), self.rng.randrange(5)

    def make_transfer_offer(self):
        uid = self.someone()
        value = int(self.w.players[(uid - 1) % len(self.w.players)].value) if uid else 100
        return uid, int(value * self.rng.uniform(0.6, 2)), self.rng.randrange(4)

    def respond_to_offer(self):
        o = self.rng.choice(self.seat.offers)
        return int(o.id), self.rng.randrange(4), int(max(o.fee, o.wage) * self.rng.uniform(1, 1.4))

    def offer_contract(self):
        uid = self.own() if self.rng.random() < 0.5 else self.someone()
        wage = int(self.w.players[(uid - 1) % len(self.w.players)].wage) if uid else 0
        return uid, int(max(wage, 300) * self.rng.uniform(0.7, 2)), self.rng.randrange(1, 6)

    def list_player(self):
        return self.own(), self.rng.randrange(2)

    def release_player(self):
        return (self.own() if self.rng.random() < 0.3 else 0,)

    def promote_youth(self):
        prospects = self.club.academy[: self.club.n_academy]
        return (int(self.w.players[self.rng.choice(prospects)].uid) if len(prospects) else 0,)

    def invest(self):
        return (self.rng.randrange(3),)

    def set_standing_order(self):
        return (
            self.rng.randrange(10),
            self.rng.randrange(-1, 6),
            self.rng.randrange(120),
            self.rng.randrange(8),
        )

    def submit_draft(self):
        return self.rng.sample(range(50), self.rng.randrange(26))


def births(world: World) -> dict[int, int]:
    return {int(pl.uid): int(pl.born) for pl in world.w.players if pl.status != Status.EMPTY}


@pytest.mark.parametrize("clubs", [4, 16, 20])
@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**63 - 1), rng=st.randoms(use_true_random=False))
def test_laws_hold_over_random_play(clubs, seed, rng):
    params = Params.default().replace({"shape.clubs": clubs})
    world = World.open(seed, seasons=2, params=params)
    player = RandomPlayer(world, rng)
    born = births(world)
    while world.w.seats[0].settled == Settle.LIVE:
        tool, args, n = player.call()
        before = world.digest() if rng.random() < 0.05 else None
        error, _, _ = engine.play(world.w, world.p, 0, tool, args, n)
        if error != Error.OK and before:
            assert world.digest() == before, f"a refused {Tool(tool).name} changed the world"
        if engine.move(world.w, world.p):
            assert broken_laws(world) == []
            now = births(world)
            assert all(now[uid] == born[uid] for uid in now.keys() & born.keys())  # ages move with the days
            born = now


PLANTED = {
    "everyone_belongs_somewhere": lambda w: w.clubs[0].squad.__setitem__(0, w.clubs[1].squad[0]),
    "uids_name_slots": lambda w: setattr(w.players[3], "uid", w.players[3].uid + 1),
    "squads_keep_limits": lambda w: setattr(w.clubs[2], "n_academy", 13),
    "ledgers_sum_to_cash": lambda w: setattr(w.clubs[1], "cash", w.clubs[1].cash + 1),
    "wage_bills_sum": lambda w: setattr(w.players[w.clubs[1].squad[0]], "wage", 1),
    "table_follows_results": lambda w: setattr(w.clubs[5], "points", w.clubs[5].points + 1),
    "positions_are_a_ranking": lambda w: setattr(w.clubs[5], "position", 0),
    "double_round_robin": lambda w: setattr(w.fixtures[0], "home", w.fixtures[0].away),
    "numbers_are_finite": lambda w: setattr(w.players[0], "form", np.nan),
    "offers_keep_their_term": lambda w: (
        setattr(w.seats[0].offers[0], "state", 2),
        setattr(w.seats[0].offers[0], "expires", w.day - 1),
    ),
    "budgets_hold": lambda w: setattr(w.seats[0], "queries", 31),
    "scales_hold": lambda w: setattr(w.clubs[0], "confidence", 101.0),
}


@pytest.mark.parametrize("law", PLANTED)
def test_a_planted_breach_is_seen(opened, law):
    world = opened(day=120)
    assert broken_laws(world) == []
    PLANTED[law](world.w)
    assert any(breach.startswith(law) for breach in broken_laws(world))
