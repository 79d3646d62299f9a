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


@njit
def scripted(w, club):
    """Whether a scripted manager runs this club."""
    return w.clubs[club].seat < 0


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
def _needs(w, p, club, count, best):
    """Squad by position: how many there are and how good the weakest one of the wished depth is."""
    c = w.clubs[club]
    for position in range(N_POSITIONS):
        count[position] = 0
        best[position] = 0.0
    for position in range(N_POSITIONS):
        best[position] = _starter_level(w, p, c, position)
    for i in range(c.n_squad):
        count[w.players[c.squad[i]].position] += 1


@njit
def _starter_level(w, p, c, position):
    """Belief in the weakest starter of a position: the n-th best, n about half the wished depth."""
    n = (p.manager.depth[position] + 1) // 2
    level = 200.0
    for _ in range(n):
        nxt = 0.0
        for i in range(c.n_squad):
            pl = w.players[c.squad[i]]
            x = future(p, pl, w.day)
            if pl.position == position and nxt < x < level:
                nxt = x
        level = nxt
        if level == 0.0:
            return p.manager.empty_level
    return level


@njit
def market_day(w, p):
    """A market day: every acting club picks one target and a bid; bids resolve together, sealed."""
    clubs = len(w.clubs)
    target = np.full(clubs, -1, np.int64)
    bid = np.zeros(clubs, np.int64)
    count = np.zeros(N_POSITIONS, np.int64)
    level = np.zeros(N_POSITIONS, np.float64)
    step = w.day // p.calendar.market_step
    for club in range(clubs):
        c = w.clubs[club]
        if scripted(w, club) and step % p.manager.market_days[c.tier] == 0:
            target[club], bid[club] = choose_bid(w, p, club, count, level)
    resolve(w, p, target, bid)


@njit
def choose_bid(w, p, club, count, level):
    """The best affordable upgrade in the league and what to bid for him; (-1, 0) for none.

    Nobody bids for a player who has only just joined his club. Listed players are looked at for the squad too.
    """
    c = w.clubs[club]
    room = spending_room(w, p, club)
    if room < p.market.min_fee or c.n_squad >= p.manager.squad_size[1] + 1:
        return -1, 0
    _needs(w, p, club, count, level)
    wages = wage_room(w, p, club) + thousands(p.manager.buy_stretch * c.wage_bill)
    k = key(w.seed, Domain.MARKET, club, w.day)
    seats_too = uniform(k, 0) < p.market.seat_bids
    gap = p.manager.gap[c.tier] * p.manager.gap_unit
    best = -1
    best_gain = 0.0
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status != Status.SENIOR or pl.club == club or pl.value > room:
            continue
        need = level[pl.position] + (gap if count[pl.position] >= p.manager.depth[pl.position] else 0.0)
        need -= p.manager.bargain * pl.listed
        if pl.pub_ability + p.manager.look < need or age(w.day, pl.born) > p.manager.buy_age[pl.listed]:
            continue
        if w.clubs[pl.club].seat >= 0 and not (seats_too or pl.listed == 1):
            continue
        if w.day - pl.joined < p.market.resale_days:
            continue
        if not market.sellable(w, p, slot) or talks.fee_rise(w, p, club, pl.uid) > p.manager.patience:
            continue
        gain = _seen(w, p, club, slot) - need - p.manager.thrift * pl.value / max(c.cash, 1)
        if gain > best_gain and contracts.reservation(w, p, club, slot) <= wages:
            best = slot
            best_gain = gain
    if best < 0:
        return -1, 0
    return best, _bid(w, p, club, best, room, uniform(k, 1))


@njit
def _seen(w, p, club, slot):
    """``future`` of another club's player, as this club's scouts see him."""
    ability = scouting.believed_ability(w, p, club, slot)
    gap = max(scouting.believed_potential(w, p, club, slot) - ability, 0.0)
    return ability + p.manager.potential * gap * youth_weight(p, age(w.day, w.players[slot].born))


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
    ability = scouting.believed_ability(w, p, buyer, slot)
    potential = scouting.believed_potential(w, p, buyer, slot)
    mean = market.believed_worth(w, p, ability, potential, slot)
    return mean * p.market.surplus if w.players[slot].listed == 1 else mean


@njit
def free_agents(w, p):
    """Scripted clubs sign free agents, in an order drawn for the day: upgrades first come, first served."""
    clubs = len(w.clubs)
    start = below(key(w.seed, Domain.MARKET, clubs, w.day), 0, clubs)
    count = np.zeros(N_POSITIONS, np.int64)
    level = np.zeros(N_POSITIONS, np.float64)
    for i in range(clubs):
        club = (start + i) % clubs
        if scripted(w, club):
            _sign_free(w, p, club, count, level)


@njit
def _sign_free(w, p, club, count, level):
    c = w.clubs[club]
    for _ in range(p.manager.free_signings):
        if c.n_squad >= p.manager.squad_size[1]:
            return
        _needs(w, p, club, count, level)
        slot = _best_free(w, p, club, count, level)
        if slot < 0:
            return
        wage = thousands(contracts.reservation(w, p, club, slot) * p.manager.renew_premium)
        contracts.join(w, p, club, slot, wage, contracts.end_of(w, years_for(w, p, slot)), 0, Move.FREE)


@njit
def _best_free(w, p, club, count, level):
    """The free agent a club wants most: one where it is short, or a clear upgrade; -1 for none."""
    c = w.clubs[club]
    wages = wage_room(w, p, club)
    short_squad = c.n_squad < p.manager.squad_size[0]
    best = -1
    best_gain = 0.0
    for i in range(w.n_free):
        slot = w.free[i]
        pl = w.players[slot]
        short = count[pl.position] < p.manager.depth[pl.position]
        need = level[pl.position] - (p.manager.short if short else 0.0) - (p.manager.short if short_squad else 0.0)
        years = age(w.day, pl.born)
        if pl.pub_ability + p.manager.look < need or not p.manager.free_age <= years <= p.manager.renew_age:
            continue
        gain = _seen(w, p, club, slot) - need
        if gain <= best_gain:
            continue
        wage = contracts.reservation(w, p, club, slot)
        if wage <= wages or (short_squad and wage <= p.manager.poor_wage * inflation(p, w.day)):
            best = slot
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
