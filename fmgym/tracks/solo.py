"""Solo: one seat against scripted managers, all 26 tools (paper, section 4.1)."""

from fmgym.tools import TOOLS
from fmgym.tracks.track import Track

SOLO = Track(
    name="solo",
    seats=1,
    sealed=False,
    start="draft",
    seasons=20,
    tools=tuple(TOOLS),
    goal="You run one club; scripted managers of different skill run the others.",
)
