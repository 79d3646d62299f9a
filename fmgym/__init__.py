"""fmgym: a football-management benchmark.

Importing the package registers its environments with Gymnasium, by name only: nothing of the simulator is
loaded or compiled before the first `gymnasium.make`.
"""

from pathlib import Path

from gymnasium.envs.registration import register

__version__ = "0.1.0"

# In a source checkout `envs`, `wrappers` and `baselines` lie beside this folder. Python started from the
# checkout's root finds this folder before any installed fmgym, and would then miss them.
_beside = Path(__file__).resolve().parent.parent
if (_beside / "pyproject.toml").is_file() and (_beside / "envs" / "__init__.py").is_file():
    __path__.append(str(_beside))

register(
    id="FMBench-Solo-v0",
    entry_point="fmgym.envs.solo:SoloEnv",
    vector_entry_point="fmgym.envs.vector:SoloVectorEnv",
)
