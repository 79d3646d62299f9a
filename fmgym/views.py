"""What a seat may see: one function per query tool, each a plain JSON-able dict.

Abilities come from the reports stored for the seat at its stop, public facts from the state; never from
hidden truth, from another club's beliefs, asks, reservation wages or the memory of talks behind them.
Money is in millions, abilities are bands such as ``70-86`` with a confidence letter A (best) to D,
potential is 0.5 to 5 stars, dates read ``Y12-D181``.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fmgym import entry, rows
from fmgym.enums import (
    Condition,
    Facility,
    Formation,
    Inbox,
    Ledger,
    Loss,
    Move,
    OfferKind,
    OfferState,
    OrderAction,
    Position,
    Status,
    Style,
    Tool,
)
from fmgym.kernels.draft import complete_draft
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
POSITIONS = tuple(position.name for position in Position)
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
    return int(world.array["seats"]["club"][0, seat])


def today(world: World) -> int:
    """The day, from 0."""
    return int(world.array["day"][0])


def season_now(world: World) -> int:
    """The season, from 0."""
    return int(world.array["season"][0])


def formation_name(code: int) -> str:
    """``4-4-2``."""
    return "-".join(Formation(code).name[1:])


# What is known of others


def known(world: World, seat: int, slots: Sequence[int]) -> list[Any]:
    """Players as a seat may know them (``kernels.roster.seen``)."""
    players = rows.players(world, slots)
    if world.array["frozen"][0] == 0:
        return players
    board, club = rows.before(world, slots), club_of(world, seat)
    return [now if club in (now.club, then.club) else then for now, then in zip(players, board, strict=True)]


def known_columns(world: World, seat: int, *names: str) -> list[np.ndarray]:
    """Fields of all players as a seat may know them."""
    players = rows.table(world, "players")
    if world.array["frozen"][0] == 0:
        return [players[name] for name in names]
    board, club = rows.table(world, "board"), club_of(world, seat)
    own = (players["club"] == club) | (board["club"] == club)
    return [np.where(own, players[name], board[name]) for name in names]


# Scouting


def band(world: World, ability: float, error: float) -> str:
    """A scouted band: the report and so many of its standard deviations to each side."""
    half = world.params.scouting.band * error
    return f"{_scale(ability - half)}-{_scale(ability + half)}"


def _scale(ability: float) -> int:
    """An ability on the scale that is shown, 1 to 99."""
    return min(max(round(ability), 1), 99)


def confidence(world: World, error: float) -> str:
    """The letter of a report, A to D, by its standard deviation."""
    return "ABCD"[bisect_left(world.params.scouting.confidence, error)]


def stars(world: World, potential: float) -> float:
    """Half a star to five stars for a believed potential."""
    p = world.params.scouting
    halves: int = 1 + math.floor((potential - p.star_low) / p.star_step)
    return min(max(halves, 1), 10) / 2


Report = tuple[int, float, float, float]  # whom it is about (uid), ability, error, potential


def _reports(world: World, seat: int, slots: Sequence[int]) -> list[Report]:
    """A seat's reports on the players in some slots."""
    seats, chosen = world.array["seats"], np.array(slots, np.int64)
    columns = (seats[field][0, seat][chosen].tolist() for field in ("report_uid", "ability", "error", "potential"))
    return list(zip(*columns, strict=True))


def _scouted(world: World, pl: Any, report: Report) -> View:
    uid, ability, error, potential = report
    if uid != pl.uid:
        return {"ability": "?", "confidence": "D", "potential": None}
    return {
        "ability": band(world, ability, error),
        "confidence": confidence(world, error),
        "potential": stars(world, potential),
    }


# Players


def _name(world: World, uid: int) -> str:
    return player_name(int(world.array["seed"][0]), uid)


def _years(world: World, born: int) -> float:
    return round((today(world) - born) / YEAR, 1)


def _who(world: World, pl: Any, report: Report) -> View:
    """Identity and scouting of a player."""
    return {
        "id": player_id(pl.uid),
        "name": _name(world, pl.uid),
        "position": POSITIONS[pl.position],
        "age": _years(world, pl.born),
        **_scouted(world, pl, report),
    }


def _rating(pl: Any) -> float | None:
    return round(pl.rating_sum / pl.apps, 2) if pl.apps else None


def _fitness(world: World, pl: Any) -> str:
    """``fit``, ``injured to Y01-D080`` or ``banned 2``."""
    if pl.injured_until > today(world):
        return f"injured to {date(pl.injured_until)}"
    return f"banned {pl.banned}" if pl.banned > 0 else "fit"


def _contract(pl: Any) -> View:
    if pl.status != Status.SENIOR:
        return {"wage_m": 0.0, "until": None}
    return {"wage_m": millions(pl.wage), "until": date(pl.contract_end)}


def _leaves_for(pl: Any) -> View:
    """Where a player goes when his contract ends, if that is agreed."""
    return {"leaves_for": club_id(pl.next_club)} if pl.next_club >= 0 else {}


def squad(world: World, seat: int, call: ToolCall) -> View:
    """``get_squad``: one row a senior."""
    club = club_of(world, seat)
    slots = rows.squad(world, club)
    men = zip(rows.players(world, slots), _reports(world, seat, slots), entry.conditions(world, slots), strict=True)
    found = [_squad_row(world, *man) for man in men]
    found.sort(key=lambda row: (Position[row["position"]], row["id"]))
    return {"players": found, "size": len(found), "wage_bill_m": millions(rows.club(world, club).wage_bill)}


def _squad_row(world: World, pl: Any, report: Report, condition: float) -> View:
    return {
        **_who(world, pl, report),
        "condition": round(condition),
        "form": round(pl.form, 1),
        "morale": round(pl.morale),
        "fitness": _fitness(world, pl),
        **_contract(pl),
        "value_m": millions(pl.value),
        "apps": pl.apps,
        "goals": pl.goals,
        "assists": pl.assists,
        "rating": _rating(pl),
        "listed": bool(pl.listed),
        **_leaves_for(pl),
    }


def player(world: World, seat: int, call: ToolCall) -> View:
    """``get_player``: everything visible of one player."""
    slot = entry.slot_of(world, call.args[0])
    pl, report = known(world, seat, [slot])[0], _reports(world, seat, [slot])[0]
    view = _who(world, pl, report) | {
        "status": word(Status(pl.status)),
        "club": club_id(pl.club) if pl.club >= 0 else None,
        "yours": bool(pl.club == club_of(world, seat)),
        "watched": round(pl.watched, 1),
        "value_m": millions(pl.value),
        "listed": bool(pl.listed),
        "condition": round(entry.conditions(world, [slot])[0]),
        "form": round(pl.form, 1),
        "morale": round(pl.morale),
        "fitness": _fitness(world, pl),
    }
    view |= _contract(pl) | _leaves_for(pl)
    view |= {
        "since": date(max(pl.joined, 0)),
        "season": _season_figures(pl),
        "career": _career_figures(pl),
    }
    if pl.status == Status.ACADEMY:
        view["term_ends"] = date(pl.academy_until)
    if view["yours"] and pl.status == Status.SENIOR:
        view |= {
            "fee_paid_m": millions(pl.fee_paid),
            "release_cost_m": millions(entry.severance(world, slot)),
        }
    return view | _cooldowns(world, seat, pl.uid)


def _season_figures(pl: Any) -> View:
    counts = {name: getattr(pl, name) for name in ("apps", "starts", "minutes", "goals", "assists", "yellows", "reds")}
    return counts | {"rating": _rating(pl)}


def _career_figures(pl: Any) -> View:
    return {name: getattr(pl, f"career_{name}") for name in ("apps", "minutes", "goals", "assists")}


def _cooldowns(world: World, seat: int, uid: int) -> View:
    """Until when talks are off, which the seat was told when they broke off."""
    club = club_of(world, seat)
    i = entry.talk_index(world, club, uid)
    if i < 0:
        return {}
    talk = rows.row(rows.part(world, "clubs", club, "talks"), i)
    lasting = {"no_bids_before": talk.cooldown, "no_contract_talks_before": talk.wage_cooldown}
    return {key: date(day + 1) for key, day in lasting.items() if day >= today(world)}


# Club


def club_overview(world: World, seat: int, call: ToolCall) -> View:
    """``get_club_overview``."""
    club = club_of(world, seat)
    c = rows.club(world, club)
    return {
        "club": club_id(club),
        "name": club_name(club),
        "division": 1,
        "date": date(today(world)),
        "position": c.position,
        "points": c.points,
        "played": c.played,
        "target": c.target,
        "cash_m": millions(c.cash),
        "board_confidence": round(c.confidence),
        "reputation": round(c.reputation, 1),
        "stadium_seats": c.stadium,
        "facilities": _facilities(world, club),
        "formation": formation_name(c.formation),
        "style": word(Style(c.style)),
        "style_since": date(c.style_day),
        "lineup": lineup(world, club) or "automatic",
        "squad": c.n_squad,
        "prospects": c.n_academy,
        "honors": c.honors,
        "titles": c.titles,
        "revivals_used": rows.seat(world, seat).revivals,
        "standing_orders": standing_orders(world, seat),
        "score_now": round(entry.figures(world, seat).score, 2),
    }


def lineup(world: World, club: int) -> list[str]:
    """The preferred eleven; empty when the staff choose."""
    if rows.club(world, club).lineup_auto == 1:
        return []
    return [player_id(uid) for uid in rows.part(world, "clubs", club, "lineup").tolist()]


def _facilities(world: World, club: int) -> list[View]:
    levels, building = (rows.part(world, "clubs", club, field).tolist() for field in ("levels", "building"))
    costs = entry.upgrade_costs(world, club)
    top = world.params.facility.top
    return [
        {
            "facility": word(kind),
            "level": levels[kind],
            "ready": date(building[kind]) if building[kind] > 0 else None,
            "next_level_m": millions(costs[kind]) if levels[kind] < top else None,
        }
        for kind in Facility
    ]


def standing_orders(world: World, seat: int) -> list[View]:
    """The active standing orders."""
    orders = rows.part(world, "seats", seat, "orders")
    return [
        {
            "place": i + 1,
            "condition": word(Condition(order.condition)),
            "threshold": order.threshold,
            "action": word(OrderAction(order.action)),
            "fired": order.fired,
        }
        for i, order in enumerate(rows.rows(orders, len(orders)))
        if order.active == 1
    ]


def finances(world: World, seat: int, call: ToolCall) -> View:
    """``get_finances``."""
    club, season = club_of(world, seat), season_now(world)
    c, f = rows.club(world, club), entry.figures(world, seat)
    return {
        "cash_m": millions(c.cash),
        "revenue_this_season_m": millions(c.revenue),
        "revenue_last_season_m": millions(c.last_revenue),
        "expected_revenue_m": millions(f.expected_revenue),
        "wages_a_year_m": millions(f.wage_costs),
        "wage_ratio": round(f.wage_ratio, 3),
        "runway_days": None if f.runway >= NEVER else f.runway,
        "net_worth_m": millions(f.net_worth),
        "squad_value_m": millions(f.squad_value),
        "facilities_book_m": millions(c.facility_book),
        "owed_m": millions(f.debts),
        "debts": _debts(world, club, "payer", "payee", "to"),
        "receivables": _debts(world, club, "payee", "payer", "from"),
        "ledger_this_season_m": _ledger(world, club, season),
        "ledger_last_season_m": _ledger(world, club, season - 1) if season > 0 else {},
        "warnings": warnings(world, seat),
    }


def _debts(world: World, club: int, mine: str, other: str, label: str) -> list[View]:
    found = rows.rows(rows.table(world, "debts"), int(world.array["n_debts"][0]))
    return [
        {
            label: club_id(getattr(debt, other)) if getattr(debt, other) >= 0 else "bank",
            "amount_m": millions(debt.amount),
            "payments_left": debt.left,
            "next_due": date(debt.due),
        }
        for debt in found
        if getattr(debt, mine) == club
    ]


def _ledger(world: World, club: int, season: int) -> dict[str, float]:
    booked = rows.part(world, "clubs", club, "ledger")[season]
    return {word(kind): millions(booked[kind]) for kind in Ledger if booked[kind] != 0}


def warnings(world: World, seat: int) -> list[str]:
    """What should worry a manager today, from figures he can see."""
    p, club = world.params, club_of(world, seat)
    c, f = rows.club(world, club), entry.figures(world, seat)
    out: list[str] = []
    if rows.seat(world, seat).drafted == 0:
        return out
    if c.confidence < p.board.warn:
        out.append(f"board confidence {c.confidence:.0f}, dismissal below {p.board.fire_review:g} at a review")
    if c.cash < 0:
        since = c.negative_since if c.negative_since >= 0 else today(world)
        out.append(f"cash below zero: administration in {p.ruin.grace - (today(world) - since)} days")
    elif f.runway <= p.ruin.runway_days[0]:
        out.append(f"cash runs out in about {f.runway} days")
    if f.wage_ratio > p.board.wage_ratio:
        out.append(f"wages are {f.wage_ratio:.0%} of revenue, the board minds above {p.board.wage_ratio:.0%}")
    if c.n_squad < p.market.squad_min:
        out.append(f"only {c.n_squad} seniors")
    if ending := _ending(world, club, p.calendar.expiry_stop_days):
        out.append(f"{len(ending)} senior contracts end within {p.calendar.expiry_stop_days} days")
    return out


def injured(world: World, club: int) -> list[str]:
    """The injured seniors of a club, with the day they are back."""
    uid, until = _of_squad(world, club, "uid", "injured_until")
    hurt = until > today(world)
    return [f"{player_id(who)} to {date(day)}" for who, day in zip(uid[hurt], until[hurt], strict=True)]


def _ending(world: World, club: int, days: int) -> list[str]:
    """Ids of seniors whose contracts end within so many days with nothing agreed."""
    uid, end, next_club = _of_squad(world, club, "uid", "contract_end", "next_club")
    ending = (end <= today(world) + days) & (next_club < 0)
    return [player_id(who) for who in uid[ending]]


def _of_squad(world: World, club: int, *names: str) -> list[np.ndarray]:
    """Fields of a club's seniors."""
    slots, players = np.array(rows.squad(world, club), np.int64), rows.table(world, "players")
    return [players[name][slots] for name in names]


def youth_academy(world: World, seat: int, call: ToolCall) -> View:
    """``get_youth_academy``."""
    club = club_of(world, seat)
    slots = rows.academy(world, club)
    wages = entry.promotion_wages(world, slots)
    men = zip(rows.players(world, slots), _reports(world, seat, slots), wages, strict=True)
    return {
        "prospects": [_prospect(world, *man) for man in men],
        "level": int(rows.part(world, "clubs", club, "levels")[Facility.ACADEMY]),
        "places_at_year_end": int(world.params.academy.places),
    }


def _prospect(world: World, pl: Any, report: Report, wage: int) -> View:
    return _who(world, pl, report) | {
        "value_m": millions(pl.value),
        "term_ends": date(pl.academy_until),
        "promotion_wage_m": millions(wage),
    }


# League


def league_table(world: World, seat: int, call: ToolCall) -> View:
    """``get_league_table``."""
    own, clubs = club_of(world, seat), rows.table(world, "clubs")
    found = [_table_row(c, i, own) for i, c in enumerate(rows.rows(clubs, len(clubs)))]
    found.sort(key=lambda row: int(row["position"]))
    return {"season": season_now(world) + 1, "table": found}


def _table_row(c: Any, club: int, own: int) -> View:
    view = {"position": c.position, "club": club_id(club), "name": club_name(club), **_results(c)}
    view |= {"deducted": c.deduction} if c.deduction else {}
    return view | ({"you": True} if club == own else {})


def _results(c: Any) -> View:
    view = {name: getattr(c, name) for name in ("won", "drawn", "lost", "goals_for", "goals_against", "points")}
    return {"played": view["won"] + view["drawn"] + view["lost"]} | view


def fixtures(world: World, seat: int, call: ToolCall) -> View:
    """``get_fixtures``."""
    which, club = call.args
    club = club_of(world, seat) if club < 0 else club
    found = [_fixture(world, i, club) for i in _fixtures_of(world, club)]
    if which != FIXTURES["all"]:
        found = [row for row in found if (row["result"] is not None) == (which == FIXTURES["played"])]
    return {"club": club_id(club), "fixtures": found}


def _fixtures_of(world: World, club: int) -> list[int]:
    f = rows.table(world, "fixtures")[: world.array["n_fixtures"][0]]
    found: list[int] = np.nonzero((f["home"] == club) | (f["away"] == club))[0].tolist()
    return found


def _fixture(world: World, i: int, club: int) -> View:
    f = rows.row(rows.table(world, "fixtures"), i)
    home = f.home == club
    goals = (f.home_goals, f.away_goals) if home else (f.away_goals, f.home_goals)
    return {
        "id": match_id(season_now(world), i),
        "date": date(f.day),
        "venue": "home" if home else "away",
        "opponent": club_id(f.away if home else f.home),
        "result": f"{goals[0]}-{goals[1]}" if f.played else None,
    }


def next_fixture(world: World, club: int) -> View | None:
    """A club's next match of this season."""
    first = int(world.array["next_fixture"][0])
    ahead = next((i for i in _fixtures_of(world, club) if i >= first), None)
    return None if ahead is None else _fixture(world, ahead, club)


def match_report(world: World, seat: int, call: ToolCall) -> View:
    """``get_match_report``."""
    i = call.args[0]
    f = rows.row(rows.table(world, "fixtures"), i)
    shots = rows.part(world, "fixtures", i, "shots")
    apps = rows.part(world, "fixtures", i, "apps")
    men = [(side, app) for side in range(2) for app in rows.rows(apps[side], len(apps[side]))]
    return {
        "id": match_id(season_now(world), i),
        "date": date(f.day),
        "home": club_id(f.home),
        "away": club_id(f.away),
        "score": f"{f.home_goals}-{f.away_goals}",
        "attendance": f.attendance,
        "home_possession": f.possession,
        "shots": f"{shots[0]}-{shots[1]}",
        "players": [_appearance(world, side, app) for side, app in men if app.uid > 0],
    }


def _appearance(world: World, side: int, app: Any) -> View:
    return {
        "side": "home" if side == 0 else "away",
        "id": player_id(app.uid),
        "name": _name(world, app.uid),
        "minutes": app.minutes,
        "goals": app.goals,
        "assists": app.assists,
        "card": ("", "yellow", "red")[app.cards],
        "rating": app.rating / RATED,
    }


# Market


def transfer_market(world: World, seat: int, call: ToolCall) -> View:
    """``get_transfer_market``: one page of the players that pass the filters."""
    *_, sort, limit, page = call.args
    slots = _on_market(world, seat, call.args)
    slots = slots[np.argsort(_sort_key(world, seat, slots, sort), kind="stable")]
    shown = slots[(page - 1) * limit : page * limit].tolist()
    men = zip(known(world, seat, shown), _reports(world, seat, shown), strict=True)
    return {
        "window": window(world, seat),
        "found": len(slots),
        "page": page,
        "players": [_market_row(world, *man) for man in men],
    }


def _on_market(world: World, seat: int, args: tuple[int, ...]) -> np.ndarray:
    """Slots of the players that pass the filters of a market call."""
    kind, position, min_age, max_age, max_value, min_ability = args[:6]
    pl, passing = rows.table(world, "players"), _to_be_had(world, seat, kind)
    passing &= rows.part(world, "seats", seat, "ability") >= min_ability
    if position >= 0:
        passing &= pl["position"] == position
    if min_age >= 0 or max_age >= 0:
        years = (today(world) - pl["born"]) // YEAR
        passing &= (years >= min_age) & ((years <= max_age) | (max_age < 0))
    if max_value >= 0:
        passing &= pl["value"] <= max_value
    return np.nonzero(passing)[0]


def _to_be_had(world: World, seat: int, kind: int) -> np.ndarray:
    """Which players a market of that kind has."""
    status, club, next_club = known_columns(world, seat, "status", "club", "next_club")
    free: np.ndarray = status == Status.FREE
    if kind == MARKETS["free"]:
        return free
    found: np.ndarray = (status == Status.SENIOR) & (club != club_of(world, seat)) & (next_club < 0)
    if kind == MARKETS["all"]:
        found |= free
    elif kind == MARKETS["listed"]:
        found &= known_columns(world, seat, "listed")[0] == 1
    else:
        found &= known_columns(world, seat, "contract_end")[0] - today(world) <= world.params.wage.free_days
    return found


def _sort_key(world: World, seat: int, slots: np.ndarray, sort: int) -> Any:
    """Ascending keys: the best first by ability, potential and value, the least first by age and wage."""
    if sort in (SORTS["ability"], SORTS["potential"]):
        reports = rows.part(world, "seats", seat, "ability" if sort == SORTS["ability"] else "potential")
        return -reports[slots]
    players = rows.table(world, "players")
    if sort == SORTS["value"]:
        return -players["value"][slots]
    if sort == SORTS["age"]:
        return -players["born"][slots]
    (wage,) = known_columns(world, seat, "wage")
    return wage[slots]


def _market_row(world: World, pl: Any, report: Report) -> View:
    return {
        **_who(world, pl, report),
        "club": club_id(pl.club) if pl.club >= 0 else "free",
        "value_m": millions(pl.value),
        **_contract(pl),
        "listed": bool(pl.listed),
    }


def window(world: World, seat: int) -> str:
    """``summer``, ``winter`` or ``closed``."""
    return ("closed", "summer", "winter")[entry.figures(world, seat).window]


def offers(world: World, seat: int) -> list[View]:
    """The live offers of a seat, oldest first."""
    return [_offer(o) for o in sorted(live_offers(world, seat), key=lambda o: int(o.id))]


def live_offers(world: World, seat: int) -> list[Any]:
    """The rows of a seat's live offers."""
    room = rows.part(world, "seats", seat, "offers")
    return [o for o in rows.rows(room, len(room)) if o.state == OfferState.LIVE]


def _offer(o: Any) -> View:
    """What kind of offer it is, about whom, with whom, the sum on the table and its last day."""
    view: View = {
        "id": offer_id(o.id),
        "kind": word(OfferKind(o.kind)),
        "player": player_id(o.uid),
        "club": club_id(o.club) if o.club >= 0 else None,
    }
    if o.kind != OfferKind.WAGE_COUNTERED:
        view |= {"fee_m": millions(o.fee), "instalments": o.instalments}
    if o.kind in (OfferKind.WAGE_COUNTERED, OfferKind.FEE_AGREED):
        view |= {"wage_m_per_year": millions(o.wage), "years": o.years}
    return view | {"expires": date(o.expires)}


# Archive


def history(world: World, seat: int, call: ToolCall) -> View:
    """``get_history``: one page of honors, seasons or transfers."""
    kind, season, club, uid, limit, page = call.args
    make: tuple[Callable[..., list[View]], ...] = (_honors, _seasons, _transfers)
    found = make[kind](world, seat, season, club, uid)
    return {"found": len(found), "page": page, "rows": found[(page - 1) * limit : page * limit]}


def _settled_seasons(world: World, season: int) -> list[int]:
    """Seasons whose final table stands, or the one asked for."""
    known = [n for n in range(season_now(world) + 1) if _season(world, 0, n).position > 0]
    return [n for n in known if season in (-1, n)]


def _season(world: World, club: int, n: int) -> Any:
    return rows.row(rows.part(world, "clubs", club, "seasons"), n)


def _honors(world: World, seat: int, season: int, club: int, uid: int) -> list[View]:
    """Champions, the other places that earn honors, and the asking club's own place."""
    own = club_of(world, seat) if club < 0 else club
    found = []
    for n in _settled_seasons(world, season):
        places = {_season(world, i, n).position: i for i in range(world.params.shape.clubs)}
        best = [club_id(places[place]) for place in range(1, world.params.honors.top_places + 1)]
        row = {"season": n + 1, "champion": best[0], "next": best[1:]}
        found.append(row | {"club": club_id(own), "place": _season(world, own, n).position})
    return found


def _seasons(world: World, seat: int, season: int, club: int, uid: int) -> list[View]:
    """A club's seasons (by default one's own), or a season's final table."""
    own = club_of(world, seat)
    everyone = season >= 0 and club < 0
    clubs = range(world.params.shape.clubs) if everyone else [own if club < 0 else club]
    found = [_season_row(world, i, n, i == own) for n in _settled_seasons(world, season) for i in clubs]
    return sorted(found, key=lambda row: (row["season"], row["position"]))


def _season_row(world: World, club: int, n: int, own: bool) -> View:
    s = _season(world, club, n)
    row = {"season": n + 1, "club": club_id(club), "position": s.position} | _results(s)
    if own and n < season_now(world):  # books close on the year's last day
        row |= {"target": s.target, "honors": s.honors}
        row |= {f"{name}_m": millions(getattr(s, name)) for name in _BOOKS}
    return row


_BOOKS = ("cash", "wage_bill", "revenue", "squad_value", "net_worth")


def _transfers(world: World, seat: int, season: int, club: int, uid: int) -> list[View]:
    """The archive of moves, newest first; fees only of one's own deals (sealed bids stay sealed)."""
    moves = rows.table(world, "moves")
    last = int(world.array["n_moves"][0])
    order = np.arange(last - 1, max(last - len(moves), 0) - 1, -1) % len(moves)
    asked = np.ones(len(order), bool)
    if season >= 0:
        asked &= moves["day"][order] // YEAR == season
    if club >= 0:
        asked &= (moves["source"][order] == club) | (moves["target"][order] == club)
    if uid >= 0:
        asked &= moves["uid"][order] == uid
    own = club_of(world, seat)
    if world.array["frozen"][0]:  # what others did since the clock stopped is not known yet
        new = last - 1 - np.arange(len(order)) >= world.array["shown_moves"][0]
        asked &= ~new | (moves["source"][order] == own) | (moves["target"][order] == own)
    return [_move(world, own, rows.row(moves, int(i))) for i in order[asked]]


def _move(world: World, own: int, m: Any) -> View:
    return {
        "date": date(m.day),
        "player": player_id(m.uid),
        "name": _name(world, m.uid),
        "kind": word(Move(m.kind)),
        "from": club_id(m.source) if m.source >= 0 else None,
        "to": club_id(m.target) if m.target >= 0 else None,
        "fee_m": millions(m.fee) if own in (m.source, m.target) else None,
        "wage_m": millions(m.wage),
        "years": m.years,
    }


# Inbox


def inbox_items(world: World, seat: int, call: ToolCall) -> View:
    """``get_inbox``."""
    club = club_of(world, seat)
    prospects = rows.players(world, rows.academy(world, club))
    lapsing = [pl for pl in prospects if pl.academy_until // YEAR <= season_now(world)]
    return {
        "offers": offers(world, seat),
        "events": inbox(world, seat),
        "contracts_ending": _ending(world, club, world.params.calendar.expiry_stop_days),
        "terms_ending": [player_id(pl.uid) for pl in lapsing],
    }


def inbox(world: World, seat: int) -> list[View]:
    """The events since the last stop, oldest first."""
    events = rows.rows(rows.part(world, "seats", seat, "inbox"), rows.seat(world, seat).n_inbox)
    return [_event(world, seat, e) for e in events]


def _event(world: World, seat: int, e: Any) -> View:
    kind = Inbox(e.kind)
    return {
        "date": date(e.day),
        "kind": word(kind),
        "text": EVENTS[kind](world, seat, e.a, e.b, e.c),
        "action_required": kind in TO_ANSWER,
    }


def _named(world: World, uid: int) -> str:
    return f"{_name(world, uid)} ({player_id(uid)})"


def _expired(world: World, seat: int, uid: int, club: int, c: int) -> str:
    where = f"joins {club_id(club)}" if club >= 0 else "is a free agent"
    return f"{_named(world, uid)}: contract ended, he {where}."


def _lost(world: World, seat: int, uid: int, other: int, why: int) -> str:
    who, club = _named(world, uid), club_id(other) if other >= 0 else "nobody"
    if why == Loss.REFUSED:
        return f"{club} turn down your bid for {who}."
    if why == Loss.FAILED:
        return f"Your deal about {who} could not be carried out."
    if other < 0:
        return f"{who} has left his club; your talks are over."
    return f"{who} went to {club}; your talks are over."


def _moved(world: World, seat: int, uid: int, other: int, fee: int) -> str:
    slot = entry.slot_of(world, uid)
    came = slot >= 0 and rows.player(world, slot).club == club_of(world, seat)
    price = f" for {money(fee)}" if fee else ""
    if other < 0:
        return f"{_named(world, uid)} joined as a free agent."
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
    Inbox.BID_LOST: _lost,
    Inbox.CONTRACT_EXPIRING: lambda w, s, a, b, c: f"{_named(w, a)}: contract ends {date(b)}.",
    Inbox.CONTRACT_EXPIRED: _expired,
    Inbox.INJURY: lambda w, s, a, b, c: f"{_named(w, a)} is out for {b} days{', a first choice' if c else ''}.",
    Inbox.RETIREMENT: lambda w, s, a, b, c: f"{_named(w, a)} has retired at {b}.",
    Inbox.FACILITY_COMPLETED: lambda w, s, a, b, c: f"{word(Facility(a)).capitalize()} is now at level {b}.",
    Inbox.YOUTH_INTAKE: lambda w, s, a, b, c: f"{a} new prospects have joined the academy.",
    Inbox.YOUTH_LAPSING: lambda w, s, a, b, c: f"{_named(w, a)}: academy term ends {date(b)}.",
    Inbox.BOARD_TARGET: lambda w, s, a, b, c: f"The board expects place {a} or better.",
    Inbox.BOARD_WARNING: lambda w, s, a, b, c: f"The board's confidence is {a}: place {b}, target {c}.",
    Inbox.INSOLVENCY_WARNING: lambda w, s, a, b, c: f"Cash lasts about {a} days at the present rate.",
    Inbox.ADMINISTRATION: lambda w, s, a, b, c: f"Administration: {a} points deducted, players sold by force.",
    Inbox.REVIVAL: lambda w, s, a, b, c: f"Revival {a} of {b}: a new board, and a loan of {money(c)} to go on.",
    Inbox.SEASON_SETTLED: lambda w, s, a, b, c: f"The season ended in place {a} with {b} points; honors now {c}.",
    Inbox.ORDER_EXECUTED: _ordered,
}


# Draft


def draft_pool(world: World, seat: int, call: ToolCall) -> View:
    """``get_draft_pool``: the shared templates as the club's scouts see them, and the picks so far."""
    p, n = world.params.draft, rows.seat(world, seat).n_draft
    picks = rows.part(world, "seats", seat, "draft")[:n].tolist()
    full = completed(world, picks)
    templates = rows.table(world, "templates")
    cost = int(templates["price"][full].sum())
    return {
        "budget_m": millions(p.budget),
        "squad_size": p.squad,
        "submitted": [template_id(t) for t in picks],
        "completed_with": [template_id(t) for t in full[n:].tolist()],
        "cost_m": millions(cost),
        "opening_cash_m": millions(p.budget + p.stipend - cost),
        "templates": [_template(world, seat, t) for t in range(len(templates))],
    }


def completed(world: World, picks: Sequence[int]) -> np.ndarray:
    """The templates a list comes to when it is completed, the list's own first."""
    full = np.zeros(world.params.shape.templates, np.int64)
    full[: len(picks)] = picks
    return full[: int(complete_draft(world.w, world.p, full, len(picks)))]


def _template(world: World, seat: int, t: int) -> View:
    tm = rows.row(rows.table(world, "templates"), t)
    seats = world.array["seats"]
    ability, potential = (seats[field].item(0, seat, t) for field in ("draft_ability", "draft_potential"))
    error = world.params.scouting.bias  # reports on templates have no noise
    return {
        "id": template_id(t),
        "position": POSITIONS[tm.position],
        "age": tm.age,
        "ability": band(world, ability, error),
        "confidence": confidence(world, error),
        "potential": stars(world, potential),
        "price_m": millions(tm.price),
        "wage_m": millions(tm.wage),
        "years": tm.years,
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
