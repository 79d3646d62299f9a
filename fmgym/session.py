"""A run played from Python through the tools: one world, and a notebook for each seat.

A turn carries calls of one seat; the clock stands still until every live seat has closed its stop. All that
counts (legality, budgets, turns, time) is decided by the engine; this module translates and keeps notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from fmgym import entry, rows, score, sentences, stop, views
from fmgym.enums import Error, Outcome, Settle, Tool
from fmgym.errors import BadInput
from fmgym.kernels.actions import is_query
from fmgym.names import millions, word
from fmgym.params import Params
from fmgym.state import MAX_ARGS, YEAR
from fmgym.stop import Call, Packet, Result, Stop, closed
from fmgym.tools import NOTEBOOK, CallError, ToolCall, fill, parse, spec_of, unparse
from fmgym.tracks.solo import SOLO
from fmgym.tracks.track import Track
from fmgym.world import World

NOTE_BREAK = "\n"
NOTES = (Tool.APPEND_NOTE, Tool.REWRITE_NOTES)


class Played(msgspec.Struct, frozen=True):
    """An accepted call as the log keeps it; ``value`` is a fee or wage in thousands, or 0."""

    tool: str
    args: dict[str, Any]
    outcome: str
    value: int


# Called after a turn's calls and before the world moves: seat, number of the seat's turn in the whole run
# (from 1), what was accepted. Turns with nothing accepted are told too: turns are state.
Listener = Callable[[int, int, list[Played]], None]
_Accepted = tuple[ToolCall, Outcome, int]


class Session:
    """A world under play."""

    def __init__(self, world: World, track: Track = SOLO) -> None:
        self.world = world
        self.track = track
        self.notebooks = [""] * len(world.w.seats)
        self.listeners: list[Listener] = []
        self._args = np.zeros(MAX_ARGS, np.int64)

    @classmethod
    def open(
        cls,
        seed: int,
        seasons: int = 20,
        opponents: str = "tiered",
        draft: str = "agent",
        params: Params | None = None,
        track: Track = SOLO,
        seats: Collection[int] | None = None,
    ) -> Session:
        """The world of ``seed`` at its first stop.

        ``draft`` is ``agent`` (seats pick) or ``auto`` (picked for them). ``seats``: which of the track's seats
        are held, by default all; scripted managers run the other clubs. Raises ``BadInput``.
        """
        if draft not in ("agent", "auto"):
            raise BadInput(f"draft must be agent or auto, not {draft!r}")
        world = World.open(
            seed,
            seasons=seasons,
            opponents=opponents,
            auto_draft=draft == "auto",
            seats=seats,
            sealed=track.sealed,
            params=track.fit(params or Params.default()),
        )
        return cls(world, track)

    @property
    def finished(self) -> bool:
        """Whether the run is over."""
        return bool(self.world.array["finished"][0])

    def is_open(self, seat: int = 0) -> bool:
        """Whether a seat has a stop to play."""
        s = rows.seat(self.world, seat)
        return s.settled == Settle.LIVE and s.waiting == 0 and not self.finished

    @property
    def seats(self) -> list[int]:
        """The seats that somebody holds or held, in order."""
        settled = self.world.array["seats"]["settled"][0]
        return [int(seat) for seat in np.flatnonzero(settled != Settle.VACANT)]

    @property
    def open_seats(self) -> list[int]:
        """The seats that have a stop to play, in order."""
        return [seat for seat in self.seats if self.is_open(seat)]

    def packet(self, seat: int = 0) -> Packet:
        """The stop packet of a seat as things stand."""
        return stop.packet(self.world, seat, self.notebooks[seat])

    def stop(self, seat: int = 0) -> Stop:
        """A seat's present stop, for a policy to play."""
        return Stop(self, seat)

    def call(self, name: str, args: dict[str, Any] | None = None, seat: int = 0) -> Result:
        """A turn of one call."""
        return self.turn([(name, args or {})], seat)[0]

    def turn(self, calls: Iterable[Call], seat: int = 0) -> list[Result]:
        """One turn: the calls in order, then time moves if every live seat waits.

        Calls after an accepted advance are refused. Without an open stop all are refused and no turn counts.
        """
        if not self.is_open(seat):
            return [self._refused_after_end(name, seat) for name, _ in calls]
        entry.begin_turn(self.world, seat)
        accepted: list[_Accepted] = []
        results = [self._play(name, args, seat, accepted) for name, args in calls]
        entry.end_turn(self.world, seat)
        if self.listeners:
            self._tell(seat, accepted)
        entry.move(self.world)
        return results

    def _tell(self, seat: int, accepted: Sequence[_Accepted]) -> None:
        """Tell the listeners of a turn."""
        played = [Played(*unparse(self.world, call), word(outcome), value) for call, outcome, value in accepted]
        for listener in self.listeners:
            listener(seat, rows.seat(self.world, seat).total_turns, played)

    def _refused_after_end(self, name: str, seat: int) -> Result:
        if self.world.w.seats[seat].settled == Settle.LIVE:
            return closed(name)
        call = ToolCall(int(Tool.ADVANCE))
        message = sentences.refusal(self.world, seat, call, Error.FINISHED)
        return Result(False, str(name), Error.FINISHED.name, message)

    def _play(self, name: str, args: Any, seat: int, accepted: list[_Accepted]) -> Result:
        """One call: parse, play, note, answer."""
        try:
            call = self._parsed(name, args, seat)
            meant = sentences.meaning(self.world, seat, call)
            outcome, value = self._act(call, seat)
        except CallError as error:
            return Result(False, str(name), error.code.name, error.message)
        accepted.append((call, outcome, value))
        return self._answer(call, meant, seat, outcome, value)

    def _parsed(self, name: str, args: Any, seat: int) -> ToolCall:
        call = parse(name, args, self.world, seat)
        if spec_of(call).name not in self.track.tools:
            raise CallError(Error.UNKNOWN_TOOL, f"{name} is not among this track's tools.")
        if call.tool == Tool.APPEND_NOTE:
            size = len(self._appended(call, seat))
            if size > NOTEBOOK:
                message = sentences.refusal(self.world, seat, call, Error.NOTEBOOK_FULL, size)
                raise CallError(Error.NOTEBOOK_FULL, message)
        return call

    def _act(self, call: ToolCall, seat: int) -> tuple[Outcome, int]:
        """Play a call; its outcome and value, or ``CallError``."""
        n = fill(call, self._args)
        code, outcome, value = entry.play(self.world, seat, call.tool, self._args, n)
        if code != Error.OK:
            message = sentences.refusal(self.world, seat, call, Error(code))
            raise CallError(Error(code), message)
        if call.tool in NOTES:
            self._note(call, seat)
        return Outcome(outcome), int(value)

    def _note(self, call: ToolCall, seat: int) -> None:
        self.notebooks[seat] = self._appended(call, seat) if call.tool == Tool.APPEND_NOTE else call.text or ""

    def _appended(self, call: ToolCall, seat: int) -> str:
        old = self.notebooks[seat]
        return f"{old}{NOTE_BREAK}{call.text}" if old else call.text or ""

    def _answer(self, call: ToolCall, meant: ToolCall, seat: int, outcome: Outcome, value: int) -> Result:
        name = spec_of(call).name
        if is_query(call.tool):
            return Result(True, name, data=views.QUERIES[Tool(call.tool)](self.world, seat, call))
        message = sentences.answer(self.world, seat, call, meant, outcome, value)
        return Result(True, name, None, message, sentences.data(self.world, seat, meant, outcome, value))

    def check(self, call: ToolCall, seat: int = 0) -> Error:
        """The code a call would meet now; changes nothing."""
        n = fill(call, self._args)
        return Error(entry.check(self.world, seat, call.tool, self._args, n))

    def score(self, seat: int = 0) -> float:
        """The seat's score as if its run were completed now; the final one once it has settled."""
        return entry.figures(self.world, seat).score

    def result(self, seat: int = 0) -> dict[str, Any]:
        """How the run stands or ended (design, section 11); sums in millions, day-0 money where real."""
        w, p, s = self.world.w, self.world.p, self.world.w.seats[seat]
        c = w.clubs[s.club]
        raw, rho, honors, value, squad = score.standing(w, p, seat)
        day = s.settle_day if s.settled != Settle.LIVE else w.day
        return {
            "score": self.score(seat),
            "s_raw": float(raw),
            "rho": float(rho),
            "honors": int(honors),
            "value_added": millions(value),
            "squad_value": millions(squad),
            "deaths": int(c.deaths),
            "settle": word(Settle(s.settled)),
            "settle_year": round((int(day) + 1) / YEAR, 2),
            "stops": int(s.stop),
            "turns": int(s.total_turns),
            "calls": int(s.total_calls),
            "seasons_table": _seasons_table(self.world, seat, int(day)),
        }

    def digest(self) -> str:
        """128 bits over the world and the notebooks, as 32 hex digits."""
        h = hashlib.blake2b(self.world.digest().encode(), digest_size=16)
        for notebook in self.notebooks:
            h.update(len(notebook).to_bytes(8, "little") + notebook.encode())
        return h.hexdigest()

    def copy(self) -> Session:
        """An independent copy, without listeners."""
        twin = Session(self.world.copy(), self.track)
        twin.notebooks = list(self.notebooks)
        return twin

    def get_state(self) -> dict[str, Any]:
        """All that play has changed: the world's bytes and the notebooks."""
        return {"world": self.world.get_bytes(), "notebooks": list(self.notebooks)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over a state from ``get_state`` of a session with the same parameters."""
        self.world.set_bytes(state["world"])
        self.notebooks = list(state["notebooks"])

    def __getstate__(self) -> dict[str, Any]:
        return {"world": self.world, "track": self.track, "notebooks": self.notebooks}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["world"], state["track"])  # type: ignore[misc]
        self.notebooks = list(state["notebooks"])


def _seasons_table(world: World, seat: int, day: int) -> list[dict[str, Any]]:
    """One row for each season closed by ``day``; scores as if the run had been completed then."""
    p, club = world.p, world.w.seats[seat].club
    rows = []
    for n in range((day + 1) // YEAR):
        s = world.w.clubs[club].seasons[n]
        rho = score.rho_completed(p, min(int(s.deaths), int(p.ruin.revivals)))
        rows.append(
            {
                "season": n + 1,
                "position": int(s.position),
                "points": int(s.points),
                "honors": int(s.honors),
                "net_worth": millions(s.net_worth),
                "squad_value": millions(s.squad_value),
                "score": float(score.discounted(s.score, rho)),
            }
        )
    return rows
