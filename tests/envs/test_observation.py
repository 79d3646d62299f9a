"""Observations: within bounds, as the schema says, and blind to hidden truth."""

import copy
import itertools

import numpy as np
import pytest
from gymnasium import spaces

from fmgym.enums import Tool
from fmgym.envs import fill, kernel, observation
from fmgym.envs.actions import GROUPS, Group, docs
from fmgym.envs.batch import Batch
from fmgym.params import Params
from fmgym.session import Session

from .play import ADVANCE, Explorer, opened

TACTICS = 1  # an action without consequence while the clock stands
SHAPE = Params.default().shape


def test_values_stay_finite_and_within_bounds() -> None:
    b = opened(4, seed=21, seasons=6)
    explorer = Explorer(b, seed=2, advance=0.3)
    reached = np.full((2, b.layout.size), 0.0, np.float32)
    for _ in range(1500):
        explorer.turn()
        assert np.isfinite(b.flats).all()
        assert (b.flats >= b.layout.low).all()
        assert (b.flats <= b.layout.high).all()
        reached[0] = np.minimum(reached[0], b.flats.min(0))
        reached[1] = np.maximum(reached[1], b.flats.max(0))
    still = _still(b.layout.split(reached[1] - reached[0]))
    assert len(still) <= 10, still  # play has moved the columns, so the bounds were tried


def _still(spans: dict[str, np.ndarray]) -> list[str]:
    """The numbers of each table's rows that have had one value only."""
    names = []
    for table, columns in observation.TABLES.items():
        widest = spans[table].reshape(-1, sum(c.width for c in columns)).max(0)
        every = [f"{table}.{c.name}[{i}]" for c in columns for i in range(c.width)]
        names += [name for name, span in zip(every, widest, strict=True) if span == 0]
    return names


def test_what_a_turn_shows_is_what_showing_all_anew_would() -> None:
    """Most turns write only what they can have changed."""
    b = opened(8, seed=41, seasons=3)
    explorer = Explorer(b, seed=6, advance=0.1, illegal=0.05)
    for _ in range(600):
        explorer.turn()
        assert shown(b) == anew(b)


def test_a_full_memory_is_shown_too() -> None:
    """With every place of talks taken, a call pushes another player's broken-off talks out."""
    params = {"shape.talks": 16, "stop.negotiations": 100, "stop.last_turn": 500}
    b = opened(2, seed=2, draft="auto", params=params | {"market.cooldown_after": 1, "wage.cooldown_after": 1})
    while (b.worlds["day"] < 4).any():
        b.actions[:] = ADVANCE
        b.run()
    rng = np.random.default_rng(3)
    starts = b.encoding.starts
    deals = np.zeros(b.encoding.size)
    for group in (Group.BID, Group.SIGN, Group.RENEW):
        deals[starts[group] : starts[group + 1]] = 1.0
    remembered = []
    for _ in range(300):
        b.actions[:] = (rng.random(b.masks.shape) * b.masks * deals).argmax(1)
        b.actions[b.actions == ADVANCE] = TACTICS
        b.run()
        remembered.append(int((b.worlds["clubs"]["talks"]["uid"][0, 0] != 0).sum()))
        assert shown(b) == anew(b)
    assert remembered.count(16) > 10


def anew(b: Batch) -> tuple[bytes, bytes, bytes]:
    """What showing all anew would show."""
    b.commands[:] = kernel.SHOW
    b.run()
    b.commands[:] = kernel.TURN
    return shown(b)


def test_layout_is_one_run_without_gaps() -> None:
    layout = observation.layout(SHAPE)
    ends = [part for part, _ in layout.slices.values()]
    assert ends[0].start == 0
    assert ends[-1].stop == layout.size
    assert all(a.stop == b.start for a, b in itertools.pairwise(ends))
    assert list(layout.slices) == sorted(layout.slices)  # the order of gymnasium.spaces.Dict


def test_spaces_are_finite_boxes_on_one_level() -> None:
    space = observation.layout(SHAPE).space()
    for box in space.values():
        assert isinstance(box, spaces.Box)
        assert len(box.shape) == 1
        assert box.dtype == np.float32
        assert box.is_bounded()


def test_docs_name_every_column_and_action() -> None:
    text = observation.docs(SHAPE)
    for table, columns in observation.TABLES.items():
        assert f"**`{table}`**" in text
        assert all(f"| `{c.name}` |" in text for c in columns)
    assert all(f"`{family.tool.name.lower()}`" in docs(SHAPE) for family in GROUPS.values())


@pytest.mark.parametrize("draft", ["agent", "auto"])
def test_views_and_arrays_show_the_same(draft: str) -> None:
    """Bands, stars, money and places read off the observation as the query tools show them."""
    b = opened(draft=draft)
    obs = b.layout.split(b.flats[0].copy())
    session = Session(b.world(0).copy())
    low, high, stars = (_columns(_TABLE_OF[draft], name) for name in ("ability_low", "ability_high", "stars"))
    rows = obs[_TABLE_OF[draft]].reshape(b.layout.slices[_TABLE_OF[draft]][1])
    for row, person in zip(rows, _people(session, draft), strict=False):
        band = "-".join(str(round(float(x) * 15 + 65)) for x in (row[low][0], row[high][0]))
        assert band == person["ability"]
        assert float(row[stars][0]) * 5 == pytest.approx(person["potential"])


_TABLE_OF = {"agent": "draft", "auto": "squad"}


def _people(session: Session, draft: str) -> list[dict]:
    if draft == "agent":
        return session.call("get_draft_pool").data["templates"]
    w = session.world.w
    found = {p["id"]: p for p in session.call("get_squad").data["players"]}
    return [found[f"P{w.players[slot].uid:05d}"] for slot in w.clubs[0].squad[: w.clubs[0].n_squad]]


def _columns(table: str, name: str) -> slice:
    at = 0
    for c in observation.TABLES[table]:
        if c.name == name:
            return slice(at, at + c.width)
        at += c.width
    raise KeyError(name)


def scramble(b: Batch) -> None:
    """Other hidden truth for every player and template."""
    rng = np.random.default_rng(7)
    truth = b.worlds["truth"]
    for name in truth.dtype.names:
        whole = truth[name].dtype.kind == "i"
        truth[name] = rng.integers(0, 5, truth[name].shape) if whole else rng.uniform(1, 99, truth[name].shape)
    for name in ("ability", "potential"):
        b.worlds["templates"][name] = rng.uniform(40, 90, b.worlds["templates"].shape)


def shown(b: Batch) -> tuple[bytes, bytes, bytes]:
    return b.flats.tobytes(), b.masks.tobytes(), b.errors.tobytes()


def test_hidden_truth_shows_only_when_time_moves() -> None:
    """Worlds whose truth is another show the same observations, masks and errors until the clock runs."""
    b = opened(8, seed=31, seasons=2)
    explorer = Explorer(b, seed=4, advance=0.0)
    for _ in range(60):
        other = copy.deepcopy(b)
        scramble(other)
        for _ in range(6):
            drawn = explorer.draw()
            b.actions[:] = np.where(drawn == ADVANCE, TACTICS, drawn)
            other.actions[:] = b.actions
            b.run()
            other.run()
            assert shown(b) == shown(other)
        explorer.advance = 1.0
        explorer.turn()
        explorer.advance = 0.0
    scramble(b)
    after = []
    for x in (b, copy.deepcopy(other)):
        x.actions[:] = ADVANCE
        x.run()
        after.append(shown(x))
    assert after[0] != after[1]


def test_a_planted_leak_is_found() -> None:
    """An observation that reads truth differs between the two worlds: the comparison above can fail."""
    b = opened(draft="auto")
    other = copy.deepcopy(b)
    scramble(other)
    for x in (b, other):
        x.flats[0, 0] = x.worlds["truth"]["ability"][0, 0]
    assert shown(b) != shown(other)


def test_no_action_group_is_a_query() -> None:
    assert all(family.tool >= Tool.SET_LINEUP for family in GROUPS.values())


def test_norm_is_kept_for_the_stop() -> None:
    b = opened(draft="auto")
    w, p, screen = b.worlds[0], b.params.record[0], b.screens[0]
    slot = int(w["clubs"][0]["squad"][0])
    first = fill.norm(w, p, 0, screen, slot)
    assert fill.norm(w, p, 0, screen, slot) == first > 0
