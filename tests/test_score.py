"""The composite: the formula, and the four propositions of the paper's appendix I."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmgym import score
from fmgym.params import Params

P = Params.default().record[0]
honors = st.floats(-500, 5000)
money = st.floats(-5e6, 5e6)
share = st.floats(0, 0.999)


def by_hand(h, va, m):
    """The paper's formula in millions."""
    return (
        18 * math.log(1 + max(h, 0) / 60)
        + 10 * math.copysign(math.log(1 + abs(va) / 40), va)
        + 6 * math.log(1 + max(m, 0) / 80)
    )


@given(honors, money, money)
def test_composite_is_the_formula_of_the_paper(h, va, m):
    assert score.composite(P, h, va, m) == pytest.approx(by_hand(h, va / 1000, m / 1000), abs=1e-9)


def test_known_values():
    # Twenty titles give 63.7 (appendix I); a first title 17.7.
    assert score.composite(P, 2000.0, 0.0, 0.0) == pytest.approx(63.7, abs=0.05)
    assert score.composite(P, 100.0, 0.0, 0.0) == pytest.approx(17.65, abs=0.05)
    assert score.rho_completed(P, 3) == pytest.approx(0.8**3)
    assert score.rho_early(P, 0.25) == pytest.approx(0.8 * 0.25**1.5)


@given(st.floats(-100, 200), share, share)
def test_settling_earlier_never_pays(raw, a, b):
    """Proposition A.1: for a fixed raw score, the final score never falls with the time of settling."""
    early, late = sorted((a, b))
    first = score.discounted(raw, score.rho_early(P, early))
    second = score.discounted(raw, score.rho_early(P, late))
    assert first <= second + 1e-12
    assert second <= score.discounted(raw, score.rho_completed(P, 0)) + 1e-12
    if raw <= 0:
        assert first == second == raw


@given(honors, money, money, st.floats(1e-3, 1e4))
def test_more_of_a_channel_is_never_less(h, va, m, more):
    """Proposition A.2: strictly increasing in honors >= 0 and in value added, never falling in squad."""
    base = score.composite(P, h, va, m)
    assert score.composite(P, h, va + more, m) > base
    assert score.composite(P, h + more, va, m) >= base
    assert score.composite(P, h, va, m + more) >= base
    if h >= 0:
        assert score.composite(P, h + more, va, m) > base


@given(st.floats(0, 3000), st.floats(1, 500))
def test_gains_diminish(x, step):
    """Proposition A.4: every channel is concave on gains."""
    for channel, scale in ((0, 1.0), (1, 1000.0), (2, 1000.0)):
        values = []
        for i in range(3):
            args = [0.0, 0.0, 0.0]
            args[channel] = (x + i * step) * scale
            values.append(score.composite(P, *args))
        assert values[1] - values[0] > values[2] - values[1] - 1e-12


def test_fair_purchases_never_raise_net_worth(opened):
    """Proposition A.3: buying at or above value lowers net worth, however it is paid."""
    from fmgym.kernels import market

    for instalments in range(4):
        world = opened()
        w, p = world.w, world.p
        w.clubs[0].cash = 0
        w.clubs[0].ledger[:] = 0
        score_before = None
        for club in range(1, len(w.clubs)):
            slot = int(w.clubs[club].squad[0])
            fee = int(w.players[slot].value)
            w.clubs[0].cash += fee  # below three wage bills, so that all cash counts in full
            score_before = score.net_worth(w, p, 0)
            market.transfer(w, p, 0, slot, fee, instalments, 100, 359)
            assert score.net_worth(w, p, 0) < score_before


def test_idle_cash_counts_less(opened):
    world = opened()
    w, p = world.w, world.p
    before = score.net_worth(w, p, 0)
    full = 3 * int(w.clubs[0].wage_bill)
    w.clubs[0].cash = full
    base = score.net_worth(w, p, 0)
    w.clubs[0].cash = full + 1000
    assert score.net_worth(w, p, 0) - base == pytest.approx(300)
    assert before != base
