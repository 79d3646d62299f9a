"""A small policy network without torch: weights in one file, a forward pass with the same bits on every processor.

The layers are dense with ReLU between them; the last one's outputs are the logits of all knobs, side by side.
Sums run in order and in double precision, so that no library's blocking of a product can change a decision.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from fmgym.envs import habits, stops
from fmgym.errors import BadInput
from fmgym.jit import njit


class Network(NamedTuple):
    """Weights as ``decide`` takes them: all numbers in one array, layer by layer, each first its matrix by rows."""

    numbers: np.ndarray  # float64
    sizes: np.ndarray  # inputs, then outputs of each layer
    about: dict[str, Any]  # where it comes from

    @property
    def every(self) -> str:
        """How often it sets the knobs, one of ``stops.EVERY``."""
        every: str = self.about["every"]
        return every


def save(
    path: str | os.PathLike[str], layers: list[tuple[np.ndarray, np.ndarray]], every: str, about: dict[str, Any]
) -> None:
    """Write layers (matrix (out, in), bias (out,)), how often they set the knobs, and what is to be known of them."""
    arrays: dict[str, Any] = {}
    for i, (matrix, bias) in enumerate(layers):
        arrays[f"w{i}"], arrays[f"b{i}"] = matrix.astype(np.float32), bias.astype(np.float32)
    known = about | {"every": every, "knobs": _knobs(), "observation": stops.width()}
    partial = Path(f"{path}.tmp")
    with partial.open("wb") as file:
        np.savez_compressed(file, about=np.array(json.dumps(known)), **arrays)
    partial.replace(path)


def load(path: str | os.PathLike[str]) -> Network:
    """Read a file that ``save`` wrote; ``BadInput`` when it is none, or was made for other knobs or observations."""
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            count = sum(name.startswith("w") for name in file.files)
            layers = [(file[f"w{i}"], file[f"b{i}"]) for i in range(count)]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise BadInput(f"{path} holds no policy network: {error}") from None
    if not isinstance(about, dict) or about.get("knobs") != _knobs() or about.get("observation") != stops.width():
        raise BadInput(f"{path} was trained for other knobs or another observation than this version's")
    if about.get("every") not in stops.EVERY or not _fits(layers):
        raise BadInput(f"{path} holds no policy network: its parts do not fit together")
    sizes = np.array([layers[0][0].shape[1], *(len(bias) for _, bias in layers)], np.int64)
    numbers = np.concatenate([a.reshape(-1) for pair in layers for a in pair]).astype(np.float64)
    return Network(numbers, sizes, about)


def _fits(layers: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether layers of finite numbers lead from an observation to the logits of all knobs; kernels check no bounds."""
    width = stops.width()
    for matrix, bias in layers:
        if matrix.dtype.kind != "f" or bias.dtype.kind != "f" or matrix.shape != (*bias.shape, width):
            return False
        if not (np.isfinite(matrix).all() and np.isfinite(bias).all()):
            return False
        width = len(bias)
    return bool(layers) and width == sum(habits.STEPS)


def _knobs() -> dict[str, list[float]]:
    return {habit.name: [float(step) for step in habit.steps] for habit in habits.HABITS}


@njit
def decide(numbers: Any, sizes: Any, steps: Any, obs: Any) -> Any:
    """The likeliest step of every knob (W, knobs) for observations (W, sizes[0])."""
    chosen = np.zeros((len(obs), len(steps)), np.int64)
    widest = sizes.max()
    inputs = np.empty(widest)
    outputs = np.empty(widest)
    for i in range(len(obs)):
        for j in range(sizes[0]):
            inputs[j] = obs[i, j]
        _forward(numbers, sizes, inputs, outputs)
        start = 0
        for k in range(len(steps)):
            for step in range(1, steps[k]):
                if outputs[start + step] > outputs[start + chosen[i, k]]:
                    chosen[i, k] = step
            start += steps[k]
    return chosen


@njit
def _forward(numbers: Any, sizes: Any, inputs: Any, outputs: Any) -> None:
    """The last layer's outputs. ``inputs`` is used up."""
    at = 0
    for layer in range(len(sizes) - 1):
        n = sizes[layer]
        m = sizes[layer + 1]
        for o in range(m):
            total = numbers[at + m * n + o]
            for j in range(n):
                total += numbers[at + o * n + j] * inputs[j]
            outputs[o] = total
        at += m * (n + 1)
        for o in range(m):
            inputs[o] = max(outputs[o], 0.0)
