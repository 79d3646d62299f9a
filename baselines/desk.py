"""A manager's desk at one stop: his squad, his money, and what players are worth to his club.

Worth is reckoned in millions of today. A man adds strength in the seasons to come, and strength brings honors; at
the horizon he is an asset. What that is in money is set by ``Habits``, from the weights of the composite score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.book import MAN, Eyes
from fmgym.baselines.reading import day
from fmgym.params import Params
from fmgym.state import YEAR
from fmgym.stop import Stop

SEASONS = 20
SEEN = 3  # seasons, this one included, in which strength is compared
TITLE = (0.9, 1.7)  # slope and middle of the chance of a title by the lead in strength
MIDDLE, PLACES, LUCK = 5.0, 2.2, 4.0  # place without a lead, places a point of it is worth, and places of bad luck
TOP = (1.2, -1.0)  # of a place that brings honors
HONORS = (100.0, 20.0)


@dataclass(frozen=True)
class Habits:
    """What a manager does as a matter of course. Money is in millions of the first season."""

    honor: float = 0.9  # what an honors point is worth
    point: float = 10.0  # what a point of strength earns in a season, whatever the place
    alarm: float = 30.0  # and what it is worth on top of that when the board is about to lose patience
    resale: float = 0.8  # part of his value at the horizon that counts for a man
    late_resale: float = 0.7  # and what is added to it in the last seasons, whose squads count in the score
    horizon: float = 3.0  # years looked ahead
    second: float = 0.2  # weight of the second eleven in a squad's strength
    play: float = 0.9  # growth expected, relative to that of a man who plays always
    reserve: float = 0.22  # years of wages kept in cash
    idle: float = 0.6  # part of its worth that cash loses once net worth counts no more in full
    calm: float = 0.5  # part of the cash that counts in full, up to which it is worth all of itself
    wage_share: float = 0.64  # of revenue, for wages
    idle_share: float = 0.22  # added to it when there is that much cash
    squad: tuple[int, int] = (21, 36)  # least and greatest
    renew_days: int = 720  # contracts are renewed when they have so long to run
    youth: bool = True  # promotes prospects and buys the young
    build_until: int = 12  # last season in which training ground and academy are built
    builds_on: bool = False  # builds whatever can be built, to the end
    margin: float = 0.1  # of a fee, profit expected of a deal
    deal: float = 2.0  # profit expected beyond that, for every purchase makes the next ones dearer
    fixed_bid: float = 0.0  # bids this part of public value, once, instead of what is learnt; 0: does not
    rotates: bool = True  # spares tired men
    restless: bool = False  # plays another style from stop to stop


class Desk:
    """One stop's work in hand. Deals are booked here, so that tools are not asked again after each.

    When the budget of queries is too small for squad and books, ``squad`` is empty and nothing can be done.
    """

    def __init__(self, stop: Stop, eyes: Eyes, habits: Habits) -> None:
        self.stop, self.eyes, self.habits = stop, eyes, habits
        self.params = Params.default()
        packet = stop.packet
        self.today, self.kinds, self.offers = day(packet.date), set(packet.kinds), packet.offers
        self.target, self.confidence = packet.digest.target, packet.digest.board_confidence
        self.season = self.today // YEAR
        self.money: float = (1.0 + self.params.value.inflation) ** self.season
        self.squad = eyes.squad()
        self._kept: np.ndarray | None = None
        finances = stop.call("get_finances")
        if not finances.ok:
            self.squad = self.squad[:0]
            return
        self.cash = float(finances.data["cash_m"])
        self.wages = float(finances.data["wages_a_year_m"])
        self.revenue = float(finances.data["expected_revenue_m"])
        self.rivals = eyes.rivals()

    # Money

    @property
    def spare(self) -> float:
        """Cash above the reserve."""
        return self.cash - self.habits.reserve * self.wages

    @property
    def ease(self) -> float:
        """Spare cash over what net worth counts in full, 0 to 1."""
        full: float = self.params.score.idle_wages * max(self.wages, 1.0)
        return min(max(self.spare / full, 0.0), 1.0)

    @property
    def price(self) -> float:
        """What a million in cash is worth: less, the more there is of it."""
        return 1.0 - self.habits.idle * max(self.ease - self.habits.calm, 0.0) / (1.0 - self.habits.calm)

    def alarm(self, lead: float) -> float:
        """How near dismissal a season as bad as may well come would bring us, 0 to 1, with that lead now."""
        worst = MIDDLE - PLACES * lead + LUCK
        fall: float = 2.0 * self.params.board.loss * max(worst - self.target, 0.0)
        left: float = max(self.confidence - self.params.board.fire_review, 1.0)
        return min(fall / left, 1.0)

    @property
    def headroom(self) -> float:
        """What the wage bill may still grow by."""
        return (self.habits.wage_share + self.habits.idle_share * self.ease) * self.revenue - self.wages

    # Deals

    def index(self, uid: int) -> int:
        """Place of a senior in the book of the squad, or -1."""
        found = np.nonzero(self.squad["uid"] == uid)[0]
        return int(found[0]) if len(found) else -1

    def came(self, man: np.void, wage: float, years: int, fee: float = 0.0) -> None:
        """A man has joined."""
        row = np.array([man], MAN)
        row["wage"], row["until"], row["leaving"], row["listed"] = wage, self.end_of(years), 0, 0
        self.squad = np.concatenate([self.squad, row])
        self.wages += wage
        self.cash -= fee + self.params.wage.signing * wage
        self._kept = None

    def left(self, i: int, fee: float) -> None:
        """The man in place ``i`` has gone, for a fee or (negative) at a cost."""
        self.cash += fee
        self.wages -= float(self.squad["wage"][i])
        self.squad = np.delete(self.squad, i)
        self._kept = None

    def renewed(self, i: int, wage: float, years: int) -> None:
        """The man in place ``i`` has a new contract."""
        self.wages += wage - float(self.squad["wage"][i])
        self.squad["wage"][i], self.squad["until"][i] = wage, self.end_of(years)

    def end_of(self, years: int) -> int:
        """Last day of a contract signed today."""
        first = self.season + (self.today % YEAR >= YEAR // 2)
        return int((first + years) * YEAR - 1)

    # Worth

    @property
    def spans(self) -> np.ndarray:
        """Years ahead at which strength is compared, one a season; the horizon comes last."""
        left = max(SEASONS - self.today / YEAR, 0.05)
        return np.minimum([*(0.4 + np.arange(SEEN)), self.habits.horizon], left)

    @property
    def shares(self) -> np.ndarray:
        """The part of each of those seasons that is still to be played."""
        first, last = self.params.calendar.rounds
        now = min(max((last - self.today % YEAR) / (last - first), 0.0), 1.0)
        coming = SEASONS - 1 - self.season
        return np.array([now, *np.clip(coming - np.arange(SEEN - 1), 0.0, 1.0)])

    @property
    def formation(self) -> int:
        """The formation that suits the squad best (``enums.Formation``)."""
        return int(np.argmax(elevens(self.params, self.squad)[1]))

    def keeping(self) -> np.ndarray:
        """What each man of the squad is worth to the club, his wages apart."""
        if self._kept is None:
            ahead = self._ahead(self.squad)
            position, seen = self.squad["position"].copy(), ahead[:, :SEEN].copy()
            lost = reckoning.losses(self.params.record, self.formation, position, seen, self.habits.second)
            self._kept = self._assets(self.squad, ahead) - self._service(seen, -lost)
        return self._kept

    def having(self, men: np.ndarray) -> np.ndarray:
        """What each of some new men would be worth to the club, his wages and fee apart."""
        own, ahead = self._ahead(self.squad)[:, :SEEN].copy(), self._ahead(men)
        squad, new = self.squad["position"].copy(), men["position"].copy()
        seen, second = ahead[:, :SEEN].copy(), self.habits.second
        gained = reckoning.gains(self.params.record, self.formation, squad, own, new, seen, second)
        worth: np.ndarray = self._assets(men, ahead) + self._service(own, gained)
        return worth

    def _ahead(self, men: np.ndarray) -> np.ndarray:
        """Abilities (men, spans)."""
        ahead: np.ndarray = reckoning.forecast(self.params.record, men, self.spans, self.habits.play)
        return ahead

    def _assets(self, men: np.ndarray, ahead: np.ndarray) -> np.ndarray:
        """What men will count for at the horizon."""
        late = min(max((self.season - 11) / 5, 0.0), 1.0)
        worth: np.ndarray = reckoning.prices(self.params.record, men, ahead[:, -1].copy(), float(self.spans[-1]))
        return (self.habits.resale + self.habits.late_resale * late) * self.money * worth

    def _service(self, seen: np.ndarray, change: np.ndarray) -> np.ndarray:
        """What changes in strength (men, seasons) are worth in honors."""
        position = self.squad["position"].copy()
        strength = reckoning.squad_strengths(self.params.record, self.formation, position, seen, 0.0)
        lead = strength - self.rivals
        honors = expected_honors(lead + change) - expected_honors(lead)
        point = self.habits.point + self.habits.alarm * self.alarm(float(lead[0]))
        worth: np.ndarray = (self.habits.honor * honors + point * change) @ self.shares
        return self.money * worth


def expected_honors(lead: np.ndarray) -> np.ndarray:
    """Honors a season brings on the mean, by the lead in strength over the rivals."""
    title, top = (1.0 / (1.0 + np.exp(-slope * (lead - middle))) for slope, middle in (TITLE, TOP))
    return HONORS[0] * title + HONORS[1] * np.maximum(top - title, 0.0)


def strength_to_beat(params: Params, league: np.ndarray) -> float:
    """The mean strength of the first, second and fourth of the other clubs."""
    best = sorted(_strengths(params, league), reverse=True)
    return (best[0] + best[1] + best[3]) / 3


def _strengths(params: Params, league: np.ndarray) -> Iterator[float]:
    for club in np.unique(league["club"][league["club"] >= 0]):
        men = league[league["club"] == club]
        yield float(elevens(params, men)[1].max())


def elevens(params: Params, men: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best eleven of men who all can play, and its strength, in each formation (``reckoning.elevens``)."""
    able = np.ones(len(men), bool)
    found: tuple[np.ndarray, np.ndarray] = reckoning.elevens(
        params.record, men["position"].copy(), men["ability"].copy(), able
    )
    return found
