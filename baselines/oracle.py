"""The oracle: a strategist who knows. It reads hidden truth, and acts through the tools and budgets like anybody.

(paper, appendix H) Its privilege is information: true ability, potential, growth and onset of every player; what each
club asks and each bidder would pay, to the thousand; the wage each player signs for; the strength of every rival.
Bids close at first offer, contracts at the reservation wage, sales at the buyer's ceiling; only prospects of true
potential are promoted; the eleven is solved anew at every stop over all formations from ability, form, morale and
weariness, and the style is the one that pays over the fixtures ahead, net of the cost of a switch. Decisions are
those of ``manager``, the price of cash and the alarm over the board's patience among them. Nothing outside this
package may import it (tests/test_architecture.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fmgym import entry, rows
from fmgym.baselines import reckoning
from fmgym.baselines.book import MAN, Eyes, player_id, usual_traits
from fmgym.baselines.desk import Desk, Habits, strength_to_beat
from fmgym.baselines.drafting import choose
from fmgym.baselines.manager import play
from fmgym.baselines.reading import Row
from fmgym.calendar import age
from fmgym.enums import N_STYLES, Status, Style
from fmgym.jit import njit
from fmgym.kernels import academy, contracts, managers, market
from fmgym.kernels.condition import available, condition_now
from fmgym.names import template_id, word
from fmgym.stop import Stop
from fmgym.tools import FORMATIONS
from fmgym.world import World

HABITS = Habits(margin=0.0, wage_share=0.74)


class Oracle:
    """Plays by what is true."""

    name = "oracle"

    def __init__(self, habits: Habits = HABITS) -> None:
        self.habits = habits

    def play(self, stop: Stop) -> None:
        """Play one stop."""
        play(stop, Truth(stop), self.habits, draft, match_days)


def world_of(stop: Stop) -> World:
    """The world behind a stop, whose hidden truth no other policy reads."""
    return stop._table.world


def draft(stop: Stop, truth: Truth, habits: Habits) -> None:
    """Hand in the squad that is worth most."""
    templates = rows.table(truth.world, "templates")
    price, wage = templates["price"] / 1000.0, templates["wage"] / 1000.0
    revenue = entry.figures(truth.world, truth.seat).expected_revenue / 1000.0
    picks = choose(truth.world.params, truth.templates(), price, wage, revenue, habits)
    stop.call("submit_draft", template_ids=[template_id(i) for i in picks])


def match_days(desk: Desk, truth: Truth) -> None:
    """Formation, style and eleven for the matches to come."""
    slots = np.array(rows.squad(truth.world, truth.club), np.int64)
    position = truth.players["position"][slots].copy()
    levels, able = _levels(truth.world.array, truth.world.params.record, slots)
    elevens, strengths = reckoning.elevens(desk.params.record, position, levels, able)
    formation = int(np.argmax(strengths))
    eleven = elevens[formation]
    if eleven.min() < 0:
        return
    style = int(np.argmax(_styles(truth.world.array, truth.world.params.record, truth.club, slots[eleven])))
    club = truth.world.w.clubs[truth.club]
    if (club.formation, club.style) != (formation, style):
        desk.stop.call("set_tactics", formation=list(FORMATIONS)[formation], style=word(Style(style)))
    book = truth.squad()
    desk.stop.call("set_lineup", player_ids=[player_id(book[i]) for i in eleven])


class Truth(Eyes):
    """Beliefs that are true."""

    fees = (1.0,)
    wages = (1.0,)

    def __init__(self, stop: Stop) -> None:
        self.world = world_of(stop)
        self.seat = stop.seat
        self.club = int(self.world.array["seats"]["club"][0, stop.seat])
        self.players = rows.table(self.world, "players")
        self.day = int(self.world.array["day"][0])

    def templates(self) -> np.ndarray:
        """The draft pool."""
        templates = rows.table(self.world, "templates")
        book = np.zeros(len(templates), MAN)
        for name in ("position", "age", "ability", "potential"):
            book[name] = templates[name]
        usual_traits(book, self.world.params)
        return book

    def squad(self) -> np.ndarray:
        """One's own seniors."""
        return self._book(rows.squad(self.world, self.club))

    def prospects(self) -> np.ndarray:
        """One's own academy."""
        return self._book(rows.academy(self.world, self.club))

    def league(self) -> np.ndarray:
        """Everybody elsewhere."""
        return self._book(np.nonzero(self._elsewhere())[0])

    def again(self, men: np.ndarray) -> np.ndarray:
        """The same men, read again."""
        return self._book([(int(uid) - 1) % len(self.players) for uid in men["uid"]])

    def unattached(self) -> np.ndarray:
        """Free agents, and contracts about to end."""
        pl = self.players
        ending = pl["contract_end"] - self.day <= self.world.params.wage.free_days
        free = (pl["status"] == Status.FREE) | (self._elsewhere() & ending & (pl["next_club"] < 0))
        return self._book(np.nonzero(free)[0])

    def rivals(self) -> float:
        """The strength to be beaten."""
        return strength_to_beat(self.world.params, self.league())

    def ceiling(self, offer: Row) -> float:
        """The most the club behind a bid would pay."""
        offers = rows.part(self.world, "seats", self.seat, "offers")
        limit = int(offers["limit"][offers["id"] == int(offer["id"][1:])][0])
        buyer = int(offer["club"][1:]) - 1
        return min(limit, int(_purse(self.world.array, self.world.params.record, buyer))) / 1000.0

    def opening(self, man: np.void, demand: float) -> float:
        """What he signs for."""
        return float(man["pay"])

    def heard(self, man: np.void, ask: float) -> None:
        """Nothing new."""

    def _elsewhere(self) -> np.ndarray:
        found: np.ndarray = (self.players["status"] == Status.SENIOR) & (self.players["club"] != self.club)
        return found

    def _book(self, slots: np.ndarray | list[int]) -> np.ndarray:
        book = np.zeros(len(slots), MAN)
        _read(self.world.array, self.world.params.record, self.club, np.array(slots, np.int64), book)
        return book


@njit
def _read(worlds: Any, params: Any, club: int, slots: np.ndarray, book: Any) -> None:
    """Fill a book with the truth about the players in some slots."""
    w, p = worlds[0], params[0]
    for i in range(len(slots)):
        slot = slots[i]
        pl, truth, man = w.players[slot], w.truth[slot], book[i]
        man.uid = pl.uid
        man.position = pl.position
        man.club = pl.club
        man.until = pl.contract_end
        man.listed = pl.listed
        man.leaving = 1 if pl.next_club >= 0 else 0
        man.age = age(w.day, pl.born)
        man.ability = truth.ability
        man.potential = truth.potential
        man.growth = truth.growth
        man.onset = truth.onset
        man.hype = pl.pub_ability - truth.ability
        man.wage = pl.wage / 1000.0
        man.value = pl.value / 1000.0
        if pl.status == Status.ACADEMY:
            man.pay = academy.promotion_wage(w, p, slot) / 1000.0
        else:
            man.pay = contracts.reservation(w, p, club, slot) / 1000.0
        if pl.status == Status.SENIOR and pl.club != club:
            man.fee = market.ask(w, p, club, slot) / 1000.0


@njit
def _levels(worlds: Any, params: Any, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each man brings to the next match in his own position, and whether he can play."""
    w, p = worlds[0], params[0]
    levels, able = np.empty(len(slots)), np.empty(len(slots), np.bool_)
    for i in range(len(slots)):
        pl = w.players[slots[i]]
        x = w.truth[slots[i]].ability + p.match.form * pl.form + p.match.morale * (pl.morale / 50.0 - 1.0)
        levels[i] = x - p.condition.tired * (100.0 - condition_now(w, p, slots[i]))
        able[i] = available(w, p, slots[i])
    return levels, able


@njit
def _styles(worlds: Any, params: Any, club: int, eleven: np.ndarray) -> np.ndarray:
    """What each style would bring over the season's fixtures ahead, in ability points summed over them."""
    w, p = worlds[0], params[0]
    c = w.clubs[club]
    worth = np.zeros(N_STYLES)
    for style in range(N_STYLES):
        fit = 0.0
        for i in range(len(eleven)):
            suits = w.truth[eleven[i]].style_fit == style
            fit += (1.0 if suits else -1.0 / (N_STYLES - 1)) * p.match.style_fit / len(eleven)
        for f in range(w.next_fixture, w.n_fixtures):
            fx = w.fixtures[f]
            if fx.home != club and fx.away != club:
                continue
            theirs = w.clubs[fx.away if fx.home == club else fx.home].style
            since = c.style_day if style == c.style else w.day
            known = min(max((fx.day - since) / p.match.style_days, 0.0), 1.0)
            worth[style] += known * fit - p.match.style_cost * (1.0 - known)
            worth[style] += p.match.style_edge * known if (style + 1) % N_STYLES == theirs else 0.0
            worth[style] -= p.match.style_edge if (theirs + 1) % N_STYLES == style else 0.0
    return worth


@njit
def _purse(worlds: Any, params: Any, buyer: int) -> Any:
    """What a scripted club can spend at most, k."""
    return min(managers.spending_room(worlds[0], params[0], buyer), worlds[0].clubs[buyer].cash)
