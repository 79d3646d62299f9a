"""Scripted managers: one implementation with the five levers of the paper's Table 6.

A manager sees players through his club's scouts only. He sets tactics, keeps a wage budget, renews early,
buys upgrades, signs free agents, promotes, lists surplus players and invests, so that a world with nobody
playing stays alive and solvent.
"""

import numpy as np

from fmgym.calendar import age, year_end
from fmgym.enums import (
    N_FACILITIES,
    N_FORMATIONS,
    N_POSITIONS,
    N_STYLES,
    Domain,
    Move,
    OfferKind,
    OfferState,
    Status,
)
from fmgym.jit import njit
from fmgym.kernels import academy, contracts, finance, market, scouting, talks
from fmgym.kernels.money import inflation, thousands
from fmgym.kernels.valuation import contract_left, youth_weight
from fmgym.rng import below, key, uniform
from fmgym.state import record

STARTERS = 4  # no position has more: half the greatest depth a manager can wish
# What a market day's bidders ask of every player who is for sale, close together.
GOOD = record(
    [(name, np.int64) for name in ("slot", "club", "kept", "position", "value")]
    + [(name, np.float64) for name in ("bargain", "look", "youth")]
    + [("sight", scouting.SIGHT)]
)


@njit
def scripted(w, club):
    """Whether a scripted manager runs this club."""
    return w.clubs[club].seat < 0 and w.clubs[club].unmanned == 0


@njit
def choose_tactics(w, p, club):
    """Preseason: a formation and a style for the season."""
    c = w.clubs[club]
    k = key(w.seed, Domain.MANAGER, club, w.season // p.manager.tactics_seasons)
    c.formation = below(k, 0, N_FORMATIONS)
    style = below(k, 1, N_STYLES)
    if style != c.style:
        c.style = style
        c.style_day = w.day


@njit
def wage_room(w, p, club):
    """What a manager may still add to his yearly wage bill, k."""
    c = w.clubs[club]
    budget = p.manager.wage_share * p.manager.wage_budget[c.tier] * finance.expected_revenue(w, p, club)
    return thousands(budget) - c.wage_bill


@njit
def spending_room(w, p, club):
    """Cash above the reserve a manager keeps, k."""
    c = w.clubs[club]
    return c.cash - thousands(p.manager.reserve * c.wage_bill)


@njit
def future(p, pl, day):
    """How good a manager takes one of his players to be: ability, and some of a young one's potential."""
    gap = max(pl.own_potential - pl.own_ability, 0.0)
    return pl.own_ability + p.manager.potential * gap * youth_weight(p, age(day, pl.born))


@njit
def rank_at_position(w, p, club, slot):
    """How many of a player's squad mates at his position are better, and how many there are."""
    c = w.clubs[club]
    mine = future(p, w.players[slot], w.day)
    better = 0
    count = 0
    for i in range(c.n_squad):
        pl = w.players[c.squad[i]]
        if pl.position == w.players[slot].position:
            count += 1
            if future(p, pl, w.day) > mine:
                better += 1
    return better, count


@njit
def renew_contracts(w, p, club):
    """Monthly: renew wanted players whose contracts run down, within the wage budget."""
    c = w.clubs[club]
    for i in range(c.n_squad):
        slot = c.squad[i]
        due = contract_left(w, slot) <= p.manager.renew_days and w.players[slot].next_club < 0
        if due and _wanted(w, p, club, slot):
            _renew(w, p, club, slot)


@njit
def _wanted(w, p, club, slot):
    pl = w.players[slot]
    if age(w.day, pl.born) > p.manager.renew_age:
        return False
    better, _ = rank_at_position(w, p, club, slot)
    if better < (p.manager.depth[pl.position] + 1) // 2:
        return True
    return better < p.manager.depth[pl.position] and _keeps(w, p, slot)


@njit
def _keeps(w, p, slot):
    """Whether a squad man gets another contract: clubs renew some and replace the others (drawn by contract)."""
    pl = w.players[slot]
    return uniform(key(w.seed, Domain.MANAGER, pl.uid, pl.contract_end), 0) < p.manager.keep


@njit
def _renew(w, p, club, slot):
    if contracts.refuses(w, p, club, slot):
        return
    pl = w.players[slot]
    wage = thousands(contracts.reservation(w, p, club, slot) * p.manager.renew_premium)
    if wage - pl.wage <= wage_room(w, p, club) + thousands(p.manager.stretch * pl.wage * pl.first_choice):
        contracts.renew(w, p, slot, wage, max(contracts.end_of(w, years_for(w, p, slot)), pl.contract_end))


@njit
def years_for(w, p, slot):
    """The length of contract a manager gives a player of that age."""
    years = age(w.day, w.players[slot].born)
    for i in range(len(p.manager.contract_ages)):
        if years < p.manager.contract_ages[i]:
            return p.manager.contract_years[i]
    return 1


@njit
def prune(w, p, club):
    """Before the season: the least wanted beyond the least squad are put on the transfer list, others taken off."""
    c = w.clubs[club]
    for i in range(c.n_squad):
        w.players[c.squad[i]].listed = 0
    for _ in range(c.n_squad - p.manager.squad_size[0]):
        slot = _least_wanted(w, p, club)
        if slot >= 0:
            w.players[slot].listed = 1


@njit
def _least_wanted(w, p, club):
    """The weakest player not yet listed at a position that is more than full."""
    c = w.clubs[club]
    worst = -1
    for i in range(c.n_squad):
        slot = c.squad[i]
        pl = w.players[slot]
        better, _ = rank_at_position(w, p, club, slot)
        if pl.listed == 1 or better < p.manager.depth[pl.position]:
            continue
        if worst < 0 or future(p, pl, w.day) < future(p, w.players[worst], w.day):
            worst = slot
    return worst


@njit
def _needs(w, p, club, count, level, best):
    """Squad by position: how many there are and how good the weakest starter is, the n-th best.

    n is about half the wished depth. ``best`` (positions x STARTERS) is room for the best of each position.
    """
    c = w.clubs[club]
    for position in range(N_POSITIONS):
        count[position] = 0
        for i in range(STARTERS):
            best[position, i] = 0.0
    for i in range(c.n_squad):
        pl = w.players[c.squad[i]]
        count[pl.position] += 1
        _rank_in(best[pl.position], future(p, pl, w.day))
    for position in range(N_POSITIONS):
        x = best[position, (p.manager.depth[position] + 1) // 2 - 1]
        level[position] = x if x > 0.0 else p.manager.empty_level


@njit
def _rank_in(best, x):
    """Put ``x`` into a short list of different numbers, the greatest first; the least gives way."""
    for i in range(len(best)):
        if x > best[i]:
            best[i], x = x, best[i]
        elif x == best[i]:
            return


@njit
def market_day(w, p):
    """A market day: every acting club picks one target and a bid; bids resolve together, sealed."""
    clubs = len(w.clubs)
    target = np.full(clubs, -1, np.int64)
    bid = np.zeros(clubs, np.int64)
    count = np.zeros(N_POSITIONS, np.int64)
    level = np.zeros(N_POSITIONS, np.float64)
    best = np.zeros((N_POSITIONS, STARTERS), np.float64)
    goods = np.empty(len(w.players), GOOD)
    n = _goods(w, p, goods)
    step = w.day // p.calendar.market_step
    for club in range(clubs):
        c = w.clubs[club]
        if scripted(w, club) and step % p.manager.market_days[c.tier] == 0:
            target[club], bid[club] = choose_bid(w, p, club, goods[:n], count, level, best)
    resolve(w, p, target, bid)


@njit
def _goods(w, p, goods):
    """List all that clubs may bid for today, whichever club it is: most are passed over by what is listed.

    Nobody bids for a player who has only just joined his club.
    """
    n = 0
    for slot in range(len(w.players)):
        pl = w.players[slot]
        settled = w.day - pl.joined >= p.market.resale_days
        if settled and market.sellable(w, p, slot) and age(w.day, pl.born) <= p.manager.buy_age[pl.listed]:
            _show(w, p, slot, goods[n])
            n += 1
    return n


@njit
def _show(w, p, slot, g):
    """Put together what bidders ask of a player."""
    pl = w.players[slot]
    g.slot = slot
    g.club = pl.club
    g.kept = pl.listed == 0 and pl.club >= 0 and w.clubs[pl.club].seat >= 0
    g.position = pl.position
    g.value = pl.value
    g.bargain = p.manager.bargain * pl.listed
    g.look = pl.pub_ability + p.manager.look + g.bargain
    g.youth = youth_weight(p, age(w.day, pl.born))
    scouting.look_at(w, p, slot, g.sight)


@njit
def choose_bid(w, p, club, goods, count, level, starters):
    """The best affordable upgrade in the league and what to bid for him; (-1, 0) for none.

    Listed players are looked at for the squad too; those whom a seat has not listed, only now and then.
    """
    c = w.clubs[club]
    room = spending_room(w, p, club)
    if room < p.market.min_fee or c.n_squad >= p.manager.squad_size[1] + 1:
        return -1, 0
    _needs(w, p, club, count, level, starters)
    wages = wage_room(w, p, club) + thousands(p.manager.buy_stretch * c.wage_bill)
    k = key(w.seed, Domain.MARKET, club, w.day)
    seats_too = uniform(k, 0) < p.market.seat_bids
    gap = p.manager.gap[c.tier] * p.manager.gap_unit
    for position in range(N_POSITIONS):
        if count[position] >= p.manager.depth[position]:
            level[position] += gap
    best = -1
    best_gain = 0.0
    for i in range(len(goods)):
        g = goods[i]
        need = level[g.position]
        if g.look < need or g.value > room or g.club == club or (g.kept and not seats_too):
            continue
        gain = _gain(w, p, club, g, need - g.bargain)
        if gain > best_gain and _within_reach(w, p, club, g.slot, wages):
            best = g.slot
            best_gain = gain
    if best < 0:
        return -1, 0
    return best, _bid(w, p, club, best, room, uniform(k, 1))


@njit
def _within_reach(w, p, club, slot, wages):
    """Whether a club has patience left for a player's ask, and room for his wage."""
    if talks.fee_rise(w, p, club, w.players[slot].uid) > p.manager.patience:
        return False
    return contracts.reservation(w, p, club, slot) <= wages


@njit
def _gain(w, p, club, g, need):
    """What a player would add at his position, less a price on money, in ability points."""
    seen = ability = scouting.ability_in(w, p, club, g.sight)
    if g.youth > 0.0:  # the potential of others does not count, and need not be looked up
        gap = max(scouting.potential_in(w, p, club, g.sight) - ability, 0.0)
        seen += p.manager.potential * gap * g.youth
    return seen - need - p.manager.thrift * g.value / max(w.clubs[club].cash, 1)


@njit
def _bid(w, p, club, slot, room, u):
    share = p.market.first_bid + u * (p.market.buyer_cap - p.market.first_bid)
    return min(thousands(share * _fair(w, p, club, slot)), room)


@njit
def resolve(w, p, target, bid):
    """First-price sealed bids of one day: for each player the highest bid at or above the ask wins.

    Bids on players of seats go to their owners as offers. Ties fall by the keyed stream.
    """
    for club in range(len(target)):
        slot = target[club]
        if slot < 0:
            continue
        pl = w.players[slot]
        if w.clubs[pl.club].seat >= 0:
            _offer_to_seat(w, p, club, slot, bid[club])
        elif _wins(w, p, target, bid, club):
            _close(w, p, club, slot, bid[club])
        else:
            talks.refuse_fee(w, p, club, pl.uid, bid[club])


@njit
def _wins(w, p, target, bid, club):
    slot = target[club]
    if not market.sellable(w, p, slot) or w.players[slot].club == club:
        return False
    if bid[club] < market.ask(w, p, club, slot):
        return False
    for other in range(len(target)):
        if other == club or target[other] != slot or bid[other] < bid[club]:
            continue
        if bid[other] < market.ask(w, p, other, slot):
            continue
        if bid[other] > bid[club] or _tie(w, other, slot) > _tie(w, club, slot):
            return False
    return True


@njit
def _tie(w, club, slot):
    return uniform(key(w.seed, Domain.TIES, w.players[slot].uid, w.day), club)


@njit
def _close(w, p, club, slot, fee):
    """A scripted purchase: fee up front, the reservation wage and a premium."""
    if w.clubs[club].n_squad >= p.market.squad_max or fee > w.clubs[club].cash:
        return
    wage = thousands(contracts.reservation(w, p, club, slot) * p.manager.renew_premium)
    market.transfer(w, p, club, slot, fee, 0, wage, contracts.end_of(w, years_for(w, p, slot)))


@njit
def _offer_to_seat(w, p, club, slot, fee):
    """A bid for a seat's player waits for the next offer batch; one open bid per club and player."""
    pl = w.players[slot]
    s = w.seats[w.clubs[pl.club].seat]
    for i in range(len(s.offers)):
        o = s.offers[i]
        if o.state != OfferState.NONE and o.uid == pl.uid and o.club == club:
            return
    limit = ceiling(w, p, club, slot)
    refused = talks.fee_floor(w, club, pl.uid)
    if refused > 0:  # a bidder who was refused comes back only with more
        fee = max(fee, thousands(refused * p.market.improve))
        if fee > min(limit, spending_room(w, p, club)):
            return
    seat = w.clubs[pl.club].seat
    i = market.add_offer(w, p, seat, OfferKind.BID_RECEIVED, OfferState.HELD, club, pl.uid, fee, 0, 0, 0)
    w.seats[seat].offers[i].rounds = min(refused, 1)
    w.seats[seat].offers[i].limit = limit


@njit
def ceiling(w, p, buyer, slot):
    """The most a scripted buyer pays for a player: a share over what it believes."""
    return thousands(_fair(w, p, buyer, slot) * p.market.seat_ceiling)


@njit
def _fair(w, p, buyer, slot):
    """What a scripted buyer takes for a fair fee: less for a player whom his club has put up for sale."""
    ability, potential = scouting.believed(w, p, buyer, slot)
    mean = market.believed_worth(w, p, ability, potential, slot)
    return mean * p.market.surplus if w.players[slot].listed == 1 else mean


@njit
def free_agents(w, p):
    """Scripted clubs sign free agents, in an order drawn for the day: upgrades first come, first served."""
    clubs = len(w.clubs)
    start = below(key(w.seed, Domain.MARKET, clubs, w.day), 0, clubs)
    count = np.zeros(N_POSITIONS, np.int64)
    level = np.zeros(N_POSITIONS, np.float64)
    best = np.zeros((N_POSITIONS, STARTERS), np.float64)
    goods = np.empty(w.n_free, GOOD)
    n = _on_the_street(w, p, goods)
    for i in range(clubs):
        club = (start + i) % clubs
        if scripted(w, club):
            _sign_free(w, p, club, goods[:n], count, level, best)


@njit
def _on_the_street(w, p, goods):
    """List the free agents whom scripted clubs may want."""
    n = 0
    for i in range(w.n_free):
        years = age(w.day, w.players[w.free[i]].born)
        if p.manager.free_age <= years <= p.manager.renew_age:
            _show(w, p, w.free[i], goods[n])
            goods[n].value = 0  # he costs no fee
            n += 1
    return n


@njit
def _sign_free(w, p, club, goods, count, level, best):
    c = w.clubs[club]
    for _ in range(p.manager.free_signings):
        if c.n_squad >= p.manager.squad_size[1] or w.n_free == 0:
            return
        _needs(w, p, club, count, level, best)
        i = _best_free(w, p, club, goods, count, level)
        if i < 0:
            return
        slot = goods[i].slot
        wage = thousands(contracts.reservation(w, p, club, slot) * p.manager.renew_premium)
        contracts.join(w, p, club, slot, wage, contracts.end_of(w, years_for(w, p, slot)), 0, Move.FREE)


@njit
def _best_free(w, p, club, goods, count, level):
    """Index of the free agent a club wants most: one where it is short, or a clear upgrade; -1 for none."""
    c = w.clubs[club]
    wages = wage_room(w, p, club)
    short_squad = c.n_squad < p.manager.squad_size[0]
    best = -1
    best_gain = 0.0
    for i in range(len(goods)):
        g = goods[i]
        pl = w.players[g.slot]
        short = count[g.position] < p.manager.depth[g.position]
        need = level[g.position] - (p.manager.short if short else 0.0) - (p.manager.short if short_squad else 0.0)
        if pl.status != Status.FREE or g.look < need:
            continue
        gain = _gain(w, p, club, g, need)
        if gain <= best_gain:
            continue
        wage = contracts.reservation(w, p, club, g.slot)
        if wage <= wages or (short_squad and wage <= p.manager.poor_wage * inflation(p, w.day)):
            best = i
            best_gain = gain
    return best


@njit
def promote_youth(w, p, club):
    """After the intake: prospects of use whose term ends, or any when short, get their first contract."""
    c = w.clubs[club]
    for i in range(c.n_academy - 1, -1, -1):
        slot = c.academy[i]
        pl = w.players[slot]
        if c.n_squad >= p.manager.squad_size[1] + p.manager.youth_extra:
            return
        ready = future(p, pl, w.day) >= _squad_level(w, p, club) - p.manager.promote_gap
        if ready and (pl.academy_until <= year_end(w.season) or c.n_squad < p.manager.squad_size[0]):
            academy.promote(w, p, club, slot)


@njit
def _squad_level(w, p, club):
    c = w.clubs[club]
    total = 0.0
    for i in range(c.n_squad):
        total += w.players[c.squad[i]].own_ability
    return total / max(c.n_squad, 1)


@njit
def invest(w, p, club):
    """At settlement: one upgrade when cash is ample, the lowest level first."""
    c = w.clubs[club]
    best = -1
    for kind in range(N_FACILITIES):
        if c.building[kind] > 0:
            return
        room = c.levels[kind] < min(p.manager.invest_top, p.facility.top)
        if room and (best < 0 or c.levels[kind] < c.levels[best]):
            best = kind
    if best >= 0 and c.cash > p.manager.invest_cash * finance.upgrade_cost(w, p, club, best):
        finance.start_upgrade(w, p, club, best)


@njit
def default_handling(w, p, club):
    """What the club does for a manager who does not act: weak youths fill a squad that is too short."""
    c = w.clubs[club]
    while c.n_squad < p.manager.default_squad and c.n_academy > 0:
        slot = c.academy[0]
        for i in range(1, c.n_academy):
            if w.players[c.academy[i]].born < w.players[slot].born:
                slot = c.academy[i]
        academy.promote(w, p, club, slot)
    while c.n_squad < p.manager.default_squad and w.n_free > 0:
        slot = _weakest_free(w)
        wage = contracts.reservation(w, p, club, slot)
        contracts.join(w, p, club, slot, wage, contracts.end_of(w, 1), 0, Move.FREE)


@njit
def _weakest_free(w):
    """The cheapest free agent by public value."""
    slot = w.free[0]
    for i in range(1, w.n_free):
        if w.players[w.free[i]].value < w.players[slot].value:
            slot = w.free[i]
    return slot
