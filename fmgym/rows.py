"""Rows of state as plain Python values.

Reading a NumPy record field by field costs microseconds a field. ``row`` unpacks all single numbers of a row at
once, as a named tuple; fields that are arrays or records themselves are left to ``part``.
"""

from __future__ import annotations

import functools
import struct
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from fmgym.world import World

_CODES = {"i1": "b", "i2": "h", "i4": "i", "i8": "q", "f8": "d"}  # what state is made of, by its type in a struct


@functools.cache
def _scalars(kind: np.dtype) -> tuple[struct.Struct, Callable[..., Any]]:
    """The layout of a record type with all but its single numbers skipped, and the maker of a tuple of these."""
    fields: Any = kind.fields
    names, layout, at = [], "=", 0
    for name, (inner, offset, *_) in fields.items():
        if inner.shape == () and inner.names is None:
            layout += f"{offset - at}x{_CODES[inner.str[1:]]}"
            names.append(name)
            at = offset + inner.itemsize
    values: Any = namedtuple("Row", names)  # type: ignore[misc]
    return struct.Struct(f"{layout}{kind.itemsize - at}x"), values._make


def row(array: np.ndarray, i: int) -> Any:
    """Row ``i`` of an array of records, from 0."""
    layout, make = _scalars(array.dtype)
    return make(layout.unpack_from(array.view(np.uint8).data, i * layout.size))


def rows(array: np.ndarray, n: int) -> list[Any]:
    """The first ``n`` rows of an array of records."""
    layout, make = _scalars(array.dtype)
    return [make(values) for values in layout.iter_unpack(array[:n].tobytes())]


def table(world: World, name: str) -> Any:
    """One of the world's arrays: players, clubs, seats, fixtures, templates, debts, moves."""
    return world.array[name][0]


def part(world: World, name: str, i: int, field: str) -> Any:
    """A field of row ``i`` that is an array: a club's squad, a seat's offers."""
    return world.array[name][field][0, i]


def player(world: World, slot: int) -> Any:
    """The player in a slot."""
    return _line(world, "players", slot)


def club(world: World, i: int) -> Any:
    """A club."""
    return _line(world, "clubs", i)


def seat(world: World, i: int) -> Any:
    """A seat."""
    return _line(world, "seats", i)


def before(world: World, slot: int) -> Any:
    """The player in a slot as he was when a sealed world's clock stopped."""
    return _line(world, "board", slot)


def _line(world: World, name: str, i: int) -> Any:
    """A row of one of the world's arrays, out of the world's bytes: they are read far more often than any other."""
    if name not in world.lines:
        fields: Any = world.array.dtype.fields
        kind, start, *_ = fields[name]
        world.lines[name] = (*_scalars(kind.base), start)
    layout, make, start = world.lines[name]
    return make(layout.unpack_from(world.memory, start + i * layout.size))


def squad(world: World, i: int) -> list[int]:
    """Slots of a club's seniors."""
    slots: list[int] = part(world, "clubs", i, "squad")[: club(world, i).n_squad].tolist()
    return slots


def academy(world: World, i: int) -> list[int]:
    """Slots of a club's prospects."""
    slots: list[int] = part(world, "clubs", i, "academy")[: club(world, i).n_academy].tolist()
    return slots
