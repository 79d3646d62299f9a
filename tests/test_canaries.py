"""Exploits that must stay closed: none of them comes near a manager who plays well (world rules, section 12)."""

import importlib.util
import statistics
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fmgym.baselines import make
from fmgym.run import run

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
