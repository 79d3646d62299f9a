"""What managers reckon over squads: elevens against every possible one, gains against the squads themselves."""

import numpy as np
import pytest

from fmgym.baselines import reckoning
from fmgym.baselines.book import MAN, usual_traits
from fmgym.enums import N_FORMATIONS, N_POSITIONS, Formation
from fmgym.params import Params
from fmgym.state import LINEUP

PARAMS = Params.default()
P = PARAMS.record
SUIT = np.array(PARAMS.match.suit).reshape(N_POSITIONS, N_POSITIONS)
ROLES = np.array(PARAMS.match.roles).reshape(N_FORMATIONS, LINEUP)


def squad(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, N_POSITIONS, n), rng.normal(68.0, 5.0, n)


def weights(formation: int) -> np.ndarray:
    """The share of each place, read off from elevens of one man too good by a point."""
    position = ROLES[formation].copy()
    able = np.ones(LINEUP, bool)
    level = reckoning.elevens(P, position, np.full(LINEUP, 70.0), able)[1][formation]
    return (
        np.array(
            [
                reckoning.elevens(P, position, 70.0 + 1e-3 * (np.arange(LINEUP) == r), able)[1][formation] - level
                for r in range(LINEUP)
            ]
        )
        / 1e-3
    )


def best_of_all(formation: int, position: np.ndarray, ability: np.ndarray) -> float:
    """The strongest of all elevens, man by man over the sets of places that are filled."""
    share = weights(formation)
    worth = share * ability[:, None] * SUIT[position][:, ROLES[formation]]
    best = np.full(1 << LINEUP, -np.inf)
    best[0] = 0.0
    filled = np.arange(1 << LINEUP)
    for man in range(len(position)):
        with_him = best.copy()
        for r in range(LINEUP):
            without = filled[(filled >> r) & 1 == 0]
            with_him[without | 1 << r] = np.maximum(with_him[without | 1 << r], best[without] + worth[man, r])
        best = with_him
    empty = ((filled[:, None] >> np.arange(LINEUP)) & 1 == 0) @ share * PARAMS.match.absent
    return float((best + empty).max())


@pytest.mark.parametrize("formation", list(Formation))
@pytest.mark.parametrize("n", [5, 11, 14, 26])
def test_eleven_is_the_best_of_all(formation: Formation, n: int) -> None:
    position, ability = squad(n, n)
    elevens, strengths = reckoning.elevens(P, position, ability, np.ones(n, bool))
    bare = reckoning.squad_strengths(P, int(formation), position, ability[:, None], 0.0)[0]
    assert bare == pytest.approx(best_of_all(formation, position, ability), abs=1e-6)
    own = strengths[formation] - bare
    assert abs(own) < 1.0  # what the formation itself adds
    chosen = elevens[formation][elevens[formation] >= 0]
    assert len(set(chosen)) == len(chosen)


def test_places_share_the_strength() -> None:
    for formation in Formation:
        share = weights(formation)
        assert share.sum() == pytest.approx(1.0, abs=1e-6)
        assert (share > 0.03).all()


def test_those_who_cannot_play_are_left_out() -> None:
    position, ability = squad(1, 30)
    able = np.arange(30) % 2 == 0
    elevens, _ = reckoning.elevens(P, position, ability, able)
    assert able[elevens[elevens >= 0]].all()


@pytest.mark.parametrize("formation", list(Formation))
def test_gains_and_losses_are_differences_of_squads(formation: Formation) -> None:
    position, ability = squad(2, 24)
    seasons = np.stack([ability, ability[::-1], ability + 1.0], axis=1)
    new_position, new_ability = squad(3, 40)
    new = np.stack([new_ability] * 3, axis=1)
    whole = reckoning.squad_strengths(P, int(formation), position, seasons, 0.2)
    gained = reckoning.gains(P, int(formation), position, seasons, new_position, new, 0.2)
    lost = reckoning.losses(P, int(formation), position, seasons, 0.2)
    assert (gained > 0).any() and (gained == 0).any()
    for i in range(40):
        larger = np.append(position, new_position[i]), np.vstack([seasons, new[i]])
        assert gained[i] == pytest.approx(reckoning.squad_strengths(P, int(formation), *larger, 0.2) - whole, abs=1e-9)
    for i in range(24):
        smaller = np.delete(position, i), np.delete(seasons, i, axis=0)
        assert lost[i] == pytest.approx(whole - reckoning.squad_strengths(P, int(formation), *smaller, 0.2), abs=1e-9)


def men(*ages: float) -> np.ndarray:
    book = np.zeros(len(ages), MAN)
    book["position"], book["age"], book["ability"], book["potential"] = 4, ages, 66.0, 72.0
    usual_traits(book, PARAMS)
    return book


def test_the_young_grow_the_ripe_hold_and_the_old_decline() -> None:
    ahead = reckoning.forecast(P, men(18.0, 26.0, 31.0), np.array([0.0, 1.0, 3.0]), 1.0)
    assert (ahead[:, 0] == 66.0).all()
    young, ripe, old = np.diff(ahead, axis=1)
    assert (young > 0.5).all() and ahead[0, 2] < 72.0
    assert (ripe == 0.0).all()
    assert (old < -0.3).all() and old[1] / 2 < old[0]  # faster with the years


def test_prices_follow_ability_and_what_the_public_makes_of_it() -> None:
    book = men(25.0, 25.0)
    book["hype"][1] = PARAMS.value.double
    plain, hyped = reckoning.prices(P, book, book["ability"].copy(), 3.0)
    assert hyped == pytest.approx(2.0 * plain)
    assert plain == pytest.approx(reckoning.prices(P, men(28.0), np.array([66.0]), 0.0)[0])
