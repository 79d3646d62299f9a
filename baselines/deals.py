"""Bargaining: bids, wages, and bids of others. Every function plays calls and books what came of them."""

from __future__ import annotations

import numpy as np

from fmgym.baselines.book import player_id
from fmgym.baselines.desk import Desk
from fmgym.baselines.reading import Row, outcome
from fmgym.enums import Position
from fmgym.stop import Result

LONG = ((26.0, 5), (28.0, 4), (30.0, 3), (32.0, 2))  # years of contract below an age; one beyond
KEEPER_YEARS = 3.0  # by which goalkeepers are younger than they are
STRETCH = 0.25  # of his pay, by which one man may exceed the headroom


def years_for(man: np.void) -> int:
    """Length of the contract a man is offered."""
    age = float(man["age"]) - (KEEPER_YEARS if man["position"] == Position.GK else 0.0)
    return next((years for below, years in LONG if age < below), 1)


def buy(desk: Desk, man: np.void, most: float) -> bool:
    """Bid for a man up to a fee, and agree terms. Whether he came."""
    fee = _agree_fee(desk, man, most)
    return fee > 0.0 and _agree_terms(desk, man, fee)


def _agree_fee(desk: Desk, man: np.void, most: float) -> float:
    """The fee agreed, or 0."""
    least = desk.params.market.min_fee / 1000
    fixed = desk.habits.fixed_bid
    bids = (fixed * man["value"],) if fixed else (step * man["fee"] for step in desk.eyes.fees)
    for bid in bids:
        fee = round(max(float(bid), least), 3)
        if fee > most:
            return 0.0
        result = desk.stop.call("make_transfer_offer", player_id=player_id(man), amount_m=fee)
        if outcome(result) == "countered":
            fee = result.data["fee_m"]
            desk.eyes.heard(man, fee / desk.params.market.counter)
            result = _answer(desk, result, fee <= most)
        if outcome(result) == "accepted":
            return float(fee)
        if outcome(result) != "rejected":
            return 0.0
        desk.eyes.heard(man, fee / desk.params.market.near)
    return 0.0


def _answer(desk: Desk, countered: Result, take: bool) -> Result:
    """Take a counter or leave it."""
    response = "accept_counter" if take else "reject"
    return desk.stop.call("respond_to_offer", offer_id=countered.data["offer_id"], response=response)


def _agree_terms(desk: Desk, man: np.void, fee: float) -> bool:
    """The fee is agreed: offer less than the man demands, take his counter, or meet the demand. Whether he came."""
    offers = desk.stop.packet.offers
    agreed = next((o for o in offers if o["kind"] == "fee_agreed" and o["player"] == player_id(man)), None)
    if agreed is None:
        return False
    demand, years = agreed["wage_m_per_year"], agreed["years"]
    for wage in (round(desk.eyes.opening(man, demand), 3), demand):
        wage = _offer(desk, man, wage, years, demand)[0]
        if wage:
            desk.came(man, wage, years, fee)
            return True
    return False


def _offer(desk: Desk, man: np.void, wage: float, years: int, most: float) -> tuple[float, bool]:
    """One contract offer, a counter up to ``most`` taken: the wage agreed or 0, and whether talks go on."""
    terms = {"player_id": player_id(man), "wage_m_per_year": wage, "years": years}
    result = desk.stop.call("offer_contract", **terms)
    if outcome(result) == "countered":
        wage = result.data["wage_m_per_year"]
        result = _answer(desk, result, wage <= most)
    return (float(wage) if outcome(result) == "accepted" else 0.0), outcome(result) == "rejected"


def agree_wage(desk: Desk, man: np.void, most: float, present: float = 0.0) -> float:
    """Offer a contract in rising steps up to a wage that fits the wage bill. The wage agreed, or 0.

    However dear the bill has become, who is ``present`` in it can stay in it.
    """
    room = max(desk.headroom, 0.0) + present if present else desk.headroom
    most = min(most, room + STRETCH * float(man["pay"]))
    for step in desk.eyes.wages:
        wage = round(float(man["pay"]) * step, 3)
        if not 0.0 < wage <= most:
            return 0.0
        agreed, going = _offer(desk, man, wage, years_for(man), most)
        if agreed or not going:
            return agreed
    return 0.0


def sell(desk: Desk, offer: Row, least: float) -> float:
    """Get the most out of a bid for one's own player, at least ``least``. The fee, or 0 when he stays."""
    if desk.eyes.ceiling(offer) <= offer["fee_m"]:
        result = _respond(desk, offer, "accept")
        return float(offer["fee_m"]) if outcome(result) == "accepted" else 0.0
    result = _respond(desk, offer, "counter", _asked(desk, offer, least))
    if outcome(result) == "countered":
        result = _respond(desk, offer, "counter", _asked(desk, {**offer, "fee_m": result.data["fee_m"]}, least))
    if outcome(result) == "countered":
        enough = result.data["fee_m"] >= least
        result = _respond(desk, offer, "accept" if enough else "reject")
    return float(result.data["fee_m"]) if outcome(result) == "accepted" else 0.0


def _asked(desk: Desk, offer: Row, least: float) -> float:
    """What is asked of a bidder."""
    return max(desk.eyes.ceiling(offer), least, float(offer["fee_m"]) + 0.001)


def refuse(desk: Desk, offer: Row) -> None:
    """Turn a bid down."""
    _respond(desk, offer, "reject")


def _respond(desk: Desk, offer: Row, response: str, amount: float | None = None) -> Result:
    more = {} if amount is None else {"amount_m": round(amount, 3)}
    return desk.stop.call("respond_to_offer", offer_id=offer["id"], response=response, **more)
