"""`fmgym bench`: how fast it runs on this machine."""

from __future__ import annotations

import importlib.util
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from fmgym.cli import common

RUNS = 5
TURNS = 20_000
FIRST_RESET = """
import time; start = time.perf_counter()
from fmgym.world import World
World.open(1)
print(time.perf_counter() - start)
"""
EVERYTHING = """
import time; start = time.perf_counter()
import gymnasium, fmgym
from fmgym.baselines import make
from fmgym.run import run
run(make("heuristic"), 1, 1)
gymnasium.make("FMBench-Solo-v0").reset(seed=1)
print(time.perf_counter() - start)
"""


def bench(
    cold: Annotated[bool, typer.Option("--cold", help="Also compile everything anew: minutes.")] = False,
    json_: common.JsonFile = None,
) -> None:
    """Time import, reset, twenty seasons of the world alone, whole runs, and the environment's turns.

    Times are seconds, medians of five runs; imports and compiles are timed in processes of their own.

    Example: fmgym bench --json bench.json
    """
    common.check_outputs(json_)
    parts = _parts(cold)
    rows: dict[str, float] = {}
    with common.Bar("bench", "parts") as bar:
        for done, (name, measure) in enumerate(parts.items()):
            bar.move(done, len(parts), name)
            rows[name] = measure()
    content = {"machine": machine(), "measures": rows}
    try:
        common.write_json(json_, content)
    finally:
        _show(content)


def _parts(cold: bool) -> dict[str, Callable[[], float]]:
    parts: dict[str, Callable[[], float]] = {
        "import, s": lambda: elsewhere(
            "import time; s = time.perf_counter(); import fmgym; print(time.perf_counter() - s)"
        ),
        "import and first reset, s": lambda: elsewhere(FIRST_RESET),
        "reset, s": _reset,
        "world alone, 20 seasons, s": _alone,
        "idle run to its end, s": lambda: _run("idle"),
        "heuristic run to its end, s": lambda: _run("heuristic"),
    }
    if importlib.util.find_spec("fmgym.envs.solo"):
        parts["random masked turns a second, single env"] = _turns
    if cold:
        parts["compile of everything, s"] = compile_all
    return parts


def _median(measure: Callable[[int], object], prepare: Callable[[int], object] = int) -> float:
    """Seconds of a call with seed 1, 2, ... after its preparation; an untimed call comes first."""
    prepare(0)
    measure(0)
    times = []
    for seed in range(1, RUNS + 1):
        prepare(seed)
        start = time.perf_counter()
        measure(seed)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _reset() -> float:
    from fmgym.world import World

    world = World()
    return _median(world.reset)


def _alone() -> float:
    from fmgym.alone import World

    world = World()
    return _median(lambda seed: world.run(), world.reset)


def _run(name: str) -> float:
    from fmgym.baselines import make
    from fmgym.run import run

    policy = make(name)
    return _median(lambda seed: run(policy, seed))


def _turns() -> float:
    import gymnasium

    env = gymnasium.make("FMBench-Solo-v0")
    env.action_space.seed(1)
    _, info = env.reset(seed=1)
    start = time.perf_counter()
    for _ in range(TURNS):
        _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated:
            _, info = env.reset()
    return TURNS / (time.perf_counter() - start)


def compile_all() -> float:
    with tempfile.TemporaryDirectory() as folder:
        return elsewhere(EVERYTHING, FMGYM_CACHE_DIR=folder)


def elsewhere(code: str, **environment: str) -> float:
    """What a piece of code prints, a time, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout)


def machine() -> dict[str, Any]:
    from importlib.metadata import version

    import fmgym

    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "fmgym": fmgym.__version__,
    }


def _show(content: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table("measure", "value", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for name, value in content["measures"].items():
        table.add_row(name, f"{value:,.0f}" if value >= 1000 else f"{value:.4f}")
    console = common.out()
    console.print(table)
    console.print(", ".join(f"{name} {value}" for name, value in content["machine"].items()), soft_wrap=True)
