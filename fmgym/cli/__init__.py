"""The command line `fmgym`: the top floor. Commands import what they need when they run."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status. Ctrl-C may come while everything is still being imported."""
    try:
        from fmgym.cli.app import main

        return main(arguments)
    except KeyboardInterrupt:
        print("fmgym: interrupted", file=sys.stderr)
        return 130
