"""Tasks on a Ray cluster (extra ``cluster``): the backend ``ray`` of `fmgym.sweep`."""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from fmgym.errors import BadInput

PATIENCE = 10  # seconds to wait for a cluster's port
Result = TypeVar("Result")


def spread(
    call: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int | None,
    address: str | None,
    retries: int,
) -> Generator[tuple[int, Result], None, None]:
    """Yield ``(i, call(*tasks[i]))`` as tasks end.

    A task whose worker or node is lost is done again, up to ``retries`` times.
    fmgym must be installed, in the same version, on every node. A session that is open already is used and left
    open; else one is opened at ``address`` (None: a new one on this machine) and closed at the end.
    """
    ray = _import()
    opened = not ray.is_initialized()
    if opened:
        _connect(ray, address)
    try:
        yield from _results(ray, call, tasks, jobs or int(ray.cluster_resources().get("CPU", 1)), retries)
    finally:
        if opened:
            ray.shutdown()


def _results(
    ray: Any, call: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], jobs: int, retries: int
) -> Generator[tuple[int, Result], None, None]:
    """At most ``2 * jobs`` tasks are in flight, so that ten thousand of them do not crowd the scheduler."""
    remote = ray.remote(num_cpus=1, max_retries=retries)(_work)
    waiting = iter(enumerate(tasks))
    running: dict[Any, int] = {}
    try:
        while True:
            while len(running) < 2 * jobs and (task := next(waiting, None)) is not None:
                running[remote.remote(call, *task[1])] = task[0]
            if not running:
                return
            done, _ = ray.wait(list(running))
            for ref in done:
                yield running.pop(ref), _get(ray, ref)
    finally:
        for ref in running:
            ray.cancel(ref, force=True)


def _work(call: Callable[..., Result], *task: Any) -> Result:
    """Ray takes plain functions only."""
    return call(*task)


def _get(ray: Any, ref: Any) -> Any:
    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None


def _import() -> Any:
    try:
        import ray
    except ImportError:
        raise BadInput('the backend ray needs the extra `cluster`: pip install "fmgym[cluster]"') from None
    return ray


def _connect(ray: Any, address: str | None) -> None:
    try:
        if address not in (None, "auto", "local"):  # Ray itself would try for minutes
            place = urlsplit(address if "//" in address else f"//{address}")
            socket.create_connection((place.hostname, place.port), timeout=PATIENCE).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"no Ray cluster answers at {address!r} ({error}); give HOST:PORT or auto") from None
