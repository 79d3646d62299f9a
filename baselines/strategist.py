"""The strategist: blind, and good. What the best managers were found to do, as rules.

It sees only what the tools show. Its decisions are those of ``manager``, which the oracle shares; its beliefs are
those of ``Scouts`` below. The rules, in the order of a stop:

1. **Beliefs.** A scout's report and the public's value are two errors about one man. The value is turned back into
   the ability that the public must see, and the two are weighed by how far each usually errs. Reports on potential
   are drawn towards what is usual at that age, the more the less they can be trusted. Growth and decline are
   expected as they usually come.
2. **What a man is worth.** The eleven of this season and the two to come are worked out with and without him. What
   he adds in strength brings honors, by the lead over the best rivals, which he learns from scouting whole squads;
   what he will be worth in three years is his as an asset, and counts for more when the run's last squads are
   near. Wages for the time between go off. All decisions compare this figure with a price.
3. **Cash is kept at work.** A reserve of some months of wages stays; the more there is beyond it, the less a
   million is worth, until what net worth no longer counts in full is spent almost freely on fees and wages.
4. **Selling.** A bid above a man's worth to the club is bargained upwards twice and then taken, since bidders leave
   only after the third refusal. Who is worth less to us than to the public is listed; who costs more than he is
   worth even unsold is released. So men go at their peak, not after it.
5. **Contracts early.** Everybody who is worth his wages gets a new contract two years before the end, when players
   want least; the young for five years, as they grow and money inflates. The first offer is low: a player who is
   near answers with his price.
6. **Few bids, and learnt asks.** What clubs ask over public value is learnt from their answers and kept in the
   notebook. The first bid lies a little below; whoever counters names his price, which is then taken or left.
   At most three bids a man at a stop, and only where a profit beyond the market's heat is left.
7. **Men without a fee** (free agents, contracts that end) are signed when they are worth more than their wages.
8. **Youth.** Prospects are promoted when of age or before their terms end if they are worth it; the young are bought
   for what they will be.
9. **Buildings.** Training ground and academy when cash is ample, and none after season 12: they would not pay back.
10. **Match days.** The formation that fits the squad best, one style for the whole run, and the choice of the eleven
    left to the staff, who spare tired men.

``desk.Habits`` names what can be changed; ``benchmarks/demands.py`` changes one habit at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from fmgym.baselines import reckoning
from fmgym.baselines.book import MAN, Eyes, player_id, usual_traits
from fmgym.baselines.desk import Desk, Habits, elevens, strength_to_beat
from fmgym.baselines.drafting import choose
from fmgym.baselines.manager import play
from fmgym.baselines.reading import Row, day, middle, potential
from fmgym.enums import Position, Style
from fmgym.names import word
from fmgym.params import Params
from fmgym.state import YEAR
from fmgym.stop import Stop
from fmgym.tools import FORMATIONS

HABITS = Habits()
STYLE = Style.POSSESSION
ASKS, RIVALS = 1.25, 71.5  # what is believed before anything is learnt: asks over public value, strength to be beaten
LEARNING = 0.15  # weight of one answer in the asks believed in
OWN_ERROR, OTHERS_ERROR, DRAFT_ERROR = 1.4, 3.0, 2.5  # ability points by which scouts usually err
PUBLIC_ERROR, PRICE_ERROR = 2.2, 1.0  # the same of the public, and of the prices of a draft
POTENTIAL_ERROR = (1.5, 0.12)  # times that, for potential, and more with each year under 24
GAP = (2.2, 16.0)  # usual growth ahead for each year under 24, and at most
GAP_SD = 4.0
KEPT_HYPE = 0.5  # part of the public's error that lasts
RENEWAL = 0.07  # of his pay that a man wants less for each year his contract has left, up to two
MORALE = 0.25  # difference in pay between utter misery and bliss
OLDEST = 31  # looked at on the market
PAGE = 50
MANY = 8  # clubs to be seen before they are compared


class Strategist:
    """Plays by the rules above, or with other habits under another name."""

    def __init__(self, habits: Habits = HABITS, name: str = "strategist") -> None:
        self.habits, self.name = habits, name

    def play(self, stop: Stop) -> None:
        """Play one stop."""
        play(stop, Scouts(stop), self.habits, draft, finish)


def draft(stop: Stop, scouts: Scouts, habits: Habits) -> None:
    """Hand in the squad believed to be worth most."""
    pool, finances = (result.data for result in stop.turn([("get_draft_pool", {}), ("get_finances", {})]))
    templates, revenue = pool["templates"], finances.get("expected_revenue_m", np.inf)
    price, wage = (np.array([t[key] for t in templates]) for key in ("price_m", "wage_m"))
    picks = choose(scouts.params, scouts.templates(templates), price, wage, revenue, habits)
    stop.call("submit_draft", template_ids=[templates[i]["id"] for i in picks])


def finish(desk: Desk, scouts: Scouts) -> None:
    """Match days, and notes of what was learnt."""
    match_days(desk)
    scouts.take_notes()


def match_days(desk: Desk) -> None:
    """Formation and style; and the eleven, unless the staff choose it."""
    club = desk.stop.call("get_club_overview")
    if not club.ok:
        return
    style = list(Style)[desk.stop.number % len(Style)] if desk.habits.restless else STYLE
    formation = desk.formation
    wanted = (list(FORMATIONS)[formation], word(style))
    if (club.data["formation"], club.data["style"]) != wanted:
        desk.stop.call("set_tactics", formation=wanted[0], style=wanted[1])
    if not desk.habits.rotates:
        eleven = elevens(desk.params, desk.squad)[0][formation]
        if eleven.min() >= 0:
            desk.stop.call("set_lineup", player_ids=[player_id(desk.squad[i]) for i in eleven])


class Scouts(Eyes):
    """Beliefs drawn from what the tools show."""

    fees = (0.9, 1.15, 1.4)
    wages = (0.8, 1.0, 1.2)

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.params = Params.default()
        self.today = day(stop.packet.date)
        self.money = (1.0 + self.params.value.inflation) ** (self.today // YEAR)
        self._notes = stop.packet.notebook
        noted = dict(re.findall(r"(asks|rivals) (\d+\.\d+)", self._notes))
        self._asks, self._rivals = float(noted.get("asks", ASKS)), float(noted.get("rivals", RIVALS))

    def take_notes(self) -> None:
        """Keep what has been learnt."""
        notes = f"asks {self._asks:.3f} rivals {self._rivals:.2f}"
        if notes != self._notes:
            self.stop.call("rewrite_notes", text=notes)

    def rivals(self) -> float:
        """The strength to be beaten, as last seen."""
        return self._rivals

    def heard(self, man: np.void, ask: float) -> None:
        """Learn from an ask how much asks lie above public values."""
        if man["value"] > 0.0:
            self._asks += LEARNING * (ask / float(man["value"]) - self._asks)

    def ceiling(self, offer: Row) -> float:
        """More than a bidder would pay: he answers with what he can do."""
        return 1.3 * float(offer["fee_m"])

    def opening(self, man: np.void, demand: float) -> float:
        """So little that he still answers with his price."""
        return 0.745 * demand

    # Books

    def templates(self, rows: Sequence[Row]) -> np.ndarray:
        """The draft pool. Its prices are values, a little off."""
        usual = [row["price_m"] / self.params.draft.price for row in rows]
        return self._book(rows, [3 * YEAR] * len(rows), DRAFT_ERROR, usual, PRICE_ERROR)

    def squad(self) -> np.ndarray:
        """One's own seniors."""
        rows = self.stop.call("get_squad").data.get("players", [])
        book = self._book(rows, [day(row["until"]) for row in rows], OWN_ERROR)
        book["wage"] = [row["wage_m"] for row in rows]
        book["listed"] = [row["listed"] for row in rows]
        book["leaving"] = ["leaves_for" in row for row in rows]
        years = np.clip((book["until"] - self.today) / YEAR, 0.0, 2.0)
        morale = np.array([row["morale"] for row in rows])
        book["pay"] *= 1.0 - RENEWAL * years + MORALE * (0.5 - morale / 100.0)
        return book

    def prospects(self) -> np.ndarray:
        """One's own academy."""
        rows = self.stop.call("get_youth_academy").data.get("prospects", [])
        book = self._book(rows, [day(row["term_ends"]) for row in rows], OWN_ERROR)
        book["pay"] = [row["promotion_wage_m"] for row in rows]
        return book

    def league(self) -> np.ndarray:
        """Everybody elsewhere, position by position."""
        rows = self._on_market([{"kind": "all", "position": position.name} for position in Position])
        book = self._others(rows)
        if len(set(book["club"])) > MANY:
            self._rivals = strength_to_beat(self.params, book)
        return book

    def again(self, men: np.ndarray) -> np.ndarray:
        """What has been heard since changes what is expected of the others."""
        men["fee"] = self._asks * men["value"]
        return men

    def unattached(self) -> np.ndarray:
        """Free agents, and in the second half of a season contracts about to end."""
        kinds = ["free", "expiring"] if self.today % YEAR >= YEAR // 2 else ["free"]
        book = self._others(self._on_market([{"kind": kind, "max_age": OLDEST} for kind in kinds]))
        book["fee"] = 0.0
        return book

    def _on_market(self, questions: Sequence[Row]) -> list[Row]:
        """All that a question finds, in as many pages as it takes."""
        asked = [("get_transfer_market", {**question, "limit": PAGE}) for question in questions]
        rows, more = [], []
        for (name, question), result in zip(asked, self.stop.turn(asked), strict=True):
            rows += result.data.get("players", [])
            if result.data.get("found", 0) > PAGE:
                more.append((name, {**question, "page": 2}))
        for result in self.stop.turn(more) if more else ():
            rows += result.data.get("players", [])
        return rows

    def _others(self, rows: Sequence[Row]) -> np.ndarray:
        book = self._book(rows, [day(row["until"]) if row["until"] else 0 for row in rows], OTHERS_ERROR)
        book["club"] = [-1 if row["club"] == "free" else int(row["club"][1:]) for row in rows]
        book["wage"] = [row["wage_m"] for row in rows]
        book["fee"] = self._asks * book["value"]
        return book

    def _book(
        self,
        rows: Sequence[Row],
        until: Sequence[int],
        error: float,
        value: Sequence[float] | None = None,
        public_error: float = PUBLIC_ERROR,
    ) -> np.ndarray:
        """Rows as tools show them, judged."""
        book = np.zeros(len(rows), MAN)
        book["uid"] = [int(row["id"][1:]) for row in rows]
        book["position"] = [Position[row["position"]] for row in rows]
        book["age"] = [row["age"] for row in rows]
        book["ability"] = [middle(row) for row in rows]
        book["potential"] = self._potential(book, [potential(row) for row in rows], error)
        book["value"] = [row["value_m"] for row in rows] if value is None else value
        book["until"] = until
        usual_traits(book, self.params)
        self._weigh(book, error, public_error)
        book["pay"] = reckoning.wages(self.params.record, book, book["ability"].copy()) * self.money
        return book

    def _potential(self, book: np.ndarray, stars: Sequence[float], error: float) -> np.ndarray:
        """Stars as potential, drawn towards what is usual at that age."""
        scale = self.params.scouting
        reported = scale.star_low + scale.star_step * (2.0 * np.array(stars) - 0.5)
        young = np.clip(24.0 - book["age"], 0.0, None)
        usual = np.minimum(GAP[0] * young, GAP[1])
        doubt = error * (POTENTIAL_ERROR[0] + POTENTIAL_ERROR[1] * young)
        trust = GAP_SD**2 / (GAP_SD**2 + doubt**2)
        gap = usual + trust * (reported - book["ability"] - usual)
        potentials: np.ndarray = book["ability"] + np.where(book["age"] < 27.0, np.maximum(gap, 0.0), 0.0)
        return potentials

    def _weigh(self, book: np.ndarray, error: float, public_error: float) -> None:
        """Move reports towards what the public must see in a man to value him as it does."""
        p = self.params.value
        running_out = 1.0 - np.clip((book["until"] - self.today) / YEAR, 0.0, 1.0)
        seen = reckoning.prices(self.params.record, book, book["ability"].copy(), 0.0) * self.money
        seen *= 1.0 - p.contract * running_out
        known = book["value"] > 0.02  # below it all are alike
        apart = np.where(known, p.double * np.log2(np.maximum(book["value"], 0.02) / np.maximum(seen, 1e-3)), 0.0)
        shift = apart * error**2 / (error**2 + public_error**2)
        book["ability"] += shift
        book["potential"] += shift
        book["hype"] = KEPT_HYPE * (apart - shift)
