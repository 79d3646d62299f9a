"""`fmgym llm`: a language model, or another agent asked turn by turn, plays runs."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import common
from fmgym.errors import BadInput, FMGymError, Paused

if TYPE_CHECKING:
    from fmgym.baselines.llm.policy import AgentPolicy
    from fmgym.baselines.llm.protocol import Agent
    from fmgym.run import RunResult

PROVIDERS = ("openai", "anthropic")
LOCAL_CONTEXT = 7_500  # tokens of a conversation with --local, as the harness estimates them
REFRESH = 0.25  # seconds between looks at how far the runs are


def llm(
    seeds: Annotated[
        str, typer.Option("--seeds", "--seed", metavar="LIST", help="Seeds: 1,2,3 or 1-20.", show_default=False)
    ],
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model's id.", show_default=False)] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="An endpoint that speaks OpenAI's chat completions.")
    ] = None,
    provider: Annotated[str, typer.Option(metavar="NAME", help="The client: openai or anthropic.")] = "openai",
    agent_cmd: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="A program of your own that is asked (docs/agents.md).")
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="A small model on this machine (docs/local.md).")] = False,
    speaks: Annotated[
        str, typer.Option(metavar="FORM", help="tools, or json for models without tool calls.")
    ] = "tools",
    temperature: Annotated[str | None, typer.Option(metavar="NUMBER", help="By default the endpoint's own.")] = None,
    reasoning: Annotated[
        str | None, typer.Option(metavar="WORD", help="How much is thought, in the endpoint's words: low, high, ...")
    ] = None,
    max_output: Annotated[str | None, typer.Option(metavar="N", help="Most tokens of one reply.")] = None,
    timeout: Annotated[str, typer.Option(metavar="SECONDS", help="Wait for one reply.")] = "600",
    memory: Annotated[
        str, typer.Option(metavar="KIND", help="stop: the notebook alone; session: earlier stops too.")
    ] = "stop",
    max_context: Annotated[str, typer.Option(metavar="N", help="Most tokens of a conversation.")] = "100000",
    patience: Annotated[
        str, typer.Option(metavar="SECONDS", help="Waiting for one turn, all retries together.")
    ] = "600",
    on_failure: Annotated[
        str, typer.Option(metavar="WHAT", help="pause, or continue with the turn recorded as failed.")
    ] = "pause",
    max_usd: Annotated[str | None, typer.Option(metavar="N", help="Pause a run when it has cost so much.")] = None,
    max_tokens: Annotated[str | None, typer.Option(metavar="N", help="Pause a run when it has used so many.")] = None,
    prices: Annotated[Path | None, typer.Option(metavar="FILE", help="Another table of prices.")] = None,
    jobs: Annotated[str, typer.Option(metavar="N", help="Runs at once.")] = "1",
    seasons: common.Seasons = "20",
    opponents: common.Opponents = "tiered",
    draft: common.Draft = "agent",
    set_: common.Changes = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep each run in DIR/seed-N; by default runs/MODEL.", show_default=False),
    ] = None,
    json_: common.JsonFile = None,
) -> int:
    """Let a model play runs through the tools. Keys come from OPENAI_API_KEY or ANTHROPIC_API_KEY.

    Every request and reply is kept; the same command goes on with runs that were interrupted or paused, and
    asks for no turn twice. `fmgym transcript` shows what was said.

    Example: fmgym llm --model gpt-4.1-mini --seeds 1,1024,2026 --jobs 3 --max-usd 20
    """
    from fmgym.baselines.llm import account
    from fmgym.baselines.llm.policy import AgentPolicy, Patience

    if provider not in PROVIDERS:
        raise BadInput(f"--provider takes {' or '.join(PROVIDERS)}, not {provider!r}")
    if speaks not in ("tools", "json"):
        raise BadInput(f"--speaks takes tools or json, not {speaks!r}")
    if sum(map(bool, (model, agent_cmd, local))) != 1:
        raise BadInput("name who is asked by one of --model, --agent-cmd and --local")
    settings: dict[str, Any] = {
        "base_url": base_url,
        "speaks": speaks,
        "temperature": _number(temperature, "temperature"),
        "reasoning": reasoning,
        "max_output": _count(max_output, "max-output"),
        "timeout": _number(timeout, "timeout"),
    }
    conditions: dict[str, Any] = {
        "memory": memory,
        "on_failure": on_failure,
        "patience": Patience(_number(patience, "patience") or 0.0),
        "max_usd": _number(max_usd, "max-usd"),
        "max_tokens": _count(max_tokens, "max-tokens"),
        "max_context": _count(max_context, "max-context"),
        "prices": account.prices(prices),
    }
    knobs = {
        "seasons": common.whole(seasons, "seasons"),
        "opponents": opponents,
        "draft": draft,
        "params": common.changes(set_),
    }
    common.check_outputs(json_)
    chosen, workers = common.seeds(seeds), _count(jobs, "jobs") or 1
    with ExitStack() as stack:
        if agent_cmd is not None:
            make = _program(agent_cmd, settings, kept=memory == "session")
        elif local:
            make = _local(settings, stack)
            conditions["max_context"] = min(conditions["max_context"], LOCAL_CONTEXT)
        else:
            make = _model(provider, str(model), settings)
        runs = [Run(seed, AgentPolicy(make(), **conditions)) for seed in chosen]
        folder = out or Path("runs") / re.sub(r"[^A-Za-z0-9._-]+", "-", runs[0].policy.name).strip("-")
        for run in runs:
            run.folder = folder / f"seed-{run.seed}"
        _play(runs, workers, knobs)
    return _report(runs, json_)


def _model(provider: str, model: str, settings: dict[str, Any]) -> Callable[[], Agent]:
    """How a run's agent is made when a model behind an endpoint is asked."""
    from fmgym.baselines.llm.anthropic_messages import AnthropicAgent
    from fmgym.baselines.llm.openai_chat import OpenAIAgent

    client = AnthropicAgent if provider == "anthropic" else OpenAIAgent
    return lambda: client(model, **settings)


def _program(command: str, settings: dict[str, Any], kept: bool) -> Callable[[], Agent]:
    """... when a program is asked; ``kept``: one process for the whole run."""
    from fmgym.baselines.llm.process import ProcessAgent

    _refuse(settings, "--agent-cmd", ("base_url", "temperature", "reasoning", "max_output"))
    return lambda: ProcessAgent(command, speaks=settings["speaks"], kept=kept, timeout=settings["timeout"])


def _local(settings: dict[str, Any], stack: ExitStack) -> Callable[[], Agent]:
    """... when a model on this machine is asked; its server runs until the stack is left."""
    from fmgym.baselines.llm.local import LocalAgent, LocalServer

    _refuse(settings, "--local", ("base_url", "temperature", "reasoning", "max_output"))
    server = LocalServer()
    stack.callback(server.close)
    return lambda: LocalAgent(server, timeout=settings["timeout"])


def _refuse(settings: dict[str, Any], option: str, names: tuple[str, ...]) -> None:
    for name in names:
        if settings[name] is not None:
            raise BadInput(f"{option} takes no --{name.replace('_', '-')}")


def _number(text: str | None, name: str) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise BadInput(f"--{name} takes a number from 0, not {text!r}")
    return value


def _count(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    value = common.whole(text, name)
    if value < 1:
        raise BadInput(f"--{name} takes a whole number from 1, not {value}")
    return value


@dataclass
class Run:
    """One seed's run: how far it is and how it ended."""

    seed: int
    policy: AgentPolicy
    folder: Path = Path()
    days: tuple[int, int] = (0, 1)
    result: RunResult | None = None
    error: FMGymError | None = None
    crash: BaseException | None = field(default=None, repr=False)

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it now."""
        return bool(self.result or self.error or self.crash)

    def play(self, knobs: dict[str, Any]) -> None:
        """Play it, or go on with it."""
        from fmgym.run import run

        def watch(session: Any) -> None:
            self.days = int(session.world.w.day), int(session.world.w.last_day)

        try:
            self.result = run(self.policy, self.seed, out=self.folder, progress=watch, **knobs)
        except FMGymError as error:
            self.error = error
        except BaseException as error:  # shown by the main thread
            self.crash = error


def _play(runs: list[Run], workers: int, knobs: dict[str, Any]) -> None:
    """Play all runs, so many at once, in threads: they wait for endpoints nearly all of the time."""
    waiting = iter(runs)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                run = next(waiting, None)
            if run is None:
                return
            run.play(knobs)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, len(runs)))]
    with common.Bar("llm:", "days") as bar:
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                _show_progress(bar, runs)
                time.sleep(REFRESH)
        except KeyboardInterrupt:
            for run in runs:
                run.policy.stopped.set()
            for thread in threads:
                thread.join(REFRESH)
            raise common.Interrupted("interrupted; the same command goes on where it stopped") from None
    for run in runs:
        if run.crash:
            raise run.crash


def _show_progress(bar: common.Bar, runs: list[Run]) -> None:
    """One bar for all runs: days played, what the runs under way do, and what all have used."""
    done, total = (sum(run.days[i] for run in runs) for i in (0, 1))
    accounts = [run.policy.spent for run in runs]
    doing = [f"seed {run.seed} {run.policy.state}" for run in runs if run.policy.state and not run.over]
    cost = _dollars([account.cost for account in accounts])
    tokens = sum(account.tokens for account in accounts)
    bar.move(done, total, " · ".join([*doing[:4], f"{tokens:,} tokens", cost]))


def _dollars(costs: list[Any]) -> str:
    return "cost unknown" if any(isinstance(cost, str) for cost in costs) else f"${sum(costs):.2f}"


def _accounts(run: Run) -> dict[str, Any]:
    """What a run has cost, also if it was finished before."""
    from fmgym import runlog

    kept = runlog.kept(run.folder).get("account") if run.result else None
    return kept or run.policy.spent.as_dict()


def _report(runs: list[Run], json_: Path | None) -> int:
    """Results, what is unfinished, and the exit status."""
    from rich.table import Table

    rows = [{"seed": run.seed, "folder": str(run.folder), "account": _accounts(run)} for run in runs]
    for row, run in zip(rows, runs, strict=True):
        row["result"] = asdict(run.result) if run.result else None
        row["error"] = str(run.error) if run.error else None
    common.write_json(json_, {"runs": rows})
    columns = ("seed", "score", "settle", "stops", "turns", "fresh input", "cached", "output", "cost", "malformed")
    table = Table(*columns, box=None, pad_edge=False)
    for column in table.columns:
        column.justify = "right"
    for row, run in zip(rows, runs, strict=True):
        table.add_row(str(run.seed), *_cells(row["account"], run.result))
    common.out().print(table)
    for run in runs:
        if run.error:
            more = "; the same command goes on" if isinstance(run.error, Paused) else ""
            print(f"fmgym: seed {run.seed}: {' '.join(str(run.error).split())}{more}", file=sys.stderr)
    if not any(run.error for run in runs):
        return 0
    return 2 if all(isinstance(run.error, BadInput) for run in runs if run.error) else 1


def _cells(account: Any, result: RunResult | None) -> list[str]:
    usage, cost = account["usage"], account["cost_usd"]
    tokens = [usage[name] for name in ("fresh_input", "cached", "output")] if isinstance(usage, dict) else [usage] * 3
    return [
        f"{result.score:.2f}" if result else "-",
        result.settle if result else "unfinished",
        str(account["stops"]),
        str(account["text"]["turns"]),
        *[f"{n:,}" if isinstance(n, int) else n for n in tokens],
        cost if isinstance(cost, str) else f"${cost:.2f}",
        str(account["text"]["malformed"]),
    ]
