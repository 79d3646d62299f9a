"""The rules document follows registry and parameters."""

from __future__ import annotations

import re

from fmgym.params import Params
from fmgym.rules import rules_hash, rules_text
from fmgym.stamp import stamp
from fmgym.text import REPAIRS
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


def test_repair_rules_are_published() -> None:
    text = rules_text()
    for name, doc in REPAIRS.items():
        assert f"- {name}: {doc}" in text
    assert '{"tool": NAME, "args": {...}}' in text and "UNREADABLE" in text


def test_rules_name_the_seasons_of_the_run_and_every_stamp_has_their_hash() -> None:
    assert "for 20 seasons." in rules_text() and "for 3 seasons." in rules_text(seasons=3)
    mark = stamp(policy="idle", seed=1, seasons=3, opponents="tiered", draft="agent")
    assert mark["rules_hash"] == rules_hash(Params.default(), 3) != rules_hash()


def test_models_with_schemas_do_without_the_table_of_tools() -> None:
    whole, short = rules_text(), rules_text(tools=False)
    assert whole.startswith(short) and "## Tools" not in short
    assert all(f"| `{name}` |" in whole[len(short) :] for name in TOOLS)
