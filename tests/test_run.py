"""The runner: complete results, ladders that do not depend on the number of processes."""

import math
import operator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fmgym.baselines import make
from fmgym.errors import BadInput
from fmgym.run import Ladder, RunResult, ladder, run
from fmgym.session import Session
from fmgym.sweep import Workers

FIELDS = [
    "policy",
    "seed",
    "seasons",
    "score",
    "s_raw",
    "rho",
    "honors",
    "value_added",
    "squad_value",
    "deaths",
    "settle",
    "settle_year",
    "stops",
    "turns",
    "calls",
    "seconds",
    "digest",
    "seasons_table",
    "stamp",
]


def test_result_has_every_field_and_they_agree() -> None:
    result = run(make("heuristic"), 11, 2)
    fields = asdict(result)
    assert set(fields) == set(FIELDS)
    assert result.settle == "completed"
    assert math.isclose(result.score, result.rho * max(result.s_raw, 0) + min(result.s_raw, 0))
    assert [row["season"] for row in result.seasons_table] == [1, 2]
    assert set(result.seasons_table[0]) >= {"position", "points", "honors", "net_worth", "squad_value", "score"}
    assert result.seasons_table[-1]["score"] == pytest.approx(result.score)
    assert result.stamp["policy"] == "heuristic"
    assert {"engine", "commit", "params_hash", "score_version", "opponents", "draft"} <= set(result.stamp)


def test_changed_parameters_change_stamp_and_run() -> None:
    plain = run(make("idle"), 1, 1)
    changed = run(make("idle"), 1, 1, params={"money.overhead": 0.0})
    assert changed.stamp["params"] == {"money.overhead": 0.0}
    assert changed.stamp["params_hash"] != plain.stamp["params_hash"]
    assert changed.value_added > plain.value_added


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seasons": 0}, "seasons must be 1 to 20"),
        ({"opponents": "tough"}, "opponents must be one of"),
        ({"draft": "mine"}, "draft must be agent or auto"),
        ({"params": {"no.such": 1}}, "no parameter 'no.such'"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        run(make("idle"), 1, **({"seasons": 1} | options))  # type: ignore[arg-type]


def test_stop_left_open_is_advanced_and_reset_is_called() -> None:
    class Sleeper:
        name = "sleeper"
        seeds: list[int] = []  # noqa: RUF012

        def reset(self, seed: int) -> None:
            self.seeds.append(seed)

        def play(self, stop: object) -> None:
            pass

    days: list[int] = []
    policy = Sleeper()
    result = run(policy, 2, 1, progress=lambda session: days.append(int(session.world.w.day)))
    assert policy.seeds == [2]
    assert days == sorted(set(days))
    assert days[-1] == 359
    assert result.digest == run(make("idle"), 2, 1).digest


def test_ladder_does_not_depend_on_jobs() -> None:
    policies, seeds = [make("idle"), make("random")], [3, 1]
    alone, shared = (ladder(policies, seeds, Workers(jobs), seasons=1) for jobs in (1, 2))
    assert [replace(r, seconds=0) for r in alone.results] == [replace(r, seconds=0) for r in shared.results]
    assert [(r.policy, r.seed) for r in alone.results] == [("idle", 3), ("idle", 1), ("random", 3), ("random", 1)]
    assert alone.summary == shared.summary


def test_interrupted_ladder_runs_only_the_rest(tmp_path: Path) -> None:
    def interrupt(_: RunResult) -> None:
        raise KeyboardInterrupt

    file, policies = tmp_path / "ladder.jsonl", [make("idle"), make("random")]
    with pytest.raises(KeyboardInterrupt):
        ladder(policies, [3, 1], seasons=1, keep=file, progress=interrupt)
    kept = file.read_bytes()
    seen: list[RunResult] = []
    whole = ladder(policies, [3, 1], seasons=1, keep=file, progress=seen.append)
    assert file.read_bytes().startswith(kept)
    assert len(file.read_text().splitlines()) == 1 + len(seen) == 5
    refusing = [SimpleNamespace(name=policy.name, play=operator.index) for policy in policies]
    assert ladder(refusing, [1, 3], seasons=1, keep=file).summary == whole.summary
    with pytest.raises(BadInput, match="seasons 1, not 2"):
        ladder(policies, [3], seasons=2, keep=file)


def test_summary_counts() -> None:
    one = run(make("idle"), 1, 1)
    two = replace(one, seed=2, score=one.score + 4, deaths=one.deaths + 1, settle="fired")
    row = Ladder([one, two]).summary["idle"]
    assert row["n"] == 2
    assert row["mean"] == pytest.approx(one.score + 2)
    assert row["sd"] == pytest.approx(math.sqrt(8))
    assert row["deaths"] == 2 * one.deaths + 1
    assert row["completed"] == 1
    assert Ladder([one]).summary["idle"]["sd"] == 0.0


def test_failing_policy_ends_a_ladder_with_its_error() -> None:
    failing = SimpleNamespace(name="failing", play=operator.index)  # a policy that other processes can import
    with pytest.raises(TypeError, match="'Stop' object cannot be interpreted"):
        ladder([failing], [1, 2, 3], Workers(2), seasons=1)


def test_progress_sees_the_session() -> None:
    seen: list[Session] = []
    run(make("idle"), 1, 1, progress=seen.append)
    assert seen[-1].finished
