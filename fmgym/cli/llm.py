"""`fmgym llm`: a language model, or another agent asked turn by turn, plays runs."""

from __future__ import annotations

import re
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fmgym.cli import agents, common
from fmgym.errors import BadInput, FMGymError, Paused

if TYPE_CHECKING:
    from fmgym.baselines.llm.account import Account
    from fmgym.baselines.llm.policy import AgentPolicy
    from fmgym.run import RunResult

REFRESH = 0.25  # seconds between looks at how far the runs are


def llm(
    seeds: Annotated[
        str, typer.Option("--seeds", "--seed", metavar="LIST", help="Seeds: 1,2,3 or 1-20.", show_default=False)
    ],
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model's id.", show_default=False)] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="An endpoint that speaks OpenAI's chat completions.")
    ] = None,
    provider: Annotated[str, typer.Option(metavar="NAME", help="The client: openai or anthropic.")] = agents.DEFAULTS[
        "provider"
    ],
    agent_cmd: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="A program of your own that is asked (docs/agents.md).")
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="A small model on this machine (docs/local.md).")] = False,
    speaks: Annotated[
        str, typer.Option(metavar="FORM", help="tools, or json for models without tool calls.")
    ] = agents.DEFAULTS["speaks"],
    temperature: Annotated[str | None, typer.Option(metavar="NUMBER", help="By default the endpoint's own.")] = None,
    reasoning: Annotated[
        str | None, typer.Option(metavar="WORD", help="How much is thought, in the endpoint's words: low, high, ...")
    ] = None,
    max_output: Annotated[str | None, typer.Option(metavar="N", help="Most tokens of one reply.")] = None,
    timeout: Annotated[str, typer.Option(metavar="SECONDS", help="Wait for one reply.")] = agents.DEFAULTS["timeout"],
    memory: Annotated[
        str, typer.Option(metavar="KIND", help="stop: the notebook alone; session: earlier stops too.")
    ] = agents.DEFAULTS["memory"],
    max_context: Annotated[str, typer.Option(metavar="N", help="Most tokens of a conversation.")] = agents.DEFAULTS[
        "max-context"
    ],
    patience: Annotated[
        str, typer.Option(metavar="SECONDS", help="Waiting for one turn, all retries together.")
    ] = agents.DEFAULTS["patience"],
    on_failure: Annotated[
        str, typer.Option(metavar="WHAT", help="pause, or continue with the turn recorded as failed.")
    ] = agents.DEFAULTS["on-failure"],
    max_usd: Annotated[str | None, typer.Option(metavar="N", help="Pause a run when it has cost so much.")] = None,
    max_tokens: Annotated[str | None, typer.Option(metavar="N", help="Pause a run when it has used so many.")] = None,
    prices: Annotated[str | None, typer.Option(metavar="FILE", help="Another table of prices.")] = None,
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
    from fmgym.state import YEAR

    if sum(map(bool, (model, agent_cmd, local))) != 1:
        raise BadInput("name who is asked by one of --model, --agent-cmd and --local")
    if agent_cmd or local:
        provider, model = ("process", agent_cmd) if agent_cmd else ("local", "local")
    options = {
        "provider": provider,
        "base-url": base_url,
        "speaks": speaks,
        "temperature": temperature,
        "reasoning": reasoning,
        "max-output": max_output,
        "timeout": timeout,
        "memory": memory,
        "max-context": max_context,
        "patience": patience,
        "on-failure": on_failure,
        "max-usd": max_usd,
        "max-tokens": max_tokens,
        "prices": prices,
    }
    knobs = common.knobs(seasons, opponents, draft, set_)
    common.check_outputs(json_)
    chosen, workers = common.seeds(seeds), agents.count(jobs, "jobs") or 1
    folder = out or Path("runs") / re.sub(r"[^A-Za-z0-9._-]+", "-", str(model))
    days = (0, YEAR * knobs["seasons"] - 1)
    runs = [Run(seed, folder / f"seed-{seed}", agents.policy(str(model), options), days) for seed in chosen]
    _play(runs, workers, knobs)
    return _report(runs, json_)


@dataclass
class Run:
    """One seed's run: how far it is and how it ended."""

    seed: int
    folder: Path
    policy: AgentPolicy
    days: tuple[int, int]  # played, of how many
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
    bar.move(done, total, " · ".join([*doing[:4], _tokens(accounts), cost]))


def _tokens(accounts: list[Account]) -> str:
    tokens = sum(account.tokens for account in accounts)
    return "tokens unknown" if not tokens and any(a.usage_unknown for a in accounts) else f"{tokens:,} tokens"


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
