"""The book a manager keeps on players, one row a man, and where its figures come from.

Money is in millions, wages in millions a year, days as the world counts them from 0.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fmgym import names
from fmgym.baselines.reading import Row
from fmgym.enums import Position
from fmgym.kernels.valuation import group_of
from fmgym.params import Params
from fmgym.state import record

MAN = record(
    [
        ("uid", np.int64),
        ("position", np.int64),  # enums.Position
        ("club", np.int64),  # -1: none
        ("until", np.int64),  # last day of his contract, or of his academy term
        ("listed", np.int64),
        ("leaving", np.int64),  # 1: has agreed to join another club
        ("age", np.float64),
        ("ability", np.float64),
        ("potential", np.float64),
        ("growth", np.float64),  # his rate of growth, relative to the usual
        ("onset", np.float64),  # age at which his decline sets in
        ("hype", np.float64),  # ability points by which the public overrates him
        ("wage", np.float64),
        ("value", np.float64),  # public
        ("fee", np.float64),  # what his club is thought to take for him
        ("pay", np.float64),  # the wage he is thought to sign for
    ]
)
_GROUPS = np.array([int(group_of(int(position))) for position in Position])


class Eyes(Protocol):
    """Where beliefs come from: scouts, or the truth."""

    fees: tuple[float, ...]  # bids made in turn, relative to the fee believed in
    wages: tuple[float, ...]  # offers made in turn, relative to the pay believed in

    def squad(self) -> np.ndarray:
        """One's own seniors; ``pay`` is for a new contract."""

    def prospects(self) -> np.ndarray:
        """One's own academy; ``pay`` is what a promotion costs."""

    def league(self) -> np.ndarray:
        """All seniors of other clubs and the free agents, as far as they can be seen."""

    def again(self, men: np.ndarray) -> np.ndarray:
        """Men of the league, after a bid: what their clubs ask may have changed."""

    def unattached(self) -> np.ndarray:
        """Players to be had without a fee: free agents, and contracts in their last half-year."""

    def ceiling(self, offer: Row) -> float:
        """The most that the club behind a bid for one's own player would pay."""

    def opening(self, man: np.void, demand: float) -> float:
        """The first wage offered to a man whose club has agreed, and who demands ``demand``."""

    def rivals(self) -> float:
        """The strength to be beaten, as last seen."""

    def heard(self, man: np.void, ask: float) -> None:
        """A club has let out, by its answer to a bid, about what it asks for a man."""


def player_id(man: np.void) -> str:
    """A man's id as tools take it."""
    return names.player_id(int(man["uid"]))


def usual_traits(book: np.ndarray, params: Params) -> None:
    """Fill in the usual for what nobody is shown: rate of growth, onset of decline."""
    book["growth"] = 1.0
    book["onset"] = np.array(params.age.onset)[_GROUPS[book["position"]]]
