"""What plays: a policy is anything with a name that can play one decision stop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

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


@runtime_checkable
class RecordKeeper(Protocol):
    """What a policy is beside if its turns cost money or cannot be had twice: it keeps a record of its own.

    A run of such a policy that was killed begins its last stop anew, and the policy plays the turns it has a
    record of out of that record.
    """

    @property
    def stamp(self) -> dict[str, Any]:
        """What bears on its play, as JSON values; goes into the run's stamp."""

    def attach(self, folder: Path | None, stamp: Mapping[str, Any]) -> None:
        """Take up or begin the record in a run's folder, before the first stop. None: keep it nowhere."""

    def account(self) -> dict[str, Any]:
        """What the run has cost, for ``run.json``."""

    def detach(self) -> None:
        """The run is over or interrupted."""
