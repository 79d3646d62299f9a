"""What a synthetic league's seasons look like: the figures that realism bands speak of."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from fmgym.jit import njit
from fmgym.kernels import condition, lineup, match
from fmgym.params import Params

from .league import league, lineup_of, new_season

PASSES = 7  # months that begin between the first and the last match day


@njit
def play_season(w, p, held, timing, tally):
    """All rounds and monthly passes; goals by time into ``timing``, rare events into ``tally``."""
    m = held[0]
    month = w.fixtures[0].day // p.condition.month
    for club in range(len(w.clubs)):
        lineup.mark_first_choice(w, p, club)
    for f in range(w.n_fixtures):
        w.day = w.fixtures[f].day
        while month < w.day // p.condition.month:
            month += 1
            tally[5] -= _injured(w)
            condition.training_injuries(w, p)
            tally[5] += _injured(w)
            condition.morale_month(w, p)
            for club in range(len(w.clubs)):
                lineup.mark_first_choice(w, p, club)
        match.begin(w, p, f, m)
        for t in range(m.length):
            before = m.score[0] + m.score[1]
            match.go_on(w, p, m, t, t + 1)
            timing[_bucket(p, m, t)] += m.score[0] + m.score[1] - before
        _tally(m, tally)
        match.finish(w, p, m)


@njit
def _injured(w):
    """How many players are injured today."""
    total = 0
    for slot in range(len(w.players)):
        if condition.injured(w, slot):
            total += 1
    return total


@njit
def _bucket(p, m, t):
    half = p.match.half
    if t < half:
        return t // 15
    if t < half + m.added[0]:
        return 3
    return min(4 + (t - half - m.added[0]) // 15, 7)


@njit
def _tally(m, tally):
    for s in range(2):
        tally[0] += m.own_goals[s]
        tally[1] += m.penalties[s]
        tally[2] += m.converted[s]
        tally[3] += m.changes[s]
        for i in range(16):
            if m.hurt[s, i] > 0:
                tally[4] += 1


def seasons(n: int, seeds: range, params: Params | None = None, **kwargs: Any) -> dict[str, float]:
    """Means over ``n`` seasons for each seed."""
    rows: dict[str, list[float]] = defaultdict(list)
    timing, tally = np.zeros(8), np.zeros(6)
    goals = []
    for seed in seeds:
        w, p = league(seed, params=params, **kwargs)
        held = np.zeros(1, match.MATCH)
        for s in range(n):
            if s:
                new_season(w)
            play_season(w, p, held, timing, tally)
            _season(rows, w)
            goals.append(np.array([w.fixtures["home_goals"][: w.n_fixtures], w.fixtures["away_goals"][: w.n_fixtures]]))
    out = {k: float(np.mean(v)) for k, v in rows.items()}
    _matches(out, np.concatenate(goals, axis=1))
    games = len(goals) * w.n_fixtures
    total = float(np.concatenate(goals, axis=1).sum())
    out |= {
        "own_goal_share": tally[0] / total,
        "penalties": tally[1] / games,
        "conversion": tally[2] / tally[1],
        "penalty_share": tally[2] / total,
        "changes_side": tally[3] / games / 2,
        "match_injuries_1000h": tally[4] / (games * 33) * 1000,
        "injuries_squad": (tally[4] + tally[5] * 12 / PASSES) / (len(goals) * len(w.clubs)),
    }
    for name, share in zip(
        ("t00", "t15", "t30", "t45+", "t45", "t60", "t75", "t90+"), timing / timing.sum(), strict=True
    ):
        out[name] = float(share)
    return out


def _matches(out: dict[str, float], g: np.ndarray) -> None:
    h, a = g
    t = h + a
    out |= {
        "goals": t.mean(),
        "home_goals": h.mean(),
        "away_goals": a.mean(),
        "home_win": (h > a).mean(),
        "draw": (h == a).mean(),
        "away_win": (h < a).mean(),
        "vm_total": t.var() / t.mean(),
        "vm_home": h.var() / h.mean(),
        "vm_away": a.var() / a.mean(),
        "corr": np.corrcoef(h, a)[0, 1],
        "clean": ((h == 0).mean() + (a == 0).mean()) / 2,
        "margin3": (abs(h - a) >= 3).mean(),
        "0-0": (t == 0).mean(),
        "1-1": ((h == 1) & (a == 1)).mean(),
        "7+": (t >= 7).mean(),
    }


def _season(rows: dict[str, list[float]], w: Any) -> None:
    fx = w.fixtures[: w.n_fixtures]
    rows["shots"].append(fx["shots"].sum(1).mean())
    rows["possession"].append(fx["possession"].mean())
    pl = w.players
    n = w.n_fixtures
    rows["yellows"].append(pl["yellows"].sum() / n)
    rows["reds"].append(pl["reds"].sum() / n)
    goals = pl["goals"].sum()
    rows["assisted"].append(pl["assists"].sum() / goals)
    for name, group in (("DF", (1, 2)), ("MF", (3, 4, 5)), ("FW", (6, 7))):
        rows["share_" + name].append(pl["goals"][np.isin(pl["position"], group)].sum() / goals)
    rows["top_scorer"].append(pl["goals"].max())
    rows["rating"].append(pl["rating_sum"].sum() / pl["apps"].sum())
    rows["morale"].append(pl["morale"][pl["status"] == 1].mean())
    rows["morale_sd"].append(pl["morale"][pl["status"] == 1].std())
    rows["form_sd"].append(pl["form"][pl["minutes"] > 900].std())
    rows["form"].append(pl["form"][pl["minutes"] > 900].mean())
    _clubs(rows, w)
    _elevens(rows, w)


def _clubs(rows: dict[str, list[float]], w: Any) -> None:
    points = np.sort(w.clubs["points"] / w.clubs["played"])[::-1]
    rows["ppg_first"].append(points[0])
    rows["ppg_fourth"].append(points[3])
    rows["ppg_last"].append(points[-1])
    rows["ppg_sd"].append(points.std())
    for club, c in enumerate(w.clubs):
        mine = w.players[(w.players["club"] == club) & (w.players["status"] == 1)]
        minutes = np.sort(mine["minutes"])[::-1]
        total = minutes.sum()
        rows["top11"].append(minutes[:11].sum() / total)
        rows["top16"].append(minutes[:16].sum() / total)
        rows["top20"].append(minutes[:20].sum() / total)
        rows["over75"].append((minutes > 0.75 * 90 * c.played).sum())
        rows["over50"].append((minutes > 0.50 * 90 * c.played).sum())
        rows["club_scorer"].append(mine["goals"].max() / max(c.goals_for, 1))


def _elevens(rows: dict[str, list[float]], w: Any) -> None:
    last: dict[int, set[int]] = {}
    sub_minutes = all_minutes = 0
    for f in range(w.n_fixtures):
        for side, club in enumerate((w.fixtures[f].home, w.fixtures[f].away)):
            eleven = set(lineup_of(w, f, side))
            if club in last:
                rows["xi_changes"].append(len(eleven - last[club]))
            last[club] = eleven
            apps = w.fixtures[f].apps[side]["minutes"]
            sub_minutes += apps[11:].sum()
            all_minutes += apps.sum()
    rows["sub_minutes"].append(sub_minutes / all_minutes)


def show(out: dict[str, float]) -> None:
    for name, value in out.items():
        print(f"{name:22s} {value:8.3f}")


if __name__ == "__main__":
    import sys

    show(seasons(int(sys.argv[1]), range(1, 1 + int(sys.argv[2]))))
