"""Rows of state as plain Python values.

Reading a NumPy record field by field costs microseconds a field. ``row`` takes all single numbers of a row
at once, as a named tuple; fields that are arrays or records themselves are left to ``part``.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from fmgym.world import World


@functools.cache
def _scalars(kind: np.dtype) -> tuple[np.dtype, Callable[..., Any]]:
    """The view of a record type on its single numbers, and the maker of a tuple of them."""
    fields: Any = kind.fields
    names = [name for name, (inner, *_) in fields.items() if inner.shape == () and inner.names is None]
    layout: Any = {
        "names": names,
        "formats": [fields[name][0] for name in names],
        "offsets": [fields[name][1] for name in names],
        "itemsize": kind.itemsize,
    }
    values: Any = namedtuple("Row", names)  # type: ignore[misc]
    return np.dtype(layout), values._make


def row(array: np.ndarray, i: int) -> Any:
    """Row ``i`` of an array of records."""
    plain, make = _scalars(array.dtype)
    return make(array.view(plain)[i].item())


def rows(array: np.ndarray, n: int) -> list[Any]:
    """The first ``n`` rows of an array of records."""
    plain, make = _scalars(array.dtype)
    return [make(values) for values in array[:n].view(plain).tolist()]


def table(world: World, name: str) -> Any:
    """One of the world's arrays: players, clubs, seats, fixtures, templates, debts, moves."""
    return world.array[name][0]


def part(world: World, name: str, i: int, field: str) -> Any:
    """A field of row ``i`` that is an array: a club's squad, a seat's offers."""
    return world.array[name][field][0, i]


def player(world: World, slot: int) -> Any:
    """The player in a slot."""
    return row(table(world, "players"), slot)


def club(world: World, i: int) -> Any:
    """A club."""
    return row(table(world, "clubs"), i)


def seat(world: World, i: int) -> Any:
    """A seat."""
    return row(table(world, "seats"), i)


def squad(world: World, i: int) -> list[int]:
    """Slots of a club's seniors."""
    slots: list[int] = part(world, "clubs", i, "squad")[: club(world, i).n_squad].tolist()
    return slots


def academy(world: World, i: int) -> list[int]:
    """Slots of a club's prospects."""
    slots: list[int] = part(world, "clubs", i, "academy")[: club(world, i).n_academy].tolist()
    return slots
