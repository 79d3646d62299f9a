"""What became of an Arena: a result for each seat, champions by season, transfers between seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fmgym import rows
from fmgym.enums import Move
from fmgym.names import club_id, date, millions, player_id
from fmgym.session import Session


@dataclass(frozen=True)
class ArenaResult:
    """How the run of all seats ended. Money in millions.

    ``policy``: by seat. ``seats``: for each seat, in order, its number, club, policy and all that a solo result has
    of a run. ``champions``: for each season the club, and the seat and policy that ran it (None: a scripted club).
    ``transfers``: deals between two seats, oldest first; the archive keeps the last of a very long run.
    """

    policy: dict[str, str]
    seed: int
    seasons: int
    seats: list[dict[str, Any]]
    champions: list[dict[str, Any]]
    transfers: list[dict[str, Any]]
    seconds: float
    digest: str
    stamp: dict[str, Any]

    @classmethod
    def of(cls, session: Session, mark: dict[str, Any], seconds: float) -> ArenaResult:
        """The result of a run that has ended."""
        policy = mark["policy"]
        return cls(
            policy=dict(policy),
            seed=mark["seed"],
            seasons=mark["seasons"],
            seats=[_seat(session, seat, policy[str(seat)]) for seat in session.seats],
            champions=_champions(session, policy),
            transfers=_transfers(session, policy),
            seconds=round(seconds, 3),
            digest=session.digest(),
            stamp=mark,
        )

    @property
    def headline(self) -> str:
        """One line about it."""
        best = self.ranking[0]
        who = f"seat {best['seat']} ({best['policy']})"
        return f"{len(self.seats)} seats on seed {self.seed}, {who} first with score {best['score']:.2f}"

    @property
    def ranking(self) -> list[dict[str, Any]]:
        """The seats' results, the best score first."""
        return sorted(self.seats, key=lambda seat: -float(seat["score"]))

    @property
    def repeats(self) -> int:
        """Seasons in which the champion of the one before won again."""
        clubs = [row["club"] for row in self.champions]
        return sum(a == b for a, b in zip(clubs, clubs[1:], strict=False))


def _seat(session: Session, seat: int, policy: str) -> dict[str, Any]:
    return {"seat": seat, "club": _club(session, seat), "policy": policy} | session.result(seat)


def _club(session: Session, seat: int) -> str:
    return club_id(int(session.world.w.seats[seat].club))


def _champions(session: Session, policy: Mapping[str, str]) -> list[dict[str, Any]]:
    """The seasons that were settled, each with who finished first."""
    w, p = session.world.w, session.world.params
    settled = [n for n in range(int(w.season) + 1) if w.clubs[0].seasons[n].position > 0]
    holders = {int(w.seats[seat].club): seat for seat in session.seats}
    found = []
    for n in settled:
        club = next(i for i in range(p.shape.clubs) if w.clubs[i].seasons[n].position == 1)
        seat = holders.get(club)
        found.append({"season": n + 1, "club": club_id(club), "seat": seat, "policy": policy.get(str(seat))})
    return found


def _transfers(session: Session, policy: Mapping[str, str]) -> list[dict[str, Any]]:
    """Purchases by one seat's club of another's player, as the archive has them."""
    w = session.world.w
    moves, last = rows.table(session.world, "moves"), int(w.n_moves)
    holders = {int(w.seats[seat].club): seat for seat in session.seats}
    found = []
    for i in range(max(last - len(moves), 0), last):
        m = rows.row(moves, i % len(moves))
        if m.kind == Move.TRANSFER and m.source in holders and m.target in holders:
            found.append(
                {
                    "date": date(m.day),
                    "player": player_id(m.uid),
                    "from": holders[m.source],
                    "to": holders[m.target],
                    "fee_m": millions(m.fee),
                }
            )
    return found
