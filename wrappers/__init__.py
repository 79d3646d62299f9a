"""Other views of the environments: as text, as one flat array, by the stop."""

from fmgym.wrappers.flat import FlatObs, FlatVectorObs
from fmgym.wrappers.knobs import ManagerKnobs, ManagerKnobsVector
from fmgym.wrappers.text import TextActions, TextArena

__all__ = ["FlatObs", "FlatVectorObs", "ManagerKnobs", "ManagerKnobsVector", "TextActions", "TextArena"]
