"""What calibration must reach (world rules, section 12): every row a figure, its band and how it is read off.

A row of the world alone comes from ``fmgym.alone``; a row of the ladder from runs of the reference policies.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fmgym import alone
from fmgym.run import RunResult

POLICIES = ("random", "idle", "heuristic", "strategist", "oracle")  # in the order their scores must have
NEIGHBOURS = {("strategist", "oracle"): 0.85}  # share of seeds on which the pair must be in order; others 0.95
ORDERED = 0.95
# Strong play over time (paper, Table 8): bands of the strategist's means after 5, 10, 15 and 20 seasons;
# money in millions of the day.
TRAJECTORY = {
    5: {"honors": (20, 160), "net_worth": (190, 410), "squad_value": (90, 190), "score": (23, 45)},
    10: {"honors": (180, 500), "net_worth": (220, 640), "squad_value": (75, 300), "score": (41, 66)},
    15: {"honors": (300, 1000), "net_worth": (470, 1050), "squad_value": (40, 460), "score": (53, 84)},
    20: {"honors": (360, 1460), "net_worth": (730, 1745), "squad_value": (60, 640), "score": (57, 101)},
}
# Policy: band of its mean score, and of the share of its runs that settle early.
LEVELS = {
    "random": ((-24.0, -11.0), None),
    "idle": ((-4.0, 2.0), None),
    "heuristic": ((10.0, 27.0), (0.5, 1.0)),
    "strategist": ((75.0, 100.0), None),
    "oracle": ((90.0, 101.0), None),
}
UNSCATHED = {"strategist": 0.95, "oracle": 1.0}  # least share of runs without a death


@dataclass(frozen=True)
class Row:
    """One figure and the band it must keep."""

    name: str
    value: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the figure is in its band."""
        return self.low <= self.value <= self.high

    @property
    def miss(self) -> float:
        """How far it is outside, in widths of the band."""
        return max(self.low - self.value, self.value - self.high, 0.0) / (self.high - self.low)

    @property
    def edge(self) -> float:
        """How far it is from the band's middle, in half widths; 1 at the edges."""
        return abs(2 * self.value - self.low - self.high) / (self.high - self.low)


def of_world(study: alone.Study) -> list[Row]:
    """Rows of the world alone that have a band."""
    rows = [_banded(name, study.mean(name), measure) for name, measure in alone.MEASURES.items()]
    summary = study.summary()
    rows += [_banded(name, summary[name], measure) for name, measure in alone.RUN_MEASURES.items()]
    return [row for row in rows if row is not None]


def _banded(name: str, value: float, measure: alone.Measure) -> Row | None:
    if measure.low is None:
        return None
    high = measure.high if measure.high is not None else measure.low + max(abs(measure.low), 1.0)
    return Row(f"world {name}", value, measure.low, high)


def of_ladder(results: Sequence[RunResult]) -> list[Row]:
    """Rows of the ladder for the policies that were run."""
    by_policy = {name: [r for r in results if r.policy == name] for name in POLICIES}
    ran = [name for name in POLICIES if by_policy[name]]
    rows: list[Row] = []
    for name in ran:
        rows += _levels(name, by_policy[name])
    for low, high in zip(ran, ran[1:], strict=False):
        share = ordered(by_policy[low], by_policy[high])
        rows.append(Row(f"{low} < {high}", share, NEIGHBOURS.get((low, high), ORDERED), 1.0))
    if by_policy["strategist"]:
        rows += _trajectory(by_policy["strategist"])
    return rows


def _levels(name: str, runs: Sequence[RunResult]) -> list[Row]:
    band, early = LEVELS[name]
    rows = [Row(f"{name} score", statistics.mean(r.score for r in runs), *band)]
    if early:
        rows.append(Row(f"{name} settles early", _share([r.settle != "completed" for r in runs]), *early))
    if name in UNSCATHED:
        rows.append(Row(f"{name} without death", _share([r.deaths == 0 for r in runs]), UNSCATHED[name], 1.001))
    return rows


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def ordered(lower: Sequence[RunResult], higher: Sequence[RunResult]) -> float:
    """On which share of the seeds both played the second scored more."""
    scores: Mapping[int, float] = {r.seed: r.score for r in lower}
    return _share([r.score > scores[r.seed] for r in higher if r.seed in scores])


def _trajectory(runs: Sequence[RunResult]) -> list[Row]:
    rows = []
    for year, bands in TRAJECTORY.items():
        seasons = [r.seasons_table[year - 1] for r in runs if len(r.seasons_table) >= year]
        for channel, band in bands.items():
            if seasons:
                rows.append(Row(f"Y{year} {channel}", statistics.mean(s[channel] for s in seasons), *band))
    return rows
