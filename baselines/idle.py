"""The floor: what the world does to a club whose manager never intervenes (paper, appendix E)."""

from __future__ import annotations

from fmgym.stop import Stop


class Idle:
    """Submits nothing at the draft and takes no action at any stop."""

    name = "idle"

    def play(self, stop: Stop) -> None:
        """Advance."""
        stop.call("advance")
