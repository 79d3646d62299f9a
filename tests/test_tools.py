"""The registry, and calls from JSON to the engine: accepted, refused, counted, and written back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmgym.enums import Error, OfferKind, Outcome, Tool
from fmgym.errors import BadInput
from fmgym.kernels import actions
from fmgym.params import Params
from fmgym.sentences import ANSWERS
from fmgym.session import Session
from fmgym.stop import Result
from fmgym.tools import NOTEBOOK, TOOLS, CallError, ToolCall, parse, schemas, spec_of, unparse

from .sessions import ask, drafting, own, prospect, put_offer, release, session_at, target, uid

EXAMPLES = [(name, example) for name, spec in TOOLS.items() for example in spec.examples]


# The registry


def test_registry_has_the_tools_of_the_paper() -> None:
    assert [spec.tool for spec in TOOLS.values()] == list(Tool)
    kinds = [spec.kind for spec in TOOLS.values()]
    assert [kinds.count(kind) for kind in ("query", "action", "notebook", "control")] == [12, 11, 2, 1]


@pytest.mark.parametrize("spec", TOOLS.values(), ids=lambda spec: spec.name)
def test_registry_agrees_with_the_engine_on_budgets(spec: Any) -> None:
    budget = "queries" if actions.is_query(int(spec.tool)) else "none"
    assert spec.budget == ("negotiations" if actions.is_negotiation(int(spec.tool)) else budget)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_examples_round_trip(name: str, example: dict[str, Any]) -> None:
    world = session_at().world
    call = parse(name, example, world)
    assert spec_of(call).name == name
    assert unparse(world, call) == (name, example)
    assert parse(*unparse(world, call), world) == call


@pytest.mark.parametrize("name", TOOLS)
def test_defaults_may_be_given_or_left_out(name: str) -> None:
    spec, world = TOOLS[name], session_at().world
    defaults = {a.name: a.default for a in spec.args if not a.required and a.default is not None}
    example = spec.examples[0]
    assert parse(name, defaults | example, world) == parse(name, example, world)


@pytest.mark.parametrize("style", ["openai", "anthropic", "mcp"])
def test_schemas_are_small_and_hold_the_examples(style: str) -> None:
    listed = schemas(style)
    assert len(json.dumps(listed)) < 4 * 3500
    for row, spec in zip(listed, TOOLS.values(), strict=True):
        row = row.get("function", row)
        schema = next(row[key] for key in ("parameters", "input_schema", "inputSchema") if key in row)
        assert row["name"] == spec.name
        for example in spec.examples:
            assert fits(example, schema)
        assert not fits({"surprise": 1}, schema)


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """A JSON-schema check of the few words our schemas use."""
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
    }
    if not isinstance(value, kinds[schema["type"]]):
        return False
    if schema["type"] == "object":
        properties = schema["properties"]
        names = set(schema.get("required", ())) <= set(value) <= set(properties)
        return names and all(fits(item, properties[name]) for name, item in value.items())
    if schema["type"] == "array":
        return len(value) <= schema["maxItems"] and all(fits(item, schema["items"]) for item in value)
    if schema["type"] == "string":
        in_words = value in schema.get("enum", [value])
        return (
            in_words and bool(re.search(schema.get("pattern", ""), value)) and len(value) <= schema.get("maxLength", 99)
        )
    return schema.get("minimum", value) <= value <= schema.get("maximum", value)


def test_schemas_follow_parameters() -> None:
    longer = Params.default().replace({"wage.years": 7})
    assert '"maximum": 7' in json.dumps(schemas("openai", longer))
    assert "| `offer_contract` |" in schemas("markdown")
    with pytest.raises(BadInput, match="openai"):
        schemas("yaml")


# Wrong arguments

P = "P00361"
WRONG = [
    ("fly", {}, Error.UNKNOWN_TOOL),
    ("GET_SQUAD", {}, Error.UNKNOWN_TOOL),
    (7, {}, Error.UNKNOWN_TOOL),
    ("get_squad", {"verbose": True}, Error.UNKNOWN_ARGUMENT),
    ("get_player", {"player": P}, Error.UNKNOWN_ARGUMENT),
    ("get_player", {}, Error.MISSING_ARGUMENT),
    ("set_tactics", {"formation": "4-4-2"}, Error.MISSING_ARGUMENT),
    ("get_squad", [], Error.ARGUMENT_TYPE),
    ("get_player", {"player_id": 361}, Error.ARGUMENT_TYPE),
    ("get_player", {"player_id": None}, Error.ARGUMENT_TYPE),
    ("get_player", {"player_id": "P361"}, Error.ARGUMENT_VALUE),
    ("get_player", {"player_id": "P000361"}, Error.ARGUMENT_VALUE),
    ("get_player", {"player_id": "p00361"}, Error.ARGUMENT_VALUE),
    ("get_player", {"player_id": "P00361 "}, Error.ARGUMENT_VALUE),
    ("get_player", {"player_id": "P\u0660\u0660\u0663\u0666\u0661"}, Error.ARGUMENT_VALUE),
    ("get_fixtures", {"club_id": "C17"}, Error.ARGUMENT_VALUE),
    ("get_fixtures", {"club_id": "C00"}, Error.ARGUMENT_VALUE),
    ("get_fixtures", {"which": "some"}, Error.ARGUMENT_VALUE),
    ("get_match_report", {"match_id": 3}, Error.ARGUMENT_TYPE),
    ("get_match_report", {"match_id": "3"}, Error.ARGUMENT_VALUE),
    ("get_match_report", {"match_id": "M02-003"}, Error.UNKNOWN_MATCH),
    ("get_transfer_market", {"limit": 0}, Error.ARGUMENT_VALUE),
    ("get_transfer_market", {"limit": 51}, Error.ARGUMENT_VALUE),
    ("get_transfer_market", {"limit": True}, Error.ARGUMENT_TYPE),
    ("get_transfer_market", {"page": 1.0}, Error.ARGUMENT_TYPE),
    ("get_transfer_market", {"position": "gk"}, Error.ARGUMENT_VALUE),
    ("get_transfer_market", {"max_value_m": "5"}, Error.ARGUMENT_TYPE),
    ("get_history", {"kind": "seasons", "season": 0}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": True}, Error.ARGUMENT_TYPE),
    ("make_transfer_offer", {"player_id": P, "amount_m": "8"}, Error.ARGUMENT_TYPE),
    ("make_transfer_offer", {"player_id": P, "amount_m": math.nan}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": math.inf}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": -1}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": 1e300}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": 10**400}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": 0.01}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": 8.0005}, Error.ARGUMENT_VALUE),
    ("make_transfer_offer", {"player_id": P, "amount_m": 8, "instalments": 4}, Error.ARGUMENT_VALUE),
    ("respond_to_offer", {"offer_id": "O00001", "response": "maybe"}, Error.ARGUMENT_VALUE),
    ("respond_to_offer", {"offer_id": "O00001", "response": "counter"}, Error.BAD_ARGUMENT),
    ("respond_to_offer", {"offer_id": "O00001", "response": "accept", "amount_m": 8}, Error.BAD_ARGUMENT),
    ("offer_contract", {"player_id": P, "wage_m_per_year": 0, "years": 2}, Error.ARGUMENT_VALUE),
    ("offer_contract", {"player_id": P, "wage_m_per_year": 1, "years": 6}, Error.ARGUMENT_VALUE),
    ("list_player", {"player_id": P, "listed": 1}, Error.ARGUMENT_TYPE),
    ("invest", {"facility": "Academy"}, Error.ARGUMENT_VALUE),
    ("set_tactics", {"formation": "4-4-2", "style": "parking"}, Error.ARGUMENT_VALUE),
    ("set_lineup", {"player_ids": P}, Error.ARGUMENT_TYPE),
    ("set_lineup", {"player_ids": [P] * 11}, Error.ARGUMENT_VALUE),
    ("set_lineup", {"player_ids": [P]}, Error.ARGUMENT_VALUE),
    ("set_lineup", {"player_ids": [P, 2, None]}, Error.ARGUMENT_TYPE),
    ("submit_draft", {"template_ids": [f"T{n:02d}" for n in range(1, 27)]}, Error.ARGUMENT_VALUE),
    ("submit_draft", {"template_ids": ["T01", "T01"]}, Error.ARGUMENT_VALUE),
    ("submit_draft", {"template_ids": ["T00"]}, Error.ARGUMENT_VALUE),
    ("set_standing_order", {"place": 11, "condition": "clear"}, Error.ARGUMENT_VALUE),
    ("set_standing_order", {"place": 1, "condition": "clear", "threshold": 3}, Error.BAD_ARGUMENT),
    ("set_standing_order", {"place": 1, "condition": "cash_above", "threshold": 3}, Error.BAD_ARGUMENT),
    ("append_note", {"text": ""}, Error.ARGUMENT_VALUE),
    ("append_note", {"text": 5}, Error.ARGUMENT_TYPE),
    ("append_note", {"text": "x" * 20_001}, Error.ARGUMENT_VALUE),
    ("append_note", {"text": "\ud800"}, Error.ARGUMENT_VALUE),
    ("advance", {"days": 3}, Error.UNKNOWN_ARGUMENT),
]


@pytest.mark.parametrize(("name", "args", "code"), WRONG, ids=lambda value: repr(value)[:60])
def test_wrong_arguments_are_refused_with_their_own_code(name: Any, args: Any, code: Error) -> None:
    session = session_at()
    refused(session, name, args, code)
    with pytest.raises(CallError) as caught:
        parse(name, args, session.world)
    assert caught.value.code == code


def refused(session: Session, name: Any, args: Any, code: Error) -> Result:
    """The call is refused with that code and a sentence, and does what a turn without calls does."""
    idle, tried = session.copy(), session.copy()
    idle.turn([])
    result = tried.turn([(name, args)])[0]
    assert (result.ok, result.error) == (False, code.name)
    assert result.message.endswith(".")
    assert not re.search(r"[{}]", result.message)
    assert len(result.message) < 700
    assert tried.digest() == idle.digest()
    return result


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200)
@given(data=st.data())
def test_no_json_value_breaks_parsing(data: st.DataObject) -> None:
    spec = data.draw(st.sampled_from(list(TOOLS.values())))
    args = dict(data.draw(st.sampled_from(spec.examples)))
    if spec.args:
        args[data.draw(st.sampled_from([arg.name for arg in spec.args]))] = data.draw(JSON)
    world = session_at().world
    with suppress(CallError):
        call = parse(spec.name, args, world)
        assert parse(*unparse(world, call), world) == call


@given(k=st.integers(50, 10**10))
def test_money_is_exact_to_the_thousand(k: int) -> None:
    world = session_at().world
    call = parse("make_transfer_offer", {"player_id": P, "amount_m": k / 1000}, world)
    assert call.args[1] == k
    assert parse(*unparse(world, call), world) == call


# Accepted calls


def _answered_bid(session: Session) -> dict[str, Any]:
    offer = put_offer(session, OfferKind.BID_RECEIVED, int(session.world.w.clubs[0].squad[0]))
    return {"offer_id": offer, "response": "reject"}


def _first_match(session: Session) -> dict[str, Any]:
    return {"match_id": session.call("get_fixtures", {"which": "played"}).data["fixtures"][0]["id"]}


ACCEPTED: dict[str, tuple[Callable[[], Session], Callable[[Session], dict[str, Any]]]] = {
    "get_player": (session_at, lambda s: {"player_id": own(s)}),
    "get_match_report": (lambda: session_at(89), _first_match),
    "get_history": (session_at, lambda s: {"kind": "honors"}),
    "get_draft_pool": (drafting, lambda s: {}),
    "set_lineup": (session_at, lambda s: {"player_ids": [own(s, i) for i in range(11)]}),
    "set_tactics": (session_at, lambda s: {"formation": "3-5-2", "style": "direct"}),
    "make_transfer_offer": (session_at, lambda s: {"player_id": uid(s, target(s)), "amount_m": 0.05}),
    "respond_to_offer": (session_at, _answered_bid),
    "offer_contract": (session_at, lambda s: {"player_id": own(s), "wage_m_per_year": 50, "years": 5}),
    "list_player": (session_at, lambda s: {"player_id": own(s)}),
    "release_player": (session_at, lambda s: {"player_id": own(s)}),
    "promote_youth": (session_at, lambda s: {"player_id": prospect(s)}),
    "invest": (session_at, lambda s: {"facility": "training"}),
    "set_standing_order": (
        session_at,
        lambda s: {"place": 10, "condition": "cash_above", "threshold": 90, "action": "invest_academy"},
    ),
    "submit_draft": (drafting, lambda s: {"template_ids": ["T02", "T05"]}),
    "append_note": (session_at, lambda s: {"text": "Remember."}),
    "rewrite_notes": (session_at, lambda s: {"text": ""}),
}


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_accepted_and_counted(name: str) -> None:
    opened, arguments = ACCEPTED.get(name, (session_at, lambda s: {}))
    session = opened()
    args = arguments(session)
    s, spec = session.world.w.seats[0], TOOLS[name]
    before = {key: int(s[key]) for key in ("queries", "negotiations", "total_calls", "total_actions", "total_turns")}
    stop = int(s.stop)
    result = session.call(name, args)
    assert (result.ok, result.error, result.tool) == (True, None, name)
    spent = {key: int(s[key]) - before[key] for key in before}
    if name == "advance":
        assert s.stop == stop + 1
        spent |= {"queries": 0, "negotiations": 0}
    assert spent == {
        "queries": int(spec.budget == "queries"),
        "negotiations": int(spec.budget == "negotiations"),
        "total_calls": 1,
        "total_actions": int(spec.kind == "action"),
        "total_turns": 1,
    }


# Refusals by the rules: every code, met in play


def _query_budget(s: Session) -> tuple[str, dict[str, Any]]:
    s.turn([("get_squad", {})] * 30)
    return "get_squad", {}


def _negotiation_budget(s: Session) -> tuple[str, dict[str, Any]]:
    for club in range(1, 11):
        s.call("make_transfer_offer", {"player_id": uid(s, target(s, club)), "amount_m": 0.05})
    return "make_transfer_offer", {"player_id": uid(s, target(s, 11)), "amount_m": 0.05}


def _cooldown(s: Session) -> tuple[str, dict[str, Any]]:
    bid = ("make_transfer_offer", {"player_id": uid(s, target(s)), "amount_m": 0.05})
    for _ in range(s.world.params.market.cooldown_after):
        s.turn([bid])
    return bid


def _wage_cooldown(s: Session) -> tuple[str, dict[str, Any]]:
    low = ("offer_contract", {"player_id": own(s), "wage_m_per_year": 0.001, "years": 5})
    for _ in range(s.world.params.wage.cooldown_after):
        s.turn([low])
    return low


def _with(name: str, **args: Any) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    return lambda session: (name, args)


def _own(name: str, **args: Any) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    return lambda session: (name, {"player_id": own(session)} | args)


def _bid(**args: Any) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    return lambda s: ("make_transfer_offer", {"player_id": uid(s, target(s)), "amount_m": 0.5} | args)


def _reply(kind: OfferKind, response: str, **args: Any) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    def call(s: Session) -> tuple[str, dict[str, Any]]:
        slot = int(s.world.w.clubs[0].squad[0]) if kind == OfferKind.BID_RECEIVED else target(s)
        return "respond_to_offer", {"offer_id": put_offer(s, kind, slot), "response": response} | args

    return call


def _poor(
    then: Callable[[Session], tuple[str, dict[str, Any]]],
) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    def call(s: Session) -> tuple[str, dict[str, Any]]:
        made = then(s)
        s.world.w.clubs[0].cash = 0
        return made

    return call


def _full(
    then: Callable[[Session], tuple[str, dict[str, Any]]],
) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    def call(s: Session) -> tuple[str, dict[str, Any]]:
        made = then(s)
        s.world.w.clubs[0].n_squad = s.world.params.market.squad_max
        return made

    return call


def _small(
    then: Callable[[Session], tuple[str, dict[str, Any]]],
) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    def call(s: Session) -> tuple[str, dict[str, Any]]:
        s.world.w.clubs[0].n_squad = s.world.params.market.squad_min
        return then(s)

    return call


def _free_agent(name: str, **args: Any) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    return lambda s: (name, {"player_id": release(s)} | args)


def _building(s: Session) -> tuple[str, dict[str, Any]]:
    s.call("invest", {"facility": "stadium"})
    return "invest", {"facility": "stadium"}


def _top(s: Session) -> tuple[str, dict[str, Any]]:
    s.world.w.clubs[0].levels[2] = s.world.params.facility.top
    return "invest", {"facility": "stadium"}


def _unhappy(s: Session) -> tuple[str, dict[str, Any]]:
    s.world.w.players[s.world.w.clubs[0].squad[0]].morale = 1.0
    return "offer_contract", {"player_id": own(s), "wage_m_per_year": 9, "years": 4}


def _promised(s: Session) -> tuple[str, dict[str, Any]]:
    s.world.w.players[s.world.w.clubs[0].squad[0]].next_club = 3
    return "offer_contract", {"player_id": own(s), "wage_m_per_year": 9, "years": 4}


def _poor_bidder(s: Session) -> tuple[str, dict[str, Any]]:
    s.world.w.clubs[1].cash = 0
    return _reply(OfferKind.BID_RECEIVED, "accept")(s)


def _sold_elsewhere(s: Session) -> tuple[str, dict[str, Any]]:
    s.world.w.players[s.world.w.clubs[0].squad[0]].next_club = 3
    return _reply(OfferKind.BID_RECEIVED, "accept")(s)


def _agreed(s: Session) -> tuple[str, dict[str, Any]]:
    put_offer(s, OfferKind.FEE_AGREED, target(s))
    return "make_transfer_offer", {"player_id": uid(s, target(s)), "amount_m": 0.5}


def _long_contract(s: Session) -> tuple[str, dict[str, Any]]:
    s.world.w.players[s.world.w.clubs[0].squad[0]].contract_end = 5 * 360 - 1
    return "offer_contract", {"player_id": own(s), "wage_m_per_year": 9, "years": 1}


def _full_notebook(s: Session) -> tuple[str, dict[str, Any]]:
    s.call("rewrite_notes", {"text": "x" * NOTEBOOK})
    return "append_note", {"text": "y"}


def _another_s_prospect(name: str, **args: Any) -> Callable[[Session], tuple[str, dict[str, Any]]]:
    def call(s: Session) -> tuple[str, dict[str, Any]]:
        return name, {"player_id": uid(s, int(s.world.w.clubs[1].academy[0]))} | args

    return call


CONTRACT = {"wage_m_per_year": 2, "years": 2}


def autumn() -> Session:
    return session_at(89)


MET = [
    (session_at, _reply(OfferKind.BID_RECEIVED, "counter", amount_m=5), Error.BAD_ARGUMENT),
    (session_at, _reply(OfferKind.BID_COUNTERED, "accept"), Error.BAD_ARGUMENT),
    (session_at, _reply(OfferKind.BID_COUNTERED, "counter", amount_m=0.01), Error.BAD_ARGUMENT),
    (session_at, _reply(OfferKind.FEE_AGREED, "counter", amount_m=9), Error.BAD_ARGUMENT),
    (
        session_at,
        _with("set_standing_order", place=1, condition="cash_above", threshold=5, action="auto_lineup"),
        Error.BAD_ARGUMENT,
    ),
    (session_at, _query_budget, Error.QUERY_BUDGET),
    (session_at, _negotiation_budget, Error.NEGOTIATION_BUDGET),
    (session_at, _with("submit_draft", template_ids=["T01"]), Error.DRAFT_ONLY),
    (session_at, _with("get_draft_pool"), Error.DRAFT_ONLY),
    (drafting, _with("invest", facility="academy"), Error.NOT_IN_DRAFT),
    (session_at, _with("get_player", player_id="P99999"), Error.UNKNOWN_PLAYER),
    (
        session_at,
        _with("set_lineup", player_ids=[f"P{n}" for n in range(99980, 99991)]),
        Error.UNKNOWN_PLAYER,
    ),
    (session_at, lambda s: ("list_player", {"player_id": uid(s, target(s))}), Error.NOT_YOUR_PLAYER),
    (session_at, lambda s: ("list_player", {"player_id": prospect(s)}), Error.NOT_YOUR_PLAYER),
    (session_at, lambda s: ("promote_youth", {"player_id": uid(s, target(s))}), Error.NOT_YOUR_PLAYER),
    (session_at, _another_s_prospect("offer_contract", **CONTRACT), Error.NOT_YOUR_PLAYER),
    (
        session_at,
        lambda s: ("set_lineup", {"player_ids": [own(s, i) for i in range(10)] + [uid(s, target(s))]}),
        Error.NOT_YOUR_PLAYER,
    ),
    (session_at, _own("make_transfer_offer", amount_m=5), Error.OWN_PLAYER),
    (autumn, _bid(), Error.WINDOW_CLOSED),
    (session_at, _bid(amount_m=5000), Error.CASH_SHORT),
    (session_at, _poor(_with("invest", facility="stadium")), Error.CASH_SHORT),
    (session_at, _poor(_own("release_player")), Error.CASH_SHORT),
    (session_at, _poor(_free_agent("offer_contract", **CONTRACT)), Error.CASH_SHORT),
    (session_at, _poor(_reply(OfferKind.BID_COUNTERED, "accept_counter")), Error.CASH_SHORT),
    (session_at, _full(_bid()), Error.SQUAD_FULL),
    (session_at, _full(lambda s: ("promote_youth", {"player_id": prospect(s)})), Error.SQUAD_FULL),
    (session_at, _small(_own("release_player")), Error.SQUAD_MINIMUM),
    (session_at, _small(_reply(OfferKind.BID_RECEIVED, "accept")), Error.SQUAD_MINIMUM),
    (session_at, _cooldown, Error.COOLDOWN),
    (session_at, _wage_cooldown, Error.COOLDOWN),
    (session_at, _with("respond_to_offer", offer_id="O00077", response="reject"), Error.UNKNOWN_OFFER),
    (session_at, _reply(OfferKind.BID_RECEIVED, "accept_counter"), Error.NO_COUNTER),
    (session_at, _free_agent("make_transfer_offer", amount_m=1), Error.NOT_FOR_SALE),
    (session_at, _another_s_prospect("make_transfer_offer", amount_m=1), Error.NOT_FOR_SALE),
    (
        session_at,
        lambda s: ("offer_contract", {"player_id": uid(s, long_bound(s)), **CONTRACT}),
        Error.NO_AGREEMENT,
    ),
    (session_at, lambda s: ("offer_contract", {"player_id": prospect(s), **CONTRACT}), Error.NO_AGREEMENT),
    (session_at, _own("promote_youth"), Error.NOT_ACADEMY),
    (session_at, _top, Error.MAX_LEVEL),
    (session_at, _building, Error.BUILDING),
    (session_at, _with("get_match_report", match_id="M01-239"), Error.UNKNOWN_MATCH),
    (session_at, _with("set_standing_order", place=4, condition="clear"), Error.ORDER_EMPTY),
    (drafting, lambda s: ("submit_draft", {"template_ids": dearest(s)}), Error.OVER_BUDGET),
    (drafting, _with("submit_draft", template_ids=["T51"]), Error.UNKNOWN_TEMPLATE),
    (session_at, _own("list_player", listed=False), Error.NO_CHANGE),
    (session_at, _agreed, Error.NO_CHANGE),
    (session_at, _long_contract, Error.NO_CHANGE),
    (session_at, _unhappy, Error.PLAYER_REFUSES),
    (session_at, _promised, Error.PLAYER_REFUSES),
    (session_at, _poor_bidder, Error.UNAVAILABLE),
    (session_at, _sold_elsewhere, Error.UNAVAILABLE),
    (session_at, _full_notebook, Error.NOTEBOOK_FULL),
]


def long_bound(session: Session) -> int:
    w = session.world.w
    return next(int(s) for s in w.clubs[1].squad if w.players[s].contract_end - w.day > 360)


def dearest(session: Session) -> list[str]:
    rows = session.call("get_draft_pool").data["templates"]
    return [row["id"] for row in sorted(rows, key=lambda row: -row["price_m"])[:25]]


@pytest.mark.parametrize(("opened", "prepare", "code"), MET)
def test_rules_refuse_with_their_own_code(
    opened: Callable[[], Session], prepare: Callable[[Session], tuple[str, dict[str, Any]]], code: Error
) -> None:
    session = opened()
    refused(session, *prepare(session), code)


def test_every_code_is_met_by_some_test() -> None:
    elsewhere = {Error.OK, Error.FINISHED, Error.WAITING, Error.UNREADABLE}  # test_session, test_text
    assert {code for *_, code in (*WRONG, *MET)} == set(Error) - elsewhere


def test_sentences_name_concrete_facts() -> None:
    session = session_at()
    cash = session.call("get_finances").data["cash_m"]
    short = session.call("make_transfer_offer", {"player_id": uid(session, target(session)), "amount_m": 5000})
    assert short.message == f"This needs 5000M at once and the club has {cash:g}M."
    closed = session_at(89).call("make_transfer_offer", {"player_id": own(session), "amount_m": 1})
    assert closed.error == "OWN_PLAYER"
    late = session_at(89)
    assert (
        "opens Y01-D181"
        in late.call("make_transfer_offer", {"player_id": uid(late, target(late)), "amount_m": 1}).message
    )


# What accepted actions lead to


def test_a_bid_is_countered_accepted_and_signed() -> None:
    session = session_at()
    slot = target(session)
    session.world.w.clubs[0].cash = 500_000
    wanted = ask(session, slot)
    bid = {"player_id": uid(session, slot), "amount_m": round(0.95 * wanted, 3)}
    countered = session.call("make_transfer_offer", bid)
    assert countered.data["status"] == "countered"
    assert countered.data["offer_id"] in countered.message
    agreed = session.call("respond_to_offer", {"offer_id": countered.data["offer_id"], "response": "accept_counter"})
    assert agreed.data["status"] == "accepted"
    assert agreed.data["fee_m"] == countered.data["fee_m"]
    low = session.call("offer_contract", {"player_id": uid(session, slot), "wage_m_per_year": 0.001, "years": 3})
    assert low.data == {"status": "rejected"}
    signed = session.call("offer_contract", {"player_id": uid(session, slot), "wage_m_per_year": 60, "years": 3})
    assert signed.data == {"status": "accepted", "wage_m_per_year": 60.0}
    assert uid(session, slot) in [row["id"] for row in session.call("get_squad").data["players"]]


def test_a_bidder_is_countered_and_sold_to() -> None:
    session = session_at()
    w = session.world.w
    w.clubs[1].cash = 500_000
    slot = int(w.clubs[0].squad[0])
    offer = put_offer(session, OfferKind.BID_RECEIVED, slot, fee=100)
    raised = session.call("respond_to_offer", {"offer_id": offer, "response": "counter", "amount_m": 400})
    assert raised.data["status"] in ("countered", "talks_off")
    offer = put_offer(session, OfferKind.BID_RECEIVED, slot, fee=100)
    sold = session.call("respond_to_offer", {"offer_id": offer, "response": "accept"})
    assert sold.message == "Sold for 0.1M."
    assert w.players[slot].club == 1


def test_every_answer_has_its_sentence() -> None:
    """Sentences of outcomes are formatted for a call that can have them."""
    reached = {(Tool.RESPOND_TO_OFFER, o) for o in Outcome} - {(Tool.RESPOND_TO_OFFER, Outcome.REJECTED)}
    talks = set(Outcome) - {Outcome.DONE}
    reached |= {(tool, o) for tool in (Tool.MAKE_TRANSFER_OFFER, Tool.OFFER_CONTRACT) for o in talks}
    others = [
        s.tool for s in TOOLS.values() if s.kind != "query" and s.budget == "none" and s.tool != Tool.OFFER_CONTRACT
    ]
    assert set(ANSWERS) == reached | {(tool, Outcome.DONE) for tool in others}


def test_toolcalls_are_small_and_hashable() -> None:
    assert len({ToolCall(int(Tool.ADVANCE)), ToolCall(int(Tool.ADVANCE))}) == 1
