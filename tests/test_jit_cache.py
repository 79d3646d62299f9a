"""Kernels are compiled once and kept; a cache that is cold, shared, damaged or not to be had does no harm."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import fmgym
from fmgym import jit

PROGRAM = """
import sys
import numpy as np
from fmgym.jit import announce_cold_start, njit

@njit
def square(x):
    return x * x

@njit(inline="always")
def halved(x):
    return x / 2

@njit
def total(values):
    result = values[0] * 0
    for value in values:
        result += square(value) + halved(value)
    return result

announce_cold_start()
announce_cold_start()
for dtype in sys.argv[1:]:
    print(total(np.arange(4).astype(dtype)))
if hasattr(total, "stats"):
    print("hits", sum(total.stats.cache_hits.values()))
else:
    print("plain")
"""


# Records of two lengths: what two processes compiled for one each, a third loads for both.
RECORDS = """
import sys
import numpy as np
from fmgym.jit import njit

def world(n):
    row = np.dtype((np.record, np.dtype([("x", "f8"), ("y", "f8")], align=True)))
    return np.zeros(1, np.dtype((np.record, np.dtype([("rows", row, (n,)), ("last", "f8")], align=True))))

@njit
def fill(w):
    for i in range(len(w.rows)):
        w.rows[i].y = i
    w.last = len(w.rows)

@njit
def run(worlds):
    fill(worlds[0])
    return worlds[0].last

@njit
def copied(worlds):
    out = np.empty(len(worlds[0].rows))
    for i in range(len(out)):
        out[i] = worlds[0].rows[i].y
    return out

for n in sys.argv[1:]:
    w = world(int(n))
    print(run(w), copied(w).sum())
"""


def test_record_types_of_other_processes_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "records.py"
    path.write_text(RECORDS)
    expected = {"3": "3.0 3.0", "500": "500.0 124750.0"}
    for sizes in (["3"], ["500"], ["3", "500"], ["500", "3"]):
        process = start(path, *sizes)
        out, err = process.communicate()
        assert process.returncode == 0, err
        assert out.split("\n")[:-1] == [expected[n] for n in sizes]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def start(program: Path, *dtypes: str, **environment: str) -> subprocess.Popen[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "FMGYM_"))}
    inherited["PYTHONPATH"] = str(Path(fmgym.__file__).parents[1])
    inherited["FMGYM_CACHE_DIR"] = str(program.parent / "cache")
    return subprocess.Popen(
        [sys.executable, program, *(dtypes or ("float64",))],
        env=inherited | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=program.parent,
    )


def run(program: Path, *dtypes: str, **environment: str) -> tuple[list[str], str]:
    """What the program printed, line by line, and what it said on stderr."""
    process = start(program, *dtypes, **environment)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output.splitlines(), errors


def kept(program: Path) -> list[Path]:
    return sorted(program.parent.glob("cache/kernels-*/*.nbc"))


def test_second_process_loads_what_the_first_compiled(program: Path) -> None:
    first, said_first = run(program)
    second, said_second = run(program)
    assert first == ["17.0", "hits 0"]
    assert second == ["17.0", "hits 1"]
    assert said_first == "fmgym: compiling kernels (once per version, about half a minute) ...\n"
    assert said_second == ""
    assert not list(program.parent.rglob("*.nbi")), "numba's own cache was used as well"


def test_an_edited_function_is_compiled_again(program: Path) -> None:
    run(program)
    program.write_text(PROGRAM.replace("x / 2", "x / 4"))
    assert run(program)[0] == ["15.5", "hits 0"]


def test_bounds_checks_are_not_answered_with_unchecked_code(program: Path) -> None:
    run(program)
    assert run(program, NUMBA_BOUNDSCHECK="1")[0] == ["17.0", "hits 0"]


def test_without_jit_functions_stay_plain(program: Path) -> None:
    output, said = run(program, NUMBA_DISABLE_JIT="1")
    assert output == ["17.0", "plain"]
    assert said == ""
    assert not kept(program)


def test_four_processes_at_once_on_a_cold_cache(program: Path) -> None:
    signatures = [("float64", "int64"), ("int64", "float64"), ("float32", "float64"), ("float64", "float32")]
    processes = [start(program, *dtypes) for dtypes in signatures]
    finished = [(process.communicate(timeout=120), process.returncode) for process in processes]
    assert [code for _, code in finished] == [0] * 4, finished
    assert all(set(output.splitlines()[:2]) == {"17.0"} for (output, _), _ in finished)
    assert run(program, "float64", "int64", "float32")[0][-1] == "hits 3"
    assert not list(program.parent.rglob("*.tmp"))


DAMAGES = {
    "empty": lambda content: b"",
    "garbage": lambda content: b"garbage",
    "cut short": lambda content: content[:-100],
    "another checksum": lambda content: bytes(32) + content[32:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_files_are_misses(program: Path, damage: Callable[[bytes], bytes]) -> None:
    run(program)
    for path in kept(program):
        path.write_bytes(damage(path.read_bytes()))
    assert run(program)[0] == ["17.0", "hits 0"]
    assert run(program)[0] == ["17.0", "hits 1"], "the damaged files were not replaced"


def test_code_for_a_function_as_argument_is_not_kept(program: Path) -> None:
    """Another process may have another function at the same address."""
    program.write_text(
        "from fmgym.jit import njit\n"
        "@njit\ndef one(): return 1\n"
        "@njit\ndef called(function): return function()\n"
        "print(called(one))\n"
    )
    assert run(program)[0] == ["1"]
    assert not kept(program)


def test_a_folder_that_cannot_be_written(program: Path) -> None:
    blocked = program.parent / "a file"
    blocked.touch()
    output, said = run(program, FMGYM_CACHE_DIR=str(blocked / "cache"))
    assert output == ["17.0", "hits 0"]
    assert "set FMGYM_CACHE_DIR to a writable folder" in said


def test_numbas_own_setting_is_respected(program: Path) -> None:
    run(program, FMGYM_CACHE_DIR="", NUMBA_CACHE_DIR=str(program.parent / "numba"))
    assert list(program.parent.glob("numba/fmgym/kernels-*/*.nbc"))


def test_the_users_cache_folder_is_the_default(program: Path) -> None:
    home = program.parent / "home"
    run(program, FMGYM_CACHE_DIR="", HOME=str(home), XDG_CACHE_HOME=str(home), LOCALAPPDATA=str(home))
    assert list(home.rglob("kernels-*/*.nbc"))


def test_folders_of_versions_long_gone_are_removed(program: Path) -> None:
    root = program.parent / "cache"
    for age in range(jit.DIGESTS_KEPT + 2):
        (root / f"kernels-{age}").mkdir(parents=True)
        os.utime(root / f"kernels-{age}", (1000 - age, 1000 - age))  # the first is the youngest
    (root / "something else").mkdir()
    run(program)
    left = {path.name for path in root.iterdir()}
    assert {path.parent.name for path in kept(program)} < left
    assert {"kernels-0", "kernels-1", "something else"} < left
    assert len(left) == jit.DIGESTS_KEPT + 1


SOURCES = {
    "fmgym.jit": "def njit(func): ...",
    "fmgym.kernels.match": "from fmgym.jit import njit\nfrom fmgym.codes import GOAL\nimport fmgym.shapes",
    "fmgym.kernels.day": "from fmgym import (\n    detmath,\n    jit,\n)",
    "fmgym.codes": "from fmgym.codes_base import BASE\nGOAL = BASE + 1",
    "fmgym.codes_base": "BASE = 1",
    "fmgym.shapes": "ROWS = 1",
    "fmgym.detmath": "import math",
    "fmgym.views": "from fmgym.kernels import match",
}


@pytest.fixture
def modules(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.py" for name in SOURCES}
    for name, path in paths.items():
        path.write_text(SOURCES[name])
    return paths


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "fmgym.views"])
def test_digest_covers_kernels_and_what_they_import(modules: dict[str, Path], name: str) -> None:
    before = jit.source_digest(modules)
    modules[name].write_text(SOURCES[name] + "\n# edited")
    assert jit.source_digest(modules) != before


def test_digest_leaves_out_what_no_kernel_imports(modules: dict[str, Path]) -> None:
    before = jit.source_digest(modules)
    modules["fmgym.views"].write_text("edited = True")
    assert jit.source_digest(modules) == before


def test_digest_covers_every_kernel_of_the_package(tmp_path: Path) -> None:
    modules = jit.package_modules()
    before = jit.source_digest(modules)
    edited = tmp_path / "edited.py"
    kernels = [name for name, path in modules.items() if "@njit" in path.read_text()]
    for name in ["fmgym.jit", *kernels]:
        edited.write_text(modules[name].read_text() + "\n# edited")
        assert jit.source_digest(modules | {name: edited}) != before, name


def test_modules_of_all_folders_are_found() -> None:
    expected = {"fmgym", "fmgym.jit", "fmgym.kernels", "fmgym.envs", "fmgym.wrappers", "fmgym.baselines"}
    assert expected <= jit.package_modules().keys()
