"""A stop played through text: what an agent writes is read by fixed rules, and what it gets back is written.

A turn is a JSON object, or a list of them, with ``tool`` and ``args``. Slips of form are repaired by ``REPAIRS``,
which the rules document publishes, and counted; anything else is answered with an error and never guessed at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from fmgym.arguments import Money, Whole
from fmgym.enums import Error
from fmgym.stop import Call, Result, Stop
from fmgym.tools import NOTEBOOK, TOOLS

MOST_CHARS = 8 * NOTEBOOK  # of one turn: a notebook spelt in \u escapes fits
MOST_CALLS = 100  # of one turn
MOST_DEPTH = 20  # of a JSON value
RESULT_BYTES = 8_000  # of one answer; what is longer comes in parts

REPAIRS = {
    "code_fence": "one Markdown code fence around the JSON is taken off",
    "prose": "text around exactly one JSON value is left out",
    "trailing_comma": "a comma right before ] or } is left out",
    "letter_case": "capital letters in a tool's name are made small",
    "numeric_string": 'a plain decimal number in quotes is read as a number where a number is due ("8.5")',
}


class Fault(Exception):
    """Why something cannot be read, in a sentence."""


class Broken(msgspec.Struct, frozen=True):
    """A call that cannot be read: what its tool seems to be, and why."""

    tool: str
    reason: str


class Reading(msgspec.Struct, frozen=True):
    """What a turn's text means: calls and broken calls in order, and the repairs it took.

    A text that cannot be read at all is one broken call.
    """

    calls: list[Call | Broken]
    repairs: list[str] = []

    @property
    def malformed(self) -> bool:
        """Whether the form was wrong somewhere."""
        return bool(self.repairs) or any(isinstance(call, Broken) for call in self.calls)

    @property
    def unusable(self) -> bool:
        """Whether no call could be read."""
        return all(isinstance(call, Broken) for call in self.calls)


def read_turn(text: str) -> Reading:
    """The calls of a turn given as text."""
    repairs: list[str] = []
    try:
        value = _value(text, repairs)
        items = value if isinstance(value, list) else [value]
        if not items:
            raise Fault("an empty list holds no call")
        if len(items) > MOST_CALLS:
            raise Fault(f"a turn holds at most {MOST_CALLS} calls, not {len(items)}")
    except Fault as fault:
        return Reading([Broken("turn", f"{fault}. A turn is a JSON list of {_FORM}.")], repairs)
    return Reading([_call(item, repairs) for item in items], repairs)


def read_calls(calls: list[tuple[str, str | Mapping[str, Any]]]) -> Reading:
    """The calls of a turn given as tool calls: names, and arguments as JSON text or as an object."""
    repairs: list[str] = []
    return Reading([_tool_call(name, args, repairs) for name, args in calls], repairs)


_FORM = '{"tool": NAME, "args": {...}}'


def _tool_call(name: str, args: str | Mapping[str, Any], repairs: list[str]) -> Call | Broken:
    """Without text there are no arguments, which is taken as {} where a tool knows none."""
    try:
        if isinstance(args, str):
            spec = TOOLS.get(name.lower())
            args = {} if not args.strip() and spec and not spec.args else _value(args, repairs)
        else:
            _check_tree(args)
    except Fault as fault:
        return Broken(_printable(name), f"the arguments are no JSON object: {fault}.")
    return _call({"tool": name, "args": args}, repairs)


def _call(item: Any, repairs: list[str]) -> Call | Broken:
    """One call out of a JSON value."""
    name = item.get("tool") if isinstance(item, dict) else None
    if not isinstance(name, str):
        return Broken("turn", f"a call is an object {_FORM}.")
    args = item.get("args", {})
    more = [key for key in item if key not in ("tool", "args")]
    if more:
        return Broken(_printable(name), f"a call has tool and args, not {more[0]!r:.60}; arguments go into args.")
    if not isinstance(args, dict):
        return Broken(_printable(name), "args must be an object of named arguments.")
    if name not in TOOLS and name.lower() in TOOLS:
        name = name.lower()
        repairs.append("letter_case")
    return _printable(name), _numbers(name, args, repairs)


def _printable(name: str) -> str:
    """A name as answers and logs repeat it."""
    return name[:60].encode("utf-8", "replace").decode()


_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,6})?")


def _numbers(name: str, args: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    """Arguments with numbers in quotes made numbers."""
    spec = TOOLS.get(name)
    out = dict(args)
    for arg in spec.args if spec else ():
        value = out.get(arg.name)
        if isinstance(arg, Money | Whole) and isinstance(value, str) and _DECIMAL.fullmatch(value):
            out[arg.name] = float(value) if "." in value else int(value)
            repairs.append("numeric_string")
    return out


# JSON


def _value(text: str, repairs: list[str]) -> Any:
    """The one JSON value of a text. Raises ``Fault``."""
    if len(text) > MOST_CHARS:
        raise Fault(f"a turn has at most {MOST_CHARS} characters, not {len(text)}")
    text = text.strip()
    if not text:
        raise Fault("there is no text")
    first: Fault | None = None
    for candidate, rules in _candidates(text):
        try:
            value = _parse(candidate)
        except Fault as fault:
            first = first or fault
            continue
        _check_tree(value)
        repairs += rules
        return value
    assert first is not None
    raise first


def _candidates(text: str) -> Iterator[tuple[str, list[str]]]:
    """Readings of a text from the plain one to the most repaired, with the rules each takes."""
    yield text, []
    rules: list[str] = []
    if text.count("```") == 2:
        text = re.sub(r"^[a-zA-Z]*\n", "", text.split("```")[1]).strip()
        rules = ["code_fence"]
        yield text, rules
    inner = _only_value(text)
    if inner is None:
        return
    if inner != text:
        rules = [*rules, "prose"]
        yield inner, rules
    plain = _without_trailing_commas(inner)
    if plain != inner:
        yield plain, [*rules, "trailing_comma"]


def _outside_strings(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The characters of JSON text that stand outside strings, with their places."""
    quoted = escaped = False
    for i in range(start, len(text)):
        c = text[i]
        if quoted:
            quoted = escaped or c != '"'
            escaped = c == "\\" and not escaped
        elif c == '"':
            quoted = True
        else:
            yield i, c


def _only_value(text: str) -> str | None:
    """The bracketed value in a text, if there is exactly one."""
    opening = re.search(r"[\[{]", text)
    if opening is None:
        return None
    depth = 0
    for i, c in _outside_strings(text, opening.start()):
        depth += (c in "[{") - (c in "]}")
        if depth == 0:
            rest = text[i + 1 :]
            return None if re.search(r"[\[{]", rest) else text[opening.start() : i + 1]
    return None


_CLOSING = re.compile(r"\s*[\]}]")


def _without_trailing_commas(text: str) -> str:
    drop = {i for i, c in _outside_strings(text) if c == "," and _CLOSING.match(text, i + 1)}
    return "".join(c for i, c in enumerate(text) if i not in drop) if drop else text


def _parse(text: str) -> Any:
    """Strict JSON: no NaN, no key twice. Raises ``Fault``."""
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_constant)
    except RecursionError:
        raise Fault("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise Fault(f"it is not valid JSON ({error.msg}, character {error.pos})") from None
    except ValueError:  # a whole number of thousands of digits
        raise Fault("it holds a number that is too long") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise Fault("it names a key twice")
    return out


def _no_constant(name: str) -> Any:
    raise Fault(f"{name} is no JSON number")


def _check_tree(value: Any, depth: int = 0) -> None:
    """Refuse what is nested deeper than any call needs."""
    if depth > MOST_DEPTH:
        raise Fault("it is nested too deep")
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            _check_tree(item, depth + 1)


# Playing


class Tally(msgspec.Struct):
    """What is counted beside the score. Turns that were ``malformed`` are either ``repaired`` or ``unusable``,
    or had some calls that could be read and some that could not."""

    turns: int = 0
    malformed: int = 0
    repaired: int = 0
    unusable: int = 0
    repeated: int = 0  # calls that repeat one of the same stop
    parts: int = 0  # answers cut into parts
    repairs: dict[str, int] = {}
    calls: dict[str, int] = {}
    errors: dict[str, int] = {}

    def add(self, other: Tally) -> None:
        """Count what another has counted."""
        for name in self.__struct_fields__:
            mine, more = getattr(self, name), getattr(other, name)
            if isinstance(more, dict):
                for key, n in dict(more).items():  # another thread may count on
                    count(mine, key, n)
            else:
                setattr(self, name, mine + more)

    def read(self, reading: Reading) -> None:
        """Count a turn's form."""
        self.turns += 1
        self.malformed += reading.malformed
        self.unusable += reading.unusable
        self.repaired += bool(reading.repairs) and not any(isinstance(call, Broken) for call in reading.calls)
        for rule in reading.repairs:
            count(self.repairs, rule)

    def answered(self, result: Result) -> None:
        """Count a call."""
        count(self.calls, result.tool if result.tool in TOOLS else "unknown")
        if result.error:
            count(self.errors, result.error)


def count(counts: dict[str, int], key: str, n: int = 1) -> None:
    """Count something up."""
    counts[key] = counts.get(key, 0) + n


class TextStop:
    """One decision stop played through text. ``tally`` is counted up."""

    def __init__(self, stop: Stop, tally: Tally) -> None:
        self.stop = stop
        self.tally = tally
        self.made: dict[str, int] = {}  # calls made before, and how often
        self.shown: dict[str, int] = {}  # answers shown in part, and how many parts of them

    def turn(self, reading: Reading) -> list[str]:
        """Play a turn; one answer for each of its calls, readable or not. It counts as a turn in any case."""
        self.tally.read(reading)
        results = iter(self.stop.turn([call for call in reading.calls if not isinstance(call, Broken)]))
        return [self._broken(c) if isinstance(c, Broken) else self._answer(c, next(results)) for c in reading.calls]

    def _broken(self, call: Broken) -> str:
        return self._told(Result(False, call.tool, Error.UNREADABLE.name, call.reason))

    def _told(self, result: Result) -> str:
        self.tally.answered(result)
        return result.to_text()

    def _answer(self, call: Call, result: Result) -> str:
        text, key = self._told(result), json.dumps(call, sort_keys=True)
        before = self.made.get(key, 0)
        self.made[key] = before + 1
        parts = _cut(text)
        part = self.shown.get(key, 0)
        if len(parts) > 1:
            self.tally.parts += 1
            self.shown[key] = (part + 1) % len(parts)
            again = "the same call again shows the next" if part + 1 < len(parts) else "this is the last"
            text = f"{parts[part % len(parts)]}\n(part {part % len(parts) + 1} of {len(parts)}; {again})"
        if before and not part:
            self.tally.repeated += 1
            text += f"\n(You have made this very call {before} time{'s' * (before > 1)} before in this stop.)"
        return text


def _cut(text: str) -> list[str]:
    """A text in parts of at most ``RESULT_BYTES``, whole lines as far as they fit."""
    if len(text.encode()) <= RESULT_BYTES:
        return [text]
    parts, size = [""], 0
    for line in (piece for whole in text.splitlines(keepends=True) for piece in _pieces(whole)):
        size += len(line.encode())
        if size > RESULT_BYTES:
            parts.append("")
            size = len(line.encode())
        parts[-1] += line
    return parts


def _pieces(line: str) -> list[str]:
    """A line in pieces that fit a part whatever they are spelt in."""
    step = RESULT_BYTES // 4
    return [line[i : i + step] for i in range(0, len(line), step)]
