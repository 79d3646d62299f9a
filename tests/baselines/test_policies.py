"""The scripted policies: the same every time, and functions of the stop alone."""

from types import SimpleNamespace
from typing import Any

import pytest

from fmgym.baselines import POLICIES, heuristic, make
from fmgym.baselines.heuristic import SQUAD
from fmgym.baselines.random import Dice
from fmgym.errors import BadInput
from fmgym.run import run
from fmgym.session import Session
from fmgym.stop import Result

ANCHORS = ["random", "idle", "heuristic"]
SCRIPTED = [*ANCHORS, "strategist", "oracle"]


@pytest.mark.parametrize("name", SCRIPTED)
def test_same_seed_same_run_and_another_seed_another(name: str) -> None:
    first, again, other = (run(make(name), seed, 1) for seed in (5, 5, 6))
    assert first.digest == again.digest
    assert first.digest != other.digest
    assert first.policy == name


def test_unknown_policy_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="random, idle, heuristic, strategist, oracle"):
        make("clever")
    assert set(SCRIPTED) == set(POLICIES)


def test_idle_only_advances() -> None:
    session = Session.open(1, 1)
    tools: set[str] = set()
    session.listeners.append(lambda seat, turn, calls: tools.update(call.tool for call in calls))
    while not session.finished:
        make("idle").play(session.stop())
    assert tools == {"advance"}


@pytest.mark.parametrize("name", SCRIPTED)
def test_policy_is_a_function_of_the_stop(name: str) -> None:
    """A fresh policy on a copy of the state plays the stop as one that has played all before it."""
    old, session = make(name), Session.open(3, 1)
    for _ in range(9):
        twin = session.copy()
        old.play(session.stop())
        make(name).play(twin.stop())
        assert session.digest() == twin.digest()


@pytest.mark.parametrize("name", SCRIPTED)
@pytest.mark.parametrize("queries", [1, 2])
def test_policy_does_without_what_a_spent_budget_refuses(name: str, queries: int) -> None:
    changes = {"stop.queries": queries, "stop.negotiations": 1}
    assert run(make(name), 1, 1, params=changes).settle == "completed"


def test_random_dice_depend_on_seed_and_stop_alone() -> None:
    throws = [Dice(seed, stop).below(1000) for seed in range(20) for stop in range(20)]
    assert throws == [Dice(seed, stop).below(1000) for seed in range(20) for stop in range(20)]
    assert len(set(throws)) > 200
    dice = Dice(1, 1)
    assert len({dice.below(1000) for _ in range(50)}) > 40


def test_heuristic_drafts_a_whole_squad_within_its_wages() -> None:
    session = Session.open(4, 1)
    make("heuristic").play(session.stop())
    squad = session.call("get_squad").data["players"]
    counts = {position: sum(row["position"] == position for row in squad) for position in SQUAD}
    assert counts == SQUAD
    finances = session.call("get_finances").data
    assert finances["wages_a_year_m"] <= 0.62 * finances["expected_revenue_m"]


def test_a_fair_wage_is_that_of_the_squad_as_last_read() -> None:
    paid = [1.0, 3.0]  # by everybody, before and after a deal

    def turn(calls: object) -> list[Result]:
        rows = [{"id": f"P{n:05d}", "ability": "60-70", "wage_m": paid[0]} for n in range(9)]
        return [Result(True, "get_squad", data={"players": rows}), Result(True, "get_finances")]

    stop: Any = SimpleNamespace(packet=SimpleNamespace(date="Y01-D001"), turn=turn)
    office = heuristic.Office(stop)
    man = {"id": "P00099", "ability": "60-70"}
    assert heuristic.fair_wage(office, man) == 1.0
    del paid[0]
    assert heuristic.fair_wage(office, man) == 1.0
    office.look()
    assert heuristic.fair_wage(office, man) == 3.0
