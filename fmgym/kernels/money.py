"""Cash movements and money inflation. Nothing else may change a club's cash."""

import math

from fmgym.calendar import season_of
from fmgym.detmath import power
from fmgym.jit import njit
from fmgym.state import YEAR


@njit
def book(w, club, category, amount):
    """Move ``amount`` (k, negative for spending) on a club's cash and enter it in the ledger."""
    c = w.clubs[club]
    c.cash += amount
    c.ledger[w.season, category] += amount


@njit
def inflation(p, day):
    """Money level at ``day`` relative to the first season; steps once a year (paper: 4 % a year)."""
    return power(1.0 + p.value.inflation, season_of(day))


@njit
def thousands(x):
    """A float amount to whole thousands, halves up."""
    return int(math.floor(x + 0.5))  # noqa: RUF046 (a float when compiled)


@njit
def share_of_year(amount, days):
    """The part of a yearly amount that falls on ``days`` days, in whole thousands, rounded down."""
    return amount * days // YEAR


@njit
def book_value(p, cost):
    """What facilities that cost so much (k) stand for in the books, from the day work on them begins."""
    return thousands(p.facility.book * cost)


@njit
def debts_of(w, club):
    """What a club still owes in instalments and loans, k."""
    total = 0
    for i in range(w.n_debts):
        d = w.debts[i]
        if d.payer == club:
            total += d.amount * d.left
    return total


@njit
def owe(w, payer, payee, amount, payments, first_due):
    """Enter a debt of ``payments`` yearly payments of ``amount``. Returns False when the table is full."""
    if w.n_debts == len(w.debts):
        return False
    d = w.debts[w.n_debts]
    d.payer = payer
    d.payee = payee
    d.amount = amount
    d.left = payments
    d.due = first_due
    w.n_debts += 1
    return True
