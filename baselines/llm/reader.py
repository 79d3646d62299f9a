"""A transcript as a person reads it: stop by stop, as text for a terminal or as a page."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fmgym.baselines.llm import transcript
from fmgym.baselines.llm.account import UNKNOWN
from fmgym.errors import BadInput

Line = Mapping[str, Any]
MOST_SHOWN = 50_000  # characters of one text


@dataclass
class Turn:
    """One turn of a stop: the attempts that failed, what was left out before it, the reply, what it led to."""

    number: int
    failures: list[Line] = field(default_factory=list)
    left_out: list[Line] = field(default_factory=list)
    reply: Line | None = None
    told: Line | None = None


@dataclass
class Told:
    """One stop of a transcript. ``end`` is None while it is under way."""

    opening: Line
    turns: list[Turn] = field(default_factory=list)
    end: Line | None = None

    @property
    def title(self) -> str:
        """Number, date and kinds."""
        o = self.opening
        return f"Stop {o['stop']} · {o['date']} · {', '.join(o['kinds'])}"

    @property
    def closing(self) -> str:
        """How it ended and what it took."""
        if self.end is None:
            return "under way"
        a = self.end["account"]
        return f"{self.end['end']} after {_n(len(self.turns), 'turn')} · {tokens_text(a)} · {cost_text(a)}"


def read(folder: Path) -> tuple[Line, dict[int, Told]]:
    """The head and the stops of a run's transcript. Raises ``BadInput``."""
    lines, _, _ = transcript.read(folder / transcript.NAME)
    if not lines:
        raise BadInput(f"{folder / transcript.NAME} has no lines")
    return lines[0], gather(lines[1:])


def gather(lines: Iterable[Line]) -> dict[int, Told]:
    """Lines as stops and turns."""
    stops: dict[int, Told] = {}
    for line in lines:
        number = line["stop"]
        if "packet" in line:
            stops[number] = Told(line)
        elif "end" in line:
            stops[number].end = line
        else:
            _place(stops[number].turns, line)
    return stops


def _place(turns: list[Turn], line: Line) -> None:
    if not turns or turns[-1].number != line["turn"]:
        turns.append(Turn(line["turn"]))
    turn = turns[-1]
    if "failure" in line:
        turn.failures.append(line)
    elif "left_out" in line:
        turn.left_out.append(line)
    elif "reply" in line:
        turn.reply = line
    else:
        turn.told = line


# Words


def _n(count: int, what: str, many: str = "") -> str:
    return f"{count} {what if count == 1 else many or what + 's'}"


def usage_text(usage: Line | None) -> str:
    """Tokens in a few words."""
    if usage is None:
        return f"tokens {UNKNOWN}"
    cached = f" ({usage['cached']:,} cached)" if usage.get("cached") else ""
    return f"{usage.get('input', 0):,} in{cached}, {usage.get('output', 0):,} out"


def tokens_text(account: Line) -> str:
    """Tokens of a stop's account."""
    unknown = account["usage_unknown"]
    if unknown and not account["usage"].get("input"):
        return usage_text(None)
    more = f", unknown of {_n(unknown, 'reply', 'replies')}" if unknown else ""
    return usage_text(account["usage"]) + more


def cost_text(account: Line) -> str:
    """Dollars of a stop's account."""
    return f"cost {UNKNOWN}" if account["usd_unknown"] else f"${account['usd']:.4f}"


def visible(text: str) -> str:
    """Text that does nothing to a terminal or page: what steers is spelt out, what is overlong cut."""
    shown = text[:MOST_SHOWN]
    if not shown.isprintable():
        shown = "".join(c if c in "\n\t" or not _steers(c) else f"\\u{ord(c):04x}" for c in shown)
    more = len(text) - MOST_SHOWN
    return shown if more <= 0 else f"{shown}\n... and {more:,} more characters"


def _steers(c: str) -> bool:
    """Controls, format characters (directions among them), lone surrogates, line separators."""
    return unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c != "\u200d"


def call_text(call: Line) -> str:
    """A call in one line."""
    args = call["args"] if isinstance(call["args"], str) else json.dumps(call["args"], ensure_ascii=False)
    return visible(f"{call['tool']} {args}".replace("\n", "\\n"))


def _failure_text(line: Line) -> str:
    waited = f"; waited {line['wait']:.1f} s" if line["wait"] else ""
    return f"attempt {line['attempt']} failed: {line['failure']}, {line['reason']}{waited}"


def _pieces(turn: Turn) -> list[tuple[str, str]]:
    """A turn as pairs of kind and text: note, thought, said, call, result."""
    out = [("note", _failure_text(line)) for line in turn.failures]
    for line in turn.left_out:
        what = line["left_out"]
        out.append(("note", f"left out to save room: {_n(what['stops'], 'stop')}, {_n(what['results'], 'answer')}"))
    told = turn.told or {"ended": "under way", "results": {}, "text": ""}
    if turn.reply:
        reply = turn.reply["reply"]
        out += [("thought", reply.get("thought", "")), ("said", reply.get("text", ""))]
        for call in reply.get("calls", []):
            out += [("call", call_text(call)), ("result", told["results"].get(call["id"], ""))]
    if told["text"]:
        out.append(("result", told["text"]))
    if told["ended"] not in ("calls", "no_call"):
        out.append(("note", f"turn ended: {told['ended']}"))
    return [(kind, visible(text)) for kind, text in out if text.strip()]


def _turn_title(turn: Turn) -> str:
    if turn.reply is None:
        return f"turn {turn.number}"
    return f"turn {turn.number} · {turn.reply['seconds']:.1f} s · {usage_text(turn.reply['reply'].get('usage'))}"


MARKS = {"note": "! ", "thought": "~ ", "said": "  ", "call": "> ", "result": "    "}


def as_text(told: Told) -> str:
    """A stop for a terminal."""
    out = [visible(told.opening["packet"])]
    for turn in told.turns:
        out += ["", f"--- {_turn_title(turn)}"]
        for kind, text in _pieces(turn):
            out += [MARKS[kind] + line for line in text.split("\n")]
    return "\n".join([*out, "", f"--- {told.closing}"])


STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font: 13px/1.4 ui-monospace, monospace }
details { border-top: 1px solid #8886; padding: .4rem 0 }
summary { cursor: pointer }
summary small { opacity: .7 }
h2 { font-size: 1rem; margin: 1rem 0 .3rem }
.packet { border-left: 3px solid #888; padding-left: .7rem }
.thought { opacity: .65; font-style: italic }
.call { color: #1668b8; font-weight: 600 }
.result { margin-left: 1.5rem; max-height: 24rem; overflow-y: auto }
.note { color: #b8321c }
@media (prefers-color-scheme: dark) { .call { color: #7ab8f5 } .note { color: #ff9a85 } }
"""


def as_page(head: Line, stops: Iterable[Told], title: str) -> str:
    """A page of stops, each folded up. It loads nothing and runs nothing."""
    body = "\n".join(_folded(told) for told in stops)
    mark = html.escape(visible(json.dumps(head["stamp"], indent=1, ensure_ascii=False)))
    system = html.escape(visible(head["system"]))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(visible(title))}</title><style>{STYLE}</style></head><body>
<h1>{html.escape(visible(title))}</h1>
<details><summary>Stamp</summary><pre>{mark}</pre></details>
<details><summary>What the agent is told at the start of every stop</summary><pre>{system}</pre></details>
{body}
</body></html>
"""


def _folded(told: Told) -> str:
    parts = [_block("packet", visible(told.opening["packet"]))]
    for turn in told.turns:
        parts.append(f"<h2>{html.escape(_turn_title(turn))}</h2>")
        parts += [_block(kind, text) for kind, text in _pieces(turn)]
    summary = f"{html.escape(told.title)} <small>{html.escape(told.closing)}</small>"
    return f"<details><summary>{summary}</summary>\n" + "\n".join(parts) + "\n</details>"


def _block(kind: str, text: str) -> str:
    return f'<pre class="{kind}">{html.escape(text)}</pre>'
