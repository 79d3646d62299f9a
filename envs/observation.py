"""What a seat sees, as arrays: the one schema.

``TABLES`` says every column once: name, width, bounds, unit, meaning. Out of it come the record type that
``envs.fill`` writes to by name, the flat float32 buffer behind it, the spaces with their bounds, and the docs.

Only what the query tools would show goes in: reports on ability as whole-numbered bands, on potential as half
stars, and nothing of other clubs' beliefs, asks or memories.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from gymnasium import spaces

from fmgym.enums import N_FACILITIES, N_FORMATIONS, N_POSITIONS, N_STYLES, OfferKind, StopKind
from fmgym.state import ORDERS, record

MARKET_ROWS = 28
N_KINDS = len(StopKind)
N_OFFER_KINDS = len(OfferKind)

CASH = 50_000.0  # money is shown as a signed square root of its ratio to these (k, of the first season)
VALUE = 10_000.0
WAGE = 2_000.0


@dataclass(frozen=True)
class Column:
    """One quantity of a table: ``width`` numbers, each within ``low`` to ``high``."""

    name: str
    low: float
    high: float
    unit: str
    meaning: str
    width: int = 1


def _flag(name: str, meaning: str) -> Column:
    return Column(name, 0.0, 1.0, "0 or 1", meaning)


def _money(name: str, high: float, unit: str, meaning: str, low: float = 0.0) -> Column:
    return Column(name, low, high, unit, meaning)


_PRESENT = _flag("present", "1 when the row holds something; empty rows are all 0")
_POSITION = Column("position", 0.0, 1.0, "one-hot", "GK CB FB DM CM AM W ST", N_POSITIONS)
_AGE = Column("age", -1.5, 2.5, "(years - 25) / 10", "age")
_LOW = Column("ability_low", -4.5, 2.5, "(points - 65) / 15", "lower end of the scouted ability band")
_HIGH = Column("ability_high", -4.5, 2.5, "(points - 65) / 15", "upper end of the band")
_LETTER = Column("confidence", 0.0, 1.0, "A 1, B 2/3, C 1/3, D 0", "confidence of the report")
_STARS = Column("stars", 0.0, 1.0, "stars / 5", "scouted potential")
_VALUE = _money("value", 6.0, "√(value / 10M)", "public market value")
_WAGE = _money("wage", 6.0, "√(yearly wage / 2M)", "wage")
_NORM = _money("wage_norm", 6.0, "√(yearly wage / 2M)", "usual wage of a player of his band's middle and age")
_CONTRACT = Column("contract", 0.0, 6.0, "years", "contract left")
_PERSON = (_PRESENT, _POSITION, _AGE, _LOW, _HIGH, _LETTER, _STARS)

TABLES: dict[str, tuple[Column, ...]] = {
    "academy": (*_PERSON, _VALUE, Column("term", 0.0, 6.0, "years", "left of his academy term")),
    "calendar": (
        Column("season", 0.0, 1.0, "share of the run", "seasons gone"),
        Column("seasons_left", 0.0, 6.0, "seasons / 10", "seasons left, the running one included"),
        Column("day", 0.0, 1.0, "day / 360", "day of the year"),
        Column("played", 0.0, 1.0, "share of the rounds", "league matches played"),
        Column("window", 0.0, 1.0, "one-hot", "transfer window: closed, summer, winter", 3),
        Column("window_left", 0.0, 1.0, "days / 360", "until the window closes, or the next one opens"),
        Column(
            "stop", 0.0, 1.0, "0 or 1 each", "why the world stopped: " + " ".join(k.name for k in StopKind), N_KINDS
        ),
        _flag("draft", "1 while the squad is drafted"),
        Column("since", 0.0, 1.0, "days / 90", "since the last stop"),
        Column("turns_left", 0.0, 1.0, "share", "turns left before the stop closes by itself"),
        Column("moves_left", 0.0, 1.0, "share", "negotiation moves left"),
        Column("next_days", 0.0, 1.0, "days / 90", "until the next match; 1 when none is scheduled"),
        _flag("next_home", "1 when it is at home"),
        Column("next_place", 0.0, 1.0, "share of the table", "opponent's league position, 1 for the last"),
    ),
    "club": (
        _money("cash", 8.0, "±√(|cash| / 50M)", "cash", -4.0),
        _money("debt", 8.0, "√(debt / 50M)", "instalments and loans still to pay"),
        _money("net_worth", 8.0, "±√(|worth| / 50M)", "net worth as the score counts it", -4.0),
        _money("squad_value", 8.0, "√(value / 50M)", "public value of the squad"),
        _money("wage_bill", 8.0, "√(yearly wages / 50M)", "wage bill of seniors"),
        _money("revenue", 8.0, "√(revenue / 50M)", "revenue of the season so far"),
        _money("last_revenue", 8.0, "√(revenue / 50M)", "revenue of last season"),
        Column("wage_ratio", 0.0, 3.0, "ratio", "wages over a year's expected revenue; the board minds above 0.85"),
        Column("runway", 0.0, 1.0, "days / 360", "until cash runs out at today's rate"),
        Column("overdrawn", 0.0, 1.0, "share of the grace", "days with negative cash"),
        Column("stadium", 0.0, 5.0, "seats / 38,000", "stadium"),
        Column("level", 0.0, 2.0, "level / 5", "facility level: academy, training, stadium", N_FACILITIES),
        Column("building", 0.0, 3.0, "years", "until an upgrade is ready; 0 when none is under way", N_FACILITIES),
        Column("upgrade", 0.0, 8.0, "√(cost / 50M)", "cost of the next level of each", N_FACILITIES),
        Column("reputation", 0.0, 1.0, "points / 100", "reputation"),
        Column("confidence", 0.0, 1.0, "points / 100", "confidence of the board"),
        Column("target", 0.0, 1.0, "share of the table", "the board's target position, 1 for the last"),
        Column("place", 0.0, 1.0, "share of the table", "league position, 1 for the last"),
        Column("honors", -4.0, 8.0, "honors / 300", "honors of the run"),
        Column("revivals_left", 0.0, 1.0, "share", "revivals left"),
        Column("squad_size", 0.0, 2.0, "players / 25", "seniors"),
        Column("academy_size", 0.0, 2.0, "prospects / 6", "prospects"),
        Column("formation", 0.0, 1.0, "one-hot", "4-4-2, 4-3-3, 3-5-2", N_FORMATIONS),
        Column("style", 0.0, 1.0, "one-hot", "possession, counter, pressing, direct, defensive", N_STYLES),
        Column("style_days", 0.0, 1.0, "days / 90", "since the style was last changed"),
        _flag("auto_lineup", "1 when the eleven is chosen automatically"),
        Column("orders", 0.0, 1.0, "0 or 1 each", "standing orders in force, by place", ORDERS),
    ),
    "draft": (
        *_PERSON,
        _money("price", 6.0, "√(price / 10M)", "price"),
        _WAGE,
        _CONTRACT,
        _flag("picked", "1 when on the list"),
    ),
    "league": (
        _PRESENT,
        _flag("own", "1 for the seat's club"),
        Column("points", -0.5, 1.0, "points / (3 x rounds)", "points"),
        Column("played", 0.0, 1.0, "matches / rounds", "matches played"),
        Column("won", 0.0, 1.0, "matches / rounds", "matches won"),
        Column("goals", 0.0, 6.0, "goals / rounds", "goals scored"),
        Column("difference", -5.0, 5.0, "goals / rounds", "goal difference"),
    ),
    "market": (
        *_PERSON,
        _VALUE,
        _WAGE,
        _NORM,
        _CONTRACT,
        Column("injured", 0.0, 3.0, "days out / 100", "injury"),
        _flag("free", "1 for a free agent"),
        _flag("expiring", "1 when he can sign for the time after his contract"),
        _flag("listed", "1 when on the transfer list"),
        _flag("agreed", "1 when a fee is agreed and terms are to be offered"),
        _flag("fee_talks_off", "1 while his club refuses to talk"),
        _flag("wage_talks_off", "1 while he refuses to talk"),
    ),
    "offers": (
        *_PERSON,
        Column(
            "kind", 0.0, 1.0, "one-hot", "bid received, own bid countered, fee agreed, wage countered", N_OFFER_KINDS
        ),
        Column(
            "row", 0.0, 1.0, "(row + 1) / 40", "the player's row in squad (bid received, own renewal); 0: not in it"
        ),
        Column("market_row", 0.0, 1.0, "(row + 1) / 40", "the player's row in market; 0: not in it"),
        _VALUE,
        _money("fee", 6.0, "√(fee / 10M)", "the fee on the table"),
        _money("wage", 6.0, "√(yearly wage / 2M)", "the wage on the table"),
        Column("years", 0.0, 2.0, "years / 5", "contract length on the table"),
        Column("instalments", 0.0, 1.0, "payments / 5", "yearly instalments beside the down payment"),
        Column("days_left", 0.0, 1.0, "days / 60", "until the offer lapses"),
    ),
    "squad": (
        *_PERSON,
        _VALUE,
        _WAGE,
        _NORM,
        _CONTRACT,
        Column("condition", 0.0, 1.0, "points / 100", "condition today"),
        Column("form", -3.0, 3.0, "points", "form"),
        Column("morale", 0.0, 1.0, "points / 100", "morale"),
        Column("injured", 0.0, 3.0, "days out / 100", "injury"),
        _flag("banned", "1 when suspended"),
        _flag("eleven", "1 when he would start today"),
        Column("starts", 0.0, 1.0, "share of the club's matches", "matches started this season"),
        Column("rating", 0.0, 1.0, "rating / 10", "mean match rating this season"),
        _flag("listed", "1 when on the transfer list"),
        _flag("leaving", "1 when signed with another club for the time after his contract"),
        _flag("talks_off", "1 while he refuses to talk"),
    ),
}


def table_width(table: str) -> int:
    """How many numbers a row of a table has."""
    return sum(c.width for c in TABLES[table])


_SINGLE = ("calendar", "club")  # tables of one row


class Layout:
    """The schema laid out for a league shape: record type, slices of the flat buffer, bounds, spaces."""

    def __init__(self, shape: SimpleNamespace) -> None:
        rows = {
            "academy": shape.academy,
            "draft": shape.templates,
            "league": shape.clubs,
            "market": MARKET_ROWS,
            "offers": shape.offers,
            "squad": shape.squad,
        }
        fields = []
        self.slices: dict[str, tuple[slice, tuple[int, int]]] = {}  # where a table lies; its rows and columns
        lows, highs = [], []
        start = 0
        for table, columns in TABLES.items():
            n = rows.get(table, 1)
            row = record([(c.name, np.float32, (c.width,)) if c.width > 1 else (c.name, np.float32) for c in columns])
            width = table_width(table)
            fields.append((table, row) if table in _SINGLE else (table, row, (n,)))
            self.slices[table] = (slice(start, start + n * width), (n, width))
            lows.append(np.tile(np.concatenate([np.full(c.width, min(c.low, 0.0)) for c in columns]), n))
            highs.append(np.tile(np.concatenate([np.full(c.width, c.high) for c in columns]), n))
            start += n * width
        self.size = start
        self._parts = [(name, (..., part)) for name, (part, _) in self.slices.items()]
        self.dtype = record(fields)
        assert self.dtype.itemsize == 4 * self.size, "the tables must lie in one run of float32"
        self.low = np.concatenate(lows).astype(np.float32)
        self.high = np.concatenate(highs).astype(np.float32)

    def split(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """The tables, row after row, as views of a flat buffer of shape (size,) or (W, size)."""
        return {name: flat[part] for name, part in self._parts}

    def space(self) -> spaces.Dict:
        """The observation space: one level of boxes, in the order of the flat buffer."""
        low, high = self.split(self.low), self.split(self.high)
        return spaces.Dict({name: spaces.Box(low[name], high[name], dtype=np.float32) for name in TABLES})

    def flat_space(self) -> spaces.Box:
        """The space of the flat buffer."""
        return spaces.Box(self.low, self.high, dtype=np.float32)


@functools.cache
def _layout(key: tuple[tuple[str, int], ...]) -> Layout:
    return Layout(SimpleNamespace(**dict(key)))


def layout(shape: SimpleNamespace) -> Layout:
    """The layout for ``Params.shape``."""
    return _layout(tuple(sorted(vars(shape).items())))


def docs(shape: SimpleNamespace) -> str:
    """The observation tables in Markdown."""
    parts = []
    for table, columns in TABLES.items():
        _, (rows, width) = layout(shape).slices[table]
        head = f"**`{table}`**: {rows} x {width}" if rows > 1 else f"**`{table}`**: {width}"
        lines = [head, "", "| Columns | Name | Low | High | Unit | Meaning |", "|---|---|---|---|---|---|"]
        at = 0
        for c in columns:
            span = f"{at}" if c.width == 1 else f"{at}-{at + c.width - 1}"
            lines.append(f"| {span} | `{c.name}` | {c.low:g} | {c.high:g} | {c.unit} | {c.meaning} |")
            at += c.width
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
