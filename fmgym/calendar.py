"""The 360-day year: days of the year, windows, rounds and the 13 scheduled stops (paper, Table 11)."""

from fmgym.enums import StopKind
from fmgym.jit import njit
from fmgym.state import YEAR

# (day of year, kind): what a season wants decided, and when.
SCHEDULE = (
    (2, StopKind.PRESEASON_BOARD),
    (5, StopKind.SUMMER_PLAN),
    (59, StopKind.SUMMER_DEADLINE),
    (63, StopKind.LINEUP_LOCK),
    (90, StopKind.MONTHLY_REPORT),
    (120, StopKind.MONTHLY_REPORT),
    (150, StopKind.MONTHLY_REPORT),
    (181, StopKind.WINTER_OPEN),
    (190, StopKind.MIDSEASON_REVIEW),
    (209, StopKind.WINTER_DEADLINE),
    (240, StopKind.MONTHLY_REPORT),
    (300, StopKind.SETTLEMENT),
    (305, StopKind.YOUTH_INTAKE),
)
_BITS = tuple(sum(1 << kind for day, kind in SCHEDULE if day == d) for d in range(YEAR + 1))


@njit
def day_of_year(day):
    """1 to 360."""
    return day % YEAR + 1


@njit
def season_of(day):
    """0 for the first season."""
    return day // YEAR


@njit
def year_end(season):
    """The last day of a season; contracts run to such days."""
    return season * YEAR + YEAR - 1


@njit
def scheduled(doy):
    """Bit mask of the stop kinds scheduled on a day of the year."""
    return _BITS[doy]


@njit
def window_open(p, day):
    """Whether a transfer window is open on ``day``: 0 closed, 1 summer, 2 winter."""
    doy = day_of_year(day)
    c = p.calendar
    if c.window_summer[0] <= doy <= c.window_summer[1]:
        return 1
    return 2 if c.window_winter[0] <= doy <= c.window_winter[1] else 0


@njit
def age(day, born):
    """Age in years, as a float."""
    return (day - born) / YEAR
