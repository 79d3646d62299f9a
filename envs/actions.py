"""The flat action encoding: each index is one concrete tool call about a row of the current observation.

Indices run through the groups in ``GROUPS``; within a group first by row, then by column. ``decode`` gives the
call an index means, ``masks`` which indices the engine would accept now. Legality itself is asked of
``kernels.actions``; what depends on a row only is asked once a row.

Queries and the notebook have no index: their answers are in the observation.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import IntEnum
from types import SimpleNamespace

import numpy as np

from fmgym.detmath import log
from fmgym.enums import (
    N_FACILITIES,
    N_FORMATIONS,
    N_STYLES,
    Condition,
    Error,
    OfferKind,
    OfferState,
    OrderAction,
    Reply,
    Settle,
    Tool,
)
from fmgym.envs.fill import market_slot, norm
from fmgym.envs.observation import MARKET_ROWS
from fmgym.jit import njit
from fmgym.kernels import actions, contracts, deals, market, talks
from fmgym.kernels.draft import price_orders, tally
from fmgym.kernels.lineup import role_at, suitability
from fmgym.kernels.money import thousands
from fmgym.state import LINEUP, MAX_ARGS

FEES = (0.7, 0.9, 1.1, 1.35, 1.7)  # bids, over public value
WAGES = (0.8, 0.95, 1.1, 1.4)  # contract offers, over the usual wage of the player as the seat sees him
YEARS = (2, 4)  # of a contract offer
INSTALMENTS = (0, 3)  # yearly payments beside the down payment, at most what the market allows
ASKS = (1.1, 1.25, 1.5)  # counters to a bid received, over the bid
BIDS = (0.85, 0.92, 0.97)  # counters to what a club or a player asks, over the asking
# Standing orders on offer: (condition, threshold, action). Order i is kept in place i.
ORDERS_ON_OFFER = (
    (Condition.OFFER_ABOVE_VALUE.value, 150, OrderAction.ACCEPT_OFFER.value),
    (Condition.OFFER_BELOW_VALUE.value, 90, OrderAction.REJECT_OFFER.value),
    (Condition.CONTRACT_MONTHS_BELOW.value, 18, OrderAction.RENEW_CONTRACT.value),
    (Condition.CONDITION_BELOW.value, 70, OrderAction.AUTO_LINEUP.value),
    (Condition.CASH_ABOVE.value, 60, OrderAction.INVEST_ACADEMY.value),
    (Condition.CASH_ABOVE.value, 60, OrderAction.INVEST_TRAINING.value),
    (Condition.CASH_ABOVE.value, 60, OrderAction.INVEST_STADIUM.value),
    (Condition.CONFIDENCE_BELOW.value, 30, OrderAction.STYLE_DEFENSIVE.value),
)
TERM = 0.05  # how far apart a year of contract, or an instalment, is; money by its logarithm
N_ARGS = MAX_ARGS + 1  # room for a draft list one too long, which is refused


class Group(IntEnum):
    """Actions of one kind, in the order of their indices."""

    ADVANCE = 0
    TACTICS = 1
    AUTO_LINEUP = 2
    INVEST = 3
    ORDER = 4
    DRAFT = 5
    BID = 6
    SIGN = 7
    REPLY = 8
    RENEW = 9
    LIST = 10
    RELEASE = 11
    START = 12
    PROMOTE = 13
    LET_GO = 14


@dataclass(frozen=True)
class Family:
    """What a group's indices mean: a tool, the table whose rows they run through, and columns a row."""

    tool: Tool
    table: str | None
    columns: int
    meaning: str


def _steps(values: tuple[float, ...]) -> str:
    return ", ".join(f"{v:g}" for v in values)


GROUPS: dict[Group, Family] = {
    Group.ADVANCE: Family(Tool.ADVANCE, None, 1, "end the stop; always legal"),
    Group.TACTICS: Family(
        Tool.SET_TACTICS, None, N_FORMATIONS * N_STYLES, "formation (4-4-2, 4-3-3, 3-5-2) x 5 styles"
    ),
    Group.AUTO_LINEUP: Family(Tool.SET_LINEUP, None, 1, "leave the eleven to automatic choice"),
    Group.INVEST: Family(Tool.INVEST, None, N_FACILITIES, "start an upgrade: academy, training, stadium"),
    Group.ORDER: Family(
        Tool.SET_STANDING_ORDER, None, len(ORDERS_ON_OFFER), "set standing order i in place i, or clear that place"
    ),
    Group.DRAFT: Family(Tool.SUBMIT_DRAFT, "draft", 1, "put the template on the list, or take him off it"),
    Group.BID: Family(
        Tool.MAKE_TRANSFER_OFFER,
        "market",
        len(FEES) * len(INSTALMENTS),
        f"bid {_steps(FEES)} x public value; each at once, then in {INSTALMENTS[1]} yearly instalments",
    ),
    Group.SIGN: Family(
        Tool.OFFER_CONTRACT,
        "market",
        len(WAGES) * len(YEARS),
        f"offer {_steps(WAGES)} x `wage_norm`; each for {YEARS[0]}, then {YEARS[1]} years",
    ),
    Group.REPLY: Family(
        Tool.RESPOND_TO_OFFER,
        "offers",
        2 + len(ASKS),
        f"accept (a bid, or a counter), reject, counter with {_steps(ASKS)} x the bid received "
        f"({_steps(BIDS)} x what is asked of the seat)",
    ),
    Group.RENEW: Family(Tool.OFFER_CONTRACT, "squad", len(WAGES) * len(YEARS), "as for market rows"),
    Group.LIST: Family(Tool.LIST_PLAYER, "squad", 1, "put on the transfer list, or take off it"),
    Group.RELEASE: Family(Tool.RELEASE_PLAYER, "squad", 1, "end his contract for half a year's wage"),
    Group.START: Family(
        Tool.SET_LINEUP, "squad", 1, "fix today's eleven with him in place of the weakest in the role nearest to his"
    ),
    Group.PROMOTE: Family(Tool.PROMOTE_YOUTH, "academy", 1, "promote to the senior squad"),
    Group.LET_GO: Family(Tool.RELEASE_PLAYER, "academy", 1, "let the prospect go"),
}
REJECT = 1  # the column of an offer's row that turns it down
COLUMNS = tuple(family.columns for family in GROUPS.values())
_BID, _SIGN, _REPLY, _RENEW = (GROUPS[g].columns for g in (Group.BID, Group.SIGN, Group.REPLY, Group.RENEW))


class Encoding:
    """The groups laid out for a league shape: ``starts[g]`` is the first index of group g, ``starts[-1]`` is N."""

    def __init__(self, shape: SimpleNamespace) -> None:
        sizes = {
            "draft": shape.templates,
            "market": MARKET_ROWS,
            "offers": shape.offers,
            "squad": shape.squad,
            "academy": shape.academy,
        }
        self.rows = {group: sizes[family.table] if family.table else 1 for group, family in GROUPS.items()}
        counts = [self.rows[group] * family.columns for group, family in GROUPS.items()]
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.size = int(self.starts[-1])


@functools.cache
def _encoding(key: tuple[tuple[str, int], ...]) -> Encoding:
    return Encoding(SimpleNamespace(**dict(key)))


def encoding(shape: SimpleNamespace) -> Encoding:
    """The encoding for ``Params.shape``."""
    return _encoding(tuple(sorted(vars(shape).items())))


def docs(shape: SimpleNamespace) -> str:
    """The action table in Markdown."""
    lines = ["| Indices | Tool | Rows | Columns | Meaning |", "|---|---|---|---|---|"]
    code = encoding(shape)
    for group, family in GROUPS.items():
        first, last = code.starts[group], code.starts[group + 1] - 1
        span = f"{first}" if first == last else f"{first}-{last}"
        rows = f"{code.rows[group]} of `{family.table}`" if family.table else "-"
        lines.append(f"| {span} | `{family.tool.name.lower()}` | {rows} | {family.columns} | {family.meaning} |")
    return "\n".join(lines)


@njit
def locate(starts, index):
    """(group, row, column) of an index; group -1 when it is out of range."""
    if index < 0 or index >= starts[len(COLUMNS)]:
        return -1, 0, 0
    group = 0
    while index >= starts[group + 1]:
        group += 1
    at = index - starts[group]
    return group, at // COLUMNS[group], at % COLUMNS[group]


@njit
def decode(w, p, seat, screen, starts, index, args):
    """The call an index means now, its arguments in ``args`` (N_ARGS). Returns (tool, number of arguments).

    A row that is empty gives a call the engine refuses; an index out of range no tool at all.
    """
    group, row, column = locate(starts, index)
    if group < 0:
        return -1, 0
    if group <= Group.DRAFT:
        return _decode_plain(w, seat, group, row, column, args)
    if group == Group.BID:
        return _decode_bid(w, p, seat, screen, row, column, args)
    if group == Group.SIGN:
        return _decode_contract(w, p, seat, screen, market_slot(w, seat, screen, row), column, args)
    if group == Group.REPLY:
        return _decode_reply(w, seat, row, column, args)
    c = w.clubs[w.seats[seat].club]
    if group >= Group.PROMOTE:
        args[0] = w.players[c.academy[row]].uid if row < c.n_academy else 0
        return Tool.PROMOTE_YOUTH.value if group == Group.PROMOTE else Tool.RELEASE_PLAYER.value, 1
    slot = c.squad[row] if row < c.n_squad else -1
    if group == Group.RENEW:
        return _decode_contract(w, p, seat, screen, slot, column, args)
    if group == Group.START:
        return Tool.SET_LINEUP.value, _eleven_with(w, p, seat, screen, slot, args)
    args[0] = w.players[slot].uid if slot >= 0 else 0
    if group == Group.RELEASE:
        return Tool.RELEASE_PLAYER.value, 1
    args[1] = 1 - w.players[slot].listed if slot >= 0 else 0
    return Tool.LIST_PLAYER.value, 2


@njit
def nearest(w, p, seat, screen, starts, tool, args, n):
    """The legal index whose call is nearest to a call: the same but for money and years. -1: there is none."""
    best = -1
    least = np.inf
    found = np.zeros(N_ARGS, np.int64)
    for index in range(len(screen.mask)):
        if screen.mask[index] == 0:
            continue
        found[:] = 0
        other, m = decode(w, p, seat, screen, starts, index, found)
        if other == tool and m == n:
            apart = _apart(tool, args, found, n)
            if apart < least:
                best = index
                least = apart
    return best


@njit
def _apart(tool, args, found, n):
    """How far one call of a tool is from another."""
    apart = 0.0
    for i in range(n):
        if found[i] == args[i]:
            continue
        if i == _money(tool):
            apart += abs(log(max(found[i], 1) / max(args[i], 1)))
        elif i == 2 and (tool == Tool.OFFER_CONTRACT or tool == Tool.MAKE_TRANSFER_OFFER):
            apart += TERM * abs(found[i] - args[i])
        else:
            return np.inf
    return apart


@njit
def _money(tool):
    """Which argument is a fee or a wage, or -1."""
    if tool == Tool.OFFER_CONTRACT or tool == Tool.MAKE_TRANSFER_OFFER:
        return 1
    return 2 if tool == Tool.RESPOND_TO_OFFER else -1


@njit
def _decode_plain(w, seat, group, row, column, args):
    """Groups without a player."""
    if group == Group.TACTICS:
        args[0] = column // N_STYLES
        args[1] = column % N_STYLES
        return Tool.SET_TACTICS.value, 2
    if group == Group.AUTO_LINEUP:
        return Tool.SET_LINEUP.value, 0
    if group == Group.INVEST:
        args[0] = column
        return Tool.INVEST.value, 1
    if group == Group.ORDER:
        return Tool.SET_STANDING_ORDER.value, _toggled_order(w, seat, column, args)
    if group == Group.DRAFT:
        return Tool.SUBMIT_DRAFT.value, _toggled_draft(w, seat, row, args)
    return Tool.ADVANCE.value, 0


@njit
def _toggled_order(w, seat, i, args):
    args[0] = i
    clear = w.seats[seat].orders[i].active == 1
    args[1] = -1 if clear else ORDERS_ON_OFFER[i][0]
    args[2] = -1 if clear else ORDERS_ON_OFFER[i][1]
    args[3] = -1 if clear else ORDERS_ON_OFFER[i][2]
    return 4


@njit
def _toggled_draft(w, seat, template, args):
    """The draft list without the template, or with it at the end. Returns its length."""
    s = w.seats[seat]
    n = 0
    for i in range(s.n_draft):
        if s.draft[i] != template:
            args[n] = s.draft[i]
            n += 1
    if n == s.n_draft:
        args[n] = template
        n += 1
    return n


@njit
def _decode_bid(w, p, seat, screen, row, column, args):
    slot = market_slot(w, seat, screen, row)
    args[0] = w.players[slot].uid if slot >= 0 else 0
    args[1] = _fee(w, p, slot, column // len(INSTALMENTS)) if slot >= 0 else 0
    args[2] = _instalments(p, column % len(INSTALMENTS))
    return Tool.MAKE_TRANSFER_OFFER.value, 3


@njit
def _fee(w, p, slot, step):
    return max(thousands(FEES[step] * w.players[slot].value), p.market.min_fee)


@njit
def _instalments(p, choice):
    return min(INSTALMENTS[choice], p.market.instalments)


@njit
def _decode_contract(w, p, seat, screen, slot, column, args):
    args[0] = w.players[slot].uid if slot >= 0 else 0
    args[1] = _wage(w, p, seat, screen, slot, column // len(YEARS)) if slot >= 0 else 0
    args[2] = YEARS[column % len(YEARS)]
    return Tool.OFFER_CONTRACT.value, 3


@njit
def _wage(w, p, seat, screen, slot, step):
    return max(thousands(WAGES[step] * norm(w, p, seat, screen, slot)), 1)


@njit
def _decode_reply(w, seat, row, column, args):
    o = w.seats[seat].offers[row]
    args[:3] = 0
    if o.state == OfferState.LIVE:  # a bid that is held for the next batch must not show
        args[0] = o.id
        args[1], args[2] = _reply(o, column)
    return Tool.RESPOND_TO_OFFER.value, 3


@njit
def _reply(o, column):
    """(reply, amount) of a column. Accepting means the bid received, or the counter to what the seat offered."""
    if column == REJECT:
        return Reply.REJECT.value, 0
    if column >= 2:
        return Reply.COUNTER.value, _counter(o, column - 2)
    return Reply.ACCEPT.value if o.kind == OfferKind.BID_RECEIVED else Reply.ACCEPT_COUNTER.value, 0


@njit
def _counter(o, step):
    if o.kind == OfferKind.BID_RECEIVED:
        return thousands(ASKS[step] * o.fee)
    return thousands(BIDS[step] * (o.wage if o.kind == OfferKind.WAGE_COUNTERED else o.fee))


@njit
def _eleven_with(w, p, seat, screen, slot, args):
    """Today's eleven with a player in it, as uids. Returns how many: eleven, unless the squad is smaller.

    He takes the place of the weakest starter in the roles that suit him best; holes are filled in squad order.
    """
    c = w.clubs[w.seats[seat].club]
    inside = False
    n = 0
    for r in range(LINEUP):
        inside = inside or screen.eleven[r] == slot
        args[r] = w.players[screen.eleven[r]].uid if screen.eleven[r] >= 0 else 0
        n += 1 if screen.eleven[r] >= 0 else 0
    if slot < 0:
        return 1  # not a lineup, and so refused
    if not inside:
        r = _place_for(w, p, seat, screen, slot)
        n += 1 if args[r] == 0 else 0
        args[r] = w.players[slot].uid
    for i in range(c.n_squad):
        if n < LINEUP and not _among(args, w.players[c.squad[i]].uid):
            args[_hole(args)] = w.players[c.squad[i]].uid
            n += 1
    return n


@njit
def _place_for(w, p, seat, screen, slot):
    """The place of the eleven a player takes: of the roles that suit him best the empty or weakest one."""
    c = w.clubs[w.seats[seat].club]
    best = 0
    most = -1.0
    for r in range(LINEUP):
        role = role_at(p, c.formation, r)
        mine = suitability(p, w.players[slot].position, role)
        other = screen.eleven[r]
        theirs = 0.0
        if other >= 0:
            theirs = w.seats[seat].ability[other] * suitability(p, w.players[other].position, role)
        worth = 1000.0 * mine - theirs  # abilities stay below 1000: the role decides first
        if worth > most or r == 0:
            best = r
            most = worth
    return best


@njit
def _among(args, uid):
    for r in range(LINEUP):
        if args[r] == uid:
            return True
    return False


@njit
def _hole(args):
    for r in range(LINEUP):
        if args[r] == 0:
            return r
    return -1


@njit
def masks(w, p, seat, screen, starts):
    """Fill ``screen.mask``: 1 exactly where the engine accepts the decoded call. Advance is always 1."""
    mask = screen.mask
    mask[:] = 0
    mask[0] = 1
    s = w.seats[seat]
    if s.settled != Settle.LIVE or s.waiting == 1:
        return
    if actions.in_draft(w, seat):
        _mask_draft(w, p, seat, mask[starts[Group.DRAFT] : starts[Group.DRAFT + 1]])
        return
    mask[starts[Group.TACTICS] : starts[Group.INVEST]] = 1  # tactics and automatic choice: always legal
    mask[starts[Group.ORDER] : starts[Group.ORDER + 1]] = 1  # what is set can be cleared, what is not can be set
    for kind in range(N_FACILITIES):
        mask[starts[Group.INVEST] + kind] = actions.check_invest(w, p, seat, kind) == Error.OK
    for row in range(len(screen.market)):
        mask_market_row(w, p, seat, screen, starts, row)
    for row in range(w.clubs[s.club].n_squad):
        mask_squad_row(w, p, seat, screen, starts, row)
    mask_replies(w, p, seat, screen, starts, 0)
    _mask_academy(w, p, seat, starts, mask)


@njit
def _mask_draft(w, p, seat, out):
    """The list must stay completable within the budget, whether one is put on it or taken off.

    Putting a template on costs at most his price more than the list completed without him: he takes the place
    of one of the players who would have completed it. So where that fits nothing need be worked out.
    """
    s = w.seats[seat]
    scratch = np.zeros(len(w.templates), np.int64)
    orders = price_orders(w)
    taken, count = tally(w, s.draft, s.n_draft)
    spent = 0
    for i in range(s.n_draft):
        spent += w.templates[s.draft[i]].price
    now = spent + actions.completion_cost(w, p, orders, taken, count, scratch, s.n_draft)
    for t in range(len(w.templates)):
        tm = w.templates[t]
        change = 1 - 2 * taken[t]
        n = s.n_draft + change
        if n > p.draft.squad:
            continue
        if change == 1 and now + tm.price <= p.draft.budget:
            out[t] = 1
            continue
        taken[t] += change
        count[tm.position] += change
        rest = actions.completion_cost(w, p, orders, taken, count, scratch, n)
        out[t] = spent + change * tm.price + rest <= p.draft.budget
        taken[t] -= change
        count[tm.position] -= change


@njit
def mask_market_row(w, p, seat, screen, starts, row):
    """Bids and contract offers for one row. ``screen.cooling``: how many talks are broken off."""
    bids = screen.mask[starts[Group.BID] + row * _BID : starts[Group.BID] + (row + 1) * _BID]
    terms = screen.mask[starts[Group.SIGN] + row * _SIGN : starts[Group.SIGN] + (row + 1) * _SIGN]
    bids[:] = 0
    terms[:] = 0
    slot = market_slot(w, seat, screen, row)
    if slot < 0:
        return
    club = w.seats[seat].club
    uid = screen.market[row]
    cash = deals.available(w, p, club)
    if _may_bid(w, p, seat, screen, uid):
        for step in range(len(FEES)):
            fee = _fee(w, p, slot, step)
            for choice in range(len(INSTALMENTS)):  # what a whole fee's cash affords, it affords in parts
                legal = fee <= cash or market.down_payment(fee, _instalments(p, choice)) <= cash
                bids[step * len(INSTALMENTS) + choice] = legal
    if actions.no_contract(w, p, seat, uid) == Error.OK and not _wage_talks_off(w, screen, club, uid):
        fee = actions.agreed_fee(w, seat, uid)
        for step in range(len(WAGES)):
            cost = fee + contracts.signing_cost(p, _wage(w, p, seat, screen, slot, step))
            for choice in range(len(YEARS)):
                terms[step * len(YEARS) + choice] = cost <= cash and YEARS[choice] <= p.wage.years


@njit
def _may_bid(w, p, seat, screen, uid):
    """Whether a bid can be legal at some price."""
    s = w.seats[seat]
    if s.negotiations >= p.stop.negotiations or actions.not_for_sale(w, p, seat, uid) != Error.OK:
        return False
    return screen.cooling == 0 or not talks.fee_cooling(w, s.club, uid)


@njit
def _wage_talks_off(w, screen, club, uid):
    return screen.cooling > 0 and talks.wage_cooling(w, club, uid)


@njit
def mask_replies(w, p, seat, screen, starts, uid):
    """Answers to live offers about a player (0: to all); with the negotiation budget spent none, and no bid either."""
    s = w.seats[seat]
    out = screen.mask[starts[Group.REPLY] : starts[Group.REPLY + 1]]
    if s.negotiations >= p.stop.negotiations:
        out[:] = 0
        screen.mask[starts[Group.BID] : starts[Group.BID + 1]] = 0
        return
    for row in range(len(s.offers)):
        o = s.offers[row]
        if uid != 0 and o.uid != uid:
            continue
        for column in range(_REPLY):
            reply, amount = _reply(o, column)
            legal = o.state == OfferState.LIVE and actions.check_reply(w, p, seat, o.id, reply, amount) == Error.OK
            out[row * _REPLY + column] = legal


@njit
def mask_squad_row(w, p, seat, screen, starts, row):
    """Calls about a senior. He can always be listed or taken off the list; any eleven of the squad are a lineup."""
    club = w.seats[seat].club
    c = w.clubs[club]
    slot = c.squad[row]
    pl = w.players[slot]
    terms = screen.mask[starts[Group.RENEW] + row * _RENEW : starts[Group.RENEW] + (row + 1) * _RENEW]
    screen.mask[starts[Group.LIST] + row] = 1
    screen.mask[starts[Group.START] + row] = c.n_squad >= LINEUP
    screen.mask[starts[Group.RELEASE] + row] = actions.release_barred(w, p, club, slot) == Error.OK
    terms[:] = 0
    if actions.no_contract(w, p, seat, pl.uid) != Error.OK or _wage_talks_off(w, screen, club, pl.uid):
        return
    for column in range(_RENEW):
        years = YEARS[column % len(YEARS)]
        terms[column] = contracts.end_of(w, years) >= pl.contract_end and years <= p.wage.years


@njit
def _mask_academy(w, p, seat, starts, mask):
    """A prospect can always be let go."""
    club = w.seats[seat].club
    full = actions.squad_full(w, p, club)
    for i in range(w.clubs[club].n_academy):
        mask[starts[Group.PROMOTE] + i] = not full
        mask[starts[Group.LET_GO] + i] = 1
