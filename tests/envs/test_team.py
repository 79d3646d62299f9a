"""Threads that share a batch: who plays a world changes nothing, and nobody waits, spins or hangs for long."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from fmgym.envs import team
from fmgym.envs.vector import SoloVectorEnv

# Environments are made and stepped with a helper at work; what follows is the test.
PLAYING = """
import os, signal, sys, time
import numpy as np
from fmgym.envs.vector import SoloVectorEnv
envs = SoloVectorEnv(4, seasons=1, threads=2)
envs.reset(seed=1)
def play(steps):
    for _ in range(steps):
        envs.step(np.zeros(4, np.int64))
play(20)
"""


def elsewhere(code: str) -> str:
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", PLAYING + code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def played(envs: SoloVectorEnv, steps: int, seed: int = 3) -> list[str]:
    """The digests of worlds after random legal turns."""
    rng = np.random.default_rng(seed)
    masks = envs.reset(seed=seed)[1]["action_mask"]
    for _ in range(steps):
        masks = envs.step((rng.random(masks.shape) * masks).argmax(1))[4]["action_mask"]
    return [envs.batch.world(i).digest() for i in range(envs.num_envs)]


@pytest.mark.parametrize(("worlds", "threads"), [(5, 2), (5, 3), (2, 4), (16, 2)])
def test_worlds_go_the_same_way_whoever_plays_them(worlds: int, threads: int) -> None:
    """Also with more threads than worlds or cores."""
    alone = played(SoloVectorEnv(worlds, seasons=1, threads=1), 150)
    assert played(SoloVectorEnv(worlds, seasons=1, threads=threads), 150) == alone


def test_the_helper_plays_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper that comes finds its share, while the caller has yet to begin."""
    envs = SoloVectorEnv(4, seasons=1, threads=2)
    envs.reset(seed=1)
    crew = envs.batch._team
    assert crew is not None
    envs.close()  # the helper has left
    words = crew._words
    words[2, 0], words[0, :2], words[1, :2] = 0, (0, 2), (2, 4)
    crew._order[:] = range(4)
    day = envs.batch.worlds["seats"]["total_turns"][:, 0].copy()
    envs.batch.commands[:], envs.batch.actions[:] = 1, 0
    team.help_out(1, *crew._all)
    assert words[2, 0] == 4
    assert (envs.batch.worlds["seats"]["total_turns"][:, 0] == day + 1).all()


def test_a_team_at_rest_takes_no_processor_time() -> None:
    envs = SoloVectorEnv(4, seasons=1, threads=2)
    envs.reset(seed=1)
    time.sleep(0.2)
    begun = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - begun < 0.05
    assert envs.batch._team is not None
    assert envs.batch._team._words[1, 2] == 0


def test_it_is_closed_at_once_and_begins_anew() -> None:
    envs = SoloVectorEnv(4, seasons=1, threads=2)
    envs.reset(seed=1)
    begun = time.perf_counter()
    envs.close()
    assert time.perf_counter() - begun < 1.0
    assert envs.batch._team is None


def test_the_interpreter_ends_with_a_helper_at_work() -> None:
    assert elsewhere("play(20); print('end')") == "end"


def test_an_environment_left_behind_leaves_no_thread() -> None:
    code = "import gc, threading; del envs; gc.collect(); time.sleep(0.5); print(threading.active_count())"
    assert elsewhere(code) == "1"


def test_an_interrupt_comes_through() -> None:
    code = """
import threading
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    play(10**9)
except KeyboardInterrupt:
    envs.reset(seed=1)
    play(20)
    print("interrupted")
"""
    assert elsewhere(code) == "interrupted"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_helpers_of_its_own() -> None:
    code = """
child = os.fork()
play(20)
if child == 0:
    os._exit(7)
begun = time.process_time()
status = os.waitpid(child, 0)[1]
print(os.waitstatus_to_exitcode(status), envs.batch.world(0).w.day > 0)
"""
    assert elsewhere(code) == "7 True"
