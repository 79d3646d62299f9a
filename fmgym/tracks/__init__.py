"""The tracks: named, frozen bundles of league shape, calendar, tools, budgets, start, seats and score."""

from fmgym.errors import BadInput
from fmgym.tracks.arena import ARENA
from fmgym.tracks.solo import SOLO
from fmgym.tracks.track import Track

TRACKS = {track.name: track for track in (SOLO, ARENA)}


def track_named(name: str) -> Track:
    """The track that results and logs call so. Raises ``BadInput``."""
    if name not in TRACKS:
        raise BadInput(f"there is no track {name!r}; known are {', '.join(TRACKS)}")
    return TRACKS[name]
