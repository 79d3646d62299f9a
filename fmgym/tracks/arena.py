"""Arena: up to a seat for each club in one shared world, deals sealed (paper, section 4.3)."""

from fmgym.tools import TOOLS
from fmgym.tracks.track import Track

ARENA = Track(
    name="arena",
    seats=None,
    sealed=True,
    start="draft",
    seasons=20,
    tools=tuple(TOOLS),
    goal="You run one club; other agents like you run other clubs of the same league, and every deal is contested.",
)
