"""The strategist plays by what it is shown; the oracle by what is true; both through the tools alone."""

from dataclasses import replace

import pytest

from fmgym.baselines.desk import expected_honors
from fmgym.baselines.oracle import Oracle
from fmgym.baselines.strategist import HABITS, Strategist
from fmgym.policy import Policy
from fmgym.session import Played, Session

from ..sessions import drafting, session_at
from ..test_secrecy import scramble


def calls(policy: Policy, session: Session, stops: int = 1) -> list[Played]:
    """What a policy has accepted of it at the coming stops, what moves time left out."""
    kept: list[Played] = []
    session.listeners.append(lambda seat, turn, played: kept.extend(played))
    for _ in range(stops):
        if not session.finished:
            policy.play(session.stop())
    return [call for call in kept if call.tool != "advance"]


def of(kept: list[Played], tool: str) -> list[Played]:
    return [call for call in kept if call.tool == tool]


@pytest.mark.parametrize("session", [drafting, session_at, lambda: session_at(304)])
def test_truth_changes_nothing_the_strategist_does(session) -> None:  # type: ignore[no-untyped-def]
    plain, scrambled = session(), session()
    scramble(scrambled)
    kept = calls(Strategist(), plain)
    assert kept
    assert kept == calls(Strategist(), scrambled)
    assert calls(Oracle(), session()) != calls(Oracle(), scrambled_copy(session()))  # the test can fail


def scrambled_copy(session: Session) -> Session:
    scramble(session)
    return session


def test_oracle_closes_every_deal_at_the_first_offer() -> None:
    kept = calls(Oracle(), Session.open(1, 2), 60)
    bids, wages = of(kept, "make_transfer_offer"), of(kept, "offer_contract")
    assert len(bids) > 3 and len(wages) > 10
    assert {call.outcome for call in bids + wages} == {"accepted"}


def test_oracle_sells_at_the_ceiling() -> None:
    kept = calls(Oracle(), Session.open(2, 3), 80)
    answers = [call for call in of(kept, "respond_to_offer") if call.args["response"] != "reject"]
    assert answers
    assert {call.outcome for call in answers} == {"accepted"}


def test_strategist_learns_asks_and_keeps_them_in_its_notebook() -> None:
    session = Session.open(3, 1)
    calls(Strategist(), session, 6)
    assert session.notebooks[0].startswith("asks ")
    assert session.notebooks[0] != Session.open(3, 1).notebooks[0]


@pytest.mark.parametrize(
    ("change", "tool", "shows"),
    [
        ({"fixed_bid": 0.8}, "make_transfer_offer", lambda kept, usual: kept != usual),
        ({"reserve": 3.0}, "make_transfer_offer", lambda kept, usual: len(kept) < len(usual)),
        ({"renew_days": 180}, "offer_contract", lambda kept, usual: len(kept) < len(usual)),
        ({"youth": False}, "promote_youth", lambda kept, usual: usual and not kept),
        ({"builds_on": True, "build_until": 0}, "invest", lambda kept, usual: kept),
        ({"rotates": False}, "set_lineup", lambda kept, usual: kept and not usual),
        ({"restless": True}, "set_tactics", lambda kept, usual: len(kept) > 5 * len(usual)),
    ],
)
def test_a_habit_shows_in_its_calls(change, tool, shows) -> None:  # type: ignore[no-untyped-def]
    usual = calls(Strategist(), Session.open(5, 3), 70)
    kept = calls(Strategist(replace(HABITS, **change)), Session.open(5, 3), 70)
    assert shows(of(kept, tool), of(usual, tool))


def test_honors_grow_with_the_lead_and_end_at_a_title_a_season() -> None:
    worth = [float(expected_honors(lead)) for lead in (-20.0, 0.0, 2.0, 4.0, 20.0)]
    assert worth == sorted(worth)
    assert worth[0] == pytest.approx(0.0, abs=0.1) and worth[-1] == pytest.approx(100.0, abs=0.1)
