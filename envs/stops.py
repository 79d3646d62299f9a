"""Whole stops as steps: what ``ManagerKnobs`` shows, and the compiled step over a batch.

``OFFICE`` says every column of the observation that the flat environment's tables do not have; ``calendar`` and
``club`` come from there. One step plays a stop of every world through the executor; the batch's own kernel then
advances it to the next one. Where habits are set once a season, a step plays on to the first stop of the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from fmgym.calendar import age, window_open
from fmgym.enums import N_POSITIONS, OfferKind, OfferState, Settle, Status
from fmgym.envs import executor, fill, habits, kernel
from fmgym.envs.observation import TABLES, Column, Layout, table_width
from fmgym.errors import BadInput
from fmgym.jit import njit
from fmgym.kernels import contracts, market, roster, scouting
from fmgym.kernels.valuation import contract_left
from fmgym.state import YEAR, record
from fmgym.tools import ToolCall

OFFICE: tuple[Column, ...] = (
    Column("level", -4.5, 2.5, "(points - 65) / 15", "weakest starter at GK CB FB DM CM AM W ST", N_POSITIONS),
    Column("ability", -4.5, 2.5, "(points - 65) / 15", "mean ability of the squad"),
    Column("promise", 0.0, 3.0, "points / 15", "mean gap to potential of those under 24"),
    Column("age", -1.5, 2.5, "(years - 25) / 10", "mean age of the squad"),
    Column("old", 0.0, 1.0, "share", "seniors of 30 and more"),
    Column("expiring", 0.0, 1.0, "share", "seniors with less than a year of contract"),
    Column("running_out", 0.0, 1.0, "share", "seniors with less than half a year of contract"),
    Column("morale", 0.0, 1.0, "points / 100", "mean morale"),
    Column("injured", 0.0, 1.0, "share", "seniors injured"),
    Column("value_rank", 0.0, 1.0, "share of the table", "rank of the squad's public value, 1 for the last"),
    Column("value_mean", 0.0, 4.0, "ratio", "public value of the squad over the clubs' mean"),
    Column("value_best", 0.0, 4.0, "ratio", "public value of the squad over the best other one"),
    Column("bids", 0.0, 1.0, "offers / 8", "bids received"),
    Column("target", -2.0, 2.0, "points / 15", "most a player adds who could be bid for at his public value"),
    Column("bargain", -2.0, 2.0, "points / 15", "most a player adds who can be signed without a fee"),
    Column("prospect", -4.5, 2.5, "(points - 65) / 15", "best prospect's ability and half his gap to potential"),
)
SHOWN = ("calendar", "club")  # tables of the flat environment that are shown as well
EVERY = ("stop", "season")  # how often habits are set; the draft counts as a season of its own


def width() -> int:
    """How many numbers the observation has."""
    return sum(c.width for c in columns())


def columns() -> list[Column]:
    """All columns in their order."""
    return [*(column for table in SHOWN for column in TABLES[table]), *OFFICE]


def space() -> spaces.Box:
    """The observation space."""
    low = np.concatenate([np.full(c.width, min(c.low, 0.0)) for c in columns()]).astype(np.float32)
    high = np.concatenate([np.full(c.width, c.high) for c in columns()]).astype(np.float32)
    return spaces.Box(low, high, dtype=np.float32)


def docs() -> str:
    """The table of the columns that only ``ManagerKnobs`` shows, in Markdown."""
    lines = ["| Column | Numbers | Low | High | Unit | Meaning |", "|---|---|---|---|---|---|"]
    lines += [f"| `{c.name}` | {c.width} | {c.low:g} | {c.high:g} | {c.unit} | {c.meaning} |" for c in OFFICE]
    return "\n".join(lines)


ROW = record([(c.name, np.float32, (c.width,)) if c.width > 1 else (c.name, np.float32) for c in OFFICE])


class Office:
    """What the managers of a batch have on their desks: habits, calls made, and observations.

    ``habits``, ``desks``, ``rows``: one record each a seat, world by world. ``Batch.run`` lets it play where
    a turn is commanded. ``every``: how long habits are held, one of ``EVERY``; a season only in worlds of one seat.
    """

    def __init__(self, size: int, layout: Layout, seats: int = 1, every: str = "stop") -> None:
        if every not in EVERY:
            raise BadInput(f"every must be one of {', '.join(EVERY)}, not {every!r}")
        self.habits = np.zeros(size * seats, habits.RECORD)
        self.desks = np.zeros(size * seats, executor.DESK)
        self.rows = np.zeros(size * seats, ROW)
        self._seats = seats
        self._play = play_seasons if every == "season" else play_stops
        self._slices = [layout.slices[table][0] for table in SHOWN]

    def run(self, part: slice, worlds: Any, params: Any, screens: Any, flats: Any, setups: Any) -> None:
        """Carry out the commands of a part of the batch: a turn is whole stops, each ended by the action commanded."""
        own = self._of(self.habits, part), self._of(self.desks, part)
        self._play(worlds, params, screens, flats, setups, *own)
        look(worlds, params, self._of(self.rows, part))

    def _of(self, records: np.ndarray, part: slice) -> np.ndarray:
        """The records of a part of the worlds, (worlds, seats)."""
        return records.reshape(-1, self._seats)[part]

    def show(self, flats: np.ndarray) -> np.ndarray:
        """The observations, a row a seat, from the flat buffer (seats, size) and the office's own columns."""
        own = self.rows.view(np.float32).reshape(len(self.rows), -1)
        return np.concatenate([*(flats[:, part] for part in self._slices), own], axis=1)


assert ROW.itemsize == 4 * sum(c.width for c in OFFICE), "the columns must lie in one run of float32"
assert table_width("club") + table_width("calendar") + ROW.itemsize // 4 == width()


def calls(desk: Any) -> list[ToolCall]:
    """The calls of a desk's last stop, but for the advance."""
    made = desk["calls"][: desk["n"]]
    return [ToolCall(int(call["tool"]), tuple(int(a) for a in call["args"][: call["n"]])) for call in made]


@njit
def play_stops(worlds, params, screens, flats, setups, habits, desks):
    """Carry out every screen's command; a TURN plays the seat's stop first, if it has one."""
    _play(worlds, params, screens, habits, desks)
    kernel.run(worlds, params, screens, flats, setups)


@njit
def play_seasons(worlds, params, screens, flats, setups, habits, desks):
    """The same for worlds of one seat; after a TURN the stops that are left of the season follow by the same habits."""
    for i in range(len(worlds)):
        j = i + 1
        begun = season(worlds[i])
        turn = screens[i, 0].command == kernel.TURN
        reward = 0.0
        going = True
        while going:
            _play(worlds[i:j], params, screens[i:j], habits[i:j], desks[i:j])
            kernel.run(worlds[i:j], params, screens[i:j], flats[i:j], setups)
            reward += screens[i, 0].reward
            going = turn and screens[i, 0].over == 0 and season(worlds[i]) == begun
        screens[i, 0].reward = reward


@njit
def season(w):
    """The running season, -1 in the draft."""
    return -1 if w.draft_open > 0 else w.season


@njit
def seasons(worlds):
    """The same of each world."""
    found = np.empty(len(worlds), np.int64)
    for i in range(len(worlds)):
        found[i] = season(worlds[i])
    return found


@njit
def _play(worlds, params, screens, habits, desks):
    """Play the stop of every seat whose screen's command is TURN, if it has one, up to the advance."""
    for i in range(len(worlds)):
        for seat in range(screens.shape[1]):
            s = worlds[i].seats[seat]
            if screens[i, seat].command == kernel.TURN and s.waiting == 0 and s.settled == Settle.LIVE:
                executor.play(worlds[i], params[0], seat, habits[i, seat], desks[i, seat])


@njit
def play_at(worlds, params, seat, habits, desks):
    """Play one seat's stop in the first world, up to the advance."""
    executor.play(worlds[0], params[0], seat, habits[0], desks[0])


@njit
def look(worlds, params, rows):
    """Fill the office's columns of every seat."""
    for i in range(len(worlds)):
        for seat in range(rows.shape[1]):
            if worlds[i].seats[seat].waiting == 0:  # between its stops a seat sees what it last saw
                look_at(worlds[i], params[0], seat, rows[i, seat])


@njit
def observe(worlds, params, seat, screens, flats, setups, rows):
    """Fill what one seat of the first world is shown, whatever screens and rows belong to."""
    fill.overview(worlds[0], params[0], seat, screens[0], flats[0], setups[0])
    look_at(worlds[0], params[0], seat, rows[0])


@njit
def look_at(w, p, seat, row):
    """Fill the office's columns of one seat; all 0 in the draft."""
    _clear(row)
    c = w.clubs[w.seats[seat].club]
    if c.n_squad == 0:
        return
    _squad(w, p, seat, row)
    _values(w, w.seats[seat].club, row)
    bids = 0
    for i in range(len(w.seats[seat].offers)):
        o = w.seats[seat].offers[i]
        bids += o.state == OfferState.LIVE and o.kind == OfferKind.BID_RECEIVED
    row.bids = min(bids / 8.0, 1.0)
    _market(w, p, seat, row)
    for i in range(c.n_academy):
        seen = (executor.seen(w, p, seat, c.academy[i], 0.7) - 65.0) / 15.0
        if i == 0 or seen > row.prospect:
            row.prospect = _within(seen, -4.5, 2.5)


@njit
def _clear(row):
    row.level[:] = 0.0
    row.ability = 0.0
    row.promise = 0.0
    row.age = 0.0
    row.old = 0.0
    row.expiring = 0.0
    row.running_out = 0.0
    row.morale = 0.0
    row.injured = 0.0
    row.value_rank = 0.0
    row.value_mean = 0.0
    row.value_best = 0.0
    row.bids = 0.0
    row.target = 0.0
    row.bargain = 0.0
    row.prospect = 0.0


@njit
def _within(x, low, high):
    return min(max(x, low), high)


@njit
def _squad(w, p, seat, row):
    c = w.clubs[w.seats[seat].club]
    n = c.n_squad
    ability = 0.0
    promise = 0.0
    young = 0
    years = 0.0
    old = 0
    expiring = 0
    out = 0
    morale = 0.0
    injured = 0
    for i in range(n):
        slot = c.squad[i]
        pl = w.players[slot]
        mine = executor.middle(w, p, seat, slot)
        age_now = age(w.day, pl.born)
        ability += mine
        years += age_now
        morale += pl.morale
        old += age_now >= 30.0
        expiring += contract_left(w, slot) < YEAR
        out += contract_left(w, slot) < YEAR // 2
        injured += pl.injured_until > w.day
        if age_now < 24.0:
            young += 1
            promise += max(scouting.star_middle(p, w.seats[seat].potential[slot]) - mine, 0.0)
    row.ability = _within((ability / n - 65.0) / 15.0, -4.5, 2.5)
    row.promise = _within(promise / max(young, 1) / 15.0, 0.0, 3.0)
    row.age = _within((years / n - 25.0) / 10.0, -1.5, 2.5)
    row.old = old / n
    row.expiring = expiring / n
    row.running_out = out / n
    row.morale = morale / (100.0 * n)
    row.injured = injured / n


@njit
def _values(w, club, row):
    """Public values of squads, as far as the club may know who belongs where."""
    value = np.zeros(len(w.clubs), np.int64)
    for slot in range(len(w.players)):
        pl = roster.seen(w, club, slot)
        if pl.status == Status.SENIOR:
            value[pl.club] += pl.value
    best = 1
    place = 1
    for other in range(len(w.clubs)):
        if other != club:
            best = max(best, value[other])
            place += value[other] > value[club]
    row.value_rank = place / len(w.clubs)
    row.value_mean = min(value[club] * len(w.clubs) / max(value.sum(), 1), 4.0)
    row.value_best = min(value[club] / best, 4.0)


@njit
def _market(w, p, seat, row):
    """The most a player would add, at half weight of potential: bought at his public value, and without a fee."""
    club = w.seats[seat].club
    level = np.empty(N_POSITIONS, np.float64)
    executor.levels(w, p, seat, 0.5, level)
    for position in range(N_POSITIONS):
        row.level[position] = _within((level[position] - 65.0) / 15.0, -4.5, 2.5)
    target = -30.0
    bargain = -30.0
    opened = window_open(p, w.day) > 0
    for slot in range(len(w.players)):
        pl = roster.seen(w, club, slot)
        if pl.club == club or not (pl.status == Status.SENIOR or pl.status == Status.FREE):
            continue
        gain = executor.seen(w, p, seat, slot, 0.5) - level[pl.position]
        if pl.status == Status.FREE or contracts.can_precontract(w, p, club, slot):
            bargain = max(bargain, gain)
        elif opened and pl.value <= w.clubs[club].cash and market.sellable(w, p, slot):
            target = max(target, gain)
    row.target = _within(target / 15.0, -2.0, 2.0)
    row.bargain = _within(bargain / 15.0, -2.0, 2.0)
