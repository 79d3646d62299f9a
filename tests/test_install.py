"""The package imports however it was installed, from the checkout's root as from elsewhere.

Each install goes into a virtual environment of its own, which borrows the dependencies of the running one.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "MANIFEST.in",
    "fmgym",
    "envs",
    "wrappers",
    "baselines",
)
IMPORTS = """
import fmgym, fmgym.envs, fmgym.wrappers, fmgym.baselines, fmgym.kernels, fmgym.cli, fmgym.tracks
import gymnasium
assert "FMBench-Solo-v0" in gymnasium.registry
print(fmgym.__file__, fmgym.envs.__file__, sep="\\n")
"""
BUILD_SDIST = "import setuptools.build_meta as backend; print(backend.build_sdist('dist'))"


def call(*command: str | Path, cwd: Path) -> list[str]:
    """Run a command as a user's shell would, whatever Python path the tests have, and return the lines it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def borrowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The running environment's packages, all but fmgym."""
    found = importlib.util.find_spec("numba")
    assert found is not None
    assert found.origin is not None
    folder = tmp_path_factory.mktemp("borrowed")
    for entry in Path(found.origin).parents[1].iterdir():
        if "fmgym" not in entry.name:
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A fresh copy of what is packaged: builds leave their litter there, and old litter cannot help them."""
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture
def python(tmp_path: Path, borrowed: Path) -> Path:
    """The interpreter of a new environment that has everything but fmgym."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False, symlinks=True)
    windows = sys.platform == "win32"
    python = home / ("Scripts/python.exe" if windows else "bin/python")
    (own,) = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path)
    (Path(own) / "borrowed.pth").write_text(f"{borrowed}\n")
    return python


def install(python: Path, *target: str, cwd: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    call(*pip, "--no-deps", "--no-build-isolation", *target, cwd=cwd)


def imported_from(python: Path, cwd: Path) -> list[Path]:
    """The files that `fmgym` and `fmgym.envs` came from, imported by a Python started in a folder."""
    return [Path(line) for line in call(python, "-c", IMPORTS, cwd=cwd)]


def in_checkout(checkout: Path) -> list[Path]:
    return [checkout / "fmgym" / "__init__.py", checkout / "envs" / "__init__.py"]


def assert_imports(python: Path, checkout: Path, *, editable: bool = False) -> None:
    """Python started in the checkout's root takes the checkout; elsewhere it takes what was installed."""
    elsewhere = checkout.parent
    assert imported_from(python, cwd=checkout) == in_checkout(checkout)
    if editable:
        assert imported_from(python, cwd=elsewhere) == in_checkout(checkout)
    else:
        package, envs = imported_from(python, cwd=elsewhere)
        assert package.is_relative_to(python.parents[1])
        assert envs == package.parent / "envs" / "__init__.py"
        assert (package.parent / "py.typed").is_file()
    assert python.with_name("fmgym").exists() or python.with_name("fmgym.exe").exists()


def test_nothing_is_there_before_an_install(python: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="No module named 'fmgym'"):
        imported_from(python, cwd=tmp_path)


def test_without_an_install_the_checkout_imports(python: Path, checkout: Path) -> None:
    assert imported_from(python, cwd=checkout) == in_checkout(checkout)


def test_editable_install(python: Path, checkout: Path) -> None:
    install(python, "--editable", ".", cwd=checkout)
    assert_imports(python, checkout, editable=True)


def test_plain_install(python: Path, checkout: Path) -> None:
    install(python, ".", cwd=checkout)
    assert_imports(python, checkout)


def test_wheel_out_of_sdist(python: Path, checkout: Path) -> None:
    """The sdist carries all that its own wheel needs."""
    name = call(sys.executable, "-c", BUILD_SDIST, cwd=checkout)[-1]
    install(python, f"dist/{name}", cwd=checkout)
    assert_imports(python, checkout)


def test_wheel_holds_every_file(python: Path, checkout: Path) -> None:
    """The list of packages and data in pyproject.toml is written by hand: it must miss nothing."""
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", "dist"]
    call(sys.executable, "-m", "pip", "wheel", *options, ".", cwd=checkout)
    (wheel,) = (checkout / "dist").glob("fmgym-*.whl")
    install(python, str(wheel), cwd=checkout)
    assert_imports(python, checkout)
    package, _ = imported_from(python, cwd=checkout.parent)
    expected = files_below(checkout / "fmgym")
    for name in ("envs", "wrappers", "baselines"):
        expected |= {f"{name}/{file}" for file in files_below(checkout / name)}
    assert files_below(package.parent) == expected


def files_below(folder: Path) -> set[str]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(folder).as_posix() for path in files}
