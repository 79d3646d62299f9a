"""Below the floor: uninformed activity (paper, appendix E)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fmgym import rng
from fmgym.enums import Domain, Style
from fmgym.names import word
from fmgym.stop import Stop
from fmgym.tools import FORMATIONS

MOST_ACTIONS = 3
DEAREST = 2.0  # bids go up to this times the cash: half is due at once, whoever the target
INSTALMENTS = 1  # half of every fee stays owed


class Dice:
    """A stop's chance: a function of the world's seed, the stop's number and the seat."""

    def __init__(self, seed: int, stop: int, seat: int = 0) -> None:
        self._key = np.uint64(rng.key(seed, int(Domain.POLICY), seat, stop))
        self._thrown = 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self.between(0.0, 1.0) * n)

    def between(self, low: float, high: float) -> float:
        """A number from low to high."""
        self._thrown += 1
        return low + (high - low) * float(rng.uniform(self._key, self._thrown))

    def flip(self) -> bool:
        """Heads or tails."""
        return self.below(2) == 0

    def pick(self, things: Any) -> Any:
        """One of several."""
        return things[self.below(len(things))]


class Random:
    """Answers offers by coin flip, then takes none to three arbitrary actions a stop."""

    name = "random"

    def play(self, stop: Stop) -> None:
        """Play one stop."""
        dice = Dice(stop.seed, stop.number, stop.seat)
        inbox = stop.call("get_inbox")
        for offer in inbox.data["offers"]:
            _answer(stop, dice, offer)
        for _ in range(dice.below(MOST_ACTIONS + 1)):
            dice.pick((_bid, _list, _tactics))(stop, dice)
        stop.call("advance")


def _answer(stop: Stop, dice: Dice, offer: dict[str, Any]) -> None:
    """Yes or no to whatever it is."""
    yes = dice.flip()
    accept = "accept" if offer["kind"] in ("bid_received", "fee_agreed") else "accept_counter"
    stop.call("respond_to_offer", offer_id=offer["id"], response=accept if yes else "reject")


def _bid(stop: Stop, dice: Dice) -> None:
    """A random amount for a random player elsewhere, and whatever he demands when the fee is agreed."""
    found = stop.call("get_transfer_market", kind="all", limit=1)
    if not found.ok or found.data["found"] == 0:
        return
    page = stop.call("get_transfer_market", kind="all", limit=1, page=1 + dice.below(found.data["found"]))
    if not page.ok or not page.data["players"]:
        return
    target = page.data["players"][0]
    amount = round(max(dice.between(0.0, DEAREST) * stop.packet.digest.cash_m, 0.1), 2)
    bid = stop.call("make_transfer_offer", player_id=target["id"], amount_m=amount, instalments=INSTALMENTS)
    if bid.ok and bid.data["status"] == "accepted":
        stop.call("respond_to_offer", offer_id=bid.data["offer_id"], response="accept")


def _list(stop: Stop, dice: Dice) -> None:
    """A random player on the transfer list, or off it."""
    squad = stop.call("get_squad")
    if squad.ok and squad.data["players"]:
        row = dice.pick(squad.data["players"])
        stop.call("list_player", player_id=row["id"], listed=not row["listed"])


def _tactics(stop: Stop, dice: Dice) -> None:
    stop.call("set_tactics", formation=dice.pick(list(FORMATIONS)), style=word(dice.pick(list(Style))))
