"""What a seat's calls may do and what they do: legality written once, effects above it.

``check`` gives the refusal code of a call and changes nothing; the mask, the error and the effect all ask
it. ``act`` checks, applies and books the call's budget. Turns belong to the caller (``begin_turn``).
"""

import numpy as np

from fmgym.calendar import window_open
from fmgym.enums import (
    N_FACILITIES,
    N_FORMATIONS,
    N_STYLES,
    Condition,
    Deal,
    Error,
    Move,
    OfferKind,
    OfferState,
    OrderAction,
    Outcome,
    Reply,
    Settle,
    Status,
    Tool,
)
from fmgym.jit import njit
from fmgym.kernels import academy, contracts, deals, finance, managers, market, roster, talks
from fmgym.kernels.draft import complete, price_orders, tally
from fmgym.kernels.market import find_offer
from fmgym.state import CALL_ARGS, LINEUP, ORDERS, RECENT

FIRST_ACTION = Tool.SET_LINEUP.value
LAST_ACTION = Tool.SUBMIT_DRAFT.value


@njit
def is_query(tool):
    return tool < FIRST_ACTION


@njit
def is_negotiation(tool):
    """Whether a call spends the negotiation budget. Contract offers do not (paper, appendix H)."""
    return tool == Tool.MAKE_TRANSFER_OFFER or tool == Tool.RESPOND_TO_OFFER


@njit
def in_draft(w, seat):
    return w.seats[seat].drafted == 0


@njit
def check(w, p, seat, tool, args, n):
    """The refusal code of a call, ``Error.OK`` when it would be accepted. Changes nothing."""
    s = w.seats[seat]
    if tool < 0 or tool > Tool.ADVANCE:
        return Error.UNKNOWN_TOOL.value
    if s.settled != Settle.LIVE:
        return Error.FINISHED.value
    if s.waiting == 1:
        return Error.WAITING.value
    if is_query(tool):
        return _check_query(w, p, seat, tool, args, n)
    if tool > LAST_ACTION:
        return Error.OK.value
    if (tool == Tool.SUBMIT_DRAFT) != in_draft(w, seat):
        return Error.DRAFT_ONLY.value if tool == Tool.SUBMIT_DRAFT else Error.NOT_IN_DRAFT.value
    if is_negotiation(tool) and s.negotiations >= p.stop.negotiations:
        return Error.NEGOTIATION_BUDGET.value
    return _check_action(w, p, seat, tool, args, n)


@njit
def _check_query(w, p, seat, tool, args, n):
    if w.seats[seat].queries >= p.stop.queries:
        return Error.QUERY_BUDGET.value
    if tool == Tool.GET_DRAFT_POOL and not in_draft(w, seat):
        return Error.DRAFT_ONLY.value
    if tool == Tool.GET_PLAYER and roster.slot_of(w, args[0]) < 0:
        return Error.UNKNOWN_PLAYER.value
    if tool == Tool.GET_MATCH_REPORT:
        known = 0 <= args[0] < w.n_fixtures and w.fixtures[args[0]].played == 1
        return Error.OK.value if known else Error.UNKNOWN_MATCH.value
    return Error.OK.value


@njit
def _check_action(w, p, seat, tool, args, n):
    if tool == Tool.SET_LINEUP:
        return _check_lineup(w, seat, args, n)
    if tool == Tool.SET_TACTICS:
        known = 0 <= args[0] < N_FORMATIONS and 0 <= args[1] < N_STYLES
        return Error.OK.value if known else Error.BAD_ARGUMENT.value
    if tool == Tool.MAKE_TRANSFER_OFFER:
        return check_bid(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.RESPOND_TO_OFFER:
        return check_reply(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.OFFER_CONTRACT:
        return check_contract(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.INVEST:
        return check_invest(w, p, seat, args[0])
    if tool == Tool.SET_STANDING_ORDER:
        return _check_order(w, seat, args)
    if tool == Tool.SUBMIT_DRAFT:
        return _check_draft(w, p, args, n)
    return _check_own(w, p, seat, tool, args)


@njit
def check_order_call(w, p, seat, tool, args):
    """Legality of a standing order's call: as the seat's own, but between stops and without budgets."""
    if tool == Tool.RESPOND_TO_OFFER:
        return check_reply(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.OFFER_CONTRACT:
        return check_contract(w, p, seat, args[0], args[1], args[2])
    return check_invest(w, p, seat, args[0])


@njit
def _own_senior(w, club, uid):
    """The slot of the club's own senior, or minus an error code."""
    slot = roster.slot_of(w, uid)
    if slot < 0:
        return -Error.UNKNOWN_PLAYER.value
    pl = w.players[slot]
    if pl.status != Status.SENIOR or pl.club != club:
        return -Error.NOT_YOUR_PLAYER.value
    return slot


@njit
def _check_lineup(w, seat, args, n):
    """Eleven different seniors, or none for automatic choice."""
    if n == 0:
        return Error.OK.value
    if n != LINEUP:
        return Error.BAD_ARGUMENT.value
    for i in range(n):
        slot = _own_senior(w, w.seats[seat].club, args[i])
        if slot < 0:
            return -slot
        for j in range(i):
            if args[j] == args[i]:
                return Error.BAD_ARGUMENT.value
    return Error.OK.value


@njit
def check_bid(w, p, seat, uid, fee, instalments):
    """Legality of a bid for another club's player."""
    barred = bid_barred(w, p, seat, uid)
    if barred != Error.OK:
        return barred
    if instalments < 0 or instalments > p.market.instalments or fee < p.market.min_fee:
        return Error.BAD_ARGUMENT.value
    short = market.down_payment(fee, instalments) > deals.available(w, p, w.seats[seat].club)
    return Error.CASH_SHORT.value if short else Error.OK.value


@njit
def bid_barred(w, p, seat, uid):
    """What refuses a bid for this player whatever its price."""
    barred = not_for_sale(w, p, seat, uid)
    if barred == Error.OK and talks.fee_cooling(w, w.seats[seat].club, uid):
        return Error.COOLDOWN.value
    return barred


@njit
def not_for_sale(w, p, seat, uid):
    """What refuses a bid for this player whatever its price, earlier talks aside."""
    club = w.seats[seat].club
    slot = roster.slot_of(w, uid)
    if slot < 0:
        return Error.UNKNOWN_PLAYER.value
    if roster.seen(w, club, slot).club == club:
        return Error.OWN_PLAYER.value
    if window_open(p, w.day) == 0:
        return Error.WINDOW_CLOSED.value
    if not market.for_sale(w, p, club, slot):
        return Error.NOT_FOR_SALE.value
    if squad_full(w, p, club):
        return Error.SQUAD_FULL.value
    agreed = find_offer(w, seat, uid, OfferKind.FEE_AGREED) >= 0 or deals.find(w, seat, uid) >= 0
    return Error.NO_CHANGE.value if agreed else _no_room(w, seat)


@njit
def squad_full(w, p, club):
    """Whether a club may sign nobody more."""
    return deals.squad_with_signings(w, club) >= p.market.squad_max


@njit
def _no_room(w, seat):
    """What refuses a call that would lodge one deal too many."""
    return Error.OK.value if deals.has_room(w, seat) else Error.NEGOTIATION_BUDGET.value


@njit
def offer_index(w, seat, offer_id):
    """Index of a seat's live offer by its id, or -1."""
    offers = w.seats[seat].offers
    for i in range(len(offers)):
        if offers[i].state == OfferState.LIVE and offers[i].id == offer_id:
            return i
    return -1


@njit
def check_reply(w, p, seat, offer_id, reply, amount):
    i = offer_index(w, seat, offer_id)
    if i < 0:
        return Error.UNKNOWN_OFFER.value
    o = w.seats[seat].offers[i]
    if reply == Reply.REJECT:
        return _no_room(w, seat)
    if reply == Reply.ACCEPT and o.kind == OfferKind.FEE_AGREED:
        return check_contract(w, p, seat, o.uid, o.wage, o.years)
    if reply == Reply.ACCEPT or (reply == Reply.COUNTER and o.kind == OfferKind.BID_RECEIVED):
        return _check_sale(w, p, seat, i, reply, amount)
    if reply == Reply.COUNTER and o.kind == OfferKind.BID_COUNTERED:
        return check_bid(w, p, seat, o.uid, amount, o.instalments)
    if reply == Reply.COUNTER and o.kind == OfferKind.WAGE_COUNTERED:
        return check_contract(w, p, seat, o.uid, amount, o.years)
    if reply == Reply.ACCEPT_COUNTER and o.kind == OfferKind.BID_COUNTERED:
        return check_bid(w, p, seat, o.uid, o.fee, o.instalments)
    if reply == Reply.ACCEPT_COUNTER and o.kind == OfferKind.WAGE_COUNTERED:
        return check_contract(w, p, seat, o.uid, o.wage, o.years)
    return Error.NO_COUNTER.value if reply == Reply.ACCEPT_COUNTER else Error.BAD_ARGUMENT.value


@njit
def _check_sale(w, p, seat, i, reply, amount):
    """Accepting or countering a bid for one's own player."""
    o = w.seats[seat].offers[i]
    if o.kind != OfferKind.BID_RECEIVED:
        return Error.BAD_ARGUMENT.value
    if reply == Reply.COUNTER and amount <= o.fee:
        return Error.BAD_ARGUMENT.value
    if window_open(p, w.day) == 0:
        return Error.WINDOW_CLOSED.value
    if deals.squad_without_sales(w, w.seats[seat].club) <= p.market.squad_min:
        return Error.SQUAD_MINIMUM.value
    slot = roster.slot_of(w, o.uid)
    if slot < 0 or w.players[slot].next_club >= 0 or deals.find(w, seat, o.uid) >= 0:
        return Error.UNAVAILABLE.value
    buyer = w.clubs[o.club]
    if buyer.seat >= 0:  # another seat's cash and squad are its own affair until the deal is done
        return _no_room(w, seat)
    if buyer.n_squad >= p.market.squad_max or buyer.cash < o.fee:
        return Error.UNAVAILABLE.value
    return _no_room(w, seat)


@njit
def check_contract(w, p, seat, uid, wage, years):
    """Legality of a contract offer: a renewal, a free agent, an agreed transfer or a pre-contract."""
    barred = contract_barred(w, p, seat, uid)
    if barred != Error.OK:
        return barred
    if years < 1 or years > p.wage.years or wage < 1:
        return Error.BAD_ARGUMENT.value
    club = w.seats[seat].club
    pl = roster.seen(w, club, roster.slot_of(w, uid))
    if pl.club == club:
        return Error.NO_CHANGE.value if contracts.end_of(w, years) < pl.contract_end else Error.OK.value
    cost = contracts.signing_cost(p, wage) + agreed_fee(w, seat, uid)
    return Error.CASH_SHORT.value if cost > deals.available(w, p, club) else Error.OK.value


@njit
def contract_barred(w, p, seat, uid):
    """What refuses a contract offer to this player whatever its terms."""
    barred = no_contract(w, p, seat, uid)
    if barred == Error.OK and talks.wage_cooling(w, w.seats[seat].club, uid):
        return Error.COOLDOWN.value
    return barred


@njit
def no_contract(w, p, seat, uid):
    """What refuses a contract offer to this player whatever its terms, earlier talks aside."""
    club = w.seats[seat].club
    slot = roster.slot_of(w, uid)
    if slot < 0:
        return Error.UNKNOWN_PLAYER.value
    pl = roster.seen(w, club, slot)
    if pl.status == Status.ACADEMY:
        return Error.NOT_YOUR_PLAYER.value if pl.club != club else Error.NO_AGREEMENT.value
    if pl.club == club:
        refuses = contracts.refuses(w, p, club, slot) or pl.next_club >= 0
        return Error.PLAYER_REFUSES.value if refuses else Error.OK.value
    if pl.status == Status.SENIOR and find_offer(w, seat, uid, OfferKind.FEE_AGREED) >= 0:
        if window_open(p, w.day) == 0:
            return Error.WINDOW_CLOSED.value
        if not market.for_sale(w, p, club, slot):
            return Error.NOT_FOR_SALE.value
    elif pl.status == Status.SENIOR and not contracts.can_precontract(w, p, club, slot):
        return Error.NO_AGREEMENT.value
    if squad_full(w, p, club):
        return Error.SQUAD_FULL.value
    return Error.NO_CHANGE.value if deals.find(w, seat, uid) >= 0 else _no_room(w, seat)


@njit
def agreed_fee(w, seat, uid):
    """What falls due at once, beside the signing cost, when this player signs."""
    i = find_offer(w, seat, uid, OfferKind.FEE_AGREED)
    if i < 0:
        return 0
    o = w.seats[seat].offers[i]
    return market.down_payment(o.fee, o.instalments)


@njit
def check_invest(w, p, seat, kind):
    """Legality of starting a facility upgrade."""
    if kind < 0 or kind >= N_FACILITIES:
        return Error.BAD_ARGUMENT.value
    club = w.seats[seat].club
    c = w.clubs[club]
    if c.building[kind] > 0:
        return Error.BUILDING.value
    if c.levels[kind] >= p.facility.top:
        return Error.MAX_LEVEL.value
    return (
        Error.CASH_SHORT.value
        if finance.upgrade_cost(w, p, club, kind) > deals.available(w, p, club)
        else Error.OK.value
    )


@njit
def _check_order(w, seat, args):
    """(place, condition or -1 to clear, threshold, action)."""
    if args[0] < 0 or args[0] >= ORDERS:
        return Error.BAD_ARGUMENT.value
    if args[1] == -1:
        active = w.seats[seat].orders[args[0]].active
        return Error.OK.value if active == 1 else Error.ORDER_EMPTY.value
    if args[2] < 0 or args[2] > 100_000:
        return Error.BAD_ARGUMENT.value
    return Error.OK.value if order_fits(args[1], args[3]) else Error.BAD_ARGUMENT.value


@njit
def order_fits(condition, action):
    """Which action can follow which condition."""
    if condition == Condition.OFFER_ABOVE_VALUE or condition == Condition.OFFER_BELOW_VALUE:
        return action == OrderAction.ACCEPT_OFFER or action == OrderAction.REJECT_OFFER
    if condition == Condition.CONTRACT_MONTHS_BELOW:
        return action == OrderAction.RENEW_CONTRACT
    if condition == Condition.CONDITION_BELOW:
        return action == OrderAction.AUTO_LINEUP
    if condition == Condition.CASH_ABOVE:
        return OrderAction.INVEST_ACADEMY <= action <= OrderAction.INVEST_STADIUM
    return condition == Condition.CONFIDENCE_BELOW and action == OrderAction.STYLE_DEFENSIVE


@njit
def _check_draft(w, p, args, n):
    """Different known templates which, completed from the cheapest, stay within the budget."""
    if n > p.draft.squad:
        return Error.BAD_ARGUMENT.value
    picks = np.zeros(len(w.templates), np.int64)
    for i in range(n):
        if args[i] < 0 or args[i] >= len(w.templates):
            return Error.UNKNOWN_TEMPLATE.value
        for j in range(i):
            if args[j] == args[i]:
                return Error.BAD_ARGUMENT.value
        picks[i] = args[i]
    spent = 0
    for i in range(n):
        spent += w.templates[picks[i]].price
    taken, count = tally(w, picks, n)
    over = spent + completion_cost(w, p, price_orders(w), taken, count, picks, n) > p.draft.budget
    return Error.OVER_BUDGET.value if over else Error.OK.value


@njit
def completion_cost(w, p, orders, taken, count, picks, n):
    """What it costs to complete a list of ``n``. The tallies are left as they were, ``picks`` from ``n`` not."""
    total = 0
    for i in range(n, complete(w, p, orders, taken, count, picks, n)):
        tm = w.templates[picks[i]]
        total += tm.price
        taken[picks[i]] = 0
        count[tm.position] -= 1
    return total


@njit
def _check_own(w, p, seat, tool, args):
    """Listing, releasing, promoting: calls about one's own player."""
    club = w.seats[seat].club
    slot = roster.slot_of(w, args[0])
    if slot < 0:
        return Error.UNKNOWN_PLAYER.value
    pl = w.players[slot]
    if pl.club != club:
        return Error.NOT_YOUR_PLAYER.value
    if tool == Tool.PROMOTE_YOUTH:
        if pl.status != Status.ACADEMY:
            return Error.NOT_ACADEMY.value
        return Error.SQUAD_FULL.value if squad_full(w, p, club) else Error.OK.value
    if tool == Tool.RELEASE_PLAYER:
        return Error.OK.value if pl.status == Status.ACADEMY else release_barred(w, p, club, slot)
    if pl.status != Status.SENIOR:
        return Error.NOT_YOUR_PLAYER.value
    if args[1] != 0 and args[1] != 1:
        return Error.BAD_ARGUMENT.value
    return Error.NO_CHANGE.value if pl.listed == args[1] else Error.OK.value


@njit
def release_barred(w, p, club, slot):
    """What forbids releasing one's own senior."""
    if deals.squad_without_sales(w, club) <= p.market.squad_min:
        return Error.SQUAD_MINIMUM.value
    short = contracts.severance(w, p, slot) > deals.available(w, p, club)
    return Error.CASH_SHORT.value if short else Error.OK.value


@njit(apart=True)
def act(w, p, seat, tool, args, n):
    """Check and carry out one call. Returns (error, outcome, value); value is a fee, wage or id by tool.

    A refused call changes nothing at all.
    """
    error = check(w, p, seat, tool, args, n)
    if error != Error.OK:
        return error, Outcome.DONE.value, 0
    s = w.seats[seat]
    s.total_calls += 1
    if is_query(tool):
        s.queries += 1
        return error, Outcome.DONE.value, 0
    if is_negotiation(tool):
        s.negotiations += 1
    if tool == Tool.ADVANCE:
        _advance(w, p, seat)
        return error, Outcome.DONE.value, 0
    if tool > LAST_ACTION:
        return error, Outcome.DONE.value, 0
    outcome, value = apply(w, p, seat, tool, args, n)
    s.total_actions += 1
    _note(w, seat, tool, args, outcome)
    return error, outcome, value


@njit
def _note(w, seat, tool, args, outcome):
    """Keep the last state-changing calls for the packet, newest last."""
    s = w.seats[seat]
    if s.n_recent == RECENT:
        for i in range(RECENT - 1):
            a = s.recent[i]
            b = s.recent[i + 1]
            a.day = b.day
            a.tool = b.tool
            a.outcome = b.outcome
            for j in range(len(a.args)):
                a.args[j] = b.args[j]
        s.n_recent -= 1
    r = s.recent[s.n_recent]
    r.day = w.day
    r.tool = tool
    r.outcome = outcome
    for i in range(CALL_ARGS):
        r.args[i] = args[i]
    s.n_recent += 1


@njit
def apply(w, p, seat, tool, args, n):
    """Carry out a checked state-changing call. Returns (outcome, value)."""
    club = w.seats[seat].club
    done = Outcome.DONE.value
    if tool == Tool.MAKE_TRANSFER_OFFER:
        return bid(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.RESPOND_TO_OFFER:
        return reply_to(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.OFFER_CONTRACT:
        return offer_contract(w, p, seat, args[0], args[1], args[2])
    if tool == Tool.SET_LINEUP:
        w.clubs[club].lineup_auto = 1 if n == 0 else 0
        for i in range(n):
            w.clubs[club].lineup[i] = args[i]
    elif tool == Tool.SET_TACTICS:
        set_tactics(w, club, args[0], args[1])
    elif tool == Tool.INVEST:
        finance.start_upgrade(w, p, club, args[0])
    elif tool == Tool.SET_STANDING_ORDER:
        _set_order(w, seat, args)
    elif tool == Tool.SUBMIT_DRAFT:
        w.seats[seat].n_draft = n
        for i in range(n):
            w.seats[seat].draft[i] = args[i]
    else:
        _apply_own(w, p, seat, tool, args)
    return done, 0


@njit
def _apply_own(w, p, seat, tool, args):
    club = w.seats[seat].club
    slot = roster.slot_of(w, args[0])
    if tool == Tool.LIST_PLAYER:
        w.players[slot].listed = args[1]
    elif tool == Tool.PROMOTE_YOUTH:
        academy.promote(w, p, club, slot)
    elif w.players[slot].status == Status.ACADEMY:
        academy.let_go(w, club, slot, Move.RELEASED)
    else:
        market.drop_offers_of(w, seat, args[0], club)  # others are told when the day ends
        contracts.release(w, p, slot)


@njit
def set_tactics(w, club, formation, style):
    """Formation and style; a changed style costs familiarity from today."""
    c = w.clubs[club]
    c.formation = formation
    if c.style != style:
        c.style = style
        c.style_day = w.day


@njit
def _set_order(w, seat, args):
    o = w.seats[seat].orders[args[0]]
    o.active = 0 if args[1] == -1 else 1
    o.condition = max(args[1], 0)
    o.threshold = args[2] if o.active == 1 else 0
    o.action = args[3] if o.active == 1 else 0
    o.fired = 0


@njit
def bid(w, p, seat, uid, fee, instalments):
    """A bid for another club's player: a seat hears of it when the day ends, a script's hidden ask answers at once."""
    club = w.seats[seat].club
    slot = roster.slot_of(w, uid)
    owner = roster.seen(w, club, slot).club
    i = find_offer(w, seat, uid, OfferKind.BID_COUNTERED)
    if i >= 0 and fee >= w.seats[seat].offers[i].fee and instalments <= w.seats[seat].offers[i].instalments:
        wanted = fee  # a standing counter is honoured
    elif w.clubs[owner].seat >= 0:
        _close_offer(w, seat, i)
        deals.lodge(w, seat, Deal.BID, uid, owner, fee, instalments, 0, 0)
        return Outcome.LODGED.value, fee
    else:
        wanted = market.ask_with_instalments(w, p, club, slot, instalments)
    if fee >= wanted:
        _close_offer(w, seat, i)
        agreed, wage, years = OfferKind.FEE_AGREED, contracts.demand(w, p, club, slot), managers.years_for(w, p, slot)
        market.add_offer(w, p, seat, agreed, OfferState.LIVE, owner, uid, fee, instalments, wage, years)
        return Outcome.ACCEPTED.value, fee
    off = talks.refuse_fee(w, p, club, uid, fee)
    _close_offer(w, seat, i)
    if off:
        return Outcome.TALKS_OFF.value, 0
    if fee < p.market.near * wanted:
        return Outcome.REJECTED.value, 0
    counter = market.counter_fee(w, p, club, slot, float(wanted))
    market.add_offer(w, p, seat, OfferKind.BID_COUNTERED, OfferState.LIVE, owner, uid, counter, instalments, 0, 0)
    return Outcome.COUNTERED.value, counter


@njit
def _meets(w, seat, i, wage, years):
    """Whether terms meet the wage and years that stand in a live offer."""
    return i >= 0 and wage >= w.seats[seat].offers[i].wage and years == w.seats[seat].offers[i].years


@njit
def _close_offer(w, seat, i):
    if i >= 0:
        w.seats[seat].offers[i].state = OfferState.NONE.value


@njit
def reply_to(w, p, seat, offer_id, reply, amount):
    """Answer a live offer."""
    i = offer_index(w, seat, offer_id)
    o = w.seats[seat].offers[i]
    if reply == Reply.REJECT:
        _turn_down(w, p, seat, i)
        return Outcome.DONE.value, 0
    if o.kind == OfferKind.BID_RECEIVED:
        if w.clubs[o.club].seat >= 0:
            return _answer_seat(w, seat, i, reply, amount)
        if reply == Reply.ACCEPT:
            return _sell(w, p, seat, i, o.fee)
        return _counter_buyer(w, p, seat, i, amount)
    uid = o.uid
    if o.kind == OfferKind.BID_COUNTERED:
        return bid(w, p, seat, uid, o.fee if reply == Reply.ACCEPT_COUNTER else amount, o.instalments)
    return offer_contract(w, p, seat, uid, amount if reply == Reply.COUNTER else o.wage, o.years)


@njit
def _turn_down(w, p, seat, i):
    """Refuse a bid, or give up one's own."""
    o = w.seats[seat].offers[i]
    if o.kind == OfferKind.FEE_AGREED:
        deals.withdraw(w, seat, o.uid)
    elif o.kind == OfferKind.BID_RECEIVED and w.sealed == 1:
        deals.lodge(w, seat, Deal.REFUSE, o.uid, o.club, o.fee, 0, 0, 0)
    elif o.kind == OfferKind.BID_RECEIVED:
        talks.refuse_fee(w, p, o.club, o.uid, o.fee)
    o.state = OfferState.NONE.value


@njit
def _answer_seat(w, seat, i, reply, amount):
    """Accept another seat's bid, or ask for more: it hears when the day ends."""
    o = w.seats[seat].offers[i]
    kind = Deal.AGREE if reply == Reply.ACCEPT else Deal.COUNTER
    fee = o.fee if reply == Reply.ACCEPT else amount
    deals.lodge(w, seat, kind, o.uid, o.club, fee, o.instalments, 0, 0)
    o.state = OfferState.NONE.value
    return Outcome.LODGED.value, fee


@njit
def _sell(w, p, seat, i, fee):
    """The seat's player goes to the scripted bidder for ``fee``; in a sealed world when the day ends."""
    o = w.seats[seat].offers[i]
    if w.sealed == 1:
        deals.lodge(w, seat, Deal.SELL, o.uid, o.club, fee, 0, 0, 0)
        o.state = OfferState.NONE.value
        return Outcome.LODGED.value, fee
    deals.sell_to_scripted(w, p, o.club, roster.slot_of(w, o.uid), fee)
    return Outcome.ACCEPTED.value, fee


@njit
def _counter_buyer(w, p, seat, i, amount):
    """A counter to a bidder: met up to his ceiling; above it he improves his bid, then walks away."""
    o = w.seats[seat].offers[i]
    most = min(o.limit, managers.spending_room(w, p, o.club))  # his scouts do not report while the clock stands
    if amount <= most and amount <= w.clubs[o.club].cash:
        return _sell(w, p, seat, i, amount)
    o.rounds += 1
    better = (o.fee + most) // 2
    if o.rounds >= p.market.rounds or better <= o.fee:
        o.state = OfferState.NONE.value
        return Outcome.TALKS_OFF.value, 0
    o.fee = better
    return Outcome.COUNTERED.value, better


@njit
def offer_contract(w, p, seat, uid, wage, years):
    """A contract offer, answered at once by the player's hidden reservation wage."""
    club = w.seats[seat].club
    slot = roster.slot_of(w, uid)
    wanted = contracts.reservation(w, p, club, slot)
    i = find_offer(w, seat, uid, OfferKind.WAGE_COUNTERED)
    if _meets(w, seat, i, wage, years) or _meets(w, seat, find_offer(w, seat, uid, OfferKind.FEE_AGREED), wage, years):
        wanted = min(wanted, wage)  # a standing demand or counter is honoured
    _close_offer(w, seat, i)
    if wage >= wanted:
        return _sign(w, p, seat, slot, wage, years), wage
    if talks.refuse_wage(w, p, club, uid, wage):
        return Outcome.TALKS_OFF.value, 0
    if wage < p.wage.near * wanted:
        return Outcome.REJECTED.value, 0
    counter = contracts.counter_wage(w, p, club, slot, wanted)
    owner = roster.seen(w, club, slot).club
    market.add_offer(w, p, seat, OfferKind.WAGE_COUNTERED, OfferState.LIVE, owner, uid, 0, 0, counter, years)
    return Outcome.COUNTERED.value, counter


@njit
def _sign(w, p, seat, slot, wage, years):
    """An agreed contract: renewal, free signing, completed transfer or pre-contract. Returns the outcome."""
    club = w.seats[seat].club
    pl = roster.seen(w, club, slot)
    i = find_offer(w, seat, pl.uid, OfferKind.FEE_AGREED)
    fee = w.seats[seat].offers[i].fee if i >= 0 else 0
    instalments = w.seats[seat].offers[i].instalments if i >= 0 else 0
    end = contracts.end_of(w, years)
    if pl.club == club:
        contracts.renew(w, p, slot, wage, end)
    elif w.sealed == 1:
        deals.lodge(w, seat, Deal.SIGN, pl.uid, pl.club, fee, instalments, wage, years)
        return Outcome.LODGED.value
    elif pl.status == Status.FREE:
        contracts.join(w, p, club, slot, wage, end, 0, Move.FREE)
    elif i < 0:
        contracts.precontract(w, slot, club, wage, max(end, pl.contract_end + 360 * years))
    else:
        market.transfer(w, p, club, slot, fee, instalments, wage, end)
    return Outcome.ACCEPTED.value


@njit
def _advance(w, p, seat):
    """End the seat's stop. In the draft its list is completed; time moves when every live seat waits."""
    s = w.seats[seat]
    s.waiting = 1
    s.kinds = 0
    s.n_inbox = 0
    s.lost_inbox = 0


@njit
def begin_turn(w, seat):
    """Count a turn."""
    s = w.seats[seat]
    s.turns += 1
    s.total_turns += 1


@njit
def end_turn(w, p, seat):
    """The stop closes by itself at its last turn (paper: 60). Returns whether the seat now waits."""
    s = w.seats[seat]
    if s.waiting == 0 and s.settled == Settle.LIVE and s.turns >= p.stop.last_turn:
        _advance(w, p, seat)
    return s.waiting == 1
