"""The rules document that an agent is given: ``rules.md``, filled with the numbers of the parameters.

It holds everything a player needs. How strongly market, players and board react is left to be found out;
that they react is said.
"""

from __future__ import annotations

import functools
import hashlib
import string
from importlib.resources import files
from typing import Any

from fmgym.calendar import SCHEDULE
from fmgym.enums import SCHEDULED_KINDS, Condition, Inbox, OrderAction, StopKind, Style
from fmgym.kernels.actions import order_fits
from fmgym.names import money, word
from fmgym.params import Params
from fmgym.state import ORDERS, YEAR
from fmgym.text import MOST_CALLS, MOST_CHARS, REPAIRS, RESULT_BYTES
from fmgym.tools import FORMATIONS, NOTEBOOK, schemas
from fmgym.tracks.solo import SOLO
from fmgym.tracks.track import Track


def rules_text(
    params: Params | None = None, track: Track = SOLO, seasons: int | None = None, tools: bool = True
) -> str:
    """The rules in Markdown.

    ``seasons``: of the run, by default the track's. ``tools``: with the table of tools, which models whose
    interface takes schemas do without.
    """
    p = params or Params.default()
    template = files("fmgym").joinpath("rules.md").read_text("utf-8")
    if not tools:
        template = template[: template.index(TOOLS_PART)]
    return _Rules().format(template, p=p, track=track, seasons=seasons or track.seasons, **_lists(p, track))


@functools.cache
def rules_hash(params: Params | None = None, seasons: int | None = None, track: Track = SOLO) -> str:
    """Sixteen hex digits that stand for the document."""
    return hashlib.blake2b(rules_text(params, track, seasons).encode(), digest_size=8).hexdigest()


TOOLS_PART = "## Tools"


# What is different where several agents act while the clock stands.
SEALED = """\
Other agents act on the same day, and nobody gains by acting first: what you do to your own club counts at once, but
they see it only when the day ends, as you see what they do. Whatever takes a player from another club or from the
free agents, and every sale, is lodged until all agents have ended their stops; money and places it needs are set
aside. Then the highest fee for a player wins, and among free agents and expiring contracts the highest wage; the
winner pays what he bid, the losers learn that they lost and no price. A bid for another agent's player is put to that
agent with its next batch of offers; what it accepts or asks comes back to you as an offer, to be followed by agreed
terms."""


class _Rules(string.Formatter):
    """Formats thousands as millions (``:M``) and shares as percents (``:%``)."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec == "M":
            return money(value)
        return f"{100 * value:g} %" if format_spec == "%" else super().format_field(value, format_spec)


def _lists(p: Params, track: Track) -> dict[str, Any]:
    """What the document takes from code rather than from parameters."""
    return {
        "year": YEAR,
        "sealed": f"\n\n{SEALED}" if track.sealed else "",
        "rounds": 2 * (p.shape.clubs - 1),
        "stops": "\n".join(f"- day {_days(StopKind(kind))}: {word(StopKind(kind))}" for kind in SCHEDULED_KINDS),
        "events": len(Inbox),
        "notebook": NOTEBOOK,
        "letters": ", ".join(f"{x} up to {sd:g}" for x, sd in zip("ABC", p.scouting.confidence, strict=True)),
        "formations": ", ".join(FORMATIONS),
        "styles": ", ".join(f"{word(s)} beats {word(Style((s + 1) % len(Style)))}" for s in Style),
        "reviews": ", ".join(map(str, p.board.reviews)),
        "orders": ORDERS,
        "fits": "\n".join(f"- {word(condition)}: {_fitting(condition)}" for condition in Condition),
        "repairs": "\n".join(f"- {name}: {doc}" for name, doc in REPAIRS.items()),
        "most_calls": MOST_CALLS,
        "most_chars": MOST_CHARS,
        "result_bytes": RESULT_BYTES,
        "tools": schemas("markdown", p).strip(),
    }


def _days(kind: StopKind) -> str:
    return ", ".join(str(day) for day, scheduled in SCHEDULE if scheduled == kind)


def _fitting(condition: Condition) -> str:
    return ", ".join(word(a) for a in OrderAction if order_fits(int(condition), int(a)))
