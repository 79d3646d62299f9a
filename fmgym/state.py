"""The state of a world: one structured record, nested arrays inside, one row per world in a batch.

Every field is ``int64`` or ``float64`` so that arithmetic is the same compiled and interpreted; the few
narrow archive fields (``Apps``, ``Moves``) are written by kernels and read by views only. Records are
``np.record`` types, so kernels and tests alike write ``w.players[slot].morale``.

Days count from 0, the first day of the first season; ``day % 360 + 1`` is the day of the year. Money is in
thousands. A slot is a row of ``players``; a uid is the stable id printed as ``P00361``: ``uid = slot + 1 +
pool * generation``, so that ``(uid - 1) % pool`` is the slot and a reused slot never repeats a uid.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np

from fmgym.enums import N_FACILITIES, N_LEDGER

YEAR = 360
LINEUP = 11
MATCH_PLAYERS = 16  # eleven starters and at most five who come on
RECENT = 10  # state-changing actions a packet repeats (paper, section 3.1)
ORDERS = 10  # standing orders a seat can have (paper)
CALL_ARGS = 4  # integers a recent action keeps of its arguments
MAX_ARGS = 25  # integers a call can carry: a whole draft list
RATED = 10  # ratings in match reports are stored times this

INT, FLOAT = np.int64, np.float64


def record(fields: list[tuple[Any, ...]]) -> np.dtype:
    """An aligned structured type whose rows are ``np.record``; no field may hide one of its attributes."""
    hidden = {field[0] for field in fields} & set(dir(np.record))
    assert not hidden, f"{hidden} are attributes of np.record: uncompiled kernels would not see these fields"
    return np.dtype((np.record, np.dtype(fields, align=True)))


def _ints(names: str) -> list[tuple[str, type]]:
    return [(name, INT) for name in names.split()]


def _floats(names: str) -> list[tuple[str, type]]:
    return [(name, FLOAT) for name in names.split()]


# What everyone may know of a player, and what his club and the public believe (never truth itself).
# What a match asks of every man of both squads stands together: fewer trips to memory.
PLAYER = record(
    _ints(
        "club"  # club of a senior or prospect, -1 for a free agent
        " wage contract_end"  # k a year; last day of the contract
        " joined fee_paid"  # day he joined his club; what it paid
        " listed"  # 1 when on the transfer list
        " academy_until"  # last day of an academy term
        " value"  # public market value, k
        " first_choice"  # 1 when his club's manager counts him among his eleven
        " morale_day"  # day a contract last lifted his morale
        " next_club next_wage next_end"  # a contract agreed for the day his present one ends; -1: none
        " career_apps career_minutes career_goals career_assists"
        " apps starts minutes goals assists yellows reds"  # of this season
        " uid status position born"  # status: enums.Status; born: day, negative for those alive at day 0
        " injured_until banned condition_day"  # fit again on that day; matches still banned for
    )
    + _floats(
        "condition"  # 0-100, as it was on condition_day; kernels.condition gives today's
        " form morale"  # form about 0 +-1; morale 0-100
        " own_ability own_potential"  # what his owner's scouts believe
        " playing"  # share of minutes played lately, 0-1
        " rating_sum"  # of this season's match ratings
        " watched"  # matches of his that scouts have seen
        " pub_ability pub_potential"  # what the public believes
    )
)

# Hidden from everyone, the owner included (world rules, section 3).
TRUTH = record(
    _floats("ability potential proneness growth onset consistency")
    + _ints("style_fit")
    # The draws behind what the owner's scouts and the public believe, of ability and potential. They hold for a
    # season and a club: kernels.scouting draws them when one of these has changed.
    + _ints("drawn_uid drawn_club drawn_season")
    + [(name, FLOAT, (2,)) for name in ("own_bias", "own_noise", "public_bias", "public_noise")]
)

# What one club remembers of dealing for one player: fee talks with the owner, wage talks with him.
TALK = record(
    _ints("uid day rejections cooldown floor wage_day wage_rejections wage_cooldown wage_floor")
    + _floats("rise wage_rise")
)

PAIR = record(_ints("day") + _floats("markup"))  # repeat-deal mark-up of a seller towards a buyer

DEBT = record(_ints("payer payee amount left due"))  # `left` yearly payments of `amount`; payee -1: the bank

APP = record(
    [
        ("uid", np.int32),
        ("minutes", np.int16),
        ("goals", np.int8),
        ("assists", np.int8),
        ("cards", np.int8),
        ("rating", np.int8),
    ]
)  # cards: 1 yellow, 2 red; rating x 10

FIXTURE = record(
    _ints("day matchday home away played home_goals away_goals attendance")
    + [("shots", INT, (2,)), ("possession", INT), ("apps", APP, (2, MATCH_PLAYERS))]
)

MOVE = record([(n, np.int32) for n in ["day", "uid", "kind", "source", "target", "fee", "wage", "years"]])

# A club at a season's end. Position and points are those of settlement; the rest of the year's last day.
SEASON = record(
    _ints(
        "position points won drawn lost goals_for goals_against honors net_worth squad_value cash"
        " wage_bill revenue target deaths squad_size"
    )
    + _floats("score ability confidence")
)

OFFER = record(
    _ints(
        "id kind state club uid"  # club: the other club (buyer of a bid received, seller of the rest)
        " fee instalments"  # the fee on the table; yearly instalments beside the down payment
        " wage years created expires"
        " rounds"  # counters already made in this talk
        " limit"  # what a bidder would pay at most, as he thought when he bid; hidden
    )
)

EVENT = record(_ints("kind day a b c"))  # meaning of a, b, c by kind: see views.inbox
# What a seat has lodged: ``club`` is the other one, -1 for a free agent; a pre-contract has a club and no fee.
DEAL = record(_ints("kind uid club fee instalments wage years"))
LODGED = 64  # deals a seat can have lodged at one time
ORDER = record(_ints("active condition threshold action fired"))
# One tool call: integers only, so that whole turns are played without Python.
CALL = record(_ints("tool n") + [("args", INT, (MAX_ARGS,))])
RECENT_CALL = record(_ints("day tool outcome") + [("args", INT, (CALL_ARGS,))])


@functools.cache
def _types(key: tuple[tuple[str, int], ...]) -> SimpleNamespace:
    s = SimpleNamespace(**dict(key))
    pool = s.clubs * s.pool_per_club
    club = record(
        _ints(
            "seat"  # index of the seat in control, -1 for none
            " unmanned"  # 1 when its seat has settled early: no scripted manager takes over
            " tier cash stadium"  # stadium: seats
            " formation style style_day"
            " target warned_board warned_runway negative_since administered"
            " played won drawn lost goals_for goals_against points deduction position last_position"
            " honors titles deaths wage_bill revenue last_revenue n_squad n_academy facility_book"
            " start_net_worth heat_day lineup_auto rotate expiry_stop"
        )
        + _floats("reputation confidence heat")
        + [
            ("levels", INT, (N_FACILITIES,)),
            ("building", INT, (N_FACILITIES,)),  # day it is ready, 0: none
            ("building_cost", INT, (N_FACILITIES,)),
            ("squad", INT, (s.squad,)),
            ("academy", INT, (s.academy,)),  # slots, the first n_ are valid
            ("lineup", INT, (LINEUP,)),  # preferred eleven as uids, 0: none
            ("talks", TALK, (s.talks,)),
            ("ledger", INT, (s.seasons + 1, N_LEDGER)),
            ("seasons", SEASON, (s.seasons,)),
        ]
    )
    seat = record(
        _ints(
            "club kinds stop stop_day last_stop_day turns queries negotiations waiting"
            " total_turns total_calls total_actions revivals settled settle_day final_honors"
            " next_offer last_batch n_inbox lost_inbox n_recent n_draft drafted n_lodged"
        )
        + _floats("final final_raw final_rho final_value final_squad")
        + [
            ("offers", OFFER, (s.offers,)),
            ("inbox", EVENT, (s.inbox,)),
            ("lodged", DEAL, (LODGED,)),
            ("orders", ORDER, (ORDERS,)),
            ("recent", RECENT_CALL, (RECENT,)),
            ("draft", INT, (s.squad,)),
            ("draft_ability", FLOAT, (s.templates,)),
            ("draft_potential", FLOAT, (s.templates,)),
            ("ability", FLOAT, (pool,)),
            ("potential", FLOAT, (pool,)),
            ("error", FLOAT, (pool,)),
            ("potential_error", FLOAT, (pool,)),
            ("report_uid", INT, (pool,)),
        ]
    )
    template = record(_ints("position age price wage years") + _floats("ability potential"))
    world = record(
        _ints("seed day last_day season draft_open n_fixtures next_fixture n_debts n_moves n_seen n_free finished")
        + _ints(
            "sealed"  # 1: seats' deals with others wait for the day's end (kernels.deals)
            " frozen"  # 1 while the clock stands in a sealed world
            " shown_free shown_moves"  # n_free and n_moves when it stopped
        )
        + _ints("edge_matches")
        + _floats("edge_defence edge_keeper")  # usual attack over both: kernels.match
        + [
            ("players", PLAYER, (pool,)),
            ("board", PLAYER, (pool if s.seats > 1 else 1,)),  # players when a sealed world's clock stopped
            ("truth", TRUTH, (pool,)),
            ("free", INT, (pool,)),
            ("templates", template, (s.templates,)),
            ("public_ability", FLOAT, (s.templates,)),
            ("public_potential", FLOAT, (s.templates,)),
            ("clubs", club, (s.clubs,)),
            ("pairs", PAIR, (s.clubs, s.clubs)),
            ("debts", DEBT, (s.clubs * s.debts_per_club,)),
            ("fixtures", FIXTURE, (s.clubs * (s.clubs - 1),)),
            ("moves", MOVE, (s.clubs * s.moves_per_club,)),
            ("seats", seat, (s.seats,)),
        ]
    )
    return SimpleNamespace(world=world, club=club, seat=seat, template=template, pool=pool)


def world_type(shape: SimpleNamespace) -> np.dtype:
    """The record type of a world of that shape (``Params.shape``)."""
    world: np.dtype = _types(tuple(sorted(vars(shape).items()))).world
    return world
