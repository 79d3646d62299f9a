"""Rows of state as plain Python values.

Reading a NumPy record field by field costs microseconds a field. ``row`` unpacks all single numbers of a row at
once, as a named tuple; fields that are arrays or records themselves are left to ``part``.
"""

from __future__ import annotations

import functools
import struct
from collections import namedtuple
from collections.abc import Callable, Iterable
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
    make = functools.partial(tuple.__new__, values)  # `_make` without its count of what is right by the layout
    return struct.Struct(f"{layout}{kind.itemsize - at}x"), make


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
    return _lines(world, "players", (slot,))[0]


def players(world: World, slots: Iterable[int]) -> list[Any]:
    """The players in some slots."""
    return _lines(world, "players", slots)


def club(world: World, i: int) -> Any:
    """A club."""
    return _lines(world, "clubs", (i,))[0]


def seat(world: World, i: int) -> Any:
    """A seat."""
    return _lines(world, "seats", (i,))[0]


def before(world: World, slots: Iterable[int]) -> list[Any]:
    """The players in some slots as they were when a sealed world's clock stopped."""
    return _lines(world, "board", slots)


def _lines(world: World, name: str, numbers: Iterable[int]) -> list[Any]:
    """Rows of one of the world's arrays, out of the world's bytes: they are read far more often than any other."""
    if name not in world.lines:
        fields: Any = world.array.dtype.fields
        kind, start, *_ = fields[name]
        world.lines[name] = (*_scalars(kind.base), start)
    layout, make, start = world.lines[name]
    memory, unpack, size = world.memory, layout.unpack_from, layout.size
    return [make(unpack(memory, start + i * size)) for i in numbers]


def squad(world: World, i: int) -> list[int]:
    """Slots of a club's seniors."""
    slots: list[int] = part(world, "clubs", i, "squad")[: club(world, i).n_squad].tolist()
    return slots


def academy(world: World, i: int) -> list[int]:
    """Slots of a club's prospects."""
    slots: list[int] = part(world, "clubs", i, "academy")[: club(world, i).n_academy].tolist()
    return slots
