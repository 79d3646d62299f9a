"""A chat agent without a model, for measuring: it reads texts as a model does and makes five calls a stop.

What it plays is plain: a squad drafted by price, renewals by a standing order, prospects promoted, and looks at squad,
market and books in turn. It notes a line at each stop and rewrites its notes before they grow long.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from fmgym.baselines.llm.protocol import Message, Reply, Request, ToolUse, Usage

CALLS = 5  # a stop
NOTES = 1_500  # characters of a notebook that is rewritten
SQUAD = 25
SPARE = 2.0  # millions kept for each pick still to come
LOOKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_squad", {}),
    ("get_transfer_market", {"kind": "all", "limit": 20}),
    ("get_finances", {}),
    ("get_squad", {}),
    ("get_league_table", {}),
    ("get_youth_academy", {}),
    ("get_club_overview", {}),
    ("get_inbox", {}),
)
ORDERS: tuple[dict[str, Any], ...] = (
    {"place": 1, "condition": "contract_months_below", "threshold": 12, "action": "renew_contract"},
    {"place": 2, "condition": "condition_below", "threshold": 60, "action": "auto_lineup"},
)
Table = list[dict[str, str]]


def table(text: str) -> Table:
    """The first table of an answer, a dictionary a row."""
    rows = [line.split("|") for line in text.splitlines() if "|" in line]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:] if len(row) == len(rows[0])]


class ScriptedAgent:
    """Makes ``CALLS`` calls at each stop, one a turn, the last of them advance.

    ``tokens`` counts the tokens of a text. What the agent reads is counted as a provider with a cache of prefixes
    bills it: a request is read from where it first differs from the one before. The cache is taken to hold within
    a stop only, so that rules and tools are read anew at each.
    """

    name = "scripted"
    speaks: Literal["tools", "json"] = "tools"

    def __init__(self, tokens: Callable[[str], int]) -> None:
        self._tokens = tokens
        self._known: dict[str, int] = {}
        self._before: list[str] = []
        self._stop = 0

    @property
    def stamp(self) -> dict[str, Any]:
        """There is nothing to set."""
        return {"client": "scripted"}

    def ask(self, request: Request) -> Reply:
        """One call."""
        calls = [ToolUse("call_1", *self._call(request))]
        return Reply(calls=calls, usage=self._used(request, calls))

    def _call(self, request: Request) -> tuple[str, dict[str, Any]]:
        packet, turn, stop = request.messages[0].text, request.turn, request.stop
        if turn >= CALLS:
            return "advance", {}
        if turn == CALLS - 1:
            return _note(packet)
        if "The draft is open" in packet:
            return self._begin(request)
        if turn == CALLS - 2 and stop % 4 == 0:
            return _promote(request.messages[-1])
        if turn == CALLS - 2 and stop - 2 < len(ORDERS):
            return "set_standing_order", ORDERS[stop - 2]
        return LOOKS[((CALLS - 2) * stop + turn) % len(LOOKS)] if stop % 4 else LOOKS[(5, 5, 0)[turn - 1]]

    def _begin(self, request: Request) -> tuple[str, dict[str, Any]]:
        if request.turn == 1:
            return "get_draft_pool", {}
        if request.turn == 2:
            return "submit_draft", {"template_ids": _picks(request.messages[-1])}
        return "get_finances", {}

    def _used(self, request: Request, calls: list[ToolUse]) -> Usage:
        """Tokens read and written in a turn."""
        pieces = [json.dumps(request.tools), request.system, *map(_shown, request.messages)]
        if request.stop != self._stop:
            self._before, self._stop = [], request.stop
        same = next(
            (i for i, piece in enumerate(pieces) if self._before[i : i + 1] != [piece]),
            len(pieces),
        )
        self._before = pieces
        sizes = [self._size(piece) for piece in pieces]
        return Usage(
            input=sum(sizes), output=self._size(json.dumps([calls[0].tool, calls[0].args])), cached=sum(sizes[:same])
        )

    def _size(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._tokens(text)
        return self._known[text]

    def close(self) -> None:
        """Nothing is held."""


def _shown(message: Message) -> str:
    """A message as chat templates write it."""
    calls = "".join(json.dumps({"name": call.tool, "arguments": call.args}) for call in message.calls)
    text = message.text + calls + "\n".join(message.results.values())
    return f"<|im_start|>{message.role}\n{text}<|im_end|>\n"


def _note(packet: str) -> tuple[str, dict[str, Any]]:
    """A line for the notebook, or the last lines of it again."""
    head, notebook = packet.split("\n", 2)[:2], packet.rpartition("NOTEBOOK\n")[2]
    line = f"{head[0]}: {head[1].partition(':')[2].strip()}"
    if len(notebook) < NOTES:
        return "append_note", {"text": line}
    return "rewrite_notes", {"text": "\n".join([*notebook.splitlines()[-5:], line])}


def _promote(told: Message) -> tuple[str, dict[str, Any]]:
    """The first prospect shown, if any."""
    rows = table("\n".join(told.results.values()))
    return ("promote_youth", {"player_id": rows[0]["id"]}) if rows and "id" in rows[0] else ("get_squad", {})


def _picks(told: Message) -> list[str]:
    """The dearest templates that leave enough for the rest."""
    rows = table("\n".join(told.results.values()))
    left = 100.0
    picks: list[str] = []
    for row in sorted(rows, key=lambda row: -float(row["price_m"])):
        if len(picks) < SQUAD and float(row["price_m"]) <= left - SPARE * (SQUAD - 1 - len(picks)):
            picks.append(row["id"])
            left -= float(row["price_m"])
    return picks
