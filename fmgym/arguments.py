"""Typed arguments of tools: how JSON values become the integers that state and logs keep, and back.

Each kind of argument reads a JSON value strictly (nothing is guessed or repaired), shows an integer as the
JSON value it came from, and describes itself as a JSON schema. A refusal says what would be right.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fmgym import names
from fmgym.enums import Error
from fmgym.errors import FMGymError
from fmgym.params import Params

REQUIRED: Any = object()  # the default of an argument that must be given
_MOST_K = 10_000_000_000  # no sum of money is larger: keeps every product inside 64 bits


class CallError(FMGymError):
    """A call that was refused: a stable code, and a sentence that says what would be right."""

    def __init__(self, code: Error, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Arg:
    """One argument. ``default`` is a JSON value; None means that the argument is simply absent.

    ``absent`` is the integer an absent argument is kept as.
    """

    name: str
    doc: str
    default: Any = REQUIRED
    absent: int = -1

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    def read(self, value: Any, params: Params, season: int) -> int:
        """The integer for a JSON value, or ``CallError``."""
        raise NotImplementedError

    def show(self, number: int, season: int) -> Any:
        """The JSON value for an integer."""
        raise NotImplementedError

    def schema(self, params: Params) -> dict[str, Any]:
        """The JSON schema of the value."""
        raise NotImplementedError

    def described(self, params: Params) -> dict[str, Any]:
        """The schema with its description and default."""
        out = self.schema(params)
        if self.doc:
            out["description"] = self.doc
        if not self.required and self.default is not None:
            out["default"] = self.default
        return out

    def wrong_type(self, value: Any, wanted: str) -> CallError:
        return self.refusal(Error.ARGUMENT_TYPE, wanted, brief(value))

    def wrong_value(self, value: Any, wanted: str) -> CallError:
        return self.refusal(Error.ARGUMENT_VALUE, wanted, brief(value))

    def refusal(self, code: Error, wanted: str, got: str) -> CallError:
        return CallError(code, f"{self.name} must be {wanted}, not {got}.")


def brief(value: Any) -> str:
    """A value as an error sentence repeats it: as JSON, and short."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= 40 else text[:37] + "..."


def bound(limit: int | str, params: Params) -> int:
    """A limit given as a number or as the path of a parameter (``wage.years``)."""
    if isinstance(limit, int):
        return limit
    group, name = limit.split(".")
    return int(getattr(getattr(params, group), name))


@dataclass(frozen=True)
class Id(Arg):
    """A printed id: a letter and a number of at least ``digits`` digits. ``offset`` is added when printed."""

    letter: str = "P"
    digits: int = 5
    offset: int = 0
    most: int | str = 10**9  # greatest number printed

    def read(self, value: Any, params: Params, season: int) -> int:
        if not isinstance(value, str):
            raise self.wrong_type(value, self._example)
        found = self._form.fullmatch(value)
        if found is None or value != self._print(int(found[1])):
            raise self.wrong_value(value, self._example)
        number, most = int(found[1]), bound(self.most, params)
        if not self.offset <= number <= most:
            raise self.wrong_value(value, f'an id from "{self._print(self.offset)}" to "{self._print(most)}"')
        return number - self.offset

    @functools.cached_property
    def _form(self) -> re.Pattern[str]:
        return re.compile(rf"{self.letter}([0-9]{{{self.digits},10}})")

    @property
    def _example(self) -> str:
        return f'an id such as "{self._print(1)}"'

    def show(self, number: int, season: int) -> str:
        return self._print(number + self.offset)

    def schema(self, params: Params) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self.letter}[0-9]{{{self.digits},}}$"}

    def _print(self, number: int) -> str:
        return f"{self.letter}{number:0{self.digits}d}"


@dataclass(frozen=True)
class Match(Arg):
    """A match id: season and index among that season's fixtures."""

    def read(self, value: Any, params: Params, season: int) -> int:
        if not isinstance(value, str):
            raise self.wrong_type(value, f'an id such as "{names.match_id(season, 7)}"')
        found = re.fullmatch(r"M([0-9]{2,3})-([0-9]{3,5})", value)
        if found is None:
            raise self.wrong_value(value, f'an id such as "{names.match_id(season, 7)}"')
        if int(found[1]) != season + 1:
            raise CallError(
                Error.UNKNOWN_MATCH,
                f"{value} is of another season; this one has {names.match_id(season, 0)} and so on.",
            )
        return int(found[2])

    def show(self, number: int, season: int) -> str:
        return names.match_id(season, number)

    def schema(self, params: Params) -> dict[str, Any]:
        return {"type": "string", "pattern": "^M[0-9]{2,}-[0-9]{3,}$"}


@dataclass(frozen=True)
class Money(Arg):
    """An amount in millions, kept in thousands. ``low`` is in thousands."""

    low: int | str = 0
    absent: int = 0

    def read(self, value: Any, params: Params, season: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong_type(value, "a number of millions such as 8 or 0.75")
        low = bound(self.low, params)
        in_range = 0 <= value <= _MOST_K // 1000  # false for NaN
        k = round(value * 1000) if in_range else -1
        if k < low:
            wanted = f"a number of millions from {names.millions(low):g} to {_MOST_K // 1000}"
            raise self.wrong_value(value, wanted)
        if abs(value * 1000 - k) > 1e-6 * max(1.0, abs(value)):
            raise self.wrong_value(value, "a number of millions with at most three decimals")
        return k

    def show(self, number: int, season: int) -> int | float:
        return number // 1000 if number % 1000 == 0 else number / 1000

    def schema(self, params: Params) -> dict[str, Any]:
        return {"type": "number", "minimum": bound(self.low, params) / 1000}


@dataclass(frozen=True)
class Whole(Arg):
    """A whole number within limits."""

    low: int | str = 0
    high: int | str = 0
    offset: int = 0  # taken off before it is kept

    def read(self, value: Any, params: Params, season: int) -> int:
        low, high = bound(self.low, params), bound(self.high, params)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong_type(value, f"a whole number from {low} to {high}")
        if not low <= value <= high:
            raise self.wrong_value(value, f"a whole number from {low} to {high}")
        return value - self.offset

    def show(self, number: int, season: int) -> int:
        return number + self.offset

    def schema(self, params: Params) -> dict[str, Any]:
        low, high = bound(self.low, params), bound(self.high, params)
        return {"type": "integer", "minimum": low, "maximum": high}


@dataclass(frozen=True)
class Flag(Arg):
    """True or false."""

    def read(self, value: Any, params: Params, season: int) -> int:
        if not isinstance(value, bool):
            raise self.wrong_type(value, "true or false")
        return int(value)

    def show(self, number: int, season: int) -> bool:
        return bool(number)

    def schema(self, params: Params) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Choice(Arg):
    """One of a few words."""

    words: Mapping[str, int] = None  # type: ignore[assignment]

    def read(self, value: Any, params: Params, season: int) -> int:
        if not isinstance(value, str):
            raise self.wrong_type(value, self._wanted)
        if value not in self.words:
            raise self.wrong_value(value, self._wanted)
        return self.words[value]

    @property
    def _wanted(self) -> str:
        return "one of " + ", ".join(self.words)

    def show(self, number: int, season: int) -> str:
        return next(word for word, code in self.words.items() if code == number)

    def schema(self, params: Params) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True)
class Ids(Arg):
    """A list of different ids; it is its tool's only argument and fills all of the call's integers."""

    item: Id = None  # type: ignore[assignment]
    most: int | str = 0
    exact: bool = False  # so many or none, nothing between

    def read_list(self, value: Any, params: Params, season: int) -> list[int]:
        if not isinstance(value, list | tuple):
            raise self.wrong_type(value, "a list of ids")
        numbers = [self.item.read(item, params, season) for item in value]
        most = bound(self.most, params)
        if len(numbers) > most or (self.exact and len(numbers) not in (0, most)):
            wanted = f"{most} ids or none" if self.exact else f"at most {most} ids"
            raise self.refusal(Error.ARGUMENT_VALUE, wanted, f"{len(numbers)}")
        if len(set(numbers)) < len(numbers):
            twice = next(item for item in value if list(value).count(item) > 1)
            raise self.refusal(Error.ARGUMENT_VALUE, "a list of different ids", f"{twice} twice")
        return numbers

    def show_list(self, numbers: tuple[int, ...], season: int) -> list[str]:
        return [self.item.show(number, season) for number in numbers]

    def schema(self, params: Params) -> dict[str, Any]:
        items = {"type": "string", "pattern": self.item.schema(params)["pattern"]}
        return {"type": "array", "items": items, "maxItems": bound(self.most, params), "uniqueItems": True}


@dataclass(frozen=True)
class Text(Arg):
    """Free text; the call carries it beside its integers."""

    most: int = 0  # characters
    least: int = 0

    def read_text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self.wrong_type(value, "a string")
        if not self.least <= len(value) <= self.most:
            wanted = f"text of {self.least} to {self.most} characters"
            raise self.refusal(Error.ARGUMENT_VALUE, wanted, f"{len(value)} characters")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.refusal(Error.ARGUMENT_VALUE, "valid Unicode", "lone surrogates") from None
        return value

    def schema(self, params: Params) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.most}
