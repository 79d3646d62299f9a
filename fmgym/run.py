"""The one runner: policies through a run of one seat or many, runs as a ladder, and a finished run verified."""

from __future__ import annotations

import contextlib
import os
import statistics
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fmgym import runlog
from fmgym.arena import ArenaResult
from fmgym.errors import BadInput, CheckFailed, Paused
from fmgym.params import Params
from fmgym.policy import Policy, RecordKeeper
from fmgym.runlog import RunLog
from fmgym.session import Session
from fmgym.stamp import stamp
from fmgym.stop import Call, Packet, Stop
from fmgym.stop import Result as Answer
from fmgym.sweep import Sheet, Workers, sweep
from fmgym.tracks import track_named
from fmgym.tracks.arena import ARENA

Progress = Callable[[Session], None]  # called after every stop, of all seats where they are several


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

    @property
    def headline(self) -> str:
        """One line about it."""
        return f"{self.policy} on seed {self.seed}, score {self.score:.2f}"

    @classmethod
    def of(cls, session: Session, mark: dict[str, Any], seconds: float) -> RunResult:
        """The result of a run that has ended."""
        return cls(
            policy=mark["policy"],
            seed=mark["seed"],
            seasons=mark["seasons"],
            seconds=round(seconds, 3),
            digest=session.digest(),
            stamp=mark,
            **session.result(),
        )


Result = TypeVar("Result", RunResult, ArenaResult)


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
    """Play a solo run to its end.

    ``params`` are changes of parameters, ``{"market.heat": 0.3}``. With ``out`` the run is kept in that
    folder and can be interrupted at any moment: the same call goes on where it stopped, to the same end.
    """
    mark = stamp(
        policy=policy.name,
        seed=seed,
        seasons=seasons,
        opponents=opponents,
        draft=draft,
        changes=params,
        agent=policy.stamp if isinstance(policy, RecordKeeper) else None,
    )
    return _run(RunResult, {0: policy}, mark, out, progress)


def arena(
    policies: Mapping[int, Policy],
    seed: int,
    seasons: int = 20,
    opponents: str = "tiered",
    draft: str = "agent",
    params: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> ArenaResult:
    """Play an Arena to its end: a policy for each seat that is held, scripted managers for the other clubs.

    Any mix of policies; a seat's policy is its own object. The rest is as in ``run``, ``out`` with a folder for each
    seat whose policy keeps a record.
    """
    agents = {str(seat): policy.stamp for seat, policy in policies.items() if isinstance(policy, RecordKeeper)}
    mark = stamp(
        policy={seat: policy.name for seat, policy in policies.items()},
        seed=seed,
        seasons=seasons,
        opponents=opponents,
        draft=draft,
        changes=params,
        agent=agents or None,
        track=ARENA,
    )
    return _run(ArenaResult, policies, mark, out, progress)


def _run(
    kind: type[Result],
    policies: Mapping[int, Policy],
    mark: dict[str, Any],
    out: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> Result:
    """Play a run to its end, or take its result from the folder where it has ended."""
    start = time.perf_counter()
    session = _open(mark)
    keepers = {seat: policy for seat, policy in policies.items() if isinstance(policy, RecordKeeper)}
    paid = bool(keepers)
    log = RunLog.open(out, mark, every_turn=paid, whole_stops=paid) if out is not None else None
    if log and log.result:
        log.close()
        return kind(**log.result)
    mark = log.stamp if log else mark
    try:
        for seat, keeper in keepers.items():
            keeper.attach(_record_folder(out, mark, seat), mark)
        if log:
            log.resume(session)
            log.follow(session)
        _play(policies, keepers, session, log, progress)
        result = kind.of(session, mark, time.perf_counter() - start)
        if log:
            log.finish(asdict(result), **_accounts(keepers, mark))
        return result
    finally:
        for keeper in keepers.values():
            keeper.detach()
        if log:
            log.close()


def _record_folder(out: str | os.PathLike[str] | None, mark: Mapping[str, Any], seat: int) -> Path | None:
    """Where a seat's policy keeps its record: the run's folder, or one in it where seats are several."""
    if out is None or isinstance(mark["policy"], str):
        return None if out is None else Path(out)
    folder = Path(out) / f"seat_{seat}"
    folder.mkdir(exist_ok=True)
    return folder


def _accounts(keepers: Mapping[int, RecordKeeper], mark: Mapping[str, Any]) -> dict[str, Any]:
    """What ``run.json`` says of costs."""
    accounts = {str(seat): keeper.account() for seat, keeper in keepers.items()}
    if not accounts:
        return {}
    return {"account": accounts["0"] if isinstance(mark["policy"], str) else accounts}


def _open(mark: Mapping[str, Any]) -> Session:
    policy = mark["policy"]
    return Session.open(
        mark["seed"],
        seasons=mark["seasons"],
        opponents=mark["opponents"],
        draft=mark["draft"],
        params=Params.default().replace(mark["params"]),
        track=track_named(mark["track"]),
        seats=None if isinstance(policy, str) else [int(seat) for seat in policy],
    )


def _play(
    policies: Mapping[int, Policy],
    slow: Collection[int],
    session: Session,
    log: RunLog | None,
    progress: Progress | None,
) -> None:
    """Rounds: every seat that has a stop plays it, then time has moved.

    Those of the ``slow`` seats, which wait for somebody nearly all of the time, play theirs at the same time. In which
    order seats act makes no difference to the world; the log has it as it was.
    """
    for policy in policies.values():
        reset = getattr(policy, "reset", None)
        if reset:
            reset(int(session.world.w.seed))
    while not session.finished:
        seats = session.open_seats
        for seat in seats:
            if seat not in slow:
                _play_stop(policies[seat], session.stop(seat))
        waited_for = [seat for seat in seats if seat in slow]
        if len(policies) == 1 and waited_for:
            _play_stop(policies[waited_for[0]], session.stop(waited_for[0]))
        elif waited_for:
            _play_at_once({seat: policies[seat] for seat in waited_for}, session)
        if log:
            log.stop_ended(session)
        if progress:
            progress(session)


def _play_stop(policy: Policy, stop: Stop) -> None:
    policy.play(stop)
    if stop.open:
        stop.call("advance")


def _play_at_once(policies: Mapping[int, Policy], session: Session) -> None:
    """Seats' stops in threads. All play to their stops' ends, whatever becomes of others; then the first error, or
    who has paused."""
    table, errors = _Table(session), dict[int, BaseException]()

    def work(seat: int, policy: Policy) -> None:
        try:
            _play_stop(policy, Stop(table, seat))
        except BaseException as error:
            errors[seat] = error

    threads = [threading.Thread(target=work, args=pair, daemon=True) for pair in policies.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors and all(isinstance(error, Paused) for error in errors.values()):
        raise Paused("; ".join(f"seat {seat}: {error}" for seat, error in sorted(errors.items())))
    for _, error in sorted(errors.items()):
        raise error


class _Table:
    """A session for several threads: one turn at a time."""

    def __init__(self, session: Session) -> None:
        self.world = session.world
        self._session = session
        self._lock = threading.Lock()

    def packet(self, seat: int = 0) -> Packet:
        with self._lock:
            return self._session.packet(seat)

    def turn(self, calls: Iterable[Call], seat: int = 0) -> list[Answer]:
        with self._lock:
            return self._session.turn(calls, seat)


def replay(folder: str | os.PathLike[str], progress: Progress | None = None) -> RunResult | ArenaResult:
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
    kind = RunResult if isinstance(mark["policy"], str) else ArenaResult
    result = kind.of(session, mark, 0.0)
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
        knobs = {name: mark[name] for name in ("seed", "seasons", "opponents", "draft")}
        own = stamp(**knobs, policy=mark["policy"], changes=mark["params"], track=track_named(mark["track"]))
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
