"""The match engine on a synthetic league: laws of a match, and the realism bands it was calibrated to."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmgym.enums import N_STYLES, Inbox, Position, StopKind
from fmgym.jit import njit
from fmgym.kernels import condition, lineup, match
from fmgym.params import Params
from fmgym.state import LINEUP, MATCH_PLAYERS

from ..league import league, new_season, play_days
from ..measure import seasons

ROOT = Path(__file__).parents[2]


@njit
def play_often(w, p, f, held, days):
    """Goals for and against the home side of fixture ``f`` when it is begun afresh on so many days."""
    m = held[0]
    home = away = 0
    for day in range(days):
        w.day = 360 + day
        match.begin(w, p, f, m)
        for t in range(m.length):
            match.go_on(w, p, m, t, t + 1)
        home += m.score[0]
        away += m.score[1]
    return home, away


def goals(w: Any, p: Any, f: int = 0, days: int = 4000) -> tuple[float, float]:
    """Mean goals of home and away over many playings of one fixture that leave no trace."""
    home, away = play_often(w, p, f, np.zeros(1, match.MATCH), days)
    return home / days, away / days


def even_league(**kwargs: Any) -> tuple[Any, Any]:
    """Clubs that differ in nothing: style fit and beliefs included."""
    w, p = league(3, spread=0.0, club_spread=0.0, belief=0.0, **kwargs)
    for c in w.clubs:
        c.formation = c.style = 0
    for t in w.truth:
        t.style_fit, t.consistency, t.proneness = 1, 0.5, 1.0
    return w, p


# One match


def test_a_match_left_and_entered_again_ends_the_same():
    w, p = league(5)
    w.day = w.fixtures[7].day
    whole = np.zeros(1, match.MATCH)
    match.begin(w, p, 7, whole[0])
    states = []
    for t in range(whole[0].length):
        states.append(whole.copy())
        match.go_on(w, p, whole[0], t, t + 1)
    for start in range(0, len(states), 7):
        again = states[start]
        for t in range(start, again[0].length):
            match.go_on(w, p, again[0], t, t + 1)
        assert again.tobytes() == whole.tobytes()


def test_play_is_begin_minutes_finish():
    one, p = league(5)
    two = league(5)[0]
    one.day = two.day = one.fixtures[3].day
    match.play(one, p, 3)
    held = np.zeros(1, match.MATCH)
    match.begin(two, p, 3, held[0])
    for t in range(held[0].length):
        match.go_on(two, p, held[0], t, t + 1)
    match.finish(two, p, held[0])
    assert one.tobytes() == two.tobytes()


def test_nothing_is_written_before_the_end_but_the_usual_gap():
    w, p = league(5)
    w.day = w.fixtures[3].day
    before = w.copy()
    held = np.zeros(1, match.MATCH)
    match.begin(w, p, 3, held[0])
    for t in range(held[0].length):
        match.go_on(w, p, held[0], t, t + 1)
    for name in ("edge_matches", "edge_defence", "edge_keeper"):
        before[name] = w[name]
    assert w.tobytes() == before.tobytes()


def test_without_the_jit_a_round_is_the_same():
    code = (
        f"import sys; sys.path.append({str(ROOT)!r})\n"  # for tests.league; fmgym stays the one under test
        "import hashlib, numpy as np\n"
        "from fmgym.kernels import condition, lineup, match\n"
        "from tests.league import league\n"
        "w, p = league(11)\n"
        "w.clubs[0].lineup_auto = 0\n"
        "w.clubs[0].lineup[:] = w.players['uid'][w.clubs[0].squad[4:15]]\n"
        "for f in range(16):\n"
        "    w.day = w.fixtures[f].day\n"
        "    match.play(w, p, f)\n"
        "condition.training_injuries(w, p)\n"
        "condition.morale_month(w, p)\n"
        "for club in range(len(w.clubs)):\n"
        "    lineup.mark_first_choice(w, p, club)\n"
        "    w.clubs[club].reputation = lineup.best_eleven_strength(w, p, club)\n"
        "print(hashlib.sha256(w.tobytes()).hexdigest())\n"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"NUMBA_DISABLE_JIT": flag},
        ).stdout
        for flag in ("0", "1")
    ]
    assert digests[0] == digests[1] != ""


def test_books_agree_with_the_score():
    w, p = league(2)
    play_days(w, p)
    fx, pl = w.fixtures[: w.n_fixtures], w.players
    total = fx["home_goals"].sum() + fx["away_goals"].sum()
    assert 0 < total - pl["goals"].sum() < 0.06 * total  # own goals
    for side, scored in enumerate(("home_goals", "away_goals")):
        assert (fx["apps"]["goals"][:, side].sum(1) <= fx[scored]).all()
        assert (fx["apps"]["assists"][:, side].sum(1) <= fx["apps"]["goals"][:, side].sum(1)).all()
        assert (fx["shots"][:, side] >= fx["apps"]["goals"][:, side].sum(1)).all()
        assert (fx["apps"]["minutes"][:, side].sum(1) <= 11 * 90).all()
        assert (fx["apps"]["minutes"][:, side].sum(1) > 9 * 90).all()
    assert fx["apps"]["goals"].sum() == pl["goals"].sum() == pl["career_goals"].sum()
    assert fx["apps"]["minutes"].sum() == pl["minutes"].sum() == pl["career_minutes"].sum()
    assert (fx["apps"]["uid"] > 0).sum() == pl["apps"].sum()
    assert (fx["played"] == 1).all()
    rows = w.clubs
    assert (rows["played"] == 30).all()
    assert (rows["won"] + rows["drawn"] + rows["lost"] == rows["played"]).all()
    assert (rows["points"] == 3 * rows["won"] + rows["drawn"]).all()
    assert rows["goals_for"].sum() == rows["goals_against"].sum() == total
    assert rows["won"].sum() == rows["lost"].sum()


def test_state_stays_in_bounds():
    w, p = league(8)
    for _ in range(2):
        play_days(w, p)
        new_season(w)
    pl = w.players
    for name in ("condition", "morale"):
        assert ((pl[name] >= 0) & (pl[name] <= 100)).all()
    assert ((pl["playing"] >= 0) & (pl["playing"] <= 1)).all()
    assert (abs(pl["form"]) < 5).all()
    assert (pl["banned"] >= 0).all()
    for name, _ in w.dtype.fields.items():
        if w.dtype[name] == np.float64:
            assert np.isfinite(w[name])


# What makes a side stronger or weaker


def test_ten_men_are_weaker():
    w, p = even_league()
    eleven = goals(w, p)
    held = np.zeros(1, match.MATCH)
    ten = _goals_with_ten(w, p, 0, held, 4000)
    assert ten[0] / 4000 < 0.85 * eleven[0]
    assert ten[1] / 4000 > 1.15 * eleven[1]


@njit
def _goals_with_ten(w, p, f, held, days):
    """As ``play_often``, the home side losing its first midfielder at kick-off."""
    m = held[0]
    home = away = 0
    for day in range(days):
        w.day = 360 + day
        match.begin(w, p, f, m)
        m.on[0, 5] = -1
        match._set_lines(p, m, 0)
        m.changes[0] = p.match.changes_most
        for t in range(m.length):
            match.go_on(w, p, m, t, t + 1)
        home += m.score[0]
        away += m.score[1]
    return home, away


def test_a_better_side_scores_more_and_home_helps():
    w, p = even_league()
    home, away = goals(w, p)
    assert 1.20 < home / away < 1.46
    w, p = even_league(levels=[70.5] * 16)
    same = goals(w, p)
    assert same[0] == pytest.approx(home, rel=0.08)
    fx = w.fixtures[0]
    w.truth["ability"][w.players["club"] == fx.away] -= 4
    better = goals(w, p)
    slope = np.log(better[0] / better[1]) - np.log(home / away)
    assert 0.15 < slope / 4 < 0.27  # twice .104 a point, realism.md


def test_a_counter_style_helps_and_a_switch_costs():
    w, p = even_league()
    fx = w.fixtures[0]
    base = goals(w, p)
    w.clubs[fx.home].style = N_STYLES - 1  # beats style 0
    counter = goals(w, p)
    assert counter[0] - counter[1] > base[0] - base[1] + 0.1
    w.clubs[fx.home].style = 0
    w.clubs[fx.home].style_day = 10**6
    fresh = goals(w, p)
    assert fresh[0] - fresh[1] < base[0] - base[1] - 0.2


@pytest.mark.parametrize("style", range(N_STYLES))
def test_no_style_is_better_in_itself(style):
    w, p = even_league()
    fx = w.fixtures[0]
    w.clubs[fx.home].style = w.clubs[fx.away].style = 0
    base = goals(w, p)
    if (style + 1) % N_STYLES in (0, 1) or style == 1:  # one beats the other: no fair comparison
        w.clubs[fx.home].style = w.clubs[fx.away].style = style
        pair = goals(w, p)
        assert pair[0] / pair[1] == pytest.approx(base[0] / base[1], rel=0.12)
        return
    w.clubs[fx.home].style = style
    other = goals(w, p)
    assert other[0] / other[1] == pytest.approx(base[0] / base[1], rel=0.15)


def test_condition_morale_and_form_count():
    w, p = even_league()
    fx = w.fixtures[0]
    base = goals(w, p)
    mine = w.players["club"] == fx.home
    for name, low in (("morale", 0.0), ("form", -3.0)):
        keep = w.players[name].copy()
        w.players[name][mine] = low
        worse = goals(w, p)
        assert worse[0] - worse[1] < base[0] - base[1] - 0.1, name
        w.players[name] = keep
    w.players["condition"][mine] = 40.0
    w.players["condition_day"][mine] = 10**6  # no recovery in any of the days
    tired = goals(w, p)
    assert tired[0] - tired[1] < base[0] - base[1] - 0.3


def test_goals_do_not_drift_when_keepers_and_defenders_outgrow_forwards():
    w, p = league(4)
    first = _season_goals(w, p)
    back = np.isin(w.players["position"], (Position.GK, Position.CB, Position.FB))
    w.truth["ability"][back] += 6
    for _ in range(2):
        new_season(w)
        later = _season_goals(w, p)
    assert later == pytest.approx(first, abs=0.35)
    planted = Params.default().replace({"match.edge_rate": 0.0})
    w, p = league(4, params=planted)
    w.edge_matches = 10**9  # learns nothing
    w.truth["ability"][back] += 6
    assert _season_goals(w, p) < first - 0.5  # the test above can fail


def _season_goals(w: Any, p: Any) -> float:
    play_days(w, p)
    fx = w.fixtures[: w.n_fixtures]
    return float((fx["home_goals"] + fx["away_goals"]).mean())


# Squads short of men


@pytest.mark.parametrize("left", [16, 11, 7, 1, 0])
def test_a_short_squad_plays_on_weaker(left):
    w, p = even_league()
    fx = w.fixtures[0]
    base = goals(w, p)
    w.clubs[fx.home].n_squad = left
    short = goals(w, p, days=1000)
    if left < 11:
        assert short[0] - short[1] < base[0] - base[1] - 0.3
    w.day = fx.day
    match.play(w, p, 0)
    assert (w.fixtures[0].apps[0]["uid"] > 0).sum() <= left
    assert w.fixtures[0].played == 1


def test_without_a_goalkeeper_an_outfield_player_stands_in():
    w, p = even_league()
    fx = w.fixtures[0]
    base = goals(w, p)
    w.players["injured_until"][(w.players["club"] == fx.home) & (w.players["position"] == Position.GK)] = 10**6
    out = np.zeros(MATCH_PLAYERS, np.int64)
    lineup.pick(w, p, fx.home, out)
    assert out[0] >= 0
    assert w.players[out[0]].position != Position.GK
    assert goals(w, p)[1] > 1.3 * base[1]


# Cards, injuries, condition


def test_a_ban_is_served_in_the_clubs_matches():
    w, p = league(6)
    mine = [f for f in range(w.n_fixtures) if 0 in (w.fixtures[f].home, w.fixtures[f].away)]
    out = np.zeros(MATCH_PLAYERS, np.int64)
    lineup.pick(w, p, 0, out)
    star = w.players[out[3]]
    star.banned = 2
    for f in mine[:3]:
        w.day = w.fixtures[f].day
        banned = int(star.banned)
        match.play(w, p, f)
        played = star.uid in w.fixtures[f].apps["uid"]
        assert played == (banned == 0)
    assert star.apps == 1


def test_cards_bring_bans():
    w, p = league(6, params=Params.default().replace({"match.card": 0.3, "match.red": 0.2}))
    w.day = w.fixtures[0].day
    match.play(w, p, 0)
    apps = w.fixtures[0].apps
    for side in range(2):
        for app in apps[side]:
            if app["cards"] == match.RED:
                pl = w.players[app["uid"] - 1]
                assert pl.reds == 1
                assert pl.banned >= 1
    assert (apps["cards"] == match.RED).any()


def test_a_long_injury_of_a_first_choice_stops_the_world_and_is_told():
    w, p = league(6)
    w.clubs[2].seat = 0
    slot = int(w.clubs[2].squad[5])
    w.players[slot].first_choice = 1
    w.day = 100
    condition.injure(w, p, slot, int(p.calendar.injury_stop_days))
    seat = w.seats[0]
    assert seat.kinds == 1 << StopKind.MAJOR_INJURY
    assert tuple(seat.inbox[0])[:4] == (Inbox.INJURY, 100, w.players[slot].uid, p.calendar.injury_stop_days)
    assert not condition.available(w, p, slot)
    w.day += int(p.calendar.injury_stop_days)
    assert condition.available(w, p, slot)
    condition.injure(w, p, slot, int(p.calendar.injury_stop_days) - 1)
    assert seat.n_inbox == 2


def test_training_ground_and_proneness_change_injuries():
    counts = []
    for level, proneness in ((1, 1.0), (5, 1.0), (1, 2.0)):
        w, p = league(9)
        w.clubs["levels"][:] = level
        w.truth["proneness"] = proneness
        total = 0
        for month in range(60):
            w.day = 30 * month
            w.players["injured_until"] = 0
            condition.training_injuries(w, p)
            total += int((w.players["injured_until"] > w.day).sum())
        counts.append(total)
    assert counts[1] < 0.9 * counts[0]
    assert 1.7 < counts[2] / counts[0] < 2.3


def test_injury_lengths():
    p = Params.default().record[0]
    rng = np.random.default_rng(0)
    days = np.array([condition.injury_days(p, z) for z in rng.standard_normal(20000)])
    assert 15 <= days.mean() <= 24
    assert 7 <= np.median(days) <= 12
    assert 0.14 <= (days > 28).mean() <= 0.20


def test_condition_recovers_and_youth_helps():
    w, p = league(1)
    young, old = w.players[0], w.players[1]
    young.born, old.born = -19 * 360, -34 * 360
    w.players["condition"] = 60.0
    levels = []
    for day in range(40):
        w.day = day
        levels.append((condition.condition_now(w, p, 0), condition.condition_now(w, p, 1)))
        assert levels[-1][0] >= levels[-1][1] or day == 0
    assert levels[0] == (60.0, 60.0)
    assert all(a <= b for a, b in itertools.pairwise(levels))
    assert levels[-1] == (100.0, 100.0)


# Lineups


def test_the_preferred_eleven_plays_and_is_completed():
    w, p = league(6)
    c = w.clubs[0]
    out = np.zeros(MATCH_PLAYERS, np.int64)
    lineup.pick(w, p, 0, out)
    chosen = [int(s) for s in out[:LINEUP]]
    worst = min(
        (s for s in c.squad[: c.n_squad] if w.players[s].position == Position.CB),
        key=lambda s: w.players[s].own_ability,
    )
    role = next(i for i, s in enumerate(chosen) if w.players[s].position == Position.CB)
    chosen[role] = int(worst)
    c.lineup_auto = 0
    c.lineup[:] = w.players["uid"][chosen]
    lineup.pick(w, p, 0, out)
    assert set(out[:LINEUP]) == set(chosen)
    w.players[chosen[0]].injured_until = 10**6
    lineup.pick(w, p, 0, out)
    assert set(chosen[1:]) < set(out[:LINEUP])
    assert w.players[out[0]].position == Position.GK
    assert len(set(out)) == MATCH_PLAYERS


def test_an_eleven_is_nearly_the_best_assignment():
    p = Params.default().record[0]
    suit = np.array(p.match.suit).reshape(8, 8)
    roles = np.array(p.match.roles).reshape(3, LINEUP)
    lost = []
    for seed in range(10):
        w, p = league(seed)
        for club, c in enumerate(w.clubs):
            squad = c.squad[: c.n_squad]
            kept = suit[w.players["position"][squad]][:, roles[c.formation]]
            worth = w.players["own_ability"][squad][:, None] * kept
            lost.append(_best_assignment(worth) - lineup.best_eleven_strength(w, p, club))
    assert min(lost) > -1e-9
    assert np.mean(lost) < 0.1
    assert max(lost) < 1.0


def _best_assignment(worth: np.ndarray) -> float:
    """Mean worth of the best eleven of all, over sets of filled roles."""
    sets = np.arange(1 << LINEUP)
    best = np.where(sets == 0, 0.0, -np.inf)
    for man in worth:
        after = best.copy()
        for r in range(LINEUP):
            have = sets[(sets >> r) & 1 == 1]
            after[have] = np.maximum(after[have], best[have ^ (1 << r)] + man[r])
        best = after
    return float(best[-1]) / LINEUP


def test_a_manager_who_rotates_rests_the_tired():
    w, p = even_league()
    out = np.zeros(MATCH_PLAYERS, np.int64)
    w.clubs[0].rotate = 0
    lineup.pick(w, p, 0, out)
    eleven = set(out[:LINEUP])
    w.day = 100
    w.players["condition_day"] = w.day
    w.players["condition"][list(eleven)] = 40.0
    lineup.pick(w, p, 0, out)
    assert set(out[:LINEUP]) == eleven
    w.clubs[0].rotate = 1
    lineup.pick(w, p, 0, out)
    assert len(set(out[:LINEUP]) & eleven) < 9


def test_lineups_never_depend_on_the_truth():
    w, p = league(6)
    before, after = np.zeros((2, MATCH_PLAYERS), np.int64)
    lineup.pick(w, p, 0, before)
    w.truth["ability"] = 0.0
    w.truth["style_fit"] = 3
    lineup.pick(w, p, 0, after)
    assert (before == after).all()


def test_first_choice_marks_eleven_whatever_their_state():
    w, p = league(6)
    lineup.mark_first_choice(w, p, 0)
    marked = w.players["first_choice"].copy()
    assert marked.sum() == LINEUP
    w.players["injured_until"] = 10**6
    w.players["condition"] = 10.0
    lineup.mark_first_choice(w, p, 0)
    assert (w.players["first_choice"] == marked).all()


# Morale


def test_morale_follows_play_results_and_contract():
    w, p = league(6)
    w.day = 150
    c = w.clubs[0]
    c.played, c.won = 10, 5
    squad = c.squad[: c.n_squad]
    w.players["born"] = -27 * 360
    w.players["playing"] = 0.25
    condition.morale_month(w, p)
    usual = float(w.players[squad[0]].morale)
    others = {"playing": 0.9, "contract_end": 200, "first_choice": 1}
    moved = {}
    for name, value in others.items():
        w.players["morale"] = 50.0
        keep = w.players[squad[0]][name]
        w.players[squad[0]][name] = value
        condition.morale_month(w, p)
        moved[name] = float(w.players[squad[0]].morale) - usual
        w.players[squad[0]][name] = keep
    assert moved["playing"] > 2
    assert moved["contract_end"] < -1
    assert moved["first_choice"] < -2
    w.players["morale"] = 50.0
    c.won = 0
    condition.morale_month(w, p)
    assert w.players[squad[0]].morale < usual - 2
    for _ in range(100):
        condition.morale_month(w, p)
    assert ((w.players["morale"] >= 0) & (w.players["morale"] <= 100)).all()


# Realism (the bands are those of twenty-season means)

BANDS = {
    "goals": (2.40, 3.00), "home_goals": (1.40, 1.75), "away_goals": (0.97, 1.28),
    "home_win": (0.43, 0.49), "draw": (0.23, 0.285), "away_win": (0.25, 0.315),
    "vm_total": (1.00, 1.10), "vm_home": (1.00, 1.17), "vm_away": (1.05, 1.19), "corr": (-0.14, 0.012),
    "clean": (0.25, 0.33), "margin3": (0.12, 0.214),
    "0-0": (0.056, 0.103), "1-1": (0.105, 0.133), "7+": (0.0118, 0.0377),
    "penalty_share": (0.07, 0.11), "penalties": (0.22, 0.36), "conversion": (0.74, 0.81),
    "own_goal_share": (0.02, 0.04), "yellows": (3.3, 5.0), "reds": (0.14, 0.30), "shots": (22, 28),
    "assisted": (0.65, 0.76), "share_FW": (0.45, 0.62), "share_MF": (0.27, 0.42), "share_DF": (0.09, 0.14),
    "club_scorer": (0.18, 0.375), "top_scorer": (17, 30),
    "top11": (0.65, 0.79), "top16": (0.83, 0.95), "top20": (0.92, 0.99),
    "over75": (3, 6.5), "over50": (9.5, 11.5),
    "xi_changes": (2.0, 3.3), "sub_minutes": (0.05, 0.10),
    "match_injuries_1000h": (20, 28), "injuries_squad": (24, 40),
    "t00": (0.113, 0.137), "t15": (0.133, 0.157), "t30": (0.138, 0.162), "t45+": (0.006, 0.03),
    "t45": (0.152, 0.176), "t60": (0.158, 0.182), "t75": (0.162, 0.186), "t90+": (0.041, 0.075),
    "ppg_sd": (0.36, 0.50), "ppg_first": (2.08, 2.45), "ppg_fourth": (1.62, 1.80), "ppg_last": (0.55, 0.78),
    "possession": (50, 54), "morale": (42, 58), "form": (-0.25, 0.25),
}  # fmt: skip


@pytest.fixture(scope="module")
def measured() -> dict[str, float]:
    return seasons(4, range(101, 113))


@pytest.mark.parametrize("name", BANDS)
def test_realism(measured, name):
    low, high = BANDS[name]
    assert low <= measured[name] <= high


def test_dispersion_given_strengths_and_steepness():
    """Goals of sides whose strength is known: a little less spread than Poisson, log rate .104 a point."""
    w, p = league(1, levels=list(66.5 + np.linspace(-3.75, 3.75, 16)), spread=0.3, belief=0.3)
    w.clubs["style"] = w.clubs["formation"] = 0
    gaps: dict[str, list[float]] = {"home": [], "away": []}
    scored: dict[str, list[float]] = {"home": [], "away": []}
    level = [float(np.mean(w.truth["ability"][c.squad[: c.n_squad]])) for c in w.clubs]
    for _ in range(25):
        play_days(w, p)
        for fx in w.fixtures[: w.n_fixtures]:
            gaps["home"].append(level[fx.home] - level[fx.away])
            gaps["away"].append(level[fx.away] - level[fx.home])
            scored["home"].append(fx.home_goals)
            scored["away"].append(fx.away_goals)
        new_season(w)
    for side in ("home", "away"):
        slope, dispersion = _poisson(np.array(gaps[side]), np.array(scored[side]))
        assert 0.09 <= slope <= 0.12
        assert 0.88 <= dispersion <= 1.02
    assert 1.22 <= sum(scored["home"]) / sum(scored["away"]) <= 1.44


def _poisson(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope of log rate on ``x``, and variance over mean given it."""
    design = np.c_[np.ones(len(x)), x]
    b = np.array([np.log(y.mean()), 0.0])
    for _ in range(30):
        mu = np.exp(design @ b)
        b = b + np.linalg.solve(design.T @ (design * mu[:, None]), design.T @ (y - mu))
    return float(b[1]), float(((y - mu) ** 2 / mu).mean())
