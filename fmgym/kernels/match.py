"""A match, minute by minute: ``begin``, then ``minute`` for 0, 1, ... ``m.length - 1``, then ``finish``.

All that a match in progress knows is in its ``MATCH`` record, and every draw is keyed by fixture, day and
minute, so that it can be left and entered again before any minute. Until ``finish`` nothing is written to the
world but the league's usual gap between the lines, which ``begin`` learns.

A minute goes to one side by the midfields. The side on the ball may shoot (by attack against defence) and
score (by attack against goalkeeper); else there may be a card or an injury. A line is a weighted mean of the
men in their roles on the day: true ability x suitability, moved by form, morale, consistency, style and
weariness. Goalkeepers and defenders age later than forwards, so the gap that counts between two lines is the
one beyond the league's usual gap.
"""

import math

import numpy as np

from fmgym.detmath import rough_exp
from fmgym.enums import N_STYLES, Domain, Position
from fmgym.jit import njit
from fmgym.kernels.condition import (
    FULL,
    condition_now,
    injure,
    injury_days,
    match_hazard,
    match_injury,
)
from fmgym.kernels.lineup import SCRATCH, pick_into, role_at, suitability
from fmgym.rng import bell, below, key, normal, uniform
from fmgym.state import LINEUP, MATCH_PLAYERS, RATED, record

SIDES = 2
ATTACK, MIDFIELD, DEFENCE, KEEPER = range(4)
YELLOW, RED = 1, 2  # codes of FIXTURE.apps.cards
_NONE = -1
_NEVER = 1e9  # more than any worth
_PER_MIDDLE = 2.0 / FULL  # scales morale to 1 at its middle
_TRIES = 32  # draws at most to choose a man
_DRAWS = 128  # room for the draws of a minute: 0 the minute itself, 1 to 7 its outcome, then the men chosen
_FIRST, _SECOND = 8, 8 + _TRIES
_AFTER = 1 << 20  # draws of no minute start here: stoppage time, then ratings

_I, _F = np.int64, np.float64


def _fields(kind: type, shape: tuple[int, ...], names: str) -> list[tuple[str, type, tuple[int, ...]]]:
    return [(name, kind, shape) for name in names.split()]


# Per side (home, away) and man (index in the side's sixteen: starters in role order, then the bench).
_SIDE, _MAN = (SIDES,), (SIDES, MATCH_PLAYERS)
MATCH = record(
    [
        ("key", np.uint64),
        ("day_key", np.uint64),
        *_fields(_I, (), "fixture length phase next_phase held"),  # held: minutes home had the ball
        *_fields(_I, (2,), "added"),  # minutes of stoppage time
        *_fields(_I, _SIDE, "club formation score shots own_goals penalties converted changes"),
        *_fields(_I, (SIDES, LINEUP), "on"),  # the man in each place, -1: nobody
        *_fields(_I, _MAN, "slot role came left goals assists yellows sent_off hurt"),
        *_fields(_F, _MAN, "level belief fresh"),  # in his role: fresh, as believed; condition as he came on
        *_fields(_F, _SIDE, "edge fit misfit effort"),  # ability: all, style fits, does not; points a minute
        *_fields(_F, (SIDES, 4), "whole lines"),  # weights of the lines; strength reckoned back to minute 0
        *_fields(_F, (2,), "usual"),  # usual attack over defence and over goalkeeper
        *_fields(_F, (), "average keep open"),  # mean level; styles: log odds of the ball, factor on chances
        # A minute's draw goes to home below `share`; what is left of it falls into these bands of a side.
        *_fields(_F, (), "share"),
        *_fields(_F, _SIDE, "goal special card injury shot"),
        *_fields(_F, (LINEUP,), "holds tired"),  # by place, while a change is considered
        ("worths", _F, (SCRATCH,)),  # these two are for lineup.pick_into
        ("lists", _I, (SCRATCH,)),
    ]
)


@njit
def play(w, p, f):
    """Play fixture ``f`` today and enter everything it leaves behind, but table order and money."""
    _play_in(w, p, f, np.empty(1, MATCH))


@njit
def _play_in(w, p, f, room):
    """``play`` in an array of one that the caller holds: a record does not keep its array alive."""
    m = room[0]
    begin(w, p, f, m)
    go_on(w, p, m, 0, m.length)
    finish(w, p, m)


# Before the match


@njit
def begin(w, p, f, m):
    """Set up the match of fixture ``f`` in ``m``: elevens, styles, stoppage time."""
    fx = w.fixtures[f]
    m.fixture = f
    m.key = key(w.seed, Domain.MATCH, f, w.day)
    m.day_key = key(w.seed, Domain.MATCH_FORM, f, w.day)
    m.phase = _NONE
    m.next_phase = 0
    m.held = 0
    m.average = 0.0
    for half in range(2):
        least = p.match.stoppage[2 * half]
        m.added[half] = least + below(m.key, _AFTER + half, p.match.stoppage[2 * half + 1] - least + 1)
    m.length = 2 * p.match.half + m.added[0] + m.added[1]
    m.club[0] = fx.home
    m.club[1] = fx.away
    _begin_styles(w, p, m)
    for s in range(SIDES):
        _begin_side(w, p, m, s)
    _learn_usual(w, p, m)


@njit
def _begin_styles(w, p, m):
    """What home ground and styles do: a side's edge on all lines, possession, openness, effort."""
    m.keep = 0.0
    m.open = 1.0
    for s in range(SIDES):
        own, other = w.clubs[m.club[s]], w.clubs[m.club[1 - s]]
        known = familiarity(w, p, m.club[s])
        m.edge[s] = -p.match.style_cost * (1.0 - known)
        if (own.style + 1) % N_STYLES == other.style:
            m.edge[s] += p.match.style_edge * known
        m.fit[s] = p.match.style_fit * known
        m.misfit[s] = -m.fit[s] / (N_STYLES - 1)
        keep = p.match.style_keep[own.style]
        m.keep += keep if s == 0 else -keep
        m.open *= p.match.style_open[own.style]
        m.effort[s] = p.match.style_effort[own.style] * p.condition.spend
    m.edge[0] += p.match.home


@njit
def familiarity(w, p, club):
    """How well a club masters its style, 0 on the day of a switch to 1."""
    days = w.day - w.clubs[club].style_day
    return min(max(days / p.match.style_days, 0.0), 1.0)


@njit
def _begin_side(w, p, m, s):
    m.formation[s] = w.clubs[m.club[s]].formation
    m.score[s] = 0
    m.shots[s] = 0
    m.own_goals[s] = 0
    m.penalties[s] = 0
    m.converted[s] = 0
    m.changes[s] = 0
    pick_into(w, p, m.club[s], m.slot[s], m.worths, m.lists)
    for i in range(MATCH_PLAYERS):
        m.came[s, i] = _NONE
        m.goals[s, i] = 0
        m.assists[s, i] = 0
        m.yellows[s, i] = 0
        m.sent_off[s, i] = 0
        m.hurt[s, i] = 0
    total = 0.0
    for r in range(LINEUP):
        m.on[s, r] = _NONE
        if m.slot[s, r] != _NONE:
            _enter(w, p, m, s, r, r, 0)
        total += m.level[s, r] if m.slot[s, r] != _NONE else p.match.absent
    m.average += total / (SIDES * LINEUP)
    _weigh_lines(p, m, s)


@njit
def _weigh_lines(p, m, s):
    """Total weights of the roles of a side's formation in each line."""
    c = p.match
    attack = midfield = defence = 0.0
    for r in range(LINEUP):
        role = role_at(p, m.formation[s], r)
        attack += c.attack[role]
        midfield += c.midfield[role]
        defence += c.defence[role]
    m.whole[s, ATTACK] = attack
    m.whole[s, MIDFIELD] = midfield
    m.whole[s, DEFENCE] = defence


@njit
def _enter(w, p, m, s, i, r, t):
    """Man ``i`` takes role ``r`` at running minute ``t``."""
    m.on[s, r] = i
    m.role[s, i] = role_at(p, m.formation[s], r)
    m.came[s, i] = t
    m.left[s, i] = m.length
    m.fresh[s, i] = condition_now(w, p, m.slot[s, i])
    m.level[s, i] = level_today(w, p, m, s, i)
    m.belief[s, i] = _believed(w, p, m, s, i, m.role[s, i])


@njit
def level_today(w, p, m, s, i):
    """A man's ability on the day in his role, when fresh."""
    pl, truth = w.players[m.slot[s, i]], w.truth[m.slot[s, i]]
    c = p.match
    x = truth.ability * suitability(p, pl.position, m.role[s, i])
    x += c.form * pl.form + c.morale * (pl.morale * _PER_MIDDLE - 1.0)
    x += m.fit[s] if truth.style_fit == w.clubs[m.club[s]].style else m.misfit[s]
    spread = c.noise[0] + c.noise[1] * min(max(1.0 - truth.consistency, 0.0), 1.0)
    return x + spread * bell(m.day_key, s * MATCH_PLAYERS + i)


@njit
def _learn_usual(w, p, m):
    """Move the league's usual gaps of attack over defence and keeper by this match; the match uses them."""
    defence = keeper = 0.0
    for s in range(SIDES):
        _set_lines(p, m, s)
        defence += (m.lines[s, ATTACK] - m.lines[s, DEFENCE]) / SIDES
        keeper += (m.lines[s, ATTACK] - m.lines[s, KEEPER]) / SIDES
    w.edge_matches += 1
    rate = max(1.0 / w.edge_matches, p.match.edge_rate)
    w.edge_defence += rate * (defence - w.edge_defence)
    w.edge_keeper += rate * (keeper - w.edge_keeper)
    m.usual[0] = w.edge_defence
    m.usual[1] = w.edge_keeper


# During the match


@njit
def go_on(w, p, m, t, end):
    """Play running minutes ``t`` to ``end - 1``, counted from 0 with stoppage time in them."""
    while t < end:
        while t == m.next_phase:
            _open_phase(w, p, m, t)
        until = min(end, m.next_phase)
        t, s, u = _pass_quietly(m, t, until)
        if t < until:
            _event(w, p, m, t, s, u)
            t += 1


@njit
def _pass_quietly(m, t, end):
    """Play on while nothing happens but shots that miss.

    Returns the minute in which more does (``end``: in none), the side on the ball, and what is left of the draw.
    """
    k, share = m.key, m.share
    first, second = m.injury[0], m.injury[1]
    held = shots = others = s = 0
    u = 0.0
    while t < end:
        u = uniform(k, t * _DRAWS)
        s = 1 if u >= share else 0
        u -= share * s
        held += 1 - s
        if u < (second if s == 1 else first):
            break
        shot = 1 if u < m.shot[s] else 0
        shots += shot
        others += shot * s
        t += 1
    m.held += held
    m.shots[0] += shots - others
    m.shots[1] += others
    return t, s, u


@njit
def _event(w, p, m, t, s, u):
    """What matters while side ``s`` is on the ball: a goal, a card for the other side, or an injury."""
    if u < m.special[s]:
        m.shots[s] += 1
        if u < m.goal[s]:
            _goal(p, m, t, s)
        else:
            _special(p, m, t, s)
    elif u < m.card[s]:
        _card(w, p, m, t, 1 - s)
    else:
        _injury(w, p, m, t)


@njit
def running(p, m, phase):
    """Running minute at which a phase begins."""
    start = p.match.phase[phase]
    return start + m.added[0] if phase >= p.match.second_half else start


@njit
def nominal(p, m, t):
    """The minute of the match as reports count it, without stoppage time."""
    half = p.match.half
    if t < half:
        return t
    return min(max(t - m.added[0], half), 2 * half)


@njit
def _open_phase(w, p, m, t):
    """Changes of tired men, then new rates."""
    m.phase += 1
    last = m.phase + 1 == len(p.match.phase)
    m.next_phase = m.length if last else running(p, m, m.phase + 1)
    if p.match.changes[m.phase] > 0:
        for s in range(SIDES):
            for _ in range(p.match.changes[m.phase]):
                _change_tired(w, p, m, s, t)
            _set_lines(p, m, s)
    _set_rates(p, m, t)


@njit
def missing_at(p, m, s, i, t):
    """How far below full condition a man is at running minute ``t``."""
    keeper = p.condition.spend_keeper if m.role[s, i] == Position.GK else 1.0
    return FULL - m.fresh[s, i] + keeper * m.effort[s] * (t - m.came[s, i])


@njit
def _set_lines(p, m, s):
    """Strength of the four lines of a side, reckoned back to minute 0; all tire alike from there."""
    c = p.match
    attack = midfield = defence = keeper = 0.0
    for r in range(LINEUP):
        i = m.on[s, r]
        role = role_at(p, m.formation[s], r)
        x = c.absent if i == _NONE else m.level[s, i] - p.condition.tired * missing_at(p, m, s, i, 0)
        attack += c.attack[role] * x
        midfield += c.midfield[role] * x
        defence += c.defence[role] * x
        if r == 0:
            keeper = x
    shift = 3 * m.formation[s]
    m.lines[s, ATTACK] = attack / m.whole[s, ATTACK] + c.formation[shift] + m.edge[s]
    m.lines[s, MIDFIELD] = midfield / m.whole[s, MIDFIELD] + c.formation[shift + 1] + m.edge[s]
    m.lines[s, DEFENCE] = defence / m.whole[s, DEFENCE] + c.formation[shift + 2] + m.edge[s]
    m.lines[s, KEEPER] = keeper + m.edge[s]


@njit
def _set_rates(p, m, t):
    """Possession, and the bands of a minute's draw for each side on the ball."""
    c = p.match
    fade = p.condition.tired * t * (m.effort[0] - m.effort[1])  # home tires so much more than away
    lead = m.lines[0, MIDFIELD] - m.lines[1, MIDFIELD] - fade
    odds = rough_exp(c.possession * lead + m.keep)
    m.share = odds / (1.0 + odds)
    for s in range(SIDES):
        ball = m.share if s == 0 else 1.0 - m.share
        gap = m.lines[s, ATTACK] - m.lines[1 - s, DEFENCE] - m.usual[0] - (fade if s == 0 else -fade)
        shot = ball * _chances(p, m, s) * rough_exp(c.chance * gap)
        tired = p.condition.tired * t * (m.effort[s] - m.effort[1 - s] * p.condition.spend_keeper)
        gap = m.lines[s, ATTACK] - m.lines[1 - s, KEEPER] - m.usual[1] - tired
        m.goal[s] = shot * c.goal * rough_exp(c.finish * gap)
        m.special[s] = m.goal[s] + shot * (c.penalty + c.own_goal)
        m.card[s] = m.special[s] + ball * c.card
        m.injury[s] = m.card[s] + ball * SIDES * LINEUP * match_hazard(p)
        m.shot[s] = m.injury[s] + shot * (1.0 - c.penalty - c.own_goal) - m.goal[s]  # the shots that miss


@njit
def _chances(p, m, s):
    """Shots a minute on the ball against an equal side: phase, styles, score."""
    keep = m.keep if s == 0 else -m.keep
    x = p.match.shot * p.match.tempo[m.phase] * m.open * (1.0 - 0.5 * keep)
    if m.score[s] > m.score[1 - s]:
        return x * (1.0 - p.match.ahead)
    return x * (1.0 + p.match.ahead) if m.score[s] < m.score[1 - s] else x


@njit
def _special(p, m, t, s):
    """A penalty or an own goal."""
    c = p.match
    at = t * _DRAWS
    if uniform(m.key, at + 1) * (c.penalty + c.own_goal) < c.own_goal:
        if _choose(p, m, 1 - s, c.defence, _NONE, at + _FIRST) != _NONE:
            m.own_goals[1 - s] += 1
            _score(p, m, t, s)
    else:
        i = _taker(p, m, s)
        m.penalties[s] += 1
        if i != _NONE and uniform(m.key, at + 2) < c.penalty_goal:
            m.converted[s] += 1
            m.goals[s, i] += 1
            _score(p, m, t, s)


@njit
def _goal(p, m, t, s):
    """A goal from play: scorer, perhaps an assist."""
    at = t * _DRAWS
    i = _scorer(p, m, s, at + _FIRST)
    if i == _NONE:
        return
    m.goals[s, i] += 1
    if uniform(m.key, at + 1) < p.match.assisted:
        j = _choose(p, m, s, p.match.creator, i, at + _SECOND)
        if j != _NONE:
            m.assists[s, j] += 1
    _score(p, m, t, s)


@njit
def _score(p, m, t, s):
    m.score[s] += 1
    _set_rates(p, m, t)


@njit
def _choose(p, m, s, weights, skip, at):
    """A man on the pitch other than ``skip``, by his role's weight (at most 1); -1 when nobody is found.

    A draw names a place and, by its fraction, whether the place's weight takes it.
    """
    for k in range(_TRIES):
        x = uniform(m.key, at + k) * LINEUP
        r = int(x)
        i = m.on[s, r]
        if i != _NONE and i != skip and x - r < weights[role_at(p, m.formation[s], r)]:
            return i
    return _NONE


@njit
def _finishing(p, m, s, r):
    """How likely the man in place ``r`` scores, at most 1: by role, and by ability over the match's mean."""
    i = m.on[s, r]
    if i == _NONE:
        return 0.0
    c = p.match
    skill = 1.0 + c.scorer_skill * (m.level[s, i] - m.average)
    return c.scorer[role_at(p, m.formation[s], r)] * min(max(skill / c.scorer_most, 0.0), 1.0)


@njit
def _scorer(p, m, s, at):
    """The man who scores from play, or -1 when nobody is found."""
    for k in range(_TRIES):
        x = uniform(m.key, at + k) * LINEUP
        r = int(x)
        if x - r < _finishing(p, m, s, r):
            return m.on[s, r]
    return _taker(p, m, s)


@njit
def _taker(p, m, s):
    """The man who takes penalties: the likeliest scorer on the pitch, or -1."""
    best, most = _NONE, 0.0
    for r in range(LINEUP):
        x = _finishing(p, m, s, r)
        if x > most:
            best, most = m.on[s, r], x
    return best


@njit
def _card(w, p, m, t, s):
    """A card for side ``s``. A booked man takes care, and is sent off with his second yellow."""
    at = t * _DRAWS
    i = _choose(p, m, s, p.match.fouler, _NONE, at + _FIRST)
    if i == _NONE:
        return
    if uniform(m.key, at + 1) < p.match.red:
        _send_off(w, p, m, t, s, i, p.match.ban_red)
    elif m.yellows[s, i] == 0:
        m.yellows[s, i] = 1
    elif uniform(m.key, at + 2) < p.match.booked:
        m.yellows[s, i] = 2
        _send_off(w, p, m, t, s, i, p.match.ban_second)


@njit
def _send_off(w, p, m, t, s, i, ban):
    """Man ``i`` leaves for good; ``sent_off`` keeps his ban plus one. For a goalkeeper another makes room."""
    m.sent_off[s, i] = ban + 1
    r = _leave(m, s, i, t)
    if m.role[s, i] == Position.GK and m.changes[s] < p.match.changes_most:
        j = _substitute(w, p, m, s, Position.GK)
        last = LINEUP - 1
        if j != _NONE and m.on[s, last] != _NONE and w.players[m.slot[s, j]].position == Position.GK:
            _leave(m, s, m.on[s, last], t)
            _come_on(w, p, m, s, j, r, t)
    _set_lines(p, m, s)
    _set_rates(p, m, t)


@njit
def _leave(m, s, i, t):
    """Take man ``i`` off the pitch; returns his place in the formation."""
    m.left[s, i] = t
    for r in range(LINEUP):
        if m.on[s, r] == i:
            m.on[s, r] = _NONE
            return r
    return _NONE


@njit
def _come_on(w, p, m, s, j, r, t):
    m.changes[s] += 1
    _enter(w, p, m, s, j, r, t)


@njit
def _injury(w, p, m, t):
    """One of the twenty-two is struck; his own risk decides whether he is hurt, and for how long."""
    at = t * _DRAWS
    struck = below(m.key, at + 1, SIDES * LINEUP)
    s, r = struck // LINEUP, struck % LINEUP
    i = m.on[s, r]
    if i == _NONE or m.hurt[s, i] > 0:
        return
    if not match_injury(w, p, m.slot[s, i], missing_at(p, m, s, i, t), uniform(m.key, at + 2)):
        return
    m.hurt[s, i] = injury_days(p, normal(m.key, at + 3))
    if m.hurt[s, i] > p.condition.plays_on:
        _leave(m, s, i, t)
        j = _substitute(w, p, m, s, role_at(p, m.formation[s], r))
        if j != _NONE and m.changes[s] < p.match.changes_most:
            _come_on(w, p, m, s, j, r, t)
        _set_lines(p, m, s)
        _set_rates(p, m, t)


@njit
def _substitute(w, p, m, s, role):
    """The man on the bench whom the club believes best in a role, or -1."""
    best, most = _NONE, 0.0
    for i in range(LINEUP, MATCH_PLAYERS):
        if m.slot[s, i] != _NONE and m.came[s, i] == _NONE:
            x = _believed(w, p, m, s, i, role)
            if x > most:
                best, most = i, x
    return best


@njit
def _believed(w, p, m, s, i, role):
    pl = w.players[m.slot[s, i]]
    return pl.own_ability * suitability(p, pl.position, role)


@njit
def _change_tired(w, p, m, s, t):
    """Bring on the first man of the bench who is worth it, for the man with whom he is worth most."""
    _weigh_tired(p, m, s, t)
    for j in range(LINEUP, MATCH_PLAYERS):
        slot = m.slot[s, j]
        if slot != _NONE and m.came[s, j] == _NONE and w.players[slot].position != Position.GK:
            r = _place_for(p, m, s, w.players[slot])
            if r != _NONE and m.changes[s] < p.match.changes_most:
                _leave(m, s, m.on[s, r], t)
                _come_on(w, p, m, s, j, r, t)
                return


@njit
def _weigh_tired(p, m, s, t):
    """What the man in each place is worth to a change: his belief, and what he lacks of full condition."""
    for r in range(LINEUP):
        i = m.on[s, r]
        if i == _NONE:
            m.holds[r] = _NEVER
            m.tired[r] = 0.0
        else:
            m.holds[r] = m.belief[s, i]
            m.tired[r] = p.match.change_tired * missing_at(p, m, s, i, t)


@njit
def _place_for(p, m, s, pl):
    """The outfield place where a man is worth most over the tired man who holds it, or -1."""
    ability, position = pl.own_ability, pl.position
    best, most = _NONE, 0.0
    for r in range(1, LINEUP):
        x = ability * suitability(p, position, role_at(p, m.formation[s], r)) - m.holds[r] + m.tired[r]
        best = r if x > most else best
        most = max(x, most)
    return best


# After the match


@njit
def finish(w, p, m):
    """Enter the match: fixture and report, players, bans, injuries, the clubs' rows of the table."""
    fx = w.fixtures[m.fixture]
    fx.played = 1
    fx.home_goals = m.score[0]
    fx.away_goals = m.score[1]
    fx.attendance = 0
    fx.possession = math.floor(FULL * m.held / m.length + 0.5)
    for s in range(SIDES):
        fx.shots[s] = m.shots[s]
        _finish_squad(w, p, m.club[s])
        _finish_club(w.clubs[m.club[s]], m.score[s], m.score[1 - s])
        for i in range(MATCH_PLAYERS):
            if m.came[s, i] == _NONE:
                _clear(fx.apps[s, i])
            else:
                _finish_man(w, p, m, s, i, fx.apps[s, i])


@njit
def _finish_squad(w, p, club):
    """A match goes by for a whole squad: bans are served, form and playing share fade."""
    c = w.clubs[club]
    for j in range(c.n_squad):
        pl = w.players[c.squad[j]]
        pl.form -= p.match.form_rate * pl.form
        pl.playing -= p.match.playing_rate * pl.playing
        if pl.banned > 0:
            pl.banned -= 1


@njit
def _finish_club(c, scored, conceded):
    c.played += 1
    c.goals_for += scored
    c.goals_against += conceded
    if scored > conceded:
        c.won += 1
        c.points += 3
    elif scored == conceded:
        c.drawn += 1
        c.points += 1
    else:
        c.lost += 1


@njit
def _clear(app):
    app.uid = 0
    app.minutes = 0
    app.goals = 0
    app.assists = 0
    app.cards = 0
    app.rating = 0


@njit
def _finish_man(w, p, m, s, i, app):
    """The report's row and the player's own books."""
    slot = m.slot[s, i]
    pl = w.players[slot]
    minutes = nominal(p, m, m.left[s, i]) - nominal(p, m, m.came[s, i])
    rating = _rating(p, m, s, i)
    app.uid = pl.uid
    app.minutes = minutes
    app.goals = m.goals[s, i]
    app.assists = m.assists[s, i]
    app.cards = RED if m.sent_off[s, i] > 0 else m.yellows[s, i]
    app.rating = math.floor(RATED * rating + 0.5)
    _count(pl, m, s, i, minutes, rating)
    share = minutes / (2 * p.match.half)
    pl.watched += share
    pl.playing += p.match.playing_rate * share
    pl.form += p.match.form_rate * p.match.form_scale * (rating - p.match.rating_mean)
    pl.condition = max(FULL - missing_at(p, m, s, i, m.left[s, i]), 0.0)
    pl.condition_day = w.day
    _ban(p, pl, m.yellows[s, i], m.sent_off[s, i])
    if m.hurt[s, i] > 0:
        injure(w, p, slot, m.hurt[s, i])


@njit
def _count(pl, m, s, i, minutes, rating):
    """Statistics of the season and of the career."""
    pl.apps += 1
    pl.career_apps += 1
    if m.came[s, i] == 0 and i < LINEUP:
        pl.starts += 1
    pl.minutes += minutes
    pl.career_minutes += minutes
    pl.goals += m.goals[s, i]
    pl.career_goals += m.goals[s, i]
    pl.assists += m.assists[s, i]
    pl.career_assists += m.assists[s, i]
    pl.yellows += m.yellows[s, i]
    if m.sent_off[s, i] > 0:
        pl.reds += 1
    pl.rating_sum += rating


@njit
def _ban(p, pl, yellows, sent_off):
    """Bans for a red card, and for every so many yellow cards of a season."""
    if sent_off > 0:
        pl.banned += sent_off - 1
    every = p.match.ban_yellows
    if pl.yellows // every > (pl.yellows - yellows) // every:
        pl.banned += 1


@njit
def _rating(p, m, s, i):
    """A man's rating, from what he did, how his side did and a little of how well he played."""
    c = p.match
    x = c.rating + c.rating_goal * m.goals[s, i] + c.rating_assist * m.assists[s, i]
    scored, conceded = m.score[s], m.score[1 - s]
    if scored > conceded:
        x += c.rating_result
    elif scored < conceded:
        x -= c.rating_result
    if conceded == 0 and m.role[s, i] <= Position.FB:
        x += c.rating_clean
    if m.sent_off[s, i] > 0:
        x -= c.rating_card[1]
    elif m.yellows[s, i] > 0:
        x -= c.rating_card[0]
    x += c.rating_skill * (m.level[s, i] - m.average)
    x += c.rating_noise * (2.0 * uniform(m.day_key, _AFTER + s * MATCH_PLAYERS + i) - 1.0)
    return min(max(x, c.rating_bounds[0]), c.rating_bounds[1])
