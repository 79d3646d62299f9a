"""Contracts: what players want, signing, renewing, releasing, expiry and pre-contracts."""

from fmgym.calendar import day_of_year, year_end
from fmgym.detmath import exp
from fmgym.enums import Domain, Inbox, Ledger, Move, Status
from fmgym.jit import njit
from fmgym.kernels import inbox, roster, talks
from fmgym.kernels.money import book, thousands
from fmgym.kernels.valuation import contract_left, running_out, wage_norm
from fmgym.rng import key, normal, uniform
from fmgym.state import YEAR


@njit
def end_of(w, years):
    """Last day of a contract of ``years`` signed today: the running season counts until its middle."""
    first = w.season if day_of_year(w.day) <= YEAR // 2 else w.season + 1
    return year_end(first + years - 1)


@njit
def reservation(w, p, club, slot):
    """The least yearly wage (k) a player signs for at a club today. Hidden from all.

    Follows what his club and the public think of him, his morale and the club's standing; cheaper early
    than late, and dearer after each refused offer (world rules, sections 6 and 7).
    """
    pl = w.players[slot]
    level = 0.5 * (pl.own_ability + pl.pub_ability)
    if w.sealed == 1 and pl.club != club and _held_by_seat(w, club, slot):
        level = pl.pub_ability  # what a seat's scouts believe reaches no other
    z = normal(key(w.seed, Domain.RESERVATION, pl.uid, w.season), 0)
    factor = 1.0 + talks.wage_rise(w, p, club, pl.uid)
    wanted = p.club.reputation + p.wage.level * (level - p.value.reference)
    short = min(max(wanted - w.clubs[club].reputation, 0.0), 40.0)
    factor += p.wage.standing * short / 20.0
    if pl.club == club and pl.status == Status.SENIOR:
        left = contract_left(w, slot) / YEAR
        factor += p.wage.morale * (0.5 - pl.morale / 100.0) - p.wage.early * min(left, 2.0)
        if left < 0.5:
            factor += p.wage.late
    return max(thousands(wage_norm(w, p, slot, level) * exp(p.wage.spread * z) * factor), 20)


@njit
def _held_by_seat(w, club, slot):
    """Whether a player belongs to a seat, as far as another club knows."""
    owner = roster.seen(w, club, slot).club
    return owner >= 0 and w.clubs[owner].seat >= 0


@njit
def demand(w, p, club, slot):
    """The wage a newcomer asks for before any talks, known to the club once the fee is agreed."""
    u = uniform(key(w.seed, Domain.RESERVATION, w.players[slot].uid, w.season), 1 + club)
    factor = p.wage.demand[0] + u * (p.wage.demand[1] - p.wage.demand[0])
    return thousands(reservation(w, p, club, slot) * factor)


@njit
def counter_wage(w, p, club, slot, wanted):
    """What a player answers to an offer near his reservation wage."""
    return max(thousands(wanted * p.wage.counter), talks.wage_floor(w, club, w.players[slot].uid))


@njit
def refuses(w, p, club, slot):
    """Whether a player will not talk to this club at all, being too unhappy in it."""
    pl = w.players[slot]
    return pl.club == club and pl.status == Status.SENIOR and pl.morale < p.wage.refuse_morale


@njit
def renew(w, p, slot, wage, end):
    """A new contract with his club; it lifts morale, though not again and again."""
    pl = w.players[slot]
    roster.set_wage(w, slot, wage, end)
    pl.next_club = -1
    if w.day - pl.morale_day >= p.wage.renew_morale_days:
        pl.morale = min(pl.morale + p.wage.renew_morale, 100.0)
        pl.morale_day = w.day


@njit
def signing_cost(p, wage):
    """What a contract with a new player costs at once, k."""
    return thousands(p.wage.signing * wage)


@njit
def join(w, p, club, slot, wage, end, fee, kind):
    """A player signs for a new club. The caller has checked room and cash, and moves the fee."""
    pl = w.players[slot]
    source = pl.club
    roster.make_senior(w, slot, club, wage, end, fee)
    pl.next_club = -1
    pl.morale = max(pl.morale, 60.0)
    pl.morale_day = w.day
    book(w, club, Ledger.SIGNING, -signing_cost(p, wage))
    roster.archive(w, slot, kind, source, club, fee)
    talks.forget(w, pl.uid)


@njit
def can_precontract(w, p, club, slot):
    """Whether a club may sign another's senior for the time after his present contract, as far as it knows."""
    pl = roster.seen(w, club, slot)
    return pl.status == Status.SENIOR and pl.next_club < 0 and pl.contract_end - w.day <= p.wage.free_days


@njit
def precontract(w, slot, club, wage, end):
    """Agree a contract that starts when his present one ends."""
    pl = w.players[slot]
    pl.next_club = club
    pl.next_wage = wage
    pl.next_end = end


@njit
def severance(w, p, slot):
    """Cost of releasing a player: half of one year's wage (paper)."""
    return thousands(p.wage.severance * w.players[slot].wage)


@njit
def release(w, p, slot):
    """Terminate a senior's contract."""
    pl = w.players[slot]
    club = pl.club
    book(w, club, Ledger.SEVERANCE, -severance(w, p, slot))
    roster.archive(w, slot, Move.RELEASED, club, -1, 0)
    roster.make_free(w, slot)


@njit
def expire(w, p):
    """Year's end: players whose contract ends leave, for their next club or for the free list."""
    for slot in range(len(w.players)):
        pl = w.players[slot]
        if pl.status != Status.SENIOR or pl.contract_end > w.day:
            continue
        source = pl.club
        inbox.tell(w, source, Inbox.CONTRACT_EXPIRED, pl.uid, pl.next_club, 0)
        target = pl.next_club
        if target >= 0 and w.clubs[target].n_squad < len(w.clubs[target].squad):
            join(w, p, target, slot, pl.next_wage, pl.next_end, 0, Move.FREE)
            inbox.tell(w, target, Inbox.TRANSFER_COMPLETED, pl.uid, source, 0)
        else:
            roster.archive(w, slot, Move.EXPIRED, source, -1, 0)
            roster.make_free(w, slot)
            pl.next_club = -1


@njit
def last_year_factor(w, p, slot):
    """What a contract about to end takes off an ask."""
    return 1.0 - p.market.contract * running_out(w, slot)
