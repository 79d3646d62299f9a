"""How strategist and oracle decide: one set of rules, over whatever beliefs a book of players holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.book import MAN, Eyes, player_id
from fmgym.baselines.reading import day
from fmgym.enums import Position
from fmgym.params import Params
from fmgym.state import YEAR
from fmgym.stop import Result, Stop

SEASONS = 20
MARKET_OPEN = ("summer", "winter")


@dataclass(frozen=True)
class Habits:
    """What a manager does as a matter of course."""

    point: float = 14.0  # millions (first year) that a point of strength is worth in a season
    resale: float = 0.8  # of a man's value when the horizon is reached, that counts for him
    horizon: float = 3.0  # years looked ahead
    second: float = 0.2  # weight of the second eleven in a squad's strength
    play: float = 0.9  # growth factor of play and training expected
    wage_share: float = 0.68  # of revenue, at most for wages
    reserve: float = 0.22  # years of wages kept in cash
    squad: tuple[int, int] = (21, 28)
    build_until: int = 12  # last season in which facilities are built
    margin: float = 0.15  # of a fee, least profit expected of a deal
    rich: float = 0.6  # of its worth that cash loses when there is more than net worth counts in full
    rich_wages: float = 0.25  # added to wage_share then
    late_resale: float = 0.7  # added to resale towards the end


class Manager:
    """One stop's work."""

    def __init__(self, stop: Stop, eyes: Eyes, habits: Habits) -> None:
        self.stop, self.eyes, self.habits = stop, eyes, habits
        self.params = Params.default()
        self.today = day(stop.packet.date)
        self.season = self.today // YEAR
        self.money = (1.0 + self.params.value.inflation) ** self.season
        self.left = SEASONS - self.today / YEAR
        finances = stop.call("get_finances").data
        self.cash = float(finances["cash_m"])
        self.wages = float(finances["wages_a_year_m"])
        self.revenue = float(finances["expected_revenue_m"])
        self.squad = eyes.squad()

    # Money

    @property
    def spare(self) -> float:
        return self.cash - self.habits.reserve * self.wages

    @property
    def riches(self) -> float:
        """Spare cash as a share of what net worth counts in full: three annual wage bills."""
        return min(max(self.spare / (3.0 * self.wages), 0.0), 1.0)

    @property
    def price(self) -> float:
        """What a million in cash is worth to us, in millions."""
        return 1.0 - self.habits.rich * self.riches

    @property
    def headroom(self) -> float:
        return (self.habits.wage_share + self.habits.rich_wages * self.riches) * self.revenue - self.wages

    # Beliefs about seasons to come

    @property
    def spans(self) -> np.ndarray:
        """Points of time at which squads are compared, years ahead, and the horizon."""
        horizon = min(self.habits.horizon, max(self.left, 0.05))
        return np.array([min(0.4, horizon), min(1.4, horizon), min(2.4, horizon), horizon])

    @property
    def weights(self) -> np.ndarray:
        """How much of each season compared is still to be played."""
        doy = self.today % YEAR
        now = max(1.0 - max(doy - 64, 0) / 232, 0.0)
        seasons_left = SEASONS - 1 - self.season
        return np.array([now, min(seasons_left, 1), min(max(seasons_left - 1, 0), 1)], float)

    @property
    def span(self) -> float:
        return float(self.spans[-1])

    def ahead(self, men: np.ndarray) -> np.ndarray:
        return reckoning.forecast(self.params.record, men, self.spans, self.habits.play)

    def formation(self) -> int:
        able = np.ones(len(self.squad), bool)
        _, strengths = reckoning.elevens(self.params.record, self.squad["position"], self.squad["ability"], able)
        return int(np.argmax(strengths))

    def _assets(self, men: np.ndarray, ahead: np.ndarray) -> np.ndarray:
        """What men will be worth at the horizon, millions of today."""
        worth = reckoning.prices(self.params.record, men, ahead[:, -1].copy(), self.span)
        late = min(max((self.season - 11) / 5, 0.0), 1.0)
        return (self.habits.resale + self.habits.late_resale * late) * self.money * worth

    def keeping(self) -> np.ndarray:
        """What each man of the squad is worth to the club, his wages apart, millions."""
        ahead = self.ahead(self.squad)
        lost = reckoning.losses(
            self.params.record, self.formation(), self.squad["position"], ahead[:, :3].copy(), self.habits.second
        )
        return self.habits.point * self.money * lost @ self.weights + self._assets(self.squad, ahead)

    def having(self, men: np.ndarray) -> np.ndarray:
        """What each of some new men would be worth to the club, his wages and fee apart, millions."""
        own, new = self.ahead(self.squad), self.ahead(men)
        gained = reckoning.gains(
            self.params.record,
            self.formation(),
            self.squad["position"],
            own[:, :3].copy(),
            men["position"],
            new[:, :3].copy(),
            self.habits.second,
        )
        return self.habits.point * self.money * gained @ self.weights + self._assets(men, new)

    # The stop

    def play(self) -> None:
        kinds = set(self.stop.packet.kinds)
        self.answer_offers()
        self.renew()
        if self.stop.packet.digest.window in MARKET_OPEN:
            self.trade()
        self.sign_unattached()
        if "youth_intake" in kinds or len(self.squad) < self.habits.squad[0]:
            self.promote()
        if "settlement" in kinds:
            self.invest()
        self.prune()
        self.line_up()

    # Offers

    def answer_offers(self) -> None:
        offers = self.stop.packet.offers
        for offer in offers:
            if offer["kind"] == "fee_agreed":
                self.terms(offer["player"])
            elif offer["kind"] != "bid_received":
                self.reply(offer, "reject")
        bids = [offer for offer in offers if offer["kind"] == "bid_received"]
        for offer in sorted(bids, key=lambda offer: -offer["fee_m"]):
            self.answer_bid(offer)

    def answer_bid(self, offer: dict[str, Any]) -> None:
        i = self.index(int(offer["player"][1:]))
        if i < 0 or len(self.squad) <= self.habits.squad[0] - 1:
            self.reply(offer, "reject")
            return
        kept = self.keeping()[i] / self.price - self.squad["wage"][i] * self.span
        most = self.eyes.ceiling(offer)
        if most < kept * (1.0 + self.habits.margin):
            self.reply(offer, "reject")
            return
        if self.eyes.exact:
            if most > offer["fee_m"]:
                result = self.reply(offer, "counter", most)
            else:
                result = self.reply(offer, "accept")
        else:
            result = self.haggle(offer, kept)
        if outcome(result) == "accepted":
            self.cash += float(result.data.get("fee_m", offer["fee_m"]))
            self.wages -= float(self.squad["wage"][i])
            self.squad = np.delete(self.squad, i)

    def haggle(self, offer: dict[str, Any], kept: float) -> Result:
        """Ask for more twice, then take what is on the table if it is enough."""
        fee = offer["fee_m"]
        for _ in range(2):
            result = self.reply(offer, "counter", max(1.3 * fee, 1.05 * kept))
            if outcome(result) != "countered":
                return result
            fee = result.data["fee_m"]
        return self.reply(offer, "accept" if fee >= kept else "reject")

    def reply(self, offer: dict[str, Any], response: str, amount: float | None = None) -> Result:
        more = {} if amount is None else {"amount_m": round(amount, 3)}
        return self.stop.call("respond_to_offer", offer_id=offer["id"], response=response, **more)

    def index(self, uid: int) -> int:
        found = np.nonzero(self.squad["uid"] == uid)[0]
        return int(found[0]) if len(found) else -1

    # Contracts

    def renew(self) -> None:
        """New contracts early, for all who are worth them."""
        lasting = self.squad["until"] - self.today
        due = (lasting < 720) & (self.squad["leaving"] == 0) & (self.squad["age"] < 36)
        if not due.any():
            return
        kept = self.keeping()
        for i in np.nonzero(due)[0][np.argsort(-kept[due])]:
            man = self.squad[i]
            years = term(man)
            gained = self.end_of(years) - int(man["until"])
            if gained < YEAR or (lasting[i] >= YEAR and self.today % YEAR < 60):
                continue
            most = kept[i] / max(self.span, 1.0) / self.price
            if most < man["pay"]:
                continue
            wage = self.contract(man, years, most, man["wage"])
            if wage:
                self.wages += wage - man["wage"]
                self.squad["wage"][i] = wage
                self.squad["until"][i] = self.end_of(years)

    def end_of(self, years: int) -> int:
        """Last day of a contract signed today."""
        first = self.season + (self.today % YEAR >= YEAR // 2)
        return int((first + years) * YEAR - 1)

    def contract(self, man: Any, years: int, most: float, present: float = 0.0) -> float:
        """Offer a contract up to a wage. Returns the wage agreed, 0 for none."""
        uid = player_id(int(man["uid"]))
        most = min(most, self.headroom + present + 0.25 * float(man["pay"]))
        steps = (1.0,) if self.eyes.exact else (0.86, 1.05, 1.25)
        for step in steps:
            wage = round(float(man["pay"]) * step + (0.0 if step != 1.0 else 0.0), 3)
            if wage > most or wage <= 0:
                return 0.0
            result = self.stop.call("offer_contract", player_id=uid, wage_m_per_year=wage, years=years)
            if outcome(result) == "countered":
                wage = result.data["wage_m_per_year"]
                response = "accept_counter" if wage <= most else "reject"
                result = self.stop.call("respond_to_offer", offer_id=result.data["offer_id"], response=response)
            if outcome(result) == "accepted":
                return float(wage)
            if outcome(result) != "rejected":
                return 0.0
        return 0.0

    def prune(self) -> None:
        """Release men who cost more than they are worth."""
        if len(self.squad) <= self.habits.squad[0]:
            return
        lasting = np.clip((self.squad["until"] - self.today) / YEAR, 0.0, self.span)
        worth = self.keeping() / self.price * np.minimum(lasting / max(self.span, 0.1), 1.0) - self.squad["wage"] * lasting
        for i in np.argsort(worth):
            if len(self.squad) <= self.habits.squad[0] or worth[i] > -0.7 * self.squad["wage"][i]:
                break
            result = self.stop.call("release_player", player_id=player_id(int(self.squad["uid"][i])))
            if result.ok:
                self.cash -= 0.5 * self.squad["wage"][i]
                self.wages -= self.squad["wage"][i]
                self.squad = np.delete(self.squad, i)
            break

    # Market

    def trade(self) -> None:
        for _ in range(4):
            if self.spare < 0.5 * self.money or len(self.squad) >= self.habits.squad[1]:
                return
            men = self.market
            if not self.buy_one(men):
                return

    @property
    def market(self) -> np.ndarray:
        found = self.__dict__.get("_market")
        if found is None:
            found = self.__dict__["_market"] = self.eyes.market(1.3 * self.spare)
        return found

    def buy_one(self, men: np.ndarray) -> bool:
        """Try for the most profitable man there is. Whether another try makes sense."""
        if not len(men):
            return False
        span = self.span
        worth = self.having(men) / self.price - men["pay"] * (span + 0.1)
        profit = worth - men["fee"] * (1.0 + self.habits.margin)
        able = (men["fee"] <= self.spare) & (men["pay"] <= self.headroom + 0.1 * self.wages)
        profit[~able] = -1.0
        i = int(np.argmax(profit))
        if profit[i] <= 0.0:
            return False
        most = min(worth[i] / (1.0 + self.habits.margin), self.spare)
        man = men[i]
        came = self.bid(man, most) if man["club"] >= 0 else self.sign(man, worth[i])
        self.__dict__["_market"] = np.delete(men, i)
        return came or self.stop.packet.budgets.negotiations >= 3

    def bid(self, man: Any, most: float) -> bool:
        """Bid for a man up to a fee. Whether he came."""
        uid = player_id(int(man["uid"]))
        fee = float(man["fee"]) * (1.0 if self.eyes.exact else 0.88)
        for _ in range(1 if self.eyes.exact else 3):
            fee = max(fee, self.params.market.min_fee / 1000)
            if fee > most:
                return False
            result = self.stop.call("make_transfer_offer", player_id=uid, amount_m=round(fee, 3))
            if outcome(result) == "countered":
                fee = result.data["fee_m"]
                response = "accept_counter" if fee <= most else "reject"
                result = self.stop.call("respond_to_offer", offer_id=result.data["offer_id"], response=response)
            if outcome(result) == "accepted":
                if self.terms(uid):
                    self.cash -= fee
                    self.join(man)
                    return True
                return False
            if outcome(result) != "rejected":
                return False
            fee *= 1.25
        return False

    def terms(self, uid: str) -> bool:
        """A fee is agreed: take the player for less than he demands. Whether he came."""
        offers = self.stop.packet.offers
        agreed = next((o for o in offers if o["kind"] == "fee_agreed" and o["player"] == uid), None)
        if agreed is None:
            return False
        demand = agreed["wage_m_per_year"]
        self.agreed = 0.0
        years = agreed["years"]
        wage = round(0.745 * demand, 3)
        result = self.stop.call("offer_contract", player_id=uid, wage_m_per_year=wage, years=years)
        if outcome(result) == "countered":
            wage = result.data["wage_m_per_year"]
            result = self.stop.call("respond_to_offer", offer_id=result.data["offer_id"], response="accept_counter")
        if outcome(result) != "accepted":
            wage = demand
            result = self.stop.call("offer_contract", player_id=uid, wage_m_per_year=demand, years=years)
        if outcome(result) == "accepted":
            self.wages += wage
            self.agreed = wage
            return True
        return False

    def sign(self, man: Any, worth: float) -> bool:
        """Sign a man who costs no fee. Whether he came."""
        most = (worth + float(man["pay"]) * self.span) / max(self.span, 1.0)
        wage = self.contract(man, term(man), most)
        if wage:
            self.wages += wage
            self.agreed = wage
            if man["club"] < 0:
                self.join(man)
            return True
        return False

    def join(self, man: Any) -> None:
        row = np.array([man], MAN)
        row["wage"] = self.agreed
        row["until"] = self.end_of(term(man))
        row["leaving"] = 0
        self.squad = np.concatenate([self.squad, row])

    def sign_unattached(self) -> None:
        """Men who cost no fee."""
        if len(self.squad) >= self.habits.squad[1] or self.headroom <= 0:
            return
        men = self.eyes.unattached()
        for _ in range(2):
            if not len(men):
                return
            worth = self.having(men) / self.price - men["pay"] * (self.span + 0.1)
            worth[men["pay"] > self.headroom] = -1.0
            i = int(np.argmax(worth))
            if worth[i] <= 0.3 * self.money:
                return
            self.sign(men[i], worth[i])
            men = np.delete(men, i)

    # Youth and buildings

    def promote(self) -> None:
        men = self.eyes.prospects()
        if not len(men):
            return
        worth = self.having(men) / self.price - men["pay"] * self.span
        lapsing = men["until"] < (self.season + 1) * YEAR
        for i in np.argsort(-worth):
            wanted = worth[i] > 0.3 * self.money and (lapsing[i] or men["age"][i] > 18.0)
            if wanted and len(self.squad) < self.habits.squad[1] + 3:
                result = self.stop.call("promote_youth", player_id=player_id(int(men["uid"][i])))
                if result.ok:
                    self.agreed = float(men["pay"][i])
                    self.wages += self.agreed
                    self.join(men[i])

    def invest(self) -> None:
        if self.season + 1 > self.habits.build_until:
            return
        club = self.stop.call("get_club_overview").data
        ready = {f["facility"]: f for f in club["facilities"] if f["ready"] is None and f["next_level_m"] is not None}
        for kind in ("training", "academy"):
            if kind in ready and self.spare > 1.5 * ready[kind]["next_level_m"]:
                if self.stop.call("invest", facility=kind).ok:
                    self.cash -= ready[kind]["next_level_m"]

    # Match days

    def line_up(self) -> None:
        club = self.stop.call("get_club_overview")
        if not club.ok:
            return
        shape = ("4-4-2", "4-3-3", "3-5-2")[self.formation()]
        if (club.data["formation"], club.data["style"]) != (shape, "possession"):
            self.stop.call("set_tactics", formation=shape, style="possession")


def term(man: Any) -> int:
    """Years of contract a man gets."""
    age = float(man["age"]) - (3 if man["position"] == Position.GK else 0)
    return 5 if age < 26 else 4 if age < 28 else 3 if age < 30 else 2 if age < 32 else 1


def outcome(result: Result) -> str:
    """What an accepted call led to; empty when it was refused."""
    return str(result.data.get("status", "")) if result.ok else ""
