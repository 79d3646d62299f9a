"""Parameters of the simulation, read from ``params.toml``: one entry a constant, checked against its range.

``Params`` is a plain immutable tree of numbers. Kernels get it as a one-element structured array whose
fields are ``p.<group>.<name>``; ``Params.shape`` holds the sizes that fix state types instead.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import numpy as np

from fmgym.errors import BadInput
from fmgym.state import record

Number = int | float
Value = Number | tuple[Number, ...]


@dataclass(frozen=True)
class Entry:
    """One constant: its value and what the file says of it."""

    value: Value
    unit: str
    low: float
    high: float
    doc: str


@functools.cache
def entries() -> dict[str, dict[str, Entry]]:
    """All groups and entries of ``params.toml``, in the file's order."""
    tree = tomllib.loads(files("fmgym").joinpath("params.toml").read_text("utf-8"))
    return {group: {name: _entry(raw) for name, raw in rows.items()} for group, rows in tree.items()}


def _entry(raw: dict[str, Any]) -> Entry:
    value = raw["value"]
    low, high = raw["range"]
    return Entry(tuple(value) if isinstance(value, list) else value, raw["unit"], low, high, raw["doc"])


@dataclass(frozen=True)
class Params:
    """A full set of values: ``Params.default()`` or ``Params.default().replace({"match.home": 1.3})``."""

    values: tuple[tuple[str, tuple[tuple[str, Value], ...]], ...]

    @classmethod
    @functools.cache
    def default(cls) -> Params:
        return cls._of({g: {n: e.value for n, e in rows.items()} for g, rows in entries().items()})

    @classmethod
    def _of(cls, tree: Mapping[str, Mapping[str, Value]]) -> Params:
        return cls(tuple((group, tuple(rows.items())) for group, rows in tree.items()))

    def tree(self) -> dict[str, dict[str, Value]]:
        return {group: dict(rows) for group, rows in self.values}

    def replace(self, changes: Mapping[str, Any] | None) -> Params:
        """A copy with ``{"group.name": value}`` changed. Raises ``BadInput`` naming what is wrong."""
        if not changes:
            return self
        if not isinstance(changes, Mapping):
            raise BadInput(f'changes of parameters are {{"group.name": value}}, not {changes!r}')
        tree = self.tree()
        for path, value in changes.items():
            group, _, name = str(path).partition(".")
            if name not in tree.get(group, {}):
                raise BadInput(f"no parameter {path!r}; names are group.name as in fmgym/params.toml")
            tree[group][name] = _checked(path, value, entries()[group][name])
        _check_together(tree)
        return Params._of(tree)

    @functools.cached_property
    def shape(self) -> SimpleNamespace:
        """The sizes that fix state types, as attributes (``shape.clubs``)."""
        return SimpleNamespace(**dict(self.tree()["shape"]))

    @functools.cached_property
    def record(self) -> np.ndarray:
        """The values as a structured array of one element, as the kernels take them."""
        return _record(self)

    @functools.cached_property
    def hash(self) -> str:
        """Sixteen hex digits that stand for every value."""
        text = json.dumps(self.tree(), sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def __getattr__(self, group: str) -> SimpleNamespace:
        for name, rows in self.__dict__.get("values", ()):
            if name == group:
                found = self.__dict__[group] = SimpleNamespace(**dict(rows))  # found directly from now on
                return found
        raise AttributeError(group)


def _checked(path: str, value: Any, entry: Entry) -> Value:
    """``value`` in the form of ``entry``, or ``BadInput``."""
    many = isinstance(entry.value, tuple)
    items = list(value) if many and isinstance(value, list | tuple | np.ndarray) else [value]
    old = entry.value if isinstance(entry.value, tuple) else (entry.value,)
    if many and len(items) != len(old):
        raise BadInput(f"parameter {path} takes {len(old)} numbers")
    out: list[Number] = []
    for given, before in zip(items, old, strict=True):
        item = given.item() if isinstance(given, np.generic) else given
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise BadInput(f"parameter {path} takes numbers, not {item!r}")
        if not entry.low <= item <= entry.high:
            shown = repr(item) if not abs(item) >= 2**63 else "a number that large"  # a NaN shows itself
            raise BadInput(f"parameter {path} must lie in {entry.low} to {entry.high}, not {shown}")
        if isinstance(before, int) and item != int(item):
            raise BadInput(f"parameter {path} takes whole numbers, not {item!r}")
        out.append(int(item) if isinstance(before, int) else float(item))
    return tuple(out) if many else out[0]


# Lists whose numbers must not fall.
_RISING = (
    ("calendar", "window_summer"),
    ("calendar", "window_winter"),
    ("calendar", "rounds"),
    ("draft", "ability_clip"),
    ("draft", "ages"),
    ("draft", "contract_years"),
    ("value", "youth"),
    ("wage", "demand"),
    ("academy", "ages"),
    ("match", "phase"),
    ("match", "rating_bounds"),
)


def _check_together(tree: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise ``BadInput`` for values that lie in their ranges but do not go together."""
    for group, name in _RISING:
        if list(tree[group][name]) != sorted(tree[group][name]):
            raise BadInput(f"parameter {group}.{name} must not fall, not {list(tree[group][name])}")
    shape, days = tree["shape"], tree["calendar"]
    if shape["clubs"] % 2:
        raise BadInput(f"parameter shape.clubs must be even, not {shape['clubs']}")
    if sum(tree["draft"]["positions"]) != shape["templates"]:
        raise BadInput(f"parameter draft.positions must sum to shape.templates, {shape['templates']}")
    order = [days["window_summer"][1], *days["rounds"], days["settlement_day"], days["intake_day"]]
    if order != sorted(set(order)):
        raise BadInput(
            "parameters of the calendar must follow each other: summer window, rounds, settlement_day, intake_day"
        )


@functools.cache
def record_type() -> np.dtype:
    """The type of ``Params.record``: a record of groups. One object for good, as compiled code expects."""
    return record(
        [
            (group, record([_field(name, entry.value) for name, entry in rows.items()]))
            for group, rows in entries().items()
            if group != "shape"
        ]
    )


def _record(params: Params) -> np.ndarray:
    array = np.zeros(1, record_type())
    for group, rows in params.values:
        for name, value in rows if group != "shape" else ():
            array[group][name] = value
    return array


def _field(name: str, value: Value) -> tuple[Any, ...]:
    sample = value[0] if isinstance(value, tuple) else value
    kind = np.int64 if isinstance(sample, int) else np.float64
    return (name, kind, (len(value),)) if isinstance(value, tuple) else (name, kind)
