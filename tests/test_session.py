"""Turns, listeners, copies, results: a run from Python."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from fmgym import score
from fmgym.enums import Error, Settle
from fmgym.errors import BadInput
from fmgym.session import Played, Session
from fmgym.tools import TOOLS
from fmgym.tracks.track import Track

from .sessions import everything, own, session_at


def test_open_checks_its_options() -> None:
    with pytest.raises(BadInput, match="agent or auto"):
        Session.open(1, draft="random")
    with pytest.raises(BadInput, match="seasons"):
        Session.open(1, seasons=0)


def test_calls_of_a_turn_are_played_in_order_until_advance() -> None:
    session = session_at()
    day = int(session.world.w.day)
    calls = [("list_player", {"player_id": own(session)}), ("fly", {}), ("advance", {}), ("advance", {})]
    results = session.turn(calls)
    assert [r.error for r in results] == [None, "UNKNOWN_TOOL", None, "WAITING"]
    assert session.world.w.day > day
    assert session.world.w.seats[0].total_turns == session_at().world.w.seats[0].total_turns + 1


def test_a_finished_run_takes_no_calls() -> None:
    session = session_at(720)
    assert session.finished
    before = session.digest()
    result = session.call("get_squad")
    assert (result.error, result.message) == (
        Error.FINISHED.name,
        "The run is over (completed); no more calls count.",
    )
    assert session.digest() == before


def test_listeners_hear_of_every_turn_before_the_world_moves() -> None:
    session = session_at()
    heard: list[tuple[int, int, list[Played], int]] = []
    session.listeners.append(lambda seat, turn, played: heard.append((seat, turn, played, int(session.world.w.day))))
    turns = int(session.world.w.seats[0].total_turns)
    session.turn([("fly", {})])
    session.turn([("append_note", {"text": "x"}), ("get_fixtures", {"which": "all"}), ("advance", {})])
    assert [(seat, turn, day) for seat, turn, _, day in heard] == [(0, turns + 1, 4), (0, turns + 2, 4)]
    assert heard[0][2] == []
    assert heard[1][2] == [
        Played("append_note", {"text": "x"}, "done", 0),
        Played("get_fixtures", {}, "done", 0),
        Played("advance", {}, "done", 0),
    ]
    assert session.world.w.day > 4


def test_what_listeners_hear_replays_to_the_same_digest() -> None:
    session, twin = session_at(), session_at()
    heard: list[list[Played]] = []
    session.listeners.append(lambda seat, turn, played: heard.append(played))
    for _ in range(6):
        stop = session.stop()
        stop.turn(everything(stop))
        stop.call("advance")
    assert any(call.outcome in ("accepted", "rejected") for played in heard for call in played)
    for played in heard:
        twin.turn([(call.tool, call.args) for call in played])
    assert twin.digest() == session.digest()


def test_copies_pickles_and_states_go_on_alike() -> None:
    session = session_at()
    session.call("append_note", {"text": "Before."})
    twins = [session.copy(), copy.deepcopy(session), pickle.loads(pickle.dumps(session))]
    state = session.get_state()
    for s in (session, *twins):
        s.call("append_note", {"text": "After."})
        s.call("advance")
    assert {s.digest() for s in twins} == {session.digest()}
    session.set_state(state)
    assert session.notebooks == ["Before."]
    session.call("append_note", {"text": "After."})
    session.call("advance")
    assert session.digest() == twins[0].digest()


def test_digest_covers_the_notebook() -> None:
    a, b = session_at(), session_at()
    a.call("append_note", {"text": "x"})
    b.call("append_note", {"text": "y"})
    assert a.world.digest() == b.world.digest()
    assert a.digest() != b.digest()


def test_notes_are_kept_and_rewritten() -> None:
    session = session_at()
    session.turn([("append_note", {"text": "one"}), ("append_note", {"text": "two"})])
    assert session.packet().notebook == "one\ntwo"
    session.call("advance")
    assert session.packet().notebook == "one\ntwo"
    session.call("rewrite_notes", {"text": ""})
    assert session.packet().notebook == ""


def test_result_of_a_completed_run() -> None:
    session = session_at(720)
    result = session.result()
    s, w = session.world.w.seats[0], session.world.w
    assert result["settle"] == "completed"
    assert result["settle_year"] == 2.0
    assert result["score"] == session.score() == float(s.final)
    assert result["stops"] == s.stop
    assert result["calls"] == s.total_calls
    assert [row["season"] for row in result["seasons_table"]] == [1, 2]
    last = result["seasons_table"][-1]
    assert last["score"] == pytest.approx(result["score"])
    assert last["net_worth"] == pytest.approx(int(w.clubs[0].seasons[1].net_worth) / 1000)
    raw, rho = result["s_raw"], result["rho"]
    assert rho * max(raw, 0) + min(raw, 0) == pytest.approx(result["score"])


def test_result_of_a_run_that_settled_early() -> None:
    session = session_at(89)
    world = session.world
    world.w.clubs[0].honors = 300
    score.settle(world.w, world.p, 0, int(Settle.FIRED))
    world.w.clubs[0].honors = 400  # the club goes on; the seat's run does not
    result = session.result()
    assert (result["settle"], result["settle_year"], result["honors"]) == ("fired", 0.25, 300)
    assert result["rho"] == pytest.approx(0.8 * (90 / 720) ** 1.5)
    assert result["s_raw"] > 0
    assert result["score"] == session.score() == pytest.approx(result["rho"] * result["s_raw"])
    assert result["seasons_table"] == []


def test_result_while_a_run_is_open() -> None:
    result = session_at(89).result()
    assert (result["settle"], result["settle_year"], result["deaths"]) == ("live", 0.25, 0)


def test_a_track_bounds_the_tools() -> None:
    quiet = Track("quiet", 1, (0,), "draft", 2, tuple(n for n in TOOLS if n != "invest"), "")
    session = Session(session_at().world, quiet)
    refused: Any = session.call("invest", {"facility": "academy"})
    assert refused.error == Error.UNKNOWN_TOOL.name
    assert session.call("get_squad").ok


def test_a_whole_run_ends() -> None:
    session = Session.open(3, seasons=1)
    while not session.finished:
        session.call("advance")
    assert session.result()["settle"] in ("completed", "fired", "insolvent")
    assert not session.is_open()
