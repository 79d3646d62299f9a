"""What a run of an agent cost and how it went, beside the score: per stop and in total."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from fmgym.baselines.llm.protocol import Usage
from fmgym.errors import BadInput
from fmgym.text import Tally, count

UNKNOWN = "unknown"


class Account(msgspec.Struct):
    """Counts and sums. Seconds of the agent are those from a request to its reply; waiting is not among them."""

    stops: int = 0
    replies: int = 0
    usage: Usage = Usage()
    usage_unknown: int = 0  # replies that did not say
    usd: float = 0.0
    usd_unknown: int = 0  # replies whose price is not known
    agent_seconds: float = 0.0
    slowest_seconds: float = 0.0
    waited_seconds: float = 0.0
    wall_seconds: float = 0.0
    turns: dict[str, int] = {}  # how turns' asking ended (protocol.Ended)
    failed_attempts: dict[str, int] = {}  # attempts without a usable reply
    stops_ended: dict[str, int] = {}
    left_out: int = 0  # results taken out of conversations that had grown too long
    degraded: list[str] = []
    models: dict[str, int] = {}  # replies by what says it has served them
    text: Tally = msgspec.field(default_factory=Tally)

    def add(self, other: Account) -> None:
        """Add up another's counts."""
        for name in self.__struct_fields__:
            mine, more = getattr(self, name), getattr(other, name)
            if isinstance(more, Tally):
                mine.add(more)
            elif isinstance(more, dict):
                for key, n in dict(more).items():  # another thread may count on
                    count(mine, key, n)
            elif isinstance(more, list):
                mine.extend(item for item in more if item not in mine)
            elif name == "slowest_seconds":
                self.slowest_seconds = max(mine, more)
            else:
                setattr(self, name, mine + more)

    def used(self, usage: Usage | None, usd: float | None) -> None:
        """Count what one request used."""
        if usage is None:
            self.usage_unknown += 1
        else:
            self.usage += usage
        if usd is None:
            self.usd_unknown += 1
        else:
            self.usd += usd

    @property
    def cost(self) -> float | str:
        """US dollars, or that they are not known."""
        return UNKNOWN if self.usd_unknown else round(self.usd, 6)

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.usage.input + self.usage.output

    def as_dict(self) -> dict[str, Any]:
        """As ``run.json`` has it."""
        usage: Any = {name: getattr(self.usage, name) for name in self.usage.__struct_fields__}
        usage |= {"fresh_input": self.usage.input - self.usage.cached}
        if self.usage_unknown:
            usage = UNKNOWN if not self.usage.input else usage | {"unknown_replies": self.usage_unknown}
        latency = round(self.agent_seconds / self.replies, 3) if self.replies else None
        out: dict[str, Any] = msgspec.to_builtins(self)
        for name in ("usd", "usd_unknown", "usage_unknown"):
            del out[name]
        out |= {name: round(value, 3) for name, value in out.items() if isinstance(value, float)}
        return out | {"usage": usage, "cost_usd": self.cost, "latency_seconds": latency}


class Price(msgspec.Struct, frozen=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    cached: float | None = None  # default: as other input
    cache_written: float | None = None  # default: as other input

    def of(self, usage: Usage) -> float:
        """What a request cost."""
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.cache_written is None else self.cache_written
        fresh = usage.input - usage.cached - usage.cache_written
        total = fresh * self.input + usage.cached * cached + usage.cache_written * written + usage.output * self.output
        return total / 1e6


class Prices(msgspec.Struct, frozen=True):
    """A dated table of prices by model id."""

    dated: str
    models: dict[str, Price]

    def cost(self, model: str | None, served: str | None, usage: Usage | None) -> float | None:
        """What a request cost, by the model asked for or the one that served; None when it is not known."""
        price = self.models.get(model or "") or self.models.get(served or "")
        return price.of(usage) if price and usage else None


def prices(path: Path | None = None) -> Prices:
    """The table that comes with the package, or one in a file of the same form. Raises ``BadInput``."""
    source = path or files("fmgym.baselines.llm").joinpath("prices.toml")
    try:
        return msgspec.convert(tomllib.loads(source.read_text("utf-8")), Prices)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise BadInput(f"{path} is no table of prices: {error}") from None
