"""`fmgym mcp`: clients of the Model Context Protocol play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import common
from fmgym.errors import BadInput

if TYPE_CHECKING:
    from fmgym.baselines.llm.mcp_server import Episodes

HOST = "127.0.0.1"
REAP = 5.0  # seconds between looks for silent episodes


def mcp(
    seed: Annotated[str | None, typer.Option(metavar="SEED", help="Serve one run on standard streams.")] = None,
    http: Annotated[str | None, typer.Option(metavar="PORT", help="Serve many runs on this machine's port.")] = None,
    idle: Annotated[str, typer.Option(metavar="MINUTES", help="With --http: close a run silent for so long.")] = "60",
    name: Annotated[str, typer.Option(metavar="NAME", help="What results call the player.")] = "mcp",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    draft: common.Draft = "agent",
    set_: common.Changes = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the run in DIR; with --http each in DIR/HANDLE.")
    ] = None,
) -> int:
    """Serve the tools to any MCP client: one run on standard streams, or many over HTTP.

    A run in a folder is taken up again by the same command; over HTTP by its handle.

    Example: fmgym mcp --seed 1 --out runs/mine
    """
    from fmgym.baselines.llm import mcp_server

    if (seed is None) == (http is None):
        raise BadInput("give --seed to serve one run on standard streams, or --http PORT to serve many")
    mcp_server.sdk()
    knobs = common.knobs(seasons, opponents, draft, set_)
    if seed is not None:
        episode = mcp_server.Episode(name, common.seed(seed), out, knobs)
        try:
            _serve_streams(mcp_server.for_one(episode, knobs))
        finally:
            episode.close()
        return 0
    port, minutes = common.whole(str(http), "http"), common.whole(idle, "idle")
    if not 0 <= port < 65536 or minutes < 1:
        raise BadInput("--http takes a port from 0 to 65535, --idle a whole number of minutes from 1")
    episodes = mcp_server.Episodes(name, out, knobs, 60.0 * minutes)
    try:
        _serve_http(mcp_server.for_many(episodes, knobs), episodes, port)
    finally:
        episodes.close()
    return 0


def _serve_streams(server: Any) -> None:
    """Serve until the client closes our standard input."""
    import anyio
    from mcp import stdio_server

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def _serve_http(server: Any, episodes: Episodes, port: int) -> None:
    """Serve on this machine alone, until interrupted."""
    import socket

    import anyio
    import uvicorn

    app = server.streamable_http_app(stateless_http=True, json_response=True, host=HOST)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        raise BadInput(f"port {port} cannot be used: {error.strerror}") from None
    print(f"Serving on http://{HOST}:{listening.getsockname()[1]}/mcp", file=sys.stderr, flush=True)

    async def serve() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_reap, episodes)
            await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listening])
            tasks.cancel_scope.cancel()

    with listening:
        anyio.run(serve)


async def _reap(episodes: Episodes) -> None:
    import anyio

    while True:
        await anyio.sleep(REAP)
        await anyio.to_thread.run_sync(episodes.reap)
