"""The learning curve that a training wrote, as a picture.

    python -m benchmarks.curve benchmarks/results/ppo-curve.csv benchmarks/results/ppo-curve.png

draws what ``fmgym train --plot`` draws, out of a ``curve.csv`` that was kept. Needs matplotlib (extra ``plot``).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fmgym.cli.train import draw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("curve", type=Path)
    parser.add_argument("picture", type=Path)
    given = parser.parse_args()
    draw(given.curve, given.picture)


if __name__ == "__main__":
    main()
