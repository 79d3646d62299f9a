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
from fmgym.detmath import power
from fmgym.jit import njit

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

for dtype in sys.argv[1:]:
    print(total(np.arange(4).astype(dtype)))
if power(2.0, len(sys.argv)) + power(2, len(sys.argv)) < 4:  # kernels of the package
    sys.exit(1)
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
    inherited["PYTHONSAFEPATH"] = ""  # the program imports the modules beside it
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
    assert said_first == "fmgym: compiling kernels (once per version, up to a minute in all) ...\n"
    assert said_second == ""
    assert not list(program.parent.rglob("*.nbi")), "numba's own cache was used as well"


def test_an_edited_function_is_compiled_again(program: Path) -> None:
    run(program)
    program.write_text(PROGRAM.replace("x / 2", "x / 4"))
    assert run(program)[0] == ["15.5", "hits 0"]


def test_an_edited_function_that_is_imported_is_compiled_again(program: Path) -> None:
    """Also when another file imports it, in any of the usual ways."""
    package = program.parent / "mine"
    package.mkdir()
    (package / "__init__.py").touch()
    for form, call in FORMS.items():
        program.write_text(f"from fmgym.jit import njit\nfrom mine import middle\n{MIDDLE}print(run(2.0))")
        (package / "middle.py").write_text(
            f"from fmgym.jit import njit\n{form}\n@njit\ndef middle(x):\n    return {call}\n"
        )
        for factor in (3.0, 4.0):
            (package / "far.py").write_text(
                f"from fmgym.jit import njit\n@njit\ndef far(x):\n    return {factor} * x\n"
            )
            assert run(program, PYTHONDONTWRITEBYTECODE="1")[0] == [str(2 * factor)], form


FORMS = {
    "import mine.far": "mine.far.far(x)",
    "from mine import far": "far.far(x)",
    "from mine.far import far": "far(x)",
    "from . import far": "far.far(x)",
    "from .far import far as other": "other(x)",
}
MIDDLE = """@njit
def run(x):
    return middle.middle(x)
"""


EDITS = """
import sys
from pathlib import Path
from fmgym import jit

copy = Path("rng.py")  # stands for the module of that name
copy.write_text("")
jit._MODULES["fmgym.rng"] = copy
jit._LAST_EDITS["fmgym.rng"] = jit._last_edit(copy)
if sys.argv[1] == "edit":
    copy.write_text("later = True")
from fmgym.detmath import power
print(power(2.0, 3), sum(power.stats.cache_hits.values()))
"""


def test_a_process_whose_sources_were_edited_neither_keeps_nor_uses_code(program: Path) -> None:
    program.write_text(EDITS)
    assert run(program, "edit")[0] == ["8.0 0"]
    assert not kept(program)
    assert run(program, "leave")[0] == ["8.0 0"]
    assert len(kept(program)) == 1
    assert run(program, "leave")[0] == ["8.0 1"]
    assert run(program, "edit")[0] == ["8.0 0"]


@pytest.mark.parametrize("option", ["NUMBA_OPT=1", "NUMBA_LOOP_VECTORIZE=0", "NUMBA_DISABLE_INTEL_SVML=1"])
def test_code_of_other_options_is_not_used(program: Path, option: str) -> None:
    run(program)
    name, _, value = option.partition("=")
    hits = run(program, **{name: value})[0][-1]
    assert hits == ("hits 1" if not svml_matters(option) else "hits 0")


def svml_matters(option: str) -> bool:
    """Where numba has no SVML, switching it off changes nothing."""
    import numba

    return not option.startswith("NUMBA_DISABLE_INTEL_SVML") or bool(numba.config.USING_SVML)


def test_bounds_checks_are_not_answered_with_unchecked_code(program: Path) -> None:
    run(program)
    assert run(program, NUMBA_BOUNDSCHECK="1")[0] == ["17.0", "hits 0"]


def test_without_jit_functions_stay_plain(program: Path) -> None:
    output, said = run(program, NUMBA_DISABLE_JIT="1")
    assert output == ["17.0", "plain"]
    assert said == ""
    assert not kept(program)


AT_ONCE = 8


def at_once(program: Path, signatures: list[tuple[str, ...]], **environment: str) -> list[list[str]]:
    """What so many processes, started together, printed. None may fail."""
    processes = [start(program, *dtypes, **environment) for dtypes in signatures]
    finished = [(process.communicate(timeout=600), process.returncode) for process in processes]
    assert [code for _, code in finished] == [0] * len(processes), finished
    return [output.splitlines() for (output, _), _ in finished]


def test_eight_processes_at_once_on_a_cold_cache(program: Path) -> None:
    signatures = [("float64", "int64"), ("int64", "float64"), ("float32", "float64"), ("float64", "float32")] * 2
    assert len(signatures) == AT_ONCE
    assert all(set(output[:2]) == {"17.0"} for output in at_once(program, signatures))
    assert run(program, "float64", "int64", "float32")[0][-1] == "hits 3"
    assert not list(program.parent.rglob("*.tmp"))


def test_eight_processes_at_once_on_a_read_only_cache(program: Path) -> None:
    """One that was filled before is read, and nothing is written; one that is cold is done without."""
    run(program)
    before = contents(program.parent)
    folders = [folder for folder in (program.parent / "cache").rglob("*") if folder.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert at_once(program, [("float64",)] * AT_ONCE) == [["17.0", "hits 1"]] * AT_ONCE
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert contents(program.parent) == before
    blocked = str(program / "cache")  # below a file: not even the superuser can write there
    assert at_once(program, [("float64",)] * AT_ONCE, FMGYM_CACHE_DIR=blocked) == [["17.0", "hits 0"]] * AT_ONCE


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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


CALLS = """
import sys
import numba
import numpy as np
from fmgym.jit import njit, prange

@njit
def inner(x):
    return x + 1

@njit(apart=True)
def far(values, x):
    if x < 0:
        raise ValueError("negative", 7)
    return inner(values[0]) + x, values[1:]

@njit
def near(values, x):
    total, rest = far(values, x)
    return total + rest[0]

@njit
def other(values):
    return far(values, 2)[0] + inner(0)

@njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

@njit
def even(n):
    return True if n == 0 else odd(n - 1)

@njit
def odd(n):
    return False if n == 0 else even(n - 1)

@njit
def element(i):
    return (1, 2.5)[i]

@njit
def elements():
    return inner(1) + inner(2) + element(0) + element(1)

@njit(parallel=True)
def parallel(values):
    total = 0.0
    for i in prange(len(values)):
        total += values[i]
    return total

@numba.njit
def foreign(values):
    return near(values, 1) + other(values) + factorial(4) + even(4)

@numba.njit(cache=True)
def foreign_and_kept(values):
    return near(values, 1)

values = np.arange(4.0)
for call in sys.argv[1:]:
    try:
        print(eval(call))
    except ValueError as error:
        print(repr(error))
"""


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.py"
    path.write_text(CALLS)
    return path


def test_only_what_python_calls_and_what_is_apart_is_kept(calls: Path) -> None:
    run(calls, "near(values, 1)", "other(values)")
    assert [path.name.rsplit("-", 1)[0] for path in kept(calls)] == ["far-apart", "near-entry", "other-entry"]


SOME_CALLS = {
    "near(values, 1)": "3.0",
    "other(values)": "4.0",
    "far(values, 1)": "(2.0, array([1., 2., 3.]))",
    "far(values, -1)": "ValueError('negative', 7)",
    "near(values, -1)": "ValueError('negative', 7)",
    "factorial(5)": "120",
    "odd(7)": "True",
    "elements()": "8.5",
    "parallel(values)": "6.0",
    "foreign(values)": "32.0",
    "foreign_and_kept(values)": "3.0",
}


@pytest.mark.parametrize("first", [0, 5, 9])
def test_calls_of_all_kinds_compiled_and_loaded_in_any_order(calls: Path, first: int) -> None:
    """Kernels that call themselves, and functions that numba compiles on its own, look for symbols."""
    order = [*list(SOME_CALLS)[first:], *list(SOME_CALLS)[:first]]
    expected = [SOME_CALLS[call] for call in order]
    assert run(calls, *order)[0] == expected
    assert run(calls, *order)[0] == expected
    assert run(calls, *reversed(order))[0] == expected[::-1]


def test_a_kernel_is_compiled_once_for_all_constants_if_they_do_not_change_types(calls: Path) -> None:
    types = "[len(kernel.overloads) for kernel in (inner, element)]"
    assert run(calls, "elements()", types)[0] == ["8.5", "[1, 2]"]


def test_what_is_apart_is_loaded_to_compile_its_callers(calls: Path) -> None:
    run(calls, "near(values, 1)")
    assert run(calls, "other(values)", "list(inner.overloads)")[0] == ["4.0", "[(int64,)]"], "far was compiled again"


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"garbage")])
def test_nothing_calls_what_is_lost(calls: Path, damage: Callable[[Path], object]) -> None:
    hits = "near.stats.cache_hits.total()"
    run(calls, "near(values, 1)")
    damage(kept(calls)[0])
    assert run(calls, "near(values, 1)", hits)[0] == ["3.0", "0"]
    assert run(calls, "near(values, 1)", hits)[0] == ["3.0", "1"]


def test_a_folder_that_vanishes_while_a_process_runs(calls: Path) -> None:
    vanish = "__import__('shutil').rmtree('cache')"
    for _ in range(2):  # far was compiled by the process itself, and by another
        assert run(calls, "near(values, 1)", vanish, "other(values)")[0] == ["3.0", "None", "4.0"]
        assert run(calls, "other(values)", "near(values, 1)")[0] == ["4.0", "3.0"]


def test_a_kernel_survives_pickling(calls: Path) -> None:
    run(calls, "open('kernel', 'wb').write(__import__('pickle').dumps(far))")
    loaded = "__import__('pickle').loads(open('kernel', 'rb').read())"
    assert run(calls, f"{loaded}.apart", f"{loaded}(values, 1)[0]")[0] == ["True", "2.0"]


# Large enough that LLVM does not inline what is called, and so calls it by a symbol.
LARGE = """
import sys
import numpy as np
from fmgym.jit import njit

@njit
def one_sum(w):
    total = 0
    for i in range(len(w.items)):
        x = w.items[i].x
        LINES
        total += x
    return total

@njit
def sums(w):
    total = 0
    for i in range(2):
        total += one_sum(w)
        w.items[0].x += 1
        total += one_sum(w)
    return total + one_sum(w)

for n in map(int, sys.argv[1:]):
    item = np.dtype([("pad", np.int64, (n,)), ("x", np.int64)])
    w = np.zeros(1, np.dtype([("items", item, (n,))]))
    w["items"]["x"] = 1
    print(sums(w[0]))
"""


def test_functions_of_two_processes_may_have_one_symbol(tmp_path: Path) -> None:
    """numba numbers record types and functions within a process, and puts the numbers into symbols."""
    program = tmp_path / "large.py"
    lines = [f"x += w.items[(i + x) % len(w.items)].x // {k}" for k in range(2, 40)]
    program.write_text(LARGE.replace("LINES", "\n        ".join(lines)))
    small, large = run(program, "2")[0], run(program, "300")[0]
    assert small != large
    assert run(program, "2", "300")[0] == small + large
    assert run(program, "300", "2")[0] == large + small


def test_numba_is_as_before_when_kernels_are_compiled(calls: Path) -> None:
    look = (
        "[v for o in (numba.types.Record, numba.types.BaseFunction, c, c.codegen(), numba.core.ir.Inst,"
        " numba.core.targetconfig.TargetConfig, numba.core.event) for v in vars(o).values()"
        " if getattr(v, '__module__', '') == 'fmgym.jit' and type(v) is not type(near)]"
    )
    context = "globals().update(c=near.targetctx)"
    assert run(calls, "near(values, 1)", context, look)[0] == ["3.0", "None", "[]"]


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


def test_a_folder_in_use_is_young(program: Path) -> None:
    run(program)
    folder = kept(program)[0].parent
    os.utime(folder, (1000, 1000))
    run(program)
    assert folder.stat().st_mtime > 1000


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


def digest(modules: dict[str, Path]) -> str:
    return jit.source_digest(jit.kernel_sources(modules))


@pytest.fixture
def modules(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.py" for name in SOURCES}
    for name, path in paths.items():
        path.write_text(SOURCES[name])
    return paths


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "fmgym.views"])
def test_digest_covers_kernels_and_what_they_import(modules: dict[str, Path], name: str) -> None:
    before = digest(modules)
    modules[name].write_text(SOURCES[name] + "\n# edited")
    assert digest(modules) != before


def test_digest_leaves_out_what_no_kernel_imports(modules: dict[str, Path]) -> None:
    before = digest(modules)
    modules["fmgym.views"].write_text("edited = True")
    assert digest(modules) == before


def test_digest_covers_every_kernel_of_the_package(tmp_path: Path) -> None:
    modules = jit.package_modules()
    before = digest(modules)
    edited = tmp_path / "edited.py"
    kernels = [name for name, path in modules.items() if "@njit" in path.read_text()]
    for name in ["fmgym.jit", *kernels]:
        edited.write_text(modules[name].read_text() + "\n# edited")
        assert digest(modules | {name: edited}) != before, name


def test_modules_of_all_folders_are_found() -> None:
    expected = {"fmgym", "fmgym.jit", "fmgym.kernels", "fmgym.envs", "fmgym.wrappers", "fmgym.baselines"}
    assert expected <= jit.package_modules().keys()
