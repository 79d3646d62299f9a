"""One digest whatever runs it: another process, a plain processor, no SVML, no JIT, a batch, a restart."""

import os
import subprocess
import sys

import pytest

from fmgym import engine
from fmgym.enums import Tool
from fmgym.params import Params
from fmgym.world import World

# A whole season with its matches and both windows, played by a few fixed rules through raw calls.
PLAY = """
import sys
import numpy as np
from fmgym import engine
from fmgym.enums import Tool
from fmgym.params import Params
from fmgym.world import World

clubs, seasons, seed = map(int, sys.argv[1:])
world = World.open(seed, seasons=seasons, params=Params.default().replace({"shape.clubs": clubs}))
w, p, args = world.w, world.p, np.zeros(25, np.int64)

def call(tool, *values):
    args[:] = 0
    args[: len(values)] = values
    return engine.play(w, p, 0, int(tool), args, len(values))

while not w.finished:
    if w.seats[0].drafted and w.seats[0].stop % 3 == 0:
        for club in range(1, clubs):
            pl = w.players[w.clubs[club].squad[w.seats[0].stop % 11]]
            call(Tool.MAKE_TRANSFER_OFFER, pl.uid, int(pl.value) * 5 // 4, club % 3)
            call(Tool.OFFER_CONTRACT, pl.uid, int(pl.wage) * 3 // 2, 3)
        call(Tool.SET_TACTICS, w.seats[0].stop % 3, w.seats[0].stop % 5)
        call(Tool.INVEST, w.seats[0].stop % 3)
    call(Tool.ADVANCE)
    engine.move(w, p)
print(world.digest(), w.seats[0].final.hex())
"""


def digest_elsewhere(clubs: int, seasons: int, seed: int, **environment: str) -> str:
    """Digest and score of the play above in a process of its own."""
    command = [sys.executable, "-c", PLAY, str(clubs), str(seasons), str(seed)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# What three seasons of the play above end in. A change here is a new version, with a line in the changelog.
GOLDEN = {
    1: "0adafa96c4b182fd7d112f82ca5d6941 -0x1.3ad71815bbd2ep+1",
    1024: "c83d8244d21abd223e1d24b7c5cebb69 -0x1.2e9f0c21b1270p+2",
    2026: "ff0129809f68f0b858bb4d4a7481cbbd -0x1.8f6db5b42d6a0p-4",
}


@pytest.mark.parametrize("seed", GOLDEN)
def test_golden_digests(seed):
    assert digest_elsewhere(16, 3, seed) == GOLDEN[seed]


@pytest.fixture(scope="module")
def here() -> str:
    return digest_elsewhere(4, 1, 11)


def test_another_process_agrees(here):
    assert digest_elsewhere(4, 1, 11) == here


def test_another_seed_differs(here):
    assert digest_elsewhere(4, 1, 12) != here


def test_no_jit_agrees(here):
    assert digest_elsewhere(4, 1, 11, NUMBA_DISABLE_JIT="1") == here


def test_a_plain_processor_agrees(here):
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    assert digest_elsewhere(4, 1, 11, **plain) == here


def test_copies_and_saved_worlds_go_on_alike(opened, tmp_path):
    import numpy as np

    world = opened(day=100)
    path = tmp_path / "world"
    world.save(path)
    futures = [world.copy(), World.load(path), World.open(1, seasons=2)]
    futures[2].set_bytes(world.get_bytes())
    for future in futures:
        engine.play(future.w, future.p, 0, int(Tool.ADVANCE), np.zeros(25, np.int64), 0)
        engine.move(future.w, future.p)
    assert len({future.digest() for future in futures}) == 1
    assert futures[0].digest() != world.digest()


def test_a_saved_world_is_refused_under_other_parameters(opened, tmp_path):
    from fmgym.errors import BadInput

    path = tmp_path / "world"
    opened().save(path)
    with pytest.raises(BadInput, match="other parameters"):
        World.load(path, Params.default().replace({"wage.norm": 2000.0}))
    path.write_bytes(b"something else")
    with pytest.raises(BadInput, match="not a saved world"):
        World.load(path)
