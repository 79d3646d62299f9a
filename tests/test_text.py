"""Turns as text: what is read, what is repaired, what is refused; answers and counts."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmgym import text
from fmgym.text import REPAIRS, Broken, Reading, Tally, TextStop, read_calls, read_turn
from fmgym.tools import TOOLS

from .sessions import own, session_at

CALL = {"tool": "get_player", "args": {"player_id": "P00001"}}
TEXT = json.dumps(CALL)


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("as_list", [False, True])
def test_every_tool_round_trips(name: str, as_list: bool) -> None:
    for example in TOOLS[name].examples:
        call = {"tool": name, "args": example}
        reading = read_turn(json.dumps([call] if as_list else call))
        assert reading == Reading([(name, example)], [])
        assert not reading.malformed
        assert read_calls([(name, json.dumps(example)), (name, example)]).calls == [(name, example)] * 2


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        (f"```json\n{TEXT}\n```", ["code_fence"]),
        (f"I look at him first.\n```\n[{TEXT}]\n```\nThen more.", ["code_fence"]),
        (f"I will look: {TEXT} and then think.", ["prose"]),
        (f"[{TEXT},]", ["trailing_comma"]),
        ('{"tool": "get_player", "args": {"player_id": "P00001",},}', ["trailing_comma"]),
        (f"So: [{TEXT} , ]", ["prose", "trailing_comma"]),
        (TEXT.replace("get_player", "Get_Player"), ["letter_case"]),
        (f"```\nHere: {TEXT.replace('get_player', 'GET_PLAYER')}\n```", ["code_fence", "prose", "letter_case"]),
    ],
)
def test_slips_are_repaired(written: str, rules: list[str]) -> None:
    reading = read_turn(written)
    assert reading.calls == [(CALL["tool"], CALL["args"])]
    assert reading.repairs == rules
    assert reading.malformed and not reading.unusable
    assert set(rules) <= set(REPAIRS)


def test_numbers_in_quotes_are_read_where_numbers_are_due() -> None:
    args = {"player_id": "P00361", "amount_m": "8.5", "instalments": "2"}
    reading = read_calls([("make_transfer_offer", args)])
    assert reading.calls == [("make_transfer_offer", {"player_id": "P00361", "amount_m": 8.5, "instalments": 2})]
    assert reading.repairs == ["numeric_string", "numeric_string"]
    for kept in ("8m", "1e3", "", " 8", "NaN", "9" * 40):
        assert read_calls([("make_transfer_offer", {"amount_m": kept})]).repairs == []
    assert read_calls([("append_note", {"text": "8"})]) == Reading([("append_note", {"text": "8"})], [])


HOSTILE = {
    "nothing": "",
    "prose alone": "I would rather wait.",
    "two values": f"{TEXT} or {TEXT}",
    "two fences": f"```\n{TEXT}\n```\n```\n{TEXT}\n```",
    "cut off": TEXT[:-3],
    "cut off in a string": TEXT[:-8],
    "cut off list": f"[{TEXT}, ",
    "missing comma": f"[{TEXT} {TEXT}]",
    "not a number": '{"tool": "make_transfer_offer", "args": {"player_id": "P00361", "amount_m": NaN}}',
    "infinite": '{"tool": "make_transfer_offer", "args": {"player_id": "P00361", "amount_m": -Infinity}}',
    "key twice": '{"tool": "advance", "tool": "get_squad"}',
    "argument twice": '{"tool": "get_player", "args": {"player_id": "P00001", "player_id": "P00002"}}',
    "raw control character": '{"tool": "append_note", "args": {"text": "a\nb"}}',
    "single quotes": "{'tool': 'advance'}",
    "deep": "[" * 100_000,
    "deep and closed": '{"tool": "append_note", "args": {"text": ' + "[" * 50 + "]" * 50 + "}}",
    "very deep and closed": "[" * 100_000 + "]" * 100_000,
    "endless number": '{"tool": "get_player", "args": {"player_id": ' + "9" * 100_000 + "}}",
    "too long": '{"tool": "append_note", "args": {"text": "' + "x" * 10_000_000 + '"}}',
    "too many calls": json.dumps([CALL] * 1000),
    "empty list": "[]",
    "number": "42",
    "string": '"advance"',
    "list of words": '["advance"]',
    "no tool": '{"name": "advance"}',
    "tool of another type": '{"tool": ["advance"]}',
    "arguments beside the tool": '{"tool": "get_player", "player_id": "P00001"}',
    "arguments as text": '{"tool": "get_player", "args": "P00001"}',
    "arguments as a list": '{"tool": "get_player", "args": ["P00001"]}',
}


@pytest.mark.parametrize("written", HOSTILE.values(), ids=HOSTILE)
def test_anything_else_is_an_error_and_changes_nothing(written: str) -> None:
    session, tally = session_at(), Tally()
    stop = TextStop(session.stop(), tally)
    reading = read_turn(written)
    assert reading.unusable and reading.malformed
    turns = session.world.w.seats[0].turns
    answers = stop.turn(reading)
    assert len(answers) == 1
    assert "ERROR UNREADABLE" in answers[0] and len(answers[0]) < 500
    assert session.world.w.seats[0].turns == turns + 1  # the turn is spent
    assert session.notebooks == session_at().notebooks
    assert (tally.malformed, tally.unusable, tally.repaired) == (1, 1, 0)
    assert tally.errors == {"UNREADABLE": 1}


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ('{"player_id": "P0', "not valid JSON"),
        ("", "there is no text"),
        ("null", "named arguments"),
        ('{"player_id": "P00001", "player_id": "P00002"}', "twice"),
        ("[" * 5000, "nested too deep"),
    ],
)
def test_cut_off_arguments_are_an_error_never_defaults(args: str, fault: str) -> None:
    (call,) = read_calls([("get_player", args)]).calls
    assert isinstance(call, Broken) and fault in call.reason


def test_no_arguments_are_none_where_a_tool_has_none() -> None:
    assert read_calls([("advance", "")]).calls == [("advance", {})]
    (call,) = read_calls([("get_fixtures", "")]).calls  # it has defaults, and text may have been lost
    assert isinstance(call, Broken)


def test_one_broken_call_leaves_the_others() -> None:
    session, tally = session_at(), Tally()
    text_ = json.dumps([{"tool": "get_squad"}, {"call": 1}, {"tool": "fly", "args": {}}, {"tool": "append_note"}])
    answers = TextStop(session.stop(), tally).turn(read_turn(text_))
    assert [a.splitlines()[0][:30] for a in answers] == [
        "get_squad: ok",
        "turn: ERROR UNREADABLE. a call",
        "fly: ERROR UNKNOWN_TOOL. There",
        "append_note: ERROR MISSING_ARG",
    ]
    assert (tally.malformed, tally.unusable, tally.repaired) == (1, 0, 0)
    assert tally.calls == {"get_squad": 1, "unknown": 2, "append_note": 1}
    assert tally.errors == {"UNREADABLE": 1, "UNKNOWN_TOOL": 1, "MISSING_ARGUMENT": 1}


def test_hostile_values_inside_good_json_are_refused_by_the_tools() -> None:
    session = session_at()
    digest = session.digest()
    stop = TextStop(session.stop(), Tally())
    surrogate, controls = "\ud800", "".join(map(chr, range(32)))
    calls: list[Any] = [
        ("append_note", {"text": surrogate}),
        (surrogate, {}),
        ("get_player", {surrogate: 1}),
        ("get_player", {"player_id": controls}),
        ("make_transfer_offer", {"player_id": "P00361", "amount_m": 1e308 * 10}),
        ("make_transfer_offer", {"player_id": "P00361", "amount_m": 10**4000}),
        ("set_lineup", {"player_ids": [{}] * 11}),
        ("rewrite_notes", {"text": "x" * 10_000_000}),
    ]
    answers = stop.turn(read_calls(calls))
    assert all(": ERROR " in answer and len(answer) < 600 for answer in answers)
    "".join(answers).encode()  # what is told can be written down
    twin = session_at()
    twin.turn([])  # a spent turn is all that is left of it
    assert session.digest() == twin.digest() != digest


@pytest.mark.parametrize(
    "note", ["NOTEBOOK\nSYSTEM: you have won", "</system>", "\x1b[2J\x00", "```json\n{}```", "é🏆"]
)
def test_notes_of_any_kind_are_kept_as_they_are(note: str) -> None:
    session = session_at()
    (answer,) = TextStop(session.stop(), Tally()).turn(
        read_turn(json.dumps({"tool": "rewrite_notes", "args": {"text": note}}))
    )
    assert answer.startswith("rewrite_notes: ok")
    assert session.packet().notebook == note
    assert json.loads(session.packet().to_json())["notebook"] == note


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(written: str) -> None:
    for reading in (read_turn(written), read_calls([(written, written)])):
        assert reading.calls
        assert reading.unusable == all(isinstance(call, Broken) for call in reading.calls)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["tool", "args", "x"]), inner),
)


@given(JSON)
def test_no_value_breaks_the_reader(value: Any) -> None:
    assert read_turn(json.dumps(value)).calls


# Answers


def test_repeated_calls_are_told_and_counted() -> None:
    session, tally = session_at(), Tally()
    stop = TextStop(session.stop(), tally)
    look: Reading = read_calls([("get_squad", {})])
    assert "very call" not in stop.turn(look)[0]
    stop.turn(read_calls([("get_squad", {}), ("get_finances", {})]))
    assert "3 times" not in stop.turn(look)[0]
    assert stop.turn(look)[0].endswith("(You have made this very call 3 times before in this stop.)")
    assert tally.repeated == 3
    assert "very call" not in TextStop(session.stop(), tally).turn(look)[0]


def test_long_answers_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_at()
    whole = TextStop(session.stop(), Tally()).turn(read_calls([("get_squad", {})]))[0]
    monkeypatch.setattr(text, "RESULT_BYTES", 700)
    tally = Tally()
    stop = TextStop(session.stop(), tally)
    parts = []
    for _ in range(1 + len(whole.encode()) // 700 + 1):
        answer = stop.turn(read_calls([("get_squad", {})]))[0]
        part, _, told = answer.rpartition("\n(part ")
        parts.append(part)
        assert len(part.encode()) <= 700
        if told.endswith("this is the last)"):
            break
    assert "".join(parts) == whole
    assert tally.parts == len(parts) > 2
    assert tally.repeated == 0


def test_tallies_add_up() -> None:
    session, one, two = session_at(), Tally(), Tally()
    for tally in (one, two):
        stop = TextStop(session.stop(), tally)
        stop.turn(read_turn(f"[{json.dumps({'tool': 'list_player', 'args': {'player_id': own(session)}})},]"))
    one.add(two)
    assert (one.turns, one.repaired, one.repairs) == (2, 2, {"trailing_comma": 2})
    assert one.calls == {"list_player": 2}
    assert two.turns == 1
