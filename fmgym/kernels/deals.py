"""Sealed worlds: what seats lodge at their stops and what comes of it when the day ends.

Where several seats act while the clock stands, none may gain by acting first, and none may see what another has just
done. So a seat's call changes its own club at once and everything shared only when all seats have closed their
stops: signings and sales are lodged, and ``resolve`` carries them out together, the highest fee first, then the
highest wage, ties by the keyed stream. A deal goes through whole or not at all. Others see a seat's own players as
they stood when the clock stopped (``roster.seen``).

A world with one seat that is not sealed carries out every deal at once and lodges nothing.
"""

import numpy as np

from fmgym.calendar import window_open
from fmgym.enums import Deal, Domain, Inbox, Loss, Move, OfferKind, OfferState, Settle, Status
from fmgym.jit import njit
from fmgym.kernels import contracts, inbox, managers, market, roster, talks
from fmgym.kernels.money import thousands
from fmgym.rng import key, uniform


@njit
def stop_clock(w):
    """Time stands still until all seats have closed their stops: note what they may know of each other."""
    w.frozen = w.sealed
    if w.sealed == 0:
        return
    for slot in range(len(w.players)):
        w.board[slot] = w.players[slot]
    w.shown_free = w.n_free
    w.shown_moves = w.n_moves


@njit
def has_room(w, seat):
    """Whether a seat can lodge one more deal."""
    return w.seats[seat].n_lodged < len(w.seats[seat].lodged)


@njit
def lodge(w, seat, kind, uid, club, fee, instalments, wage, years):
    """Lodge a deal that has been checked."""
    s = w.seats[seat]
    d = s.lodged[s.n_lodged]
    d.kind = kind
    d.uid = uid
    d.club = club
    d.fee = fee
    d.instalments = instalments
    d.wage = wage
    d.years = years
    s.n_lodged += 1


@njit
def find(w, seat, uid):
    """Index of a seat's lodged deal about a player, refusals apart, or -1."""
    s = w.seats[seat]
    for i in range(s.n_lodged):
        if s.lodged[i].uid == uid and s.lodged[i].kind != Deal.REFUSE:
            return i
    return -1


@njit
def withdraw(w, seat, uid):
    """Take back a lodged signing."""
    s = w.seats[seat]
    at = find(w, seat, uid)
    if at < 0 or s.lodged[at].kind != Deal.SIGN:
        return
    for i in range(at, s.n_lodged - 1):
        s.lodged[i] = s.lodged[i + 1]
    s.n_lodged -= 1


@njit
def _later(d):
    """Whether a signing is a pre-contract: paid for, and counted in the squad, when it begins."""
    return d.club >= 0 and d.fee == 0


@njit
def cost(p, d):
    """What a lodged deal costs its seat at once, k."""
    if d.kind != Deal.SIGN or _later(d):
        return 0
    return market.down_payment(d.fee, d.instalments) + contracts.signing_cost(p, d.wage)


@njit
def available(w, p, club):
    """A club's cash that its seat has not committed to lodged deals, k."""
    cash = w.clubs[club].cash
    seat = w.clubs[club].seat
    if seat >= 0:
        for i in range(w.seats[seat].n_lodged):
            cash -= cost(p, w.seats[seat].lodged[i])
    return cash


@njit
def squad_with_signings(w, club):
    """A club's seniors and those whom its lodged signings would add today."""
    n = w.clubs[club].n_squad
    seat = w.clubs[club].seat
    if seat >= 0:
        for i in range(w.seats[seat].n_lodged):
            d = w.seats[seat].lodged[i]
            n += 1 if d.kind == Deal.SIGN and not _later(d) else 0
    return n


@njit
def squad_without_sales(w, club):
    """A club's seniors without those whom its lodged sales would take today."""
    n = w.clubs[club].n_squad
    seat = w.clubs[club].seat
    if seat >= 0:
        for i in range(w.seats[seat].n_lodged):
            n -= 1 if w.seats[seat].lodged[i].kind == Deal.SELL else 0
    return n


@njit
def resolve(w, p):
    """The day ends: carry out all lodged deals, as if they had been lodged in one moment."""
    _order_tail(w)
    total = 0
    for seat in range(len(w.seats)):
        total += w.seats[seat].n_lodged
    if total == 0:
        return
    order = np.empty((total, 2), np.int64)
    _rank(w, order)
    for i in range(total):
        _trade(w, p, order[i, 0], order[i, 1])
    for i in range(total):
        _answer(w, p, order[i, 0], order[i, 1])
    for seat in range(len(w.seats)):
        w.seats[seat].n_lodged = 0


@njit
def _order_tail(w):
    """What seats released and promoted while the clock stood, in an order that does not tell who acted first."""
    if w.frozen == 0:
        return
    for i in range(w.shown_free + 1, w.n_free):
        slot = w.free[i]
        j = i
        while j > w.shown_free and w.free[j - 1] > slot:
            w.free[j] = w.free[j - 1]
            j -= 1
        w.free[j] = slot
    size = len(w.moves)
    for i in range(w.shown_moves + 1, w.n_moves):
        j = i
        while j > w.shown_moves and w.moves[(j - 1) % size].uid > w.moves[j % size].uid:
            _swap(w.moves[(j - 1) % size], w.moves[j % size])
            j -= 1
    for i in range(w.shown_moves, w.n_moves):
        if w.moves[i % size].kind == Move.RELEASED:
            market.drop_offers(w, w.moves[i % size].uid, -1)
    w.frozen = 0


@njit
def _swap(a, b):
    """Exchange two entries of the archive of moves."""
    a.day, b.day = b.day, a.day
    a.uid, b.uid = b.uid, a.uid
    a.kind, b.kind = b.kind, a.kind
    a.source, b.source = b.source, a.source
    a.target, b.target = b.target, a.target
    a.fee, b.fee = b.fee, a.fee
    a.wage, b.wage = b.wage, a.wage
    a.years, b.years = b.years, a.years


@njit
def _rank(w, order):
    """Fill ``order`` with (seat, index) of all lodged deals: by fee, then wage, then the keyed stream."""
    ties = np.empty(len(order), np.float64)
    n = 0
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        for i in range(s.n_lodged):
            d = s.lodged[i]
            tie = uniform(key(w.seed, Domain.TIES, d.uid, w.day), s.club)
            j = n
            while j > 0 and _before(d, tie, w.seats[order[j - 1, 0]].lodged[order[j - 1, 1]], ties[j - 1]):
                order[j] = order[j - 1]
                ties[j] = ties[j - 1]
                j -= 1
            order[j, 0] = seat
            order[j, 1] = i
            ties[j] = tie
            n += 1


@njit
def _before(a, tie, b, other):
    """Whether deal ``a`` is carried out before ``b``."""
    if a.fee != b.fee:
        return a.fee > b.fee
    return a.wage > b.wage if a.wage != b.wage else tie > other


@njit
def _trade(w, p, seat, i):
    """A signing or a sale: money, player and contract, or nothing."""
    d = w.seats[seat].lodged[i]
    if d.kind == Deal.SIGN:
        if not _sign(w, p, seat, d):
            _tell_lost(w, seat, d)
    elif d.kind == Deal.SELL and not _sell(w, p, seat, d):
        inbox.tell(w, w.seats[seat].club, Inbox.BID_LOST, d.uid, d.club, Loss.FAILED)


@njit
def _sign(w, p, seat, d):
    """A player joins the seat's club. Returns whether he could."""
    slot = roster.slot_of(w, d.uid)
    club = w.seats[seat].club
    if slot < 0 or w.seats[seat].settled != Settle.LIVE:
        return False
    pl = w.players[slot]
    end = contracts.end_of(w, d.years)
    if _later(d):
        if pl.club != d.club or not contracts.can_precontract(w, p, club, slot):
            return False
        contracts.precontract(w, slot, club, d.wage, max(end, pl.contract_end + 360 * d.years))
        return True
    if w.clubs[club].n_squad >= p.market.squad_max or cost(p, d) > w.clubs[club].cash:
        return False
    if d.club < 0:
        if pl.status != Status.FREE:
            return False
        contracts.join(w, p, club, slot, d.wage, end, 0, Move.FREE)
    else:
        in_debt = d.instalments > 0 and w.n_debts == len(w.debts)  # nobody lends any more
        if in_debt or pl.club != d.club or not market.sellable(w, p, slot):
            return False
        market.transfer(w, p, club, slot, d.fee, d.instalments, d.wage, end)
        inbox.tell(w, d.club, Inbox.TRANSFER_COMPLETED, d.uid, club, d.fee)
    inbox.tell(w, club, Inbox.TRANSFER_COMPLETED, d.uid, d.club, d.fee)
    return True


@njit
def _tell_lost(w, seat, d):
    """A signing came to nothing; offers that were open for it have told so already if the player has moved."""
    club = w.seats[seat].club
    there = _whereabouts(w, d.uid)
    if d.fee == 0:
        why = Loss.MOVED if there != d.club else Loss.FAILED
        inbox.tell(w, club, Inbox.BID_LOST, d.uid, there, why)
    elif market.find_offer(w, seat, d.uid, OfferKind.FEE_AGREED) >= 0:
        inbox.tell(w, club, Inbox.BID_LOST, d.uid, d.club, Loss.FAILED)


@njit
def _whereabouts(w, uid):
    """The club a player has joined or signed for, or -1."""
    slot = roster.slot_of(w, uid)
    if slot < 0:
        return -1
    pl = w.players[slot]
    return pl.next_club if pl.next_club >= 0 else pl.club


@njit
def _sell(w, p, seat, d):
    """The seat's player goes to the scripted bidder. Returns whether he could."""
    slot = roster.slot_of(w, d.uid)
    buyer = w.clubs[d.club]
    if slot < 0 or w.players[slot].club != w.seats[seat].club or not market.sellable(w, p, slot):
        return False
    if buyer.n_squad >= p.market.squad_max or buyer.cash < d.fee:
        return False
    sell_to_scripted(w, p, d.club, slot, d.fee)
    inbox.tell(w, w.seats[seat].club, Inbox.TRANSFER_COMPLETED, d.uid, d.club, d.fee)
    return True


@njit
def sell_to_scripted(w, p, buyer, slot, fee):
    """A seat's player joins a scripted bidder on the wage that managers pay."""
    wage = thousands(contracts.reservation(w, p, buyer, slot) * p.manager.renew_premium)
    market.transfer(w, p, buyer, slot, fee, 0, wage, contracts.end_of(w, managers.years_for(w, p, slot)))


@njit
def _answer(w, p, seat, i):
    """What a seat has said to another club reaches it: to scripted ones at once, to seats with the next batch."""
    d = w.seats[seat].lodged[i]
    if d.kind == Deal.REFUSE:
        talks.refuse_fee(w, p, d.club, d.uid, d.fee)
        inbox.tell(w, d.club, Inbox.BID_LOST, d.uid, w.seats[seat].club, Loss.REFUSED)
    elif d.kind >= Deal.BID and not _put(w, p, seat, d):
        inbox.tell(w, w.seats[seat].club, Inbox.BID_LOST, d.uid, d.club, Loss.FAILED)


@njit
def _put(w, p, seat, d):
    """Put a bid, an acceptance or a counter before the seat it is meant for. Returns whether it still can be."""
    club = w.seats[seat].club
    other = w.clubs[d.club].seat
    slot = roster.slot_of(w, d.uid)
    if other < 0 or slot < 0 or window_open(p, w.day) == 0:
        return False
    pl = w.players[slot]
    owner = d.club if d.kind == Deal.BID else club
    if pl.status != Status.SENIOR or pl.club != owner or pl.next_club >= 0:
        return False
    _replace(w, other, d.uid, club)
    if d.kind == Deal.BID:
        _hold(w, p, other, OfferKind.BID_RECEIVED, club, d, 0, 0)
    elif d.kind == Deal.COUNTER:
        _hold(w, p, other, OfferKind.BID_COUNTERED, club, d, 0, 0)
    else:
        wage = contracts.demand(w, p, d.club, slot)
        _hold(w, p, other, OfferKind.FEE_AGREED, club, d, wage, managers.years_for(w, p, slot))
    return True


@njit
def _replace(w, seat, uid, club):
    """One open offer between two clubs about a player: the newest."""
    s = w.seats[seat]
    for i in range(len(s.offers)):
        o = s.offers[i]
        if o.state != OfferState.NONE and o.uid == uid and o.club == club:
            o.state = OfferState.NONE.value


@njit
def _hold(w, p, seat, kind, club, d, wage, years):
    market.add_offer(w, p, seat, kind, OfferState.HELD, club, d.uid, d.fee, d.instalments, wage, years)
