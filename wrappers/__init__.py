"""Other views of the environments: as text, as one flat array."""
