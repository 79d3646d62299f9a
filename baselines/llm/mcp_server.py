"""Runs played by clients of the Model Context Protocol (extra ``mcp``).

The 26 tools are served as they are, and beside them ``get_rules`` and ``get_packet``, which cost nothing. Over
standard streams a server has one run. Over HTTP, where nothing ties one request to the next, ``open_episode``
gives out a handle that every call then carries.

A run goes on in a thread of its own, as that of any other agent: the agent here is whoever calls the tools.
"""

from __future__ import annotations

import importlib
import queue
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from fmgym import runlog
from fmgym.baselines.llm.policy import AgentPolicy
from fmgym.baselines.llm.protocol import Ended, Failure, Reply, Request, ToolUse
from fmgym.errors import BadInput, FMGymError
from fmgym.params import Params
from fmgym.rules import rules_text
from fmgym.run import RunResult, run
from fmgym.tools import schemas

MOST_EPISODES = 64  # open at once on one server
HANDLE = re.compile(r"[0-9a-f]{16}")
INSTRUCTIONS = (
    "You manage a football club. Read get_rules, then get_packet, and play with the other tools; advance ends a "
    "decision stop and shows the next one."
)
_NO_ARGS: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
RULES = {"name": "get_rules", "description": "The rules of the game; costs nothing.", "inputSchema": _NO_ARGS}
PACKET = {
    "name": "get_packet",
    "description": "The packet that opened the present stop; costs nothing.",
    "inputSchema": _NO_ARGS,
}
OPEN = {
    "name": "open_episode",
    "description": "Begin a run in the world of a seed. The answer has the episode's handle and its first packet.",
    "inputSchema": {
        "type": "object",
        "properties": {"seed": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}},
        "required": ["seed"],
        "additionalProperties": False,
    },
}
_EPISODE = {"type": "string", "description": "the handle from open_episode"}


class Caller:
    """The agent of a run whose turns come from outside, by ``Episode.call``."""

    speaks: Literal["tools", "json"] = "tools"

    def __init__(self, name: str) -> None:
        self.name = name
        self.turns: queue.Queue[ToolUse | None] = queue.Queue()  # None ends the run for now
        self.answers: queue.Queue[str] = queue.Queue()
        self.packet = ""

    @property
    def stamp(self) -> dict[str, Any]:
        """Who plays is known to the client alone, and so is what it remembers."""
        return {"client": "mcp", "model": self.name}

    def ask(self, request: Request) -> Reply:
        """Answer the call before, and wait for the next one."""
        first, last = request.messages[0], request.messages[-1]
        self.packet = first.text
        self.answers.put(last.text or "\n".join(last.results.values()))
        call = self.turns.get()
        if call is None:
            raise Failure(Ended.CONNECTION, "the client has gone", retry_after=float("inf"))
        return Reply(calls=[call])

    def close(self) -> None:
        """Nothing is held."""


class Episode:
    """A run under play. Calls may come from several threads; they are played one after another."""

    def __init__(self, name: str, seed: int, out: Path | None, knobs: Mapping[str, Any]) -> None:
        """Open the run, or take it up where its folder ends. Raises ``BadInput``."""
        self._caller = Caller(name)
        self._run = lambda: run(AgentPolicy(self._caller), seed, out=out, **knobs)
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._over = False
        self.result: RunResult | None = None
        self.used = time.monotonic()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()
        self.opening = self._caller.answers.get()
        if self._error:
            raise self._error

    def _play(self) -> None:
        try:
            self.result = self._run()
        except BaseException as error:  # told by the answer
            self._error = error
        self._over = True
        self._caller.answers.put(self._end())

    def _end(self) -> str:
        if self.result is None:
            return f"The run has stopped: {self._error}"
        return f"The run is over: {self.result.settle}, score {self.result.score:.2f}."

    @property
    def packet(self) -> str:
        """The packet that opened the present stop, or how the run ended."""
        return self._end() if self._over else self._caller.packet

    def call(self, tool: str, args: Mapping[str, Any]) -> str:
        """Play a turn of one call; its answer, and the next stop's packet when it ended the stop."""
        with self._lock:
            self.used = time.monotonic()
            if self._over:
                return self._end()
            self._caller.turns.put(ToolUse("call_1", tool, dict(args)))
            return self._caller.answers.get()

    def close(self) -> None:
        """Stop the run. One that has a folder can be taken up again."""
        with self._lock:
            self._caller.turns.put(None)
            self._thread.join()


class Episodes:
    """The runs of a server over HTTP, by handle."""

    def __init__(self, name: str, out: Path | None, knobs: Mapping[str, Any], idle: float) -> None:
        """``idle``: seconds without a call after which an episode is closed."""
        self._name, self._out, self._knobs, self._idle = name, out, knobs, idle
        self._open: dict[str, Episode] = {}
        self._lock = threading.Lock()

    def open(self, seed: int) -> str:
        """Begin an episode; the answer to the client."""
        with self._lock:
            handle = secrets.token_hex(8)
            episode = self._begin(handle, seed)
        return f"episode: {handle}\n\n{episode.opening}"

    def _begin(self, handle: str, seed: int) -> Episode:
        if len(self._open) >= MOST_EPISODES:
            raise BadInput(f"{MOST_EPISODES} episodes are open; try again when one of them has ended")
        self._open[handle] = Episode(self._name, seed, self._out and self._out / handle, self._knobs)
        return self._open[handle]

    def find(self, handle: Any) -> Episode:
        """An episode; one that was closed is taken up from its folder. Raises ``BadInput``."""
        with self._lock:
            if isinstance(handle, str) and handle in self._open:
                return self._open[handle]
            if not isinstance(handle, str) or not HANDLE.fullmatch(handle):
                raise BadInput("episode must be a handle from open_episode")
            if self._out is None or not (self._out / handle / runlog.RUN).is_file():
                raise BadInput("there is no such episode, or it was closed after a long silence; use open_episode")
            return self._begin(handle, runlog.kept(self._out / handle)["stamp"]["seed"])

    def reap(self) -> int:
        """Close what has been silent for too long; how many."""
        with self._lock:
            late = time.monotonic() - self._idle
            silent = [handle for handle, episode in self._open.items() if episode.used < late]
            for handle in silent:
                self._open.pop(handle).close()
            return len(silent)

    def close(self) -> None:
        """Close all."""
        with self._lock:
            for episode in self._open.values():
                episode.close()
            self._open = {}


def sdk() -> Any:
    """The protocol's SDK. Raises ``BadInput`` when it is not installed."""
    try:
        importlib.import_module("mcp.server.lowlevel.server")
        return importlib.import_module("mcp")
    except ImportError:
        raise BadInput("this needs the MCP SDK; install it with: pip install 'fmgym[mcp]'") from None


def server(play: Callable[[str, dict[str, Any]], str], tools: list[dict[str, Any]], rules: str) -> Any:
    """An MCP server of tools; ``play`` answers a call, and raises ``BadInput`` for what is no call of the game."""
    import anyio

    mcp = sdk()
    from mcp import types

    async def list_tools(ctx: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[types.Tool(**tool) for tool in tools])

    async def call_tool(ctx: Any, params: Any) -> Any:
        try:
            text, failed = await anyio.to_thread.run_sync(play, params.name, dict(params.arguments or {})), False
        except FMGymError as error:
            text, failed = str(error), True
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    async def list_resources(ctx: Any, params: Any) -> Any:
        shown = types.Resource(uri="fmgym://rules", name="rules", mime_type="text/markdown")
        return types.ListResourcesResult(resources=[shown])

    async def read_resource(ctx: Any, params: Any) -> Any:
        if str(params.uri) != "fmgym://rules":
            raise mcp.MCPError(types.INVALID_PARAMS, f"there is no resource {params.uri}")
        text = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=rules)
        return types.ReadResourceResult(contents=[text])

    from mcp.server.lowlevel.server import Server

    from fmgym import __version__

    return Server(
        "fmgym",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def game_rules(knobs: Mapping[str, Any]) -> str:
    """The rules of runs with these knobs."""
    return rules_text(Params.default().replace(knobs["params"]), seasons=knobs["seasons"], tools=False)


def for_one(episode: Episode, knobs: Mapping[str, Any]) -> Any:
    """The server of one run."""
    rules = game_rules(knobs)

    def play(tool: str, args: dict[str, Any]) -> str:
        free = {"get_rules": lambda: rules, "get_packet": lambda: episode.packet}
        return free[tool]() if tool in free else episode.call(tool, args)

    return server(play, [*_game_tools(knobs), RULES, PACKET], rules)


def for_many(episodes: Episodes, knobs: Mapping[str, Any]) -> Any:
    """The server of many runs, each call with its run's handle."""
    rules = game_rules(knobs)

    def play(tool: str, args: dict[str, Any]) -> str:
        if tool == "get_rules":
            return rules
        if tool == "open_episode":
            seed = args.get("seed")
            if not isinstance(seed, int) or not 0 <= seed < 2**63:
                raise BadInput("seed must be a whole number from 0 to 2**63-1")
            return episodes.open(seed)
        episode = episodes.find(args.pop("episode", None))
        return episode.packet if tool == "get_packet" else episode.call(tool, args)

    return server(play, [OPEN, RULES, *map(_with_handle, [PACKET, *_game_tools(knobs)])], rules)


def _game_tools(knobs: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = schemas("mcp", Params.default().replace(knobs["params"]))
    return tools


def _with_handle(tool: dict[str, Any]) -> dict[str, Any]:
    args = tool["inputSchema"]
    handled = args | {
        "properties": {"episode": _EPISODE} | args["properties"],
        "required": ["episode", *args.get("required", [])],
    }
    return tool | {"inputSchema": handled}
