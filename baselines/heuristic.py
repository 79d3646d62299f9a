"""A disciplined manager: what one should do mechanically, without judgement of when (paper, appendix E)."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest

from fmgym.baselines.reading import Row, day, middle, outcome, potential
from fmgym.stop import Result, Stop

WAGE_SHARE = 0.60  # of revenue
OLD = 32.0  # players past it are for sale
CORE_AGE = 28.0  # the core renewed is younger
RENEW_DAYS = 450
WAGE_STEPS = (0.85, 1.0, 1.2, 1.4)  # of a fair wage: what is offered first, and after each rejection
TERM_STEPS = (0.8, 0.9, 1.0)  # the same of what a newcomer demands
YEARS = 4
SQUAD = {"GK": 2, "CB": 4, "FB": 4, "DM": 2, "CM": 4, "AM": 2, "W": 4, "ST": 3}  # drafted, then kept up
FIRST = {"GK": 1, "CB": 2, "FB": 2, "DM": 1, "CM": 2, "AM": 1, "W": 2, "ST": 2}  # of them drafted for quality
LEAST, MOST = 22, 27  # seniors: no sale below, no signing or promotion beyond
WISHED = sum(SQUAD.values())  # men without a club are signed up to it
DEMAND = 1.15  # of his wage, or of a fair one: what a newcomer will want
GOOD_PRICE = 1.2  # of public value: a bid for a lesser player that is taken
MARKUP = 2.0  # asked for others
MARKET_STOPS = {"summer_plan", "summer_deadline", "winter_open", "winter_deadline"}
FREE_STOPS = {"preseason_board", "summer_plan", "monthly_report", "winter_open"}
TARGET_AGE = 26
GREEN = 3  # ability points a target may lack
BIDS = (0.9, 1.1, 1.3)  # of public value, first and last
BUYS = 2  # a stop
TRIES = 2  # targets bid for, a position
SHARE_OF_CASH = 0.3  # at most for one player
TRUST = 4.0  # ability points such a price speaks for: the public errs less than one report
RESERVE = 0.25  # years of wages kept in cash
PROMISING = 3.0  # stars of a prospect worth promoting
DRAFT_WAGES = 0.59  # of revenue, for the squad drafted
PROMISE = 2.0  # ability points a star of potential is worth at 18
FADING = 1.0  # ability points a year past the core's age costs
AMPLE = 2.0  # times the cost of an upgrade
USUAL, AGAINST_STRONG, AGAINST_WEAK = "possession", "defensive", "pressing"
SETTLED = 5  # matches after which a table says something
PLACES = 14  # places above or below that change the style


class Heuristic:
    """Plays the way a careful club would."""

    name = "heuristic"

    def play(self, stop: Stop) -> None:
        """Play one stop."""
        if "draft" in stop.packet.kinds:
            draft(stop)
        else:
            manage(stop)
        stop.call("advance")


def manage(stop: Stop) -> None:
    """Everything but the draft."""
    office = Office(stop)
    if not (office.squad and office.finances):
        return  # the budget of queries is too small to see what to do
    kinds = set(office.packet.kinds)
    answer_offers(office)
    renew_core(office)
    list_veterans(office)
    if FREE_STOPS & kinds:
        sign_free(office)
    if MARKET_STOPS & kinds:
        buy(office)
    if "youth_intake" in kinds or office.size < LEAST:
        promote(office)
    if "settlement" in kinds:
        invest(office)
    choose_style(office)


class Office:
    """What the manager has on his desk: the stop's packet, and squad and books, read again after a deal."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.packet = stop.packet
        self.today = day(self.packet.date)
        self.squad: list[Row] = []
        self.finances: Row = {}
        self.usual_wage: Callable[[float], float]  # for a man of some ability, from what the squad earns now
        self.look()

    def look(self) -> None:
        """Read squad and books, if queries are left."""
        squad, finances = self.stop.turn([("get_squad", {}), ("get_finances", {})])
        if squad.ok and finances.ok:
            self.squad, self.finances = squad.data["players"], finances.data
            pay = [(middle(row), row["id"], row["wage_m"]) for row in self.squad]
            self.usual_wage = functools.cache(functools.partial(usual_wage, pay))

    @property
    def size(self) -> int:
        return len(self.squad)

    @property
    def headroom(self) -> float:
        """What the wage bill may still grow by, millions a year."""
        return float(WAGE_SHARE * self.finances["expected_revenue_m"] - self.finances["wages_a_year_m"])

    @property
    def spare(self) -> float:
        """Cash above the reserve, millions."""
        return float(self.finances["cash_m"] - RESERVE * self.finances["wages_a_year_m"])

    def of(self, player_id: str) -> Row | None:
        """One's own senior of that id."""
        return next((row for row in self.squad if row["id"] == player_id), None)


# Draft


def draft(stop: Stop) -> None:
    """The cheapest squad of the wished shape, then the best improvements of the first team that can be paid."""
    pool, finances = (result.data for result in stop.turn([("get_draft_pool", {}), ("get_finances", {})]))
    templates: list[Row] = pool["templates"]
    chosen: list[Row] = []
    for position, count in SQUAD.items():
        able = sorted((t for t in templates if t["position"] == position), key=lambda t: (t["price_m"], t["id"]))
        chosen += able[:count]
    money = pool["budget_m"] - sum(t["price_m"] for t in chosen)
    wages = DRAFT_WAGES * finances.get("expected_revenue_m", math.inf) - sum(t["wage_m"] for t in chosen)
    first = [row for position, count in FIRST.items() for row in _at(chosen, position)[:count]]
    worth = {t["id"]: quality(t) for t in templates}
    while swap := _best_swap(templates, chosen, first, worth, money, wages):
        old, new = swap
        chosen[chosen.index(old)] = first[first.index(old)] = new
        money -= new["price_m"] - old["price_m"]
        wages -= new["wage_m"] - old["wage_m"]
    stop.call("submit_draft", template_ids=[t["id"] for t in chosen])


def _at(rows: Sequence[Row], position: str) -> list[Row]:
    return [row for row in rows if row["position"] == position]


def _best_swap(
    templates: Sequence[Row],
    chosen: Sequence[Row],
    first: Sequence[Row],
    worth: Mapping[str, float],
    money: float,
    wages: float,
) -> tuple[Row, Row] | None:
    """The affordable exchange that gains most quality (``worth``, by id) for its cost: price and years of wages."""
    best, most = None, 0.0
    spare = [t for t in templates if t not in chosen]
    for old in first:
        for new in _at(spare, old["position"]):
            gain = worth[new["id"]] - worth[old["id"]]
            price, wage = new["price_m"] - old["price_m"], new["wage_m"] - old["wage_m"]
            if gain <= 0 or price > money or wage > wages:
                continue
            rate = gain / max(price + YEARS * wage, 0.1)
            if rate > most:
                best, most = (old, new), rate
    return best


def quality(row: Row) -> float:
    """How good a player is and a young one will be, less what an old one has left."""
    young = min(max((TARGET_AGE - row["age"]) / 6, 0.0), 1.0)
    return float(middle(row) + PROMISE * young * potential(row) - FADING * max(row["age"] - CORE_AGE, 0.0))


# Offers


def answer_offers(office: Office) -> None:
    """Keep or sell; take counters and complete agreed deals while they stay within reason."""
    answers = {
        "bid_received": _keep_or_sell,
        "bid_countered": _take_fee,
        "fee_agreed": _agreed,
        "wage_countered": _take_wage,
    }
    for offer in office.packet.offers:
        answers[offer["kind"]](office, offer)


def _keep_or_sell(office: Office, offer: Row) -> None:
    """Good prices are taken for lesser players; for others a markup is asked."""
    row = office.of(offer["player"])
    if row is None or office.size <= LEAST:
        respond(office, offer, "reject")
        return
    lesser = quality(row) < statistics.median(quality(other) for other in office.squad)
    if lesser and offer["fee_m"] >= GOOD_PRICE * row["value_m"]:
        respond(office, offer, "accept")
        return
    wanted = row["value_m"] * (GOOD_PRICE if lesser else MARKUP)
    respond(office, offer, "counter", max(wanted, offer["fee_m"] * 1.05))


def _take_fee(office: Office, offer: Row) -> None:
    shown = office.stop.call("get_player", player_id=offer["player"])
    fair = shown.ok and offer["fee_m"] <= min(BIDS[-1] * shown.data["value_m"], SHARE_OF_CASH * office.spare)
    result = respond(office, offer, "accept_counter" if fair else "reject")
    if outcome(result) == "accepted":
        agree_terms(office, offer["player"])


def _agreed(office: Office, offer: Row) -> None:
    agree_terms(office, offer["player"])


def agree_terms(office: Office, player_id: str) -> bool:
    """A fee is agreed: offer the player less than he demands, then that, if it fits. Whether he came."""
    offers = office.stop.packet.offers
    demand = next((o for o in offers if o["kind"] == "fee_agreed" and o["player"] == player_id), None)
    return demand is not None and sign(office, {"id": player_id}, demand["wage_m_per_year"], TERM_STEPS)


def _take_wage(office: Office, offer: Row) -> None:
    row = office.of(offer["player"])
    more = offer["wage_m_per_year"] - (row["wage_m"] if row else 0.0)
    respond(office, offer, "accept_counter" if more <= office.headroom else "reject")


def respond(office: Office, offer: Row, response: str, amount: float | None = None) -> Result:
    """Answer an offer."""
    more = {} if amount is None else {"amount_m": round(amount, 2)}
    result = office.stop.call("respond_to_offer", offer_id=offer["id"], response=response, **more)
    if outcome(result) == "accepted":
        office.look()
    return result


# Contracts


def renew_core(office: Office) -> None:
    """Young players who are good enough get a new contract in time."""
    level = first_team(office.squad) - GREEN
    for row in list(office.squad):
        ending = day(row["until"]) - office.today <= RENEW_DAYS and "leaves_for" not in row
        if ending and row["age"] < CORE_AGE and middle(row) >= level:
            sign(office, row, max(row["wage_m"], fair_wage(office, row)), present=row["wage_m"])


def first_team(squad: Sequence[Row]) -> float:
    """The ability of the weakest of the best eleven."""
    return min(sorted(map(middle, squad))[-11:], default=0.0)


def fair_wage(office: Office, row: Row) -> float:
    """What players about as good earn here, millions a year."""
    return office.usual_wage(middle(row))


def usual_wage(pay: Sequence[tuple[float, str, float]], level: float) -> float:
    """The same from ability, id and wage of all."""
    alike = nsmallest(5, [(abs(other - level), id_, wage) for other, id_, wage in pay])
    return median_of([wage for *_, wage in alike])


def median_of(numbers: Sequence[float]) -> float:
    """The middle one, or 0.1."""
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.1


def sign(office: Office, row: Row, wage: float, steps: Sequence[float] = WAGE_STEPS, present: float = 0.0) -> bool:
    """Offer a contract, then more; a counter is taken. All within the wage headroom. Whether he signed."""
    for raised in steps:
        offer = round(max(wage * raised, 0.05), 2)
        if offer - present > office.headroom:
            return False
        result = office.stop.call("offer_contract", player_id=row["id"], wage_m_per_year=offer, years=YEARS)
        if outcome(result) == "countered" and result.data["wage_m_per_year"] - present <= office.headroom:
            counter = {"offer_id": result.data["offer_id"], "response": "accept_counter"}
            result = office.stop.call("respond_to_offer", **counter)
        if outcome(result) == "accepted":
            office.look()
            return True
        if outcome(result) != "rejected":
            break
    return False


def list_veterans(office: Office) -> None:
    """Players past their best are for sale."""
    calls = [
        ("list_player", {"player_id": row["id"], "listed": True})
        for row in office.squad
        if row["age"] >= OLD and not row["listed"]
    ]
    if calls:
        office.stop.turn(calls)


# Market


def buy(office: Office) -> None:
    """Young players worth their price, where the squad is thinnest."""
    bought = 0
    for position in _thinnest(office):
        if bought == BUYS or office.size >= MOST or office.spare <= 0 or office.headroom <= 0:
            return
        bought += _buy_at(office, position)


def _thinnest(office: Office) -> list[str]:
    """Positions by how few of the players wished are there."""
    counts = {position: sum(row["position"] == position for row in office.squad) for position in SQUAD}
    return sorted(SQUAD, key=lambda position: (counts[position] / SQUAD[position], position))


def _buy_at(office: Office, position: str) -> bool:
    """Try for the best value target of a position whose wages fit. Whether he came."""
    most = SHARE_OF_CASH * office.spare
    found = office.stop.call(
        "get_transfer_market",
        kind="all",
        position=position,
        max_age=TARGET_AGE,
        max_value_m=round(most, 2),
        min_ability=_green(office),
    )
    targets = [row for row in found.data.get("players", ()) if row["club"] != "free"]
    targets = [row for row in targets if DEMAND * max(row["wage_m"], fair_wage(office, row)) <= office.headroom]
    targets.sort(key=lambda row: (-TRUST * row["value_m"] / most - quality(row), row["id"]))
    return any(_bid(office, target) for target in targets[:TRIES])


def _green(office: Office) -> int:
    """The least ability of a newcomer."""
    return min(max(round(first_team(office.squad) - GREEN), 1), 99)


def _bid(office: Office, target: Row) -> bool:
    """Bid what he is worth, then the last price. A counter up to that is taken."""
    for factor in BIDS:
        amount = round(max(factor * target["value_m"], 0.1), 2)
        result = office.stop.call("make_transfer_offer", player_id=target["id"], amount_m=amount)
        if outcome(result) == "countered" and result.data["fee_m"] <= BIDS[-1] * target["value_m"]:
            counter = {"offer_id": result.data["offer_id"], "response": "accept_counter"}
            result = office.stop.call("respond_to_offer", **counter)
        if outcome(result) == "accepted":
            return agree_terms(office, target["id"])
        if outcome(result) != "rejected":
            break
    return False


def sign_free(office: Office) -> None:
    """The best man without a club, where the squad is thinnest; of any ability when it is short."""
    least = {} if office.size < LEAST else {"min_ability": _green(office)}
    for position in _thinnest(office):
        if office.size >= WISHED:
            return
        market = {"kind": "free", "position": position, "max_age": int(CORE_AGE), "limit": 1, **least}
        found = office.stop.call("get_transfer_market", **market).data.get("players", ())
        if any(sign(office, row, fair_wage(office, row)) for row in found):
            return


# Academy and facilities


def promote(office: Office) -> None:
    """Promising prospects, while the wage bill has headroom."""
    academy = office.stop.call("get_youth_academy")
    prospects = academy.data.get("prospects", ())
    for row in sorted(prospects, key=lambda row: (-potential(row), row["id"])):
        wanted = potential(row) >= PROMISING or office.size < LEAST
        if wanted and office.size < MOST and row["promotion_wage_m"] <= office.headroom:
            office.stop.call("promote_youth", player_id=row["id"])
            office.look()


def invest(office: Office) -> None:
    """The facility of the lowest level, when cash is ample."""
    club = office.stop.call("get_club_overview")
    ready = [f for f in club.data.get("facilities", ()) if f["ready"] is None and f["next_level_m"] is not None]
    if ready:
        lowest = min(ready, key=lambda f: f["level"])
        if office.spare >= AMPLE * lowest["next_level_m"]:
            office.stop.call("invest", facility=lowest["facility"])


# Match days


def choose_style(office: Office) -> None:
    """Sit back against clubs far above in the table, press those far below."""
    digest = office.packet.digest
    if digest.next_fixture is None or digest.played < SETTLED:
        return
    table, club = office.stop.turn([("get_league_table", {}), ("get_club_overview", {})])
    if not (table.ok and club.ok):
        return
    places = {row["club"]: row["position"] for row in table.data["table"]}
    gap = places[digest.next_fixture.split()[-1]] - club.data["position"]
    style = AGAINST_STRONG if gap <= -PLACES else AGAINST_WEAK if gap >= PLACES else USUAL
    if (club.data["formation"], club.data["style"]) != ("4-4-2", style):
        office.stop.call("set_tactics", formation="4-4-2", style=style)
