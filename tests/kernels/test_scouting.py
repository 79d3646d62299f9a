"""What clubs believe of players: reports are the truth and errors that are drawn once a season."""

import numpy as np
import pytest

from fmgym import alone
from fmgym.enums import Status
from fmgym.jit import njit
from fmgym.kernels import scouting
from fmgym.world import World


@njit
def _refreshed(w, p, slot):
    scouting.refresh_player(w, p, slot)
    return scouting.believed(w, p, w.players[slot].club, slot)


@pytest.fixture(scope="module")
def played() -> World:
    """A world in which players have changed clubs, seasons and slots."""
    world = alone.World()
    world.reset(3, seasons=3)
    world.play()
    return world


def test_an_owners_stored_report_is_what_its_scouts_say(played: World) -> None:
    seniors = np.flatnonzero(played.array[0]["players"]["status"] == Status.SENIOR)
    assert len(seniors) > 200
    for slot in seniors:
        ability, potential = _refreshed(played.w, played.p, slot)
        pl = played.w.players[slot]
        assert (pl.own_ability, pl.own_potential) == (ability, max(potential, ability))


def test_a_new_owner_sees_with_eyes_of_his_own(played: World) -> None:
    world = played.copy()
    slot = int(world.w.clubs[2].squad[0])
    before = _refreshed(world.w, world.p, slot)
    public = world.w.players[slot].pub_ability
    world.w.players[slot].club = 5
    after = _refreshed(world.w, world.p, slot)
    assert world.w.players[slot].own_ability == after[0] != before[0]
    assert world.w.players[slot].pub_ability == public


def test_a_new_season_brings_new_noise_and_the_old_bias(played: World) -> None:
    world = played.copy()
    slot = int(world.w.clubs[2].squad[0])
    _refreshed(world.w, world.p, slot)
    truth = world.w.truth[slot]
    bias, noise = truth.own_bias.copy(), truth.own_noise.copy()
    world.w.season += 1
    _refreshed(world.w, world.p, slot)
    assert (truth.own_bias == bias).all()
    assert (truth.own_noise != noise).all()
