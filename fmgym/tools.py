"""The 26 tools (paper, Table 10): one registry from which schemas, parsing, docs and texts come.

An action of any agent becomes a ``ToolCall`` here, integers for the engine and at most one text beside
them; ``parse`` and ``unparse`` are inverses. What a call may do is decided by ``kernels.actions`` alone.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from fmgym.arguments import Arg, CallError, Choice, Flag, Id, Ids, Match, Money, Text, Whole
from fmgym.enums import Condition, Error, Facility, Formation, OrderAction, Position, Reply, Style, Tool
from fmgym.errors import BadInput
from fmgym.names import word
from fmgym.params import Params
from fmgym.state import LINEUP, MAX_ARGS, ORDERS
from fmgym.world import World

__all__ = ["NOTEBOOK", "TOOLS", "CallError", "ToolCall", "ToolSpec", "parse", "schemas", "unparse"]

NOTE = 20_000  # characters of one note
NOTEBOOK = 250_000  # characters of a notebook


@dataclass(frozen=True)
class ToolCall:
    """One call: what the engine plays, and the text of a note."""

    tool: int
    args: tuple[int, ...] = ()
    text: str | None = None


@dataclass(frozen=True)
class ToolSpec:
    """One tool. ``rule`` looks at the given arguments together and returns a complaint, or None."""

    tool: Tool
    kind: str  # query, action, notebook or control
    budget: str  # none, queries or negotiations
    doc: str
    args: tuple[Arg, ...] = ()
    examples: tuple[dict[str, Any], ...] = ({},)
    rule: Callable[[Mapping[str, Any]], str | None] = field(default=lambda given: None)

    @functools.cached_property
    def name(self) -> str:
        return word(self.tool)


def words(codes: type[IntEnum], **more: int) -> dict[str, int]:
    """The lower-case words of an enum, with their codes."""
    return more | {word(code): int(code) for code in codes}


FORMATIONS = {"-".join(code.name[1:]): int(code) for code in Formation}
POSITIONS = {code.name: int(code) for code in Position}
MARKETS = {"listed": 0, "free": 1, "expiring": 2, "all": 3}
SORTS = {"ability": 0, "potential": 1, "value": 2, "age": 3, "wage": 4}
HISTORIES = {"honors": 0, "seasons": 1, "transfers": 2}
FIXTURES = {"all": 0, "played": 1, "upcoming": 2}

_PLAYER = Id("player_id", "", letter="P")
_CLUB = Id("club_id", "a club, by default yours", default=None, letter="C", digits=2, offset=1, most="shape.clubs")
_LIMIT = Whole("limit", "rows of a page", default=20, low=1, high=50)
_PAGE = Whole("page", "", default=1, low=1, high=1000)
_OFFER = Id("offer_id", "", letter="O")
_P, _T = {"player_id": "P00361"}, {"template_ids": ["T01", "T07", "T33"]}


def _reply_rule(given: Mapping[str, Any]) -> str | None:
    counter = given["response"] == "counter"
    if counter == (given.get("amount_m") is not None):
        return None
    return "a counter needs amount_m." if counter else "amount_m goes with the response counter only."


def _order_rule(given: Mapping[str, Any]) -> str | None:
    rest = [name for name in ("threshold", "action") if given.get(name) is not None]
    if given["condition"] == "clear":
        return "clearing takes neither threshold nor action." if rest else None
    return None if len(rest) == 2 else "an order needs a threshold and an action."


def _query(tool: Tool, doc: str, *args: Arg, examples: tuple[dict[str, Any], ...] = ({},)) -> ToolSpec:
    return ToolSpec(tool, "query", "queries", doc, args, examples)


def _action(tool: Tool, doc: str, *args: Arg, examples: tuple[dict[str, Any], ...], **more: Any) -> ToolSpec:
    return ToolSpec(tool, "action", more.pop("budget", "none"), doc, args, examples, **more)


_SPECS = (
    _query(
        Tool.GET_CLUB_OVERVIEW,
        "Your club on one page: place, cash, board, facilities, tactics, lineup, standing orders.",
    ),
    _query(
        Tool.GET_SQUAD,
        "Your seniors: scouted ability band and confidence, potential stars, form, fitness, contract, wage.",
    ),
    _query(
        Tool.GET_PLAYER,
        "All that can be known of one player, yours or not: scouting, statistics, contract, your talks.",
        _PLAYER,
        examples=(_P,),
    ),
    _query(Tool.GET_LEAGUE_TABLE, "The league table of the running season."),
    _query(
        Tool.GET_FIXTURES,
        "A club's matches of this season with their ids, and the results so far.",
        Choice("which", "", default="all", words=FIXTURES),
        _CLUB,
        examples=({}, {"which": "upcoming"}, {"club_id": "C05"}),
    ),
    _query(
        Tool.GET_MATCH_REPORT,
        "Report of a match played this season: score, shots, possession, every player's match.",
        Match("match_id", ""),
        examples=({"match_id": "M01-000"},),
    ),
    _query(
        Tool.GET_TRANSFER_MARKET,
        "Players to be had elsewhere: transfer-listed, free agents, contracts in their last half-year, or "
        "all. Filter, sort and page.",
        Choice("kind", "", default="listed", words=MARKETS),
        Choice("position", "", default=None, words=POSITIONS),
        Whole("min_age", "", default=None, low=14, high=50),
        Whole("max_age", "", default=None, low=14, high=50),
        Money("max_value_m", "highest public value, millions", default=None, absent=-1),
        Whole("min_ability", "least middle of the ability band", default=None, low=1, high=99),
        Choice("sort", "", default="ability", words=SORTS),
        _LIMIT,
        _PAGE,
        examples=({}, {"kind": "free", "position": "ST", "max_age": 28}, {"kind": "all", "max_value_m": 6.5}),
    ),
    _query(
        Tool.GET_FINANCES,
        "Cash, revenue, wages, runway, debts, this and last season's ledger, net worth, active warnings.",
    ),
    _query(
        Tool.GET_YOUTH_ACADEMY,
        "Your prospects with potential stars, the end of their terms and the wage a promotion costs.",
    ),
    _query(
        Tool.GET_HISTORY,
        "The archive of the run: honors, seasons, or transfers (newest first).",
        Choice("kind", "", words=HISTORIES),
        Whole("season", "1 for the first", default=None, low=1, high="shape.seasons", offset=1),
        Id("club_id", "", default=None, letter="C", digits=2, offset=1, most="shape.clubs"),
        Id("player_id", "transfers only", default=None, letter="P"),
        _LIMIT,
        _PAGE,
        examples=(
            {"kind": "honors"},
            {"kind": "seasons", "club_id": "C03"},
            {"kind": "transfers", "season": 1},
        ),
    ),
    _query(Tool.GET_INBOX, "Live offers, events since the last stop, contracts and terms that run out."),
    _query(
        Tool.GET_DRAFT_POOL,
        "Draft only: the shared templates with ability band, potential stars, price and preset contract; "
        "your picks and budget.",
    ),
    _action(
        Tool.SET_LINEUP,
        "Name your preferred eleven; who is unfit is replaced by the best available. An empty list leaves "
        "the choice to your staff.",
        Ids("player_ids", "eleven of your seniors, or none", default=(), item=_PLAYER, most=LINEUP, exact=True),
        examples=({"player_ids": [f"P{n:05d}" for n in range(1, 12)]}, {}),
    ),
    _action(
        Tool.SET_TACTICS,
        "Set formation and style. Each style has one it beats and one that beats it; a new style takes time to learn.",
        Choice("formation", "", words=FORMATIONS),
        Choice("style", "", words=words(Style)),
        examples=({"formation": "4-3-3", "style": "pressing"},),
    ),
    _action(
        Tool.MAKE_TRANSFER_OFFER,
        "Bid for another club's player, in a transfer window. The answer comes at once: accepted (then agree "
        "terms with offer_contract), countered, or rejected, which makes him dearer for you.",
        _PLAYER,
        Money("amount_m", "fee, millions", low="market.min_fee"),
        Whole("instalments", "yearly payments beside the first", default=0, low=0, high="market.instalments"),
        examples=(
            {"player_id": "P00361", "amount_m": 8},
            {"player_id": "P00361", "amount_m": 7.25, "instalments": 2},
        ),
        budget="negotiations",
    ),
    _action(
        Tool.RESPOND_TO_OFFER,
        "Answer a live offer: accept or reject a bid for your player or counter it; take the counter to "
        "your own bid or wage offer with accept_counter, or counter again.",
        _OFFER,
        Choice("response", "", words=words(Reply)),
        Money("amount_m", "with counter: fee, or wage a year, in millions", default=None, low=1),
        examples=(
            {"offer_id": "O00012", "response": "accept"},
            {"offer_id": "O00012", "response": "counter", "amount_m": 9.5},
        ),
        budget="negotiations",
        rule=_reply_rule,
    ),
    _action(
        Tool.OFFER_CONTRACT,
        "Offer a contract: renew your own player, sign a free agent, complete a transfer whose fee is "
        "agreed, or sign a player in his last half-year for the time after. Answered at once.",
        _PLAYER,
        Money("wage_m_per_year", "millions a year", low=1),
        Whole("years", "", low=1, high="wage.years"),
        examples=({"player_id": "P00361", "wage_m_per_year": 1.5, "years": 4},),
    ),
    _action(
        Tool.LIST_PLAYER,
        "Put one of your seniors on the transfer list, or take him off.",
        _PLAYER,
        Flag("listed", "", default=True),
        examples=(_P, {"player_id": "P00361", "listed": False}),
    ),
    _action(
        Tool.RELEASE_PLAYER,
        "End a senior's contract for half a year's wage, or let a prospect go for nothing.",
        _PLAYER,
        examples=(_P,),
    ),
    _action(
        Tool.PROMOTE_YOUTH,
        "Give a prospect of your academy a senior contract of three seasons.",
        _PLAYER,
        examples=(_P,),
    ),
    _action(
        Tool.INVEST,
        "Start a facility's next level; it is paid now and ready in about a year.",
        Choice("facility", "", words=words(Facility)),
        examples=({"facility": "academy"},),
    ),
    _action(
        Tool.SET_STANDING_ORDER,
        "Place an order that acts between stops when its condition holds, or clear the place. Offers: "
        "threshold in % of public value, action accept or reject; contract months: renew; condition in %: "
        "automatic lineup; cash in millions: invest; board confidence: defensive style.",
        Whole("place", "", low=1, high=ORDERS, offset=1),
        Choice("condition", "", words=words(Condition, clear=-1)),
        Whole("threshold", "", default=None, low=0, high=100_000),
        Choice("action", "", default=None, words=words(OrderAction)),
        examples=(
            {"place": 1, "condition": "offer_below_value", "threshold": 90, "action": "reject_offer"},
            {"place": 1, "condition": "clear"},
        ),
        rule=_order_rule,
    ),
    _action(
        Tool.SUBMIT_DRAFT,
        "Draft only: hand in your whole list of templates; handing in again replaces it. A short list is "
        "completed with the cheapest.",
        Ids(
            "template_ids",
            "",
            item=Id("template_ids", "", letter="T", digits=2, offset=1),
            most="draft.squad",
        ),
        examples=(_T,),
    ),
    ToolSpec(
        Tool.APPEND_NOTE,
        "notebook",
        "none",
        "Add a paragraph to your notebook, which every stop shows you.",
        (Text("text", "", most=NOTE, least=1),),
        ({"text": "Renew P00361 before winter."},),
    ),
    ToolSpec(
        Tool.REWRITE_NOTES,
        "notebook",
        "none",
        "Replace your whole notebook.",
        (Text("text", "", most=NOTEBOOK),),
        ({"text": "Plan: youth first."},),
    ),
    ToolSpec(Tool.ADVANCE, "control", "none", "End this stop; the world runs on to your next one."),
)

TOOLS: dict[str, ToolSpec] = {spec.name: spec for spec in _SPECS}
_BY_CODE = {int(spec.tool): spec for spec in _SPECS}


def spec_of(call: ToolCall) -> ToolSpec:
    """The registry's row of a call."""
    return _BY_CODE[call.tool]


def parse(name: str, args: Mapping[str, Any], world: World, seat: int = 0) -> ToolCall:
    """The call that a name and JSON arguments mean, or ``CallError``. Changes nothing.

    Types, ranges, ids' forms and arguments that exclude each other are checked here; whether the call is
    legal now is for the engine to say.
    """
    spec = TOOLS.get(name) if isinstance(name, str) else None
    if spec is None:
        raise CallError(Error.UNKNOWN_TOOL, f"There is no tool {name!r:.60}; the tools are {', '.join(TOOLS)}.")
    _check_names(spec, args)
    given = {arg.name: args.get(arg.name, arg.default) for arg in spec.args}
    complaint = spec.rule(given)
    if complaint:
        raise CallError(Error.BAD_ARGUMENT, f"{spec.name}: {complaint}")
    return _read(spec, given, world)


def _check_names(spec: ToolSpec, args: Mapping[str, Any]) -> None:
    if not isinstance(args, Mapping):
        raise CallError(Error.ARGUMENT_TYPE, f"args of {spec.name} must be an object of named arguments.")
    known = [arg.name for arg in spec.args]
    for name in args:
        if name not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no arguments"
            raise CallError(Error.UNKNOWN_ARGUMENT, f"{spec.name} has no argument {name!r:.60}; it {takes}.")
    for arg in spec.args:
        if arg.required and arg.name not in args:
            raise CallError(Error.MISSING_ARGUMENT, f"{spec.name} needs {arg.name}{_like(spec, arg)}.")


def _like(spec: ToolSpec, arg: Arg) -> str:
    """An example of the argument's value, for a sentence."""
    return f", for example {json.dumps(spec.examples[0][arg.name])}"


def _read(spec: ToolSpec, given: Mapping[str, Any], world: World) -> ToolCall:
    params, season = world.params, int(world.array["season"][0])
    numbers: list[int] = []
    text = None
    for arg in spec.args:
        value = given[arg.name]
        if isinstance(arg, Ids):
            numbers += arg.read_list(value, params, season)
        elif isinstance(arg, Text):
            text = arg.read_text(value)
        elif value is None and arg.default is None:
            numbers.append(arg.absent)
        else:
            numbers.append(arg.read(value, params, season))
    return ToolCall(int(spec.tool), tuple(numbers), text)


def unparse(world: World, call: ToolCall) -> tuple[str, dict[str, Any]]:
    """The name and JSON arguments of a call; arguments at their default are left out."""
    spec, season = spec_of(call), int(world.array["season"][0])
    if not spec.args:
        return spec.name, {}
    first = spec.args[0]
    if isinstance(first, Ids):
        ids = first.show_list(call.args, season)
        return spec.name, {first.name: ids} if ids or first.required else {}
    if isinstance(first, Text):
        return spec.name, {first.name: call.text}
    shown = {}
    for arg, number in zip(spec.args, call.args, strict=True):
        if number == arg.absent and arg.default is None:
            continue
        value = arg.show(number, season)
        if arg.required or value != arg.default:
            shown[arg.name] = value
    return spec.name, shown


def fill(call: ToolCall, into: np.ndarray) -> int:
    """Write a call's integers into the engine's argument array, zeroed behind them. Returns how many."""
    n = len(call.args)
    into[:n] = call.args
    into[n:MAX_ARGS] = 0
    return n


def schemas(style: str, params: Params | None = None) -> Any:
    """The tools as ``openai``, ``anthropic`` or ``mcp`` JSON schemas, or as a ``markdown`` table."""
    p = params or Params.default()
    if style == "markdown":
        return _markdown(p)
    if style not in _FORMS:
        raise BadInput(f"tools come as {', '.join(_FORMS)} or markdown, not {style!r}")
    return [_FORMS[style](spec, _object(spec, p)) for spec in _SPECS]


def _object(spec: ToolSpec, params: Params) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    out: dict[str, Any] = {"type": "object", "properties": {a.name: a.described(params) for a in spec.args}}
    required = [arg.name for arg in spec.args if arg.required]
    if required:
        out["required"] = required
    return out | {"additionalProperties": False}


_FORMS: dict[str, Callable[[ToolSpec, dict[str, Any]], dict[str, Any]]] = {
    "openai": lambda spec, schema: {
        "type": "function",
        "function": {"name": spec.name, "description": spec.doc, "parameters": schema},
    },
    "anthropic": lambda spec, schema: {"name": spec.name, "description": spec.doc, "input_schema": schema},
    "mcp": lambda spec, schema: {"name": spec.name, "description": spec.doc, "inputSchema": schema},
}


def _markdown(params: Params) -> str:
    rows = ["| tool | kind | arguments | what it does |", "|---|---|---|---|"]
    for spec in _SPECS:
        args = "<br>".join(_argument_text(arg, params) for arg in spec.args)
        kind = spec.kind if spec.budget in ("none", "queries") else f"{spec.kind}, {spec.budget}"
        rows.append(f"| `{spec.name}` | {kind} | {args} | {spec.doc} |")
    return "\n".join(rows) + "\n"


def _argument_text(arg: Arg, params: Params) -> str:
    schema = arg.schema(params)
    if "enum" in schema:
        what = " / ".join(schema["enum"])
    elif "minimum" in schema:
        what = f"{schema['type']}, {schema['minimum']:g}" + (
            f" to {schema['maximum']:g}" if "maximum" in schema else " or more"
        )
    else:
        what = schema["type"]
    default = "" if arg.required else "; optional" if arg.default is None else f"; default {json.dumps(arg.default)}"
    return f"`{arg.name}`: {what}{default}" + (f" ({arg.doc})" if arg.doc else "")
