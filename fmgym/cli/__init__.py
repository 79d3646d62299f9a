"""The command line `fmgym`: the top floor. Commands import what they need when they run."""

from fmgym.cli.app import main

__all__ = ["main"]
