"""MuJoCo models of one's own, many at a time: the interface of mujoco.batch over steps in lanes."""

from parallel_pool.mujoco.batch import Batch
from parallel_pool.mujoco.errors import SimulationError, SimulationWarning
from parallel_pool.mujoco.rollout import rollout

__all__ = ["Batch", "SimulationError", "SimulationWarning", "rollout"]
