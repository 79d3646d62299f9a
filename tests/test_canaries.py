"""Exploits that must stay closed: none of them comes near a manager who plays well (world rules, section 12)."""

import importlib.util
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from fmgym.baselines import make
from fmgym.run import run
from fmgym.session import Played, Session
from fmgym.state import YEAR

SEEDS = (3, 4)
MARGIN = 10.0  # points below the strategist
PROGRAM = Path(__file__).parents[1] / "benchmarks" / "exploits.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("exploits", PROGRAM)
    assert spec and spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


exploits = _load()
SCRIPTS = {script.name: script for script in exploits.NAMED}


@pytest.fixture(scope="module")
def bar() -> float:
    """What the strategist scores on the same seeds, less a margin."""
    return statistics.fmean(run(make("strategist"), seed).score for seed in SEEDS) - MARGIN


@pytest.mark.parametrize("name", SCRIPTS)
def test_exploit_stays_closed(name: str, bar: float) -> None:
    assert exploits.score(SCRIPTS[name], SEEDS) < bar


def closed(share: float, seeds: Sequence[int], seasons: int) -> list[float]:
    """Share of bids accepted, season by season, when every bid is this share of public value."""
    bids, deals = [0] * seasons, [0] * seasons
    rule = exploits.move("bid", order="dear", share=share, n=10, kind="all", instalments=0)
    for seed in seeds:
        session = Session.open(seed, seasons)

        def count(seat: int, turn: int, calls: Sequence[Played], session: Session = session) -> None:
            season = int(session.world.w.day) // YEAR
            for call in calls:
                if call.tool == "make_transfer_offer":
                    bids[season] += 1
                    deals[season] += call.outcome == "accepted"

        session.listeners.append(count)
        while not session.finished:
            exploits.Script("fixed", (rule,)).play(session.stop())
    return [deal / max(bid, 1) for deal, bid in zip(deals, bids, strict=True)]


def test_a_fixed_bid_rule_wears_out() -> None:
    """Four fifths of public value close well in season one and less than half as often by season three."""
    first, _, third = closed(0.8, range(1, 7), 3)
    assert first > 0.08
    assert third < first / 2
