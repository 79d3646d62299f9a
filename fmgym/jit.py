"""The one place where kernels are compiled, and where their machine code is kept between processes.

numba's own on-disk cache does not fit an engine of many files: it does not notice a change in a callee that
lives in another file, and two processes that compile at once can leave an index that points at the other's
code. So kernels have a cache of their own: one file for each compiled signature, found by a hash of all it
depends on, inside a folder named by a digest of all kernel sources. No index means nothing to race for; files
appear whole or not at all; and anything wrong with the cache only means that a kernel is compiled again.

The folder lies under the first of these that is set:

- `FMGYM_CACHE_DIR`
- `NUMBA_CACHE_DIR`, in a subfolder `fmgym`
- the user's cache folder, as the operating system has it

A read-only folder that was filled before is read. A folder that cannot be written costs every process a
compile.
"""

import functools
import hashlib
import inspect
import os
import pickle
import re
import shutil
import sys
import uuid
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, overload

import llvmlite
import numba
import numpy as np
import platformdirs
from numba import prange
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaWarning
from numba.core.serialize import dumps

import fmgym

__all__ = ["JIT_DISABLED", "announce_cold_start", "njit", "prange"]

JIT_DISABLED = bool(numba.config.DISABLE_JIT)

F = TypeVar("F", bound=Callable[..., Any])

DIGESTS_KEPT = 10  # so many versions stay: a change of branch, or a second checkout, should not compile anew


@overload
def njit(func: F, /) -> F: ...
@overload
def njit(*, inline: str = ..., parallel: bool = ...) -> Callable[[F], F]: ...
def njit(func: Any = None, /, *, inline: str = "never", parallel: bool = False) -> Any:
    """Compile a function on its first call, the same way for every kernel.

    Division follows numpy (no exceptions), the interpreter's lock is released, and floating point is never
    reordered (there is no `fastmath` here). With `NUMBA_DISABLE_JIT=1` the plain function comes back.
    """
    if func is None:
        return functools.partial(_compiled, inline=inline, parallel=parallel)
    return _compiled(func, inline=inline, parallel=parallel)


def announce_cold_start() -> None:
    """Say on stderr, once per process, that the first call will compile."""
    if not numba.config.DISABLE_JIT and not any(cache_folder().glob("*.nbc")):
        _announce()


def cache_folder() -> Path:
    """The folder with the machine code of exactly these sources."""
    return cache_root() / f"kernels-{_DIGEST}"


def cache_root() -> Path:
    """The folder with the folders of all versions."""
    if own := os.environ.get("FMGYM_CACHE_DIR"):
        return Path(own)
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR) / "fmgym"
    return platformdirs.user_cache_path("fmgym", appauthor=False)


def source_digest(modules: Mapping[str, Path]) -> str:
    """Digest the kernel modules among `modules`, all they import, and the versions of what compiles them.

    What they import counts because numba freezes the value of a global into the code: a constant that changes
    in a module without kernels must change the digest too.
    """
    sources = {name: path.read_bytes() for name, path in modules.items()}
    imports = {name: _imported_names(source.decode()) for name, source in sources.items()}
    pending = ["fmgym.jit", *(name for name in sources if "fmgym.jit" in imports[name])]
    covered: set[str] = set()
    while pending:
        name = pending.pop()
        if name in sources and name not in covered:
            covered.add(name)
            pending.extend(imports[name])
    parts = [repr((numba.__version__, llvmlite.__version__, np.__version__, sys.version)).encode()]
    for name in sorted(covered):
        parts += [name.encode(), sources[name]]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]


def package_modules() -> dict[str, Path]:
    """Every module of the package by its import name, installed or in a checkout."""
    package, *checkout = (Path(folder) for folder in fmgym.__path__)
    modules = _modules_below(package, "fmgym")
    for root in checkout:
        for part in ("envs", "wrappers", "baselines"):
            modules |= _modules_below(root / part, f"fmgym.{part}")
    return modules


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The machine code of one function on disk. Of numba's class only the key of a signature is used."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._py_func = py_func
        self._stamp = _file_stamp(inspect.getfile(py_func))

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The compiled function for a signature, or None."""
        target_context.refresh()
        try:
            payload = _checked(self._file(sig, target_context.codegen()).read_bytes())
            return CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:  # absent, unreadable, damaged: whatever it is, a compile repairs it
            return None

    def save_overload(self, sig: Any, cres: CompileResult) -> None:
        """Keep a compiled function, if the disk allows."""
        if cres.library.has_dynamic_globals:
            message = f"{self._py_func.__qualname__} cannot be kept on disk: it uses a large global array"
            warnings.warn(message, NumbaWarning, stacklevel=2)
            return
        payload = dumps(cres._reduce())
        # Full, read-only, over quota, or no such file can be named: the next process compiles again.
        with suppress(OSError, LookupError):
            _write_whole(self._file(sig, cres.codegen), _checksum(payload) + payload)

    def flush(self) -> None:
        """Nothing to do: `recompile` replaces the files."""

    def _file(self, sig: Any, codegen: Any) -> Path:
        # numba's key leaves out two of its options that change the code.
        options = (numba.config.BOUNDSCHECK, numba.config.OPT)
        key = repr((self._py_func.__module__, self._stamp, options, self._index_key(sig, codegen)))
        if " at 0x" in key:
            raise LookupError("a function among the arguments is known by its address, here and now only")
        name = re.sub(r"\W+", "_", self._py_func.__qualname__)
        return cache_folder() / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.nbc"


@functools.cache
def _record_symbol(record: numba.types.Record) -> tuple[str, tuple[int]]:
    """How a record type enters the symbols of machine code: by its contents.

    numba takes a number counted within the process. Code kept by two processes, each for a record type of its
    own, could then carry one symbol for two functions, and a third process that loads both would call the
    wrong one (seen: a crash with worlds of two shapes).
    """
    digest = hashlib.sha256(record.name.encode()).digest()
    return "Record", (int.from_bytes(digest[:8], "big"),)


numba.types.Record.mangling_args = property(_record_symbol)


def _compiled(func: Callable[..., Any], *, inline: str, parallel: bool) -> Any:
    kernel = numba.njit(error_model="numpy", nogil=True, inline=inline, parallel=parallel)(func)
    if isinstance(kernel, Dispatcher) and os.path.isfile(inspect.getfile(func)):  # none behind a prompt
        kernel._cache = KernelCache(func)
    return kernel


@functools.cache
def _announce() -> None:
    try:
        _open_folder()
        kept = "once per version, about a minute"
    except OSError:
        kept = "about a minute; set FMGYM_CACHE_DIR to a writable folder to keep them"
    print(f"fmgym: compiling kernels ({kept}) ...", file=sys.stderr, flush=True)


def _modules_below(folder: Path, package: str) -> dict[str, Path]:
    modules = {}
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        modules[".".join((package, *parts))] = path
    return modules


# A regular expression, not a parse: this runs at every start, and a name too many does no harm.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(fmgym[\w.]*)[ \t]+)?import[ \t]+(\([^)]*\)|.+)", re.MULTILINE)


def _imported_names(source: str) -> set[str]:
    names = set()
    for base, imported in _IMPORT.findall(source):
        words = re.findall(r"[\w.]+", imported)
        names |= {base, *(f"{base}.{word}" for word in words)} if base else set(words)
    return names


@functools.cache
def _file_stamp(path: str) -> str:
    """A digest of a function's own file, for kernels that live outside the package."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest()


def _checked(content: bytes) -> bytes:
    """The payload of a file. Machine code that a full disk or a power cut has maimed must not run."""
    size = hashlib.sha256().digest_size
    checksum, payload = content[:size], content[size:]
    if _checksum(payload) != checksum:
        raise ValueError("damaged cache file")
    return payload


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file that other processes see complete or not at all."""
    _open_folder()
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _open_folder() -> None:
    """Make this version's folder; on the first time remove those of versions long gone."""
    folder = cache_folder()
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        others = [other for other in cache_root().glob("kernels-*") if other != folder]
        for old in sorted(others, key=_last_change, reverse=True)[DIGESTS_KEPT - 1 :]:
            shutil.rmtree(old, ignore_errors=True)


def _last_change(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process was quicker to remove it
        return 0.0


# At import, since the sources may be edited while the process runs.
_DIGEST = source_digest(package_modules())
