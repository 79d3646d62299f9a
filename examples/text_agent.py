"""A scripted agent at the text environment: it reads what a language model would read, and writes JSON calls.

    pip install fmgym
    python examples/text_agent.py --seasons 2

renews contracts that end within the year at the present wage and a tenth, promotes every prospect with three stars, and
otherwise lets time run. It prints a line a stop and how the run ended:

    Y01-D305  cash 88.2M  score 6.11
    score 5.02 after 2 seasons (completed), 134 turns, errors {'PLAYER_REFUSES': 3}
"""

from __future__ import annotations

import argparse
import json
import re

import gymnasium as gym

import fmgym  # noqa: F401  (registers the environment)
from fmgym.wrappers import TextActions


def main(seed: int, seasons: int) -> dict:
    """Play a run; how it ended."""
    env = TextActions(gym.make("FMBench-Solo-v0", seasons=seasons, draft="auto"))
    text, info = env.reset(seed=seed)
    over = False
    while not over:
        packet = text[text.rindex("STOP ") :]  # behind the answers to the last turn's calls
        year = int(re.search(r"Y(\d\d)-D", packet).group(1))
        print(headline(packet), flush=True)
        answers, *_ = say(env, {"tool": "get_squad"}, {"tool": "get_youth_academy"})
        calls = [*renewals(answers, year), *promotions(answers), {"tool": "advance"}]
        text, _, over, _, info = say(env, *calls)
    final = info["final"]
    print(
        f"score {final['score']:.2f} after {seasons} seasons ({final['settle']}), {final['turns']} turns,"
        f" errors {info['text']['errors']}"
    )
    return final


def say(env: gym.Env, *calls: dict) -> tuple:
    """One turn: several calls in one text."""
    return env.step(json.dumps(calls))


def headline(packet: str) -> str:
    """Date, cash and score, out of the packet's first lines."""
    date = re.search(r"Y\d\d-D\d{3}", packet)
    cash = re.search(r"cash (-?[\d.]+M)", packet)
    score = re.search(r"score (-?[\d.]+)", packet)
    return "  ".join(found.group(0) for found in (date, cash, score) if found)


def table(answers: str, head: str) -> list[dict[str, str]]:
    """The rows of the table that follows a line, by column."""
    lines = iter(answers.partition(f"{head}:\n")[2].splitlines())
    columns = next(lines, "").split("|")
    rows = []
    for line in lines:
        if "|" not in line:
            break
        rows.append(dict(zip(columns, line.split("|"), strict=False)))
    return rows


def renewals(answers: str, year: int) -> list[dict]:
    """A contract of three years for everyone under 30 whose own ends this year or next, at a tenth more."""
    calls = []
    for row in table(answers, "players"):
        if int(row["until"][1:3]) <= year + 1 and float(row["age"]) < 30:
            wage = round(1.1 * float(row["wage_m"]), 3)
            args = {"player_id": row["id"], "wage_m_per_year": wage, "years": 3}
            calls.append({"tool": "offer_contract", "args": args})
    return calls


def promotions(answers: str) -> list[dict]:
    """A first contract for prospects with three stars or more."""
    rows = table(answers, "prospects")
    return [
        {"tool": "promote_youth", "args": {"player_id": row["id"]}}
        for row in rows
        if row["potential"] != "-" and float(row["potential"]) >= 3
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seasons", type=int, default=2)
    arguments = parser.parse_args()
    main(arguments.seed, arguments.seasons)
