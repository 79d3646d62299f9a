"""What agents are told of their calls: why one was refused and what would be right, or what one led to.

Templates stand in two tables; ``Facts`` fills their braces with what the seat may know, one method a
brace, worked out only when a sentence asks for it.
"""

from __future__ import annotations

from typing import Any

from fmgym import entry, rows
from fmgym.calendar import day_of_year, season_of
from fmgym.enums import (
    Condition,
    Error,
    Facility,
    OfferKind,
    OrderAction,
    Outcome,
    Reply,
    Settle,
    Status,
    Tool,
)
from fmgym.kernels import actions, contracts, deals, finance, market, roster
from fmgym.names import club_id, date, match_id, millions, money, offer_id, player_id, word
from fmgym.state import YEAR
from fmgym.tools import NOTEBOOK, ToolCall, unparse
from fmgym.views import club_of, completed, known, live_offers
from fmgym.world import World

# Codes that arguments.py and tools.py raise carry their sentences with them.
REFUSALS: dict[Error, str] = {
    Error.BAD_ARGUMENT: "{misfit}",
    Error.QUERY_BUDGET: "The stop's {queries} queries are spent; actions, notes and advance are open.",
    Error.NEGOTIATION_BUDGET: "The stop's {negotiations} negotiation moves are spent; wait for the next one.",
    Error.DRAFT_ONLY: "{tool} is for the draft only, which is over.",
    Error.NOT_IN_DRAFT: "The draft comes first: use get_draft_pool, submit_draft and then advance.",
    Error.UNKNOWN_PLAYER: "There is no player {player} now; get_squad and get_transfer_market show ids.",
    Error.NOT_YOUR_PLAYER: "{player} is not {owned}.",
    Error.OWN_PLAYER: "{player} is your own player; bid for players of other clubs.",
    Error.WINDOW_CLOSED: "The transfer window is closed; the next one opens {opens}.",
    Error.CASH_SHORT: "This needs {need} at once and the club has {cash}.",
    Error.SQUAD_FULL: "The squad has {squad} seniors and may have {squad_max}: sell or release one first.",
    Error.SQUAD_MINIMUM: "The squad has {squad} seniors and must keep {squad_min}: sign one first.",
    Error.COOLDOWN: "Talks about {player} are broken off until {cooled}.",
    Error.UNKNOWN_OFFER: "There is no live offer {offer}; live are: {live}.",
    Error.NO_COUNTER: "Offer {offer} is {about}; accept_counter takes counters to your own offers.",
    Error.NOT_FOR_SALE: "{player} cannot be bought now: {unsaleable}.",
    Error.NO_AGREEMENT: "{unagreed}",
    Error.NOT_ACADEMY: "{player} is a senior already; promote prospects of get_youth_academy.",
    Error.MAX_LEVEL: "The {facility} is at the highest level, {top}.",
    Error.BUILDING: "The {facility} is under construction until {ready}.",
    Error.UNKNOWN_MATCH: "There is no report of {match}; get_fixtures shows ids of played matches.",
    Error.ORDER_EMPTY: "Standing order {place} is empty already.",
    Error.OVER_BUDGET: "The completed list costs {list_cost}, above the budget of {draft_budget}.",
    Error.UNKNOWN_TEMPLATE: "Templates run from T01 to T{templates}; get_draft_pool shows them.",
    Error.NO_CHANGE: "{unchanged}",
    Error.PLAYER_REFUSES: "{player} will not talk about a new contract: {refusal}.",
    Error.UNAVAILABLE: "The deal can no longer be done: {undone}.",
    Error.FINISHED: "The run is over ({ending}); no more calls count.",
    Error.WAITING: "This stop is closed; calls count again at the next one.",
    Error.NOTEBOOK_FULL: "A notebook holds {notebook_room} characters, this one would have {notebook_size}.",
}

ANSWERS: dict[tuple[Tool, Outcome], str] = {
    (Tool.SET_LINEUP, Outcome.DONE): "Lineup: {lineup}.",
    (Tool.SET_TACTICS, Outcome.DONE): "{tactics}.",
    (
        Tool.MAKE_TRANSFER_OFFER,
        Outcome.ACCEPTED,
    ): "{owner} accept {sum}: agree terms by offer_contract until {expires}.",
    (
        Tool.MAKE_TRANSFER_OFFER,
        Outcome.COUNTERED,
    ): "{owner} ask {sum} instead (offer {answered}, until {expires}).",
    (Tool.MAKE_TRANSFER_OFFER, Outcome.REJECTED): "{owner} reject the bid.",
    (Tool.MAKE_TRANSFER_OFFER, Outcome.TALKS_OFF): "{owner} break off the talks until {cooled}.",
    (
        Tool.MAKE_TRANSFER_OFFER,
        Outcome.LODGED,
    ): "{sum} goes to {owner} when the day ends; the answer comes as an offer or in the inbox.",
    (Tool.RESPOND_TO_OFFER, Outcome.DONE): "Offer {offer} is turned down.",
    (Tool.RESPOND_TO_OFFER, Outcome.ACCEPTED): "Sold for {sum}.",
    (Tool.RESPOND_TO_OFFER, Outcome.LODGED): "Your answer, {sum}, is lodged until the day ends.",
    (Tool.RESPOND_TO_OFFER, Outcome.COUNTERED): "The bidder raises to {sum}; the offer stands.",
    (Tool.RESPOND_TO_OFFER, Outcome.TALKS_OFF): "The bidder walks away.",
    (Tool.OFFER_CONTRACT, Outcome.ACCEPTED): "{player} signs at {sum} a year.",
    (
        Tool.OFFER_CONTRACT,
        Outcome.LODGED,
    ): "{player} agrees to {sum} a year; the deal is lodged, and when the day ends the best one for him wins.",
    (
        Tool.OFFER_CONTRACT,
        Outcome.COUNTERED,
    ): "{player} asks {sum} a year (offer {answered}, until {expires}).",
    (Tool.OFFER_CONTRACT, Outcome.REJECTED): "{player} turns the offer down.",
    (Tool.OFFER_CONTRACT, Outcome.TALKS_OFF): "{player} breaks off the talks until {cooled}.",
    (Tool.LIST_PLAYER, Outcome.DONE): "{player} is {listing} the transfer list.",
    (Tool.RELEASE_PLAYER, Outcome.DONE): "{player} has left the club.",
    (Tool.PROMOTE_YOUTH, Outcome.DONE): "{player} is a senior now.",
    (Tool.INVEST, Outcome.DONE): "Work on the {facility} has begun, ready {ready}.",
    (Tool.SET_STANDING_ORDER, Outcome.DONE): "Standing order {place} is {ordering}.",
    (
        Tool.SUBMIT_DRAFT,
        Outcome.DONE,
    ): "List of {picked} taken; completed it costs {list_cost} of {draft_budget}.",
    (Tool.APPEND_NOTE, Outcome.DONE): "Noted.",
    (Tool.REWRITE_NOTES, Outcome.DONE): "Notebook replaced.",
    (Tool.ADVANCE, Outcome.DONE): "The stop is closed.",
}


def refusal(world: World, seat: int, call: ToolCall, code: Error, notebook: int = 0) -> str:
    """The sentence for a refused call; ``notebook`` is the size a note would have led to."""
    return REFUSALS[code].format_map(Facts(world, seat, call, meaning(world, seat, call), notebook))


def answer(world: World, seat: int, call: ToolCall, meant: ToolCall, outcome: Outcome, value: int) -> str:
    """The sentence for an accepted action, note or advance, after its effect; ``meant``: see ``meaning``."""
    return ANSWERS[Tool(meant.tool), outcome].format_map(Facts(world, seat, call, meant, value))


def data(world: World, seat: int, meant: ToolCall, outcome: Outcome, value: int) -> dict[str, Any]:
    """What an accepted action led to, as figures."""
    out: dict[str, Any] = {"status": word(outcome)}
    if meant.tool not in (Tool.MAKE_TRANSFER_OFFER, Tool.RESPOND_TO_OFFER, Tool.OFFER_CONTRACT):
        return out
    if value:
        out["wage_m_per_year" if meant.tool == Tool.OFFER_CONTRACT else "fee_m"] = millions(value)
    if meant.tool != Tool.RESPOND_TO_OFFER and outcome in _OPENS_OFFER[Tool(meant.tool)]:
        newest = Facts(world, seat, meant, meant, value)
        out |= {"offer_id": newest["answered"], "expires": newest["expires"]}
    return out


_OPENS_OFFER = {
    Tool.MAKE_TRANSFER_OFFER: (Outcome.ACCEPTED, Outcome.COUNTERED),
    Tool.OFFER_CONTRACT: (Outcome.COUNTERED,),
}


def meaning(world: World, seat: int, call: ToolCall) -> ToolCall:
    """The bid or contract offer that a reply to a counter or a demand amounts to; any other call itself.

    To be asked before the call is played, while its offer still stands.
    """
    if call.tool != Tool.RESPOND_TO_OFFER:
        return call
    number, reply, amount = call.args
    o = _live_offer(world, seat, number)
    if o is None or reply == Reply.REJECT:
        return call
    agreed = o.kind == OfferKind.FEE_AGREED
    if agreed != (reply == Reply.ACCEPT):
        return call
    sums = {OfferKind.BID_COUNTERED: o.fee, OfferKind.WAGE_COUNTERED: o.wage, OfferKind.FEE_AGREED: o.wage}
    if o.kind not in sums:
        return call
    agreed_sum = amount if reply == Reply.COUNTER else sums[o.kind]
    if o.kind == OfferKind.BID_COUNTERED:
        return ToolCall(int(Tool.MAKE_TRANSFER_OFFER), (o.uid, agreed_sum, o.instalments))
    return ToolCall(int(Tool.OFFER_CONTRACT), (o.uid, agreed_sum, o.years))


def _live_offer(world: World, seat: int, number: int) -> Any:
    """A seat's live offer of that number, or None."""
    return next((o for o in live_offers(world, seat) if o.id == number), None)


_KINDS = {
    OfferKind.BID_RECEIVED: "a bid for your player",
    OfferKind.BID_COUNTERED: "a counter to your bid",
    OfferKind.FEE_AGREED: "an agreed fee: accept the player's demand, or offer_contract for less",
    OfferKind.WAGE_COUNTERED: "a counter to your wage offer",
}


class Facts:
    """What the braces of sentences stand for. ``value``: the engine's answer, or a notebook's size."""

    def __init__(self, world: World, seat: int, asked: ToolCall, meant: ToolCall, value: int) -> None:
        self._world, self._p, self._seat, self._club = world, world.params, seat, club_of(world, seat)
        self._asked, self._meant, self._args, self._value = asked, meant, meant.args, value

    def __getitem__(self, fact: str) -> str:
        return str(getattr(self, fact)())

    @property
    def _w(self) -> Any:
        return self._world.w

    @property
    def _c(self) -> Any:
        return self._w.clubs[self._club]

    def _player(self) -> Any:
        """The player a call is about, or None when there is none (any more)."""
        slot = entry.slot_of(self._world, self._args[0])
        return None if slot < 0 else known(self._world, self._seat, [slot])[0]

    def _offer(self) -> Any:
        """The offer a reply is about."""
        return _live_offer(self._world, self._seat, self._asked.args[0])

    def _newest(self) -> Any:
        return _live_offer(self._world, self._seat, rows.seat(self._world, self._seat).next_offer)

    # Budgets, tools, places

    def queries(self) -> int:
        return int(self._p.stop.queries)

    def negotiations(self) -> int:
        return int(self._p.stop.negotiations)

    def tool(self) -> str:
        return word(Tool(self._asked.tool))

    def place(self) -> int:
        return self._args[0] + 1

    def ordering(self) -> str:
        return "cleared" if self._args[1] == -1 else "active"

    def ending(self) -> str:
        return word(Settle(self._w.seats[self._seat].settled))

    def notebook_size(self) -> int:
        return self._value

    def notebook_room(self) -> int:
        return NOTEBOOK

    # Players

    def player(self) -> str:
        return player_id(self._args[0]) if self._meant.tool != Tool.SET_LINEUP else self._stranger()

    def _stranger(self) -> str:
        """The first of a lineup who is not a senior of the club."""
        own = {int(self._w.players[slot].uid) for slot in self._c.squad[: self._c.n_squad]}
        return player_id(next(uid for uid in self._args if uid not in own))

    def owned(self) -> str:
        if self._meant.tool == Tool.OFFER_CONTRACT:
            return "to be had: he is in another club's academy"
        return "in your academy" if self._meant.tool == Tool.PROMOTE_YOUTH else "one of your seniors"

    def listing(self) -> str:
        return "on" if self._args[1] else "off"

    def lineup(self) -> str:
        return ", ".join(player_id(uid) for uid in self._args) or "chosen by your staff"

    def tactics(self) -> str:
        shown = unparse(self._world, self._meant)[1]
        return f"{shown['formation']}, {shown['style']}"

    def squad(self) -> int:
        return int(self._c.n_squad)

    def squad_min(self) -> int:
        return int(self._p.market.squad_min)

    def squad_max(self) -> int:
        return int(self._p.market.squad_max)

    def refusal(self) -> str:
        pl = self._player()
        if pl.next_club >= 0:
            return f"he has signed with {club_id(pl.next_club)}"
        return f"his morale is {pl.morale:.0f}, and below {self._p.wage.refuse_morale:g} he refuses"

    # Money

    def cash(self) -> str:
        free = int(deals.available(self._w, self._world.p, self._club))
        return money(free) if free == self._c.cash else f"{money(free)} beside its lodged deals"

    def sum(self) -> str:
        return money(self._value)

    def need(self) -> str:
        """What a call costs at once."""
        w, p, args = self._w, self._world.p, self._args
        if self._meant.tool == Tool.INVEST:
            return money(finance.upgrade_cost(w, p, self._club, args[0]))
        if self._meant.tool == Tool.RELEASE_PLAYER:
            return money(contracts.severance(w, p, roster.slot_of(w, args[0])))
        if self._meant.tool == Tool.MAKE_TRANSFER_OFFER:
            return money(market.down_payment(args[1], args[2]))
        fee = actions.agreed_fee(w, self._seat, args[0])
        return money(contracts.signing_cost(p, args[1]) + fee)

    # Talks and offers

    def opens(self) -> str:
        """The first day of the next transfer window."""
        day = int(self._w.day)
        firsts = (self._p.calendar.window_summer[0], self._p.calendar.window_winter[0])
        ahead = min((first - int(day_of_year(day))) % YEAR for first in firsts)
        return date(day + ahead)

    def cooled(self) -> str:
        field = "wage_cooldown" if self._meant.tool == Tool.OFFER_CONTRACT else "cooldown"
        i = entry.talk_index(self._world, self._club, self._args[0])
        return date(rows.part(self._world, "clubs", self._club, "talks")[field][i] + 1)

    def offer(self) -> str:
        return offer_id(self._asked.args[0])

    def about(self) -> str:
        return _KINDS[OfferKind(self._offer().kind)]

    def live(self) -> str:
        return ", ".join(offer_id(o.id) for o in live_offers(self._world, self._seat)) or "none"

    def owner(self) -> str:
        return club_id(self._player().club)

    def answered(self) -> str:
        return offer_id(self._newest().id)

    def expires(self) -> str:
        return date(self._newest().expires)

    def unsaleable(self) -> str:
        pl = self._player()
        if pl.status == Status.FREE:
            return "he is a free agent, so use offer_contract"
        if pl.status == Status.ACADEMY:
            return "prospects of academies are not sold"
        if pl.next_club >= 0:
            return f"he has signed with {club_id(pl.next_club)}"
        return f"his club has only {self._w.clubs[pl.club].n_squad} seniors"

    def unagreed(self) -> str:
        if self._player().status == Status.ACADEMY:
            return f"{self.player()} is in your academy: promote him first."
        days = self._p.wage.free_days
        who = self.player()
        return f"{who} needs an agreed fee first (make_transfer_offer) until his contract's last {days} days."

    def unchanged(self) -> str:
        if self._meant.tool == Tool.LIST_PLAYER:
            return f"{self.player()} is {self.listing()} the transfer list already."
        if entry.lodged_index(self._world, self._seat, self._args[0]) >= 0:
            return f"A deal about {self.player()} is lodged already; it is carried out when the day ends."
        if self._meant.tool == Tool.MAKE_TRANSFER_OFFER:
            return f"The fee for {self.player()} is agreed already: agree terms by offer_contract."
        return f"{self.player()} has a contract until {date(self._player().contract_end)}; offer a longer one."

    def undone(self) -> str:
        offer = self._offer()
        slot = entry.slot_of(self._world, offer.uid)
        promised = slot < 0 or rows.player(self._world, slot).next_club >= 0
        if promised or entry.lodged_index(self._world, self._seat, offer.uid) >= 0:
            return "the player is promised to another club"
        return f"{club_id(offer.club)} lacks the cash or a place in the squad"

    # Facilities, matches, draft

    def facility(self) -> str:
        return word(Facility(self._args[0]))

    def top(self) -> int:
        return int(self._p.facility.top)

    def ready(self) -> str:
        return date(self._c.building[self._args[0]])

    def match(self) -> str:
        return match_id(int(season_of(self._w.day)), self._args[0])

    def templates(self) -> int:
        return len(self._w.templates)

    def picked(self) -> int:
        return len(self._args)

    def list_cost(self) -> str:
        return money(self._w.templates["price"][completed(self._world, self._args)].sum())

    def draft_budget(self) -> str:
        return money(self._p.draft.budget)

    # What does not fit together

    def misfit(self) -> str:
        if self._meant.tool == Tool.SET_STANDING_ORDER:
            return self._order_misfit()
        if self._meant.tool == Tool.MAKE_TRANSFER_OFFER:
            return f"Bids start at {money(self._p.market.min_fee)}."
        o = self._offer()
        if o.kind == OfferKind.BID_RECEIVED:
            return f"A counter must lie above the bid of {money(o.fee)}."
        return f"Offer {self.offer()} is {self.about()}; {word(Reply(self._args[1]))} does not answer it."

    def _order_misfit(self) -> str:
        condition = self._args[1]
        fitting = [word(action) for action in OrderAction if actions.order_fits(condition, int(action))]
        return f"{word(Condition(condition))} is followed by {' or '.join(fitting)}."
