"""How things are called outside: printed ids, dates, money, and invented names of clubs and players."""

from __future__ import annotations

import functools
import hashlib
from enum import IntEnum

from fmgym.state import YEAR

_PLACES = (
    "Ashmere", "Brackwater", "Caldmoor", "Dunhollow", "Eastmarch", "Fennbridge", "Garroway", "Hallowick",
    "Irongate", "Juniper Bay", "Kestrel Hill", "Lowmarsh", "Merrowby", "Northfell", "Oakhaven", "Pellworth",
    "Quarrington", "Ravenscar", "Stonemouth", "Thornwick",
)  # fmt: skip
_SIDES = (
    "United",
    "Athletic",
    "Rovers",
    "City",
    "Rangers",
    "Wanderers",
    "Albion",
    "Town",
    "Harriers",
    "Stars",
)
_FIRST = ("Al", "Be", "Cor", "Da", "El", "Fio", "Gu", "Ha", "Ir", "Jo", "Ka", "Lu", "Mi", "No", "Os", "Pe")
_FIRST_END = ("ben", "dric", "lo", "mar", "nas", "ren", "to", "vin")
_LAST = (
    "Bar",
    "Cas",
    "Dor",
    "Fel",
    "Gran",
    "Hol",
    "Kor",
    "Lan",
    "Mor",
    "Nev",
    "Pal",
    "Rost",
    "Sand",
    "Tor",
    "Var",
    "Wil",
)
_LAST_MIDDLE = ("a", "e", "i", "o", "en", "er", "in", "or")
_LAST_END = (
    "berg",
    "ci",
    "dal",
    "lin",
    "man",
    "nov",
    "quist",
    "ros",
    "sen",
    "tes",
    "to",
    "vic",
    "well",
    "witz",
    "ya",
    "zar",
)


def club_name(club: int) -> str:
    """The name of a club by its index (0-199 are all different)."""
    n = len(_PLACES)
    return f"{_PLACES[club % n]} {_SIDES[(club + club // n) % len(_SIDES)]}"


@functools.lru_cache(maxsize=8192)
def player_name(seed: int, uid: int) -> str:
    """The name of a player of that world: made from a hash, so that it says nothing of him."""
    a, b, c, d, e = hashlib.blake2b(f"{seed}/{uid}".encode(), digest_size=5).digest()
    first = _FIRST[a % len(_FIRST)] + _FIRST_END[b % len(_FIRST_END)]
    last = _LAST[c % len(_LAST)] + _LAST_MIDDLE[d % len(_LAST_MIDDLE)] + _LAST_END[e % len(_LAST_END)]
    return f"{first} {last}"


def player_id(uid: int) -> str:
    """``P00361``."""
    return f"P{uid:05d}"


def club_id(club: int) -> str:
    """``C01`` for the first club."""
    return f"C{club + 1:02d}"


def template_id(template: int) -> str:
    """``T01`` for the first template of the draft pool."""
    return f"T{template + 1:02d}"


def offer_id(number: int) -> str:
    """``O00012``."""
    return f"O{number:05d}"


def match_id(season: int, fixture: int) -> str:
    """``M03-117``: fixture 117 of the third season, so that an id never means another season's match."""
    return f"M{season + 1:02d}-{fixture:03d}"


def date(day: int) -> str:
    """``Y12-D181``: day 181 of the twelfth year."""
    return f"Y{day // YEAR + 1:02d}-D{day % YEAR + 1:03d}"


def word(code: IntEnum) -> str:
    """The lower-case word for a code."""
    return code._name_.lower()  # `name` is a descriptor in Python, six times as slow


def millions(k: float, digits: int = 3) -> float:
    """Thousands as millions."""
    return round(float(k) / 1000.0, digits) + 0.0  # no negative zero


def money(k: float) -> str:
    """Thousands as text in millions: ``8.25M``."""
    return f"{millions(k):.10g}M"
