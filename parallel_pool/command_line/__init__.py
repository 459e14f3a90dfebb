"""The commands of `python -m parallel_pool`."""
