"""Exact maths against the library of the platform."""

import math

import numpy as np

from fmgym.detmath import exp


def test_exp_is_eulers() -> None:
    for x in np.concatenate([np.linspace(-700, 700, 2801), np.linspace(-1, 1, 2001)]):
        assert math.isclose(exp(x), math.exp(x), rel_tol=1e-14)
    assert exp(800.0) == exp(700.0)
    assert exp(-800.0) == exp(-700.0) > 0.0
