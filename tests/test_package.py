"""What `import fmgym` does, and what it leaves alone."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import gymnasium
import pytest

import fmgym

HEAVY = ("numba", "llvmlite", "torch", "pettingzoo", "msgspec", "typer", "rich", "fmgym.jit", "fmgym.envs")


def modules_after(statement: str) -> set[str]:
    program = f"import sys\nsys.path.insert(0, {str(Path(fmgym.__file__).parents[1])!r})\n{statement}\n"
    done = subprocess.run(
        [sys.executable, "-c", program + "print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_stays_light() -> None:
    loaded = modules_after("import fmgym")
    assert "fmgym" in loaded
    assert not loaded & set(HEAVY)


def test_a_heavy_import_is_seen() -> None:
    assert {"numba", "fmgym.jit"} <= modules_after("import fmgym.jit")


def test_the_solo_env_is_registered_by_name_only() -> None:
    spec = gymnasium.spec("FMBench-Solo-v0")
    assert spec.entry_point == "fmgym.envs.solo:SoloEnv"
    assert spec.vector_entry_point == "fmgym.envs.vector:SoloVectorEnv"


def test_the_version_is_the_installed_one() -> None:
    try:
        installed = version("fmgym")
    except PackageNotFoundError:
        pytest.skip("fmgym is run from a checkout without an install")
    assert installed == fmgym.__version__
