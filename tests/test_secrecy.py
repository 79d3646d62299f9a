"""What a seat cannot see never changes what it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fmgym import views
from fmgym.session import Session

from .sessions import drafting, everything, session_at
from .test_tools import MET


def scramble(session: Session) -> None:
    """Replace everything hidden of every player; stored reports and public estimates stay."""
    rng = np.random.default_rng(7)
    truth = session.world.w["truth"]
    for name in truth.dtype.names:
        truth[name] = rng.integers(0, 5, len(truth)) if name == "style_fit" else rng.uniform(1, 99, truth[name].shape)
    session.world.w.templates["ability"] = rng.uniform(40, 90, len(session.world.w.templates))
    session.world.w.templates["potential"] = rng.uniform(40, 99, len(session.world.w.templates))


def shown(session: Session) -> list[str]:
    """All that a seat can be shown at this stop, actions that open offers included."""
    stop = session.stop()
    out = [stop.packet.to_json(), stop.packet.to_text()]
    out += [result.to_json() for call in everything(stop) for result in stop.turn([call])]
    out += [session.call(name).to_json() for name in ("get_inbox", "get_draft_pool", "get_finances")]
    return [*out, session.packet().to_json(), str(session.result())]


def differences(session: Session) -> list[tuple[str, str]]:
    scrambled = session.copy()
    scramble(scrambled)
    assert scrambled.world.digest() != session.world.digest()
    return [(a, b) for a, b in zip(shown(session), shown(scrambled), strict=True) if a != b]


@pytest.mark.parametrize("day", [4, 89, 180, 304])
def test_hidden_truth_changes_nothing_shown(day: int) -> None:
    assert differences(session_at(day)) == []


def test_hidden_truth_changes_nothing_in_the_draft() -> None:
    assert differences(drafting()) == []


@pytest.mark.parametrize(("opened", "prepare", "code"), MET)
def test_hidden_truth_changes_no_refusal(opened: Any, prepare: Any, code: Any) -> None:
    plain, scrambled = opened(), opened()
    scramble(scrambled)
    a, b = (session.call(*prepare(session)).to_json() for session in (plain, scrambled))
    assert a == b


def test_truth_does_show_once_time_moves() -> None:
    """The scramble reaches what is seen through scouts at the next stop, so the tests above mean something."""
    plain = session_at()
    scrambled = plain.copy()
    scramble(scrambled)
    for session in (plain, scrambled):
        session.call("advance")
    assert plain.call("get_squad").data != scrambled.call("get_squad").data


def _leaking_band(world: Any, ability: float, error: float) -> str:
    return f"{float(world.w['truth']['ability'].sum()):.3f}"


def _leaking_stars(world: Any, potential: float) -> float:
    return float(world.w.templates["potential"].sum())


@pytest.mark.parametrize(("name", "leak"), [("band", _leaking_band), ("stars", _leaking_stars)])
def test_a_planted_leak_is_found(name: str, leak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, name, leak)
    assert differences(session_at())
    assert differences(drafting())


def test_owners_beliefs_are_not_shown() -> None:
    """What other clubs and the public believe of a player stays with them, but for his public value."""
    session = session_at()
    other = session.copy()
    pl = other.world.w.players
    theirs = pl["club"] != 0
    for name in ("own_ability", "own_potential", "pub_ability", "pub_potential"):
        pl[name][theirs] += 20.0
    queries = [call for call in everything(session.copy().stop()) if call[0].startswith("get_")]
    a, b = ([s.call(name, args).to_json() for name, args in queries] for s in (session, other))
    assert a == b
