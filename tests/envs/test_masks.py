"""The mask is exact: a bit is set exactly when the engine accepts the call. And the checks can fail."""

import numpy as np
import pytest

from fmgym.enums import Error, StopKind, Tool
from fmgym.envs.actions import N_ARGS, Group, nearest

from .play import Explorer, mask_faults, opened

STEPS, WORLDS, EVERY = 2500, 8, 200
# Ruin takes more than random play of this length brings to every seed.
RARE = {StopKind.ADMINISTRATION}


def test_masks_are_exact_over_random_play() -> None:
    """20,000 turns at stops of all kinds; every index tried on a copy now and then."""
    b = opened(WORLDS, seed=11, seasons=20)
    explorer = Explorer(b, seed=3)
    kinds, errors = 0, set()
    for k in range(STEPS):
        kinds |= int(np.bitwise_or.reduce(b.worlds["seats"]["kinds"][:, 0]))
        masks = explorer.turn()
        promised = masks[np.arange(WORLDS), b.actions]
        np.testing.assert_array_equal(promised == 1, b.errors == Error.OK)
        errors |= {Error(code) for code in b.errors}
        if k % EVERY == 0:
            assert mask_faults(b, k // EVERY % WORLDS) == []
    assert {kind for kind in StopKind if not kinds >> kind & 1} <= RARE
    assert len(errors) > 10


@pytest.mark.parametrize("group", [Group.DRAFT, Group.START, Group.LIST, Group.BID, Group.REPLY])
def test_a_wrong_bit_is_found(group: Group) -> None:
    b = opened(draft="agent" if group == Group.DRAFT else "auto")
    explorer = Explorer(b, seed=1, advance=0.0, illegal=0.0)
    while group != Group.DRAFT and b.worlds["day"][0] < 20:
        explorer.advance = 1.0
        explorer.turn()
    index = int(b.encoding.starts[group])
    b.masks[0, index] ^= 1
    assert mask_faults(b, 0) == [index]


def test_trying_all_actions_leaves_the_world_alone() -> None:
    b = opened(draft="auto")
    before = b.world(0).digest(), b.screens.tobytes()
    mask_faults(b, 0)
    assert (b.world(0).digest(), b.screens.tobytes()) == before


def test_a_refused_action_changes_nothing_but_turns() -> None:
    b = opened(draft="auto")
    seat = b.worlds["seats"][0, 0]
    before, flat, mask = b.world(0).copy(), b.flats[0].copy(), b.masks[0].copy()
    b.actions[0] = b.encoding.starts[Group.DRAFT]
    b.run()
    assert Error(b.errors[0]) == Error.DRAFT_ONLY
    assert seat["turns"] == 1
    assert seat["total_turns"] == 1
    seat["turns"] = seat["total_turns"] = 0
    assert b.world(0).digest() == before.digest()
    np.testing.assert_array_equal(b.masks[0], mask)
    changed = np.flatnonzero(b.flats[0] != flat)
    assert len(changed) == 1  # calendar.turns_left


def test_advance_is_always_masked_in() -> None:
    b = opened(4, seasons=1)
    explorer = Explorer(b, seed=5, advance=0.4)
    for _ in range(200):
        explorer.turn()
        assert b.masks[:, 0].all()


def test_nearest_finds_back_what_an_action_means() -> None:
    """Every legal action's own call leads to it, but for those whose calls are the same."""
    b = opened(seed=3, seasons=1)
    explorer = Explorer(b, seed=1)
    found = set()
    for _ in range(300):
        for index in np.flatnonzero(b.masks[0]):
            call = b.tool_call(0, int(index))
            if call.tool == Tool.SUBMIT_DRAFT:
                continue
            args = np.zeros(N_ARGS, np.int64)
            args[: len(call.args)] = call.args
            starts = b.encoding.starts
            back = nearest(b.worlds[0], b.params.record[0], 0, b.screens[0], starts, call.tool, args, len(call.args))
            assert b.tool_call(0, int(back)) == call
            found.add(call.tool)
        explorer.turn()
    assert len(found) > 8
