"""A synthetic league, filled by hand: clubs, squads and fixtures without the generator, market or finances.

``league()`` returns one world record and the parameters. Squads repeat one pattern of positions; abilities
are normal around each club's own level.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fmgym.enums import N_STYLES, Position, Status
from fmgym.jit import njit
from fmgym.kernels import match
from fmgym.params import Params
from fmgym.state import LINEUP, YEAR, world_type

G, C, B, D, M, A, W, S = Position
SQUAD = (G, C, C, C, C, B, B, B, B, D, D, M, M, M, A, A, W, W, W, S, S, S, G, D, A)


def league(
    seed: int = 1,
    *,
    params: Params | None = None,
    squad: int = len(SQUAD),
    mean: float = 66.5,
    spread: float = 3.1,
    club_spread: float = 1.6,
    levels: list[float] | None = None,
    belief: float = 1.5,
) -> tuple[Any, Any]:
    """A world record on day 0 and the parameters' record."""
    params = params or Params.default()
    worlds = np.zeros(1, world_type(params.shape))
    w = worlds[0]
    rng = np.random.default_rng(seed)
    w.seed = seed
    w.n_fixtures = _schedule(w, params)
    clubs = len(w.clubs)
    ours = levels or list(mean + club_spread * rng.standard_normal(clubs))
    for club in range(clubs):
        _fill_club(w, club, rng, squad, ours[club], spread, belief)
    return w, params.record[0]


def _fill_club(w: Any, club: int, rng: Any, squad: int, level: float, spread: float, belief: float) -> None:
    c = w.clubs[club]
    c.seat = -1
    c.formation = club % 3
    c.style = club % N_STYLES
    c.style_day = -YEAR
    c.lineup_auto = 1
    c.rotate = min(club % 3, 1)  # one manager in three does not, as among tiers (paper, Table 6)
    c.levels[:] = 1
    c.squad[:] = -1
    c.lineup[:] = 0
    c.n_squad = squad
    for j in range(squad):
        slot = club * squad + j
        c.squad[j] = slot
        _fill_player(w, slot, club, SQUAD[j % len(SQUAD)], rng, level, spread, belief)


def _fill_player(
    w: Any, slot: int, club: int, position: int, rng: Any, level: float, spread: float, belief: float
) -> None:
    pl, truth = w.players[slot], w.truth[slot]
    pl.uid = slot + 1
    pl.status = int(Status.SENIOR)
    pl.position = int(position)
    pl.club = club
    pl.born = -int(YEAR * rng.uniform(18, 34))
    pl.contract_end = 100 * YEAR - 1
    pl.condition = 100.0
    pl.morale = 50.0
    truth.ability = level + spread * rng.standard_normal()
    truth.potential = truth.ability
    truth.proneness = float(np.exp(0.4 * rng.standard_normal() - 0.08))
    truth.growth = 1.0
    truth.consistency = float(np.clip(0.5 + 0.2 * rng.standard_normal(), 0, 1))
    truth.style_fit = int(rng.integers(N_STYLES))
    pl.own_ability = pl.pub_ability = truth.ability + belief * rng.standard_normal()


def _schedule(w: Any, params: Params) -> int:
    """Double round robin by the circle method, spread over the season's match days."""
    n = len(w.clubs)
    first, last = params.calendar.rounds
    rounds = 2 * (n - 1)
    f = 0
    for r in range(rounds):
        day = first - 1 + (last - first) * r // (rounds - 1)
        for i in range(n // 2):
            a, b = _pair(r % (n - 1), i, n)
            if (r + (i == 0) * r) % 2 ^ (r >= n - 1):
                a, b = b, a
            fx = w.fixtures[f]
            fx.day, fx.round, fx.home, fx.away = day, r, a, b
            f += 1
    return f


def _pair(r: int, i: int, n: int) -> tuple[int, int]:
    if i == 0:
        return n - 1, r
    return (r + i) % (n - 1), (r - i) % (n - 1)


def new_season(w: Any) -> None:
    """Move to the first day of the next season: empty table and statistics, fixtures a year later."""
    w.season += 1
    w.day = w.season * YEAR
    for f in range(w.n_fixtures):
        w.fixtures[f].day += YEAR
        w.fixtures[f].played = 0
    for c in w.clubs:
        c.played = c.won = c.drawn = c.lost = c.goals_for = c.goals_against = c.points = 0
    for pl in w.players:
        pl.apps = pl.starts = pl.minutes = pl.goals = pl.assists = pl.yellows = pl.reds = 0
        pl.rating_sum = 0.0


def lineup_of(w: Any, f: int, side: int) -> list[int]:
    """The uids that started, from the report."""
    return [int(u) for u in w.fixtures[f].apps[side]["uid"][:LINEUP]]


@njit
def play_days(w, p):
    """All rounds of a season, nothing else."""
    for f in range(w.n_fixtures):
        w.day = w.fixtures[f].day
        match.play(w, p, f)
