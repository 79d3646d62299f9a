"""Choosing a squad from the draft pool: exchanges, the best first, while money loses its price step by step.

The first squad is the cheapest. At each step the exchanges that are worth their price and wages at that step's price
of money are made, so that the first millions go where they bring most. At the last price no exchange within both
budgets makes the squad worth more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.desk import SEEN, Habits
from fmgym.enums import N_POSITIONS, Formation
from fmgym.params import Params

LEAST = np.array([2, 3, 3, 1, 2, 1, 2, 2])  # men wanted by position (enums.Position)
POINT = 60.0  # millions that a point of strength is worth in a season
DEAR = 400.0  # price of the whole budget and of all wages at the first step, millions
STEPS = 10  # each at two thirds of the price before; the last at none
CHEAPER = 2 / 3
NEVER = -1e9


@dataclass(frozen=True)
class Pool:
    """The templates: all that a choice needs to know of them."""

    params: Params
    position: np.ndarray
    seen: np.ndarray  # abilities in the seasons to come (templates, seasons)
    profit: np.ndarray  # worth as an asset, less price and wages, millions
    price: np.ndarray
    wage: np.ndarray
    budget: float
    wages: float
    second: float

    def best_exchange(self, picks: np.ndarray, cost: np.ndarray) -> tuple[float, np.ndarray]:
        """What the best exchange of one man gains when templates cost so much more, and the squad after it."""
        others = np.setdiff1d(np.arange(len(self.price)), picks)
        best, after = 0.0, picks
        whole, worth = self._strength(picks), self.profit - cost
        for i, out in enumerate(picks):
            rest = np.delete(picks, i)
            gains = POINT * (self._strength(rest) - whole + self._gains(rest, others))
            gains += worth[others] - worth[out]
            gains[~self._allowed(rest, others)] = NEVER
            j = int(np.argmax(gains))
            if gains[j] > best + 1e-9:
                best, after = float(gains[j]), np.append(rest, others[j])
        return best, after

    def _allowed(self, rest: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Which men a squad could take as its last: both budgets hold, and no position is left short."""
        within: np.ndarray = self.price[rest].sum() + self.price[others] <= self.budget
        within &= self.wage[rest].sum() + self.wage[others] <= self.wages
        lacking = np.maximum(LEAST - np.bincount(self.position[rest], minlength=N_POSITIONS), 0)
        within &= (lacking.sum() == 0) | (lacking[self.position[others]] == lacking.sum())
        return within

    def _strength(self, picks: np.ndarray) -> float:
        """Strength of a squad, summed over the seasons."""
        position, seen = self.position[picks], self.seen[picks]
        record, formation = self.params.record, Formation.F442.value
        return float(reckoning.squad_strengths(record, formation, position, seen, self.second).sum())

    def _gains(self, picks: np.ndarray, others: np.ndarray) -> np.ndarray:
        """What each of some men adds to that."""
        squad, men = (self.position[picks], self.seen[picks]), (self.position[others], self.seen[others])
        gained = reckoning.gains(self.params.record, Formation.F442.value, *squad, *men, self.second)
        return np.asarray(gained.sum(axis=1))


def choose(
    params: Params, men: np.ndarray, price: np.ndarray, wage: np.ndarray, revenue: float, habits: Habits
) -> list[int]:
    """Indices of the templates to pick: a squad worth the most beyond its price and wages (millions)."""
    spans = np.array([*(0.4 + np.arange(SEEN)), habits.horizon])
    ahead = reckoning.forecast(params.record, men, spans, habits.play)
    profit = habits.resale * reckoning.prices(params.record, men, ahead[:, -1].copy(), habits.horizon)
    profit -= wage * habits.horizon + price
    seen, position = ahead[:, :SEEN].copy(), men["position"].copy()
    budget, wages = params.draft.budget / 1000, habits.wage_share * revenue
    pool = Pool(params, position, seen, profit, price, wage, budget, wages, habits.second)
    picks = cheapest(position, price, params.draft.squad)
    for step in range(STEPS + 1):
        dear = DEAR * CHEAPER**step if step < STEPS else 0.0
        cost = dear * (price / budget + wage / wages)
        gain = 1.0
        while gain > 0.0:
            gain, picks = pool.best_exchange(picks, cost)
    return [int(i) for i in picks]


def cheapest(position: np.ndarray, price: np.ndarray, size: int) -> np.ndarray:
    """The cheapest squad that has the men wanted in each position."""
    by_price = np.argsort(price, kind="stable")
    needed = [by_price[position[by_price] == k][:least] for k, least in enumerate(LEAST)]
    picks = np.concatenate(needed)
    spare = by_price[~np.isin(by_price, picks)]
    return np.concatenate([picks, spare[: size - len(picks)]])
