"""The world alone: scripted clubs only, nobody playing. What calibration and realism are read off.

``World.reset`` opens a world with its seats given up to scripted managers; ``play`` runs it to its end and
keeps one row of means a season. It reads hidden truth, so nothing that plays may import it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fmgym import engine, generate, world
from fmgym.calendar import day_of_year, season_of, year_end
from fmgym.enums import Facility, Group, Ledger, Move, Status
from fmgym.jit import njit
from fmgym.kernels import day
from fmgym.kernels.valuation import group_of
from fmgym.params import Params
from fmgym.score import deflated, net_worth, squad_value
from fmgym.state import LINEUP, YEAR, record


@dataclass(frozen=True)
class Measure:
    """A yearly figure: what it means, and the band its mean over seasons should keep (None: no band)."""

    doc: str
    low: float | None = None
    high: float | None = None

    def holds(self, mean: float) -> bool:
        """Whether a mean lies in the band."""
        return (self.low is None or mean >= self.low) and (self.high is None or mean <= self.high)


MEASURES = {
    "alive": Measure("players alive", 440, 500),
    "seniors": Measure("seniors a club"),
    "fewest": Measure("seniors of the smallest squad", 18),
    "prospects": Measure("prospects an academy"),
    "free": Measure("free agents"),
    "ability": Measure("true ability of seniors"),
    "eleven": Measure("true ability of first-choice players"),
    "potential": Measure("true potential of prospects"),
    "age": Measure("mean age of seniors", 25.5, 27.5),
    "young": Measure("share of seniors under 21", 0.07, 0.13),
    "old": Measure("share of seniors of 33 and over", 0.05, 0.11),
    "ending": Measure("share of seniors in their contract's last year", 0.12, 0.25),
    "kept": Measure("share of last season's seniors still with their club", 0.50, 0.67),
    "injuries": Measure("injuries a club", 24, 40),
    "days_out": Measure("days out an injury", 15, 24),
    "bought": Measure("players bought a club"),
    "signings": Measure("players bought or signed free a club", 5, 9),
    "signed_for": Measure("years a newcomer signs for", 2.3, 3.4),
    "promoted": Measure("youths promoted a club"),
    "retired": Measure("seniors retired a club"),
    "goals": Measure("goals a match", 2.40, 3.00),
    "home_goals": Measure("home goals a match", 1.40, 1.75),
    "home_wins": Measure("share of home wins", 0.43, 0.49),
    "draws": Measure("share of draws", 0.23, 0.285),
    "yellows": Measure("yellow cards a match", 3.3, 5.0),
    "reds": Measure("red cards a match", 0.14, 0.30),
    "forwards": Measure("share of goals by forwards", 0.45, 0.62),
    "defenders": Measure("share of goals by defenders", 0.09, 0.14),
    "top_eleven": Measure("share of minutes of a club's eleven most used", 0.65, 0.79),
    "changes": Measure("changes of the eleven between matches", 2.0, 3.3),
    "spread": Measure("SD of points a game over clubs", 0.30, 0.50),
    "first": Measure("points a game of the champion", 2.08, 2.45),
    "fourth": Measure("points a game of the fourth", 1.62, 1.80),
    "last": Measure("points a game of the last", 0.55, 0.78),
    "revenue": Measure("revenue a club, real M"),
    "wage_ratio": Measure("wages over revenue", 0.60, 0.70),
    "gate": Measure("gate over revenue", 0.12, 0.25),
    "cash": Measure("cash a club, real M"),
    "poorest": Measure("cash of the poorest club, real M"),
    "value": Measure("squad value a club, real M"),
    "net_worth": Measure("net worth a club, real M"),
    "fees": Measure("fees paid a club, real M"),
    "insolvent": Measure("clubs in administration", 0, 0.1),
    "academies": Measure("mean academy level"),
    "trainings": Measure("mean training level"),
    "stadiums": Measure("mean stadium level"),
}

ROW = record([(name, np.float64) for name in MEASURES])


class World(world.World):
    """A world without outside control: ``World()``, then ``reset``."""

    def reset(self, seed: int, *, seasons: int = 20, opponents: str = "tiered") -> None:  # type: ignore[override]
        """Open another seed's world in place, on the eve of its first season."""
        world.check_options(self.params, seed, seasons, opponents)
        self.array.view(np.uint8)[:] = 0
        _open(self.w, self.p, np.int64(seed), world.OPPONENTS[opponents], seasons)

    def run(self) -> None:
        """Run to the end, measuring nothing."""
        day.run_out(self.w, self.p)

    def play(self) -> np.ndarray:
        """Run to the end. One row a season."""
        rows = np.zeros((self.w.last_day + 1) // YEAR, ROW)
        before = np.full((2, len(self.w.players)), -1, np.int64)
        for row in rows:
            _year(self.w, self.p, before, row)
        return rows


@dataclass(frozen=True)
class Study:
    """Worlds of several seeds: the yearly rows (seeds x seasons), final tables, players ever seen."""

    seeds: list[int]
    rows: np.ndarray
    places: np.ndarray  # (seeds, seasons, clubs)
    points: np.ndarray
    payrolls: np.ndarray
    seen: np.ndarray  # (seeds,)

    def yearly(self, name: str) -> np.ndarray:
        """Means over seeds, a season each."""
        return np.asarray(self.rows[name].mean(axis=0))

    def mean(self, name: str) -> float:
        """Mean over seeds and seasons; seasons that have no figure do not count, and without any it is NaN."""
        figures = self.rows[name]
        return float(figures[~np.isnan(figures)].mean()) if not np.isnan(figures).all() else float("nan")

    def early(self, name: str) -> float:
        """Mean over the first quarter of the seasons."""
        return float(self.rows[name][:, : max(self.rows.shape[1] // 4, 1)].mean())

    def late(self, name: str) -> float:
        """Mean over the last quarter of the seasons."""
        return float(self.rows[name][:, -max(self.rows.shape[1] // 4, 1) :].mean())

    def summary(self) -> dict[str, float]:
        """What takes a whole run to tell, as means over seeds."""
        champions = self.places.argmin(axis=2)
        titles = np.array([np.bincount(row).max() for row in champions])
        return {
            "seen": float(self.seen.mean()),
            "ability_drift": self.late("ability") - self.early("ability"),
            "value_drift": self.late("value") / self.early("value"),
            "champions": float(np.mean([len(set(row)) for row in champions.tolist()])),
            "most_titles": float(titles.mean()),
            "repeats": _share(champions[:, 1:] == champions[:, :-1]),
            "rank_correlation": _lagged(self.places, 1),
            "points_correlation": _lagged(self.points, 1),
            "points_correlation_5": _lagged(self.points, 5),
            "points_correlation_10": _lagged(self.points, 10),
            "payroll_correlation": _lagged(_ranks(self.payrolls), 0, _ranks(self.points)),
        }


RUN_MEASURES = {
    "seen": Measure("players ever seen", 1800, 2200),
    "ability_drift": Measure("ability of seniors, last quarter less first", -1.0, 1.0),
    "value_drift": Measure("real squad value, last quarter over first", 0.8, 1.4),
    "champions": Measure("different champions", 3, 8),
    "most_titles": Measure("most titles of one club", 6, 14),
    "repeats": Measure("share of champions who repeat", 0.20, 0.63),
    "rank_correlation": Measure("rank correlation of consecutive seasons", 0.45, 0.75),
    "points_correlation": Measure("points correlation, one season apart", 0.55, 0.80),
    "points_correlation_5": Measure("points correlation, five seasons apart", 0.45, 0.75),
    "points_correlation_10": Measure("points correlation, ten seasons apart", 0.35, 0.70),
    "payroll_correlation": Measure("rank correlation of wages and points", 0.45, 0.85),
}


def study(
    seeds: Iterable[int],
    *,
    seasons: int = 20,
    opponents: str = "tiered",
    params: Params | None = None,
    progress: Callable[[int], None] | None = None,
) -> Study:
    """Run the world alone for each seed. ``progress`` is called with the number of worlds done."""
    alone = World(params)
    done, rows, places, points, payrolls, seen = list(seeds), [], [], [], [], []
    for i, seed in enumerate(done):
        alone.reset(seed, seasons=seasons, opponents=opponents)
        rows.append(alone.play())
        archive = alone.array[0]["clubs"]["seasons"][:, :seasons]
        places.append(archive["position"].T.copy())
        points.append(archive["points"].T.copy())
        payrolls.append(archive["wage_bill"].T.copy())
        seen.append(int(alone.w.n_seen))
        if progress:
            progress(i + 1)
    return Study(done, np.array(rows), np.array(places), np.array(points), np.array(payrolls), np.array(seen))


def _share(flags: np.ndarray) -> float:
    return float(flags.mean()) if flags.size else float("nan")


def _ranks(tables: np.ndarray) -> np.ndarray:
    """Rank of each club in each season's table, from the least up."""
    return np.asarray(tables.argsort(axis=2).argsort(axis=2))


def _lagged(tables: np.ndarray, lag: int, others: np.ndarray | None = None) -> float:
    """Mean correlation over clubs of tables with tables (their own or others) so many seasons later."""
    later = tables if others is None else others
    pairs = [
        np.corrcoef(run[year], then[year + lag])[0, 1]
        for run, then in zip(tables, later, strict=True)
        for year in range(tables.shape[1] - lag)
    ]
    return float(np.mean(pairs)) if pairs else float("nan")


@njit
def _open(w, p, seed, opponents, seasons):
    """Build the world of a seed with all its seats vacant."""
    generate.build(w, p, seed, opponents, seasons, True, np.zeros(len(w.seats), np.int64), 0)
    engine.begin(w, p)


@njit
def _year(w, p, before, row):
    """One season to its last day, and what it looked like; squads are counted at settlement, before contracts end.

    ``before`` holds uid and club of every senior at the last settlement.
    """
    season = season_of(w.day + 1)
    out = w.players.injured_until.copy()
    first_move = w.n_moves
    while w.day < year_end(season):
        day.step(w, p)
        _count_injuries(w, out, row)
        if day_of_year(w.day) == p.calendar.settlement_day:
            _people(w, row)
            _stayed(w, before, row)
    clubs = len(w.clubs)
    row.days_out /= max(row.injuries, 1.0)
    row.injuries /= clubs
    _moves(w, first_move, row)
    _matches(w, row)
    _elevens(w, row)
    _table(w, row)
    _money(w, p, row)


@njit
def _count_injuries(w, out, row):
    """Injuries that began since yesterday; ``out`` holds the days until which players were out."""
    for slot in range(len(w.players)):
        until = w.players[slot].injured_until
        if until > out[slot] and until > w.day:
            row.injuries += 1.0
            row.days_out += until - w.day
        out[slot] = until


@njit
def _people(w, row):
    """Squads, academies and the free list."""
    clubs = len(w.clubs)
    seniors = 0
    chosen = 0
    row.fewest = 1e9
    for club in range(clubs):
        c = w.clubs[club]
        row.fewest = min(row.fewest, float(c.n_squad))
        row.prospects += c.n_academy / clubs
        seniors += c.n_squad
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status != Status.EMPTY:
            row.alive += 1.0
        if pl.status == Status.ACADEMY:
            row.potential += w.truth[slot].potential / max(row.prospects * clubs, 1.0)
        elif pl.status == Status.SENIOR:
            years = (w.day - pl.born) / YEAR
            row.ability += w.truth[slot].ability / seniors
            row.age += years / seniors
            row.young += (years < 21.0) / seniors
            row.old += (years >= 33.0) / seniors
            row.ending += (pl.contract_end <= year_end(w.season)) / seniors
            if pl.first_choice == 1:
                row.eleven += w.truth[slot].ability
                chosen += 1
    row.eleven /= max(chosen, 1)
    row.seniors = seniors / clubs
    row.free = float(w.n_free)


@njit
def _stayed(w, before, row):
    """How many of the last settlement's seniors are with the same club; notes today's."""
    were = 0
    for slot in range(len(w.players)):
        pl = w.players[slot]
        senior = pl.status == Status.SENIOR
        were += before[0, slot] >= 0
        row.kept += senior and pl.uid == before[0, slot] and pl.club == before[1, slot]
        before[0, slot] = pl.uid if senior else -1
        before[1, slot] = pl.club
    row.kept = row.kept / were if were > 0 else np.nan


@njit
def _moves(w, first, row):
    """The season's moves, which the archive keeps in a ring."""
    for i in range(first, w.n_moves):
        m = w.moves[i % len(w.moves)]
        row.bought += m.kind == Move.TRANSFER
        if m.kind == Move.TRANSFER or m.kind == Move.FREE:
            row.signings += 1.0
            row.signed_for += m.years
        row.promoted += m.kind == Move.PROMOTED
        row.retired += (m.kind == Move.RETIRED) & (m.source >= 0)
    clubs = len(w.clubs)
    row.signed_for /= max(row.signings, 1.0)
    row.bought /= clubs
    row.signings /= clubs
    row.promoted /= clubs
    row.retired /= clubs


@njit
def _matches(w, row):
    """Goals, results and cards of the season's matches."""
    n = w.n_fixtures
    for i in range(n):
        f = w.fixtures[i]
        row.goals += (f.home_goals + f.away_goals) / n
        row.home_goals += f.home_goals / n
        row.home_wins += (f.home_goals > f.away_goals) / n
        row.draws += (f.home_goals == f.away_goals) / n
        for side in range(2):
            for j in range(f.apps.shape[1]):
                app = f.apps[side, j]
                if app.uid > 0:
                    _appearance(w, app, n, row)
    scored = row.goals * n
    row.forwards /= max(scored, 1.0)
    row.defenders /= max(scored, 1.0)


@njit
def _appearance(w, app, n, row):
    row.yellows += (app.cards == 1) / n
    row.reds += (app.cards == 2) / n
    if app.goals > 0:
        group = group_of(w.players[(app.uid - 1) % len(w.players)].position)
        row.forwards += app.goals * (group == Group.FW)
        row.defenders += app.goals * (group == Group.DF)


@njit
def _elevens(w, row):
    """How much a club leans on few players, and how often it changes the eleven."""
    clubs = len(w.clubs)
    minutes = np.zeros((clubs, len(w.players)), np.int64)
    last = np.zeros((clubs, LINEUP), np.int64)
    for i in range(w.n_fixtures):
        f = w.fixtures[i]
        for side in range(2):
            club = f.home if side == 0 else f.away
            for j in range(f.apps.shape[1]):
                if f.apps[side, j].uid > 0:
                    minutes[club, (f.apps[side, j].uid - 1) % len(w.players)] += f.apps[side, j].minutes
            if last[club, 0] > 0:
                row.changes += _changed(f.apps[side], last[club]) / (2 * w.n_fixtures - clubs)
            for j in range(LINEUP):
                last[club, j] = f.apps[side, j].uid
    for club in range(clubs):
        used = np.sort(minutes[club])
        row.top_eleven += used[-LINEUP:].sum() / max(used.sum(), 1) / clubs


@njit
def _changed(apps, last):
    """How many of an eleven did not start the last match."""
    new = 0
    for j in range(LINEUP):
        found = False
        for i in range(LINEUP):
            found = found or last[i] == apps[j].uid
        new += not found
    return new


@njit
def _table(w, row):
    """Points a game, deductions included."""
    clubs = len(w.clubs)
    games = 2.0 * (clubs - 1)
    mean = 0.0
    square = 0.0
    for club in range(clubs):
        s = w.clubs[club].seasons[w.season]
        x = s.points / games
        mean += x / clubs
        square += x * x / clubs
        if s.position == 1:
            row.first = x
        if s.position == 4:
            row.fourth = x
        if s.position == clubs:
            row.last = x
    row.spread = np.sqrt(max(square - mean * mean, 0.0))


@njit
def _money(w, p, row):
    """Money in millions of day 0, facilities, administrations."""
    clubs = len(w.clubs)
    unit = deflated(p, 0.001, w.season)
    wages = 0.0
    gate = 0.0
    row.poorest = 1e9
    for club in range(clubs):
        c = w.clubs[club]
        book = c.ledger[w.season]
        row.revenue += unit * c.seasons[w.season].revenue / clubs
        wages -= unit * book[Ledger.WAGES.value] / clubs
        gate += unit * book[Ledger.GATE.value] / clubs
        row.fees -= unit * book[Ledger.FEES.value] / clubs
        row.cash += unit * c.cash / clubs
        row.poorest = min(row.poorest, unit * c.cash)
        row.value += unit * squad_value(w, club) / clubs
        row.net_worth += unit * net_worth(w, p, club) / clubs
        row.insolvent += c.administered == w.season + 1
        row.academies += c.levels[Facility.ACADEMY.value] / clubs
        row.trainings += c.levels[Facility.TRAINING.value] / clubs
        row.stadiums += c.levels[Facility.STADIUM.value] / clubs
    row.wage_ratio = wages / max(row.revenue, 1e-9)
    row.gate = gate / max(row.revenue, 1e-9)
