"""Kernels that write one seat's observation, table by table, into its record (see ``envs.observation``).

A row's columns are written by name; a last pass over the flat buffer keeps every number within its bounds.
``fill`` writes all; the others again only what a kind of call can have changed, which spares most of the memory a
turn would touch. ``bounds`` is the batch's setup: bounds, and where the tables lie.
"""

import math

from fmgym.calendar import age, day_of_year, window_open
from fmgym.enums import N_FACILITIES, OfferKind, OfferState, Status
from fmgym.envs.observation import CASH, N_KINDS, VALUE, WAGE, table_width
from fmgym.jit import njit
from fmgym.kernels import actions, contracts, finance, roster, scouting, talks
from fmgym.kernels.condition import condition_now
from fmgym.kernels.money import debts_of, inflation
from fmgym.kernels.valuation import contract_left, wage_norm
from fmgym.score import net_worth, squad_value
from fmgym.state import LINEUP, ORDERS, YEAR

ACADEMY_WIDTH, CLUB_WIDTH, MARKET_WIDTH = table_width("academy"), table_width("club"), table_width("market")
OFFERS_WIDTH, SQUAD_WIDTH = table_width("offers"), table_width("squad")


@njit
def fill(w, p, seat, screen, flat, bounds):
    """Write every table. ``flat`` is the buffer of ``screen.obs``."""
    flat[:] = 0.0
    o = screen.obs
    money = inflation(p, w.day)
    screen.cooling = talks.cooling(w, w.seats[seat].club)
    _calendar(w, p, seat, o.calendar)
    tick(w, p, seat, screen)
    _club(w, p, seat, o.club, money)
    _league(w, seat, o.league)
    if actions.in_draft(w, seat):
        _draft(w, p, seat, o.draft)
    _squad(w, p, seat, screen, money)
    _academy(w, p, seat, o.academy, money)
    _market(w, p, seat, screen, money)
    _offers(w, p, seat, screen, money)
    _clip(flat, bounds, 0, len(flat))


@njit
def overview(w, p, seat, screen, flat, bounds):
    """Write calendar and club only."""
    flat[:] = 0.0
    _calendar(w, p, seat, screen.obs.calendar)
    tick(w, p, seat, screen)
    _club(w, p, seat, screen.obs.club, inflation(p, w.day))
    _clip(flat, bounds, 0, len(flat))


@njit
def talked(w, p, seat, screen, i, j, uid, flat, bounds):
    """Write what talks about a player change, unless he moves: his market row ``i`` or squad row ``j``, -1: none."""
    screen.cooling = talks.cooling(w, w.seats[seat].club)
    money = inflation(p, w.day)
    if i >= 0:
        _market_row_again(w, p, seat, screen, i, flat, bounds, money)
    if j >= 0:
        _squad_again(w, p, seat, screen, j, j + 1, flat, bounds, money)
    for k in range(len(w.seats[seat].offers)):
        if w.seats[seat].offers[k].uid == uid:
            _offers_again(w, p, seat, screen, k, k + 1, flat, bounds, money)
    tick(w, p, seat, screen)


@njit
def listed(w, p, seat, screen, j, flat, bounds):
    """Write what changes of the senior on row ``j`` when he is listed or taken off the list."""
    _squad_again(w, p, seat, screen, j, j + 1, flat, bounds, inflation(p, w.day))
    tick(w, p, seat, screen)


@njit
def moved(w, p, seat, screen, uid, first, flat, bounds):
    """Write what a call about a player, or an upgrade, changes of the seat's club: squad rows from ``first`` on."""
    screen.cooling = talks.cooling(w, w.seats[seat].club)
    money = inflation(p, w.day)
    _club_again(w, p, seat, screen, flat, bounds, money)
    a, b = bounds.academy, bounds.academy + len(screen.obs.academy) * ACADEMY_WIDTH
    flat[a:b] = 0.0
    _academy(w, p, seat, screen.obs.academy, money)
    _clip(flat, bounds, a, b)
    _squad_again(w, p, seat, screen, first, len(screen.obs.squad), flat, bounds, money)
    _elevens(w, seat, screen)
    i = market_row_of(screen, uid)
    if i >= 0:
        _market_row_again(w, p, seat, screen, i, flat, bounds, money)
    _offers_again(w, p, seat, screen, 0, len(screen.obs.offers), flat, bounds, money)
    tick(w, p, seat, screen)


@njit
def _market_row_again(w, p, seat, screen, i, flat, bounds, money):
    a = bounds.market + i * MARKET_WIDTH
    flat[a : a + MARKET_WIDTH] = 0.0
    _market_row(w, p, seat, screen, i, money)
    _clip(flat, bounds, a, a + MARKET_WIDTH)


@njit
def _squad_again(w, p, seat, screen, first, end, flat, bounds, money):
    """The squad's rows from ``first`` to before ``end``."""
    flat[bounds.squad + first * SQUAD_WIDTH : bounds.squad + end * SQUAD_WIDTH] = 0.0
    end = min(end, w.clubs[w.seats[seat].club].n_squad)
    for i in range(first, end):
        _squad_row(w, p, seat, screen, i, money)
    _clip(flat, bounds, bounds.squad + first * SQUAD_WIDTH, bounds.squad + end * SQUAD_WIDTH)


@njit
def _offers_again(w, p, seat, screen, first, end, flat, bounds, money):
    """The offers' rows from ``first`` to before ``end``."""
    a, b = bounds.offers + first * OFFERS_WIDTH, bounds.offers + end * OFFERS_WIDTH
    flat[a:b] = 0.0
    for i in range(first, end):
        _offer(w, p, seat, screen, i, money)
    _clip(flat, bounds, a, b)


@njit
def _club_again(w, p, seat, screen, flat, bounds, money):
    a = bounds.club
    flat[a : a + CLUB_WIDTH] = 0.0
    _club(w, p, seat, screen.obs.club, money)
    _clip(flat, bounds, a, a + CLUB_WIDTH)


@njit
def plans(w, p, seat, screen, flat, bounds):
    """Write what tactics and lineup change."""
    row = screen.obs.club
    row.formation[:] = 0.0
    row.style[:] = 0.0
    _tactics(w, w.clubs[w.seats[seat].club], row)
    _clip(flat, bounds, bounds.club, bounds.club + CLUB_WIDTH)
    _elevens(w, seat, screen)
    tick(w, p, seat, screen)


@njit
def renewed(w, p, seat, screen, flat, bounds):
    """Write what a senior's new contract changes beside his row: the club's wages and who would start."""
    _wages(w, p, w.seats[seat].club, screen.obs.club, CASH * inflation(p, w.day))
    _clip(flat, bounds, bounds.club, bounds.club + CLUB_WIDTH)
    _elevens(w, seat, screen)


@njit
def _elevens(w, seat, screen):
    """Mark in the squad's rows who would start."""
    c = w.clubs[w.seats[seat].club]
    for i in range(c.n_squad):
        screen.obs.squad[i].eleven = _starts(screen, c.squad[i])


@njit
def _starts(screen, slot):
    found = False
    for r in range(LINEUP):
        found = found or screen.eleven[r] == slot
    return 1.0 if found else 0.0


@njit
def orders(w, p, seat, screen):
    """Write what standing orders change."""
    _orders(w.seats[seat], screen.obs.club)
    tick(w, p, seat, screen)


@njit
def _orders(s, row):
    for i in range(ORDERS):
        row.orders[i] = s.orders[i].active


@njit
def tick(w, p, seat, screen):
    """Write what every turn changes: what is left of the stop's budgets."""
    s = w.seats[seat]
    screen.obs.calendar.turns_left = 1.0 - s.turns / p.stop.last_turn
    screen.obs.calendar.moves_left = 1.0 - s.negotiations / p.stop.negotiations


@njit
def _clip(flat, bounds, a, b):
    for i in range(a, b):
        flat[i] = min(max(flat[i], bounds.low[i]), bounds.high[i])


@njit
def norm(w, p, seat, screen, slot):
    """The usual yearly wage (k) of a player as the seat sees him: at the middle of his band. Kept for the stop."""
    s = w.seats[seat]
    if screen.norm_stop[slot] != s.stop:
        low, high = scouting.band(p, s.ability[slot], s.error[slot])
        screen.norm[slot] = wage_norm(w, p, slot, 0.5 * (low + high))
        screen.norm_stop[slot] = s.stop
    return screen.norm[slot]


@njit
def root(amount, unit):
    """Signed square root of an amount over a unit."""
    return math.sqrt(amount / unit) if amount >= 0 else -math.sqrt(-amount / unit)


@njit
def _calendar(w, p, seat, row):
    s = w.seats[seat]
    seasons = (w.last_day + 1) // YEAR
    doy = day_of_year(w.day)
    clubs = len(w.clubs)
    row.season = w.season / seasons
    row.seasons_left = (seasons - w.season) / 10.0
    row.day = doy / YEAR
    row.played = w.clubs[s.club].played / (2 * (clubs - 1))
    row.window[window_open(p, w.day)] = 1.0
    row.window_left = _window_left(p, doy) / YEAR
    for kind in range(N_KINDS):
        row.stop[kind] = (s.kinds >> kind) & 1
    row.draft = 1 - s.drafted
    row.since = (w.day - s.last_stop_day) / 90.0
    f = _next_match(w, s.club)
    row.next_days = 1.0
    if f >= 0:
        fx = w.fixtures[f]
        row.next_days = (fx.day - w.day) / 90.0
        row.next_home = 1.0 if fx.home == s.club else 0.0
        row.next_place = w.clubs[fx.away if fx.home == s.club else fx.home].position / clubs


@njit
def _window_left(p, doy):
    """Days until the open window closes, its last day included, or until the next one opens."""
    summer = p.calendar.window_summer
    winter = p.calendar.window_winter
    if doy < summer[0]:
        return summer[0] - doy
    if doy <= summer[1]:
        return summer[1] + 1 - doy
    if doy < winter[0]:
        return winter[0] - doy
    if doy <= winter[1]:
        return winter[1] + 1 - doy
    return YEAR + summer[0] - doy


@njit
def _next_match(w, club):
    """The club's next fixture, or -1."""
    for f in range(w.next_fixture, w.n_fixtures):
        if w.fixtures[f].home == club or w.fixtures[f].away == club:
            return f
    return -1


@njit
def _club(w, p, seat, row, money):
    s = w.seats[seat]
    c = w.clubs[s.club]
    unit = CASH * money
    row.cash = root(c.cash, unit)
    row.debt = root(debts_of(w, s.club), unit)
    row.squad_value = root(squad_value(w, s.club), unit)
    row.revenue = root(c.revenue, unit)
    row.last_revenue = root(c.last_revenue, unit)
    row.overdrawn = (w.day - c.negative_since) / p.ruin.grace if c.negative_since >= 0 else 0.0
    row.stadium = c.stadium / p.club.seats
    for kind in range(N_FACILITIES):
        row.level[kind] = c.levels[kind] / 5.0
        row.building[kind] = (c.building[kind] - w.day) / YEAR if c.building[kind] > 0 else 0.0
        row.upgrade[kind] = root(finance.upgrade_cost(w, p, s.club, kind), unit)
    row.reputation = c.reputation / 100.0
    row.confidence = c.confidence / 100.0
    row.target = c.target / len(w.clubs)
    row.place = c.position / len(w.clubs)
    row.honors = c.honors / 300.0
    row.revivals_left = 1.0 - s.revivals / max(p.ruin.revivals, 1)
    row.squad_size = c.n_squad / 25.0
    row.academy_size = c.n_academy / 6.0
    _wages(w, p, s.club, row, unit)
    _tactics(w, c, row)
    _orders(s, row)


@njit
def _wages(w, p, club, row, unit):
    """What hangs on the wage bill; net worth by the cash that counts as idle."""
    row.net_worth = root(net_worth(w, p, club), unit)
    row.wage_bill = root(w.clubs[club].wage_bill, unit)
    row.wage_ratio = finance.wage_ratio(w, p, club)
    row.runway = finance.runway(w, p, club) / YEAR


@njit
def _tactics(w, c, row):
    row.formation[c.formation] = 1.0
    row.style[c.style] = 1.0
    row.style_days = (w.day - c.style_day) / 90.0
    row.auto_lineup = c.lineup_auto


@njit
def _league(w, seat, table):
    rounds = 2 * (len(w.clubs) - 1)
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        row = table[c.position - 1]
        row.present = 1.0
        row.own = 1.0 if club == w.seats[seat].club else 0.0
        row.points = c.points / (3 * rounds)
        row.played = c.played / rounds
        row.won = c.won / rounds
        row.goals = c.goals_for / rounds
        row.difference = (c.goals_for - c.goals_against) / rounds


@njit
def _report(p, row, position, years, ability, potential, error):
    """The columns all tables of people share."""
    row.present = 1.0
    row.position[position] = 1.0
    row.age = (years - 25.0) / 10.0
    lower, upper = scouting.band(p, ability, error)
    row.ability_low = (lower - 65.0) / 15.0
    row.ability_high = (upper - 65.0) / 15.0
    row.confidence = 1.0 - scouting.letter(p, error) / 3.0
    row.stars = scouting.half_stars(p, potential) / 10.0


@njit
def _person(w, p, seat, row, slot):
    s = w.seats[seat]
    pl = w.players[slot]
    _report(p, row, pl.position, age(w.day, pl.born), s.ability[slot], s.potential[slot], s.error[slot])


@njit
def _draft(w, p, seat, table):
    s = w.seats[seat]
    for t in range(len(w.templates)):
        tm = w.templates[t]
        row = table[t]
        _report(p, row, tm.position, float(tm.age), s.draft_ability[t], s.draft_potential[t], p.scouting.bias)
        row.price = root(tm.price, VALUE)
        row.wage = root(tm.wage, WAGE)
        row.contract = float(tm.years)
    for i in range(s.n_draft):
        table[s.draft[i]].picked = 1.0


@njit
def _squad(w, p, seat, screen, money):
    for i in range(w.clubs[w.seats[seat].club].n_squad):
        _squad_row(w, p, seat, screen, i, money)


@njit
def _squad_row(w, p, seat, screen, i, money):
    club = w.seats[seat].club
    c = w.clubs[club]
    slot = c.squad[i]
    pl = w.players[slot]
    row = screen.obs.squad[i]
    _person(w, p, seat, row, slot)
    row.value = root(pl.value, VALUE * money)
    row.wage = root(pl.wage, WAGE * money)
    row.wage_norm = root(norm(w, p, seat, screen, slot), WAGE * money)
    row.contract = contract_left(w, slot) / YEAR
    row.condition = condition_now(w, p, slot) / 100.0
    row.form = pl.form
    row.morale = pl.morale / 100.0
    row.injured = (pl.injured_until - w.day) / 100.0
    row.banned = pl.banned
    row.starts = pl.starts / max(c.played, 1)
    row.rating = pl.rating_sum / (10.0 * max(pl.apps, 1))
    row.listed = pl.listed
    row.leaving = 1.0 if pl.next_club >= 0 else 0.0
    row.talks_off = screen.cooling > 0 and talks.wage_cooling(w, club, pl.uid)
    row.eleven = _starts(screen, slot)


@njit
def _academy(w, p, seat, table, money):
    c = w.clubs[w.seats[seat].club]
    for i in range(c.n_academy):
        slot = c.academy[i]
        pl = w.players[slot]
        row = table[i]
        _person(w, p, seat, row, slot)
        row.value = root(pl.value, VALUE * money)
        row.term = (pl.academy_until - w.day) / YEAR


@njit
def market_slot(w, seat, screen, i):
    """The slot of the player on a market row, or -1 when he has retired or joined the seat's club."""
    slot = roster.slot_of(w, screen.market[i])
    return -1 if slot < 0 or w.players[slot].club == w.seats[seat].club else slot


@njit
def market_row_of(screen, uid):
    """The market row that shows a player, or -1."""
    return _index(screen.market, len(screen.market), uid)


@njit
def squad_row_of(w, seat, uid):
    """The squad row of one of the seat's seniors, or -1."""
    c = w.clubs[w.seats[seat].club]
    return _index(c.squad, c.n_squad, roster.slot_of(w, uid))


@njit
def _market(w, p, seat, screen, money):
    for i in range(len(screen.market)):
        _market_row(w, p, seat, screen, i, money)


@njit
def _market_row(w, p, seat, screen, i, money):
    slot = market_slot(w, seat, screen, i)
    if slot < 0:
        return
    club = w.seats[seat].club
    pl = roster.seen(w, club, slot)
    row = screen.obs.market[i]
    _person(w, p, seat, row, slot)
    row.value = root(pl.value, VALUE * money)
    row.wage = root(pl.wage, WAGE * money)
    row.wage_norm = root(norm(w, p, seat, screen, slot), WAGE * money)
    row.contract = max(pl.contract_end - w.day, 0) / YEAR
    row.injured = (pl.injured_until - w.day) / 100.0
    row.free = 1.0 if pl.status == Status.FREE else 0.0
    row.expiring = contracts.can_precontract(w, p, club, slot)
    row.listed = pl.listed
    row.agreed = actions.find_offer(w, seat, pl.uid, OfferKind.FEE_AGREED) >= 0
    row.fee_talks_off = screen.cooling > 0 and talks.fee_cooling(w, club, pl.uid)
    row.wage_talks_off = screen.cooling > 0 and talks.wage_cooling(w, club, pl.uid)


@njit
def _offers(w, p, seat, screen, money):
    for i in range(len(w.seats[seat].offers)):
        _offer(w, p, seat, screen, i, money)


@njit
def _offer(w, p, seat, screen, i, money):
    s = w.seats[seat]
    f = s.offers[i]
    slot = roster.slot_of(w, f.uid)
    if f.state != OfferState.LIVE or slot < 0:
        return
    pl = w.players[slot]
    row = screen.obs.offers[i]
    _person(w, p, seat, row, slot)
    row.kind[f.kind] = 1.0
    row.row = (squad_row_of(w, seat, f.uid) + 1) / 40.0
    row.market_row = (market_row_of(screen, f.uid) + 1) / 40.0
    row.value = root(pl.value, VALUE * money)
    row.fee = root(f.fee, VALUE * money)
    row.wage = root(f.wage, WAGE * money)
    row.years = f.years / 5.0
    row.instalments = f.instalments / 5.0
    row.days_left = (f.expires - w.day) / 60.0


@njit
def _index(items, n, item):
    for i in range(n):
        if items[i] == item:
            return i
    return -1
