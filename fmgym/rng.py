"""Counter-based chance: every draw is a pure function of (seed, domain, entity, time, index).

Nothing keeps a generator. ``key`` folds what identifies a draw into 64 bits; ``bits``, ``uniform``,
``normal``, ``bell`` and ``below`` read the draw of an index under that key (splitmix64 finaliser). The same code
runs with the JIT switched off, where NumPy's unsigned scalars wrap as the compiled ones do.
"""

import math

import numpy as np

from fmgym.detmath import log
from fmgym.jit import JIT_DISABLED, njit

if JIT_DISABLED:
    np.seterr(over="ignore")  # wrapping is what a hash wants; compiled code wraps silently

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_QUARTER, _S16, _S32, _S48 = np.uint64(0xFFFF), np.uint64(16), np.uint64(32), np.uint64(48)
_BELL_MEAN, _PER_BELL_SD = 2.0 * 0xFFFF, 1.0 / math.sqrt(4 * (2**32 - 1) / 12)  # of four draws of 16 bits
_ONE = np.uint64(1)
_TO_UNIT = 2.0**-53


@njit
def mix(z):
    """Scramble 64 bits (splitmix64's finaliser)."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@njit
def key(seed, domain, entity, time):
    """Fold what identifies a draw into a 64-bit key. All parts must be integers >= 0."""
    return key_at(subject(seed, domain, entity), time)


@njit
def subject(seed, domain, entity):
    """The part of ``key`` before time comes in, for those who ask for many times."""
    z = mix(np.uint64(seed) + _GOLDEN * np.uint64(domain))
    return mix(z + _GOLDEN * (np.uint64(entity) + _ONE))


@njit
def key_at(subject, time):
    """The key of a ``subject`` at a time."""
    return mix(subject + _GOLDEN * (np.uint64(time) + _ONE))


@njit
def bits(k, index):
    """The 64 random bits number ``index`` (>= 0) under key ``k``."""
    return mix(np.uint64(k) + _GOLDEN * (np.uint64(index) + _ONE))


@njit
def uniform(k, index):
    """A float in [0, 1)."""
    return float(bits(k, index) >> _S11) * _TO_UNIT


@njit
def bell(k, index):
    """A nearly normal draw, mean 0 and SD 1, from the quarters of one draw's bits: quick, within +-3.47."""
    b = bits(k, index)
    total = (b & _QUARTER) + ((b >> _S16) & _QUARTER) + ((b >> _S32) & _QUARTER) + (b >> _S48)
    return (float(total) - _BELL_MEAN) * _PER_BELL_SD


@njit
def below(k, index, n):
    """An integer in [0, n), for n far below 2**53."""
    return int(uniform(k, index) * n)


@njit
def normal(k, index):
    """A standard normal value, by Acklam's rational inverse of the distribution (|error| < 2e-9)."""
    u = uniform(k, index) + 0.5 * _TO_UNIT
    if u < 0.02425:
        return _tail(u)
    if u > 0.97575:
        return -_tail(1.0 - u)
    q = u - 0.5
    r = q * q
    top = (
        (((-3.969683028665376e01 * r + 2.209460984245205e02) * r - 2.759285104469687e02) * r + 1.383577518672690e02) * r
        - 3.066479806614716e01
    ) * r + 2.506628277459239e00
    bottom = (
        (((-5.447609879822406e01 * r + 1.615858368580409e02) * r - 1.556989798598866e02) * r + 6.680131188771972e01) * r
        - 1.328068155288572e01
    ) * r + 1.0
    return q * top / bottom


@njit
def _tail(u):
    q = math.sqrt(-2.0 * log(u))
    top = (
        (((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e00) * q - 2.549732539343734e00)
        * q
        + 4.374664141464968e00
    ) * q + 2.938163982698783e00
    bottom = (
        ((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e00) * q + 3.754408661907416e00
    ) * q + 1.0
    return top / bottom
