"""The transfer market: hidden asks, scripted bids, sealed-bid resolution, completed deals."""

from fmgym.detmath import exp
from fmgym.enums import Domain, Inbox, Ledger, Loss, Move, OfferKind, OfferState, Status
from fmgym.jit import njit
from fmgym.kernels import contracts, inbox, roster, talks
from fmgym.kernels.money import book, owe, thousands
from fmgym.kernels.valuation import worth
from fmgym.rng import key, normal
from fmgym.state import YEAR


@njit
def ask(w, p, buyer, slot):
    """The least fee (k) a scripted owner takes from ``buyer`` today. Hidden from all.

    Worth as the owner and the public see it, times a mispricing drawn per seed, the player's place in the
    squad, contract left, distress, and what the buyer's own dealings have added (world rules, section 6).
    """
    pl = w.players[slot]
    c = w.clubs[pl.club]
    mine = worth(w, p, slot, pl.own_ability, pl.own_potential)
    base = p.market.public_weight * pl.value + (1.0 - p.market.public_weight) * mine
    z = normal(key(w.seed, Domain.MISPRICING, pl.uid, pl.club), 0)
    factor = p.market.ask * exp(p.market.mispricing * z) * contracts.last_year_factor(w, p, slot)
    kept = pl.first_choice == 1 or w.day - pl.joined < p.market.resale_days
    if kept and pl.listed == 0:
        factor *= p.market.first_choice
    if pl.listed == 1:
        factor *= p.market.surplus
    if c.n_squad <= p.manager.squad_size[0]:
        factor *= p.market.first_choice
    if c.cash < 0:
        factor *= p.market.distress
    factor *= 1.0 + talks.markup(w, p, pl.club, buyer)
    factor *= 1.0 + talks.heat(w, p, buyer)
    factor *= 1.0 + talks.fee_rise(w, p, buyer, pl.uid)
    return max(thousands(base * factor), p.market.min_fee)


@njit
def ask_with_instalments(w, p, buyer, slot, instalments):
    """The ask when the fee is spread over ``instalments`` yearly payments beside the down payment."""
    return thousands(ask(w, p, buyer, slot) * (1.0 + p.market.instalment_premium * instalments))


@njit
def counter_fee(w, p, buyer, slot, wanted):
    """A seller's counter to a near bid: never below what an earlier bid showed acceptable."""
    return max(thousands(wanted * p.market.counter), talks.fee_floor(w, buyer, w.players[slot].uid))


@njit
def down_payment(fee, instalments):
    """What a fee costs at once: an equal share of it and the rounding."""
    return fee - instalments * (fee // (instalments + 1))


@njit
def transfer(w, p, buyer, slot, fee, instalments, wage, end):
    """A deal goes through, money, player and contract together. The caller has checked everything."""
    pl = w.players[slot]
    seller = pl.club
    now = down_payment(fee, instalments)
    part = fee // (instalments + 1)
    book(w, buyer, Ledger.FEES, -now)
    book(w, seller, Ledger.SALES, now)
    if instalments > 0:
        owe(w, buyer, seller, part, instalments, w.day + YEAR)
    contracts.join(w, p, buyer, slot, wage, end, fee, Move.TRANSFER)
    talks.dealt(w, p, seller, buyer)
    drop_offers(w, pl.uid, buyer)


@njit
def drop_offers(w, uid, buyer):
    """Close every seat's open offers about a player who has moved; seats that bid learn they lost."""
    for seat in range(len(w.seats)):
        drop_offers_of(w, seat, uid, buyer)


@njit
def drop_offers_of(w, seat, uid, buyer):
    """``drop_offers`` for one seat."""
    s = w.seats[seat]
    for i in range(len(s.offers)):
        o = s.offers[i]
        if o.state == OfferState.NONE or o.uid != uid:
            continue
        if s.club != buyer and o.kind != OfferKind.BID_RECEIVED:
            inbox.tell(w, s.club, Inbox.BID_LOST, uid, buyer, Loss.MOVED)
        o.state = OfferState.NONE.value


@njit
def find_offer(w, seat, uid, kind):
    """Index of a seat's live offer of a kind about a player, or -1."""
    offers = w.seats[seat].offers
    for i in range(len(offers)):
        if offers[i].state == OfferState.LIVE and offers[i].uid == uid and offers[i].kind == kind:
            return i
    return -1


@njit
def add_offer(w, p, seat, kind, state, club, uid, fee, instalments, wage, years):
    """Open an offer record for a seat; the one that expires first makes room. Returns its index."""
    s = w.seats[seat]
    best = 0
    for i in range(len(s.offers)):
        o = s.offers[i]
        if o.state == OfferState.NONE:
            best = i
            break
        if o.expires < s.offers[best].expires:
            best = i
    o = s.offers[best]
    s.next_offer += 1
    o.id = s.next_offer
    o.kind = kind
    o.state = state
    o.club = club
    o.uid = uid
    o.fee = fee
    o.instalments = instalments
    o.wage = wage
    o.years = years
    o.created = w.day
    o.expires = w.day + p.calendar.offer_days
    o.rounds = 0
    o.limit = fee
    return best


@njit
def believed_worth(w, p, ability, potential, slot):
    """What a buyer thinks a player costs: the mean of its own and the public's view."""
    return 0.5 * (worth(w, p, slot, ability, potential) + w.players[slot].value)


@njit
def for_sale(w, p, club, slot):
    """Whether another club's player can be bid for, as far as the bidder knows. A seat answers for itself."""
    pl = roster.seen(w, club, slot)
    if pl.status != Status.SENIOR or pl.next_club >= 0:
        return False
    return w.clubs[pl.club].seat >= 0 or w.clubs[pl.club].n_squad > p.market.squad_min


@njit
def sellable(w, p, slot):
    """Whether a senior's club may sell him today: not promised away, and enough players left."""
    pl = w.players[slot]
    return pl.status == Status.SENIOR and pl.next_club < 0 and w.clubs[pl.club].n_squad > p.market.squad_min
