"""The calibration program: what a row says, what a change of a table's number means, what it refuses."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fmgym import alone
from fmgym.params import Params

ROOT = Path(__file__).parents[2]


@pytest.fixture
def calibrate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, imported from the repository."""
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.calibrate")


def test_a_change_of_one_number_leaves_the_rest_of_its_table(calibrate: ModuleType) -> None:
    before = Params.default().growth.decline
    changes = calibrate.changes_of({"growth.decline[1]": 0.3, "market.heat": 0.05})
    assert changes == {"growth.decline": [before[0], 0.3], "market.heat": 0.05}
    assert Params.default().replace(changes).growth.decline == (before[0], 0.3)
    assert calibrate.changes_of({"growth.decline[0]": 0.1, "growth.decline[1]": 0.3})["growth.decline"] == [0.1, 0.3]


@pytest.mark.parametrize("stage", ["world", "ladder"])
def test_the_search_starts_from_the_file_and_inside_its_bounds(calibrate: ModuleType, stage: str) -> None:
    """And every bound is legal, so that no trial can be refused."""
    for key, (low, high) in calibrate.STAGES[stage].items():
        for value in (low, high):
            Params.default().replace(calibrate.changes_of({key: value}))
        assert low <= calibrate.present(key) <= high, key


def test_loss_grows_with_the_miss(calibrate: ModuleType) -> None:
    row = calibrate.rows.Row
    inside, near, far = row("x", 1.5, 1.0, 2.0), row("x", 2.1, 1.0, 2.0), row("x", 3.0, 1.0, 2.0)
    assert inside.holds and not near.holds
    assert (inside.miss, far.miss) == (0.0, 1.0)
    assert calibrate.loss([inside]) < calibrate.loss([near]) < calibrate.loss([far])


def test_rows_of_the_world_are_the_bands_of_the_world(calibrate: ModuleType) -> None:
    found = {row.name: row for row in calibrate.world_rows([1], {})}
    banded = [name for name, measure in alone.MEASURES.items() if measure.low is not None]
    assert {f"world {name}" for name in banded} <= set(found)
    assert (found["world goals"].low, found["world goals"].high) == (2.4, 3.0)


def test_bad_input_is_one_line_and_status_2() -> None:
    command = [sys.executable, "-m", "benchmarks.calibrate", "search", "--stage", "moon"]
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(ROOT)])  # fmgym under test first
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.strip() == "--stage is world or ladder, not 'moon'"
