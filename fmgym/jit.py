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

numba would optimise the code of a function again in everything that calls it, emit machine code for each, and
keep each on disk. Here a kernel that other kernels call stays intermediate code; what Python calls is linked
with all it calls, optimised once, and kept alone. Only kernels marked `apart` have machine code of their own
that others call.
"""

import ast
import ctypes
import functools
import hashlib
import importlib
import inspect
import os
import pickle
import re
import shutil
import sys
import sysconfig
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload
from weakref import WeakValueDictionary

import llvmlite
import numba
import numpy as np
import platformdirs
from numba import prange
from numba.core import types
from numba.core.errors import NumbaWarning

import fmgym

# The insides of numba. Should a version to come miss one, kernels still run, compiled by numba's own ways.
try:
    from llvmlite import binding as llvm
    from numba import _dynfunc
    from numba.core import event, ir, sigutils
    from numba.core.caching import FunctionCache
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.environment import Environment, lookup_environment
    from numba.core.errors import ForceLiteralArg, NumbaError, TypingError
    from numba.core.registry import CPUDispatcher
    from numba.core.runtime.nrt import rtsys
    from numba.core.serialize import dumps
    from numba.core.targetconfig import ConfigStack, TargetConfig
    from numba.core.typing import make_concrete_template

    NUMBA_IS_KNOWN = True
except ImportError:
    NUMBA_IS_KNOWN = False
    FunctionCache = JITCodeLibrary = CPUDispatcher = object

__all__ = ["JIT_DISABLED", "njit", "prange"]

JIT_DISABLED = bool(numba.config.DISABLE_JIT)

F = TypeVar("F", bound=Callable[..., Any])

# Options of numba that change the code, and that its own key leaves out.
_OPTIONS = ("BOUNDSCHECK", "OPT", "USING_SVML", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")

DIGESTS_KEPT = 10  # so many versions stay: a change of branch, or a second checkout, should not compile anew


@overload
def njit(func: F, /) -> F: ...
@overload
def njit(*, inline: str = ..., parallel: bool = ..., apart: bool = ...) -> Callable[[F], F]: ...
def njit(func: Any = None, /, *, inline: str = "never", parallel: bool = False, apart: bool = False) -> Any:
    """Compile a function on its first call, the same way for every kernel.

    Division follows numpy (no exceptions), the interpreter's lock is released, and floating point is never
    reordered (there is no `fastmath` here). With `NUMBA_DISABLE_JIT=1` the plain function comes back.

    A function marked `apart` is compiled once for all that call it, instead of once within each. It cannot be
    inlined: this is for large functions that several functions called from Python share.
    """
    if func is None:
        return functools.partial(_compiled, inline=inline, parallel=parallel, apart=apart)
    return _compiled(func, inline=inline, parallel=parallel, apart=apart)


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


def source_digest(sources: Mapping[str, bytes]) -> str:
    """Digest sources by the names of their modules, and the versions of what compiles them."""
    parts = [repr((numba.__version__, llvmlite.__version__, np.__version__, sys.version)).encode()]
    for name in sorted(sources):
        parts += [name.encode(), sources[name]]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]


def kernel_sources(modules: Mapping[str, Path]) -> dict[str, bytes]:
    """The sources of the kernel modules among ``modules``, and of all of them that they import.

    What they import counts because numba freezes the value of a global into the code: a constant that changes
    in a module without kernels must change the digest too.
    """
    sources = {name: path.read_bytes() for name, path in modules.items()}
    imports = {name: _imported_names(source.decode()) for name, source in sources.items()}
    pending = ["fmgym.jit", *(name for name in sources if "fmgym.jit" in imports[name])]
    covered: dict[str, bytes] = {}
    while pending:
        name = pending.pop()
        if name in sources and name not in covered:
            covered[name] = sources[name]
            pending.extend(imports[name])
    return covered


def package_modules() -> dict[str, Path]:
    """Every module of the package by its import name, installed or in a checkout."""
    package, *checkout = (Path(folder) for folder in fmgym.__path__)
    modules = _modules_below(package, "fmgym")
    for root in checkout:
        for part in ("envs", "wrappers", "baselines"):
            modules |= _modules_below(root / part, f"fmgym.{part}")
    return modules


class Piece(NamedTuple):
    """A piece of machine code, as it is kept on disk."""

    name: str
    code: bytes
    needs: tuple[str, ...]  # names of the pieces whose functions it calls
    environments: tuple[tuple[str, str, list[Any]], ...]  # variable, module, constants
    prepare: tuple[Callable[[], None], ...]  # what must be called before it runs: starts threads
    interface: Any = None  # what callers must know of a kernel apart


class KernelFiles(FunctionCache):  # type: ignore[misc]
    """The files with one function's machine code. Of numba's class only the key of a signature is used."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._py_func = py_func
        path = inspect.getfile(py_func)
        self._stamp = "" if Path(path) in _OWN_FILES else _file_stamp(path)  # our own are in the digest

    def name(self, args: Any, codegen: Any, kind: str) -> str | None:
        """What tells this function, compiled for these types, from all others. None: it cannot be told."""
        options = tuple(getattr(numba.config, name, None) for name in _OPTIONS)
        key = repr((self._py_func.__module__, self._stamp, options, self._index_key(args, codegen), _DIGEST, kind))
        if " at 0x" in key:  # a function among the arguments is known by its address, here and now only
            return None
        name = re.sub(r"\W+", "_", self._py_func.__qualname__)
        return f"{name}-{kind}-{hashlib.sha256(key.encode()).hexdigest()[:32]}"


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled on demand, in one way for other kernels and in another for Python.

    Of what it inherits, `overloads` holds the kernel as others see it, by types of arguments; and the table in C
    that is filled by `_insert` leads a call from Python to its machine code.
    """

    apart = False

    def __init__(self, py_func: Callable[..., Any], *args: Any, **options: Any) -> None:
        super().__init__(py_func, *args, **options)
        self._entries: dict[tuple[Any, ...], Any] = {}
        on_disk = os.path.isfile(inspect.getfile(py_func))  # none behind a prompt
        self._files = KernelFiles(py_func) if on_disk else None

    def compile(self, sig: Any) -> Any:
        """The function for Python."""
        args = tuple(sigutils.normalize_signature(sig)[0])
        with global_compiler_lock:
            if args not in self._entries:
                self._entries[args] = self._entry(args)
                self._insert([arg._code for arg in args], self._entries[args], False)
            return self._entries[args]

    def compile_callee(self, args: tuple[Any, ...]) -> CompileResult:
        """The function for other kernels."""
        with global_compiler_lock, self._compiling_counter:
            if args not in self.overloads:
                self.targetctx.refresh()
                self.overloads[args] = self._compiled_apart(args) if self.apart else self._intermediate(args)
            return self.overloads[args]

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """What numba calls to type a call of this function."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        args = self._compiled_for(tuple(args))
        name = self.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=self.nopython_signatures)
        return template, pysig, args, {}

    def get_compile_result(self, sig: Any) -> CompileResult:
        """What numba calls to take the address of this function."""
        raise TypingError(f"the kernel {self.py_func.__name__} can be called, but not be kept as a value")

    def _compiled_for(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Compile for arguments of any value, which numba would do again for each constant in a call.

        Only a function that cannot be typed so, as it may choose types by values, is compiled for the constants.
        """
        plain = tuple(_of_any_value(arg) for arg in args)
        try:
            self.compile_callee(plain)
            return plain
        except NumbaError:
            if plain == args:
                raise
            self.compile_callee(args)
            return args

    def _entry(self, args: tuple[Any, ...]) -> Any:
        name = self._file_name(args, "entry")
        piece, library = _loaded(name, self.targetctx)
        if piece is None:
            self._cache_misses[args] += 1
            if self.py_func.__module__ in _MODULES:
                _announce()
            piece, library = self._linked_entry(args)
            self._keep(name, piece, library)
        else:
            self._cache_hits[args] += 1
        module = sys.modules.get(self.py_func.__module__, fmgym)
        address = library.codegen._engine.get_function_address(_symbol(piece.name))
        environment = Environment(self.py_func.__globals__)
        return _dynfunc.make_function(module, self.py_func.__name__, "compiled", address, environment, (library,))

    def _linked_entry(self, args: tuple[Any, ...]) -> tuple[Piece, Any]:
        callee = self.compile_callee(args)
        wrapper = CalleeLibrary(self.targetctx.codegen(), f"{self.py_func.__qualname__} for Python")
        parts = (callee.fndesc, callee.environment, callee.call_helper)
        context = self.targetctx.subtarget(enable_nrt=True, fndesc=callee.fndesc, environment=callee.environment)
        context.create_cpython_wrapper(wrapper, *parts, release_gil=True)
        wrapper.add_linking_library(callee.library)
        wrapper.finalize()
        return _link(wrapper, callee, callee.fndesc.llvm_cpython_wrapper_name, self._unique_name())

    def _compiled_apart(self, args: tuple[Any, ...]) -> CompileResult:
        # The name stands for all that the code depends on: any code under it is as good as any other.
        kept_name = self._file_name(args, "apart")
        piece, library = _loaded(kept_name, self.targetctx)
        if piece is None:
            result = self._intermediate(args)
            self.targetctx.remove_user_function(result.entry_point)
            name = self._unique_name() if kept_name is None or kept_name in _LOADED else kept_name
            piece, library = _link(result.library, result, result.fndesc.llvm_func_name, name)
            result.fndesc.typemap = result.fndesc.calltypes = None  # large, and of no use to callers
            result.fndesc.mangled_name = _symbol(name)
            piece = piece._replace(interface=(result.fndesc, result.signature))
            if name == kept_name:
                self._keep(name, piece, library)
        return self._callable_by_symbol(piece)

    def _callable_by_symbol(self, piece: Piece) -> CompileResult:
        fndesc, signature = piece.interface
        environment = Environment(self.py_func.__globals__)
        library = ApartLibrary(self.targetctx.codegen(), piece.name)
        function = _not_for_python(library, fndesc, environment)
        self.targetctx.insert_user_function(function, fndesc, [library])
        known = {
            "typing_context": self.typingctx,
            "target_context": self.targetctx,
            "entry_point": function,
            "signature": signature,
            "objectmode": False,
            "fndesc": fndesc,
            "library": library,
            "environment": environment,
        }
        return CompileResult(**dict.fromkeys(CompileResult._fields) | known)

    def _intermediate(self, args: tuple[Any, ...]) -> CompileResult:
        """The function as intermediate code."""

        def folded(args: Any, kws: Any) -> Any:
            return self._compiler.fold_argument_types(args, kws)[1]

        with _deferred(self.targetctx):
            try:
                result = self._compiler.compile(args, None)
            except ForceLiteralArg as error:
                raise error.bind_fold_arguments(folded) from None
        result.library._ensure_finalized()
        result.library.prepare = tuple(result.reload_init)
        _DEFINED_IN[result.fndesc.mangled_name] = result.library
        return result

    def _reset_overloads(self) -> None:
        super()._reset_overloads()
        self._entries.clear()

    def _file_name(self, args: tuple[Any, ...], kind: str) -> str | None:
        """None: what is compiled now must not be kept, nor what was kept be used."""
        if self._files is None or _edited():
            return None
        return self._files.name(args, self.targetctx.codegen(), kind)

    def _unique_name(self) -> str:
        return f"{self.py_func.__qualname__}-{uuid.uuid4().hex}"

    def _keep(self, name: str | None, piece: Piece, library: Any) -> None:
        """Keep a piece of machine code, if it makes sense to other processes and the disk allows."""
        if name is None or not _is_whole(piece, library):
            return
        if library.has_dynamic_globals:
            message = f"{self.py_func.__qualname__} cannot be kept on disk: it uses a large global array"
            warnings.warn(message, NumbaWarning, stacklevel=2)
            return
        payload = dumps(tuple(piece))
        with suppress(OSError):  # full, read-only, over quota: the next process compiles again
            _write_whole(cache_folder() / f"{name}.nbc", _checksum(payload) + payload)

    def _reduce_states(self) -> dict[str, Any]:
        return {**super()._reduce_states(), "apart": self.apart}

    @classmethod
    def _rebuild(cls, apart: bool, **states: Any) -> Any:
        kernel = super()._rebuild(**states)
        kernel.apart = apart
        return kernel


class CalleeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A function's intermediate code as numba made it, to be linked with what calls it."""

    prepare: tuple[Callable[[], None], ...] = ()  # see Piece

    def add_llvm_module(self, ll_module: Any) -> None:
        """Take up code as it is."""
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        """Close the library."""
        self._raise_if_finalized()
        if hasattr(self, "_reload_init"):  # newer versions of numba have it
            self._reload_init.update(*(library._reload_init for library in self._linking_libraries))
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The code with all it calls: for functions that numba compiles on its own."""
        if self._shared_module is None:  # type: ignore[has-type]
            module = self._final_module.clone()
            for library in _linked_with(self)[1:]:
                module.link_in(_own_module(library), preserve=True)
            looked_up = _looked_up(module)
            for function in _defined_functions(module):
                if function.linkage == llvm.Linkage.external:
                    function.linkage = "weak_odr" if function.name in looked_up else "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class ApartLibrary(CalleeLibrary):
    """No code, but the promise that a piece has been loaded: for callers of a kernel apart."""

    # numba must not keep the code of a caller: the next process would not have the symbol. This name tells it.
    MARK = '@"numba.dynamic.globals.fmgym" = weak global i8 0'

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._final_module.link_in(llvm.parse_assembly(self.MARK))
        self.finalize()


_ENVIRONMENT = "_ZN08NumbaEnv"
_LOOKED_UP = ".numba.unresolved$"

_DEFINED_IN: WeakValueDictionary[str, Any] = WeakValueDictionary()  # libraries of intermediate code, by symbol
_LOADED: dict[str, Any] = {}  # the libraries with machine code in this process, by name of the piece


def _link(root: Any, result: CompileResult, function: str, name: str) -> tuple[Piece, Any]:
    """Make machine code of intermediate code and all it calls, with one function to be seen from outside."""
    libraries = _linked_with(root)
    linked = JITCodeLibrary(root.codegen, name)
    linked.enable_object_caching()
    module = linked._final_module
    for library in libraries:
        if not isinstance(library, ApartLibrary):
            module.link_in(_own_module(library), preserve=True)
    module.get_function(function).name = _symbol(name)
    hidden = _hide_all_but(module, _symbol(name))
    environments = _own_environments(module, result, name)
    linked._optimize_final_module()
    _rename(module, hidden, name)  # only now: numba's passes know some by their names
    module.verify()
    linked._finalize_final_module()
    _set_environments(linked, environments)
    piece = Piece(
        name=name,
        code=linked._get_compiled_object(),
        needs=tuple(library.name for library in libraries if isinstance(library, ApartLibrary)),
        environments=tuple((key, env.globals["__name__"], env.consts) for key, env in environments.items()),
        prepare=tuple({init for library in libraries for init in getattr(library, "prepare", ())}),
    )
    _LOADED[name] = linked
    return piece, linked


def _symbol(name: str) -> str:
    """The symbol of a piece's function, in the form that numba insists on."""
    return f"_ZN{len(name)}{name}E"


def _linked_with(root: Any) -> list[Any]:
    """A library, and all that it needs, directly or not."""
    found = {root: None}
    pending = [root]
    while pending:
        library = pending.pop()
        if isinstance(library, CalleeLibrary):
            in_circle = [_DEFINED_IN[name] for name in _looked_up(library._final_module) if name in _DEFINED_IN]
            new = [needed for needed in library._linking_libraries + in_circle if needed not in found]
            found.update(dict.fromkeys(new))
            pending += new
    return list(found)


def _looked_up(module: Any) -> set[str]:
    """The functions that numba looks up by their symbols once they are loaded: they call each other in a circle."""
    names = [variable.name for variable in module.global_variables]
    return {name.removeprefix(_LOOKED_UP) for name in names if name.startswith(_LOOKED_UP)}


def _defined_functions(module: Any) -> list[Any]:
    return [function for function in module.functions if not function.is_declaration]


def _own_module(library: Any) -> Any:
    return library._final_module if isinstance(library, CalleeLibrary) else library._get_module_for_linking()


def _hide_all_but(module: Any, function: str) -> set[str]:
    """Make all functions but one local to a module, for LLVM to inline or drop them. Returns their names."""
    looked_up = _looked_up(module)
    hidden = set()
    for other in _defined_functions(module):
        if other.name in looked_up:
            other.linkage = "weak_odr"
        elif other.name != function:
            other.linkage = "internal"
            hidden.add(other.name)
    return hidden


def _rename(module: Any, hidden: set[str], name: str) -> None:
    """Give local functions names that no other module has.

    LLVM knows the local functions of all modules by their names. A later module with code of the same function
    would otherwise call the one that was optimised for the callers here.
    """
    for function in _defined_functions(module):
        if function.name in hidden:
            function.name = f"{function.name}.{name}"


def _own_environments(module: Any, result: CompileResult, name: str) -> dict[str, Any]:
    """The environments of a module's functions, by variables that are now no other module's.

    numba's names of them hold a number counted within the process, like those of functions.
    """
    environments = {}
    for variable in [v for v in module.global_variables if v.name.startswith(_ENVIRONMENT)]:
        known = variable.name == result.fndesc.env_name
        environment = result.environment if known else lookup_environment(variable.name)
        if environment is not None and environment.can_cache():
            variable.name = f"{variable.name}.{name}"
            environments[variable.name] = environment
    return environments


def _set_environments(library: Any, environments: dict[str, Any]) -> None:
    library.environments = environments  # the machine code does not keep them alive
    for variable, environment in environments.items():
        library.codegen.set_env(variable, environment)


def _is_whole(piece: Piece, library: Any) -> bool:
    """Whether the code can be used by another process."""
    return not _looked_up(library._final_module) and all(
        (cache_folder() / f"{name}.nbc").exists() for name in piece.needs
    )


def _loaded(name: str | None, context: Any) -> tuple[Piece | None, Any]:
    """A piece of machine code from disk, ready to run; or nothing."""
    try:
        content = (cache_folder() / f"{name}.nbc").read_bytes()
        piece = Piece(*pickle.loads(_checked(content)))
        library = _LOADED.get(piece.name) or _load(piece, context)
        _note_use(cache_folder())
        return piece, library
    except Exception:  # absent, unreadable, damaged: whatever it is, a compile repairs it
        return None, None


def _load(piece: Piece, context: Any) -> Any:
    for needed in piece.needs:
        if needed not in _LOADED:
            _loaded(needed, context)
        if needed not in _LOADED:  # LLVM would end the process
            raise LookupError(needed)
    rtsys.initialize(context)  # the memory of arrays; what else `refresh` loads is for compiling alone
    for prepare in piece.prepare:
        prepare()
    environments = {}
    for variable, module, constants in piece.environments:
        environments[variable] = Environment(importlib.import_module(module).__dict__)
        environments[variable].consts[:] = constants
    library = JITCodeLibrary(context.codegen(), piece.name)
    library.enable_object_caching()
    library._set_compiled_object(piece.code)
    library._finalize_final_module()  # last of what can fail: its symbols stay
    _set_environments(library, environments)
    _LOADED[piece.name] = library
    return library


@contextmanager
def _deferred(context: Any) -> Iterator[None]:
    """Have numba leave functions as intermediate code, and be quick about it."""
    if context.codegen()._library_class is CalleeLibrary:  # within another function's compilation
        yield
        return
    with _replaced(_deferrals(context) + _quicker_ways()):
        yield


@contextmanager
def _replaced(replacements: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Set attributes for a while. What an object only had from its class it must have so again."""
    own = [(owner, name, vars(owner).get(name)) for owner, name, _ in replacements]
    for owner, name, value in replacements:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in own:
            if value is None:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


def _deferrals(context: Any) -> list[tuple[Any, str, Any]]:
    """Attributes to replace for that, of the context in which numba compiles its own helpers too."""

    def nothing(*args: Any, **kws: Any) -> None:
        pass

    return [
        (context.codegen(), "_library_class", CalleeLibrary),
        (context, "create_cpython_wrapper", nothing),
        (context, "create_cfunc_wrapper", nothing),
        (context, "get_executable", _not_for_python),
    ]


def _of_any_value(arg: Any) -> Any:
    """The type of a constant without its value."""
    return types.unliteral(arg) if isinstance(arg, types.IntegerLiteral | types.BooleanLiteral) else arg


def _not_for_python(library: Any, fndesc: Any, environment: Any) -> Any:
    """What stands for a function within numba, which wants a function of C. It is never called."""
    module = fndesc.lookup_module()
    return _dynfunc.make_function(module, fndesc.qualname, "not compiled", _failing(), environment, (library,))


@functools.cache
def _failing() -> int:
    """The address of a function that does nothing but raise an exception, should it be called after all."""
    return ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value or 0


def _quicker_ways() -> list[tuple[Any, str, Any]]:
    """Attributes of numba to replace by quicker ones of the same meaning while it compiles.

    Each was found by profiling: the text of nested record types is asked for all the time, the same operators are
    resolved for the same types in every function, options are compared through dictionaries, and events are sent
    to nobody. What is remembered is forgotten when the compilation ends.
    """
    ways = [
        (types.Record, "__repr__", functools.cache(types.Record.__repr__)),
        (types.NestedArray, "__repr__", functools.cache(types.NestedArray.__repr__)),
        (types.BaseFunction, "get_call_type", _remembered_call_types()),
        (ir.Inst, "_rec_list_vars", _quick_list_of_variables()),
    ]
    if hasattr(TargetConfig(), "_values"):
        ways += [(TargetConfig, name, way) for name, way in _quick_comparison().items()]
    if hasattr(event, "_registered"):
        ways += [(event, name, _if_heard(getattr(event, name))) for name in ("start_event", "end_event")]
    return [(owner, name, way) for owner, name, way in ways if name in vars(owner)]


def _remembered_call_types() -> Callable[..., Any]:
    resolve = types.BaseFunction.get_call_type
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = (id(self), id(context), args, tuple(kws.items()), ConfigStack.top_or_none())
        if key not in known:
            known[key] = resolve(self, context, args, kws), self, context  # alive: their ids stay theirs
        signature = known[key][0]
        return signature and signature.replace()  # a copy for each call, as ever

    return get_call_type


def _quick_list_of_variables() -> Callable[..., Any]:
    @functools.cache
    def may_hold(kind: Any) -> bool:
        return issubclass(kind, ir.Inst | list | tuple | dict)

    def list_variables(self: Any, value: Any) -> list[Any]:
        if isinstance(value, dict):
            value = value.values()
        elif isinstance(value, ir.Var):
            return [value]
        elif isinstance(value, ir.Inst):
            return value.list_vars()  # type: ignore[no-any-return]
        elif not isinstance(value, list | tuple):
            return []
        found = []
        for item in value:
            kind: Any = type(item)
            if kind is ir.Var:
                found.append(item)
            elif may_hold(kind):
                found += list_variables(self, item)
        return found

    return list_variables


def _quick_comparison() -> dict[str, Callable[..., Any]]:
    """Methods of numba's classes of options."""

    def values(self: Any) -> dict[str, Any]:
        return {name: self._values.get(name, option.default) for name, option in self.options.items()}

    def equal(self: Any, other: Any) -> Any:
        if not isinstance(other, TargetConfig):
            return NotImplemented
        return self._values == other._values or values(self) == values(other)

    @functools.cache
    def hash_of_names(kind: Any) -> int:
        return hash(tuple(sorted(kind.options)))

    return {"values": values, "__eq__": equal, "__hash__": lambda self: hash_of_names(self.__class__)}


def _if_heard(send: Callable[..., None]) -> Callable[..., None]:
    def send_if_heard(kind: str, *args: Any, **kws: Any) -> None:
        if event._registered[kind]:
            send(kind, *args, **kws)

    return send_if_heard


def _compiled(func: Callable[..., Any], *, inline: str, parallel: bool, apart: bool) -> Any:
    if JIT_DISABLED:
        return func
    if not NUMBA_IS_KNOWN:
        _warn_of_numba()
        return _compiled_by_numba(func, inline, parallel)
    kernel = Kernel(func, targetoptions=_target_options(inline, parallel).copy())
    kernel.apart = apart
    return kernel


def _compiled_by_numba(func: Callable[..., Any], inline: str, parallel: bool) -> Any:
    return numba.njit(error_model="numpy", nogil=True, inline=inline, parallel=parallel)(func)


@functools.cache
def _target_options(inline: str, parallel: bool) -> dict[str, Any]:
    """The options of a kernel as numba completes them, whatever the function."""
    options: dict[str, Any] = _compiled_by_numba(lambda: None, inline, parallel).targetoptions
    return options


@functools.cache
def _warn_of_numba() -> None:
    message = f"numba {numba.__version__} is unknown to this fmgym: every process compiles its kernels, and slowly"
    warnings.warn(message, NumbaWarning, stacklevel=2)


@functools.cache
def _announce() -> None:
    """Say on stderr, once per process, why a first call takes long."""
    try:
        _open_folder()
        kept = "once per version, up to a minute in all"
    except OSError:
        kept = "up to a minute in all; set FMGYM_CACHE_DIR to a writable folder to keep them"
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
    """A digest of a function's own file and of the files of yours that it imports.

    For kernels outside the package.
    """
    sources: dict[str, bytes] = {}
    pending = [path]
    while pending:
        path = pending.pop()
        if path not in sources:
            sources[path] = Path(path).read_bytes()
            pending += _imported_files(path, sources[path])
    return hashlib.sha256(b"".join(hashlib.sha256(sources[path]).digest() for path in sorted(sources))).hexdigest()


def _imported_files(path: str, source: bytes) -> set[str]:
    """The files that a source imports, but for this package, Python and what is installed."""
    loaded = {name: str(getattr(module, "__file__", None)) for name, module in list(sys.modules.items())}
    inside = ".__init__" if path.endswith("__init__.py") else ""
    own_names = [name + inside for name, file in loaded.items() if file == path]
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for own in own_names if node.level else [""]:
                parts = [*own.split(".")[: -node.level or None], *(node.module or "").split(".")]
                base = ".".join(filter(None, parts))
                names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return {loaded[name] for name in names if name in loaded and not _is_elsewhere(loaded[name])}


@functools.cache
def _is_elsewhere(path: str) -> bool:
    """Whether a file is none of yours: of this package, of Python, installed, or no source at all."""
    paths = sysconfig.get_paths()
    folders = [*fmgym.__path__, *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))]
    below = any(Path(path).is_relative_to(folder) for folder in folders)
    return below or not path.endswith(".py") or Path(path) in _OWN_FILES


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


@functools.cache
def _note_use(folder: Path) -> None:
    """The folders that were used last are kept."""
    with suppress(OSError):
        os.utime(folder)


def _last_change(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process was quicker to remove it
        return 0.0


def _edited() -> bool:
    """Whether a source was edited since this process began: it may have imported some before and some after."""
    return any(_last_edit(_MODULES[name]) != _LAST_EDITS[name] for name in _SOURCES)


def _last_edit(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


# At import, since the sources may be edited while the process runs.
_MODULES = package_modules()
_LAST_EDITS = {name: _last_edit(path) for name, path in _MODULES.items()}
_OWN_FILES = frozenset(_MODULES.values())
_SOURCES = kernel_sources(_MODULES)
_DIGEST = source_digest(_SOURCES)
