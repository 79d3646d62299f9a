"""Training: repeatable, resumable, and its policy the same without torch as with it."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmgym import cli
from fmgym.baselines import make, network
from fmgym.baselines.pilot import Pilot
from fmgym.envs import habits
from fmgym.envs.vector import SoloVectorEnv
from fmgym.errors import BadInput
from fmgym.run import replay, run
from fmgym.session import Session
from fmgym.wrappers import ManagerKnobsVector

torch = pytest.importorskip("torch")
ppo = pytest.importorskip("fmgym.baselines.ppo")  # all that the rl extra brings

TINY = ppo.Args(
    interface="knobs",
    steps=96,
    seasons=1,
    envs=4,
    rollout=12,
    batch=24,
    epochs=2,
    width=16,
    leaning=0.0,
    worlds=20,
    held_out=2,
    evaluations=1,
)


def weights(model):
    return torch.cat([p.detach().reshape(-1) for p in model.policy.parameters()])


def trained(args, out):
    ppo.train(args, out)
    kind = ppo.MaskablePPO if args.interface == "flat" else ppo.PPO
    return weights(kind.load(out / ppo.MODEL))


def untimed(out) -> list[str]:
    """The learning curve but for its last column, seconds."""
    return [line.rpartition(",")[0] for line in (out / ppo.CURVE).read_text().splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("training") / "knobs"
    trained(TINY, out)
    return out


def test_training_is_a_function_of_its_arguments(folder, tmp_path) -> None:
    first = weights(ppo.PPO.load(folder / ppo.MODEL))
    assert torch.equal(first, trained(TINY, tmp_path / "again"))
    assert not torch.equal(first, trained(replace(TINY, seed=2), tmp_path / "other"))


@pytest.mark.parametrize("interface", ["seasons", "knobs", "flat"])
def test_interrupted_and_resumed_it_ends_the_same(interface, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(ppo, "SPACING", 0.0)
    args = replace(TINY, interface=interface)
    whole = trained(args, tmp_path / "whole")

    def interrupt(done: int, steps: int, note: str) -> None:
        if done >= 48:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ppo.train(args, tmp_path / "parts", interrupt)
    assert torch.equal(trained(args, tmp_path / "parts"), whole)
    assert untimed(tmp_path / "parts") == untimed(tmp_path / "whole")


def test_more_steps_train_on_and_another_run_is_refused(folder, tmp_path) -> None:
    out = tmp_path / "longer"
    ppo.train(TINY, out)
    row = ppo.train(replace(TINY, steps=144), out)
    assert row["steps"] == 144
    with pytest.raises(BadInput, match="another seed"):
        ppo.train(replace(TINY, seed=9), out)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(BadInput, match="holds no training run"):
        ppo.train(TINY, tmp_path / "full")


def test_the_network_decides_as_torch_does(folder, tmp_path) -> None:
    model = ppo.PPO.load(folder / ppo.MODEL)
    ppo.export(model, TINY, tmp_path / "last.npz", {})
    net = network.load(tmp_path / "last.npz")
    obs = np.random.default_rng(0).uniform(-1, 2, (200, net.sizes[0])).astype(np.float32)
    mine = network.decide(net.numbers, net.sizes, habits.STEPS, obs)
    theirs, _ = model.predict(obs, deterministic=True)
    assert (mine == theirs).mean() > 0.999
    assert len({row.tobytes() for row in mine}) > 1  # it looks at what it is shown


def test_the_policy_plays_as_its_network_does_in_the_environment(folder, tmp_path) -> None:
    """Same digest through tools and session as through the vector environment; the log replays."""
    pilot = make(str(folder / ppo.POLICY))
    envs = ManagerKnobsVector(SoloVectorEnv(1, seasons=1))
    obs, _ = envs.reset(seed=77)
    net, ended = pilot.network, [False]
    while not ended[0]:
        obs, _, ended, _, infos = envs.step(network.decide(net.numbers, net.sizes, habits.STEPS, obs))
    result = run(pilot, 77, seasons=1, out=tmp_path / "run")
    assert result.digest == infos["final"]["digest"][0]
    assert replay(tmp_path / "run").score == result.score
    assert Pilot(folder / ppo.POLICY).name == "policy"


@pytest.fixture(scope="module")
def seasonal(tmp_path_factory):
    """A policy that sets its knobs once a season, not the same ones in all."""
    out = tmp_path_factory.mktemp("training") / "seasons"
    trained(replace(TINY, interface="seasons", seasons=3, rate=0.1), out)
    return out / ppo.POLICY


def test_knobs_of_a_season_hold_for_its_stops(seasonal) -> None:
    """The same end through tools and notebook as through the environment whose step is a season."""
    pilot = make(str(seasonal))
    envs = ManagerKnobsVector(SoloVectorEnv(1, seasons=3), every="season")
    obs, _ = envs.reset(seed=77)
    net, ended, chosen = pilot.network, [False], []
    while not ended[0]:
        chosen.append(network.decide(net.numbers, net.sizes, habits.STEPS, obs))
        obs, _, ended, _, infos = envs.step(chosen[-1])
    assert len(chosen) == 4
    assert len({knobs.tobytes() for knobs in chosen}) > 1
    result = run(pilot, 77, seasons=3)
    final = infos["final"]
    for name in ("score", "honors", "value_added", "squad_value"):
        assert getattr(result, name) == final[name][0]
    assert make(str(seasonal)).asked(Session.open(77, seasons=3).stop())


def test_a_season_is_planned_by_whoever_plays_its_stops(seasonal) -> None:
    """A fresh pilot on a copy goes on by what stands in the notebook."""
    session = Session.open(3, 1)
    for _ in range(9):
        twin = session.copy()
        for each in (session, twin):
            Pilot(seasonal).play(each.stop())
        assert session.digest() == twin.digest()
        assert not Pilot(seasonal).asked(session.stop()) or session.world.w["day"] < 5


def test_a_file_for_other_knobs_is_refused(folder, tmp_path) -> None:
    with np.load(folder / ppo.POLICY) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    about["knobs"]["wages"][0] += 1
    np.savez(tmp_path / "other.npz", **arrays | {"about": np.array(json.dumps(about))})
    with pytest.raises(BadInput, match="trained for other knobs"):
        network.load(tmp_path / "other.npz")
    (tmp_path / "broken.npz").write_bytes(b"PK")
    for name in ("broken.npz", "missing.npz"):
        with pytest.raises(BadInput, match="holds no policy network"):
            network.load(tmp_path / name)


def test_a_damaged_file_is_refused(folder, tmp_path) -> None:
    """Half a file, layers that lead nowhere, no numbers: one sentence, and no kernel reads beyond an array."""
    whole = (folder / ppo.POLICY).read_bytes()
    for size in (3, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "half.npz").write_bytes(whole[:size])
        with pytest.raises(BadInput, match="holds no policy network"):
            network.load(tmp_path / "half.npz")
    with np.load(folder / ppo.POLICY) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    (tmp_path / "array.npz").write_bytes(_array())
    without = {name: array for name, array in arrays.items() if name != "w1"}
    for damaged in (
        arrays | {"w0": arrays["w0"][:, :10]},
        arrays | {"b0": arrays["b0"][:-1]},
        arrays | {"b1": arrays["b1"] * np.nan},
        arrays | {"w0": arrays["w0"].astype(str)},
        arrays | {"about": np.array(json.dumps(about | {"every": "year"}))},
        without,
        {"about": arrays["about"]},
    ):
        np.savez(tmp_path / "damaged.npz", **damaged)
        with pytest.raises(BadInput, match="holds no policy network"):
            network.load(tmp_path / "damaged.npz")
    np.savez(tmp_path / "list.npz", **arrays | {"about": np.array("[1]")})
    with pytest.raises(BadInput, match="trained for other knobs"):
        network.load(tmp_path / "list.npz")
    with pytest.raises(BadInput, match="holds no policy network"):
        network.load(tmp_path / "array.npz")


def _array():
    """A single array's file, which numpy loads without an archive around it."""
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def test_command_line(folder, tmp_path, capsys) -> None:
    options = ["--steps", "48", "--seasons", "1", "--envs", "4", "--rollout", "12", "--batch", "24", "--epochs", "1"]
    options += ["--width", "16", "--worlds", "20", "--held-out", "2", "--evaluations", "1"]
    command = ["train", "--out", str(tmp_path / "t"), *options, "--json", str(tmp_path / "t.json")]
    assert cli.main(command) == 0
    assert "on 2 unseen worlds: score" in capsys.readouterr().out
    assert json.loads((tmp_path / "t.json").read_text())["steps"] == 48
    assert cli.main([*command, "--envs", "8"]) == 2
    assert "another envs" in capsys.readouterr().err
    assert cli.main(["train", "--out", str(tmp_path / "u"), "--interface", "dict"]) == 2
    assert cli.main(["run", "--policy", str(tmp_path / "none.npz"), "--seed", "1"]) == 2
    assert "holds no policy network" in capsys.readouterr().err


def test_the_curve_is_drawn(tmp_path) -> None:
    """With the training, and from what it kept; refused before anything is computed."""
    pytest.importorskip("matplotlib")
    out, drawn = tmp_path / "t", tmp_path / "curve.svg"
    options = ["--steps", "96", "--seasons", "1", "--envs", "4", "--rollout", "12", "--batch", "24", "--epochs", "1"]
    options += ["--width", "16", "--worlds", "20", "--held-out", "2", "--evaluations", "2"]
    assert cli.main(["train", "--out", str(out), *options, "--plot", str(drawn)]) == 0
    picture = drawn.read_text("utf-8")
    assert picture.startswith("<?xml") and picture.count("<use") > 5  # a mark for each row of the curve
    again = tmp_path / "again.png"
    command = [sys.executable, "-m", "benchmarks.curve", str(out / ppo.CURVE), str(again)]
    root = Path(__file__).parents[2]
    subprocess.run(command, cwd=root, check=True)
    assert again.read_bytes().startswith(b"\x89PNG")
    for other in (Path(__file__), tmp_path / "none.csv"):
        refused = subprocess.run([*command[:3], str(other), str(again)], cwd=root, capture_output=True, text=True)
        assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1 and other.name in refused.stderr
    assert cli.main(["train", "--out", str(tmp_path / "u"), *options, "--plot", str(tmp_path / "curve.foo")]) == 2
    assert not (tmp_path / "u").exists()


def test_the_trained_policy_that_ships_plays_by_its_name(capsys) -> None:
    assert cli.main(["run", "--policy", "ppo", "--seed", "1", "--seasons", "1"]) == 0
    assert "ppo" in capsys.readouterr().out
    assert cli.main(["ladder", "--policies", "ppo,idle", "--seeds", "1-2", "--seasons", "1"]) == 0
    assert "ppo" in capsys.readouterr().out


def test_playing_needs_nothing_of_the_rl_extra() -> None:
    """A policy of the package is played by numpy and numba; training without the extra is refused in one line."""
    program = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib"):
    sys.modules[name] = None
from fmgym.cli import main
assert main(["run", "--policy", "ppo", "--seed", "1", "--seasons", "1"]) == 0
sys.exit(main(["train", "--out", "nowhere"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1 and "fmgym[rl]" in done.stderr
