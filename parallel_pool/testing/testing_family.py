"""Loads the envs of core/testing, which are for tests only: Echo, Trouble, Crowd and others."""

import pathlib

import parallel_pool
from parallel_pool.python.specs.registry import registry

# The actions of Trouble-v0.
FINE, THROW, END, THROW_IN_OBSERVE, SLEEP, END_IN_OBSERVE, END_IN_RESET = range(7)

registry().add(pathlib.Path(parallel_pool.__file__).parent / "core" / "testing" / "_family.so")
