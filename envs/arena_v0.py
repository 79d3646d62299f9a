"""The Arena, version 0, as PettingZoo has its environments: ``parallel_env``, ``env`` and ``raw_env``.

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import parallel_to_aec

from fmgym.envs.arena import ArenaEnv as parallel_env

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(flat: bool = True, **options: Any) -> AECEnv[str, Any, Any]:
    """Seats one after another, for tools that ask for it. Observations are vectors, as such tools expect.

    An order of turns is drawn over what happens at once: time and rewards come when the last live seat has acted.
    """
    return parallel_to_aec(parallel_env(flat=flat, **options))


def env(flat: bool = True, **options: Any) -> AECEnv[str, Any, Any]:
    """``raw_env`` with checks of what it is handed."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env(flat=flat, **options)))
