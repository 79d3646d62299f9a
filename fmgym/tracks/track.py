"""What a track fixes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Track:
    """A named, frozen way to play: seats, start, tools. Budgets and numbers are parameters."""

    name: str
    seats: int  # seats under outside control
    clubs: tuple[int, ...]  # the club of each seat
    start: str  # draft: seats pick their squads
    seasons: int
    tools: tuple[str, ...]  # tools in scope
    goal: str  # one sentence for the rules document
