"""The knobs of a manager: habits that the executor (``envs.executor``) carries out at a stop, and their steps.

``HABITS`` says every knob once: name, steps, meaning. Out of it come the record type that the executor reads by name,
the ``MultiDiscrete`` space of ``fmgym.wrappers.ManagerKnobs`` and the docs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmgym.enums import N_FACILITIES, Facility, Formation, Style
from fmgym.state import record

KEEP = -1.0  # of style and formation: as they are
SCHOOLS = float(N_FACILITIES)  # of build: academy or training, the lower of the two
NEVER = 99.0  # as an age, or a multiple of value: never


@dataclass(frozen=True)
class Habit:
    """One knob: the values its steps stand for, the step a sound manager would take, and what it means."""

    name: str
    steps: tuple[float, ...]
    usual: int
    meaning: str


HABITS: tuple[Habit, ...] = (
    Habit("wages", (0.5, 0.6, 0.7, 0.8, 0.9, 1.1), 2, "ceiling of the wage bill, as a share of expected revenue"),
    Habit("reserve", (0.1, 0.3, 0.6, 1.2), 1, "cash that buying and building leave, in years of wages"),
    Habit("squad", (22, 26, 31, 37), 2, "seniors beyond which nobody is bought, signed or promoted"),
    Habit("buys", (0, 1, 2, 4), 2, "players bought at a stop, at most"),
    Habit("spend", (0.25, 0.5, 1.0), 2, "share of the cash above the reserve for one player, at most"),
    Habit("need", (-3.0, 0.0, 2.0, 5.0), 2, "ability points a newcomer must have over the weakest starter"),
    Habit(
        "price",
        (0.8, 1.05, 1.35, 1.7, 2.2),
        2,
        "most a player is bought for, over public value; the first bid is a quarter lower",
    ),
    Habit("instalments", (0, 1, 3), 0, "yearly instalments beside the down payment"),
    Habit("youth", (0.0, 0.5, 1.0), 2, "weight of a young player's potential when players are compared"),
    Habit("oldest", (22, 25, 28, 32), 1, "age up to which players are bought and signed"),
    Habit("renew", (0, 180, 360, 540, 900), 4, "days before its end at which a contract is renewed"),
    Habit("core", (0.5, 1.0, 1.5), 1, "who is renewed: the best at each position, over the wished depth"),
    Habit("sell", (0.9, 1.15, 1.5, NEVER), 3, "price at which a bid for one's own player is taken, over public value"),
    Habit("veterans", (27, 29, 31, NEVER), 2, "age from which players are put on the transfer list"),
    Habit("promote", (-NEVER, 0.0, 4.0, 9.0), 1, "points below the squad's mean at which a prospect is promoted"),
    Habit(
        "build",
        (KEEP, float(Facility.ACADEMY), float(Facility.TRAINING), float(Facility.STADIUM), SCHOOLS),
        4,
        "facility to upgrade when cash allows: none, academy, training, stadium, academy or training",
    ),
    Habit("formation", (KEEP, *map(float, Formation)), 0, "formation: as it is, 4-4-2, 4-3-3, 3-5-2"),
    Habit(
        "style",
        (KEEP, *map(float, Style)),
        0,
        "style: as it is, possession, counter, pressing, direct, defensive (set before the season and in winter)",
    ),
    Habit("rotation", (0, 1), 0, "eleven: 0 chosen for each match, sparing the tired; 1 today's until the next stop"),
)
RECORD = record([(habit.name, np.float64) for habit in HABITS])
STEPS = np.array([len(habit.steps) for habit in HABITS])
USUAL = np.array([habit.usual for habit in HABITS])


def fill(out: np.ndarray, chosen: np.ndarray) -> None:
    """Write the values of chosen steps (W, number of knobs) into ``out``, records (W,) of type ``RECORD``."""
    for k, habit in enumerate(HABITS):
        out[habit.name] = np.take(habit.steps, chosen[:, k])


def docs() -> str:
    """The table of knobs in Markdown."""
    lines = ["| Knob | Steps | Meaning |", "|---|---|---|"]
    for habit in HABITS:
        lines.append(f"| `{habit.name}` | {', '.join(f'{v:g}' for v in habit.steps)} | {habit.meaning} |")
    return "\n".join(lines)
