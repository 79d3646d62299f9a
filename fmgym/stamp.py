"""What a result must say of where it comes from: engine, parameters, score and every knob of the run."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fmgym
from fmgym import score
from fmgym.params import Params
from fmgym.rules import rules_hash
from fmgym.tracks.solo import SOLO
from fmgym.tracks.track import Track


def stamp(
    *,
    policy: str | Mapping[int, str],
    seed: int,
    seasons: int,
    opponents: str,
    draft: str,
    changes: Mapping[str, Any] | None = None,
    agent: Mapping[str, Any] | None = None,
    track: Track = SOLO,
) -> dict[str, Any]:
    """The stamp of a run, as JSON values; ``policy`` by seat where seats are several.

    ``agent``: what bears on the play of an agent that is not one of this package's policies. Raises ``BadInput``
    for changes that are no parameters.
    """
    params = track.fit(Params.default().replace(changes))
    mark = {
        "track": track.name,
        "engine": fmgym.__version__,
        "commit": commit(),
        "params_hash": params.hash,
        "score_version": score.VERSION,
        "policy": policy if isinstance(policy, str) else {str(seat): policy[seat] for seat in sorted(policy)},
        "seed": seed,
        "seasons": seasons,
        "opponents": opponents,
        "draft": draft,
        "params": {path: _plain(params, path) for path in changes or {}},
        "rules_hash": rules_hash(params, seasons, track),
    }
    return mark | {"agent": dict(agent)} if agent else mark


def _plain(params: Params, path: str) -> Any:
    """A parameter's value as JSON has it."""
    group, _, name = path.partition(".")
    value = params.tree()[group][name]
    return list(value) if isinstance(value, tuple) else value


@functools.cache
def commit() -> str | None:
    """The commit checked out around this package, read off git's files; None outside a checkout."""
    root = Path(fmgym.__file__).resolve().parent.parent
    if not (root / "pyproject.toml").is_file():
        return None
    try:
        return _head(root / ".git")
    except (OSError, UnicodeDecodeError):
        return None


def _head(git: Path) -> str | None:
    if git.is_file():  # a worktree: the file names its folder
        git = (git.parent / git.read_text().removeprefix("gitdir:").strip()).resolve()
    head = (git / "HEAD").read_text().strip()
    if not head.startswith("ref:"):
        return head
    ref = head.removeprefix("ref:").strip()
    shared = git / "commondir"
    common = (git / shared.read_text().strip()).resolve() if shared.is_file() else git
    for folder in (git, common):
        if (folder / ref).is_file():
            return (folder / ref).read_text().strip()
    for line in (common / "packed-refs").read_text().splitlines():
        if line.endswith(f" {ref}"):
            return line.split()[0]
    return None
