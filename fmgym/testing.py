"""A test kit for worlds: the laws that always hold (world rules, section 13), checked on any state.

Used by our own property tests and open to anyone who changes a rule::

    from fmgym.testing import broken_laws
    assert not broken_laws(world)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fmgym.enums import OfferState, Settle, Status
from fmgym.world import World

Law = Callable[[World], Iterator[str]]


def broken_laws(world: World) -> list[str]:
    """One sentence for each breach found in the state; an empty list when every law holds."""
    return [f"{law.__name__.strip('_')}: {breach}" for law in LAWS for breach in law(world)]


def _everyone_belongs_somewhere(world: World) -> Iterator[str]:
    """A living player is in exactly the one list that his status and club name."""
    w = world.w
    where: dict[int, list[tuple[int, int]]] = {}
    for club, c in enumerate(w.clubs):
        for slot in c.squad[: c.n_squad]:
            where.setdefault(int(slot), []).append((int(Status.SENIOR), club))
        for slot in c.academy[: c.n_academy]:
            where.setdefault(int(slot), []).append((int(Status.ACADEMY), club))
    for slot in w.free[: w.n_free]:
        where.setdefault(int(slot), []).append((int(Status.FREE), -1))
    for slot, pl in enumerate(w.players):
        wanted = [] if pl.status == Status.EMPTY else [(int(pl.status), int(pl.club))]
        if where.get(slot, []) != wanted:
            yield f"slot {slot} is listed in {where.get(slot, [])} but says {wanted}"


def _uids_name_slots(world: World) -> Iterator[str]:
    w = world.w
    pool = len(w.players)
    for slot, pl in enumerate(w.players):
        if pl.uid and (pl.uid - 1) % pool != slot:
            yield f"uid {pl.uid} stands in slot {slot}"


def _squads_keep_limits(world: World) -> Iterator[str]:
    for club, c in enumerate(world.w.clubs):
        if not 0 <= c.n_squad <= world.p.market.squad_max:
            yield f"club {club} has {c.n_squad} seniors"
        if not 0 <= c.n_academy <= len(c.academy):
            yield f"club {club} has {c.n_academy} prospects"


def _ledgers_sum_to_cash(world: World) -> Iterator[str]:
    for club, c in enumerate(world.w.clubs):
        if c.ledger.sum() != c.cash:
            yield f"club {club} has {c.cash} in cash and {c.ledger.sum()} in its ledger"


def _wage_bills_sum(world: World) -> Iterator[str]:
    w = world.w
    for club, c in enumerate(w.clubs):
        total = sum(int(w.players[slot].wage) for slot in c.squad[: c.n_squad])
        if total != c.wage_bill:
            yield f"club {club} books wages of {c.wage_bill}, its contracts say {total}"


def _table_follows_results(world: World) -> Iterator[str]:
    """Played, goals and points (3-1-0, less deductions) recompute from this season's results."""
    w = world.w
    rows = np.zeros((len(w.clubs), 4), int)  # played, for, against, points
    for f in w.fixtures[: w.n_fixtures]:
        if not f.played:
            continue
        for club, mine, theirs in (
            (f.home, f.home_goals, f.away_goals),
            (f.away, f.away_goals, f.home_goals),
        ):
            rows[club] += (1, mine, theirs, 3 if mine > theirs else int(mine == theirs))
    for club, c in enumerate(w.clubs):
        if (c.played, c.goals_for, c.goals_against, c.points + c.deduction) != tuple(rows[club]):
            yield f"club {club} stands at {c.points} points of {c.played}, results say {tuple(rows[club])}"
    if sum(c.goals_for for c in w.clubs) != sum(c.goals_against for c in w.clubs):
        yield "goals for and against differ"


def _positions_are_a_ranking(world: World) -> Iterator[str]:
    positions = sorted(int(c.position) for c in world.w.clubs)
    if positions != list(range(1, len(positions) + 1)):
        yield f"positions are {positions}"


def _double_round_robin(world: World) -> Iterator[str]:
    """Each club plays each other once at home and once away, at most one match a round."""
    w = world.w
    if not w.n_fixtures:
        return
    pairs = {(int(f.home), int(f.away)) for f in w.fixtures[: w.n_fixtures]}
    clubs = len(w.clubs)
    if len(pairs) != w.n_fixtures or w.n_fixtures != clubs * (clubs - 1) or any(h == a for h, a in pairs):
        yield f"{len(pairs)} different pairings in {w.n_fixtures} fixtures of {clubs} clubs"
    for matchday in range(2 * (clubs - 1)):
        busy = [int(c) for f in w.fixtures[: w.n_fixtures] if f.matchday == matchday for c in (f.home, f.away)]
        if sorted(busy) != list(range(clubs)):
            yield f"round {matchday} has clubs {sorted(busy)}"


def _numbers_are_finite(world: World) -> Iterator[str]:
    yield from _infinite(world.array, "world")


def _infinite(array: np.ndarray, path: str) -> Iterator[str]:
    if array.dtype.names is None:
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            yield f"{path} holds a value that is not finite"
        return
    for name in array.dtype.names:
        yield from _infinite(np.asarray(array[name]), f"{path}.{name}")


def _offers_keep_their_term(world: World) -> Iterator[str]:
    w = world.w
    for seat, s in enumerate(w.seats):
        if s.settled != Settle.LIVE:
            continue
        for o in s.offers:
            if o.state == OfferState.LIVE and o.expires < w.day:
                yield f"offer {o.id} of seat {seat} ended on day {o.expires} and is open on day {w.day}"


def _budgets_hold(world: World) -> Iterator[str]:
    p = world.p.stop
    for seat, s in enumerate(world.w.seats):
        spent = (s.queries <= p.queries, s.negotiations <= p.negotiations, s.turns <= p.last_turn)
        if not all(spent):
            yield f"seat {seat} spent {s.queries} queries, {s.negotiations} negotiations, {s.turns} turns"


def _scales_hold(world: World) -> Iterator[str]:
    """Condition and morale stay in 0-100, confidence too; contracts of seniors end at a year's end."""
    w = world.w
    for slot, pl in enumerate(w.players):
        if pl.status == Status.EMPTY:
            continue
        if not (0 <= pl.condition <= 100 and 0 <= pl.morale <= 100 and 0 <= pl.playing <= 1):
            yield f"slot {slot}: condition {pl.condition}, morale {pl.morale}, playing {pl.playing}"
        if pl.status == Status.SENIOR and (pl.contract_end % 360 != 359 or pl.contract_end < w.day):
            yield f"slot {slot}: contract to day {pl.contract_end} on day {w.day}"
    for club, c in enumerate(w.clubs):
        if not 0 <= c.confidence <= 100:
            yield f"club {club}: confidence {c.confidence}"


LAWS: tuple[Law, ...] = (
    _everyone_belongs_somewhere,
    _uids_name_slots,
    _squads_keep_limits,
    _ledgers_sum_to_cash,
    _wage_bills_sum,
    _table_follows_results,
    _positions_are_a_ranking,
    _double_round_robin,
    _numbers_are_finite,
    _offers_keep_their_term,
    _budgets_hold,
    _scales_hold,
)
