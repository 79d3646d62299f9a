"""Threads that carry out a batch's commands together.

A step lasts less than it takes to wake a thread. So a helper that has finished looks out for the next step for a
fraction of a millisecond, outside the interpreter's lock, before it goes to sleep. The caller waits for nobody who is
late: threads take one world at a time, each from its own share first, whose memory its core knows, then from the
others', and a world's turn is the same whoever plays it. In each share worlds whose time will move come first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fmgym import atomic
from fmgym.envs import kernel
from fmgym.envs.actions import N_ARGS
from fmgym.jit import njit

LOOKS = 20_000 if atomic.HAS_PAUSE else 200_000  # of a helper, for the next step: some .3 ms
PATIENCE = 200  # looks of the caller, for the last worlds, before it offers its core to others each time
_LINE = 8  # words that no other thread's lie beside: two would wait for each other's memory
_NEXT, _END, _AWAKE = range(3)  # of a thread: place of its share to take next, where the share ends, whether it looks


class Team:
    """``threads`` threads for one batch, the caller's among them. Results do not depend on how many."""

    def __init__(self, threads: int, arrays: tuple[np.ndarray, ...]) -> None:
        """``arrays``: what ``kernel.run`` takes."""
        self.threads = threads
        size = len(arrays[0])
        self._order = np.zeros(size, np.int64)  # share by share, the worlds as they are to be taken
        self._words = np.zeros((threads + 1, _LINE), np.int64)  # the last line: how many worlds are done
        self.shares = [slice(size * i // threads, size * (i + 1) // threads) for i in range(threads)]
        self._words[:threads, _NEXT] = self._words[:threads, _END] = [share.stop for share in self.shares]
        self._all = *arrays, self._order, self._words
        self._pool = ThreadPoolExecutor(threads - 1, "fmgym")
        self._process = os.getpid()

    @property
    def usable(self) -> bool:
        """Whether its threads live: a forked process has none."""
        return self._process == os.getpid()

    def run(self) -> None:
        """Carry out all commands."""
        for helper in range(1, self.threads):
            if self._words[helper, _AWAKE] == 0:
                self._words[helper, _AWAKE] = 1
                self._pool.submit(help_out, helper, *self._all)
        lead(*self._all)

    def spread(self, run: Callable[[slice], object]) -> None:
        """Call a function in every thread for its share of the worlds: for what lasts long enough to wake one."""
        others = [self._pool.submit(run, share) for share in self.shares[1:]]
        run(self.shares[0])
        for other in others:
            other.result()

    def close(self) -> None:
        """End the helpers."""
        if self.usable:
            self._pool.shutdown()


@njit
def lead(worlds, params, screens, flats, setups, order, words):
    """Carry out every screen's command, as ``kernel.run`` does, with all helpers that come in time."""
    done = len(words) - 1
    first = 0
    atomic.put(words, done, 0, 0)
    for thread in range(done):
        end = words[thread, _END]
        _sort(worlds, params[0], screens, order, first, end)
        atomic.put(words, thread, _NEXT, first)
        first = end
    _take(worlds, params, screens, flats, setups, order, words, 0)
    looks = 0
    while atomic.look(words, done, 0) < len(worlds):
        looks += 1
        if looks < PATIENCE:
            atomic.pause()
        else:
            atomic.give_way()


@njit
def help_out(me, worlds, params, screens, flats, setups, order, words):
    """Take part in every step that begins soon enough after the last one."""
    looks = 0
    while looks < LOOKS:
        if atomic.look(words, me, _NEXT) < words[me, _END]:
            _take(worlds, params, screens, flats, setups, order, words, me)
            looks = 0
        atomic.pause()
        looks += 1
    atomic.put(words, me, _AWAKE, 0)


@njit
def _sort(worlds, p, screens, order, first, end):
    """Order a share: worlds whose time will move before the others, for they take a hundred times as long."""
    at = first
    for i in range(first, end):
        if kernel.will_move(worlds[i], p, screens[i]):
            order[at] = i
            at += 1
    for i in range(first, end):
        if not kernel.will_move(worlds[i], p, screens[i]):
            order[at] = i
            at += 1


@njit
def _take(worlds, params, screens, flats, setups, order, words, me):
    """Play worlds of one's own share, then of the others', until none is left."""
    args = np.empty(N_ARGS, np.int64)
    threads = len(words) - 1
    played = 0
    for k in range(threads):
        share = (me + k) % threads
        at = atomic.add(words, share, _NEXT, 1)
        while at < words[share, _END]:
            i = order[at]
            kernel.carry_out(worlds[i], params[0], screens[i], flats[i], setups[0], args)
            played += 1
            at = atomic.add(words, share, _NEXT, 1)
    atomic.add(words, threads, 0, played)
