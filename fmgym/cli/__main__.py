"""`python -m fmgym.cli` is `fmgym`."""

import sys

from fmgym.cli import main

sys.exit(main())
