"""Sweeps: every task once, whoever does the work, and nothing that has ended is lost."""

import json
import math
import operator
import os
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from fmgym.errors import BadInput, CheckFailed
from fmgym.sweep import Sheet, Workers, sweep


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_every_task_is_done_once(jobs: int | None) -> None:
    found = list(sweep(math.gcd, [(12, 8), (9, 6), (7, 5), (10, 10)], Workers(jobs)))
    assert sorted(found) == [(0, 4), (1, 3), (2, 1), (3, 10)]
    assert list(sweep(math.gcd, [], Workers(jobs))) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_task_ends_the_sweep_with_it(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(sweep(operator.truediv, [(1, 0), (1, 0), (1, 0)], Workers(jobs)))


def test_closing_the_results_stops_the_workers() -> None:
    before = set(active_children())
    results = sweep(time.sleep, [(0,), (600,)], Workers(2))
    assert next(results)[0] == 0
    workers = set(active_children()) - before
    assert workers
    results.close()
    for process in workers:
        assert process.pid
        while alive(process.pid):  # a worker left running would hold this test until its end
            time.sleep(0.01)


def test_a_killed_worker_is_replaced() -> None:
    before = set(active_children())
    results = sweep(time.sleep, [(0.2,)] * 8, Workers(2))
    found = [next(results)[0]]
    (set(active_children()) - before).pop().kill()
    found += [i for i, _ in results]
    assert sorted(found) == list(range(8))


def test_a_task_that_kills_its_workers_ends_the_sweep() -> None:
    with pytest.raises(CheckFailed, match="killed 6 times"):
        list(sweep(os._exit, [(1,), (1,)], Workers(2)))


def test_workers_end_with_a_killed_parent() -> None:
    code = (
        "import time; from fmgym.sweep import *; from multiprocessing import active_children\n"
        "if __name__ == '__main__':\n"
        "    results = sweep(time.sleep, [(0,), (600,)], Workers(2)); next(results)\n"
        "    print(*[child.pid for child in active_children()], flush=True); time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    with parent.stdout as told:
        workers = [int(pid) for pid in told.readline().split()]
    assert len(workers) == 2
    parent.kill()
    parent.wait()
    while any(alive(pid) for pid in workers):  # a worker that goes on would hold this test until its end
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"jobs": 0}, "jobs takes a whole number from 1, not 0"),
        ({"backend": "slurm"}, "backend must be processes or ray, not 'slurm'"),
        ({"address": "auto"}, "give the backend ray too"),
    ],
)
def test_bad_workers_are_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Workers(**options)  # type: ignore[arg-type]


# Results on disk


def filled(path: Path) -> Path:
    with Sheet(path, {"seasons": 2}) as sheet:
        sheet.add("a", {"score": 1.5})
        sheet.add("b", [2])
    return path


def test_a_sheet_has_what_was_added(tmp_path: Path) -> None:
    path = filled(tmp_path / "sheet.jsonl")
    with Sheet(path, {"seasons": 2}) as sheet:
        assert sheet.rows == {"a": {"score": 1.5}, "b": [2]}
        sheet.add("c", None)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"conditions": {"seasons": 2}},
        {"key": "a", "row": {"score": 1.5}},
        {"key": "b", "row": [2]},
        {"key": "c", "row": None},
    ]


def test_a_sheet_cut_off_anywhere_keeps_its_whole_lines(tmp_path: Path) -> None:
    content = filled(tmp_path / "sheet.jsonl").read_bytes()
    first = content.index(b"\n") + 1
    for size in range(first, len(content) + 1):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(content[:size])
        with Sheet(path, {"seasons": 2}) as sheet:
            assert len(sheet.rows) == content[:size].count(b"\n") - 1
            sheet.add("z", 0)
        with Sheet(path, {"seasons": 2}) as sheet:
            assert sheet.rows["z"] == 0


def test_a_sheet_of_other_conditions_is_left_alone(tmp_path: Path) -> None:
    path = filled(tmp_path / "sheet.jsonl")
    before = path.read_bytes()
    with pytest.raises(BadInput, match="seasons 2, not 3"):
        Sheet(path, {"seasons": 3})
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["dear", "dear\n", "[]\n", '{"key": 1}\n', '{"conditions": {"seasons": 2}}\n{}\n'])
def test_a_file_that_is_no_sheet_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(content)
    with pytest.raises(BadInput, match="holds no results"):
        Sheet(path, {"seasons": 2})
    assert path.read_text() == content


def test_a_sheet_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot hold results"):
        Sheet(tmp_path / "missing" / "sheet.jsonl", {})
    with pytest.raises(BadInput, match="cannot hold results"):
        Sheet(tmp_path, {})
