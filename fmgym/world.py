"""One world or a batch of them: allocation, copy, save, load, digest. The rules live in ``kernels``."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from fmgym import engine
from fmgym.errors import BadInput
from fmgym.params import Params
from fmgym.state import world_type

OPPONENTS = {"easy": 0, "medium": 1, "hard": 2, "tiered": 3}
_MAGIC = b"fmgym-world-1\n"


class World:
    """One simulated world.

    ``w`` is its state record and ``p`` the parameters' record, as the kernels take them. A world is plain
    bytes: it can be copied, saved, loaded, pickled and digested at any moment.
    """

    def __init__(self, params: Params | None = None) -> None:
        self.params = params or Params.default()
        self.array = np.zeros(1, world_type(self.params.shape))

    @classmethod
    def over(cls, array: np.ndarray, params: Params) -> World:
        """A world on memory that belongs to another: a batch's row as an array of one element."""
        world = cls.__new__(cls)
        world.params = params
        world.array = array
        return world

    @classmethod
    def open(
        cls,
        seed: int,
        *,
        seasons: int = 20,
        opponents: str = "tiered",
        auto_draft: bool = False,
        seats: Collection[int] | None = None,
        sealed: bool = False,
        params: Params | None = None,
    ) -> World:
        """The world of ``seed`` at its first stop. Raises ``BadInput`` for values out of range.

        ``seats``: which of the shape's seats somebody holds, by default all. ``sealed``: deals wait for the day's end.
        """
        world = cls(params)
        world.reset(seed, seasons=seasons, opponents=opponents, auto_draft=auto_draft, seats=seats, sealed=sealed)
        return world

    def reset(
        self,
        seed: int,
        *,
        seasons: int = 20,
        opponents: str = "tiered",
        auto_draft: bool = False,
        seats: Collection[int] | None = None,
        sealed: bool = False,
    ) -> None:
        """Open another seed's world in place."""
        check_options(self.params, seed, seasons, opponents)
        taken = taken_seats(self.params, seats)
        self.array.view(np.uint8)[:] = 0
        engine.reset(self.w, self.p, np.int64(seed), OPPONENTS[opponents], seasons, auto_draft, taken, int(sealed))

    @functools.cached_property
    def memory(self) -> memoryview:
        """The bytes that the world lies in."""
        return self.array.view(np.uint8).data

    @functools.cached_property
    def lines(self) -> dict[str, Any]:
        """What ``rows`` has learnt of where records lie in it."""
        return {}

    @property
    def w(self) -> Any:
        """The state record."""
        return self.array[0]

    @property
    def p(self) -> Any:
        """The parameters' record."""
        return self.params.record[0]

    def digest(self) -> str:
        """128 bits over every byte of state, as 32 hex digits."""
        return hashlib.blake2b(self.memory, digest_size=16).hexdigest()

    def copy(self) -> World:
        """An independent copy."""
        twin = World(self.params)
        twin.array[:] = self.array
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {"params": self.params, "bytes": self.array.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["params"])  # type: ignore[misc]
        self.set_bytes(state["bytes"])

    def get_bytes(self) -> bytes:
        """The whole state."""
        return self.array.tobytes()

    def set_bytes(self, data: bytes) -> None:
        """Take over a state from ``get_bytes`` of a world with the same shape."""
        if len(data) != self.array.nbytes:
            raise BadInput(f"a world of this shape has {self.array.nbytes} bytes, not {len(data)}")
        self.array.view(np.uint8)[:] = np.frombuffer(data, np.uint8)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, with the parameters' hash."""
        Path(path).write_bytes(_MAGIC + self.params.hash.encode() + b"\n" + self.array.tobytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], params: Params | None = None) -> World:
        """Read a state written by ``save`` under the same parameters."""
        world = cls(params)
        data = Path(path).read_bytes()
        head = _MAGIC + world.params.hash.encode() + b"\n"
        if not data.startswith(_MAGIC):
            raise BadInput(f"{path} is not a saved world")
        if not data.startswith(head):
            raise BadInput(f"{path} was saved under other parameters than {world.params.hash}")
        world.set_bytes(data[len(head) :])
        return world


def taken_seats(params: Params, seats: Collection[int] | None) -> np.ndarray:
    """1 for each seat that somebody holds, 0 for the others. Raises ``BadInput`` for seats there are not."""
    taken = np.full(params.shape.seats, seats is None, np.int64)
    chosen = () if seats is None else seats
    for seat in chosen:
        if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < len(taken):
            raise BadInput(f"seats are whole numbers from 0 to {len(taken) - 1}, not {seat!r}")
    if seats is not None and (len(set(chosen)) != len(chosen) or not chosen):
        raise BadInput(f"seats must be different ones, at least one, not {list(seats)!r}")
    taken[list(chosen)] = 1
    return taken


def check_options(params: Params, seed: int, seasons: int, opponents: str) -> None:
    """Raise ``BadInput`` unless the options can open a world."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise BadInput(f"a seed is a whole number from 0 to 2**63-1, not {seed!r}")
    if isinstance(seasons, bool) or not isinstance(seasons, int | np.integer):
        raise BadInput(f"seasons is a whole number, not {seasons!r}")
    if not 1 <= seasons <= params.shape.seasons:
        raise BadInput(f"seasons must be 1 to {params.shape.seasons}, not {seasons}")
    if not isinstance(opponents, str) or opponents not in OPPONENTS:
        raise BadInput(f"opponents must be one of {', '.join(OPPONENTS)}, not {opponents!r}")
