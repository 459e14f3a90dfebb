"""Pools of envs that are written in Python, which run in worker processes."""
