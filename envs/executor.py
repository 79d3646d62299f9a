"""The executor: plays a whole stop of a seat by its habits, through the same calls as everybody.

Every step is a legal tool call, a turn of its own, made with ``actions.act`` and kept in the desk's list, from which a
policy can make the same calls again (``fmgym.baselines.pilot``). A call that would be refused is not made. What it
knows is what the seat is shown: bands and stars, public values, contracts, its own books.
"""

import numpy as np

from fmgym.calendar import age, day_of_year, window_open
from fmgym.detmath import log
from fmgym.enums import (
    N_POSITIONS,
    Error,
    Facility,
    OfferKind,
    OfferState,
    Outcome,
    Reply,
    Status,
    StopKind,
    Tool,
)
from fmgym.envs import shortlist
from fmgym.envs.habits import SCHOOLS
from fmgym.jit import njit
from fmgym.kernels import academy, actions, contracts, finance, market, roster, scouting, talks
from fmgym.kernels.draft import greedy, squad_quality
from fmgym.kernels.lineup import pick
from fmgym.kernels.money import thousands
from fmgym.kernels.valuation import contract_left, market_value, wage_norm, youth_weight
from fmgym.state import CALL, LINEUP, MATCH_PLAYERS, record

MOST_CALLS = 56  # a stop closes by itself at its sixtieth turn
LISTED = 6  # transfer list entries changed at a stop, at most
CANDIDATES = 12  # players considered at a stop, for money and for free each
WAGE_OFFERS = (0.82, 1.02, 1.27)  # over the usual wage of a player of his band: first, and after each refusal
LOW_TERMS = 0.745  # of the wage a newcomer demands: offered first
RAISE = 1.16  # a refused bid is raised by this
FIRST = 0.75  # of the price a player is worth to the seat: its first bid
TRIES = 3  # bids for one player at a stop
THRIFT = 10.0  # ability points a price of all the cash is worth
GAP_WEIGHT = 0.7  # of the gap to potential of a player of 19, at youth 1
PUBLIC_ERROR = 2.2  # ability points that public values are taken to be off by
LEAST_VALUE = 10  # k; lower public values are not shown
LN2 = 0.6931471805599453
SHORT = 20  # seniors below which anybody helps
HURRY = 12.0  # ability points less asked of a newcomer then
STRETCH = 0.3  # a starter's wage may rise by this share beyond the ceiling
RISE = 1.3  # over a bid received: asked of a bidder, twice
ALREADY = 1.25  # over the usual price: asked for a starter
KEPT = 0.8  # over the usual price: asked for a player past his best
CONTRACT_AGES = (24.0, 28.0, 31.0)  # below which a contract runs for so many years:
CONTRACT_YEARS = (5, 4, 3, 1)
DRAFT_PRICES = (0.0001, 0.0002, 0.0004, 0.0007, 0.0012)  # weights of price tried in the draft, ability points a k

DESK = record(
    [
        ("n", np.int64),  # calls made at this stop
        ("calls", CALL, (MOST_CALLS,)),
        ("args", np.int64, (CALL["args"].shape[0],)),
    ]
)


@njit
def play(w, p, seat, h, desk):
    """Play the seat's open stop by the habits ``h``. The advance is left to the caller."""
    desk.n = 0
    if actions.in_draft(w, seat):
        _draft(w, p, seat, h, desk)
    else:
        _manage(w, p, seat, h, desk)


@njit
def _manage(w, p, seat, h, desk):
    c = w.clubs[w.seats[seat].club]
    kinds = w.seats[seat].kinds
    _answer(w, p, seat, h, desk)
    _renew(w, p, seat, h, desk)
    level = np.empty(N_POSITIONS, np.float64)
    _promote(w, p, seat, h, desk)
    levels(w, p, seat, h.youth, level)
    if h.buys > 0 and window_open(p, w.day) > 0 and c.n_squad < h.squad:
        _buy(w, p, seat, h, desk, level)
    if c.n_squad < h.squad:
        _sign_free(w, p, seat, h, desk, level)
    _list(w, p, seat, h, desk)
    _build(w, p, seat, h, desk)
    if (kinds >> StopKind.PRESEASON_BOARD) & 1 or (kinds >> StopKind.WINTER_OPEN) & 1:
        _set_tactics(w, p, seat, h, desk)
    _choose_lineup(w, p, seat, h, desk)


# Calls


@njit
def _make(w, p, seat, desk, tool, n):
    """Make the call whose arguments stand in ``desk.args``, if it is legal. Returns (made, outcome, value)."""
    if desk.n == MOST_CALLS:
        return False, Outcome.DONE.value, 0
    call = desk.calls[desk.n]
    call.tool = tool
    call.n = n
    for i in range(len(desk.args)):  # now: acting may complete a draft list in place
        call.args[i] = desk.args[i] if i < n else 0
    error, outcome, value = actions.act(w, p, seat, tool, desk.args, n)
    if error != Error.OK:
        return False, Outcome.DONE.value, 0
    desk.n += 1
    actions.begin_turn(w, seat)
    actions.end_turn(w, p, seat)
    return True, outcome, value


@njit
def _call(w, p, seat, desk, tool, n, a, b, c):
    desk.args[:] = 0
    desk.args[0] = a
    desk.args[1] = b
    desk.args[2] = c
    return _make(w, p, seat, desk, tool, n)


# Judging players


@njit
def middle(w, p, seat, slot):
    """The middle of a player's scouted band."""
    s = w.seats[seat]
    low, high = scouting.band(p, s.ability[slot], s.error[slot])
    return 0.5 * (low + high)


@njit
def seen(w, p, seat, slot, youth):
    """How good the seat takes a player to be: band's middle, and of a young one's stars as ``youth`` says."""
    return shortlist.seen(w, p, seat, slot, youth * GAP_WEIGHT)


@njit
def levels(w, p, seat, youth, level):
    """For each position the weakest of the seat's starters, those who leave apart."""
    c = w.clubs[w.seats[seat].club]
    worth = np.empty(c.n_squad, np.float64)
    for i in range(c.n_squad):
        leaves = w.players[c.squad[i]].next_club >= 0
        worth[i] = shortlist.NOTHING if leaves else seen(w, p, seat, c.squad[i], youth)
    shortlist.weakest(w, p, c, worth, level)


@njit
def rank(w, p, seat, slot, youth):
    """How many squad mates at his position are better."""
    c = w.clubs[w.seats[seat].club]
    mine = seen(w, p, seat, slot, youth)
    better = 0
    for i in range(c.n_squad):
        other = c.squad[i]
        if w.players[other].position == w.players[slot].position and seen(w, p, seat, other, youth) > mine:
            better += 1
    return better


@njit
def is_starter(w, p, seat, slot, youth):
    """Whether he is among the better half of the wished depth at his position."""
    return rank(w, p, seat, slot, youth) < (p.manager.depth[w.players[slot].position] + 1) // 2


@njit
def room(w, p, seat, h):
    """What the wage bill may still grow by, k a year."""
    club = w.seats[seat].club
    return thousands(h.wages * finance.expected_revenue(w, p, club)) - w.clubs[club].wage_bill


@njit
def spare(w, seat, h):
    """Cash above the reserve, k."""
    c = w.clubs[w.seats[seat].club]
    return c.cash - thousands(h.reserve * c.wage_bill)


@njit
def _years(w, slot):
    """How long a contract a player of that age gets."""
    years = age(w.day, w.players[slot].born)
    for i in range(len(CONTRACT_AGES)):
        if years < CONTRACT_AGES[i]:
            return CONTRACT_YEARS[i]
    return CONTRACT_YEARS[len(CONTRACT_AGES)]


# Draft


@njit
def _draft(w, p, seat, h, desk):
    """The best squad the seat sees over several weights of price."""
    s = w.seats[seat]
    trial = np.zeros(len(w.templates), np.int64)
    belief = np.zeros(len(w.templates), np.float64)
    for t in range(len(w.templates)):
        low, high = scouting.band(p, s.draft_ability[t], p.scouting.bias)
        ability = 0.5 * (low + high)
        gap = max(scouting.star_middle(p, s.draft_potential[t]) - ability, 0.0)
        belief[t] = ability + h.youth * GAP_WEIGHT * gap * youth_weight(p, float(w.templates[t].age))
    best = -1e9
    n_best = 0
    for i in range(len(DRAFT_PRICES)):
        n = greedy(w, p, belief, DRAFT_PRICES[i], trial)
        quality = squad_quality(belief, trial, n)
        if quality > best:
            best = quality
            n_best = n
            desk.args[:] = 0
            for j in range(n):
                desk.args[j] = trial[j]
    _make(w, p, seat, desk, Tool.SUBMIT_DRAFT.value, n_best)


# Offers


@njit
def _answer(w, p, seat, h, desk):
    """Bids for own players are taken at the price wished or countered; deals under way are completed."""
    for i in range(len(w.seats[seat].offers)):
        o = w.seats[seat].offers[i]
        if o.state != OfferState.LIVE:
            continue
        if o.kind == OfferKind.BID_RECEIVED:
            _answer_bid(w, p, seat, h, desk, i)
        elif o.kind == OfferKind.FEE_AGREED:
            _agree_terms(w, p, seat, h, desk, i)


@njit
def _answer_bid(w, p, seat, h, desk, i):
    o = w.seats[seat].offers[i]
    slot = roster.slot_of(w, o.uid)
    pl = w.players[slot]
    factor = h.sell
    if is_starter(w, p, seat, slot, h.youth):
        factor *= ALREADY
    if age(w.day, pl.born) >= h.veterans or pl.listed == 1:
        factor *= KEPT
    wanted = thousands(factor * pl.value)
    if w.clubs[w.seats[seat].club].n_squad <= SHORT:
        return
    if thousands(RISE * RISE * o.fee) < wanted:
        return
    offer = o.id
    fee = o.fee
    for _ in range(2):
        asked = max(thousands(RISE * fee), wanted)
        made, outcome, value = _call(
            w, p, seat, desk, Tool.RESPOND_TO_OFFER.value, 3, offer, Reply.COUNTER.value, asked
        )
        if not made or outcome != Outcome.COUNTERED:
            return
        fee = value
    if fee >= wanted:
        _call(w, p, seat, desk, Tool.RESPOND_TO_OFFER.value, 3, offer, Reply.ACCEPT.value, 0)


@njit
def _agree_terms(w, p, seat, h, desk, i):
    """A fee is agreed: try for less than the wage he demands, then meet it if it fits. Whether he came."""
    o = w.seats[seat].offers[i]
    most = max(room(w, p, seat, h), 0) + thousands(STRETCH * o.wage)
    if o.wage > most:
        return False
    uid = o.uid
    demand = o.wage
    years = o.years
    low = max(thousands(LOW_TERMS * demand), 1)
    made, outcome, value = _call(w, p, seat, desk, Tool.OFFER_CONTRACT.value, 3, uid, low, years)
    if made and (outcome == Outcome.ACCEPTED or outcome == Outcome.LODGED):
        return True
    if made and outcome == Outcome.COUNTERED:
        demand = min(demand, value)
    made, outcome, _ = _call(w, p, seat, desk, Tool.OFFER_CONTRACT.value, 3, uid, demand, years)
    return made and (outcome == Outcome.ACCEPTED or outcome == Outcome.LODGED)


# Contracts


@njit
def _renew(w, p, seat, h, desk):
    """Renew the core in time, the best players first."""
    c = w.clubs[w.seats[seat].club]
    value = np.zeros(c.n_squad, np.int64)
    for i in range(c.n_squad):
        value[i] = w.players[c.squad[i]].value
    for _ in range(c.n_squad):
        i = int(np.argmax(value))
        if value[i] <= 0:
            return
        value[i] = 0
        slot = c.squad[i]
        pl = w.players[slot]
        wanted = rank(w, p, seat, slot, h.youth) < h.core * p.manager.depth[pl.position]
        old = age(w.day, pl.born) >= h.veterans + 2.0
        if contract_left(w, slot) <= h.renew and pl.next_club < 0 and wanted and not old:
            extra = thousands(STRETCH * pl.wage) if is_starter(w, p, seat, slot, h.youth) else 0
            _negotiate(w, p, seat, desk, slot, _years(w, slot), pl.wage + max(room(w, p, seat, h), 0) + extra)


@njit
def _negotiate(w, p, seat, desk, slot, years, most):
    """Offer a contract, then more, up to ``most`` k a year; a counter within it is met. Whether he signed."""
    usual = wage_norm(w, p, slot, middle(w, p, seat, slot))
    uid = w.players[slot].uid
    for k in range(len(WAGE_OFFERS)):
        wage = max(thousands(WAGE_OFFERS[k] * usual), 1)
        if wage > most:
            return False
        made, outcome, value = _call(w, p, seat, desk, Tool.OFFER_CONTRACT.value, 3, uid, wage, years)
        if made and outcome == Outcome.COUNTERED and value <= most:
            made, outcome, value = _call(w, p, seat, desk, Tool.OFFER_CONTRACT.value, 3, uid, value, years)
        if not made or outcome == Outcome.TALKS_OFF or outcome == Outcome.COUNTERED:
            return False
        if outcome == Outcome.ACCEPTED or outcome == Outcome.LODGED:
            return True
    return False


# Market


@njit
def _gain(w, p, seat, h, slot, level):
    """Ability points a newcomer would add at his position, as the scouts and his public value have it together."""
    return seen(w, p, seat, slot, h.youth) + _second_opinion(w, p, seat, slot) - level[w.players[slot].position]


@njit
def _second_opinion(w, p, seat, slot):
    """What a player's public value adds to the ability that the seat's scouts report, weighed by their errors."""
    s = w.seats[seat]
    value = w.players[slot].value
    reference = p.value.reference
    usual = market_value(w, p, slot, reference, reference)
    if value <= LEAST_VALUE or usual <= LEAST_VALUE:
        return 0.0
    public = reference + p.value.double * log(value / usual) / LN2
    low, high = scouting.band(p, s.ability[slot], s.error[slot])
    error = 0.5 * (high - low) / p.scouting.band
    weight = error * error / (error * error + PUBLIC_ERROR * PUBLIC_ERROR)
    return weight * (public - seen(w, p, seat, slot, p.value.potential / GAP_WEIGHT))


@njit
def _insert(slots, scores, slot, score):
    """Put a slot into a ranking, best first."""
    i = len(slots) - 1
    if slots[i] >= 0 and scores[i] >= score:
        return
    while i > 0 and (slots[i - 1] < 0 or scores[i - 1] < score):
        slots[i] = slots[i - 1]
        scores[i] = scores[i - 1]
        i -= 1
    slots[i] = slot
    scores[i] = score


@njit
def _buy(w, p, seat, h, desk, level):
    """Bid for the players who add most for their price."""
    club = w.seats[seat].club
    c = w.clubs[club]
    slots = np.full(CANDIDATES, -1, np.int64)
    scores = np.zeros(CANDIDATES, np.float64)
    money = h.spend * spare(w, seat, h)
    if money <= 0.0:
        return
    wages = room(w, p, seat, h)
    for slot in range(len(w.players)):
        pl = roster.seen(w, club, slot)
        if pl.status != Status.SENIOR or pl.club == club or age(w.day, pl.born) > h.oldest:
            continue
        price = market.down_payment(thousands(FIRST * h.price * pl.value), int(h.instalments))
        if price > money or w.clubs[pl.club].seat >= 0 or not market.sellable(w, p, slot):
            continue
        gain = _gain(w, p, seat, h, slot, level)
        if gain < h.need:
            continue
        if wage_norm(w, p, slot, middle(w, p, seat, slot)) <= wages + STRETCH * pl.wage:
            _insert(slots, scores, slot, gain - THRIFT * pl.value / max(c.cash, 1))
    bought = 0
    for i in range(CANDIDATES):
        if slots[i] < 0 or bought >= h.buys or c.n_squad >= h.squad:
            return
        if _gain(w, p, seat, h, slots[i], level) >= h.need and _bid(w, p, seat, h, desk, slots[i]):
            bought += 1
            levels(w, p, seat, h.youth, level)


@njit
def _bid(w, p, seat, h, desk, slot):
    """Bid for a player, raising; a counter within the limit is met. Whether he came."""
    pl = w.players[slot]
    uid = pl.uid
    fee = max(thousands(FIRST * h.price * pl.value), p.market.min_fee)
    most = thousands(h.price * pl.value)
    parts = int(h.instalments)
    for _ in range(TRIES):
        if market.down_payment(fee, parts) > max(spare(w, seat, h), 0):
            return False
        made, outcome, value = _call(w, p, seat, desk, Tool.MAKE_TRANSFER_OFFER.value, 3, uid, fee, parts)
        if made and outcome == Outcome.COUNTERED and value <= most:
            if market.down_payment(value, parts) > max(spare(w, seat, h), 0):
                return False
            made, outcome, value = _call(w, p, seat, desk, Tool.MAKE_TRANSFER_OFFER.value, 3, uid, value, parts)
        if not made or outcome == Outcome.TALKS_OFF or outcome == Outcome.COUNTERED:
            return False
        if outcome == Outcome.ACCEPTED:
            i = actions.find_offer(w, seat, uid, OfferKind.FEE_AGREED)
            return i >= 0 and _agree_terms(w, p, seat, h, desk, i)
        fee = max(thousands(RAISE * fee), p.market.min_fee)
        if fee > most:
            return False
    return False


@njit
def _sign_free(w, p, seat, h, desk, level):
    """Free agents, and players who can sign for the time after their contract."""
    club = w.seats[seat].club
    c = w.clubs[club]
    slots = np.full(CANDIDATES, -1, np.int64)
    scores = np.zeros(CANDIDATES, np.float64)
    hurry = HURRY if c.n_squad < SHORT else 0.0
    for slot in range(len(w.players)):
        pl = roster.seen(w, club, slot)
        if pl.club == club or age(w.day, pl.born) > h.oldest + hurry:
            continue
        if pl.status == Status.FREE or (pl.status == Status.SENIOR and contracts.can_precontract(w, p, club, slot)):
            gain = _gain(w, p, seat, h, slot, level)
            if gain >= h.need - hurry:
                _insert(slots, scores, slot, gain)
    for i in range(CANDIDATES):
        slot = slots[i]
        if slot < 0 or c.n_squad >= h.squad or talks.wage_cooling(w, club, w.players[slot].uid):
            continue
        most = room(w, p, seat, h)
        if hurry > 0.0:
            most = max(most, c.wage_bill // 25)
        helps = _gain(w, p, seat, h, slot, level) >= h.need - hurry
        if helps and _negotiate(w, p, seat, desk, slot, _years(w, slot), most):
            levels(w, p, seat, h.youth, level)


@njit
def _list(w, p, seat, h, desk):
    """Before and in a window: veterans and surplus players go on the transfer list, others come off it."""
    day = day_of_year(w.day)
    if not (day <= p.calendar.window_summer[1] or p.calendar.window_winter[0] <= day <= p.calendar.window_winter[1]):
        return
    c = w.clubs[w.seats[seat].club]
    changed = 0
    for i in range(c.n_squad):
        slot = c.squad[i]
        pl = w.players[slot]
        surplus = rank(w, p, seat, slot, h.youth) >= 1.5 * p.manager.depth[pl.position]
        wanted = 1 if surplus or age(w.day, pl.born) >= h.veterans else 0
        if wanted != pl.listed and changed < LISTED:
            _call(w, p, seat, desk, Tool.LIST_PLAYER.value, 2, pl.uid, wanted, 0)
            changed += 1


# Academy, facilities, tactics


@njit
def _promote(w, p, seat, h, desk):
    """Prospects good enough get their first contract; anybody when the squad is short."""
    c = w.clubs[w.seats[seat].club]
    total = 0.0
    for i in range(c.n_squad):
        total += middle(w, p, seat, c.squad[i])
    mean = total / max(c.n_squad, 1)
    for i in range(c.n_academy - 1, -1, -1):
        slot = c.academy[i]
        good = seen(w, p, seat, slot, 1.0) >= mean - h.promote
        fits = c.n_squad < h.squad and academy.promotion_wage(w, p, slot) <= max(room(w, p, seat, h), 0)
        if (good and fits) or c.n_squad < SHORT - 1:
            _call(w, p, seat, desk, Tool.PROMOTE_YOUTH.value, 1, w.players[slot].uid, 0, 0)


@njit
def _build(w, p, seat, h, desk):
    """Start the upgrade wished when the cash above the reserve pays for it."""
    club = w.seats[seat].club
    c = w.clubs[club]
    kind = int(h.build)
    if kind < 0:
        return
    if h.build == SCHOOLS:
        kind = Facility.ACADEMY.value
        if _level_to_be(c, Facility.TRAINING) < _level_to_be(c, kind):
            kind = Facility.TRAINING.value
    if c.levels[kind] < p.facility.top and finance.upgrade_cost(w, p, club, kind) <= spare(w, seat, h):
        _call(w, p, seat, desk, Tool.INVEST.value, 1, kind, 0, 0)


@njit
def _level_to_be(c, kind):
    return c.levels[kind] + (c.building[kind] > 0)


@njit
def _set_tactics(w, p, seat, h, desk):
    c = w.clubs[w.seats[seat].club]
    formation = c.formation if h.formation < 0 else int(h.formation)
    style = c.style if h.style < 0 else int(h.style)
    if formation != c.formation or style != c.style:
        _call(w, p, seat, desk, Tool.SET_TACTICS.value, 2, formation, style, 0)


@njit
def _choose_lineup(w, p, seat, h, desk):
    """Automatic choice before each match, or today's eleven fixed."""
    club = w.seats[seat].club
    c = w.clubs[club]
    if h.rotation == 0.0:
        if c.lineup_auto == 0:
            desk.args[:] = 0
            _make(w, p, seat, desk, Tool.SET_LINEUP.value, 0)
        return
    if c.n_squad < LINEUP:
        return
    eleven = np.empty(MATCH_PLAYERS, np.int64)
    pick(w, p, club, eleven)
    desk.args[:] = 0
    for r in range(LINEUP):
        if eleven[r] < 0:
            return
        desk.args[r] = w.players[eleven[r]].uid
    _make(w, p, seat, desk, Tool.SET_LINEUP.value, LINEUP)
