"""Contracts, youth, money, the board: the rules of sections 7 to 10 on hand-set worlds."""

import numpy as np
import pytest

from fmgym.calendar import age, year_end
from fmgym.enums import Facility, Ledger, Settle, Status, StopKind
from fmgym.kernels import academy, board, contracts, development, finance, managers, roster, season
from fmgym.state import YEAR
from fmgym.world import World


@pytest.fixture
def world(opened):
    """Mid-season, with a seat that has not died yet."""
    world = opened(day=119)
    world.w.seats[0].revivals = 0
    world.w.clubs[0].deaths = 0
    world.w.clubs[0].honors = 0
    return world


def own(world, i=0):
    return int(world.w.clubs[0].squad[i])


# Contracts


def test_renewal_is_cheaper_early_than_late(world):
    w, p = world.w, world.p
    slot = own(world)
    wages = []
    for days in (720, 300, 100):
        w.players[slot].contract_end = w.day + days
        wages.append(contracts.reservation(w, p, 0, slot))
    assert wages[0] < wages[1] < wages[2]


def test_the_unhappy_want_more_or_refuse(world):
    w, p = world.w, world.p
    slot = own(world)
    w.players[slot].morale = 90.0
    content = contracts.reservation(w, p, 0, slot)
    w.players[slot].morale = 20.0
    assert contracts.reservation(w, p, 0, slot) > content
    assert not contracts.refuses(w, p, 0, slot)
    w.players[slot].morale = 10.0
    assert contracts.refuses(w, p, 0, slot)


def test_wages_inflate_by_four_percent_a_year(world):
    w, p = world.w, world.p
    w.players[own(world)].born -= 2 * YEAR  # so that age does not matter below
    slot = max(w.clubs[0].squad[: w.clubs[0].n_squad], key=lambda s: age(w.day, w.players[s].born))
    from fmgym.kernels.valuation import wage_norm

    first = wage_norm(w, p, slot, 70.0)
    w.day += YEAR
    assert wage_norm(w, p, slot, 70.0) == pytest.approx(1.04 * first)


def test_a_new_contract_lifts_morale_but_not_again_and_again(world):
    w, p = world.w, world.p
    pl = w.players[own(world)]
    pl.morale = 50.0
    for _ in range(3):
        contracts.renew(w, p, own(world), 1000, year_end(3))
    assert pl.morale == 50.0 + p.wage.renew_morale


def test_release_costs_half_a_years_wage(world):
    w, p = world.w, world.p
    slot = own(world)
    wage, cash = int(w.players[slot].wage), int(w.clubs[0].cash)
    contracts.release(w, p, slot)
    assert cash - w.clubs[0].cash == pytest.approx(wage / 2, abs=1)
    assert w.players[slot].status == Status.FREE


def test_expired_players_leave_for_their_next_club_or_none(world):
    w, p = world.w, world.p
    a, b = own(world, 0), own(world, 1)
    w.day = year_end(0)
    for slot in (a, b):
        w.players[slot].contract_end = w.day
    contracts.precontract(w, b, 4, 500, year_end(2))
    contracts.expire(w, p)
    assert w.players[a].status == Status.FREE
    assert (w.players[b].club, w.players[b].wage) == (4, 500)


# Youth and growth


def test_better_academies_bring_better_and_more_youth(world):
    w, p = world.w, world.p
    w.day = 304
    w.clubs[1].levels[Facility.ACADEMY] = 5
    sizes, potential = {0: 0, 1: 0}, {0: [], 1: []}
    for _ in range(40):
        w.day += YEAR
        for club in (0, 1):
            c = w.clubs[club]
            while c.n_academy:
                roster.retire(w, int(c.academy[0]))
        academy.intake(w, p)
        for club in (0, 1):
            c = w.clubs[club]
            sizes[club] += int(c.n_academy)
            potential[club] += [w.truth[s].potential for s in c.academy[: c.n_academy]]
        for club in range(2, len(w.clubs)):
            while w.clubs[club].n_academy:
                roster.retire(w, int(w.clubs[club].academy[0]))
    assert sizes[1] > sizes[0]
    assert np.mean(potential[1]) > np.mean(potential[0]) + 2


def test_prospects_are_15_to_17(world):
    w, p = world.w, world.p
    w.day = 304
    before = {int(pl.uid) for pl in w.players if pl.status == Status.ACADEMY}
    academy.intake(w, p)
    new = [pl for pl in w.players if pl.status == Status.ACADEMY and int(pl.uid) not in before]
    assert new
    assert all(15 <= age(w.day, pl.born) < 18 for pl in new)


def test_the_young_grow_and_the_old_decline(world):
    w, p = world.w, world.p
    young = [s for s, pl in enumerate(w.players) if pl.status == Status.SENIOR and age(w.day, pl.born) < 20]
    old = [s for s, pl in enumerate(w.players) if pl.status == Status.SENIOR and age(w.day, pl.born) > 33]
    start = {s: w.truth[s].ability for s in (*young, *old)}
    for month in range(12):
        w.day = 119 + 30 * month
        development.develop(w, p)
    assert np.mean([w.truth[s].ability - start[s] for s in young]) > 1
    assert np.mean([w.truth[s].ability - start[s] for s in old]) < -0.5


# Money


def test_an_upgrade_takes_a_year_and_raises_a_level(world):
    w, p = world.w, world.p
    cost = finance.upgrade_cost(w, p, 0, int(Facility.STADIUM))
    cash, seats = int(w.clubs[0].cash), int(w.clubs[0].stadium)
    finance.start_upgrade(w, p, 0, int(Facility.STADIUM))
    assert w.clubs[0].cash == cash - cost == cash + w.clubs[0].ledger[0, Ledger.FACILITIES]
    w.day += p.facility.days - 1
    finance.finish_upgrades(w, p)
    assert w.clubs[0].levels[Facility.STADIUM] == 1
    w.day += 1
    finance.finish_upgrades(w, p)
    assert w.clubs[0].levels[Facility.STADIUM] == 2
    assert w.clubs[0].stadium > seats
    assert finance.upgrade_cost(w, p, 0, int(Facility.STADIUM)) > cost


def test_prizes_fall_by_place(world):
    prizes = [finance.prize(world.p, place) for place in range(1, 17)]
    assert prizes == sorted(prizes, reverse=True)


# The board


def test_targets_scale_with_squad_strength(world):
    w, p = world.w, world.p
    for club in range(len(w.clubs)):
        for slot in w.clubs[club].squad[: w.clubs[club].n_squad]:
            w.players[slot].own_ability = 80.0 - 2 * club
    board.set_targets(w, p)
    targets = [int(c.target) for c in w.clubs]
    assert targets == sorted(targets)
    assert targets[0] < targets[8]
    assert targets[0] == p.board.target_floor + p.board.target_cushion
    assert targets[-1] == round(p.board.target_worst * 16)


def test_results_and_finances_move_confidence(world):
    w, p = world.w, world.p
    c = w.clubs[0]
    c.confidence, c.target = p.board.start, 8

    def change(position, cash=50_000, wages=None):
        twin = world.copy()
        t = twin.w.clubs[0]
        t.position, t.cash = position, cash
        t.wage_bill = wages or t.wage_bill
        board.review(twin.w, p, 0)
        return float(t.confidence) - p.board.start

    assert change(4) > 0 > change(12)
    assert change(12) < -change(4), "losses weigh more than gains"
    assert change(8, cash=-1) < change(8) == 0
    assert change(8, wages=200_000) < 0


def test_firing_costs_honors_and_revives_three_times(world):
    w, p = world.w, world.p
    for revival in range(1, 4):
        w.clubs[0].confidence = 1.0
        w.seats[0].kinds = 0
        board.judge(w, p)
        assert (w.seats[0].revivals, w.clubs[0].confidence) == (revival, p.ruin.confidence)
        assert w.seats[0].kinds & (1 << StopKind.REVIVAL)
        assert w.clubs[0].honors == -p.ruin.honors * revival
    w.clubs[0].confidence = 1.0
    board.judge(w, p)
    assert w.seats[0].settled == Settle.FIRED
    assert w.clubs[0].deaths == 4


def test_insolvency_deducts_points_and_sells_by_force(world):
    w, p = world.w, world.p
    c = w.clubs[0]
    from fmgym.kernels.money import book

    book(w, 0, Ledger.OWNERS, -int(c.cash) - 30_000)
    points, squad = int(c.points), int(c.n_squad)
    for _ in range(p.ruin.grace + 1):
        board.judge(w, p)
        w.day += 1
    assert c.points == points - p.ruin.deduction
    assert c.n_squad < squad
    assert w.seats[0].revivals == 1
    assert w.seats[0].kinds & (1 << StopKind.ADMINISTRATION)
    assert c.cash >= p.ruin.cash, "a revival starts with enough cash"


def test_a_short_runway_warns_once_a_stage(world):
    w, p = world.w, world.p
    c = w.clubs[0]
    c.wage_bill = 300_000
    burn = (finance.wage_costs(w, p, 0)) / YEAR
    w.day = 120
    c.cash = int(burn * 40)
    w.seats[0].kinds = 0
    board.judge(w, p)
    assert w.seats[0].kinds & (1 << StopKind.INSOLVENCY_WARNING)
    w.seats[0].kinds = 0
    w.day = 125
    board.judge(w, p)
    assert not w.seats[0].kinds & (1 << StopKind.INSOLVENCY_WARNING)


def test_settlement_pays_honors(world):
    w, p = world.w, world.p
    season.settle_season(w, p)
    honors = {int(c.position): int(c.honors) for c in w.clubs}
    assert [honors[place] for place in (1, 2, 4, 5)] == [100, 20, 20, 0]


def test_places_before_round_one_are_last_seasons(world):
    w, p = world.w, world.p
    for club in range(len(w.clubs)):
        w.clubs[club].last_position = len(w.clubs) - club
    season.open_season(w, p)
    assert [int(c.position) for c in w.clubs] == list(range(len(w.clubs), 0, -1))


def test_the_first_seasons_places_are_drawn():
    """No club stands first for its number: over worlds the seat's club has many places."""
    places = {int(World.open(seed, seasons=1, auto_draft=True).w.clubs[0].position) for seed in range(12)}
    assert len(places) > 5
    assert not places - set(range(1, 17))


def test_default_handling_fills_a_short_squad_weakly(world):
    w, p = world.w, world.p
    while w.clubs[0].n_squad > 12:
        roster.make_free(w, own(world))
    managers.default_handling(w, p, 0)
    assert w.clubs[0].n_squad == p.manager.default_squad
