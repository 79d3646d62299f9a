"""How kernels in several threads speak to each other: words of an array (lines, words) of int64, and waiting."""

from __future__ import annotations

import platform
import sys
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

HAS_PAUSE = platform.machine().lower() in ("x86_64", "amd64")
# Offers the core to other programs.
give_way = types.ExternalFunction("SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32())


def _word(context: Any, builder: Any, array_type: Any, array: Any, line: Any, word: Any) -> Any:
    """The address of a word."""
    lines = arrayobj.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, lines, [line, word])


@intrinsic  # type: ignore[untyped-decorator]
def look(context: Any, words: Any, line: Any, word: Any) -> Any:
    """A word as it is now; with it all that the thread that changed it last had written before is to be seen."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_word(context, builder, signature.args[0], *args), "acquire", 8)

    return types.int64(words, types.intp, types.intp), code


@intrinsic  # type: ignore[untyped-decorator]
def put(context: Any, words: Any, line: Any, word: Any, value: Any) -> Any:
    """Change a word for whoever looks at it."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _word(context, builder, signature.args[0], *args[:3])
        builder.store_atomic(args[3], address, "release", 8)
        return context.get_dummy_value()

    return types.none(words, types.intp, types.intp, types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def add(context: Any, words: Any, line: Any, word: Any, value: Any) -> Any:
    """Add to a word, alone among all threads; what it was before."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _word(context, builder, signature.args[0], *args[:3])
        return builder.atomic_rmw("add", address, args[3], "acq_rel")

    return types.int64(words, types.intp, types.intp, types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def pause(context: Any) -> Any:
    """Let some forty to a hundred and fifty cycles pass, for the good of the core's other thread."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), code
