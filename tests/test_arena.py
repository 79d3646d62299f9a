"""The runner over many seats: results, logs, resuming, replay, the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from fmgym import runlog
from fmgym.arena import ArenaResult
from fmgym.baselines import make
from fmgym.cli import main
from fmgym.errors import BadInput, CheckFailed
from fmgym.policy import Policy
from fmgym.run import arena, replay, run
from fmgym.session import Session
from fmgym.stop import Stop

MIXED = {0: "heuristic", 1: "random", 2: "idle", 5: "random", 9: "heuristic"}


def table(names: dict[int, str] = MIXED) -> dict[int, Policy]:
    return {seat: make(name) for seat, name in names.items()}


@pytest.fixture(scope="module")
def mixed() -> ArenaResult:
    return arena(table(), 7, 2)


def untimed(result: ArenaResult) -> dict[str, Any]:
    return asdict(replace(result, seconds=0.0))


def test_a_result_has_a_row_for_each_seat(mixed: ArenaResult) -> None:
    solo = set(asdict(run(make("idle"), 1, 1)))
    assert [(row["seat"], row["club"], row["policy"]) for row in mixed.seats] == [
        (seat, f"C{seat + 1:02}", name) for seat, name in MIXED.items()
    ]
    for row in mixed.seats:
        assert set(row) == (solo - {"seed", "seasons", "seconds", "digest", "stamp"}) | {"seat", "club"}
        assert [season["season"] for season in row["seasons_table"]] == [1, 2]
    assert [row["score"] for row in mixed.ranking] == sorted((row["score"] for row in mixed.seats), reverse=True)
    assert mixed.policy == mixed.stamp["policy"] == {str(seat): name for seat, name in MIXED.items()}
    assert mixed.stamp["track"] == "arena"


def test_champions_are_those_who_finished_first(mixed: ArenaResult) -> None:
    assert [row["season"] for row in mixed.champions] == [1, 2]
    for row in mixed.champions:
        firsts = [s["seat"] for s in mixed.seats if s["seasons_table"][row["season"] - 1]["position"] == 1]
        assert firsts == ([row["seat"]] if row["seat"] is not None else [])
        assert row["policy"] == (MIXED[row["seat"]] if row["seat"] is not None else None)


def test_repeats_count_champions_who_won_again(mixed: ArenaResult) -> None:
    rows = [{"club": club} for club in ("C01", "C01", "C02", "C02", "C02", "C01")]
    assert replace(mixed, champions=rows).repeats == 3


def test_transfers_between_seats_are_listed() -> None:
    """A seller who takes every bid, a buyer who bids for everybody: their deals, and no others, are there."""

    class Buyer:
        name = "buyer"

        def play(self, stop: Stop) -> None:
            for offer in stop.packet.offers:
                stop.call("respond_to_offer", offer_id=offer["id"], response="accept")
            for row in stop.call("get_transfer_market", kind="all", sort="wage", limit=40).data.get("players", []):
                if row["club"] == "C02":
                    stop.call("make_transfer_offer", player_id=row["id"], amount_m=round(row["value_m"] + 0.2, 2))

    class Seller:
        name = "seller"

        def play(self, stop: Stop) -> None:
            for offer in stop.packet.offers:
                stop.call("respond_to_offer", offer_id=offer["id"], response="accept")

    result = arena({0: Buyer(), 1: Seller()}, 3, 1)
    assert result.transfers
    assert {(row["from"], row["to"]) for row in result.transfers} == {(1, 0)}
    assert all(row["fee_m"] > 0 for row in result.transfers)


def test_the_order_in_which_policies_are_named_changes_nothing(mixed: ArenaResult) -> None:
    again = arena(dict(reversed(table().items())), 7, 2)
    assert untimed(again) == untimed(mixed)


# Folders


class Killed(Exception):
    """Stands for a kill: nothing of the run is told."""


class Dying:
    """Plays like another policy and dies inside a stop."""

    def __init__(self, policy: Policy, stop: int) -> None:
        self.policy, self.stop, self.name = policy, stop, policy.name

    def play(self, stop: Stop) -> None:
        if stop.number == self.stop:
            stop.call("get_squad")
            raise Killed
        self.policy.play(stop)


@pytest.mark.parametrize("at", [1, 9, 25])
def test_a_killed_arena_goes_on_to_the_same_end(mixed: ArenaResult, tmp_path: Path, at: int) -> None:
    dying = table() | {5: Dying(make("random"), at)}
    with pytest.raises(Killed):
        arena(dying, 7, 2, out=tmp_path)
    kept = (tmp_path / runlog.ACTIONS).read_bytes()
    assert untimed(arena(table(), 7, 2, out=tmp_path)) == untimed(mixed)
    assert (tmp_path / runlog.ACTIONS).read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    assert untimed(arena(table({0: "idle"} | MIXED), 7, 2, out=tmp_path)) == untimed(mixed)  # ended: taken from there


def test_replay_holds_and_names_what_does_not(mixed: ArenaResult, tmp_path: Path) -> None:
    seen: list[int] = []
    arena(table(), 7, 2, out=tmp_path, progress=lambda session: seen.append(int(session.world.w.day)))
    assert seen == sorted(seen)
    again = replay(tmp_path)
    assert isinstance(again, ArenaResult)
    assert untimed(again) == untimed(mixed)
    log = tmp_path / runlog.ACTIONS
    lines = log.read_text().splitlines(keepends=True)
    moved = next(i for i, line in enumerate(lines) if '"seat":5' in line)
    log.write_text("".join(lines[:moved] + [lines[moved].replace('"seat":5', '"seat":1')] + lines[moved + 1 :]))
    with pytest.raises(CheckFailed, match=f"line {moved + 1} "):
        replay(tmp_path)


@pytest.mark.parametrize(
    "other", [{0: "heuristic"}, {**MIXED, 5: "idle"}, {**MIXED, 6: "idle"}], ids=["fewer", "others", "more"]
)
def test_other_seats_do_not_resume_a_folder(tmp_path: Path, other: dict[int, str]) -> None:
    arena(table(), 7, 1, out=tmp_path)
    with pytest.raises(BadInput, match="policy"):
        arena(table(other), 7, 1, out=tmp_path)


def test_a_paid_policy_keeps_its_record_in_a_folder_of_its_seat(tmp_path: Path) -> None:
    class Paid:
        name, stamp = "paid", {"model": "none"}
        folders: list[Path | None] = []  # noqa: RUF012

        def play(self, stop: Stop) -> None:
            pass

        def attach(self, folder: Path | None, stamp: Any) -> None:
            self.folders.append(folder)

        def account(self) -> dict[str, Any]:
            return {"cost": 3}

        def detach(self) -> None:
            self.folders.append(None)

    paid = Paid()
    result = arena({0: make("idle"), 3: paid}, 1, 1, out=tmp_path)
    assert paid.folders == [tmp_path / "seat_3", None]
    assert paid.folders[0] is not None and paid.folders[0].is_dir()
    assert result.stamp["agent"] == {"3": {"model": "none"}}
    assert json.loads((tmp_path / runlog.RUN).read_text())["account"] == {"3": {"cost": 3}}


# The command line


def lines_of(capsys: pytest.CaptureFixture[str], arguments: Sequence[str], status: int = 0) -> str:
    assert main(["arena", *arguments]) == status
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_the_command_ranks_seats_and_writes_json(
    mixed: ArenaResult, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seats = [part for seat, name in MIXED.items() for part in ("--seat", f"{seat}={name}")]
    file = tmp_path / "arena.json"
    text = lines_of(
        capsys, ["--seed", "7", "--seasons", "2", *seats, "--out", str(tmp_path / "run"), "--json", str(file)]
    )
    written = json.loads(file.read_text())
    assert written | {"seconds": 0} == json.loads(json.dumps(untimed(mixed))) | {"seconds": 0}
    for row in mixed.seats:
        assert f"{row['score']:.2f}" in text
    assert "champions by season" in text
    assert main(["replay", str(tmp_path / "run")]) == 0
    assert "5 seats on seed 7" in capsys.readouterr().out


def test_a_range_fills_several_seats(capsys: pytest.CaptureFixture[str]) -> None:
    text = lines_of(capsys, ["--seed", "1", "--seasons", "1", "--seat", "2-4=idle"])
    assert [line.split()[1] for line in text.splitlines()[1:4]].count("3") == 1


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ([], "at least one seat"),
        (["0"], "NUMBER=POLICY"),
        (["x=idle"], "NUMBER=POLICY"),
        (["0=nobody"], "no policy 'nobody'"),
        (["0=idle", "0-2=random"], "seat 0 twice"),
        (["16=idle"], "0 to 15"),
    ],
)
def test_wrong_seats_are_refused_in_one_line(
    seats: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--seed", "1", "--seasons", "1", *[part for seat in seats for part in ("--seat", seat)]]
    error = lines_of(capsys, arguments, status=2)
    assert message in error
    assert len(error.splitlines()) == 1


def test_the_plot_is_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "arena.png"
    lines_of(capsys, ["--seed", "1", "--seasons", "1", "--seat", "0-1=idle", "--plot", str(file)])
    assert file.read_bytes().startswith(b"\x89PNG")


def test_sessions_of_one_seat_and_of_many_are_the_same_class() -> None:
    assert Session.open(1, seasons=1).seats == [0]
