"""The season: fixtures, the table, settlement on day 300 and the turn of the year."""

import numpy as np

from fmgym.enums import Domain, Inbox, Status
from fmgym.jit import njit
from fmgym.kernels import academy, board, contracts, development, finance, inbox, scouting
from fmgym.rng import below, key, uniform
from fmgym.score import net_worth, raw_now, squad_value
from fmgym.state import YEAR


@njit
def open_season(w, p):
    """First day of a season: an empty table, new fixtures, statistics from nothing."""
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        c.played = 0
        c.won = 0
        c.drawn = 0
        c.lost = 0
        c.goals_for = 0
        c.goals_against = 0
        c.points = 0
        c.deduction = 0
    for slot in range(len(w.players)):
        if w.players[slot].status != Status.EMPTY:
            academy.clear_season(w, slot)
    fixtures(w, p)
    sort_table(w)


@njit
def fixtures(w, p):
    """A double round robin by the circle method, clubs in an order drawn for the season."""
    clubs = len(w.clubs)
    order = np.zeros(clubs, np.int64)
    k = key(w.seed, Domain.FIXTURES, w.season, 0)
    for i in range(clubs):
        order[i] = i
    for i in range(clubs - 1, 0, -1):
        j = below(k, i, i + 1)
        order[i], order[j] = order[j], order[i]
    half = clubs - 1
    n = 0
    for r in range(2 * half):
        for i in range(clubs // 2):
            a = order[clubs - 1] if i == 0 else order[(r + i) % half]
            b = order[(r + half - i) % half]
            home_first = (r % half if i == 0 else i) % 2 == (0 if r < half else 1)
            _fixture(w, n, r, round_day(w, p, r), a if home_first else b, b if home_first else a)
            n += 1
    w.n_fixtures = n
    w.next_fixture = 0


@njit
def round_day(w, p, r):
    """Absolute day of round ``r`` of the current season, spread evenly over the season."""
    first = p.calendar.rounds[0]
    last = p.calendar.rounds[1]
    rounds = 2 * (len(w.clubs) - 1)
    return w.season * YEAR + first - 1 + r * (last - first) // max(rounds - 1, 1)


@njit
def _fixture(w, n, r, day, home, away):
    f = w.fixtures[n]
    f.day = day
    f.matchday = r
    f.home = home
    f.away = away
    f.played = 0
    f.home_goals = 0
    f.away_goals = 0
    f.attendance = 0
    f.possession = 0
    for side in range(2):
        f.shots[side] = 0
        for i in range(f.apps.shape[1]):
            f.apps[side, i].uid = 0


@njit
def sort_table(w):
    """Positions by points, goal difference, goals, last season's place, then a draw for the season."""
    clubs = len(w.clubs)
    for club in range(clubs):
        position = 1
        for other in range(clubs):
            if other != club and _ahead(w, other, club):
                position += 1
        w.clubs[club].position = position


@njit
def _ahead(w, a, b):
    """Whether club ``a`` stands above club ``b``."""
    x = w.clubs[a]
    y = w.clubs[b]
    if x.points != y.points:
        return x.points > y.points
    if x.goals_for - x.goals_against != y.goals_for - y.goals_against:
        return x.goals_for - x.goals_against > y.goals_for - y.goals_against
    if x.goals_for != y.goals_for:
        return x.goals_for > y.goals_for
    if x.last_position != y.last_position:
        return x.last_position < y.last_position
    k = key(w.seed, Domain.TIES, 0, w.season)
    return uniform(k, a) < uniform(k, b)


@njit
def settle_season(w, p):
    """Day 300: honors, prizes, reputation; the final table goes into the archive."""
    sort_table(w)
    finance.pay_prizes(w, p)
    for club in range(len(w.clubs)):
        c = w.clubs[club]
        if c.position == 1:
            c.honors += p.honors.champion
            c.titles += 1
            c.confidence = min(c.confidence + p.board.title, 100.0)
        elif c.position <= p.honors.top_places:
            c.honors += p.honors.top
        c.last_position = c.position
        _move_reputation(w, p, club)
        s = c.seasons[w.season]
        s.position = c.position
        s.points = c.points
        s.won = c.won
        s.drawn = c.drawn
        s.lost = c.lost
        s.goals_for = c.goals_for
        s.goals_against = c.goals_against
        s.target = c.target
        inbox.tell(w, club, Inbox.SEASON_SETTLED, c.position, c.points, c.honors)


@njit
def _move_reputation(w, p, club):
    c = w.clubs[club]
    clubs = len(w.clubs)
    low = p.money.reputation_span[0]
    high = p.money.reputation_span[1]
    aim = high - (high - low) * (c.position - 1) / (clubs - 1)
    c.reputation += p.money.reputation_rate * (aim - c.reputation)


@njit
def turn_year(w, p):
    """The year's last day: contracts and terms end, veterans retire, the archive gets the season's end."""
    contracts.expire(w, p)
    academy.lapse_terms(w, p)
    development.retirements(w, p)
    board.bail_out(w, p)
    finance.depreciate(w, p)
    scouting.refresh(w, p)
    for club in range(len(w.clubs)):
        _close_season(w, p, club)


@njit
def _close_season(w, p, club):
    c = w.clubs[club]
    s = c.seasons[w.season]
    s.honors = c.honors
    s.net_worth = net_worth(w, p, club)
    s.squad_value = squad_value(w, club)
    s.cash = c.cash
    s.wage_bill = c.wage_bill
    s.revenue = c.revenue
    s.deaths = c.deaths
    s.squad_size = c.n_squad
    s.confidence = c.confidence
    s.ability = mean_believed(w, club)
    s.score = raw_now(w, p, club)
    c.last_revenue = c.revenue
    c.revenue = 0


@njit
def mean_believed(w, club):
    """Mean believed ability of a squad."""
    c = w.clubs[club]
    total = 0.0
    for i in range(c.n_squad):
        total += w.players[c.squad[i]].own_ability
    return total / max(c.n_squad, 1)
