"""Batch: many simulations of one model of a user."""

import ctypes
import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parallel_pool.mujoco import checks
from parallel_pool.mujoco.arrays import STATE_FIELDS, USER_FIELDS, Arrays
from parallel_pool.mujoco.errors import SimulationError, warn
from parallel_pool.mujoco.library import Model, pointer, refusal
from parallel_pool.mujoco.models import MjModel, load_model, to_package
from parallel_pool.mujoco.named import KINDS, Named
from parallel_pool.mujoco.records import Records

_CTRL = STATE_FIELDS["ctrl"]


class Batch(Arrays):
    """Many simulations (envs) of one MuJoCo model, in the interface of mujoco.batch.

    Steps are made in lanes where the model, and what is bound, allow it, and by mj_step otherwise:
    `in_lanes` says which. All numbers are those of a loop of mj_step over the envs, bit for bit.

        batch = parallel_pool.mujoco.Batch("robot.xml", num_envs=1024)
        qpos, ctrl, xpos = batch.bind("qpos"), batch.bind("ctrl"), batch.bind("xpos")
        for _ in range(1000):
            ctrl[:] = policy(qpos)
            batch.step()

    Arrays are live: `bind` returns (num_envs, ...) arrays that calls write to in place. Fields of
    the state (qpos, qvel, ctrl, mocap_pos, ...) may be written to, and are an env's state at its
    next call. Others (xpos, sensordata, ...) are computed by each call; after step() they are those
    of the last step's beginning, as with mj_step.

    Calls may come from several threads of Python: they wait for each other.

    Attributes:
        num_envs: the number of simulations.
        state: (num_envs, nstate) float64, the rows of mj_getState with mjSTATE_INTEGRATION.
        warning: (num_envs, mjNWARNING, 2) int32, of each of MuJoCo's warnings the last info and how
            often it was raised.
        status: (num_envs,) int32, not 0 for envs that failed in their last call.
    """

    def __getattr__(self, name: str) -> Any:
        # Only for names that are no attributes: fields of mjData, and views such as joint("hip").
        if not name.startswith("_"):
            if name in KINDS:
                return functools.partial(Named, self, name)
            if name in self._model.data_fields:
                return self.bind(name)
            raise AttributeError(f"Batch has no attribute {name!r}{self._hint(name)}")
        raise AttributeError(f"Batch has no attribute {name!r}")

    def step(self, ids: ArrayLike | None = None, nstep: int = 1, stage: int = 0) -> None:
        """Makes `nstep` steps of each env, as mj_step; controls and forces are held.

        Args:
            ids: sorted numbers of envs, or a mask (num_envs,); None for all.
            nstep: the number of steps, at least 1.
            stage: the stages (mjtStage, 0 to 3) that are computed at the new state. 0: none, as
                after mj_step. Otherwise mj_step makes the steps.

        Raises:
            SimulationError: MuJoCo raised an error in some envs.
        """
        nstep = checks.count("nstep", nstep, 1)
        self._call("step", ids, nstep, checks.stage(stage), nstep=nstep)

    def forward(self, ids: ArrayLike | None = None, stage: int = checks.STAGES["acc"]) -> None:
        """Computes the stages up to `stage` (mjtStage) at the state, by default as mj_forward."""
        self._call("forward", ids, checks.stage(stage))

    def reset(
        self,
        ids: ArrayLike | None = None,
        keyframe: ArrayLike = -1,
        stage: int = checks.STAGES["acc"],
    ) -> None:
        """Puts envs into the model's initial state or into keyframes, then computes stages.

        Args:
            ids: as in step().
            keyframe: the number of a keyframe, one or (n,) for the n envs of the call; -1: none.
            stage: the stages (mjtStage) that are computed after it.
        """
        chosen = checks.env_ids(ids, self.num_envs)
        n = self.num_envs if chosen is None else len(chosen)
        end = len(self._model.values("key_time"))
        keys = checks.integers("keyframe", keyframe, (n,), -1, end)
        self._call("reset", chosen, pointer(keys), checks.stage(stage))

    def set_const(self, ids: ArrayLike | None = None) -> None:
        """Computes what depends on the expanded fields of the envs, as mj_setConst."""
        self._call("set_const", ids)

    def rollout(
        self,
        nstep: int,
        control: ArrayLike | None = None,
        control_spec: int = _CTRL,
        record: Sequence[str | int] = ("qpos",),
        ids: ArrayLike | None = None,
        out: Mapping[str | int, np.ndarray[Any, Any]] | None = None,
    ) -> dict[str | int, np.ndarray[Any, Any]]:
        """Makes `nstep` steps of each env, with a control for each step, and records them.

        An env of which MuJoCo warns stops there, and its records repeat the last ones.

        Args:
            nstep: the number of steps.
            control: (n, nstep, size of control_spec) for the n envs, or what broadcasts to it;
                None: the controls stay.
            control_spec: the components of the state (bits of mjtState) that `control` has.
            record: names of fields of mjData, and bits of mjtState for components of the state.
            ids: as in step().
            out: arrays to record into, by item, of the shapes and types of the result.

        Returns:
            For each item of `record` its (n, nstep, ...) array.
        """
        chosen = checks.env_ids(ids, self.num_envs)
        n = self.num_envs if chosen is None else len(chosen)
        nstep = checks.count("nstep", nstep, 1)
        control_spec = checks.components("control_spec", control_spec, USER_FIELDS)
        controls = None
        if control is not None:
            size = self._model.state_size(control_spec)
            controls = checks.numbers("control", control, (n, nstep, size))
        records = Records(self._model, self._components(), record, n, nstep, out or {})
        self._call(
            "rollout",
            chosen,
            nstep,
            pointer(controls),
            control_spec,
            records.list,
            len(records.list),
            nstep=nstep,
        )
        return records.arrays

    def _call(self, name: str, ids: ArrayLike | None, *arguments: Any, nstep: int = 0) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(
                "this batch was made before a fork, and its threads are in the other process: make "
                "a Batch in each process"
            )
        chosen = checks.env_ids(ids, self.num_envs)
        n = self.num_envs if chosen is None else len(chosen)
        handle = self._handle.value
        failed = getattr(self._api, name)(handle, pointer(chosen), n, *arguments)
        if failed < 0:
            raise refusal(self._api)
        if self._api.take_warnings(handle):
            self._warn(nstep)
        if failed:
            called = np.arange(self.num_envs) if chosen is None else chosen
            wrong = called[self.status[called] != 0].astype(np.int64)
            raise SimulationError(wrong, self.error(int(wrong[0])), n)

    def _warn(self, nstep: int) -> None:
        rises = self.warning[..., 1] - self._warned
        self._warned += rises
        own = self.expanded("opt.timestep")
        timestep = self._model.values("opt.timestep") if own is None else own
        warn(rises, np.rint(self.time / timestep).astype(np.int64), nstep)

    def error(self, env: int) -> str:
        """The message of the error that an env raised in its last call; "" if there was none."""
        env = checks.index("env", env, self.num_envs)
        return str(self._api.error(self._handle.value, env).decode())

    # Models and data of the package mujoco.

    def set_models(self, models: Any) -> None:
        """Steps env i with models[i], which has the sizes of the batch's model, by mj_step.

        Args:
            models: one for each env, one for all, or None for the batch's model; each in any form
                that the first argument of Batch may have.
        """
        if models is None:
            loaded: list[Model] = []
        elif isinstance(models, Sequence) and not isinstance(models, str):
            if len(models) != self.num_envs:
                raise ValueError(f"there are {len(models)} models for {self.num_envs} envs")
            loaded = [load_model(model, self.mujoco_version) for model in models]
        else:
            loaded = [load_model(models, self.mujoco_version)] * self.num_envs
        handles = (ctypes.c_void_p * len(loaded))(*(model.handle.value for model in loaded))
        if self._api.set_models(self._handle.value, handles, len(loaded)) < 0:
            raise refusal(self._api)
        self._models = loaded

    def get_model(self, env: int) -> MjModel:
        """The model of an env as a mujoco.MjModel, with its expanded fields."""
        mujoco = to_package(self._model)
        env = checks.index("env", env, self.num_envs)
        size = len((self._models[env] if self._models else self._model).to_bytes())
        buffer = ctypes.create_string_buffer(size)
        if not self._api.get_model(self._handle.value, env, buffer, size):
            raise refusal(self._api)
        return mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": buffer.raw})

    def get_data(self, env: int) -> Any:
        """The state of an env as a mujoco.MjData; mj_forward computes all else in it."""
        mujoco = to_package(self._model)
        env = checks.index("env", env, self.num_envs)
        model = self.get_model(env)
        data = mujoco.MjData(model)
        mujoco.mj_setState(model, data, self.state[env], mujoco.mjtState.mjSTATE_INTEGRATION)
        return data
