"""The composite score (paper, section 3.3): the one implementation, compiled, pure.

    S_raw = 18 ln(1 + max(H,0)/60) + 10 sign(VA) ln(1 + |VA|/40) + 6 ln(1 + max(M,0)/80)
    S     = rho * max(S_raw,0) + min(S_raw,0)

H: honors; VA: value added in real terms, M: squad value in real terms, both in millions there and in
thousands here. It can be asked at any moment as if the run were completed now.
"""

from fmgym.detmath import exp, log, power
from fmgym.enums import N_FACILITIES, Settle
from fmgym.jit import njit
from fmgym.kernels.money import book_value, debts_of, thousands
from fmgym.state import YEAR

VERSION = "1"


@njit
def composite(p, honors, value_added, squad_value):
    """S_raw from its three channels: honors points, value added (k, real), squad value (k, real)."""
    s = p.score
    return (
        honors_channel(p, honors)
        + value_channel(p, value_added)
        + s.squad_value[0] * log(1.0 + max(squad_value, 0.0) / s.squad_value[1])
    )


@njit
def honors_channel(p, honors):
    """The honors term; honors debt cannot drive it below zero."""
    return p.score.honors[0] * log(1.0 + max(honors, 0.0) / p.score.honors[1])


@njit
def value_channel(p, value_added):
    """The value-added term; odd in its argument."""
    size = p.score.value_added[0] * log(1.0 + abs(value_added) / p.score.value_added[1])
    return size if value_added >= 0.0 else -size


@njit
def squad_channel(p, squad_value):
    """The squad term."""
    return p.score.squad_value[0] * log(1.0 + max(squad_value, 0.0) / p.score.squad_value[1])


@njit
def discounted(raw, rho):
    """Rho multiplies only the positive part, so that dying early never shrinks a negative score."""
    return rho * max(raw, 0.0) + min(raw, 0.0)


@njit
def rho_completed(p, revivals):
    """Discount of a completed run: 0.8 to the power of revivals."""
    return power(p.score.revival, revivals)


@njit
def rho_early(p, share):
    """Discount of a run settled after ``share`` (0-1) of its length: 0.8 share^1.5."""
    if share <= 0.0:
        return 0.0
    return p.score.early[0] * exp(p.score.early[1] * log(share))


@njit
def squad_value(w, club):
    """Public value of a club's seniors, k."""
    c = w.clubs[club]
    total = 0
    for i in range(c.n_squad):
        total += w.players[c.squad[i]].value
    return total


@njit
def net_worth(w, p, club):
    """Cash (idle part discounted) + 0.8 squad value + facilities - outstanding debts, k (paper, 3.3)."""
    c = w.clubs[club]
    idle = max(c.cash - thousands(p.score.idle_wages * c.wage_bill), 0)
    cash = c.cash - idle + thousands(p.score.idle * idle)
    building = 0
    for i in range(N_FACILITIES):
        if c.building[i] > 0:
            building += c.building_cost[i]
    facilities = c.facility_book + book_value(p, building)
    return cash + thousands(p.score.liquidity * squad_value(w, club)) + facilities - debts_of(w, club)


@njit
def deflated(p, amount, season):
    """A season's money in money of day 0: one year of inflation a season."""
    return amount / power(1.0 + p.value.inflation, season)


@njit
def real_means(w, p, club):
    """Mean real net worth and squad value (k) over the last seasons' ends, today standing for an open one.

    Returns (net worth, squad value). At a season's last day its snapshot is today.
    """
    years = w.day / YEAR
    seasons = min(p.score.window, w.season + 1)
    worth = deflated_now(w, p, net_worth(w, p, club), years)
    squad = deflated_now(w, p, squad_value(w, club), years)
    for back in range(1, seasons):
        s = w.clubs[club].seasons[w.season - back]
        worth += deflated(p, s.net_worth, w.season - back + 1)
        squad += deflated(p, s.squad_value, w.season - back + 1)
    return worth / seasons, squad / seasons


@njit
def deflated_now(w, p, amount, years):
    """Today's money in money of day 0, continuously."""
    return amount * exp(-years * log(1.0 + p.value.inflation))


@njit
def channels(w, p, club):
    """A club's three channels as things stand: honors, value added and squad value (k, real)."""
    worth, squad = real_means(w, p, club)
    c = w.clubs[club]
    return c.honors, worth - c.start_net_worth, squad


@njit
def raw_now(w, p, club):
    """S_raw of a club as things stand."""
    honors, value, squad = channels(w, p, club)
    return composite(p, float(honors), value, squad)


@njit
def now(w, p, seat):
    """A seat's score as if its run were completed now; its final score once it has settled."""
    s = w.seats[seat]
    if s.settled != Settle.LIVE:
        return s.final
    if s.drafted == 0:
        return 0.0
    return discounted(raw_now(w, p, s.club), rho_completed(p, s.revivals))


@njit
def standing(w, p, seat):
    """(S_raw, rho, honors, value added, squad value) behind ``now``: frozen once the seat has settled."""
    s = w.seats[seat]
    if s.settled != Settle.LIVE:
        return s.final_raw, s.final_rho, s.final_honors, s.final_value, s.final_squad
    honors, value, squad = channels(w, p, s.club)
    return composite(p, float(honors), value, squad), rho_completed(p, s.revivals), honors, value, squad


@njit
def settle(w, p, seat, how):
    """Close a seat's run and freeze its score and channels."""
    s = w.seats[seat]
    done = how == Settle.COMPLETED
    share = (w.day + 1) / (w.last_day + 1)
    s.final_rho = rho_completed(p, s.revivals) if done else rho_early(p, share)
    s.final_honors, s.final_value, s.final_squad = channels(w, p, s.club)
    s.final_raw = composite(p, float(s.final_honors), s.final_value, s.final_squad)
    s.final = discounted(s.final_raw, s.final_rho)
    s.settled = how
    s.settle_day = w.day
    s.kinds = 0
    s.waiting = 1
