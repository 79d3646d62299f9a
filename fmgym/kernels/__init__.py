"""The jitted rules of the game: one module for each part, from a match to the day that runs them all."""
