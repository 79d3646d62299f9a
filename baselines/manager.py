"""How strategist and oracle run a club: one set of decisions over whatever beliefs their books hold.

Each works through a stop in the same order: bids for his players, contracts, the market, men without a fee, youth,
buildings, surplus. What differs between them is where the books come from (``book.Eyes``) and match days.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from fmgym.baselines import deals
from fmgym.baselines.book import Eyes, player_id
from fmgym.baselines.deals import years_for
from fmgym.baselines.desk import Desk, Habits
from fmgym.state import YEAR
from fmgym.stop import Stop

MARKET = {"summer_plan", "summer_deadline", "winter_open", "winter_deadline"}  # stops at which players are bought
FREE_MARKET = {"summer_plan", "lineup_lock", "monthly_report", "winter_open", "settlement"}
RENEWALS = {"preseason_board", "monthly_report", "winter_open", "settlement", "contract_expiry"}
PURCHASES = 6  # tried at a stop
FREE = 2  # men without a fee signed at a stop
GAIN = 0.3  # millions (first year) that a free man or a prospect must be worth beyond his wages
OLDEST = 36.0  # nobody older gets a new contract
FIRST_YEARS = 3  # of a promoted prospect's contract
READY = 18.0  # prospects are promoted from this age, when they are worth it
YOUNG = 23.0  # who does not develop youth buys nobody younger
BUILDINGS = ("training", "academy")  # in the order they are built; the stadium does not pay
ALL_BUILDINGS = (*BUILDINGS, "stadium")
AMPLE = 1.5  # times the cost of a building
LISTED = 0.75  # of his public value: who is worth less to us is for sale
WASTE = 0.7  # years of wages that a man must cost beyond his worth to be released


Beliefs = TypeVar("Beliefs", bound=Eyes)


def play(
    stop: Stop,
    eyes: Beliefs,
    habits: Habits,
    draft: Callable[[Stop, Beliefs, Habits], None],
    finish: Callable[[Desk, Beliefs], None],
) -> None:
    """One stop from its packet to `advance`; the draft, and match days with what else ends a stop, are one's own."""
    if "draft" in stop.packet.kinds:
        draft(stop, eyes, habits)
    else:
        desk = Desk(stop, eyes, habits)
        if len(desk.squad):
            manage(desk)
            finish(desk, eyes)
    stop.call("advance")


def manage(desk: Desk) -> None:
    """All decisions of a stop, but draft and match days."""
    kinds = desk.kinds
    answer_bids(desk)
    if RENEWALS & kinds:
        renew(desk)
    if MARKET & kinds:
        trade(desk)
    if FREE_MARKET & kinds and len(desk.squad) < desk.habits.squad[1] and desk.headroom > 0.0:
        sign_free(desk)
    if "youth_intake" in kinds or len(desk.squad) < desk.habits.squad[0]:
        promote(desk)
    if "settlement" in kinds:
        build(desk)
    clear_out(desk)


def answer_bids(desk: Desk) -> None:
    """Sell who fetches more than he is worth to us, the dearest first."""
    bids = [offer for offer in desk.offers if offer["kind"] == "bid_received"]
    for offer in sorted(bids, key=lambda offer: -offer["fee_m"]):
        i = desk.index(int(offer["player"][1:]))
        least = _least_price(desk, i) if i >= 0 and len(desk.squad) > desk.habits.squad[0] else np.inf
        if desk.eyes.ceiling(offer) < least:
            deals.refuse(desk, offer)
        elif fee := deals.sell(desk, offer, least):
            desk.left(i, fee)


def _least_price(desk: Desk, i: int) -> float:
    """The fee from which a sale is a gain."""
    kept = desk.keeping()[i] / desk.price - desk.squad["wage"][i] * desk.spans[-1]
    return float(kept) * (1.0 + desk.habits.margin)


def renew(desk: Desk) -> None:
    """New contracts long before the end, for all who are worth them."""
    squad = desk.squad
    due = (squad["until"] - desk.today < desk.habits.renew_days) & (squad["leaving"] == 0) & (squad["age"] < OLDEST)
    if not due.any():
        return
    worth = desk.keeping() / desk.price / max(desk.spans[-1], 1.0)
    for i in np.nonzero(due)[0][np.argsort(-worth[due])]:
        man = squad[i]
        years = years_for(man)
        if desk.end_of(years) - man["until"] < YEAR:
            continue
        wage = deals.agree_wage(desk, man, float(worth[i]), float(man["wage"]))
        if wage:
            desk.renewed(i, wage, years)


def trade(desk: Desk) -> None:
    """Buy whoever brings the most profit, one by one, while there is money."""
    league = desk.eyes.league()
    desk.rivals = desk.eyes.rivals()
    men = league[(league["club"] >= 0) & (league["leaving"] == 0)]
    if not desk.habits.youth:
        men = men[men["age"] >= YOUNG]
    for _ in range(PURCHASES):
        if desk.spare <= 0.0 or len(desk.squad) >= desk.habits.squad[1] or not len(men):
            return
        worth = desk.having(men) / desk.price - men["pay"] * (desk.spans[-1] + desk.params.wage.signing)
        worth -= desk.habits.deal * desk.money
        most = np.minimum(worth / (1.0 + desk.habits.margin), desk.spare)
        most[men["pay"] > desk.headroom + deals.STRETCH * men["pay"]] = 0.0
        profit = most - men["fee"]
        i = int(np.argmax(profit))
        if profit[i] <= 0.0:
            return
        deals.buy(desk, men[i], float(most[i]))
        men = desk.eyes.again(np.delete(men, i))


def sign_free(desk: Desk) -> None:
    """Sign men who cost no fee; those still under contract elsewhere come when it ends."""
    men = desk.eyes.unattached()
    for _ in range(min(FREE, len(men))):
        worth = desk.having(men) / desk.price - men["pay"] * (desk.spans[-1] + desk.params.wage.signing)
        worth[men["pay"] > desk.headroom] = 0.0
        i = int(np.argmax(worth))
        if worth[i] <= GAIN * desk.money:
            return
        man, most = men[i], float(worth[i]) / max(desk.spans[-1], 1.0) + float(men["pay"][i])
        wage = deals.agree_wage(desk, man, most)
        if wage and man["club"] < 0:
            desk.came(man, wage, years_for(man))
        elif wage:
            desk.wages += wage
        men = np.delete(men, i)


def promote(desk: Desk) -> None:
    """Prospects who are worth their wages, at the last stop before their terms end or when they are of age."""
    men = desk.eyes.prospects()
    if not desk.habits.youth or not len(men):
        return
    worth = desk.having(men) / desk.price - men["pay"] * desk.spans[-1]
    for i in np.argsort(-worth):
        ready = men["until"][i] < (desk.season + 1) * YEAR or men["age"][i] > READY
        room = len(desk.squad) < desk.habits.squad[1]
        wanted = ready and room and worth[i] > GAIN * desk.money
        if wanted and desk.stop.call("promote_youth", player_id=player_id(men[i])).ok:
            desk.came(men[i], float(men["pay"][i]), FIRST_YEARS)


def build(desk: Desk) -> None:
    """Training ground and academy, while there are seasons left to reap."""
    if desk.season >= desk.habits.build_until and not desk.habits.builds_on:
        return
    club = desk.stop.call("get_club_overview")
    costs = {f["facility"]: f["next_level_m"] for f in club.data.get("facilities", ()) if f["ready"] is None}
    for facility in ALL_BUILDINGS if desk.habits.builds_on else BUILDINGS:
        cost = costs.get(facility)
        if cost and desk.spare > AMPLE * cost and desk.stop.call("invest", facility=facility).ok:
            desk.cash -= cost


def clear_out(desk: Desk) -> None:
    """List who is worth less to us than to others; release one who costs far more than he is worth."""
    squad, span = desk.squad, float(desk.spans[-1])
    worth = desk.keeping() / desk.price
    _list(desk, worth - squad["wage"] * span < LISTED * squad["value"])
    lasting = np.clip((squad["until"] - desk.today) / YEAR, 0.0, span)
    waste = squad["wage"] * (lasting - WASTE) - worth * lasting / max(span, 0.1)
    i = int(np.argmax(waste))
    if waste[i] <= 0.0 or len(squad) <= desk.habits.squad[0]:
        return
    if desk.stop.call("release_player", player_id=player_id(squad[i])).ok:
        desk.left(i, -desk.params.wage.severance * float(squad["wage"][i]))


def _list(desk: Desk, for_sale: np.ndarray) -> None:
    """Put men on the transfer list, and take others off it."""
    changed = np.nonzero(for_sale != (desk.squad["listed"] == 1))[0]
    if len(changed):
        calls = [("list_player", {"player_id": player_id(desk.squad[i]), "listed": bool(for_sale[i])}) for i in changed]
        desk.stop.turn(calls)
