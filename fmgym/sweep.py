"""Many independent tasks over processes or a cluster. What has ended is kept; a sweep started again goes on."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from typing import Any, TypeVar

from fmgym.errors import BadInput, CheckFailed

BACKENDS = ("processes", "ray")
RETRIES = 5  # of a task whose worker is lost; one that kills its workers itself must end
Result = TypeVar("Result")


@dataclass(frozen=True)
class Workers:
    """Who does the work: ``jobs`` processes here, or the Ray cluster at ``address`` (None: one on this machine).

    With Ray ``jobs`` is how many tasks run at once at most, None as many as the cluster has cores.
    """

    jobs: int | None = 1
    backend: str = "processes"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise BadInput(f"backend must be {' or '.join(BACKENDS)}, not {self.backend!r}")
        if self.jobs is not None and self.jobs < 1:
            raise BadInput(f"jobs takes a whole number from 1, not {self.jobs}")
        if self.address and self.backend != "ray":
            raise BadInput("an address is a Ray cluster's; give the backend ray too")


def sweep(
    call: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    workers: Workers = Workers(),
) -> Generator[tuple[int, Result], None, None]:
    """Yield ``(i, call(*tasks[i]))`` as the tasks end, in any order.

    The first error of a task ends the sweep with it, as closing the iterator does; what still runs is stopped.
    A worker that is lost (killed, its machine gone) is replaced and its task is done again.
    """
    if workers.backend == "ray":
        from fmgym.cluster import spread

        return spread(call, tasks, workers.jobs, workers.address, RETRIES)
    if workers.jobs == 1 or len(tasks) <= 1:
        return ((i, call(*task)) for i, task in enumerate(tasks))
    return _processes(call, tasks, workers.jobs or os.cpu_count() or 1)


def _processes(
    call: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[tuple[int, Result], None, None]:
    missing = dict(enumerate(tasks))
    for _ in range(1 + RETRIES):
        try:
            for i, result in _pool(call, missing, jobs):
                del missing[i]
                yield i, result
            return
        except BrokenProcessPool:
            continue
    raise CheckFailed(f"a process of the sweep was killed {1 + RETRIES} times (out of memory?); try fewer jobs")


def _pool(
    call: Callable[..., Result], tasks: Mapping[int, tuple[Any, ...]], jobs: int
) -> Generator[tuple[int, Result], None, None]:
    before = set(active_children())
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=get_context("spawn"), initializer=_begin)
    try:
        futures = {pool.submit(call, *task): i for i, task in tasks.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:  # GeneratorExit too: the caller has had enough
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(active_children()) - before:
            process.terminate()
        raise
    pool.shutdown()


def _begin() -> None:
    """Ctrl-C reaches the whole terminal, and the parent answers it. A worker whose parent is killed ends too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=[parent_process()], daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


class Sheet:
    """Results of a sweep on disk, a JSON line each below a header that says under which conditions they were made.

    ``rows`` has what is there already, by key. A line that a kill cut off is dropped. Raises ``BadInput`` for a
    file that is no sheet, or one of other conditions.
    """

    def __init__(self, path: str | os.PathLike[str], conditions: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.rows: dict[str, Any] = {}
        header = json.loads(json.dumps({"conditions": dict(conditions)}))
        try:
            whole = self._read(header)
            self._file = self.path.open("r+b" if whole else "wb")
            self._file.truncate(whole)
            self._file.seek(whole)
        except OSError as error:
            raise BadInput(f"{self.path} cannot hold results: {error.strerror}") from None
        if not whole:
            self._write(header)

    def _read(self, header: dict[str, Any]) -> int:
        """Take in what is there; how many bytes of it are whole lines."""
        if not self.path.exists():
            return 0
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if content and not whole:
            raise BadInput(f"{self.path} holds no results of a sweep; name another file")
        try:
            lines = [json.loads(line) for line in content[:whole].splitlines()]
            rows = {line["key"]: line["row"] for line in lines[1:]}
            conditions = lines[0]["conditions"] if lines else header["conditions"]
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{self.path} holds no results of a sweep; name another file") from None
        for name, value in header["conditions"].items():
            if conditions.get(name) != value:
                raise BadInput(
                    f"{self.path} holds results with {name} {conditions.get(name)!r}, not {value!r};"
                    " give the same options or another file"
                )
        self.rows = rows
        return whole

    def add(self, key: str, row: Any) -> None:
        """Keep a result: it is on disk when this returns."""
        self._write({"key": key, "row": row})
        self.rows[key] = row

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Sheet:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
