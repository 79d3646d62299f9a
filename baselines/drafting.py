"""Choosing a squad from the draft pool: exchanges, the best first, as long as one makes the squad worth more."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.desk import SEEN, Habits
from fmgym.enums import N_POSITIONS, Formation
from fmgym.params import Params

LEAST = np.array([2, 3, 3, 1, 2, 1, 2, 2])  # men wanted by position (enums.Position)
POINT = 25.0  # millions that a point of strength is worth in a season
PENALTY = 50.0  # for every million beyond budget or wages
LACKING = 1000.0  # for every man lacking


def choose(
    params: Params, men: np.ndarray, price: np.ndarray, wage: np.ndarray, revenue: float, habits: Habits
) -> list[int]:
    """Indices of the templates to pick: a squad worth the most beyond its price and wages (millions)."""
    spans = np.array([*(0.4 + np.arange(SEEN)), habits.horizon])
    ahead = reckoning.forecast(params.record, men, spans, habits.play)
    seen = ahead[:, :SEEN].copy()
    profit = habits.resale * reckoning.prices(params.record, men, ahead[:, -1].copy(), habits.horizon)
    profit -= wage * habits.horizon + price
    budget, wages = params.draft.budget / 1000, habits.wage_share * revenue

    def worth(picks: np.ndarray) -> float:
        position = men["position"][picks]
        over = max(price[picks].sum() - budget, 0.0) + max(wage[picks].sum() - wages, 0.0)
        lacking = np.maximum(LEAST - np.bincount(position, minlength=N_POSITIONS), 0).sum()
        strength = reckoning.squad_strengths(params.record, Formation.F442.value, position, seen[picks], habits.second)
        return float(POINT * strength.sum() + profit[picks].sum() - PENALTY * over - LACKING * lacking)

    picks = np.argsort(price, kind="stable")[: params.draft.squad]
    best = worth(picks)
    while True:
        value, better = max(_exchanges(picks, len(men), worth), key=lambda pair: pair[0])
        if value <= best:
            return [int(i) for i in picks]
        picks, best = better, value


def _exchanges(picks: np.ndarray, n: int, worth: Callable[[np.ndarray], float]) -> Iterator[tuple[float, np.ndarray]]:
    """Every list that differs by one man, with its worth."""
    for i in range(len(picks)):
        for other in np.setdiff1d(np.arange(n), picks):
            trial = picks.copy()
            trial[i] = other
            yield worth(trial), trial
