"""Thousands of reinforcement-learning environments in one process, stepped by C++ threads.

env = parallel_pool.make("Pong-v5", env_type="gymnasium", num_envs=100)
obs, info = env.reset()
obs, reward, terminated, truncated, info = env.step(actions)
"""

try:
    from parallel_pool import _build_info
except ImportError:
    raise ImportError(
        f"{__path__[0]} is ParallelPool's source tree, which Python cannot import: install the "
        "wheel (make wheel; pip install dist/*.whl) and start Python in another folder, or with -I"
    ) from None
from parallel_pool.compat import old_pickles
from parallel_pool.compat.envpool import install_as_envpool
from parallel_pool.learner import returns
from parallel_pool.learner.episode_scalars import EpisodeScalars
from parallel_pool.learner.evaluation import evaluate
from parallel_pool.learner.ogbench import ogbench_env_id
from parallel_pool.learner.pipeline import Pipeline
from parallel_pool.learner.replay.buffer import ReplayBuffer
from parallel_pool.learner.rollout import Rollout
from parallel_pool.learner.trajectories import Trajectories
from parallel_pool.python.apis.make import make, make_dm, make_gym, make_gymnasium
from parallel_pool.python.arrays.text import decode_mission, decode_text
from parallel_pool.python.check.comparison import compare
from parallel_pool.python.check.conformance import check
from parallel_pool.python.errors import EnvError, ReplayError
from parallel_pool.python.options.seeds import rank_seed
from parallel_pool.python.specs.registry import list_all_envs, load, make_spec, registry
from parallel_pool.python_envs.make_python import make_python, make_python_spec
from parallel_pool.replays.replay import replay

__version__: str = _build_info.VERSION
# Loads all families now: gymnasium.make_vec() looks ids up in a plain dict, which must have them
# before. Takes 20 ms. A family that cannot be loaded is reported when a user asks for a task that
# does not exist.
registry()
old_pickles.install()

__all__ = [
    "EnvError",
    "EpisodeScalars",
    "Pipeline",
    "ReplayBuffer",
    "ReplayError",
    "Rollout",
    "Trajectories",
    "__version__",
    "check",
    "compare",
    "decode_mission",
    "decode_text",
    "evaluate",
    "install_as_envpool",
    "list_all_envs",
    "load",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_python",
    "make_python_spec",
    "make_spec",
    "ogbench_env_id",
    "rank_seed",
    "replay",
    "returns",
]
