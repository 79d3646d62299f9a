"""The market adapts: asks rise with refusals and fade, pairs and heat mark up, counters never invert."""

import numpy as np
import pytest

from fmgym.enums import Error, OfferKind, OfferState, Outcome, Reply, Tool
from fmgym.kernels import actions, managers, market, talks
from fmgym.params import Params
from fmgym.state import MAX_ARGS

SUMMER = 4  # the first stop inside the window


@pytest.fixture
def world(opened):
    return opened(day=SUMMER)


def call(world, tool, *values):
    args = np.zeros(MAX_ARGS, np.int64)
    args[: len(values)] = values
    return actions.act(world.w, world.p, 0, int(tool), args, len(values))


def target(world, club=3):
    """A player of another club who is cheap enough to be bought: (slot, uid)."""
    w = world.w
    slots = [int(s) for s in w.clubs[club].squad[: w.clubs[club].n_squad]]
    slot = min(slots, key=lambda s: int(w.players[s].value))
    return slot, int(w.players[slot].uid)


def ask(world, slot, buyer=0):
    return market.ask(world.w, world.p, buyer, slot)


def test_a_bid_at_the_ask_is_accepted_and_terms_complete_it(world):
    w = world.w
    slot, uid = target(world)
    fee, seller = ask(world, slot), int(w.players[slot].club)
    cash = int(w.clubs[0].cash), int(w.clubs[seller].cash)
    assert call(world, Tool.MAKE_TRANSFER_OFFER, uid, fee, 0) == (Error.OK, Outcome.ACCEPTED, fee)
    assert w.players[slot].club == seller, "the fee alone moves nobody"
    assert call(world, Tool.OFFER_CONTRACT, uid, 100_000, 3)[:2] == (Error.OK, Outcome.ACCEPTED)
    assert w.players[slot].club == 0
    signing = 10_000  # a tenth of the wage
    assert (w.clubs[0].cash, w.clubs[seller].cash) == (cash[0] - fee - signing, cash[1] + fee)


def test_rejections_raise_the_ask_which_fades(world):
    slot, uid = target(world)
    before = ask(world, slot)
    assert call(world, Tool.MAKE_TRANSFER_OFFER, uid, 50, 0)[1] == Outcome.REJECTED
    after = ask(world, slot)
    haggled = 1 + world.p.market.heat * world.p.market.haggle**2
    assert after == pytest.approx(before * (1 + world.p.market.rise) * haggled, rel=1e-3)
    assert ask(world, slot, buyer=5) == ask(world, slot, buyer=5), "another bidder meets no rise"
    world.w.day += int(world.p.market.half_life)
    faded = talks.fee_rise(world.w, world.p, 0, uid)
    assert faded == pytest.approx(world.p.market.rise / 2)


def test_talks_break_off_after_several_rejections(world):
    _, uid = target(world)
    outcomes = [call(world, Tool.MAKE_TRANSFER_OFFER, uid, 50, 0)[1] for _ in range(world.p.market.cooldown_after)]
    assert outcomes.index(Outcome.TALKS_OFF) == len(outcomes) - 1
    assert call(world, Tool.MAKE_TRANSFER_OFFER, uid, 10_000, 0)[0] == Error.COOLDOWN
    world.w.day += int(world.p.market.cooldown_days) + 1
    assert not talks.fee_cooling(world.w, 0, uid)


def test_near_bids_are_countered_never_below_an_earlier_bid(world):
    slot, uid = target(world)
    wanted = ask(world, slot)
    error, outcome, counter = call(world, Tool.MAKE_TRANSFER_OFFER, uid, int(wanted * 0.95), 0)
    assert (error, outcome) == (Error.OK, Outcome.COUNTERED)
    assert counter >= wanted
    world.w.players[slot].value //= 4  # the ask falls: a later counter must not invert
    world.w.players[slot].own_ability -= 6
    fallen = ask(world, slot)
    assert fallen < wanted * 0.95
    assert market.counter_fee(world.w, world.p, 0, slot, float(fallen)) >= int(wanted * 0.95)


def test_a_counter_is_honoured(world):
    slot, uid = target(world)
    error, _, counter = call(world, Tool.MAKE_TRANSFER_OFFER, uid, int(ask(world, slot) * 0.95), 0)
    offer = next(o for o in world.w.seats[0].offers if o.state == OfferState.LIVE)
    assert (offer.kind, offer.fee) == (OfferKind.BID_COUNTERED, counter)
    assert call(world, Tool.RESPOND_TO_OFFER, offer.id, Reply.ACCEPT_COUNTER, 0)[:2] == (error, Outcome.ACCEPTED)


def test_deals_mark_up_the_pair_and_heat_the_buyer(world):
    w, p = world.w, world.p
    other, _ = target(world, club=4)
    same = int(w.clubs[3].squad[7])
    before = ask(world, same), ask(world, other)
    slot, _ = target(world)
    market.transfer(w, p, 0, slot, 1000, 0, 100, 359)
    heat = 1 + p.market.heat
    assert ask(world, other) == pytest.approx(before[1] * heat, rel=1e-3)
    assert ask(world, same) == pytest.approx(before[0] * heat * (1 + p.market.pair), rel=1e-3)
    for _ in range(3):
        talks.dealt(w, p, 5, 0)
    assert ask(world, other) == pytest.approx(before[1] * (1 + 16 * p.market.heat), rel=1e-3), "as the square"


def wanted(w, p):
    """The slots that scripted clubs bid for today."""
    goods = np.empty(len(w.players), managers.GOOD)
    goods = goods[: managers._goods(w, p, goods)]
    room = np.zeros(8, np.int64), np.zeros(8), np.zeros((8, managers.STARTERS))
    return [managers.choose_bid(w, p, club, goods, *room)[0] for club in range(1, len(w.clubs))]


def test_a_listed_player_of_a_seat_draws_bids_at_a_discount(world):
    w, p = world.w, world.p
    slot = int(w.clubs[0].squad[5])
    w.players[slot].born, w.players[slot].listed = w.day - 25 * 360, 0
    w.truth[slot].ability, w.players[slot].pub_ability, w.players[slot].own_ability = 85.0, 72.0, 60.0  # a bargain
    fair = managers.ceiling(w, p, 5, slot)
    w.players[slot].listed = 1
    assert managers.ceiling(w, p, 5, slot) == pytest.approx(fair * p.market.surplus, abs=2)
    quiet = Params.default().replace({"market.seat_bids": 0.0}).record[0]
    for club in range(1, 16):
        w.clubs[club].cash = 200_000
    assert slot in wanted(w, quiet)
    w.players[slot].joined = w.day - 5
    assert slot not in wanted(w, quiet), "he has only just joined"
    w.players[slot].joined, w.players[slot].listed = -360, 0
    assert slot not in wanted(w, quiet), "nobody looks at a seat's other players"


def test_instalments_are_owed_and_cost_a_premium(world):
    w, p = world.w, world.p
    slot, _ = target(world)
    assert market.ask_with_instalments(w, p, 0, slot, 3) > ask(world, slot)
    cash = int(w.clubs[0].cash)
    market.transfer(w, p, 0, slot, 4001, 3, 100, 359)
    debt = w.debts[w.n_debts - 1]
    assert (debt.payer, debt.payee, debt.amount, debt.left) == (0, 3, 1000, 3)
    assert cash - w.clubs[0].cash == 1001 + 10  # the rounding is paid at once; a tenth of the wage


def test_money_one_has_not_got_cannot_be_bid(world):
    _, uid = target(world)
    cash = int(world.w.clubs[0].cash)
    assert call(world, Tool.MAKE_TRANSFER_OFFER, uid, cash + 1, 0)[0] == Error.CASH_SHORT
    assert call(world, Tool.MAKE_TRANSFER_OFFER, uid, cash + 1, 1)[0] == Error.OK


def test_sealed_bids_go_to_the_highest_at_or_above_the_ask(world):
    w, p = world.w, world.p
    slot = int(w.clubs[1].squad[0])
    wanted = max(market.ask(w, p, club, slot) for club in (5, 6, 7))
    target_, bid = np.full(len(w.clubs), -1), np.zeros(len(w.clubs), np.int64)
    for club, extra in ((5, 10), (6, 30), (7, 20)):
        target_[club], bid[club] = slot, wanted + extra
        w.clubs[club].cash = 10 * wanted
    managers.resolve(w, p, target_, bid)
    assert w.players[slot].club == 6
    assert w.players[slot].fee_paid == wanted + 30, "first price: the winner pays his own bid"
    assert talks.fee_rise(w, p, 5, int(w.players[slot].uid)) == 0.0, "a player who moved is forgotten"


def test_a_bid_below_the_ask_wins_nothing(world):
    w, p = world.w, world.p
    slot = int(w.clubs[1].squad[0])
    target_, bid = np.full(len(w.clubs), -1), np.zeros(len(w.clubs), np.int64)
    target_[5], bid[5] = slot, market.ask(w, p, 5, slot) - 1
    w.clubs[5].cash = 10 * bid[5]
    managers.resolve(w, p, target_, bid)
    assert w.players[slot].club == 1


def test_bids_for_a_seats_player_become_offers(world):
    w, p = world.w, world.p
    slot = int(w.clubs[0].squad[0])
    target_, bid = np.full(len(w.clubs), -1), np.zeros(len(w.clubs), np.int64)
    target_[5], bid[5] = slot, 777
    managers.resolve(w, p, target_, bid)
    held = [o for o in w.seats[0].offers if o.state == OfferState.HELD]
    assert [(o.club, o.fee, o.uid) for o in held] == [(5, 777, w.players[slot].uid)]
