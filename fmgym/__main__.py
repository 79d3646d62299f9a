"""`python -m fmgym` is `fmgym`."""

import sys

from fmgym.cli import main

sys.exit(main())
