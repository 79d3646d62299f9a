"""Other views of the environments: as text, as one flat array."""

from fmgym.wrappers.flat import FlatObs, FlatVectorObs
from fmgym.wrappers.text import TextActions, TextArena

__all__ = ["FlatObs", "FlatVectorObs", "TextActions", "TextArena"]
