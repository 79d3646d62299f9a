"""The one runner: a policy through a solo run, many of them as a ladder, and a finished run verified."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fmgym import runlog
from fmgym.errors import BadInput, CheckFailed
from fmgym.params import Params
from fmgym.policy import Policy, RecordKeeper
from fmgym.runlog import RunLog
from fmgym.session import Session
from fmgym.stamp import stamp
from fmgym.sweep import Sheet, Workers, sweep

Progress = Callable[[Session], None]  # called after every stop
SEAT = 0


@dataclass(frozen=True)
class RunResult:
    """How a run ended. Money in millions, ``value_added`` and ``squad_value`` in money of day 0."""

    policy: str
    seed: int
    seasons: int
    score: float
    s_raw: float
    rho: float
    honors: int
    value_added: float
    squad_value: float
    deaths: int
    settle: str  # completed, fired, insolvent or abandoned
    settle_year: float  # years played
    stops: int
    turns: int
    calls: int
    seconds: float
    digest: str
    seasons_table: list[dict[str, Any]]
    stamp: dict[str, Any]


@dataclass(frozen=True)
class Ladder:
    """Runs of several policies on the same seeds, and per policy n, mean, sd, deaths, completed."""

    results: list[RunResult]

    @property
    def summary(self) -> dict[str, dict[str, float]]:
        names = dict.fromkeys(result.policy for result in self.results)
        return {name: _summary([r for r in self.results if r.policy == name]) for name in names}

    def as_dict(self) -> dict[str, Any]:
        """As ``ladder --json`` writes it."""
        return {"results": [asdict(result) for result in self.results], "summary": self.summary}


def _summary(results: Sequence[RunResult]) -> dict[str, float]:
    scores = [result.score for result in results]
    return {
        "n": len(scores),
        "mean": statistics.fmean(scores),
        "sd": statistics.stdev(scores) if len(scores) > 1 else 0.0,
        "deaths": sum(result.deaths for result in results),
        "completed": sum(result.settle == "completed" for result in results),
    }


def run(
    policy: Policy,
    seed: int,
    seasons: int = 20,
    opponents: str = "tiered",
    draft: str = "agent",
    params: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Play a run to its end.

    ``params`` are changes of parameters, ``{"market.heat": 0.3}``. With ``out`` the run is kept in that
    folder and can be interrupted at any moment: the same call goes on where it stopped, to the same end.
    """
    start = time.perf_counter()
    keeper = policy if isinstance(policy, RecordKeeper) else None
    mark = stamp(
        policy=policy.name,
        seed=seed,
        seasons=seasons,
        opponents=opponents,
        draft=draft,
        changes=params,
        agent=keeper.stamp if keeper else None,
    )
    session = _open(mark)
    paid = keeper is not None
    log = RunLog.open(out, mark, every_turn=paid, whole_stops=paid) if out is not None else None
    if log and log.result:
        log.close()
        return RunResult(**log.result)
    mark = log.stamp if log else mark
    try:
        if keeper:
            keeper.attach(Path(out) if out is not None else None, mark)
        if log:
            log.resume(session)
            log.follow(session)
        _play(policy, session, log, progress)
        result = _result(session, mark, time.perf_counter() - start)
        if log:
            log.finish(asdict(result), **({"account": keeper.account()} if keeper else {}))
        return result
    finally:
        if keeper:
            keeper.detach()
        if log:
            log.close()


def _open(mark: Mapping[str, Any]) -> Session:
    return Session.open(
        mark["seed"],
        seasons=mark["seasons"],
        opponents=mark["opponents"],
        draft=mark["draft"],
        params=Params.default().replace(mark["params"]),
    )


def _play(policy: Policy, session: Session, log: RunLog | None, progress: Progress | None) -> None:
    reset = getattr(policy, "reset", None)
    if reset:
        reset(int(session.world.w.seed))
    while not session.finished:
        stop = session.stop(SEAT)
        policy.play(stop)
        if stop.open:
            stop.call("advance")
        if log:
            log.stop_ended(session)
        if progress:
            progress(session)


def _result(session: Session, mark: dict[str, Any], seconds: float) -> RunResult:
    return RunResult(
        policy=mark["policy"],
        seed=mark["seed"],
        seasons=mark["seasons"],
        seconds=round(seconds, 3),
        digest=session.digest(),
        stamp=mark,
        **session.result(SEAT),
    )


def replay(folder: str | os.PathLike[str], progress: Progress | None = None) -> RunResult:
    """Execute a finished run's log again. Raises ``CheckFailed`` naming the first line that does not hold."""
    kept, lines = runlog.read(folder)
    mark = lines[0].content["stamp"]
    claimed = kept.get("result")
    if kept.get("stamp") != mark:
        raise CheckFailed(f"{runlog.ACTIONS} line 1 does not hold: its stamp is not the one of {runlog.RUN}")
    _same_engine(mark)
    session = _open(mark)
    try:
        runlog.execute(session, lines[1:], progress)
    except runlog.Fault as fault:
        raise CheckFailed(str(fault)) from None
    if not session.finished or "digest" not in lines[-1].content or not isinstance(claimed, dict):
        raise CheckFailed(f"{runlog.ACTIONS} line {len(lines)} is the last, but the run is not over")
    result = _result(session, mark, 0.0)
    own = asdict(result)
    for name in own | claimed:
        if name != runlog.UNTIMED and claimed.get(name) != own.get(name):
            raise CheckFailed(
                f"{runlog.RUN} does not hold: {name} is {claimed.get(name)!r}, the log gives {own.get(name)!r}"
            )
    if kept.get("log") != lines[-1].hash or kept.get("seal") != runlog.seal(claimed, lines[-1].hash):
        raise CheckFailed(f"{runlog.RUN} does not hold: its result does not belong to the last line of the log")
    return replace(result, seconds=claimed[runlog.UNTIMED])


def _same_engine(mark: Mapping[str, Any]) -> None:
    """Refuse to verify what another engine has played: it may well differ."""
    try:
        knobs = {name: mark[name] for name in ("policy", "seed", "seasons", "opponents", "draft")}
        own = stamp(**knobs, changes=mark["params"])
    except (KeyError, TypeError, AttributeError, BadInput) as error:
        raise CheckFailed(f"{runlog.ACTIONS} line 1 does not hold: its stamp opens no run ({error})") from None
    for name in ("track", "engine", "params_hash", "score_version"):
        if mark.get(name) != own[name]:
            theirs = f"it has {name} {mark.get(name)!r}, this engine {own[name]!r}"
            raise CheckFailed(f"{runlog.ACTIONS} line 1 does not hold: {theirs}")


def ladder(
    policies: Sequence[Policy],
    seeds: Sequence[int],
    workers: Workers = Workers(),  # noqa: B008  (frozen)
    *,
    seasons: int = 20,
    opponents: str = "tiered",
    draft: str = "agent",
    params: Mapping[str, Any] | None = None,
    keep: str | os.PathLike[str] | None = None,
    progress: Callable[[RunResult], None] | None = None,
) -> Ladder:
    """Run every policy on every seed. Results do not depend on who does the work.

    With ``keep``, a file, each result is on disk as soon as it is there, and the same call, or one with more
    policies and seeds, runs only what is missing. ``progress`` is called with each result, kept ones too.
    """
    knobs: dict[str, Any] = {"seasons": seasons, "opponents": opponents, "draft": draft, "params": params}
    tasks = [(policy, seed) for policy in policies for seed in seeds]
    found: dict[tuple[str, int], RunResult] = {}
    with contextlib.ExitStack() as stack:
        sheet = stack.enter_context(Sheet(keep, _conditions(knobs))) if keep is not None else None

        def take(result: RunResult) -> None:
            found[result.policy, result.seed] = result
            if progress:
                progress(result)

        missing = []
        for policy, seed in tasks:
            row = sheet.rows.get(f"{policy.name} {seed}") if sheet else None
            if row:
                take(RunResult(**row))
            else:
                missing.append((policy, seed))
        results = stack.enter_context(contextlib.closing(sweep(partial(run, **knobs), missing, workers)))
        for _, result in results:
            if sheet:
                sheet.add(f"{result.policy} {result.seed}", asdict(result))
            take(result)
    return Ladder([found[policy.name, seed] for policy, seed in tasks])


def _conditions(knobs: Mapping[str, Any]) -> dict[str, Any]:
    """What all runs of a ladder have in common."""
    shared = {name: value for name, value in knobs.items() if name != "params"}
    mark = stamp(policy="", seed=0, changes=knobs["params"], **shared)
    return {name: value for name, value in mark.items() if name not in ("policy", "seed")}
