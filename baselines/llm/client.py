"""What the agents over HTTP clients share: keys, settings, and what a client's errors mean.

The ``openai`` and ``anthropic`` packages name their errors alike. Their own retries are switched off, since
``policy`` retries in the open.
"""

from __future__ import annotations

import importlib
import os
import re
from abc import ABC, abstractmethod
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from fmgym.baselines.llm.protocol import Ended, Failure, Reply, Request, mapped, storable
from fmgym.errors import BadInput

Speaks = Literal["tools", "json"]
REASON_CHARS = 500  # of an error's text that is kept
HIDDEN = "[key]"
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|too long|too many (input )?tokens|exceeds? .{0,40}context", re.I
)
_STATUS = {402: Ended.ACCESS, 401: Ended.ACCESS, 403: Ended.ACCESS, 404: Ended.ACCESS, 413: Ended.CONTEXT}
_BUSY = {408: Ended.TIMEOUT, 409: Ended.SERVER, 425: Ended.SERVER, 429: Ended.RATE_LIMIT}


class ClientAgent(ABC):
    """An agent behind an HTTP client. The key comes from the environment and goes nowhere but to the client."""

    package: str
    client: str  # the client's class
    key_name: str  # the environment's variable

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        speaks: Speaks = "tools",
        temperature: float | None = None,
        reasoning: str | None = None,
        max_output: int | None = None,
        timeout: float = 600.0,
    ) -> None:
        """``reasoning``: the endpoint's word for how much is thought. Settings left None are the endpoint's own."""
        self.speaks: Speaks = speaks
        self._model = model
        self._base_url = base_url
        self._settings = {"temperature": temperature, "reasoning": reasoning, "max_output": max_output}
        self._refused: set[str] = set()  # settings the endpoint does not take
        self._timeout = timeout
        self._key = os.environ.get(self.key_name, "")
        if not self._key and not base_url:
            raise BadInput(f"{self.key_name} is not set; put the key into the environment")
        self._module = self._import()
        self._client = getattr(self._module, self.client)(
            api_key=self._key or "none", base_url=base_url, max_retries=0, timeout=timeout
        )

    def _import(self) -> Any:
        try:
            return importlib.import_module(self.package)
        except ImportError:
            told = f"this needs the {self.package} client; install it with: pip install 'fmgym[{self.package}]'"
            raise BadInput(told) from None

    @property
    def name(self) -> str:
        """The model's id."""
        return self._model

    @property
    def stamp(self) -> dict[str, Any]:
        """Client, endpoint and settings."""
        return {"client": self.package, "endpoint": _bare(self._base_url), "model": self._model, **self._settings}

    def ask(self, request: Request) -> Reply:
        """One request; settings that the endpoint refuses are left out, which the reply then says."""
        degraded: list[str] = []
        while True:
            try:
                reply = self._send(request)
            except self._module.APIError as error:
                setting = self._refused_setting(error)
                if setting is None:
                    raise self._failure(error) from None
                self._refused.add(setting)
                degraded.append(f"{setting} is refused by the endpoint and left out")
            except (ValueError, TypeError, AttributeError, LookupError) as error:  # out of the client's reading
                raise Failure(Ended.SERVER, self._hidden(f"the reply is not of the expected form: {error}")) from None
            else:
                return self._without_key(msgspec.structs.replace(reply, degraded=degraded))

    @abstractmethod
    def _send(self, request: Request) -> Reply:
        """Ask the endpoint."""

    def _setting(self, name: str) -> Any:
        """A setting, None when it is the endpoint's own or refused."""
        return None if name in self._refused else self._settings[name]

    def _refused_setting(self, error: Any) -> str | None:
        """The setting that a bad request is about."""
        if getattr(error, "status_code", None) not in (400, 422):
            return None
        text = str(error).lower()
        names = {"temperature": ("temperature",), "reasoning": ("reasoning", "thinking", "effort")}
        for setting, hints in names.items():
            if self._setting(setting) is not None and any(hint in text for hint in hints):
                return setting
        return None

    def _failure(self, error: Any) -> Failure:
        reason = self._hidden(" ".join(filter(None, [str(error), str(getattr(error, "code", None) or "")])))
        if isinstance(error, self._module.APITimeoutError):
            return Failure(Ended.TIMEOUT, f"no reply within {self._timeout:g} s")
        if isinstance(error, self._module.APIConnectionError):
            return Failure(Ended.CONNECTION, self._hidden(f"{error} {error.__cause__ or ''}"))
        status = getattr(error, "status_code", None)
        if status is None:
            return Failure(Ended.SERVER, reason)
        if status == 429 and "insufficient_quota" in reason:
            return Failure(Ended.ACCESS, reason)
        if status in _BUSY or status >= 500:
            return Failure(_BUSY.get(status, Ended.SERVER), reason, _retry_after(error))
        if status in (400, 422) and _TOO_LONG.search(reason):
            return Failure(Ended.CONTEXT, reason)
        return Failure(_STATUS.get(status, Ended.REQUEST), reason)

    def _hidden(self, text: str) -> str:
        """A text for the record: without the key, and short."""
        if self._key:
            text = text.replace(self._key, HIDDEN)
        return storable(text)[:REASON_CHARS]

    def _without_key(self, reply: Reply) -> Reply:
        """A reply in which the key does not stand, should an endpoint repeat it."""
        if not self._key:
            return reply
        return msgspec.convert(mapped(msgspec.to_builtins(reply), lambda text: text.replace(self._key, HIDDEN)), Reply)

    def close(self) -> None:
        """End connections."""
        self._client.close()


def _bare(url: str | None) -> str | None:
    """An address without user, password and query, which can hold secrets."""
    if url is None:
        return None
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def _retry_after(error: Any) -> float | None:
    """Seconds that a busy endpoint asks to be left alone."""
    try:
        return max(float(error.response.headers["retry-after"]), 0.0)
    except (AttributeError, KeyError, ValueError):
        return None
