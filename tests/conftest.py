"""Shared fixtures: worlds at known points, opened once and handed out as copies."""

import functools
import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import fmgym
from fmgym import engine
from fmgym.enums import Tool
from fmgym.params import Params
from fmgym.state import MAX_ARGS
from fmgym.world import World

# No test is timed: the first example compiles, and machines are shared.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@functools.cache
def _at(day: int, clubs: int, seasons: int) -> World:
    """A world of seed 1 with an automatic draft, advanced without acting to its first stop from ``day``."""
    params = Params.default().replace({"shape.clubs": clubs})
    world = World.open(1, seasons=seasons, auto_draft=True, params=params)
    while world.w.day < day and not world.w.finished:
        engine.play(world.w, world.p, 0, int(Tool.ADVANCE), np.zeros(MAX_ARGS, np.int64), 0)
        engine.move(world.w, world.p)
    return world


@pytest.fixture
def opened() -> Callable[..., World]:
    """``opened(day=0, clubs=16, seasons=2)``: a fresh copy of a world at its first stop from that day."""

    def copy(day: int = 0, clubs: int = 16, seasons: int = 2) -> World:
        return _at(day, clubs, seasons).copy()

    return copy


@pytest.fixture(autouse=True)
def other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python processes that a test starts import the fmgym under test, not the checkout they happen to start in."""
    home = str(Path(fmgym.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
