"""rollout: open-loop rollouts from many states, in the interface of mujoco.rollout."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parallel_pool.mujoco import checks
from parallel_pool.mujoco.arrays import STATE_FIELDS
from parallel_pool.mujoco.batch import Batch

# The parts of a state that mjSTATE_FULLPHYSICS has.
_PHYSICS = ("time", "qpos", "qvel", "act", "history", "plugin_state", "plastic")


def rollout(
    batch: Batch,
    initial_state: ArrayLike,
    control: ArrayLike | None = None,
    *,
    control_spec: int = STATE_FIELDS["ctrl"],
    nstep: int | None = None,
    initial_warmstart: ArrayLike | None = None,
    state: np.ndarray[Any, Any] | None = None,
    sensordata: np.ndarray[Any, Any] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Steps from initial states with given controls; numbers are those of mujoco.rollout.

    A batch takes the place of mujoco.rollout's model, data and threads. Its first n envs are used,
    and end in the last states.

    Args:
        batch: the envs, at least as many as initial states.
        initial_state: (n, nstate) float64, or (nstate,): states of mj_getState with
            mjSTATE_FULLPHYSICS.
        control: (n, nstep, ncontrol), or what broadcasts to it; None: controls are 0.
        control_spec: the components of the state (bits of mjtState) that `control` has.
        nstep: the number of steps; None: as many as `control` has.
        initial_warmstart: (n, nv), qacc_warmstart of the initial states; None: 0.
        state: an array for the first result, which is written in place.
        sensordata: the same for the second one.

    Returns:
        state: (n, nstep, nstate) float64, the states after each step.
        sensordata: (n, nstep, nsensordata) float64.

    Raises:
        ValueError: an array has a wrong shape, or the batch has too few envs.
        SimulationError: as of Batch.step().
    """
    model = batch._model
    parts = [name for name in _PHYSICS if name in model.data_fields]
    physics = sum(STATE_FIELDS[name] for name in parts)
    given = np.atleast_2d(np.asarray(initial_state, np.float64))
    controls = None if control is None else np.asarray(control)
    steps = _steps(nstep, controls)
    n = len(given)
    if controls is not None and controls.ndim > 2 and n == 1:
        n = len(controls)
    if n > batch.num_envs:
        raise ValueError(f"there are {n} initial states, and the batch has {batch.num_envs} envs")
    given = checks.numbers("initial_state", given, (n, model.state_size(physics)))
    ids = np.arange(n)
    batch.reset(ids, stage=checks.STAGES["none"])
    first = 0
    for name in sorted(parts, key=STATE_FIELDS.__getitem__):
        rows = batch.bind(name)[:n]
        size = rows[0].size
        rows[...] = given[:, first : first + size].reshape(rows.shape)
        first += size
    if initial_warmstart is not None:
        batch.qacc_warmstart[:n] = initial_warmstart
    out: dict[str | int, np.ndarray[Any, Any]] = {}
    if state is not None:
        out[physics] = state
    if sensordata is not None:
        out["sensordata"] = sensordata
    results = batch.rollout(steps, controls, control_spec, (physics, "sensordata"), ids, out)
    return results[physics], results["sensordata"]


def _steps(nstep: int | None, control: np.ndarray[Any, Any] | None) -> int:
    own = None if control is None or control.ndim < 2 else control.shape[-2]
    if nstep is not None:
        return checks.count("nstep", nstep, 1)
    if own is None:
        raise ValueError("nstep is needed: control has no dimension of steps")
    return int(own)
