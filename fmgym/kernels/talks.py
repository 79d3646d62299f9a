"""What clubs remember of their negotiations: rises after refusals, cooldowns, repeat-pair mark-ups, heat.

The market adapts to revealed behaviour (paper, section 3.1): every memory here fades with a half-life.
"""

from fmgym.detmath import exp2
from fmgym.jit import njit


@njit
def find(w, club, uid):
    """Index of a club's memory of a player, or -1."""
    talks = w.clubs[club].talks
    for i in range(len(talks)):
        if talks[i].uid == uid:
            return i
    return -1


@njit
def remember(w, club, uid):
    """Index of a club's memory of a player; the stalest one makes room for a new one."""
    i = find(w, club, uid)
    if i >= 0:
        return i
    talks = w.clubs[club].talks
    i = 0
    for j in range(1, len(talks)):
        if max(talks[j].day, talks[j].wage_day) < max(talks[i].day, talks[i].wage_day):
            i = j
    t = talks[i]
    t.uid = uid
    t.day = 0
    t.rejections = 0
    t.cooldown = -1
    t.floor = 0
    t.rise = 0.0
    t.wage_day = 0
    t.wage_rejections = 0
    t.wage_cooldown = -1
    t.wage_floor = 0
    t.wage_rise = 0.0
    return i


@njit
def forget(w, uid):
    """A player has changed hands: nobody's talks about him count any more."""
    for club in range(len(w.clubs)):
        i = find(w, club, uid)
        if i >= 0:
            w.clubs[club].talks[i].uid = 0


@njit
def faded(amount, days, half_life):
    """What is left of ``amount`` after ``days``."""
    return amount * exp2(-days / half_life) if amount != 0.0 else 0.0


@njit
def fee_rise(w, p, club, uid):
    """How far earlier rejections have raised the ask this club meets for a player."""
    i = find(w, club, uid)
    if i < 0:
        return 0.0
    t = w.clubs[club].talks[i]
    return faded(t.rise, w.day - t.day, p.market.half_life)


@njit
def wage_rise(w, p, club, uid):
    """How far refused offers have raised the wage a player wants of this club."""
    i = find(w, club, uid)
    if i < 0:
        return 0.0
    t = w.clubs[club].talks[i]
    return faded(t.wage_rise, w.day - t.wage_day, p.wage.half_life)


@njit
def fee_cooling(w, club, uid):
    """Whether the owner refuses to talk to this club about a player for now."""
    i = find(w, club, uid)
    return i >= 0 and w.clubs[club].talks[i].cooldown >= w.day


@njit
def wage_cooling(w, club, uid):
    """Whether a player refuses to talk to this club for now."""
    i = find(w, club, uid)
    return i >= 0 and w.clubs[club].talks[i].wage_cooldown >= w.day


@njit
def cooling(w, club):
    """How many talks with this club are broken off, with owners and with players: if none, nobody need be looked up."""
    talks = w.clubs[club].talks
    count = 0
    for i in range(len(talks)):
        if talks[i].uid != 0:
            count += (talks[i].cooldown >= w.day) + (talks[i].wage_cooldown >= w.day)
    return count


@njit
def refuse_fee(w, p, club, uid, bid):
    """Note a rejected bid: the ask rises, and after several the talks break off. Returns whether they did."""
    t = w.clubs[club].talks[remember(w, club, uid)]
    t.rise = faded(t.rise, w.day - t.day, p.market.half_life) + p.market.rise
    t.day = w.day
    t.floor = max(t.floor, bid)
    t.rejections += 1
    _warm(w, p, club, p.market.haggle)
    if t.rejections >= p.market.cooldown_after:
        t.rejections = 0
        t.cooldown = w.day + p.market.cooldown_days
        return True
    return False


@njit
def refuse_wage(w, p, club, uid, wage):
    """Note a refused contract offer. Returns whether the talks broke off."""
    t = w.clubs[club].talks[remember(w, club, uid)]
    t.wage_rise = faded(t.wage_rise, w.day - t.wage_day, p.wage.half_life) + p.wage.rise
    t.wage_day = w.day
    t.wage_floor = max(t.wage_floor, wage)
    t.wage_rejections += 1
    if t.wage_rejections >= p.wage.cooldown_after:
        t.wage_rejections = 0
        t.wage_cooldown = w.day + p.wage.cooldown_days
        return True
    return False


@njit
def fee_floor(w, club, uid):
    """The highest fee this club has already offered for a player: counters never fall below it."""
    i = find(w, club, uid)
    return w.clubs[club].talks[i].floor if i >= 0 else 0


@njit
def wage_floor(w, club, uid):
    """The highest wage this club has already offered a player."""
    i = find(w, club, uid)
    return w.clubs[club].talks[i].wage_floor if i >= 0 else 0


@njit
def markup(w, p, seller, buyer):
    """The seller's mark-up towards a club it has dealt with before."""
    pair = w.pairs[seller, buyer]
    return faded(pair.markup, w.day - pair.day, p.market.pair_half_life)


@njit
def heat(w, p, buyer):
    """The rise of all asks a busy buyer meets: it grows with the square of what he lately did."""
    lately = _lately(w, p, buyer)
    return p.market.heat * lately * lately


@njit
def _lately(w, p, club):
    """A club's purchases of late, refused bids counting a little; old ones fade."""
    c = w.clubs[club]
    return faded(c.heat, w.day - c.heat_day, p.market.heat_half_life)


@njit
def _warm(w, p, club, amount):
    c = w.clubs[club]
    c.heat = _lately(w, p, club) + amount
    c.heat_day = w.day


@njit
def dealt(w, p, seller, buyer):
    """A purchase went through: the pair's mark-up and the buyer's heat rise."""
    pair = w.pairs[seller, buyer]
    pair.markup = markup(w, p, seller, buyer) + p.market.pair
    pair.day = w.day
    _warm(w, p, buyer, 1.0)
