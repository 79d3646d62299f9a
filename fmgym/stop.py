"""The decision stop: the packet a seat is handed, results of calls, and the facade that policies play.

A packet is data (``Packet``), JSON and compact text, which is what a model reads and pays for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from fmgym import entry, rows, views
from fmgym.enums import Error, Outcome, Settle, StopKind, Tool
from fmgym.names import club_id, club_name, date, millions, word
from fmgym.sentences import REFUSALS
from fmgym.tools import ToolCall, spec_of, unparse
from fmgym.world import World

MOST_CHARS = 9_800  # a packet's text without the notebook stays below 2,500 tokens of four characters
_INBOX_CHARS = 3_600
_OFFERS_SHOWN = 12
_INJURED_SHOWN = 6

Call = tuple[str, Mapping[str, Any]]


class Result(msgspec.Struct, frozen=True):
    """What one call led to. ``error`` is the code's name; ``message`` one sentence; ``data`` figures."""

    ok: bool
    tool: str
    error: str | None = None
    message: str = ""
    data: dict[str, Any] = {}

    def to_text(self) -> str:
        """Compact text: a table for lists of alike rows, a line for every other entry."""
        head = f"{self.tool}: {'ok' if self.ok else 'ERROR ' + str(self.error)}"
        if self.message:
            return f"{head}. {self.message}"
        return "\n".join([head, *_lines(self.data)])

    def to_json(self) -> str:
        return msgspec.json.encode(self).decode()


class Digest(msgspec.Struct, frozen=True):
    """One glance at the club. Money in millions; ``score`` is as if the run were completed now."""

    season: int
    position: int
    points: int
    played: int
    target: int
    cash_m: float
    wage_ratio: float
    board_confidence: int
    honors: int
    squad: int
    prospects: int
    injured: list[str]
    next_fixture: str | None
    window: str
    warnings: list[str]
    score: float


class Event(msgspec.Struct, frozen=True):
    """Something that happened since the last stop."""

    date: str
    kind: str
    text: str
    action_required: bool


class Action(msgspec.Struct, frozen=True):
    """One of the seat's last state-changing calls; long lists of ids are left out."""

    date: str
    tool: str
    args: dict[str, Any]
    outcome: str


class Budgets(msgspec.Struct, frozen=True):
    """What this stop still allows."""

    turns: int
    queries: int
    negotiations: int


class Packet(msgspec.Struct, frozen=True):
    """Everything a decision stop delivers (paper, section 3.1)."""

    club: str
    name: str
    stop: int
    kinds: list[str]
    date: str
    digest: Digest
    inbox: list[Event]
    inbox_lost: int
    offers: list[dict[str, Any]]
    recent: list[Action]
    notebook: str
    budgets: Budgets
    turn_warning: str | None

    def to_json(self) -> str:
        return msgspec.json.encode(self).decode()

    def to_text(self) -> str:
        """What a model reads: under 900 tokens in a quiet stop, under 2,500 in any, the notebook apart."""
        return "\n".join([*self._head(), *self._middle(), *self._notebook()])

    def _head(self) -> list[str]:
        d = self.digest
        lines = [
            f"STOP {self.stop} · {self.date} · {', '.join(self.kinds)}",
            f"{self.name} ({self.club}): place {d.position} with {d.points} points from {d.played},"
            f" target place {d.target}",
            f"cash {d.cash_m:g}M · wages/revenue {d.wage_ratio:.0%} · board {d.board_confidence}"
            f" · honors {d.honors}"
            f" · score {d.score:g} · window {d.window}",
            f"squad {d.squad}, prospects {d.prospects}, injured: {_clipped(d.injured, _INJURED_SHOWN)}",
            f"next: {d.next_fixture or 'no match left this season'}",
        ]
        if word(StopKind.DRAFT) in self.kinds:
            lines.append("The draft is open: get_draft_pool, submit_draft, then advance.")
        lines += [f"WARNING: {text}" for text in d.warnings]
        b = self.budgets
        lines.append(f"left: {b.turns} turns, {b.queries} queries, {b.negotiations} negotiation moves")
        return lines + ([f"WARNING: {self.turn_warning}"] if self.turn_warning else [])

    def _middle(self) -> list[str]:
        offers = [_offer_line(offer) for offer in self.offers[:_OFFERS_SHOWN]]
        if len(self.offers) > _OFFERS_SHOWN:
            offers.append(f"... and {len(self.offers) - _OFFERS_SHOWN} more, see get_inbox")
        return [
            *_section("INBOX (! wants an answer)", _inbox_lines(self.inbox, self.inbox_lost)),
            *_section("OFFERS", offers),
            *_section("YOUR LAST ACTIONS", [_action_line(action) for action in self.recent]),
        ]

    def _notebook(self) -> list[str]:
        return ["NOTEBOOK", self.notebook or "(empty)"]


def _section(title: str, lines: list[str]) -> list[str]:
    return [title, *lines] if lines else []


def _clipped(items: Sequence[str], most: int) -> str:
    text = ", ".join(items[:most]) or "none"
    return text if len(items) <= most else f"{text} and {len(items) - most} more"


def _inbox_lines(events: Sequence[Event], lost: int) -> list[str]:
    """The inbox within its share of the text; what wants an answer goes before what does not."""
    lines = [f"{'!' if e.action_required else '-'} {e.date} {e.text}" for e in events]
    room = _INBOX_CHARS
    kept = set()
    for i in sorted(range(len(lines)), key=lambda i: not events[i].action_required):
        room -= len(lines[i]) + 1
        if room < 0:
            break
        kept.add(i)
    shown = [line for i, line in enumerate(lines) if i in kept]
    if len(shown) < len(lines):
        shown.append(f"... and {len(lines) - len(shown)} more, see get_inbox")
    return shown + ([f"... {lost} older events were lost"] if lost else [])


def _offer_line(offer: Mapping[str, Any]) -> str:
    if "wage_m_per_year" in offer:
        terms = f"{offer['wage_m_per_year']:g}M a year for {offer['years']} years"
    else:
        terms = f"{offer['fee_m']:g}M" + (f" in {offer['instalments'] + 1} parts" if offer["instalments"] else "")
    club = offer["club"] or "free agent"
    return f"{offer['id']} {offer['kind']} {offer['player']} ({club}) {terms}, until {offer['expires']}"


def _action_line(action: Action) -> str:
    args = " ".join(f"{name}={value}" for name, value in action.args.items())
    outcome = "" if action.outcome == word(Outcome.DONE) else f" -> {action.outcome}"
    return f"{action.date} {action.tool} {args}".rstrip() + outcome


# Results as text


def _lines(data: Mapping[str, Any], indent: str = "") -> list[str]:
    out = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            out += [f"{indent}{key}:", *_table(value, indent)]
        elif isinstance(value, dict):
            out.append(f"{indent}{key}: " + (", ".join(f"{k} {_cell(v)}" for k, v in value.items()) or "none"))
        else:
            out.append(f"{indent}{key}: {_cell(value)}")
    return out


def _table(rows: list[dict[str, Any]], indent: str) -> list[str]:
    """Rows under one line of column names; a row lacks what its columns show as -."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [indent + "|".join(columns)]
    return lines + [indent + "|".join(_cell(row.get(key)) for key in columns) for row in rows]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    return " ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


# Making packets


def packet(world: World, seat: int, notebook: str) -> Packet:
    """The packet of a seat as things stand."""
    s, p = rows.seat(world, seat), world.params.stop
    recent = rows.part(world, "seats", seat, "recent")
    return Packet(
        club=club_id(s.club),
        name=club_name(s.club),
        stop=s.stop,
        kinds=[word(kind) for kind in StopKind if s.kinds >> kind & 1],
        date=date(views.today(world)),
        digest=_digest(world, seat),
        inbox=[Event(**event) for event in views.inbox(world, seat)],
        inbox_lost=s.lost_inbox,
        offers=views.offers(world, seat),
        recent=[_recent(world, call) for call in recent[: s.n_recent].tolist()],
        notebook=notebook,
        budgets=Budgets(p.last_turn - s.turns, p.queries - s.queries, p.negotiations - s.negotiations),
        turn_warning=turn_warning(world, seat),
    )


def turn_warning(world: World, seat: int) -> str | None:
    """From the warning turn on: how many turns are left before the stop closes by itself."""
    turns, p = rows.seat(world, seat).turns, world.params.stop
    if turns < p.warn_turn:
        return None
    return f"{p.last_turn - turns} turns left before this stop closes by itself"


_NEXT = ("id", "date", "venue", "opponent")


def _digest(world: World, seat: int) -> Digest:
    club = views.club_of(world, seat)
    c, f = rows.club(world, club), entry.figures(world, seat)
    match = views.next_fixture(world, club)
    return Digest(
        season=views.season_now(world) + 1,
        position=c.position,
        points=c.points,
        played=c.played,
        target=c.target,
        cash_m=millions(c.cash),
        wage_ratio=round(f.wage_ratio, 3),
        board_confidence=round(c.confidence),
        honors=c.honors,
        squad=c.n_squad,
        prospects=c.n_academy,
        injured=views.injured(world, club),
        next_fixture=" ".join(match[key] for key in _NEXT) if match else None,
        window=views.window(world, seat),
        warnings=views.warnings(world, seat),
        score=round(f.score, 2),
    )


def _recent(world: World, call: tuple[Any, ...]) -> Action:
    """An entry of ``seats.recent``: day, tool, outcome and the first integers of its arguments."""
    day, tool, outcome, numbers = call
    spec = spec_of(ToolCall(tool))
    args: dict[str, Any] = {}
    if tool == Tool.SET_LINEUP:
        args = {"eleven": "named" if numbers[0] > 0 else "automatic"}
    elif tool != Tool.SUBMIT_DRAFT:
        args = unparse(world, ToolCall(tool, tuple(numbers[: len(spec.args)].tolist())))[1]
    return Action(date(day), spec.name, args, word(Outcome(outcome)))


class Table(Protocol):
    """Where a stop is played: ``session.Session``."""

    world: World

    def packet(self, seat: int = 0) -> Packet: ...

    def turn(self, calls: Iterable[Call], seat: int = 0) -> list[Result]: ...


class Stop:
    """One decision stop of one seat, as a policy sees it: the packet, and calls until it is closed."""

    def __init__(self, table: Table, seat: int) -> None:
        self._table = table
        self.seat = seat
        self.number = int(self._row.stop)
        self._packet: Packet | None = None

    @property
    def _row(self) -> Any:
        return rows.seat(self._table.world, self.seat)

    @property
    def seed(self) -> int:
        """The world's seed, from which policies key their own chance."""
        return int(self._table.world.w.seed)

    @property
    def open(self) -> bool:
        """Whether calls still count: False once advanced, closed at the last turn, or settled."""
        s = self._row
        return bool(s.stop == self.number and s.waiting == 0 and s.settled == Settle.LIVE)

    @property
    def packet(self) -> Packet:
        """The packet as things stand after the last turn."""
        if self._packet is None:
            self._packet = self._table.packet(self.seat)
        return self._packet

    @property
    def turn_warning(self) -> str | None:
        """The packet's warning that the stop will close by itself, without making a packet."""
        return turn_warning(self._table.world, self.seat)

    def call(self, name: str, /, **args: Any) -> Result:
        """One call, which takes one turn."""
        return self.turn([(name, args)])[0]

    def turn(self, calls: Iterable[Call]) -> list[Result]:
        """Several calls in one turn. A closed stop refuses them all."""
        if not self.open:
            return [closed(name) for name, _ in calls]
        self._packet = None
        return self._table.turn(calls, self.seat)


def closed(name: str) -> Result:
    """The answer to a call that comes when no stop is open."""
    return Result(False, str(name), Error.WAITING.name, REFUSALS[Error.WAITING])
