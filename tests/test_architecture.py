"""The rules of the house, read off the source: who may import whom, and who may know the hidden truth.

A rule is a function of a module's source and name that returns the violations it found. Each is run over the
whole checkout, and over planted faults that it must see.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

Rule = Callable[[str, str], list[str]]

ROOT = Path(__file__).parents[1]
UPPER_FLOORS = ("fmgym.envs", "fmgym.wrappers", "fmgym.baselines")
MAY_SPEAK_TO_FRAMEWORKS = ("fmgym.cli", *UPPER_FLOORS)
FRAMEWORKS = ("gymnasium", "pettingzoo", "torch")
# Parameters are not among these: they reach kernels as arguments, for numba would freeze a global's value.
KERNELS_MAY_IMPORT = (
    "math",
    "numpy",
    "fmgym.calendar",
    "fmgym.detmath",
    "fmgym.enums",
    "fmgym.jit",
    "fmgym.kernels",
    "fmgym.rng",
    "fmgym.score",
    "fmgym.state",
)
DETERMINISTIC = ("fmgym.kernels", "fmgym.generate", "fmgym.rng", "fmgym.detmath")
CHANCE_AND_CLOCKS = ("numpy.random", "random", "secrets", "uuid", "time", "datetime")
MAY_KNOW_THE_TRUTH = (
    "fmgym.state",
    "fmgym.alone",
    "fmgym.kernels.academy",
    "fmgym.kernels.condition",
    "fmgym.kernels.development",
    "fmgym.kernels.match",
    "fmgym.kernels.scouting",
    "fmgym.baselines.oracle",
)


def within(name: str, packages: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of the packages or lies inside one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def imports(source: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything imported, at the top or inside a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def imports_within(source: str, packages: tuple[str, ...]) -> list[str]:
    return [f"line {line}: {name}" for line, name in imports(source) if within(name, packages)]


def engine_knows_no_framework(source: str, module: str) -> list[str]:
    """The engine imports no framework and nothing of the floors above it."""
    if module == "fmgym":  # registers the environments
        return imports_within(source, ("pettingzoo", "torch", *UPPER_FLOORS))
    if within(module, MAY_SPEAK_TO_FRAMEWORKS):
        return []
    return imports_within(source, FRAMEWORKS + UPPER_FLOORS)


def kernels_import_only_their_own_kind(source: str, module: str) -> list[str]:
    """Kernels import what numba can compile, and nothing else."""
    if not within(module, ("fmgym.kernels",)):
        return []
    return [f"line {line}: {name}" for line, name in imports(source) if not within(name, KERNELS_MAY_IMPORT)]


def numba_only_in_jit(source: str, module: str) -> list[str]:
    """Only fmgym.jit speaks to numba: what is compiled elsewhere would miss its options and its cache."""
    return [] if module == "fmgym.jit" else imports_within(source, ("numba", "llvmlite"))


def oracle_stays_outside(source: str, module: str) -> list[str]:
    """The policy that reads hidden truth is out of reach of engine, environments and wrappers."""
    if within(module, ("fmgym.baselines",)):
        return []
    return imports_within(source, ("fmgym.baselines.oracle",))


def imports_are_absolute(source: str, module: str) -> list[str]:
    """Imports name the whole path, which fmgym.jit's digest of the sources relies on."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return [f"line {node.lineno}: relative import in {module}" for node in nodes if node.level]


def chance_is_counted(source: str, module: str) -> list[str]:
    """What feeds state draws from fmgym.rng alone, and reads no clock."""
    if not within(module, DETERMINISTIC):
        return []
    attributes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    return imports_within(source, CHANCE_AND_CLOCKS) + [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in attributes
        if ast.unparse(node) in ("np.random", "numpy.random")
    ]


def truth_is_hidden(source: str, module: str) -> list[str]:
    """The hidden traits of players, the world's field `truth`, are named by few modules only."""
    if within(module, MAY_KNOW_THE_TRUTH):
        return []
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr == "truth")
        or (isinstance(node, ast.Constant) and node.value == "truth")
    ]


def records_outlive_their_arrays(source: str, module: str) -> list[str]:
    """Compiled code takes no record out of an array it has made itself: numba would free the array under it.

    Such an array is handed to another function first, which takes the record; the caller's reference keeps it alive.
    """
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in function.decorator_list)
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)
        if _makes_records(node.value)
        or (isinstance(node.value, ast.Name) and node.value.id in set(_record_arrays(function)))
    ]


def _record_arrays(function: ast.FunctionDef) -> Iterator[str]:
    """Names bound to new arrays of records."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _makes_records(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _makes_records(node: ast.expr) -> bool:
    """Whether this makes an array of a type with a name of its own, as record types have: ``np.empty(1, MATCH)``."""
    made = isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.empty", "np.zeros")
    return made and any(
        isinstance(a, ast.Name) and a.id.isupper() for a in [*node.args[1:], *(k.value for k in node.keywords)]
    )


def import_cycle(sources: Mapping[str, str]) -> list[str]:
    """The modules along one circle of imports, or nothing."""
    graph = {
        module: {target for _, name in imports(source) if (target := owner(name, sources))} - {module}
        for module, source in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


def owner(name: str, modules: Mapping[str, str]) -> str | None:
    """The module that an imported name means: itself, or the one it is an attribute of."""
    if name in modules:
        return name
    parent = name.rpartition(".")[0]
    return parent if parent in modules else None


def checkout() -> dict[str, str]:
    """The source of every module in the checkout, by import name."""
    folders = {"fmgym": "fmgym"} | {f"fmgym.{name}": name for name in ("envs", "wrappers", "baselines")}
    sources = {}
    for package, folder in folders.items():
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join((package, *parts)).removesuffix(".__init__")
            sources[name] = path.read_text(encoding="utf-8")
    return sources


RULES: list[Rule] = [
    engine_knows_no_framework,
    kernels_import_only_their_own_kind,
    numba_only_in_jit,
    oracle_stays_outside,
    imports_are_absolute,
    chance_is_counted,
    truth_is_hidden,
    records_outlive_their_arrays,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_checkout_keeps(rule: Rule) -> None:
    violations = [
        f"{module}, {violation}" for module, source in checkout().items() for violation in rule(source, module)
    ]
    assert not violations, f"{rule.__doc__}\n" + "\n".join(violations)


def test_checkout_has_no_import_cycle() -> None:
    assert not import_cycle(checkout())


def test_checkout_is_read() -> None:
    expected = {"fmgym", "fmgym.jit", "fmgym.cli", "fmgym.kernels", *UPPER_FLOORS}
    assert expected <= checkout().keys()


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (engine_knows_no_framework, "fmgym.tools", "import gymnasium as gym"),
        (engine_knows_no_framework, "fmgym.tools", "from gymnasium.spaces import Box"),
        (engine_knows_no_framework, "fmgym.stop", "def late():\n    import torch"),
        (engine_knows_no_framework, "fmgym.run", "from fmgym import envs"),
        (engine_knows_no_framework, "fmgym.run", "from fmgym.baselines.idle import Idle"),
        (engine_knows_no_framework, "fmgym", "import fmgym.envs.solo"),
        (kernels_import_only_their_own_kind, "fmgym.kernels.match", "import msgspec"),
        (kernels_import_only_their_own_kind, "fmgym.kernels", "from fmgym.views import squad"),
        (numba_only_in_jit, "fmgym.kernels.match", "from numba import njit"),
        (numba_only_in_jit, "fmgym.envs.vector", "import numba.typed"),
        (oracle_stays_outside, "fmgym.cli", "from fmgym.baselines import oracle"),
        (oracle_stays_outside, "fmgym.wrappers.text", "def f():\n    import fmgym.baselines.oracle"),
        (imports_are_absolute, "fmgym.kernels.day", "from . import match"),
        (imports_are_absolute, "fmgym.kernels.day", "from .match import play"),
        (chance_is_counted, "fmgym.kernels.match", "import numpy as np\nx = np.random.rand()"),
        (chance_is_counted, "fmgym.generate", "from numpy.random import default_rng"),
        (chance_is_counted, "fmgym.generate", "from numpy import random"),
        (chance_is_counted, "fmgym.rng", "from time import time_ns"),
        (chance_is_counted, "fmgym.detmath", "import datetime"),
        (records_outlive_their_arrays, "fmgym.kernels.match", "@njit\ndef f():\n    m = np.empty(1, MATCH)[0]"),
        (records_outlive_their_arrays, "fmgym.envs.stops", "@njit\ndef f():\n    a = np.zeros(2, ROW)\n    m = a[0]"),
        (
            records_outlive_their_arrays,
            "fmgym.score",
            "@njit(apart=True)\ndef f():\n    return np.zeros(1, dtype=ROW)[0].x",
        ),
        (truth_is_hidden, "fmgym.views", "def f(world):\n    return world.truth[0]"),
        (truth_is_hidden, "fmgym.envs.solo", "hidden = getattr(world, 'truth')"),
        (truth_is_hidden, "fmgym.baselines.heuristic", "world['truth']['potential']"),
    ],
)
def test_a_planted_fault_is_seen(rule: Rule, module: str, source: str) -> None:
    assert rule(source, module)


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (engine_knows_no_framework, "fmgym", "from gymnasium.envs.registration import register"),
        (engine_knows_no_framework, "fmgym.cli.run", "from fmgym.baselines import idle"),
        (engine_knows_no_framework, "fmgym.envs.solo", "import gymnasium"),
        (engine_knows_no_framework, "fmgym.tools", "import gymnasium_like"),
        (kernels_import_only_their_own_kind, "fmgym.kernels.day", "from fmgym.kernels.match import play"),
        (kernels_import_only_their_own_kind, "fmgym.views", "import msgspec"),
        (numba_only_in_jit, "fmgym.jit", "import numba"),
        (oracle_stays_outside, "fmgym.baselines.ladder", "from fmgym.baselines.oracle import Oracle"),
        (chance_is_counted, "fmgym.kernels.match", "from fmgym import rng\nx = rng.random(1)"),
        (chance_is_counted, "fmgym.run", "import time"),
        (records_outlive_their_arrays, "fmgym.kernels.match", "@njit\ndef f():\n    g(np.empty(1, MATCH))"),
        (
            records_outlive_their_arrays,
            "fmgym.kernels.match",
            "@njit\ndef f():\n    a = np.empty(9, GOOD)\n    g(a[:3])",
        ),
        (
            records_outlive_their_arrays,
            "fmgym.kernels.match",
            "@njit\ndef f(a):\n    return a[0], np.empty(3, np.int64)[0]",
        ),
        (truth_is_hidden, "fmgym.kernels.match", "def f(world):\n    return world.truth"),
        (truth_is_hidden, "fmgym.views", "x = 'the truth'"),
    ],
)
def test_what_is_allowed_passes(rule: Rule, module: str, source: str) -> None:
    assert not rule(source, module)


def test_a_planted_cycle_is_seen() -> None:
    circle = {
        "fmgym.a": "from fmgym import b",
        "fmgym.b": "import fmgym.c",
        "fmgym.c": "from fmgym.a import x",
    }
    assert set(import_cycle(circle)) == circle.keys()
    assert not import_cycle(circle | {"fmgym.c": "import numpy"})
