"""Two policies on the same seeds, compared seed by seed.

    python -m benchmarks.paired ladder.json ppo heuristic

takes what ``fmgym ladder --json`` wrote and prints both means, the mean difference with its 95 % interval (normal
approximation over seeds), how often the first was ahead, and how many of its runs completed.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

Z = 1.96  # two-sided 95 %


def compare(results: list[dict[str, Any]], first: str, second: str) -> dict[str, float]:
    """Means, paired difference and its interval over the seeds that both have played."""
    runs = {name: {r["seed"]: r for r in results if r["policy"] == name} for name in (first, second)}
    seeds = sorted(runs[first].keys() & runs[second].keys())
    if len(seeds) < 2:
        raise SystemExit(f"{first} and {second} have {len(seeds)} seeds in common; a comparison takes two or more")
    pairs = [(runs[first][seed]["score"], runs[second][seed]["score"]) for seed in seeds]
    differences = [a - b for a, b in pairs]
    mean, half = statistics.fmean(differences), Z * statistics.stdev(differences) / len(seeds) ** 0.5
    return {
        "seeds": len(seeds),
        "first": statistics.fmean(a for a, _ in pairs),
        "second": statistics.fmean(b for _, b in pairs),
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "ahead": sum(d > 0 for d in differences),
        "completed": sum(runs[first][seed]["settle"] == "completed" for seed in seeds),
        "without_death": sum(runs[first][seed]["deaths"] == 0 for seed in seeds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ladder", type=Path)
    parser.add_argument("first")
    parser.add_argument("second")
    given = parser.parse_args()
    found = compare(json.loads(given.ladder.read_text("utf-8"))["results"], given.first, given.second)
    print(
        f"{given.first} {found['first']:.2f}, {given.second} {found['second']:.2f} on {found['seeds']} seeds:"
        f" difference {found['difference']:.2f}, 95 % interval {found['low']:.2f} to {found['high']:.2f};"
        f" ahead on {found['ahead']}, {found['completed']} runs completed, {found['without_death']} without a death"
    )


if __name__ == "__main__":
    main()
