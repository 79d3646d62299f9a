"""What a seat may see: one function per query tool, each a plain JSON-able dict.

Abilities come from the reports stored for the seat at its stop, public facts from the state; never from
hidden truth, from another club's beliefs, asks, reservation wages or the memory of talks behind them.
Money is in millions, abilities are bands such as ``70-86`` with a confidence letter A (best) to D,
potential is 0.5 to 5 stars, dates read ``Y12-D181``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fmgym import score
from fmgym.calendar import window_open
from fmgym.enums import (
    Condition,
    Facility,
    Formation,
    Inbox,
    Ledger,
    Move,
    OfferKind,
    OfferState,
    OrderAction,
    Position,
    Status,
    Style,
    Tool,
)
from fmgym.kernels import academy, contracts, finance, roster, talks
from fmgym.kernels.condition import condition_now
from fmgym.kernels.draft import complete_draft
from fmgym.kernels.money import debts_of
from fmgym.names import (
    club_id,
    club_name,
    date,
    match_id,
    millions,
    money,
    offer_id,
    player_id,
    player_name,
    template_id,
    word,
)
from fmgym.state import RATED, YEAR
from fmgym.tools import FIXTURES, MARKETS, SORTS, ToolCall
from fmgym.world import World

View = dict[str, Any]
NEVER = 1 << 20  # finance.runway's "does not run out"
MONTH = 30
# What wants an answer of the seat, by doing something.
TO_ANSWER = frozenset(
    {
        Inbox.OFFER_RECEIVED,
        Inbox.COUNTER_OFFER,
        Inbox.CONTRACT_EXPIRING,
        Inbox.YOUTH_LAPSING,
        Inbox.BOARD_WARNING,
        Inbox.INSOLVENCY_WARNING,
    }
)


def club_of(world: World, seat: int) -> int:
    """The club a seat runs."""
    return int(world.w.seats[seat].club)


def formation_name(code: int) -> str:
    """``4-4-2``."""
    return "-".join(Formation(code).name[1:])


# Scouting


def band(world: World, ability: float, error: float) -> str:
    """A scouted band: the report and so many of its standard deviations to each side."""
    half = world.params.scouting.band * error
    low, high = (min(max(round(float(x)), 1), 99) for x in (ability - half, ability + half))
    return f"{low}-{high}"


def confidence(world: World, error: float) -> str:
    """The letter of a report, A to D, by its standard deviation."""
    return "ABCD"[sum(float(error) > limit for limit in world.params.scouting.confidence)]


def stars(world: World, potential: float) -> float:
    """Half a star to five stars for a believed potential."""
    p = world.params.scouting
    halves = 1 + math.floor((float(potential) - p.star_low) / p.star_step)
    return min(max(halves, 1), 10) / 2


def _scouted(world: World, seat: int, slot: int) -> View:
    s = world.w.seats[seat]
    if s.report_uid[slot] != world.w.players[slot].uid:
        return {"ability": "?", "confidence": "D", "potential": None}
    return {
        "ability": band(world, s.ability[slot], s.error[slot]),
        "confidence": confidence(world, s.error[slot]),
        "potential": stars(world, s.potential[slot]),
    }


# Players


def _years(world: World, born: int) -> float:
    return round(float(world.w.day - born) / YEAR, 1)


def _who(world: World, seat: int, slot: int) -> View:
    """Identity and scouting of a player."""
    pl = world.w.players[slot]
    head = {
        "id": player_id(pl.uid),
        "name": player_name(int(world.w.seed), int(pl.uid)),
        "position": Position(pl.position).name,
        "age": _years(world, pl.born),
    }
    return head | _scouted(world, seat, slot)


def _rating(pl: Any) -> float | None:
    return round(float(pl.rating_sum / pl.apps), 2) if pl.apps else None


def _fitness(world: World, slot: int) -> str:
    """``fit``, ``injured to Y01-D080`` or ``banned 2``."""
    pl = world.w.players[slot]
    if pl.injured_until > world.w.day:
        return f"injured to {date(pl.injured_until)}"
    return f"banned {pl.banned}" if pl.banned > 0 else "fit"


def _contract(world: World, slot: int) -> View:
    pl = world.w.players[slot]
    if pl.status != Status.SENIOR:
        return {"wage_m": 0.0, "until": None}
    return {"wage_m": millions(pl.wage), "until": date(pl.contract_end)}


def _leaves_for(world: World, slot: int) -> View:
    """Where a player goes when his contract ends, if that is agreed."""
    target = world.w.players[slot].next_club
    return {"leaves_for": club_id(target)} if target >= 0 else {}


def squad(world: World, seat: int, call: ToolCall) -> View:
    """``get_squad``: one row a senior."""
    c = world.w.clubs[club_of(world, seat)]
    rows = [_squad_row(world, seat, int(slot)) for slot in c.squad[: c.n_squad]]
    rows.sort(key=lambda row: (Position[row["position"]], row["id"]))
    return {"players": rows, "size": int(c.n_squad), "wage_bill_m": millions(c.wage_bill)}


def _squad_row(world: World, seat: int, slot: int) -> View:
    pl = world.w.players[slot]
    return (
        _who(world, seat, slot)
        | {
            "condition": round(float(condition_now(world.w, world.p, slot))),
            "form": round(float(pl.form), 1),
            "morale": round(float(pl.morale)),
            "fitness": _fitness(world, slot),
        }
        | _contract(world, slot)
        | {
            "value_m": millions(pl.value),
            "apps": int(pl.apps),
            "goals": int(pl.goals),
            "assists": int(pl.assists),
            "rating": _rating(pl),
            "listed": bool(pl.listed),
        }
        | _leaves_for(world, slot)
    )


def player(world: World, seat: int, call: ToolCall) -> View:
    """``get_player``: everything visible of one player."""
    w = world.w
    slot = int(roster.slot_of(w, call.args[0]))
    pl = w.players[slot]
    view = _who(world, seat, slot) | {
        "status": word(Status(pl.status)),
        "club": club_id(pl.club) if pl.club >= 0 else None,
        "yours": bool(pl.club == club_of(world, seat)),
        "watched": round(float(pl.watched), 1),
        "value_m": millions(pl.value),
        "listed": bool(pl.listed),
        "condition": round(float(condition_now(w, world.p, slot))),
        "form": round(float(pl.form), 1),
        "morale": round(float(pl.morale)),
        "fitness": _fitness(world, slot),
    }
    view |= _contract(world, slot) | _leaves_for(world, slot)
    view |= {
        "since": date(max(int(pl.joined), 0)),
        "season": _season_figures(pl),
        "career": _career_figures(pl),
    }
    if pl.status == Status.ACADEMY:
        view["term_ends"] = date(pl.academy_until)
    if view["yours"] and pl.status == Status.SENIOR:
        view |= {
            "fee_paid_m": millions(pl.fee_paid),
            "release_cost_m": millions(contracts.severance(w, world.p, slot)),
        }
    return view | _cooldowns(world, seat, int(pl.uid))


def _season_figures(pl: Any) -> View:
    counts = {
        name: int(pl[name]) for name in ("apps", "starts", "minutes", "goals", "assists", "yellows", "reds")
    }
    return counts | {"rating": _rating(pl)}


def _career_figures(pl: Any) -> View:
    return {name: int(pl[f"career_{name}"]) for name in ("apps", "minutes", "goals", "assists")}


def _cooldowns(world: World, seat: int, uid: int) -> View:
    """Until when talks are off, which the seat was told when they broke off."""
    w, club = world.w, club_of(world, seat)
    out = {}
    i = int(talks.find(w, club, uid))
    for key, field in (("no_bids_before", "cooldown"), ("no_contract_talks_before", "wage_cooldown")):
        if i >= 0 and w.clubs[club].talks[i][field] >= w.day:
            out[key] = date(w.clubs[club].talks[i][field] + 1)
    return out


# Club


def club_overview(world: World, seat: int, call: ToolCall) -> View:
    """``get_club_overview``."""
    w, s = world.w, world.w.seats[seat]
    club = club_of(world, seat)
    c = w.clubs[club]
    return {
        "club": club_id(club),
        "name": club_name(club),
        "division": 1,
        "date": date(w.day),
        "position": int(c.position),
        "points": int(c.points),
        "played": int(c.played),
        "target": int(c.target),
        "cash_m": millions(c.cash),
        "board_confidence": round(float(c.confidence)),
        "reputation": round(float(c.reputation), 1),
        "stadium_seats": int(c.stadium),
        "facilities": [_facility(world, club, kind) for kind in Facility],
        "formation": formation_name(c.formation),
        "style": word(Style(c.style)),
        "style_since": date(c.style_day),
        "lineup": lineup(world, club) or "automatic",
        "squad": int(c.n_squad),
        "prospects": int(c.n_academy),
        "honors": int(c.honors),
        "titles": int(c.titles),
        "revivals_used": int(s.revivals),
        "standing_orders": standing_orders(world, seat),
        "score_now": round(float(score.now(w, world.p, seat)), 2),
    }


def lineup(world: World, club: int) -> list[str]:
    """The preferred eleven; empty when the staff choose."""
    c = world.w.clubs[club]
    return [] if c.lineup_auto == 1 else [player_id(uid) for uid in c.lineup]


def _facility(world: World, club: int, kind: Facility) -> View:
    c = world.w.clubs[club]
    view: View = {"facility": word(kind), "level": int(c.levels[kind]), "ready": None, "next_level_m": None}
    if c.building[kind] > 0:
        view["ready"] = date(c.building[kind])
    if c.levels[kind] < world.params.facility.top:
        view["next_level_m"] = millions(finance.upgrade_cost(world.w, world.p, club, int(kind)))
    return view


def standing_orders(world: World, seat: int) -> list[View]:
    """The active standing orders."""
    return [
        {
            "place": i + 1,
            "condition": word(Condition(order.condition)),
            "threshold": int(order.threshold),
            "action": word(OrderAction(order.action)),
            "fired": int(order.fired),
        }
        for i, order in enumerate(world.w.seats[seat].orders)
        if order.active == 1
    ]


def finances(world: World, seat: int, call: ToolCall) -> View:
    """``get_finances``."""
    w, p, club = world.w, world.p, club_of(world, seat)
    c = w.clubs[club]
    left = int(finance.runway(w, p, club))
    return {
        "cash_m": millions(c.cash),
        "revenue_this_season_m": millions(c.revenue),
        "revenue_last_season_m": millions(c.last_revenue),
        "expected_revenue_m": millions(finance.expected_revenue(w, p, club)),
        "wages_a_year_m": millions(finance.wage_costs(w, p, club)),
        "wage_ratio": round(float(finance.wage_ratio(w, p, club)), 3),
        "runway_days": None if left >= NEVER else left,
        "net_worth_m": millions(score.net_worth(w, p, club)),
        "squad_value_m": millions(score.squad_value(w, club)),
        "facilities_book_m": millions(c.facility_book),
        "owed_m": millions(debts_of(w, club)),
        "debts": _debts(world, club, "payer", "payee", "to"),
        "receivables": _debts(world, club, "payee", "payer", "from"),
        "ledger_this_season_m": _ledger(world, club, int(w.season)),
        "ledger_last_season_m": _ledger(world, club, int(w.season) - 1) if w.season > 0 else {},
        "warnings": warnings(world, seat),
    }


def _debts(world: World, club: int, mine: str, other: str, label: str) -> list[View]:
    rows = world.w.debts[: world.w.n_debts]
    return [
        {
            label: club_id(row[other]) if row[other] >= 0 else "bank",
            "amount_m": millions(row.amount),
            "payments_left": int(row.left),
            "next_due": date(row.due),
        }
        for row in rows
        if row[mine] == club
    ]


def _ledger(world: World, club: int, season: int) -> dict[str, float]:
    booked = world.w.clubs[club].ledger[season]
    return {word(kind): millions(booked[kind]) for kind in Ledger if booked[kind] != 0}


def warnings(world: World, seat: int) -> list[str]:
    """What should worry a manager today, from figures he can see."""
    w, p, club = world.w, world.p, club_of(world, seat)
    c, out = w.clubs[club], []
    if world.w.seats[seat].drafted == 0:
        return out
    if c.confidence < p.board.warn:
        out.append(
            f"board confidence {c.confidence:.0f}, dismissal below {p.board.fire_review:g} at a review"
        )
    if c.cash < 0:
        left = int(p.ruin.grace - (w.day - c.negative_since)) if c.negative_since >= 0 else int(p.ruin.grace)
        out.append(f"cash below zero: administration in {left} days")
    elif (left := int(finance.runway(w, p, club))) <= p.ruin.runway_days[0]:
        out.append(f"cash runs out in about {left} days")
    if (ratio := float(finance.wage_ratio(w, p, club))) > p.board.wage_ratio:
        out.append(f"wages are {ratio:.0%} of revenue, the board minds above {p.board.wage_ratio:.0%}")
    if c.n_squad < p.market.squad_min:
        out.append(f"only {c.n_squad} seniors")
    if expiring := _ending(world, club, p.calendar.expiry_stop_days):
        out.append(f"{len(expiring)} senior contracts end within {p.calendar.expiry_stop_days} days")
    return out


def injured(world: World, club: int) -> list[str]:
    """The injured seniors of a club, with the day they are back."""
    c, w = world.w.clubs[club], world.w
    hurt = [w.players[slot] for slot in c.squad[: c.n_squad] if w.players[slot].injured_until > w.day]
    return [f"{player_id(pl.uid)} to {date(pl.injured_until)}" for pl in hurt]


def _ending(world: World, club: int, days: int) -> list[int]:
    """Slots of seniors whose contracts end within so many days with nothing agreed."""
    w = world.w
    c = w.clubs[club]
    ends = [(int(slot), w.players[slot]) for slot in c.squad[: c.n_squad]]
    return [slot for slot, pl in ends if pl.contract_end - w.day <= days and pl.next_club < 0]


def youth_academy(world: World, seat: int, call: ToolCall) -> View:
    """``get_youth_academy``."""
    w, club = world.w, club_of(world, seat)
    c = w.clubs[club]
    rows = [
        _who(world, seat, int(slot))
        | {
            "value_m": millions(w.players[slot].value),
            "term_ends": date(w.players[slot].academy_until),
            "promotion_wage_m": millions(academy.promotion_wage(w, world.p, int(slot))),
        }
        for slot in c.academy[: c.n_academy]
    ]
    return {
        "prospects": rows,
        "level": int(c.levels[Facility.ACADEMY]),
        "places_at_year_end": int(world.params.academy.places),
    }


# League


def league_table(world: World, seat: int, call: ToolCall) -> View:
    """``get_league_table``."""
    w, own = world.w, club_of(world, seat)
    order = sorted(range(len(w.clubs)), key=lambda club: int(w.clubs[club].position))
    return {"season": int(w.season) + 1, "table": [_table_row(w.clubs[club], club, own) for club in order]}


def _table_row(c: Any, club: int, own: int) -> View:
    view = {"position": int(c.position), "club": club_id(club), "name": club_name(club), **_results(c)}
    view |= {"deducted": int(c.deduction)} if c.deduction else {}
    return view | ({"you": True} if club == own else {})


def _results(c: Any) -> View:
    view = {name: int(c[name]) for name in ("won", "drawn", "lost", "goals_for", "goals_against", "points")}
    return {"played": view["won"] + view["drawn"] + view["lost"]} | view


def fixtures(world: World, seat: int, call: ToolCall) -> View:
    """``get_fixtures``."""
    w, (which, club) = world.w, call.args
    club = club_of(world, seat) if club < 0 else club
    rows = []
    for i in _fixtures_of(world, club):
        played = bool(w.fixtures[i].played)
        if which == FIXTURES["all"] or played == (which == FIXTURES["played"]):
            rows.append(_fixture(world, i, club))
    return {"club": club_id(club), "fixtures": rows}


def _fixtures_of(world: World, club: int) -> list[int]:
    f = world.w.fixtures[: world.w.n_fixtures]
    return [int(i) for i in np.nonzero((f["home"] == club) | (f["away"] == club))[0]]


def _fixture(world: World, i: int, club: int) -> View:
    f = world.w.fixtures[i]
    home = bool(f.home == club)
    goals = (f.home_goals, f.away_goals) if home else (f.away_goals, f.home_goals)
    return {
        "id": match_id(int(world.w.season), i),
        "date": date(f.day),
        "venue": "home" if home else "away",
        "opponent": club_id(f.away if home else f.home),
        "result": f"{goals[0]}-{goals[1]}" if f.played else None,
    }


def next_fixture(world: World, club: int) -> View | None:
    """A club's next match of this season."""
    w = world.w
    for i in range(int(w.next_fixture), int(w.n_fixtures)):
        if club in (w.fixtures[i].home, w.fixtures[i].away):
            return _fixture(world, i, club)
    return None


def match_report(world: World, seat: int, call: ToolCall) -> View:
    """``get_match_report``."""
    w = world.w
    f = w.fixtures[call.args[0]]
    return {
        "id": match_id(int(w.season), call.args[0]),
        "date": date(f.day),
        "home": club_id(f.home),
        "away": club_id(f.away),
        "score": f"{f.home_goals}-{f.away_goals}",
        "attendance": int(f.attendance),
        "home_possession": int(f.possession),
        "shots": f"{f.shots[0]}-{f.shots[1]}",
        "players": [
            _appearance(world, side, app) for side in range(2) for app in f.apps[side] if app.uid > 0
        ],
    }


def _appearance(world: World, side: int, app: Any) -> View:
    return {
        "side": "home" if side == 0 else "away",
        "id": player_id(app.uid),
        "name": player_name(int(world.w.seed), int(app.uid)),
        "minutes": int(app.minutes),
        "goals": int(app.goals),
        "assists": int(app.assists),
        "card": ("", "yellow", "red")[app.cards],
        "rating": app.rating / RATED,
    }


# Market


def transfer_market(world: World, seat: int, call: ToolCall) -> View:
    """``get_transfer_market``: one page of the players that pass the filters."""
    *_, sort, limit, page = call.args
    slots = _on_market(world, seat, call.args)
    slots = slots[np.argsort(_sort_key(world, seat, slots, sort), kind="stable")]
    shown = slots[(page - 1) * limit : page * limit]
    return {
        "window": window(world),
        "found": len(slots),
        "page": page,
        "players": [_market_row(world, seat, int(slot)) for slot in shown],
    }


def _on_market(world: World, seat: int, args: tuple[int, ...]) -> np.ndarray:
    """Slots of the players that pass the filters of a market call."""
    kind, position, min_age, max_age, max_value, min_ability = args[:6]
    w, p = world.w, world.params
    pl = w.players
    free = pl["status"] == Status.FREE
    elsewhere = (pl["status"] == Status.SENIOR) & (pl["club"] != club_of(world, seat)) & (pl["next_club"] < 0)
    passing = {
        MARKETS["listed"]: elsewhere & (pl["listed"] == 1),
        MARKETS["free"]: free,
        MARKETS["expiring"]: elsewhere & (pl["contract_end"] - w.day <= p.wage.free_days),
        MARKETS["all"]: elsewhere | free,
    }[kind]
    years = (w.day - pl["born"]) // YEAR
    passing &= (pl["position"] == position) | (position < 0)
    passing &= (years >= min_age) & ((years <= max_age) | (max_age < 0))
    passing &= (pl["value"] <= max_value) | (max_value < 0)
    passing &= w.seats[seat].ability >= min_ability
    return np.nonzero(passing)[0]


def _sort_key(world: World, seat: int, slots: np.ndarray, sort: int) -> np.ndarray:
    """Ascending keys: the best first by ability, potential and value, the least first by age and wage."""
    w, s = world.w, world.w.seats[seat]
    if sort == SORTS["ability"]:
        return -s.ability[slots]
    if sort == SORTS["potential"]:
        return -s.potential[slots]
    if sort == SORTS["value"]:
        return -w.players["value"][slots]
    return -w.players["born"][slots] if sort == SORTS["age"] else w.players["wage"][slots]


def _market_row(world: World, seat: int, slot: int) -> View:
    pl = world.w.players[slot]
    view = _who(world, seat, slot) | {"club": club_id(pl.club) if pl.club >= 0 else "free"}
    return view | {"value_m": millions(pl.value)} | _contract(world, slot) | {"listed": bool(pl.listed)}


def window(world: World) -> str:
    """``summer``, ``winter`` or ``closed``."""
    return ("closed", "summer", "winter")[int(window_open(world.p, world.w.day))]


def offers(world: World, seat: int) -> list[View]:
    """The live offers of a seat, oldest first."""
    live = [o for o in world.w.seats[seat].offers if o.state == OfferState.LIVE]
    return [_offer(world, o) for o in sorted(live, key=lambda o: int(o.id))]


def _offer(world: World, o: Any) -> View:
    """What kind of offer it is, about whom, with whom, the sum on the table and its last day."""
    view: View = {
        "id": offer_id(o.id),
        "kind": word(OfferKind(o.kind)),
        "player": player_id(o.uid),
        "club": club_id(o.club) if o.club >= 0 else None,
    }
    if o.kind == OfferKind.WAGE_COUNTERED:
        view |= {"wage_m_per_year": millions(o.wage), "years": int(o.years)}
    else:
        view |= {"fee_m": millions(o.fee), "instalments": int(o.instalments)}
    return view | {"expires": date(o.expires)}


# Archive


def history(world: World, seat: int, call: ToolCall) -> View:
    """``get_history``: one page of honors, seasons or transfers."""
    kind, season, club, uid, limit, page = call.args
    make: tuple[Callable[..., list[View]], ...] = (_honors, _seasons, _transfers)
    rows = make[kind](world, seat, season, club, uid)
    return {"found": len(rows), "page": page, "rows": rows[(page - 1) * limit : page * limit]}


def _settled_seasons(world: World, season: int) -> list[int]:
    """Seasons whose final table stands, or the one asked for."""
    known = [n for n in range(int(world.w.season) + 1) if world.w.clubs[0].seasons[n].position > 0]
    return [n for n in known if season in (-1, n)]


def _honors(world: World, seat: int, season: int, club: int, uid: int) -> list[View]:
    """Champions, and the places that earn honors, with the asking club's own place."""
    w, own = world.w, club_of(world, seat) if club < 0 else club
    places = world.params.honors.top_places
    rows = []
    for n in _settled_seasons(world, season):
        order = sorted(range(len(w.clubs)), key=lambda i: int(w.clubs[i].seasons[n].position))
        row = {"season": n + 1, "champion": club_id(order[0]), "next": [club_id(i) for i in order[1:places]]}
        rows.append(row | {"club": club_id(own), "place": int(w.clubs[own].seasons[n].position)})
    return rows


def _seasons(world: World, seat: int, season: int, club: int, uid: int) -> list[View]:
    """A club's seasons (by default one's own), or a season's final table."""
    own = club_of(world, seat)
    rows = []
    for n in _settled_seasons(world, season):
        clubs = [own if club < 0 else club] if season < 0 or club >= 0 else range(len(world.w.clubs))
        rows += [_season_row(world, i, n, i == own) for i in clubs]
    return sorted(rows, key=lambda row: (row["season"], row["position"]))


def _season_row(world: World, club: int, n: int, own: bool) -> View:
    s = world.w.clubs[club].seasons[n]
    row = {"season": n + 1, "club": club_id(club), "position": int(s.position)} | _results(s)
    if own and n < int(world.w.season):  # books close on the year's last day
        row |= {"target": int(s.target), "honors": int(s.honors)}
        row |= {f"{name}_m": millions(s[name]) for name in _BOOKS}
    return row


_BOOKS = ("cash", "wage_bill", "revenue", "squad_value", "net_worth")


def _transfers(world: World, seat: int, season: int, club: int, uid: int) -> list[View]:
    """The archive of moves, newest first; fees only of one's own deals (sealed bids stay sealed)."""
    w = world.w
    room = len(w.moves)
    rows = []
    for i in range(int(w.n_moves) - 1, max(int(w.n_moves) - room, 0) - 1, -1):
        m = w.moves[i % room]
        asked = season in (-1, m.day // YEAR) and uid in (-1, m.uid) and club in (-1, m.source, m.target)
        if asked:
            rows.append(_move(world, club_of(world, seat), m))
    return rows


def _move(world: World, own: int, m: Any) -> View:
    ends = {key: club_id(m[key]) if m[key] >= 0 else None for key in ("source", "target")}
    return {
        "date": date(m.day),
        "player": player_id(m.uid),
        "name": player_name(int(world.w.seed), int(m.uid)),
        "kind": word(Move(m.kind)),
        "from": ends["source"],
        "to": ends["target"],
        "fee_m": millions(m.fee) if own in (m.source, m.target) else None,
        "wage_m": millions(m.wage),
        "years": int(m.years),
    }


# Inbox


def inbox_items(world: World, seat: int, call: ToolCall) -> View:
    """``get_inbox``."""
    w, club = world.w, club_of(world, seat)
    ending = _ending(world, club, world.params.calendar.expiry_stop_days)
    lapsing = [int(i) for i in w.clubs[club].academy[: w.clubs[club].n_academy]]
    lapsing = [i for i in lapsing if w.players[i].academy_until // YEAR <= w.season]
    return {
        "offers": offers(world, seat),
        "events": inbox(world, seat),
        "contracts_ending": [player_id(w.players[i].uid) for i in ending],
        "terms_ending": [player_id(w.players[i].uid) for i in lapsing],
    }


def inbox(world: World, seat: int) -> list[View]:
    """The events since the last stop, oldest first."""
    s = world.w.seats[seat]
    return [_event(world, seat, e) for e in s.inbox[: s.n_inbox]]


def _event(world: World, seat: int, e: Any) -> View:
    kind = Inbox(e.kind)
    return {
        "date": date(e.day),
        "kind": word(kind),
        "text": EVENTS[kind](world, seat, int(e.a), int(e.b), int(e.c)),
        "action_required": kind in TO_ANSWER,
    }


def _named(world: World, uid: int) -> str:
    return f"{player_name(int(world.w.seed), uid)} ({player_id(uid)})"


def _expired(world: World, seat: int, uid: int, club: int, c: int) -> str:
    where = f"joins {club_id(club)}" if club >= 0 else "is a free agent"
    return f"{_named(world, uid)}: contract ended, he {where}."


def _moved(world: World, seat: int, uid: int, other: int, fee: int) -> str:
    slot = int(roster.slot_of(world.w, uid))
    came = slot >= 0 and world.w.players[slot].club == club_of(world, seat)
    price = f" for {money(fee)}" if fee else ""
    return f"{_named(world, uid)} {'joined from' if came else 'went to'} {club_id(other)}{price}."


def _ordered(world: World, seat: int, place: int, uid: int, action: int) -> str:
    about = f" about {_named(world, uid)}" if uid > 0 else ""
    return f"Standing order {place + 1} acted{about}: {word(OrderAction(action))}."


# The meaning of an event's a, b, c (state.EVENT), by kind, as a sentence.
EVENTS: dict[Inbox, Callable[[World, int, int, int, int], str]] = {
    Inbox.OFFER_RECEIVED: lambda w, s, a, b, c: f"{club_id(b)} bids {money(c)} for {_named(w, a)}.",
    Inbox.COUNTER_OFFER: lambda w, s, a, b, c: f"{club_id(b)} asks {money(c)} for {_named(w, a)}.",
    Inbox.OFFER_EXPIRED: lambda w, s, a, b, c: f"Offer {offer_id(c)} about {_named(w, a)} has expired.",
    Inbox.TRANSFER_COMPLETED: _moved,
    Inbox.BID_LOST: lambda w, s, a, b, c: f"{_named(w, a)} went to {club_id(b)}; your talks are over.",
    Inbox.CONTRACT_EXPIRING: lambda w, s, a, b, c: f"{_named(w, a)}: contract ends {date(b)}.",
    Inbox.CONTRACT_EXPIRED: _expired,
    Inbox.INJURY: lambda w, s, a, b, c: (
        f"{_named(w, a)} is out for {b} days{', a first choice' if c else ''}."
    ),
    Inbox.RETIREMENT: lambda w, s, a, b, c: f"{_named(w, a)} has retired at {b}.",
    Inbox.FACILITY_COMPLETED: lambda w, s, a, b, c: f"{word(Facility(a)).capitalize()} is now at level {b}.",
    Inbox.YOUTH_INTAKE: lambda w, s, a, b, c: f"{a} new prospects have joined the academy.",
    Inbox.YOUTH_LAPSING: lambda w, s, a, b, c: f"{_named(w, a)}: academy term ends {date(b)}.",
    Inbox.BOARD_TARGET: lambda w, s, a, b, c: f"The board expects place {a} or better.",
    Inbox.BOARD_WARNING: lambda w, s, a, b, c: f"The board's confidence is {a}: place {b}, target {c}.",
    Inbox.INSOLVENCY_WARNING: lambda w, s, a, b, c: f"Cash lasts about {a} days at the present rate.",
    Inbox.ADMINISTRATION: lambda w, s, a, b, c: (
        f"Administration: {a} points deducted, players sold by force."
    ),
    Inbox.REVIVAL: lambda w, s, a, b, c: (
        f"Revival {a} of {b}: a new board, and a loan of {money(c)} to go on."
    ),
    Inbox.SEASON_SETTLED: lambda w, s, a, b, c: (
        f"The season ended in place {a} with {b} points; honors now {c}."
    ),
    Inbox.ORDER_EXECUTED: _ordered,
}


# Draft


def draft_pool(world: World, seat: int, call: ToolCall) -> View:
    """``get_draft_pool``: the shared templates as the club's scouts see them, and the picks so far."""
    w, s, p = world.w, world.w.seats[seat], world.params.draft
    picks = np.zeros(len(w.templates), np.int64)
    picks[: s.n_draft] = s.draft[: s.n_draft]
    n = int(complete_draft(w, world.p, picks, s.n_draft))
    cost = int(w.templates["price"][picks[:n]].sum())
    return {
        "budget_m": millions(p.budget),
        "squad_size": p.squad,
        "submitted": [template_id(int(t)) for t in s.draft[: s.n_draft]],
        "completed_with": [template_id(int(t)) for t in picks[s.n_draft : n]],
        "cost_m": millions(cost),
        "opening_cash_m": millions(p.budget + p.stipend - cost),
        "templates": [_template(world, seat, t) for t in range(len(w.templates))],
    }


def _template(world: World, seat: int, t: int) -> View:
    tm, s = world.w.templates[t], world.w.seats[seat]
    error = world.params.scouting.bias  # reports on templates have no noise
    return {
        "id": template_id(t),
        "position": Position(tm.position).name,
        "age": int(tm.age),
        "ability": band(world, s.draft_ability[t], error),
        "confidence": confidence(world, error),
        "potential": stars(world, s.draft_potential[t]),
        "price_m": millions(tm.price),
        "wage_m": millions(tm.wage),
        "years": int(tm.years),
    }


QUERIES: dict[Tool, Callable[[World, int, ToolCall], View]] = {
    Tool.GET_CLUB_OVERVIEW: club_overview,
    Tool.GET_SQUAD: squad,
    Tool.GET_PLAYER: player,
    Tool.GET_LEAGUE_TABLE: league_table,
    Tool.GET_FIXTURES: fixtures,
    Tool.GET_MATCH_REPORT: match_report,
    Tool.GET_TRANSFER_MARKET: transfer_market,
    Tool.GET_FINANCES: finances,
    Tool.GET_YOUTH_ACADEMY: youth_academy,
    Tool.GET_HISTORY: history,
    Tool.GET_INBOX: inbox_items,
    Tool.GET_DRAFT_POOL: draft_pool,
}
