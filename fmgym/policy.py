"""What plays: a policy is anything with a name that can play one decision stop."""

from __future__ import annotations

from typing import Protocol

from fmgym.stop import Stop


class Policy(Protocol):
    """Plays stops through tools.

    ``play`` gets an open stop and makes its calls (``stop.call``); when it returns without ``advance`` the
    runner advances. What a policy does must be a function of the stop alone: of what packet and queries
    show, the notebook included, and of chance keyed by ``stop.seed`` and ``stop.number``. Then a run that was
    killed goes on from its log without asking the policy again for what it has played, and a policy can be
    sent to another process. Memory between stops belongs into the notebook.

    A policy may have ``reset(seed)``, which the runner calls before the first stop it asks of it.
    """

    @property
    def name(self) -> str:
        """What results call it."""

    def play(self, stop: Stop) -> None:
        """Play one stop."""
