"""Chance: draws have the distributions they are named for."""

import math

import numpy as np

from fmgym.rng import bell, key


def test_a_bell_has_mean_0_sd_1_and_ends() -> None:
    draws = np.array([bell(key(7, 1, 2, 3), i) for i in range(40_000)])
    assert abs(draws.mean()) < 0.02
    assert abs(draws.std() - 1.0) < 0.02
    assert 3.0 < abs(draws).max() <= math.sqrt(12)
