"""Reference policies, training scripts and the language-model harness."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

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
TRAINED = {"ppo": Path(__file__).with_name("ppo.npz")}  # what ships with the package of what ``fmgym train`` has made


def make(name: str) -> Policy:
    """The reference policy of that name, ``ppo``, or the trained one of a file ``*.npz`` that ``fmgym train`` wrote."""
    if name in TRAINED or name.endswith(".npz"):
        return import_module("fmgym.baselines.pilot").Pilot(TRAINED.get(name, name))  # type: ignore[no-any-return]
    if name not in POLICIES:
        raise BadInput(f"there is no policy {name!r}; known are {', '.join((*POLICIES, *TRAINED))}")
    module, _, attribute = POLICIES[name].partition(":")
    policy: Policy = getattr(import_module(module), attribute)()
    return policy
