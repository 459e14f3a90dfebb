"""Lets PufferLib 3.0.0 be installed without its own envs.

With NO_OCEAN=1 and NO_TRAIN=1 its setup.py uses a name that it has not defined.
"""

import builtins

builtins.c_extension_paths = []  # type: ignore[attr-defined]
