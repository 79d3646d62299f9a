"""Choosing a squad from the draft pool: exchanges, as long as one makes the squad worth more for its money."""

from __future__ import annotations

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.manager import Habits
from fmgym.params import Params

LEAST = np.array([2, 3, 3, 1, 2, 1, 2, 2])  # by position


def choose(params: Params, men: np.ndarray, price: np.ndarray, wage: np.ndarray, habits: Habits) -> list[int]:
    """Indices of the templates to pick: the squad worth most for its price and wages."""
    spans = np.array([0.4, 1.4, 2.4, habits.horizon])
    ahead = reckoning.forecast(params.record, men, spans, habits.play)
    level = ahead[:, :3].copy()
    assets = habits.resale * reckoning.prices(params.record, men, ahead[:, 3].copy(), habits.horizon)
    worth = assets - wage * habits.horizon - price
    budget, wages = params.draft.budget / 1000, habits.wage_share * 80.0
    size = params.draft.squad

    def total(picks: np.ndarray) -> float:
        over = max(price[picks].sum() - budget, 0.0) * 50 + max(wage[picks].sum() - wages, 0.0) * 50
        lacking = np.maximum(LEAST - np.bincount(men["position"][picks], minlength=8), 0).sum() * 1000
        strength = reckoning.squad_strengths(
            params.record, 0, men["position"][picks], level[picks], habits.second
        ).sum()
        return float(habits.point * strength + worth[picks].sum() - over - lacking)

    picks = np.argsort(price)[:size]
    best = total(picks)
    while True:
        found = None
        rest = np.setdiff1d(np.arange(len(men)), picks)
        for i in range(size):
            trial = picks.copy()
            for other in rest:
                trial[i] = other
                value = total(trial)
                if value > best + 1e-6:
                    best, found = value, trial.copy()
        if found is None:
            return [int(i) for i in picks]
        picks = found
