"""Other views of the environments: as text, as one flat array."""

from fmgym.wrappers.flat import FlatObs, FlatVectorObs

__all__ = ["FlatObs", "FlatVectorObs"]
