"""A dashboard of one seat's club: as text, or drawn as a picture. It shows what the query tools show."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fmgym import names, score, views
from fmgym.enums import Settle, Tool
from fmgym.errors import BadInput
from fmgym.state import YEAR
from fmgym.tools import ToolCall
from fmgym.world import World

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

WIDTH, HEIGHT = 960, 640
SQUAD_ROWS = 30
_MARGIN, _LINE = 16, 18
_PAPER, _INK, _FAINT = (250, 249, 245), (34, 38, 43), (150, 152, 150)
_OWN, _GOOD, _FAIR, _POOR, _TRACK = (222, 234, 246), (64, 145, 90), (222, 165, 50), (200, 72, 60), (226, 226, 220)


def check_mode(mode: str | None, modes: Sequence[str]) -> None:
    """Raise ``BadInput`` unless the mode is None or one of ``modes``."""
    if mode is not None and mode not in modes:
        raise BadInput(f"render_mode must be None or one of {', '.join(modes)}, not {mode!r}")


def render(world: World, mode: str, seat: int = 0) -> str | np.ndarray | None:
    """The dashboard in a render mode: text, a picture (HEIGHT, WIDTH, 3) uint8, or None when it is printed."""
    board = Dashboard.of(world, seat)
    if mode == "rgb_array":
        return picture(board)
    if mode == "ansi":
        return text(board)
    print(text(board), flush=True)
    return None


@dataclass(frozen=True)
class Dashboard:
    """What both forms show: answers of query tools."""

    club: dict[str, Any]
    money: dict[str, Any]
    table: list[dict[str, Any]]
    squad: list[dict[str, Any]]
    seasons: list[dict[str, Any]]

    @classmethod
    def of(cls, world: World, seat: int) -> Dashboard:
        def ask(tool: Tool, *args: int) -> dict[str, Any]:
            return views.QUERIES[tool](world, seat, ToolCall(int(tool), args))

        club = ask(Tool.GET_CLUB_OVERVIEW)
        return cls(
            club,
            ask(Tool.GET_FINANCES),
            ask(Tool.GET_LEAGUE_TABLE)["table"],
            ask(Tool.GET_SQUAD)["players"],
            _seasons(world, seat),
        )

    @property
    def headline(self) -> str:
        c = self.club
        tactics = f"{c['formation']} {c['style']}"
        return f"{c['name']}   {c['date']}   {tactics}   honors {c['honors']}   score {c['score_now']:.1f}"

    @property
    def figures(self) -> list[str]:
        c, m = self.club, self.money
        levels = ", ".join(f"{f['facility']} {f['level']}" for f in c["facilities"])
        return [
            f"cash {m['cash_m']:.1f}M   owed {m['owed_m']:.1f}M   net worth {m['net_worth_m']:.1f}M",
            f"wages {m['wages_a_year_m']:.1f}M a year, {m['wage_ratio']:.0%} of revenue",
            f"squad value {m['squad_value_m']:.1f}M   seniors {c['squad']}   prospects {c['prospects']}",
            f"facilities: {levels}",
            f"target: place {c['target']}   now {c['position']}   revivals used {c['revivals_used']}",
        ]


def _seasons(world: World, seat: int) -> list[dict[str, Any]]:
    """The club's closed seasons, oldest first."""
    club = world.w.seats[seat].club
    archive = world.w.clubs[club].seasons[: (int(world.w.day) + 1) // YEAR]
    return [{"position": int(s.position), "score": float(s.score)} for s in archive]


def text(board: Dashboard) -> str:
    """The dashboard for a terminal."""
    places = " ".join(str(s["position"]) for s in board.seasons) or "-"
    left = [f"{'':2} {'League':24} {'P':>2} {'GD':>4} {'Pts':>3}"] + [_table_line(row) for row in board.table]
    right = [f"{'':3}{'Squad':22} {'age':>4} {'ability':>7} {'*':>3} {'cond':>4} {'until':9} {'value':>6}"]
    right += [_squad_line(row) for row in board.squad[:SQUAD_ROWS]]
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    body = [f"{a:40}   {b}".rstrip() for a, b in zip(left, right, strict=True)]
    confidence = board.club["board_confidence"]
    bar = "#" * round(confidence / 5)
    head = [board.headline, *board.figures, f"confidence {confidence:>3} [{bar:20}]   places so far: {places}"]
    return "\n".join([*head, "", *body])


def _table_line(row: dict[str, Any]) -> str:
    difference = row["goals_for"] - row["goals_against"]
    mark = ">" if row.get("you") else " "
    return f"{row['position']:>2}{mark}{row['name']:24} {row['played']:>2} {difference:>+4} {row['points']:>3}"


def _squad_line(row: dict[str, Any]) -> str:
    out = "" if row["fitness"] == "fit" else "  out"
    return (
        f"{row['position']:3}{row['name'][:22]:22} {row['age']:>4} {row['ability']:>7} {row['potential']:>3} "
        f"{row['condition']:>4} {row['until']:9} {row['value_m']:>5.1f}M{out}"
    )


def picture(board: Dashboard) -> np.ndarray:
    """The dashboard as an image, uint8 (HEIGHT, WIDTH, 3)."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    draw.text((_MARGIN, 12), board.headline, _INK, _font(17))
    _draw_table(draw, board, _MARGIN, 48)
    _draw_figures(draw, board, _MARGIN, 376)
    _draw_squad(draw, board, 356, 48)
    return np.asarray(image).copy()


@functools.cache
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _draw_table(draw: ImageDraw, board: Dashboard, x: int, y: int) -> None:
    columns = ((24, "la"), (238, "ra"), (276, "ra"), (316, "ra"))
    _row(draw, x, y, columns, ("League", "P", "GD", "Pts"), _FAINT)
    for row in board.table[: (376 - y) // _LINE - 1]:
        y += _LINE
        if row.get("you"):
            draw.rectangle((x - 4, y - 3, x + 320, y + _LINE - 5), _OWN)
        difference = row["goals_for"] - row["goals_against"]
        draw.text((x + 16, y), str(row["position"]), _FAINT, _font(12), anchor="ra")
        values = (row["name"], row["played"], f"{difference:+}", row["points"])
        _row(draw, x, y, columns, values)


def _draw_squad(draw: ImageDraw, board: Dashboard, x: int, y: int) -> None:
    """One line a player: band on a scale from 40 to 95, condition bar, contract, value."""
    columns = ((0, "la"), (28, "la"), (206, "ra"), (300, "la"), (382, "la"), (466, "la"), (580, "ra"))
    _row(draw, x, y, columns, ("", "Squad", "age", "", "potential", "condition", "value"), _FAINT)
    draw.text((x + 222, y), "ability 40-95", _FAINT, _font(12))
    for row in board.squad[:SQUAD_ROWS]:
        y += _LINE
        ink = _INK if row["fitness"] == "fit" else _POOR
        stars = f"{row['potential']}" if row["potential"] is not None else "?"
        values = (row["position"], row["name"][:20], row["age"], "", stars, "", f"{row['value_m']:.1f}M")
        _row(draw, x, y, columns, values, ink)
        _draw_band(draw, row["ability"], x + 222, y)
        _draw_bar(draw, row["condition"] / 100, x + 466, y + 3, 50)


def _draw_band(draw: ImageDraw, band: str, x: int, y: int) -> None:
    draw.rectangle((x, y + 6, x + 140, y + 7), _TRACK)
    if "-" in band:
        low, high = (min(max(int(part), 40), 95) for part in band.split("-"))
        draw.rectangle((x + (low - 40) * 140 // 55, y + 3, x + (high - 40) * 140 // 55, y + 10), (92, 132, 178))


def _draw_figures(draw: ImageDraw, board: Dashboard, x: int, y: int) -> None:
    for line in board.figures:
        draw.text((x, y), line, _INK, _font(12))
        y += _LINE
    bars = (
        ("board confidence", board.club["board_confidence"] / 100),
        ("wages over revenue", 1.0 - board.money["wage_ratio"] / 1.7),
    )
    for name, share in bars:
        draw.text((x, y), name, _FAINT, _font(12))
        _draw_bar(draw, share, x + 130, y + 3, 190)
        y += _LINE
    draw.text((x, y), "score at the seasons' ends", _FAINT, _font(12))
    _draw_line(draw, [s["score"] for s in board.seasons], x, y + _LINE, 320, HEIGHT - y - _LINE - _MARGIN)


def _draw_bar(draw: ImageDraw, share: float, x: int, y: int, width: int) -> None:
    """A bar that turns from red to green as it fills."""
    share = min(max(share, 0.0), 1.0)
    draw.rectangle((x, y, x + width, y + 7), _TRACK)
    colour = _POOR if share < 0.35 else _FAIR if share < 0.6 else _GOOD
    draw.rectangle((x, y, x + round(width * share), y + 7), colour)


def _draw_line(draw: ImageDraw, values: list[float], x: int, y: int, width: int, height: int) -> None:
    """A sparkline over the seasons, its zero marked."""
    low, high = min([0.0, *values]), max([1.0, *values])
    step = width / max(len(values) - 1, 1)
    points = [(x + i * step, y + height - (v - low) / (high - low) * height) for i, v in enumerate(values)]
    zero = y + height - (0.0 - low) / (high - low) * height
    draw.line((x, zero, x + width, zero), _TRACK)
    if len(points) > 1:
        draw.line(points, (92, 132, 178), 2)
    for px, py in points:
        draw.ellipse((px - 2, py - 2, px + 2, py + 2), (92, 132, 178))
    if values:
        draw.text((x + width, y), f"{values[-1]:.1f}", _INK, _font(12), anchor="ra")


def _row(
    draw: ImageDraw,
    x: int,
    y: int,
    columns: Sequence[tuple[int, str]],
    values: Sequence[Any],
    ink: tuple[int, int, int] = _INK,
) -> None:
    for (at, anchor), value in zip(columns, values, strict=True):
        draw.text((x + at, y), str(value), ink, _font(12), anchor=anchor)


# The Arena: all clubs at once, for those who watch


def render_arena(world: World, mode: str) -> str | np.ndarray | None:
    """The league and its seats in a render mode, as ``render`` gives it."""
    lines = arena_lines(world)
    if mode == "rgb_array":
        return _lines_picture(lines)
    if mode == "ansi":
        return "\n".join(lines)
    print("\n".join(lines), flush=True)
    return None


def arena_lines(world: World) -> list[str]:
    """A headline, and a line for each club by league position: what it has and how its seat stands."""
    w = world.w
    head = (
        f"{'':2}  {'League':24} {'seat':>4} {'Pts':>4} {'GD':>4} {'titles':>6} {'honors':>6} {'cash':>7} {'score':>6}"
    )
    clubs = sorted(range(len(w.clubs)), key=lambda club: int(w.clubs[club].position))
    return [names.date(int(w.day)), head, *(_arena_line(world, club) for club in clubs)]


def _arena_line(world: World, club: int) -> str:
    w, p = world.w, world.p
    c = w.clubs[club]
    held = [i for i, s in enumerate(w.seats) if s.club == club and s.settled != Settle.VACANT]
    seat = held[0] if held else -1
    standing = f"{float(score.now(w, p, seat)):6.1f}" if held else f"{'':6}"
    if held and w.seats[seat].settled != Settle.LIVE:
        standing += f"  {names.word(Settle(w.seats[seat].settled))}"
    elif held and w.seats[seat].waiting == 0:
        standing += "  to play"
    return (
        f"{c.position:>2}  {names.club_name(club):24} {seat if held else '':>4} {c.points:>4}"
        f" {c.goals_for - c.goals_against:>+4} {c.titles:>6} {c.honors:>6} {names.millions(c.cash):>6.1f}M {standing}"
    )


def _lines_picture(lines: Sequence[str]) -> np.ndarray:
    """Lines of text as an image, uint8 (HEIGHT, WIDTH, 3), a column of letters a column of the picture."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        for j, letter in enumerate(line):
            draw.text((_MARGIN + 10 * j, 12 + _LINE * i), letter, _FAINT if i == 1 else _INK, _font(12))
    return np.asarray(image).copy()
