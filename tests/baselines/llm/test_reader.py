"""The transcript as people read it: complete, and harmless whatever stands in it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from fmgym.baselines.llm import reader
from fmgym.cli import main

from .server import ChatServer
from .test_policy import Played


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-this-test")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with ChatServer(plan=lambda n: {0: "500", 2: "prose", 5: "unicode"}.get(n)) as server:
        Played(server, tmp_path, stops=2)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["transcript", *arguments]) == 0
    return capsys.readouterr().out


def test_stops_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = shown(capsys, str(folder)).splitlines()
    assert rows[0].split() == ["stop", "date", "kinds", "turns", "ended", "tokens", "cost"]
    assert [row.split()[0] for row in rows[1:]] == ["1", "2"]
    assert "preseason_board" in rows[1] and "advanced" in rows[1] and "cost unknown" in rows[1]


def test_unknown_tokens_are_not_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(plan=lambda n: "no usage" if n != 5 else None) as server:
        Played(server, tmp_path, stops=2)
    first, second = shown(capsys, str(tmp_path)).splitlines()[1:]
    assert "tokens unknown" in first and " 0 in" not in first
    assert "1,000 in (800 cached), 50 out, unknown of 3 replies" in second
    assert "--- advanced after 4 turns · tokens unknown · cost unknown" in shown(capsys, str(tmp_path), "--stop", "1")


def test_a_stop_shows_every_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, str(folder), "--stop", "1")
    assert text.startswith("STOP 1 · Y01-D002")
    for part in (
        "! attempt 1 failed: server_error",
        "--- turn 1 ·",
        "1,000 in (800 cached), 50 out",
        "> get_squad {}",
        "    get_squad: ok",
        "  I think we should wait and see.",
        "    Your reply held no call",
        "> advance {}",
        "--- advanced after 6 turns",
    ):
        assert part in text, part


def test_what_steers_terminals_is_spelt_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, str(folder), "--stop", "1") + shown(capsys, str(folder), "--stop", "2")
    assert "🏆 é \\u0000 \\u001b[2J \\u202e" in text
    assert not any(c in text for c in "\x00\x1b\u202e\r")


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.words = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.words += data


def test_page_has_all_stops_and_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>"
    with ChatServer(lambda body: [("rewrite_notes", {"text": evil}), ("advance", {})]) as server:
        Played(server, tmp_path, stops=3)
    file = tmp_path / "page.html"
    assert shown(capsys, str(tmp_path), "--html", str(file)) == ""
    page = Page()
    page.feed(file.read_text("utf-8"))
    assert page.tags["details"] == 2 + 3
    assert "script" not in page.tags and "img" not in page.tags
    assert page.words.count(evil) >= 3
    assert "You manage a football club" in page.words and '"policy": "tester"' in page.words
    assert shown(capsys, str(tmp_path), "--stop", "2", "--html", str(file)) == ""
    one = Page()
    one.feed(file.read_text("utf-8"))
    assert one.tags["details"] == 2 + 1


def test_overlong_texts_are_cut_and_said(tmp_path: Path) -> None:
    with ChatServer(plan=lambda n: "giant prose" if n == 0 else None) as server:
        Played(server, tmp_path)
    _, stops = reader.read(tmp_path)
    text = reader.as_text(stops[1])
    assert len(text) < 200_000
    assert "... and 19,950,000 more characters" in text


def test_a_stop_under_way_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(plan=lambda n: "401" if n == 2 else None) as server:
        Played(server, tmp_path)
    assert "under way" in shown(capsys, str(tmp_path))
    text = shown(capsys, str(tmp_path), "--stop", "1")
    assert "no_access" in text and text.endswith("--- under way\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--stop", "9"], "stops 1 to 2, not 9"),
        (["--stop", "x"], "--stop takes a whole number"),
        (["--html", "/nowhere/page.html"], "no folder /nowhere"),
    ],
)
def test_bad_options_are_one_sentence(
    folder: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcript", str(folder), *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_folders_without_a_transcript_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transcript", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_requests_can_be_put_together_from_it(tmp_path: Path) -> None:
    """What a line does not repeat is in the lines before it: every request, word by word."""
    with ChatServer() as server:
        Played(server, tmp_path)
    head, stops = reader.read(tmp_path)
    sent = server.requests[-1]["messages"]
    assert sent[0]["content"] == head["system"]
    assert sent[1]["content"] == stops[1].opening["packet"]
    turns = stops[1].turns[:-1]
    asked = [c["function"]["name"] for m in sent if m["role"] == "assistant" for c in m["tool_calls"]]
    told = [m["content"] for m in sent if m["role"] == "tool"]
    assert asked == [call["tool"] for turn in turns for call in turn.reply["reply"]["calls"]]  # type: ignore[index]
    assert told == [text for turn in turns for text in turn.told["results"].values()]  # type: ignore[index]
    assert json.dumps(head["tools"][0]["name"]) == '"get_club_overview"'
