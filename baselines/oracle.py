"""Reads hidden truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from fmgym import rows
from fmgym.baselines.book import MAN
from fmgym.baselines.drafting import choose
from fmgym.baselines.manager import Habits, Manager
from fmgym.calendar import age
from fmgym.enums import Status
from fmgym.jit import njit
from fmgym.kernels import academy, contracts, managers, market
from fmgym.kernels.condition import condition_now
from fmgym.state import YEAR
from fmgym.stop import Stop
from fmgym.world import World


class Oracle:
    name = "oracle"

    def __init__(self, habits: Habits | None = None) -> None:
        self.habits = habits or Habits(margin=0.02)

    def play(self, stop: Stop) -> None:
        if "draft" in stop.packet.kinds:
            draft(stop, self.habits)
        else:
            Manager(stop, Truth(stop), self.habits).play()
        stop.call("advance")


@njit
def _fill(worlds, params, club, slots, men):  # type: ignore[no-untyped-def]
    w, p = worlds[0], params[0]
    for i in range(len(slots)):
        slot = slots[i]
        pl, t, m = w.players[slot], w.truth[slot], men[i]
        m.uid = pl.uid
        m.position = pl.position
        m.club = pl.club
        m.until = pl.contract_end
        m.listed = pl.listed
        m.leaving = 1 if pl.next_club >= 0 else 0
        m.out = 1 if pl.injured_until > w.day or pl.banned > 0 else 0
        m.age = age(w.day, pl.born)
        m.ability = t.ability
        m.potential = t.potential
        m.growth = t.growth
        m.onset = t.onset
        m.wage = pl.wage / 1000.0
        m.value = pl.value / 1000.0
        m.condition = condition_now(w, p, slot)
        m.form = pl.form
        m.morale = pl.morale
        m.fee = 0.0
        if pl.status == Status.ACADEMY:
            m.pay = academy.promotion_wage(w, p, slot) / 1000.0
        else:
            m.pay = contracts.reservation(w, p, club, slot) / 1000.0
        if pl.status == Status.SENIOR and pl.club != club:
            m.fee = market.ask(w, p, club, slot) / 1000.0


@njit
def _most(worlds, params, buyer):  # type: ignore[no-untyped-def]
    w, p = worlds[0], params[0]
    return min(managers.spending_room(w, p, buyer), w.clubs[buyer].cash)


class Truth:
    """Beliefs that are the truth."""

    exact = True

    def __init__(self, stop: Stop) -> None:
        self.world: World = stop._table.world
        self.seat = stop.seat
        self.club = int(self.world.array["seats"]["club"][0, stop.seat])

    def _book(self, slots: Any) -> np.ndarray:
        men = np.zeros(len(slots), MAN)
        _fill(self.world.array, self.world.params.record, self.club, np.array(slots, np.int64), men)
        return men

    def squad(self) -> np.ndarray:
        return self._book(rows.squad(self.world, self.club))

    def prospects(self) -> np.ndarray:
        return self._book(rows.academy(self.world, self.club))

    def market(self, most: float) -> np.ndarray:
        pl = rows.table(self.world, "players")
        elsewhere = (pl["status"] == Status.SENIOR) & (pl["club"] != self.club) & (pl["next_club"] < 0)
        return self._book(np.nonzero(elsewhere & (pl["value"] <= 1000 * most) | (pl["status"] == Status.FREE))[0])

    def unattached(self) -> np.ndarray:
        pl = rows.table(self.world, "players")
        day = int(self.world.array["day"][0])
        ending = (pl["status"] == Status.SENIOR) & (pl["club"] != self.club) & (pl["next_club"] < 0)
        ending &= pl["contract_end"] - day <= self.world.params.wage.free_days
        men = self._book(np.nonzero(ending | (pl["status"] == Status.FREE))[0])
        men["fee"] = 0.0
        return men

    def ceiling(self, offer: Any) -> float:
        room = rows.part(self.world, "seats", self.seat, "offers")
        limit = next(int(o["limit"]) for o in room if f"O{int(o['id']):05d}" == offer["id"])
        buyer = int(offer["club"][1:]) - 1
        return min(limit, int(_most(self.world.array, self.world.params.record, buyer))) / 1000


def draft(stop: Stop, habits: Habits) -> None:
    world: World = stop._table.world
    templates = rows.table(world, "templates")
    book = np.zeros(len(templates), MAN)
    for name in ("position", "age", "ability", "potential"):
        book[name] = templates[name]
    from fmgym.baselines.book import usual

    usual(book, world.params)
    price, wage = templates["price"] / 1000, templates["wage"] / 1000
    pool = stop.call("get_draft_pool").data["templates"]
    picks = choose(world.params, book, price, wage, habits)
    stop.call("submit_draft", template_ids=[pool[i]["id"] for i in picks])
