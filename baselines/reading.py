"""How scripted policies read what tools show: bands, dates, rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fmgym.state import YEAR
from fmgym.stop import Result

Row = Mapping[str, Any]


def middle(row: Row) -> float:
    """The middle of a player's scouted ability band; 0 where nothing is known."""
    low, dash, high = row["ability"].partition("-")
    return (int(low) + int(high)) / 2 if dash else 0.0


def potential(row: Row) -> float:
    """Potential stars; 0 where nothing is known."""
    return row["potential"] or 0.0


def day(date: str) -> int:
    """The day that a printed date ``Y12-D181`` means."""
    year, _, day_of_year = date.partition("-D")
    return (int(year[1:]) - 1) * YEAR + int(day_of_year) - 1


def outcome(result: Result) -> str:
    """What an accepted call led to; empty when it was refused."""
    return str(result.data["status"]) if result.ok else ""
