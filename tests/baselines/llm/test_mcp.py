"""Runs played through the protocol SDK's own client: over standard streams, and over HTTP with handles."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fmgym import runlog
from fmgym.cli import main
from fmgym.errors import BadInput
from fmgym.run import replay
from fmgym.session import Session
from fmgym.tools import TOOLS, schemas

mcp = pytest.importorskip("mcp")
anyio = pytest.importorskip("anyio")

from fmgym.baselines.llm.mcp_server import Episode, Episodes  # noqa: E402

KNOBS: dict[str, Any] = {"seasons": 1, "opponents": "tiered", "draft": "auto", "params": {}}
OPTIONS = ["--seasons", "1", "--draft", "auto"]


def command(*more: str) -> list[str]:
    return ["-m", "fmgym.cli", "mcp", *OPTIONS, *more]


async def told(client: Any, tool: str, **args: Any) -> str:
    result = await client.call_tool(tool, args)
    assert not result.is_error, result
    text: str = result.content[0].text
    return text


def test_a_season_over_standard_streams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Killed clients and servers lose nothing: half of the season in one process, the rest in another."""
    folder = tmp_path / "run"
    server = mcp.StdioServerParameters(command=sys.executable, args=command("--seed", "1", "--out", str(folder)))
    direct = Session.open(1, seasons=1, draft="auto")

    async def first() -> None:
        async with mcp.Client(server) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == [*TOOLS, "get_rules", "get_packet"]
            rules = await told(client, "get_rules")
            assert rules == (await client.read_resource("fmgym://rules")).contents[0].text
            assert await told(client, "get_packet") == direct.packet().to_text()
            assert await told(client, "get_squad") == direct.call("get_squad").to_text()
            refused = await told(client, "make_transfer_offer", player_id="P1", amount_m=1)
            assert "ERROR ARGUMENT_VALUE" in refused
            direct.call("make_transfer_offer", {"player_id": "P1", "amount_m": 1})
            for _ in range(3):
                direct.call("advance")
                assert await told(client, "advance") == direct.packet().to_text()

    async def second() -> None:
        async with mcp.Client(server) as client:
            assert await told(client, "get_packet") == direct.packet().to_text()
            while not direct.finished:
                direct.call("advance")
                text = await told(client, "advance")
            assert text == f"The run is over: completed, score {direct.score():.2f}."
            assert await told(client, "advance") == text

    anyio.run(first)
    anyio.run(second)
    assert replay(folder).digest == direct.digest()
    account = runlog.kept(folder)["account"]
    assert account["text"]["calls"]["get_squad"] == 1
    assert account["usage"] == account["cost_usd"] == "unknown"
    assert main(["transcript", str(folder)]) == 0
    assert all("tokens unknown" in row for row in capsys.readouterr().out.splitlines()[1:])


def test_episodes_over_http(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *command("--http", "0", "--out", str(tmp_path))], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found

    async def play() -> None:
        async with mcp.Client(found[0]) as client:
            handles = []
            for seed in (1, 2):
                text = await told(client, "open_episode", seed=seed)
                handles.append(text.split()[1])
                assert text.endswith(Session.open(seed, seasons=1, draft="auto").packet().to_text())
            assert "STOP 2" in await told(client, "advance", episode=handles[0])
            assert "STOP 1" in await told(client, "get_packet", episode=handles[1])
            wrong = await client.call_tool("advance", {"episode": "0123456789abcdef"})
            assert wrong.is_error and "no such episode" in wrong.content[0].text
            assert (await client.call_tool("advance", {"episode": "../x"})).is_error

    try:
        anyio.run(play)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stderr.close()


def test_silent_episodes_are_reaped(tmp_path: Path) -> None:
    for out in (None, tmp_path):
        episodes = Episodes("tester", out, KNOBS, idle=3600.0)
        handle = episodes.open(1).split()[1]
        episode = episodes.find(handle)
        assert episodes.reap() == 0 and "STOP 2" in episode.call("advance", {})
        episode.used -= 3600.0
        assert episodes.reap() == 1
        if out is None:
            with pytest.raises(BadInput, match="no such episode"):
                episodes.find(handle)
        else:
            assert "STOP 3" in episodes.find(handle).call("advance", {})
        episodes.close()


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    Episode("tester", 1, tmp_path, KNOBS).close()
    with pytest.raises(BadInput, match="seed 1, not 2"):
        Episode("tester", 2, tmp_path, KNOBS)


def test_schemas_stay_small() -> None:
    """Under 3,500 tokens, even at three characters a token; test_local counts them with a real tokenizer."""
    assert len(json.dumps(schemas("mcp"), separators=(",", ":"))) < 3 * 3_500
