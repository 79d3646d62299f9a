"""Income and costs: monthly, after home matches, at settlement; facilities under construction; debts."""

from fmgym.detmath import exp, log, power
from fmgym.enums import N_FACILITIES, Facility, Inbox, Ledger
from fmgym.jit import njit
from fmgym.kernels import inbox
from fmgym.kernels.money import book, book_value, inflation, thousands
from fmgym.state import YEAR

MONTH = 30


@njit
def month(w, p):
    """One month of every club's running income and costs."""
    money = inflation(p, w.day)
    part = MONTH / YEAR
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        _earn(w, club, Ledger.BROADCAST, thousands(broadcast(w, p, c.last_position) * money * part))
        _earn(w, club, Ledger.SPONSORS, thousands(sponsors(p, c.reputation) * money * part))
        book(w, club, Ledger.WAGES, -(wage_costs(w, p, club) * MONTH // YEAR))
        book(w, club, Ledger.UPKEEP, -thousands(upkeep(w, p, club) * money * part))
        if c.cash < 0:
            book(w, club, Ledger.UPKEEP, thousands(c.cash * p.money.interest * part))
    pay_debts(w)


@njit
def _earn(w, club, category, amount):
    book(w, club, category, amount)
    w.clubs[club].revenue += amount


@njit
def broadcast(w, p, position):
    """A year's broadcast money at a league position, first-year k."""
    clubs = len(w.clubs)
    return p.money.broadcast[0] + p.money.broadcast[1] * (clubs - position) / (clubs - 1)


@njit
def sponsors(p, reputation):
    """A year's sponsors at a reputation, first-year k."""
    level = max(reputation, 1.0) / p.club.reputation
    return p.money.sponsors * exp(p.money.sponsors_power * log(level))


@njit
def wage_costs(w, p, club):
    """Yearly wages of seniors and academy, k."""
    c = w.clubs[club]
    return c.wage_bill + thousands(c.n_academy * p.academy.wage * inflation(p, w.day))


@njit
def upkeep(w, p, club):
    """A year's overhead and upkeep of facilities, first-year k."""
    levels = 0
    for i in range(N_FACILITIES):
        levels += w.clubs[club].levels[i]
    return p.money.overhead + p.facility.upkeep * levels


@njit
def gate(w, p, f):
    """The home club's income of fixture ``f``, and its crowd."""
    fx = w.fixtures[f]
    home = w.clubs[fx.home]
    clubs = len(w.clubs)
    place = (clubs + 1) / 2.0 - home.position
    draw = 1.0 + p.money.gate_draw[0] * (home.reputation - p.club.reputation) / 20.0
    draw += p.money.gate_draw[1] * place / clubs
    draw += p.money.gate_draw[2] * (w.clubs[fx.away].reputation - p.club.reputation) / 20.0
    draw = min(max(draw, 0.3), 1.3)
    fx.attendance = min(int(0.8 * draw * home.stadium), home.stadium)
    size = home.stadium / p.club.seats
    _earn(w, fx.home, Ledger.GATE, thousands(p.money.gate * draw * size * inflation(p, w.day)))


@njit
def prize(p, position):
    """Prize money of a final position, first-year k."""
    return p.money.prize[0] * exp(-p.money.prize[1] * (position - 1))


@njit
def pay_prizes(w, p):
    """Settlement: prizes by position; owners of scripted clubs take a share of their surplus cash."""
    money = inflation(p, w.day)
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        _earn(w, club, Ledger.PRIZES, thousands(prize(p, c.position) * money))
        surplus = c.cash - thousands(p.money.dividend[0] * money)
        if c.seat < 0 and surplus > 0:
            book(w, club, Ledger.OWNERS, -thousands(p.money.dividend[1] * surplus))


@njit
def expected_revenue(w, p, club):
    """A year's revenue to plan with: last season's, or at the start what a mid-table club earns, k."""
    c = w.clubs[club]
    if c.last_revenue > 0:
        return c.last_revenue
    clubs = len(w.clubs)
    mean = broadcast(w, p, (clubs + 1) / 2.0) + sponsors(p, c.reputation) + p.money.gate * (clubs - 1)
    total = 0.0
    for position in range(1, clubs + 1):
        total += prize(p, position)
    return thousands((mean + total / clubs) * inflation(p, w.day))


@njit
def wage_ratio(w, p, club):
    """Yearly wages over expected revenue."""
    return wage_costs(w, p, club) / max(expected_revenue(w, p, club), 1)


@njit
def runway(w, p, club):
    """Days until cash runs out at today's running rate; a very large number when it does not."""
    c = w.clubs[club]
    if c.cash <= 0:
        return 0
    money = inflation(p, w.day)
    income = (broadcast(w, p, c.last_position) + sponsors(p, c.reputation)) * money
    income += p.money.gate * (len(w.clubs) - 1) * money
    costs = wage_costs(w, p, club) + upkeep(w, p, club) * money
    burn = (costs - income) / YEAR
    return 1 << 20 if burn <= 0.0 else min(int(c.cash / burn), 1 << 20)


@njit
def pay_debts(w):
    """Pay the instalments that have come due; paid-off debts leave the table."""
    i = 0
    while i < w.n_debts:
        d = w.debts[i]
        if d.due <= w.day:
            book(w, d.payer, Ledger.FEES if d.payee >= 0 else Ledger.GRANTS, -d.amount)
            if d.payee >= 0:
                book(w, d.payee, Ledger.SALES, d.amount)
            d.left -= 1
            d.due += YEAR
        if d.left == 0:
            _remove_debt(w, i)
        else:
            i += 1


@njit
def _remove_debt(w, i):
    last = w.debts[w.n_debts - 1]
    d = w.debts[i]
    d.payer = last.payer
    d.payee = last.payee
    d.amount = last.amount
    d.left = last.left
    d.due = last.due
    w.n_debts -= 1


@njit
def upgrade_cost(w, p, club, kind):
    """Cost in k of a facility's next level today."""
    level = w.clubs[club].levels[kind]
    return thousands(p.facility.cost[kind] * power(p.facility.step, level - 1) * inflation(p, w.day))


@njit
def start_upgrade(w, p, club, kind):
    """Pay for and begin an upgrade."""
    c = w.clubs[club]
    cost = upgrade_cost(w, p, club, kind)
    book(w, club, Ledger.FACILITIES, -cost)
    c.building[kind] = w.day + p.facility.days
    c.building_cost[kind] = cost


@njit
def finish_upgrades(w, p):
    """Open what is ready today."""
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        for kind in range(N_FACILITIES):
            if c.building[kind] == 0 or c.building[kind] > w.day:
                continue
            c.levels[kind] += 1
            c.facility_book += book_value(p, c.building_cost[kind])
            c.building[kind] = 0
            c.building_cost[kind] = 0
            if kind == Facility.STADIUM:
                c.stadium += thousands(p.club.seats_per_level * p.club.seats)
            inbox.tell(w, club, Inbox.FACILITY_COMPLETED, kind, c.levels[kind], 0)


@njit
def depreciate(w, p):
    """Year's end: finished facilities lose book value."""
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        c.facility_book -= thousands(p.facility.depreciation * c.facility_book)
