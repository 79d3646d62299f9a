"""One day in fixed phases, and the advance from stop to stop.

Order of a day: date, facilities, season's start, matches, monthly passes, market, academy, settlement,
offers, orders, lodged deals, boards, turn of the year, stops. Everything that moves time is here.
"""

from fmgym.calendar import day_of_year, scheduled, season_of, window_open
from fmgym.enums import Inbox, OfferKind, OfferState, Settle, StopKind
from fmgym.jit import njit
from fmgym.kernels import (
    academy,
    board,
    condition,
    deals,
    development,
    finance,
    inbox,
    managers,
    match,
    orders,
    scouting,
    season,
)
from fmgym.kernels.lineup import mark_first_choice
from fmgym.kernels.valuation import contract_left
from fmgym.score import settle
from fmgym.state import YEAR

MONTH = 30


@njit
def advance(w, p):
    """Simulate day by day until a live seat has a stop or the run is over."""
    while w.finished == 0:
        step(w, p)
        if _stops_due(w, p):
            deals.stop_clock(w)
            return


@njit
def run_out(w, p):
    """Simulate to the end of the run without stopping: the world alone."""
    while w.finished == 0:
        step(w, p)
        for seat in range(len(w.seats)):
            w.seats[seat].kinds = 0
            w.seats[seat].n_inbox = 0


@njit(apart=True)
def step(w, p):
    """One day."""
    w.day += 1
    w.season = season_of(w.day)
    doy = day_of_year(w.day)
    finance.finish_upgrades(w, p)
    if doy == 1:
        season.open_season(w, p)
    elif doy == 2:
        _preseason(w, p)
    _matches(w, p)
    if w.day % MONTH == MONTH - 1:
        _month(w, p)
    _market(w, p)
    if doy == p.calendar.settlement_day:
        _settlement(w, p)
    elif doy == p.calendar.intake_day:
        _intake(w, p)
    _offers(w, p)
    orders.run(w, p)
    deals.resolve(w, p)
    board.judge(w, p)
    if doy == YEAR:
        season.turn_year(w, p)
        _end_of_year(w, p)


@njit
def _preseason(w, p):
    board.set_targets(w, p)
    for club in range(len(w.clubs)):
        if managers.scripted(w, club):
            managers.choose_tactics(w, p, club)
            managers.prune(w, p, club)
        mark_first_choice(w, p, club)


@njit
def _matches(w, p):
    first = w.next_fixture
    while w.next_fixture < w.n_fixtures and w.fixtures[w.next_fixture].day == w.day:
        match.play(w, p, w.next_fixture)
        finance.gate(w, p, w.next_fixture)
        w.next_fixture += 1
    if w.next_fixture > first:
        season.sort_table(w)


@njit
def _month(w, p):
    finance.month(w, p)
    development.develop(w, p)
    condition.training_injuries(w, p)
    condition.morale_month(w, p)
    scouting.refresh(w, p)
    for club in range(len(w.clubs)):
        mark_first_choice(w, p, club)
        if managers.scripted(w, club):
            managers.renew_contracts(w, p, club)
        else:
            managers.default_handling(w, p, club)


@njit
def _market(w, p):
    if window_open(p, w.day) > 0 and w.day % p.calendar.market_step == 0:
        managers.market_day(w, p)
    if w.day % p.calendar.free_agent_step == 0:
        managers.free_agents(w, p)


@njit
def _settlement(w, p):
    season.settle_season(w, p)
    for club in range(len(w.clubs)):
        if managers.scripted(w, club):
            managers.invest(w, p, club)


@njit
def _intake(w, p):
    academy.intake(w, p)
    academy.warn_lapsing(w)
    for club in range(len(w.clubs)):
        if managers.scripted(w, club):
            managers.promote_youth(w, p, club)


@njit
def _offers(w, p):
    """Offers past their term lapse; held bids are delivered in batches at a minimum spacing."""
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        if s.settled != Settle.LIVE:
            continue
        for i in range(len(s.offers)):
            o = s.offers[i]
            if o.state == OfferState.LIVE and o.expires < w.day:
                o.state = OfferState.NONE.value
                inbox.tell(w, s.club, Inbox.OFFER_EXPIRED, o.uid, o.club, o.id)
        _deliver(w, p, seat)


@njit
def _deliver(w, p, seat):
    s = w.seats[seat]
    if w.day - s.last_batch < p.calendar.batch_days:
        return
    delivered = False
    for i in range(len(s.offers)):
        o = s.offers[i]
        if o.state != OfferState.HELD:
            continue
        if window_open(p, w.day) == 0:
            o.state = OfferState.NONE.value
            continue
        o.state = OfferState.LIVE.value
        o.created = w.day
        o.expires = w.day + p.calendar.offer_days
        first = o.kind == OfferKind.BID_RECEIVED and o.rounds == 0
        what = Inbox.OFFER_RECEIVED if first else Inbox.COUNTER_OFFER
        inbox.tell(w, s.club, what, o.uid, o.club, o.fee)
        delivered = True
    if delivered:
        s.last_batch = w.day
        inbox.stop(w, s.club, StopKind.OFFER_BATCH)


@njit
def _end_of_year(w, p):
    if w.day < w.last_day:
        return
    w.finished = 1
    for seat in range(len(w.seats)):
        if w.seats[seat].settled == Settle.LIVE:
            settle(w, p, seat, Settle.COMPLETED)


@njit
def _expiring(w, p, club):
    """Once a season: stop a seat whose first-choice player has a contract about to run out."""
    c = w.clubs[club]
    found = False
    for i in range(c.n_squad):
        pl = w.players[c.squad[i]]
        if pl.next_club >= 0 or contract_left(w, c.squad[i]) != p.calendar.expiry_stop_days:
            continue
        inbox.tell(w, club, Inbox.CONTRACT_EXPIRING, pl.uid, pl.contract_end, 0)
        found = found or pl.first_choice == 1
    return found


@njit
def _stops_due(w, p):
    """Open the day's stops. Returns whether any live seat has one."""
    kinds = scheduled(day_of_year(w.day))
    due = False
    live = False
    for seat in range(len(w.seats)):
        s = w.seats[seat]
        if s.settled != Settle.LIVE:
            continue
        live = True
        if _expiring(w, p, s.club):
            inbox.stop(w, s.club, StopKind.CONTRACT_EXPIRY)
        s.kinds |= kinds
        if s.kinds != 0:
            open_stop(w, p, seat)
            due = True
    if not live:
        w.finished = 1
    return due


@njit
def open_stop(w, p, seat):
    """Begin a decision stop: fresh reports and full budgets."""
    s = w.seats[seat]
    scouting.report_to_seat(w, p, seat)
    s.stop += 1
    s.last_stop_day = s.stop_day
    s.stop_day = w.day
    s.turns = 0
    s.queries = 0
    s.negotiations = 0
    s.waiting = 0
