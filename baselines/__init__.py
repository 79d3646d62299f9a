"""Reference policies, training scripts and the language-model harness."""

from __future__ import annotations

from importlib import import_module

from fmgym.errors import BadInput
from fmgym.policy import Policy

# Loaded when asked for: some of them bring heavy libraries along.
POLICIES = {
    "random": "fmgym.baselines.random:Random",
    "idle": "fmgym.baselines.idle:Idle",
    "heuristic": "fmgym.baselines.heuristic:Heuristic",
    "strategist": "fmgym.baselines.strategist:Strategist",
    "oracle": "fmgym.baselines.oracle:Oracle",
}


def make(name: str) -> Policy:
    """The reference policy of that name, or the trained one of a file ``*.npz`` that ``fmgym train`` wrote."""
    if name.endswith(".npz"):
        return import_module("fmgym.baselines.pilot").Pilot(name)  # type: ignore[no-any-return]
    if name not in POLICIES:
        raise BadInput(f"there is no policy {name!r}; known are {', '.join(POLICIES)}")
    module, _, attribute = POLICIES[name].partition(":")
    policy: Policy = getattr(import_module(module), attribute)()
    return policy
