"""Checks KeepUp-v0 against the rules of all tasks."""

import parallel_pool

parallel_pool.load("my_env.so")
parallel_pool.check("KeepUp-v0")
parallel_pool.check("KeepUp-v0", paddle_width=0.05)  # options are those of make()
