"""What a track fixes."""

from __future__ import annotations

from dataclasses import dataclass

from fmgym.errors import BadInput
from fmgym.params import Params


@dataclass(frozen=True)
class Track:
    """A named, frozen way to play: seats, start, tools. Budgets and numbers are parameters."""

    name: str
    seats: int | None  # seats that can be held, seat i running club i; None: one for each club
    sealed: bool  # whether deals wait for the day's end, so that no seat gains by acting first
    start: str  # draft: seats pick their squads
    seasons: int
    tools: tuple[str, ...]  # tools in scope
    goal: str  # one sentence for the rules document

    def fit(self, params: Params) -> Params:
        """Parameters with the number of seats that this track has. Raises ``BadInput`` for any other number."""
        seats = self.seats or params.shape.clubs
        if params.shape.seats not in (Params.default().shape.seats, seats):
            raise BadInput(f"shape.seats must be {seats} here, not {params.shape.seats}: the track is {self.name}")
        return params if params.shape.seats == seats else params.replace({"shape.seats": seats})
