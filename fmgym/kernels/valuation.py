"""What players are worth and what they earn, from beliefs about them; never from truth."""

from fmgym.calendar import age
from fmgym.detmath import exp2
from fmgym.enums import Group, Position
from fmgym.jit import njit
from fmgym.kernels.money import inflation, thousands
from fmgym.state import YEAR


@njit
def group_of(position):
    """The line (``enums.Group``) a position belongs to."""
    if position == Position.GK:
        return Group.GK.value
    if position <= Position.FB:
        return Group.DF.value
    if position <= Position.AM:
        return Group.MF.value
    return Group.FW.value


@njit
def youth_weight(p, years):
    """How far a player's potential counts: 1 up to the first age of value.youth, 0 from the second."""
    low = p.value.youth[0]
    high = p.value.youth[1]
    return min(max((high - years) / (high - low), 0.0), 1.0)


@njit
def worth(w, p, slot, ability, potential):
    """Value in k of a player on a full contract, given what one believes of him."""
    pl = w.players[slot]
    return price(p, inflation(p, w.day), pl.position, age(w.day, pl.born), ability, potential)


@njit
def price(p, money, position, years, ability, potential):
    """Value in k, at a level ``money`` of prices, of anyone of that position, age, ability and potential."""
    seen = ability + p.value.potential * max(potential - ability, 0.0) * youth_weight(p, years)
    level = exp2((seen - p.value.reference) / p.value.double)
    return p.value.norm * money * level * age_factor(p, position, years)


@njit
def age_factor(p, position, years):
    """Value by age, linear between the whole ages of the table."""
    if position == Position.GK and years > 27.0:
        years = max(27.0, years - p.value.goalkeeper_years)
    x = min(max(years - 15.0, 0.0), len(p.value.age) - 1.001)
    i = int(x)
    return p.value.age[i] + (x - i) * (p.value.age[i + 1] - p.value.age[i])


@njit
def contract_left(w, slot):
    """Days a player's contract has left; 0 for free agents."""
    return max(w.players[slot].contract_end - w.day, 0)


@njit
def running_out(w, slot):
    """0 with a year or more of contract left, rising to 1 at its end."""
    return 1.0 - min(contract_left(w, slot) / YEAR, 1.0)


@njit
def market_value(w, p, slot, ability, potential):
    """``worth`` less what a contract about to end takes off, in whole k, at least 10."""
    off = 1.0 - p.value.contract * running_out(w, slot)
    return max(thousands(worth(w, p, slot, ability, potential) * off), 10)


@njit
def wage_norm(w, p, slot, ability):
    """The usual yearly wage in k of a player of that believed ability."""
    return inflation(p, w.day) * wage_at(p, ability, age(w.day, w.players[slot].born))


@njit
def wage_at(p, ability, years):
    """The usual yearly wage in first-year k at an ability and an age."""
    young = min(max((years - 17.0) / 6.0, 0.0), 1.0)
    level = exp2((ability - p.value.reference) / p.wage.double)
    return p.wage.norm * level * (p.wage.youth + (1.0 - p.wage.youth) * young)
