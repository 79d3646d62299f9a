"""Blind and good."""

from __future__ import annotations

from typing import Any

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.book import MAN, POSITIONS, usual
from fmgym.baselines.drafting import choose
from fmgym.baselines.manager import Habits, Manager
from fmgym.baselines.reading import Row, day, middle, potential
from fmgym.enums import Position
from fmgym.params import Params
from fmgym.state import YEAR
from fmgym.stop import Stop

ASKS = 1.25


class Strategist:
    """Plays well without knowing more than the tools show."""

    name = "strategist"

    def __init__(self, habits: Habits | None = None) -> None:
        self.habits = habits or Habits()

    def play(self, stop: Stop) -> None:
        if "draft" in stop.packet.kinds:
            draft(stop, self.habits)
        else:
            Manager(stop, Scouts(stop), self.habits).play()
        stop.call("advance")


class Scouts:
    """Beliefs from what tools show."""

    exact = False

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.params = Params.default()
        self.today = day(stop.packet.date)
        self.money = (1.0 + self.params.value.inflation) ** (self.today // YEAR)

    def squad(self) -> np.ndarray:
        rows = self.stop.call("get_squad").data["players"]
        book = self._book(rows, own=True)
        for man, row in zip(book, rows, strict=True):
            man.until = day(row["until"])
            man.wage = row["wage_m"]
            man.condition, man.form, man.morale = row["condition"], row["form"], row["morale"]
            man.out = row["fitness"] != "fit"
            man.listed = row["listed"]
            man.leaving = "leaves_for" in row
        self._judge(book, 1.4)
        left = np.clip((book["until"] - self.today) / YEAR, 0.0, 2.0)
        book["pay"] *= 1.0 - 0.07 * left + 0.25 * (0.5 - book["morale"] / 100)
        return book

    def prospects(self) -> np.ndarray:
        rows = self.stop.call("get_youth_academy").data.get("prospects", [])
        book = self._book(rows, own=True)
        for man, row in zip(book, rows, strict=True):
            man.until = day(row["term_ends"])
        self._judge(book, 1.4)
        book["pay"] = [row["promotion_wage_m"] for row in rows]
        return book

    def market(self, most: float) -> np.ndarray:
        calls = [
            ("get_transfer_market", {"kind": "all", "position": name, "limit": 50, "max_age": 31, "max_value_m": round(most, 1)})
            for name in POSITIONS
        ]
        rows = [row for result in self.stop.turn(calls) if result.ok for row in result.data["players"]]
        return self._others(rows)

    def unattached(self) -> np.ndarray:
        kinds = ["free"] + (["expiring"] if self.today % YEAR >= 180 else [])
        calls = [("get_transfer_market", {"kind": kind, "limit": 50, "max_age": 31}) for kind in kinds]
        rows = [row for result in self.stop.turn(calls) if result.ok for row in result.data["players"]]
        return self._others(rows)

    def _others(self, rows: list[Row]) -> np.ndarray:
        book = self._book(rows, own=False)
        for man, row in zip(book, rows, strict=True):
            man.club = -1 if row["club"] == "free" else int(row["club"][1:]) - 1
            man.wage = row["wage_m"]
            man.until = day(row["until"]) if row["until"] else 0
        self._judge(book, 3.0)
        book["fee"] = np.where(book["club"] >= 0, ASKS * book["value"], 0.0)
        return book

    def _book(self, rows: list[Row], own: bool) -> np.ndarray:
        book = np.zeros(len(rows), MAN)
        for man, row in zip(book, rows, strict=True):
            man.uid = int(row["id"][1:])
            man.position = Position[row["position"]]
            man.age = row["age"]
            man.ability = middle(row)
            man.potential = potential(row)
            man.value = row["value_m"]
        return book

    def _judge(self, book: np.ndarray, error: float) -> None:
        """Weigh scouts' reports against public values."""
        usual(book, self.params)
        p = self.params
        age, reported = book["age"], book["ability"].copy()
        youth = np.clip((p.value.youth[1] - age) / (p.value.youth[1] - p.value.youth[0]), 0.0, 1.0)
        stars = p.scouting.star_low + p.scouting.star_step * (2.0 * book["potential"] - 0.5)
        years = np.clip(24.0 - age, 0.0, None)
        normal_gap = np.clip(2.2 * years, 0.0, 16.0)
        doubt = error * (1.5 + 0.12 * years)
        trust = 16.0 / (16.0 + doubt**2)
        gap = np.clip(normal_gap + trust * (stars - reported - normal_gap), 0.0, None) * (age < 27)
        book["potential"] = reported + gap
        # what the public believes, from the value it puts on him
        lasting = np.clip((book["until"] - self.today) / YEAR, 0.0, 1.0)
        off = np.where(book["until"] > 0, 1.0 - p.value.contract * (1.0 - lasting), 1.0 - p.value.contract)
        flat = book.copy()
        flat["potential"] = 0.0
        at = np.full(len(book), float(p.value.reference))
        base = reckoning.prices(p.record, flat, at, 0.0) * self.money * off
        level = p.value.reference + p.value.double * np.log2(np.maximum(book["value"], 0.011) / base)
        mine = reported + p.value.potential * gap * youth
        public = 2.2
        weight = public**2 / (public**2 + error**2)
        shift = (1.0 - weight) * (level - mine)
        shift[book["value"] <= 0.011] = 0.0
        book["ability"] += shift
        book["potential"] += shift
        book["pay"] = reckoning.wages(p.record, book, book["ability"]) * self.money

    def ceiling(self, offer: Any) -> float:
        return 1.08 * float(offer["fee_m"])


def draft(stop: Stop, habits: Habits) -> None:
    """A squad for the budget."""
    pool = stop.call("get_draft_pool").data["templates"]
    scouts = Scouts(stop)
    book = scouts._book([t | {"value_m": t["price_m"]} for t in pool], own=False)
    book["until"] = YEAR * 3
    scouts._judge(book, 2.5)
    price, wage = (np.array([t[key] for t in pool]) for key in ("price_m", "wage_m"))
    picks = choose(scouts.params, book, price, wage, habits)
    stop.call("submit_draft", template_ids=[pool[i]["id"] for i in picks])
