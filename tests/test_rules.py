"""The rules document follows registry and parameters."""

from __future__ import annotations

import re

from fmgym.params import Params
from fmgym.rules import rules_hash, rules_text
from fmgym.tools import TOOLS
from fmgym.tracks.solo import SOLO


def test_rules_are_filled_from_parameters() -> None:
    text = rules_text()
    assert not re.search(r"\{[a-z]", text)
    for fact in (
        "5-59",
        "181-209",
        "30 queries",
        "10 negotiation moves",
        "40 on you are warned",
        "100M",
        "18 to 40 seniors",
    ):
        assert fact in text
    assert all(f"`{name}`" in text for name in TOOLS)
    assert f"# Rules ({SOLO.name})" in text


def test_rules_change_with_parameters_and_so_does_their_hash() -> None:
    params = Params.default().replace({"stop.queries": 12})
    assert "12 queries" in rules_text(params)
    assert rules_hash(params) != rules_hash() == rules_hash(Params.default())
