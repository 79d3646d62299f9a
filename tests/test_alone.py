"""The world alone: what its yearly rows say is what the state says."""

import numpy as np
import pytest

from fmgym.alone import MEASURES, Measure, World, study
from fmgym.enums import Settle, Status
from fmgym.kernels import day
from fmgym.params import Params
from fmgym.testing import broken_laws


@pytest.fixture(scope="module")
def played() -> tuple[World, np.ndarray]:
    """A world that has been alone for two seasons, and its rows."""
    world = World()
    world.reset(5, seasons=2)
    return world, world.play()


def test_no_seat_is_live_and_all_tiers_are_there(played: tuple[World, np.ndarray]) -> None:
    w = played[0].w
    assert all(seat.settled == Settle.VACANT for seat in w.seats)
    assert all(club.seat == -1 for club in w.clubs)
    assert sorted(np.bincount([club.tier for club in w.clubs])) == [5, 5, 6]


def test_laws_hold_at_the_end(played: tuple[World, np.ndarray]) -> None:
    assert played[0].w.day == 2 * 360 - 1
    assert not broken_laws(played[0])


def test_rows_say_what_the_state_says(played: tuple[World, np.ndarray]) -> None:
    world, rows = played
    w, row = world.w, rows[1]
    fixtures = w.fixtures[: w.n_fixtures]
    home, away = fixtures["home_goals"], fixtures["away_goals"]
    assert row["goals"] == pytest.approx((home + away).mean())
    assert row["home_wins"] == pytest.approx((home > away).mean())
    assert row["fourth"] == pytest.approx(np.sort([club.seasons[1].points for club in w.clubs])[-4] / 30, abs=0.05)
    assert np.isnan(rows["kept"][0]) and 0.4 < row["kept"] < 0.95
    assert 0.6 < row["top_eleven"] < 0.9 and 1 < row["changes"] < 5
    points = np.array([club.seasons[1].points for club in w.clubs]) / 30
    assert row["spread"] == pytest.approx(points.std())
    assert row["first"] == pytest.approx(points.max())
    assert row["cash"] == pytest.approx(np.mean([club.cash for club in w.clubs]) / 1000 / 1.04**2, rel=0.05)
    assert 0.3 < row["wage_ratio"] < 0.9
    assert 10 < row["injuries"] < 60
    assert 10 < row["days_out"] < 30


def test_people_are_counted_at_settlement() -> None:
    world, row = World(), study([5], seasons=1).rows[0, 0]
    world.reset(5, seasons=1)
    w = world.w
    while w.day < 299:
        day.step(w, world.p)
    assert row["seniors"] == pytest.approx(np.mean([club.n_squad for club in w.clubs]))
    assert row["alive"] == (w.players["status"] > 0).sum()
    ending = (w.players["status"] == Status.SENIOR) & (w.players["contract_end"] < 360)
    assert row["ending"] == pytest.approx(ending.sum() / (w.players["status"] == Status.SENIOR).sum())


def test_an_eleven_that_never_changes_counts_as_such() -> None:
    """Whole teams without injuries, bans or fatigue, whose managers do not rotate, hardly change."""
    calm = {"condition.match_injury": 0.0, "condition.training_injury": 0.0, "condition.spend": 0.0, "match.card": 0.0}
    steady = study([1], seasons=1, params=Params.default().replace(calm | {"match.pick_form": 0.0})).rows
    usual = study([1], seasons=1).rows
    assert steady["changes"][0, 0] < 0.6 < usual["changes"][0, 0]
    assert steady["top_eleven"][0, 0] > usual["top_eleven"][0, 0]


def test_injuries_are_counted_on_the_day_they_begin() -> None:
    """With injuries that nobody suffers none are counted."""
    params = Params.default().replace({"condition.match_injury": 0.0, "condition.training_injury": 0.0})
    rows = study([1], seasons=1, params=params).rows
    assert rows["injuries"][0, 0] == 0
    assert rows["days_out"][0, 0] == 0


def test_study_does_not_depend_on_the_order_of_seeds() -> None:
    done: list[int] = []
    first = study([1, 2], seasons=2, progress=done.append)
    second = study([2, 1], seasons=2)
    assert done == [1, 2]
    assert first.rows.tobytes() == second.rows[::-1].tobytes()  # NaN included
    assert np.array_equal(first.places, second.places[::-1])
    assert not np.array_equal(first.rows[0], first.rows[1])
    assert set(MEASURES) == set(first.rows.dtype.names)
    assert first.summary()["champions"] >= 1


def test_measure_knows_its_band() -> None:
    band = Measure("", 1.0, 2.0)
    assert [band.holds(x) for x in (0.9, 1.0, 2.0, 2.1)] == [False, True, True, False]
    assert Measure("").holds(1e9)
