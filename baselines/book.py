"""The book a scripted manager keeps on players: one row a man, whoever filled it in.

Money is in millions, wages in millions a year, days as the world counts them. ``fee`` and ``pay`` are what his
club and he himself are thought to take: an estimate in a blind manager's book, exact in an oracle's.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fmgym.enums import Position
from fmgym.params import Params
from fmgym.state import record
from fmgym.stop import Stop

MAN = record(
    [
        (name, np.int64)
        for name in (
            "uid",
            "position",  # enums.Position
            "club",  # -1: none
            "until",  # last day of his contract, or of his academy term
            "listed",
            "leaving",  # 1: has agreed to join another club
            "out",  # 1: injured or banned
        )
    ]
    + [
        (name, np.float64)
        for name in (
            "age",
            "ability",
            "potential",
            "growth",  # his rate of growth relative to the usual
            "onset",  # age at which his decline sets in
            "wage",
            "value",  # public
            "condition",
            "form",
            "morale",
            "fee",
            "pay",
        )
    ]
)


class Eyes(Protocol):
    """Where a manager's beliefs come from."""

    exact: bool  # whether fee, pay and ceilings are certain

    def squad(self) -> np.ndarray:
        """One's own seniors; ``pay`` is what each renews for."""

    def prospects(self) -> np.ndarray:
        """One's own academy; ``pay`` is the wage of a promotion."""

    def market(self, most: float) -> np.ndarray:
        """Seniors elsewhere of a value up to about ``most``, free agents included."""

    def unattached(self) -> np.ndarray:
        """Players to be had without a fee: free agents, and contracts in their last half-year."""

    def ceiling(self, offer: dict[str, object]) -> float:
        """The most that the club behind a bid would pay."""


def player_id(uid: int) -> str:
    """As tools take it."""
    return f"P{uid:05d}"


def usual(book: np.ndarray, params: Params) -> None:
    """Fill in what nobody can know with what is usual."""
    p = params.age
    groups = np.array([0, 1, 1, 2, 2, 2, 3, 3])  # enums.Group of each position
    book["growth"] = 1.0
    book["onset"] = np.array(p.onset)[groups[book["position"]]]


POSITIONS = [position.name for position in Position]
__all__ = ["MAN", "POSITIONS", "Eyes", "Stop", "player_id", "usual"]
